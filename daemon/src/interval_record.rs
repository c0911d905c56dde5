//! The interval record of a pass: all that it brought, in full.

use whyperf_model::matching::IntervalRecord;

use crate::daemon::Daemon;
use crate::sampling_pass::SamplingPass;
use crate::shared_state::SharedState;

impl SharedState {
    /// All that is recorded next belongs to this process.
    pub(crate) const fn enter(&mut self, number: u32) {
        if let Some(recorder) = &mut self.recorder {
            recorder.enter(number);
        }
    }

    /// Notes whether the process that was entered reports in this sampling pass.
    pub(crate) fn note(&mut self, reports: bool) -> bool {
        if let Some(recorder) = self.recorder.as_mut().filter(|_| !reports) {
            recorder.silent();
        }
        reports
    }
}

impl Daemon {
    /// Adds its interval record to a pass.
    pub(crate) fn record(&mut self, pass: &mut SamplingPass) {
        let hot = pass.too_hot.iter();
        let hot = hot.filter_map(|(pair, share)| Some((self.pair(*pair)?.clone(), *share)));
        let hot = hot.collect();
        let SharedState { recorder, classes, resources, .. } = &mut self.state;
        pass.interval_record = recorder.as_mut().map(|recorder| IntervalRecord {
            appeared: pass.appeared.clone(),
            retired: pass.retired.clone(),
            placed: pass.placed.clone(),
            callees: pass.callees.clone(),
            prices: pass.prices.clone(),
            hot,
            ..recorder.take(pass.interval, classes, resources)
        });
    }
}
