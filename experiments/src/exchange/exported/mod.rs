//! A run as other tools want it: the callpaths of its threads, and what is known of the run.

mod answers;
mod arrow;
mod caliper;
mod call_tree;
mod collapsed;
mod csv;
mod cube;
mod firefox;
mod hatchet;
mod open_metrics;
mod parquet;
mod pprof;
mod protobuf;
mod ptdf;
mod speedscope;
mod table;
mod tables;
mod tau;

use crate::error::StoreError;
use crate::foreign_profile::ForeignProfile;
use crate::history::Fact;
use crate::run::{RunId, StoredProfileRow, StoredVerdict, Summary};
use crate::store::Store;
use call_tree::CallTree;
pub use tables::{ExportedTables, TableFormat};
use whyperf_model::{UserEventKind, UserEventRow};

/// A run that is given out.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportedRun {
    summary: Summary,
    facts: Vec<Fact>,
    rows: Vec<StoredProfileRow>,
    verdicts: Vec<StoredVerdict>,
    user_events: Vec<UserEventRow>,
    foreign: Option<ForeignProfile>,
}

impl Store {
    /// A run to be given out.
    ///
    /// # Errors
    /// When the store cannot be read, or the run is gone.
    pub fn exported(&self, run: &RunId) -> Result<ExportedRun, StoreError> {
        Ok(ExportedRun {
            summary: self.summary(run)?,
            facts: self.facts(run)?,
            rows: self.profile(run)?,
            verdicts: self.verdicts(run)?,
            user_events: self.user_events(run)?,
            foreign: self.foreign_profile(run)?,
        })
    }
}

impl ExportedRun {
    /// What is to be known of all formats: what is not in them.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.rows.is_empty() {
            notes.push("the run has no callpaths, so there is nothing to give out".into());
        }
        if self.foreign.is_none() {
            notes.push(
                "callpaths hold calls and what was switched on: time in other functions of the program is not in them"
                    .into(),
            );
        }
        let counters = self.user_events.iter().filter(|one| one.kind == UserEventKind::Counter);
        if counters.count() > 0 {
            notes.push(
                "counters of the program are sums, of which TAU's events know nothing: they are in OpenMetrics alone"
                    .into(),
            );
        }
        let partly = self.rows.iter().filter(|row| row.coverage.is_some_and(|share| share < 1.0));
        let partly = partly.count();
        if partly > 0 {
            notes.push(format!(
                "{partly} callpaths were counted for a part of the run, and are given out as counted"
            ));
        }
        notes
    }

    /// The callpaths of each thread, as a tree.
    fn trees(&self) -> Vec<CallTree<'_>> {
        let threads = self
            .rows
            .chunk_by(|one, other| (one.process, one.thread) == (other.process, other.thread));
        threads.map(CallTree::of).collect()
    }
}
