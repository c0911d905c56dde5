//! What shows a run that goes on: a page in a browser, which is served from the run's first moment and stays when the run is over, and a screen of
//! the terminal.

use std::sync::mpsc::Sender;
use std::time::Duration;

use whyperf_viewer::{Shown, ViewServer};

use crate::measuring::environment;
use crate::measuring::event::WatchEvent;
use crate::measuring::options::RunOptions;
use crate::measuring::stream_feeders::StreamFeeders;
use crate::measuring::watch::Watch;
use crate::output::delivery;
use crate::output::page_server::{self, Interruption};
use crate::output::terminal::Screen;
use crate::output::top_screen::TopScreen;

/// What shows a run.
#[derive(Debug, Default)]
pub(crate) struct ShownRun {
    server: Option<ViewServer>,
    top: Option<TopScreen>,
    after_run: AfterRun,
}

/// What becomes of the page of a run that is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum AfterRun {
    /// It stays until the user has seen enough.
    #[default]
    Stays,
    /// It ends, because nobody could end it.
    Ends,
}

/// Shows the run, as far as that is wanted. What cannot be shown must not keep the program from running.
pub(crate) fn show(
    watch: &mut Watch,
    request: &RunOptions,
    events: Sender<WatchEvent>,
    screen: &mut Screen,
) -> ShownRun {
    let options = &request.options;
    let mut shown = ShownRun::default();
    if options.view.is_none() && !options.top {
        return shown;
    }
    let run = environment::new_run(request, &watch.inputs);
    let begun = watch.show(&run, events).and_then(|(run, commands)| {
        if let Some(address) = &options.view {
            let elapsed = Duration::from_nanos(watch.daemon().now().0.0);
            watch.show_beside(StreamFeeders::begin(options, &run, elapsed, screen));
            let runs = Shown { runs: vec![run.clone()], commands: Some(commands) };
            let server = page_server::serve(runs, address, &options.page)?;
            page_server::tell(&server, &options.page, screen);
            shown.server = Some(server);
        }
        if options.top {
            shown.top = Some(TopScreen::begin(run)?);
            screen.hide_status();
        }
        Ok(())
    });
    if let Err(error) = begun {
        let words = delivery::words(&error);
        screen.warn(&format!("the run is not shown: {words}; the program runs all the same"));
    }
    shown
}

impl ShownRun {
    /// The terminal is as it was, for what is said at the end.
    pub(crate) fn leave_terminal(&mut self) {
        if let Some(top) = self.top.take() {
            top.close();
        }
    }

    /// The page ends with the run: the launcher of a job waits for the end of this process, which may be out of the terminal's reach.
    pub(crate) const fn end_with_run(&mut self) {
        self.after_run = AfterRun::Ends;
    }

    /// Keeps the page of a run that is over, if there is one, until the user has seen enough.
    pub(crate) fn stay(&self, screen: &mut Screen) {
        let Some(server) = &self.server else { return };
        if self.after_run == AfterRun::Ends {
            let again = "`whyperf view latest` shows a run that was kept";
            return screen.warn(&format!("the run is over, and with it its page; {again}"));
        }
        let Ok(interruption) = Interruption::listen() else { return };
        let url = server.url();
        screen.warn(&format!("the run is over; its page stays at {url} until Ctrl-C"));
        interruption.wait();
    }
}

impl Drop for ShownRun {
    fn drop(&mut self) {
        self.leave_terminal();
    }
}
