//! What each rank of a job does with its time, of which the efficiencies are made (`model/src/efficiency.rs`).
//!
//! *Computing* is the metric `compute` of a rank's first thread: time outside MPI, input, output and locks. Other threads are left out, for
//! what they do while the first one waits for them says nothing about the ranks. *Elapsed* is the time between `MPI_Init` and
//! `MPI_Finalize` of the rank that has most of it, so that neither counts. What an input or output call takes lowers the
//! efficiency of communication, which stands for all that is not computing.

use whyperf_model::matching::Classes;
use whyperf_model::{Category, CategorySet, Effort, Nanos};

use crate::catalogue::Catalogue;
use crate::clock::Scale;
use crate::daemon::Daemon;
use crate::member::Member;

/// Takes in what a process does, from the first look at which it has a rank until it ends MPI.
#[derive(Debug, Default)]
pub(crate) struct Labour {
    pub(crate) effort: Effort,
    has_begun: bool,
    is_over: bool,
}

impl Labour {
    /// Its first thread was just read; whether that counts. What grew until the look that found a rank may be older than MPI,
    /// so it does not.
    pub(crate) fn pass(
        &mut self,
        is_rank: bool,
        first: Option<&Member>,
        (catalogue, classes): (&Catalogue, &Classes),
        scale: Scale,
    ) -> bool {
        let has_begun = std::mem::replace(&mut self.has_begun, is_rank);
        let Some(first) = first.filter(|_| has_begun && !self.is_over) else { return false };
        for growth in &first.growth {
            let node = &first.thread.nodes[growth.node as usize];
            let Some(entry) = catalogue.tables.region(node.region) else { continue };
            let category = classes.get(node.class).traits.category;
            if entry.name == LAST {
                self.is_over = true;
                continue;
            }
            let time = Nanos(scale.nanos(growth.by.time));
            if category != Category::Setup {
                self.effort.elapsed += time;
            }
            if CategorySet::COMPUTE.contains(category) {
                self.effort.computing += time;
            }
        }
        true
    }
}

/// The call that ends MPI.
const LAST: &str = "MPI_Finalize";

impl Daemon {
    /// What each process did as a rank so far, in the order in which they were found.
    #[must_use]
    pub fn efforts(&self) -> Vec<Effort> {
        self.processes.iter().map(|process| process.labour.effort).collect()
    }
}
