//! The meter of one function of a process: its last interval, how often it is called, and whether it is too hot to stay on.

use whyperf_layout::RegionRecord;
use whyperf_model::Nanos;

use crate::activity::Activity;
use crate::interval::{FunctionInterval, IntervalState};
use crate::pc_samples::PcSampleHistory;
use crate::window::{IDLE, Notes, Window};

/// The meter of one function.
#[derive(Debug, Default)]
pub(crate) struct FunctionMeter {
    /// It is on only in windows, for it is too hot.
    pub(crate) window: Option<Window>,
    /// Ticks that it was on, as last looked at.
    covered: u64,
    /// What else the process said of it then.
    notes: Notes,
    /// Nanoseconds that a call took when calls were counted last.
    each: Option<f64>,
    /// Whether a call of it was ever seen.
    pub(crate) entered: bool,
    /// Calls a second in the last interval in which it was on.
    pub(crate) rate: f64,
    /// What the last interval showed.
    pub(crate) interval: FunctionInterval,
    /// What PC samples told of it.
    pub(crate) pc_history: PcSampleHistory,
}

/// What the meter has to know of the function's code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeteredCode {
    pub(crate) counting: WindowCounting,
    /// Its time is more than what is spent in it alone.
    pub(crate) calls_others: bool,
}

/// How the calls of a function are counted in its windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowCounting {
    /// The process counts them without timing them.
    Calls,
    /// Only its events tell.
    Events,
}

impl FunctionMeter {
    /// Of a function that was never looked at; one with windows was too hot elsewhere.
    pub(crate) fn new(window: Option<Window>) -> Self {
        Self { window, ..Self::default() }
    }

    /// Takes in an interval of a function that has no region yet: nothing is known of an interval before it was armed.
    pub(crate) fn note_blank(&mut self, activity: &Activity) {
        let state =
            if self.window.is_some() { IntervalState::Window } else { IntervalState::Waiting };
        self.interval = FunctionInterval {
            lived: activity.length,
            age: activity.age,
            state,
            ..FunctionInterval::default()
        };
    }

    /// Takes in what the interval that just ended showed of its region.
    pub(crate) fn note(
        &mut self,
        number: u32,
        record: &RegionRecord,
        activity: &Activity,
        code: MeteredCode,
    ) {
        let covered = record.coverage(activity.now);
        let before = std::mem::replace(&mut self.covered, covered);
        let new = covered.saturating_sub(before);
        // One that rested for a part of the interval was called then, too, and so is one that is off for all of it.
        if new > 0 {
            self.rate = activity.rate(number, new);
        }
        let notes = self.notes.renew(record);
        let visits = activity.of_region(number).map_or(0, |deeds| deeds.visits);
        let wall = activity.needed(number, new);
        let running = notes.running().filter(|_| self.window.is_none());
        let ran = running.map_or(Some(wall), |share| activity.ran(number, share, new));
        self.each = notes.each().or(self.each);
        let time = activity.time(new);
        let first = record.first_on().filter(|_| before == 0 && new > 0);
        let since_first = |first| activity.time(activity.now.saturating_sub(first));
        let state = self.state(before, new, notes.missed);
        let interval = FunctionInterval {
            lived: activity.length,
            age: activity.age,
            late: first.map(|first| activity.age - since_first(first)),
            covered: time,
            missed: Nanos(notes.missed),
            needed: self.needed(visits, wall),
            pace: self.pace(visits, notes, ran, code.counting),
            idle: notes.idle(),
            visits,
            own: activity.of_region(number).map_or(0, |deeds| deeds.own),
            pc_samples: self.pc_history.newest.filter(|_| state == IntervalState::Window),
            density: self.pc_history.density(activity.length),
            calls_others: code.calls_others,
            state,
        };
        if interval.is_evidence() {
            self.pc_history.told();
        }
        self.interval = interval;
        if self.window.as_mut().is_some_and(|window| window.is_over(&interval)) {
            self.window = None;
        }
    }

