//! The pace of a search over live processes: the clock of this machine.

use whyperf_daemon::{Daemon, Moment, Pace, Round};

/// Samples when it is asked to: the caller has waited until the sample is due.
#[derive(Debug, Default)]
pub(crate) struct RealTime {
    /// What the last sampling pass brought that the search does not need.
    pub(super) seen: Option<Round>,
    /// Phases that the program announces are not told.
    pub(super) hides_phases: bool,
    pub(super) is_over: bool,
}

impl Pace for RealTime {
    fn wait(&mut self, _: &mut Daemon) -> Option<Moment> {
        (!self.is_over).then(Moment::now)
    }

    fn see(&mut self, _: &mut Daemon, round: &mut Round) {
        if self.hides_phases {
            round.phase = None;
        }
        self.seen = Some(Round {
            interval: round.interval,
            complaints: std::mem::take(&mut round.complaints),
            interval_record: round.interval_record.take(),
            started: std::mem::take(&mut round.started),
            appeared: round.appeared.clone(),
            retired: round.retired.clone(),
            ..Round::default()
        });
    }

    fn end(&mut self) -> Moment {
        Moment::now()
    }
}
