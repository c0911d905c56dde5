//! Measures what each rank of a job does with its time; the efficiencies are computed from that
//! (`model/src/efficiency.rs`).
//!
//! *Computing* is the metric `compute` of a rank's first thread: time outside MPI, input, output and locks. Other threads
//! are left out, because their work while the first one waits for them says nothing about the ranks. *Elapsed* is the time
//! between `MPI_Init` and `MPI_Finalize` of the rank for which it is longest; neither of the two calls counts.
//! Communication stands for all time that is neither computing nor input and output.

use whyperf_model::matching::Classes;
use whyperf_model::{Effort, Jobs, Nanos, Scale};

use crate::catalogue::Catalogue;
use crate::watched_thread::WatchedThread;

/// Takes in what a process does, from the first look at which it is in MPI until it ends MPI.
#[derive(Debug, Default)]
pub(crate) struct EfficiencyRecorder {
    pub(crate) effort: Effort,
    /// It was seen in MPI.
    was_met: bool,
    /// It had been seen before the last look.
    has_begun: bool,
    is_over: bool,
}

/// What the nodes of a process mean.
pub(crate) type NodeMeanings<'a> = (&'a Catalogue, &'a Classes, Scale);

impl EfficiencyRecorder {
    /// It is in MPI, with this rank.
    pub(crate) fn watch(&mut self, rank: u32, jobs: &mut Jobs) {
        self.has_begun = std::mem::replace(&mut self.was_met, true);
        if !self.has_begun {
            self.effort.job = jobs.join(rank);
        }
    }

    /// Whether it was a rank of a job.
    pub(crate) const fn was_met(&self) -> bool {
        self.was_met
    }

    /// Whether what it does is known to be that of a rank. What grew until the look that found it in MPI may be older than that.
    pub(crate) const fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Whether what it just did is that of a rank, before it is seen once more.
    pub(crate) const fn is_at_work(&self) -> bool {
        self.was_met && !self.is_over
    }

    /// Its first thread was just read; if that counts, how much of it does not for being the end of MPI.
    pub(crate) fn pass(
        &mut self,
        first: &WatchedThread,
        (catalogue, classes, scale): NodeMeanings<'_>,
    ) -> Option<Nanos> {
        if !self.has_begun || self.is_over {
            return None;
        }
        let mut ending = Nanos::ZERO;
        for growth in &first.growth {
            let node = &first.thread.nodes[growth.node as usize];
            let Some(entry) = catalogue.tables.region(node.region) else { continue };
            let category = classes.category(node.class);
            let time = Nanos(scale.nanos(growth.by.time));
            if entry.name == LAST {
                self.is_over = true;
                ending += time;
                continue;
            }
            self.effort.add(category, time);
        }
        Some(ending)
    }

    /// It works no more, by `MPI_Finalize` or because it ended.
    pub(crate) fn leave_if(&self, has_ended: bool, jobs: &mut Jobs) {
        if self.was_met && (self.is_over || has_ended) {
            jobs.leave(self.effort.job);
        }
    }
}

/// The call that ends MPI.
const LAST: &str = "MPI_Finalize";