    /// One that rests to the end of its process was on before, and what it missed is told at the end.
    fn state(&mut self, before: u64, new: u64, missed: u64) -> IntervalState {
        match self.window.as_mut().map(Window::take_beginning) {
            Some(true) => IntervalState::Ending,
            Some(false) => IntervalState::Window,
            None if new == 0 && (before == 0 || missed == 0) => IntervalState::Waiting,
            None if before == 0 => IntervalState::Beginning,
            None => IntervalState::On,
        }
    }

    /// How long the process would have run for so many calls: by those that were counted without being
    /// timed where there are some, else by the clock, less what events cost.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "an estimate, above 0"
    )]
    fn needed(&self, visits: u64, wall: Nanos) -> Nanos {
        let each = self.each.filter(|_| self.window.is_some());
        each.map_or(wall, |each| Nanos((visits as f64 * each) as u64))
    }

    /// Calls in each nanosecond that the process runs, if the interval says: all its threads needed so much for those that were timed.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    fn pace(
        &self,
        visits: u64,
        notes: Notes,
        ran: Option<Nanos>,
        counting: WindowCounting,
    ) -> Option<f64> {
        if self.window.is_some() && counting == WindowCounting::Calls {
            let is_idle = notes.idle() > IDLE;
            return notes.each().map(f64::recip).or_else(|| is_idle.then_some(0.0));
        }
        let ran = ran.filter(|ran| !ran.is_zero())?;
        Some(visits as f64 / ran.0 as f64)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use whyperf_model::Scale;

    use super::*;
    use crate::activity::{ActivitySpan, Entered};

    /// An interval of 50 ms, with a thousand visits at so many nanoseconds each.
    fn activity(visits: u64, price: u64) -> Activity {
        let entered = Entered { region: 3, visits, ticks: 1 };
        let span = ActivitySpan { begin: 0, end: 50_000_000, birth: 0 };
        let threads = std::iter::once(std::iter::once(entered));
        Activity::of(threads, price << 8, span, Scale::NANOSECONDS)
    }

    const CODE: MeteredCode = MeteredCode { counting: WindowCounting::Events, calls_others: false };

    /// Of such an interval, in which a function was on for 10 ms, until its budget was spent; its threads ran for so long meanwhile.
    fn pace(worked: u64, price: u64) -> Option<f64> {
        let record = RegionRecord::default();
        record.uncover(1);
        record.cover(10_000_001);
        record.worked.store(worked, Ordering::Relaxed);
        let mut meter = FunctionMeter::default();
        meter.note(3, &record, &activity(1000, price), CODE);
        meter.interval.pace
    }

    #[test]
    fn a_thread_that_waits_for_a_processor_calls_nothing_meanwhile() {
        assert_eq!(pace(0, 0), Some(1000.0 / 1e7), "how much they ran is not known");
        assert_eq!(pace(2_000_000, 0), Some(1000.0 / 2e6));
        assert_eq!(pace(20_000_000, 0), Some(1000.0 / 2e7), "two threads at once");
    }

    #[test]
    fn a_pace_is_not_what_events_leave_when_they_take_most_of_the_time() {
        assert_eq!(pace(100_000, 40), Some(1000.0 / 6e4));
        assert_eq!(pace(100_000, 60), None);
    }

    #[test]
    fn what_is_off_is_called_as_often_as_when_it_was_on() {
        let record = RegionRecord::default();
        record.uncover(1);
        record.cover(10_000_001);
        let mut meter = FunctionMeter::default();
        let rates = [1000, 0].map(|visits| {
            meter.note(3, &record, &activity(visits, 0), CODE);
            meter.rate
        });
        assert_eq!(rates, [1e5, 1e5]);
    }

    #[test]
    fn what_rested_to_the_end_of_its_process_was_missed() {
        let record = RegionRecord::default();
        let mut meter = FunctionMeter::default();
        let mut state = |record: &RegionRecord, visits| {
            meter.note(3, record, &activity(visits, 0), CODE);
            meter.interval.state
        };
        assert_eq!(state(&record, 0), IntervalState::Waiting);
        record.uncover(1);
        record.cover(10_000_001);
        assert_eq!(state(&record, 1000), IntervalState::Beginning);
        assert_eq!(state(&record, 0), IntervalState::Waiting, "nobody asks for it");
        record.missed.store(7, Ordering::Relaxed);
        assert_eq!(state(&record, 0), IntervalState::On);
    }
}
