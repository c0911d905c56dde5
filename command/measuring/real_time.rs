//! The pace of a search over live processes: the clock of this machine.

use whyperf_daemon::{Daemon, Moment, Pace, SamplingPass};

/// Samples when it is asked to: the caller has waited until the sample is due.
#[derive(Debug, Default)]
pub(crate) struct RealTime {
    /// What the last sampling pass brought that the search does not need.
    pub(super) seen: Option<SamplingPass>,
    /// Phases that the program announces are not told.
    pub(super) hides_phases: bool,
    pub(super) is_over: bool,
}

impl Pace for RealTime {
    fn wait(&mut self, _: &mut Daemon) -> Option<Moment> {
        (!self.is_over).then(Moment::now)
    }

    fn see(&mut self, _: &mut Daemon, pass: &mut SamplingPass) {
        if self.hides_phases {
            pass.phase = None;
        }
        self.seen = Some(SamplingPass {
            interval: pass.interval,
            complaints: std::mem::take(&mut pass.complaints),
            interval_record: pass.interval_record.take(),
            started: std::mem::take(&mut pass.started),
            appeared: pass.appeared.clone(),
            retired: pass.retired.clone(),
            ..SamplingPass::default()
        });
    }

    fn end(&mut self) -> Moment {
        Moment::now()
    }
}
