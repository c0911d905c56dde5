//! Tells whether threads ran that were gone before the system could be asked about them, by the clock of their process.
//!
//! ```text
//!   the process ran, by its clock         ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
//!   what the system said of its threads   ▒▒▒▒▒▒▒▒▒▒▒▒                  ended ones among them
//!   computed by those it said nothing of              ▒▒▒▒ ▒▒▒▒ ▒▒▒▒ ░░░░     by their events: what fits ran, of the last nobody knows
//! ```
//! A thread that lives for a millisecond is gone before a pass can read its meter. What all threads of the process ran is known,
//! of ended ones, too: what is left of it for those without a meter says how many of them ran all the time.

use whyperf_inject::ProcessorClock;
use whyperf_model::Nanos;

/// What a process ran and its threads were not told to have run.
#[derive(Debug, Default)]
pub(crate) struct UntoldThreads {
    clock: Option<ProcessorClock>,
    before: Option<u64>,
    /// What it ran more, or less, than was told of its threads, up to the last pass: clocks tick coarsely, and are not read at the same moment.
    rest: i64,
    /// What its threads were told to have run in this pass.
    told: u64,
    /// Threads that were gone in this pass, by number, and what they ran at most, by their events.
    gone: Vec<(usize, Nanos)>,
    /// Those of which nobody knows whether they ran.
    unknown: Vec<usize>,
}

/// What is known of how long a thread ran in an interval.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RunKnowledge {
    /// So long.
    Told(Nanos),
    /// It was gone before the system was asked, and ran no longer than this.
    Gone(Nanos),
    /// The system tells of no thread.
    Unknown,
}

impl UntoldThreads {
    /// What is known of a thread in this pass, by its number.
    pub(crate) fn take(&mut self, thread: usize, knowledge: RunKnowledge) {
        match knowledge {
            RunKnowledge::Told(time) => self.told += time.0,
            RunKnowledge::Gone(time) => self.gone.push((thread, time)),
            RunKnowledge::Unknown => self.unknown.push(thread),
        }
    }

    /// A pass is over in which a process with so many threads so far was read: those of which nobody knows whether they ran.
    pub(crate) fn settle(&mut self, pid: u32, threads: usize) -> Vec<usize> {
        if threads > 1 {
            self.clock = self.clock.or_else(|| ProcessorClock::of(pid));
        }
        let now = self.clock.and_then(ProcessorClock::read);
        self.settle_by(now)
    }

    fn settle_by(&mut self, now: Option<u64>) -> Vec<usize> {
        let (before, told) = (self.before, std::mem::take(&mut self.told));
        self.before = now;
        let (gone, mut unknown) =
            (std::mem::take(&mut self.gone), std::mem::take(&mut self.unknown));
        let Some((before, now)) = before.zip(now) else {
            unknown.extend(gone.into_iter().map(|(thread, _)| thread));
            return unknown;
        };
        let signed = |time: u64| i64::try_from(time).unwrap_or(i64::MAX);
        self.rest += signed(now.saturating_sub(before)) - signed(told);
        for (thread, time) in gone {
            if signed(time.0) <= self.rest {
                self.rest -= signed(time.0);
            } else {
                unknown.push(thread);
            }
        }
        // What is left over was run by nobody that is measured.
        self.rest = self.rest.clamp(-CARRIED, CARRIED);
        unknown
    }
}

/// How much is carried over at most, in nanoseconds: a few ticks of a slow scheduler clock.
const CARRIED: i64 = 10_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: u64 = 1_000_000;

    /// A pass in which the process ran for so many milliseconds, its first thread was told to have run for so many, and so many threads of a
    /// millisecond were gone: of how many nobody knows.
    fn unknown(untold: &mut UntoldThreads, [ran, told]: [u64; 2], gone: usize) -> usize {
        untold.take(0, RunKnowledge::Told(Nanos::from_millis(told)));
        let each = RunKnowledge::Gone(Nanos::from_millis(1));
        (0..gone).for_each(|thread| untold.take(thread, each));
        let before = untold.before.unwrap_or(0);
        untold.settle_by(Some(before + ran * MILLI)).len()
    }

    #[test]
    fn threads_without_a_meter_ran_as_far_as_their_process_did() {
        let mut untold = UntoldThreads::default();
        assert_eq!(unknown(&mut untold, [0, 0], 10), 10, "nothing is known of before");
        assert_eq!(unknown(&mut untold, [50, 10], 40), 0);
        assert_eq!(unknown(&mut untold, [38, 10], 40), 12);
        assert_eq!(unknown(&mut untold, [30, 30], 3), 3, "the first one ran it");
        // One clock is read before the other.
        let passes = [unknown(&mut untold, [52, 10], 40), unknown(&mut untold, [48, 10], 40)];
        assert_eq!(passes, [0, 0]);
    }

    #[test]
    fn what_nobody_ran_is_not_kept_for_long() {
        let mut untold = UntoldThreads::default();
        unknown(&mut untold, [0, 0], 0);
        unknown(&mut untold, [500, 0], 0);
        assert_eq!(unknown(&mut untold, [0, 0], 40), 30);
        untold.take(0, RunKnowledge::Gone(Nanos::from_millis(1)));
        assert_eq!(untold.settle_by(None), [0], "its process is gone");
    }
}
