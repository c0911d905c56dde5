//! The counts that all processes share: the exact amounts of their threads, and their distribution over code by samples.
//!
//! ```text
//!   thread ──► counters (inject) ──┬─ read in each pass ─► account ──► classes of nodes ──► pairs, record, totals of the run
//!                                  └─ samples, by the worker ─┘
//! ```

use std::collections::BTreeMap;

use whyperf_inject::CounterRefusal;
use whyperf_model::{Counter, Nanos};

use crate::counted_event::checked;

/// What all processes share of that.
#[derive(Debug, Default)]
pub(crate) struct CountedState {
    /// What is counted.
    pub(crate) counters: Vec<Counter>,
    /// What was asked for, and why it is not.
    pub(crate) refused: Vec<(Counter, CounterRefusal)>,
    /// Samples a second of each counter of a thread.
    pub(crate) frequency: u64,
    /// What was counted where the outer end of the stack was not seen.
    pub(crate) cut: BTreeMap<Counter, u64>,
    /// Samples that were lost.
    pub(crate) lost: u64,
    /// Different stacks so far.
    pub(crate) stacks: usize,
    /// Counters that had to take turns.
    pub(crate) scaled: Vec<Counter>,
    /// By counter: for how long threads ran before it counted them.
    pub(crate) uncounted: BTreeMap<Counter, Nanos>,
    /// By counter: threads that it could not be opened for.
    pub(crate) missed: BTreeMap<Counter, usize>,
}

/// How much is known of a thread by a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CounterCoverage {
    /// Nothing.
    None,
    /// How much was counted, and not where the thread was.
    Counted,
    /// That, too.
    Placed,
}

impl CountedState {
    /// Counts what this machine has of these; of so many counters `frequency` says how often each is sampled.
    pub(crate) fn of(asked: &[Counter], frequency: impl FnOnce(usize) -> u64) -> Self {
        let mut state = Self::default();
        for (counter, outcome) in checked(asked.iter().copied()) {
            match outcome {
                Ok(()) => state.counters.push(counter),
                Err(refusal) => state.refused.push((counter, refusal)),
            }
        }
        state.frequency = frequency(state.counters.len());
        state
    }
}
