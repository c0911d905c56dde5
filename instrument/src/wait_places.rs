//! Finds where the threads of a process wait unseen by events: chooses the threads to look at, and keeps the places that
//! were found.
//!
//! ```text
//!   waits in the kernel ──► asked for, some at a time ──► worker reads its stack ──► the function of the program that waits
//! ```
//! Reading a stack takes some tens of microseconds of the daemon's own time and nothing of the process's, so it is done only while a pair asks
//! for time that is blocked, and a few times a second.

use whyperf_model::Resource;

/// Such threads of one process.
#[derive(Debug, Default)]
pub(crate) struct WaitPlaces {
    /// The pass in which threads were looked at last.
    asked: Option<u64>,
    /// The last one of those.
    last: u32,
    found: Vec<(u32, Resource)>,
}

/// Passes from one look to the next.
const PAUSE: u64 = 4;
/// Threads that are looked at together.
const MOST: usize = 8;

impl WaitPlaces {
    /// Which of the threads that want it are looked at in this pass: each has its turn.
    pub(crate) fn choose(&mut self, pass: u64, wanted: impl Iterator<Item = u32>) -> Vec<u32> {
        if self.asked.is_some_and(|asked| pass < asked + PAUSE) {
            return Vec::new();
        }
        let mut chosen: Vec<u32> = wanted.collect();
        chosen.sort_unstable_by_key(|tid| (*tid <= self.last, *tid));
        chosen.truncate(MOST);
        if let Some(last) = chosen.last() {
            (self.asked, self.last) = (Some(pass), *last);
        }
        chosen
    }

    /// Threads were found to wait here.
    pub(crate) fn find(&mut self, places: Vec<(u32, Resource)>) {
        self.found.extend(places);
    }

    /// What was found since this was asked last.
    pub(crate) fn take(&mut self) -> Vec<(u32, Resource)> {
        std::mem::take(&mut self.found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_threads_are_looked_at_a_few_times_a_second() {
        let mut places = WaitPlaces::default();
        assert_eq!(places.choose(1, 0..0), []);
        assert_eq!(places.choose(2, 0..100).len(), MOST);
        assert_eq!(places.choose(3, 50..100), []);
        assert_eq!(places.choose(2 + PAUSE, 50..52), [50, 51]);
    }

    #[test]
    fn of_threads_that_want_it_again_and_again_each_has_its_turn() {
        let mut places = WaitPlaces::default();
        let mut had = [0; 20];
        for turn in 0..10 {
            let chosen = places.choose(turn * PAUSE, 0..20);
            chosen.into_iter().for_each(|tid| had[tid as usize] += 1);
        }
        assert_eq!(had, [4; 20]);
    }
}
