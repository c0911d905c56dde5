//! Functions in whose own code stack samples show a process to spend much of its time: a search is led to them at once.
//!
//! ```text
//!   stack sample: sqrt ◄── norm ◄── solve ◄── main      counts for sqrt, and for norm when sqrt came with the system
//! ```
//! A sample inside of a wrapped call counts for none: the call's own events measure that time.

use std::collections::{BTreeMap, BTreeSet};

use crate::function_key::FunctionKey;

/// Where the samples of each process lie.
#[derive(Debug, Default)]
pub(crate) struct HotFunctions {
    processes: BTreeMap<u32, SampleCounts>,
    told: BTreeSet<FunctionKey>,
}

/// Samples of a process.
#[derive(Debug, Default)]
struct SampleCounts {
    all: u64,
    functions: BTreeMap<FunctionKey, u64>,
}

impl HotFunctions {
    /// A running thread was in these functions' own code: none, one, or one and the one that called it.
    pub(crate) fn count(&mut self, process: u32, functions: impl IntoIterator<Item = FunctionKey>) {
        let counts = self.processes.entry(process).or_default();
        counts.all += 1;
        for key in functions {
            *counts.functions.entry(key).or_default() += 1;
        }
    }

    /// A process ended.
    pub(crate) fn forget(&mut self, process: u32) {
        self.processes.remove(&process);
    }

    /// Functions that turned out to be hot since the last time.
    pub(crate) fn take_news(&mut self) -> Vec<FunctionKey> {
        let hot = self.processes.values().flat_map(SampleCounts::hot);
        let mut news: Vec<FunctionKey> = hot.filter(|key| !self.told.contains(key)).collect();
        news.truncate(MOST.saturating_sub(self.told.len()));
        news.retain(|key| self.told.insert(*key));
        news
    }
}

impl SampleCounts {
    fn hot(&self) -> impl Iterator<Item = FunctionKey> {
        let is_hot = |count: u64| count >= LEAST && count.saturating_mul(PART) >= self.all;
        self.functions.iter().filter(move |(_, count)| is_hot(**count)).map(|(key, _)| *key)
    }
}

/// Samples that a hot function has at least, and one part in so many of all.
const LEAST: u64 = 4;
const PART: u64 = 12;
/// Functions that a search is led to.
const MOST: usize = 32;

#[cfg(test)]
mod tests {
    use whyperf_code::FunctionId;

    use super::*;

    fn key(number: u32) -> FunctionKey {
        FunctionKey { module: 0, function: FunctionId(number) }
    }

    #[test]
    fn a_function_with_many_of_the_samples_is_told_once() {
        let mut hot = HotFunctions::default();
        for at in 0..100 {
            // 0 has a quarter, 1 one in twenty, the others are where nobody asks.
            let function = if at % 4 == 0 { Some(key(0)) } else { (at % 20 == 1).then(|| key(1)) };
            hot.count(7, function);
        }
        assert_eq!(hot.take_news(), [key(0)]);
        assert_eq!(hot.take_news(), []);
    }

    #[test]
    fn few_samples_say_nothing() {
        let mut hot = HotFunctions::default();
        (0..LEAST - 1).for_each(|_| hot.count(7, [key(0)]));
        assert_eq!(hot.take_news(), []);
        hot.count(8, [key(0)]);
        assert_eq!(hot.take_news(), [], "each process counts alone");
        hot.count(7, [key(0)]);
        assert_eq!(hot.take_news(), [key(0)]);
    }
}
