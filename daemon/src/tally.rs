//! What rounds brought in full, for somebody who keeps it.

use whyperf_model::matching::Tally;

use crate::daemon::Daemon;
use crate::process::Books;
use crate::round::Round;

impl Books {
    /// What follows is of this process.
    pub(crate) const fn enter(&mut self, number: u32) {
        if let Some(clerk) = &mut self.clerk {
            clerk.enter(number);
        }
    }

    /// Takes note of whether the process that was entered reports in this round.
    pub(crate) fn note(&mut self, reports: bool) -> bool {
        if let Some(clerk) = self.clerk.as_mut().filter(|_| !reports) {
            clerk.silent();
        }
        reports
    }
}

impl Daemon {
    /// Adds to a round what it brought in full.
    pub(crate) fn record(&mut self, round: &mut Round) {
        let hot = round.too_hot.iter();
        let hot = hot.filter_map(|(pair, share)| Some((self.pair(*pair)?.clone(), *share)));
        let hot = hot.collect();
        let Books { clerk, classes, resources, .. } = &mut self.books;
        round.tally = clerk.as_mut().map(|clerk| Tally {
            appeared: round.appeared.clone(),
            retired: round.retired.clone(),
            placed: round.placed.clone(),
            callees: round.callees.clone(),
            prices: round.prices.clone(),
            hot,
            ..clerk.take(round.interval, classes, resources)
        });
    }
}
