//! The report of a run that goes on: at a signal or a key, and every so often where that is asked for. It is printed, written to the files of
//! `--json` and `--report`, and kept in the store.

use std::time::{Duration, Instant};

use crate::measuring::options::RunOptions;
use crate::measuring::summary;
use crate::measuring::watch::Watch;
use crate::output::delivery;
use crate::output::report::Report;
use crate::output::terminal::Screen;

/// When reports of a run are due while it goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InterimReports {
    begin: Instant,
    every: Option<Duration>,
    next: Option<Instant>,
}

impl InterimReports {
    /// Of a run that began then: one after each such time, or none by itself.
    pub(crate) fn from(begin: Instant, every: Option<Duration>) -> Self {
        Self { begin, every, next: every.and_then(|every| begin.checked_add(every)) }
    }

    /// The moment, or that of the next report if that is earlier.
    pub(crate) fn or_earlier(&self, moment: Instant) -> Instant {
        self.next.map_or(moment, |next| next.min(moment))
    }

    /// Draws up a report if it is time for one.
    pub(crate) fn draw_up_if_due(
        &mut self,
        watch: &mut Watch,
        request: &RunOptions,
        screen: &mut Screen,
    ) {
        let now = Instant::now();
        let Some(next) = self.next.filter(|next| *next <= now) else { return };
        // What came too late is left out.
        let every = self.every.unwrap_or(Duration::MAX);
        let missed = (now - next).as_nanos().checked_div(every.as_nanos()).unwrap_or(0);
        let steps = u32::try_from(missed).unwrap_or(u32::MAX).saturating_add(1);
        self.next = every.checked_mul(steps).and_then(|time| next.checked_add(time));
        self.draw_up(watch, request, screen);
    }

    /// Draws up a report of what is known by now.
    pub(crate) fn draw_up(&self, watch: &mut Watch, request: &RunOptions, screen: &mut Screen) {
        let report = Report::bare(&request.command, None, self.begin.elapsed());
        let report = summary::until_now(watch, Report { goes_on: true, ..report });
        watch.keep_report(&report);
        delivery::deliver_unfinished(&report, request.options.destinations(), screen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_due_first_is_waited_for() {
        let begin = Instant::now();
        let seconds = |seconds| begin + Duration::from_secs(seconds);
        let reports = InterimReports::from(begin, Some(Duration::from_secs(10)));
        assert_eq!([3, 20].map(|at| reports.or_earlier(seconds(at))), [3, 10].map(seconds));
    }
}
