//! One stretch of a run in which measuring is on, or off: how fast the program got on in it.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use whyperf_daemon::{Daemon, Milestone, Progress};

use super::estimate::{CheckedStretch, Unclean};
use super::order::{State, state_of};

/// A stretch that goes on.
#[derive(Debug)]
pub(crate) struct Stretch {
    pub(crate) state: State,
    /// From when on it counts, and until when.
    begin: Instant,
    pub(crate) end: Instant,
    /// How far the program was when it began to count, and what whyperf had taken of processors by then.
    begun: Option<(Progress, Duration)>,
    is_clean: bool,
}

impl Stretch {
    /// The one of this number, where passes are so far apart; `is_clean` says whether all processes are at it.
    pub(crate) fn begin(number: usize, now: Instant, interval: Duration, is_clean: bool) -> Self {
        let begin = now + SETTLING;
        let length = (interval * PASSES).clamp(SHORTEST, LONGEST);
        let part = (number as f64 * GOLDEN).fract();
        let end = begin + length.mul_f64(0.8 + 0.4 * part);
        Self { state: state_of(number), begin, end, begun: None, is_clean }
    }

    /// It is of the same kind as the one before it, which ended at this point.
    pub(crate) fn going_on_from(self, progress: Progress) -> Self {
        let begin = self.begin - SETTLING;
        Self { begun: Some((progress, processor_time())), begin, end: self.end - SETTLING, ..self }
    }

    /// When it is to be looked at.
    pub(crate) const fn next(&self) -> Instant {
        if self.begun.is_none() { self.begin } else { self.end }
    }

    /// Begins to count when it is time to.
    pub(crate) fn look(&mut self, now: Instant, daemon: &Daemon, milestone: &Milestone) {
        if self.begun.is_none() && now >= self.begin {
            self.begun = Some((daemon.progress(Some(milestone)), processor_time()));
        }
    }

    /// What it came to, and where the program is.
    pub(crate) fn finish(
        self,
        daemon: &Daemon,
        milestone: &Milestone,
    ) -> (CheckedStretch, Progress) {
        let progress = daemon.progress(Some(milestone));
        let Some((begun, before)) = self.begun else {
            let none = CheckedStretch { state: self.state, rate: None, unclean: None };
            return (none, progress);
        };
        let rate = progress.rate_since(&begun, milestone);
        let took = processor_time().saturating_sub(before);
        let length = self.end - self.begin;
        let is_busy = self.state == State::Off && took > length.mul_f64(BUSY);
        let unclean = match (self.is_clean, is_busy) {
            (false, _) => Some(Unclean::NotPaused),
            (true, true) => Some(Unclean::Busy),
            (true, false) => None,
        };
        (CheckedStretch { state: self.state, rate, unclean }, progress)
    }
}

/// Processor time of all of whyperf's threads.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let nanos = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), nanos)
}

/// Until what was begun or ended at the border of two stretches is over.
const SETTLING: Duration = Duration::from_millis(20);
/// Passes of a stretch that is on, and how long a stretch is in any case: stamps of nodes go round in little more than a second.
const PASSES: u32 = 4;
const SHORTEST: Duration = Duration::from_millis(200);
const LONGEST: Duration = Duration::from_millis(800);
/// Stretches are not all of one length, so that no period of the program keeps step with them.
const GOLDEN: f64 = 0.618_033_988_749_895;
/// A part of a stretch that is off in which whyperf itself had a processor: what it was about was not over yet.
const BUSY: f64 = 0.02;
