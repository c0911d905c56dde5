//! The events of a rank with the times between which each was, as they were measured.

use whyperf_extrapolate::{Event, Rank, SimTime};

use super::{RankEvents, TraceFile};

/// An event of a rank, and when it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimedEvent {
    /// What.
    pub event: Event,
    /// Since the trace began.
    pub begin: SimTime,
    /// The same.
    pub end: SimTime,
}

/// The events of a rank in their order.
#[derive(Debug)]
pub struct Timeline<'f> {
    events: RankEvents<'f>,
    now: SimTime,
}

impl TraceFile {
    /// The events of a rank with their times. Where nothing was measured, a call takes no time.
    #[must_use]
    pub fn timeline(&self, rank: Rank) -> Timeline<'_> {
        Timeline { events: self.rank(rank), now: SimTime::ZERO }
    }
}

impl Iterator for Timeline<'_> {
    type Item = TimedEvent;

    fn next(&mut self) -> Option<TimedEvent> {
        let event = self.events.next()?;
        let begin = self.now;
        self.now += self.events.took(&event);
        Some(TimedEvent { event, begin, end: self.now })
    }
}
