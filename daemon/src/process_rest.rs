//! Tells whether a process rested since it was asked last: then the system has nothing new to tell of any of its threads.

use whyperf_inject::ProcessorClock;

/// Whether any thread of a process ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessProgress {
    /// One may have.
    Moved,
    /// None did, as far as the system has counted.
    Rested,
}

/// What all threads of a process ran, as it was read last.
#[derive(Debug, Default)]
pub(crate) struct ProcessRest {
    clock: Option<ProcessorClock>,
    before: Option<u64>,
}

impl ProcessRest {
    /// Of a process with so many threads, about each of which the system was asked after the last question if it may have moved. What a thread
    /// ran is a part of what is compared, to the nanosecond, and as current: it cannot have moved where the whole stands still.
    pub(crate) fn ask(&mut self, pid: u32, threads: usize) -> ProcessProgress {
        if threads < MANY {
            self.before = None;
            return ProcessProgress::Moved;
        }
        self.clock = self.clock.or_else(|| ProcessorClock::of(pid));
        self.compare(self.clock.and_then(ProcessorClock::read))
    }

    fn compare(&mut self, now: Option<u64>) -> ProcessProgress {
        let before = std::mem::replace(&mut self.before, now);
        if now.is_some() && before == now {
            ProcessProgress::Rested
        } else {
            ProcessProgress::Moved
        }
    }
}

/// With fewer threads the question costs more than it saves.
const MANY: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_rested_where_its_time_was_read_twice_and_is_the_same() {
        let mut rest = ProcessRest::default();
        let told = [None, None, Some(7), Some(7), Some(8), Some(8)].map(|now| rest.compare(now));
        use ProcessProgress::{Moved, Rested};
        assert_eq!(told, [Moved, Moved, Moved, Rested, Moved, Rested]);
        assert_eq!(rest.ask(std::process::id(), 1), Moved);
        assert_eq!(rest.compare(Some(8)), Moved, "nobody was asked in between");
    }
}
