//! The interval record of a round: all that it brought, in full.

use whyperf_model::matching::IntervalRecord;

use crate::daemon::Daemon;
use crate::process::SharedState;
use crate::round::Round;

impl SharedState {
    /// What follows is of this process.
    pub(crate) const fn enter(&mut self, number: u32) {
        if let Some(recorder) = &mut self.recorder {
            recorder.enter(number);
        }
    }

    /// Takes note of whether the process that was entered reports in this round.
    pub(crate) fn note(&mut self, reports: bool) -> bool {
        if let Some(recorder) = self.recorder.as_mut().filter(|_| !reports) {
            recorder.silent();
        }
        reports
    }
}

impl Daemon {
    /// Adds its interval record to a round.
    pub(crate) fn record(&mut self, round: &mut Round) {
        let hot = round.too_hot.iter();
        let hot = hot.filter_map(|(pair, share)| Some((self.pair(*pair)?.clone(), *share)));
        let hot = hot.collect();
        let SharedState { recorder, classes, resources, .. } = &mut self.state;
        round.interval_record = recorder.as_mut().map(|recorder| IntervalRecord {
            appeared: round.appeared.clone(),
            retired: round.retired.clone(),
            placed: round.placed.clone(),
            callees: round.callees.clone(),
            prices: round.prices.clone(),
            hot,
            ..recorder.take(round.interval, classes, resources)
        });
    }
}
