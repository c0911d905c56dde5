//! The page of a run that goes on: it is served from the run's first moment, and stays when the run is over.

use std::sync::mpsc::Sender;

use whyperf_viewer::{Shown, ViewServer};

use crate::measuring::environment;
use crate::measuring::event::WatchEvent;
use crate::measuring::options::RunOptions;
use crate::measuring::watch::Watch;
use crate::output::delivery;
use crate::output::page_server::{self, Interruption};
use crate::output::terminal::Screen;

/// Serves the page, if that is wanted. A page that cannot be served must not keep the program from running.
pub(crate) fn show(
    watch: &mut Watch,
    request: &RunOptions,
    events: Sender<WatchEvent>,
    screen: &mut Screen,
) -> Option<ViewServer> {
    let options = &request.options;
    let address = options.view.as_ref()?;
    let run = environment::new_run(request, &watch.inputs);
    let served = watch.show(&run, events).and_then(|(run, commands)| {
        let shown = Shown { runs: vec![run], commands: Some(commands) };
        page_server::serve(shown, address, &options.page)
    });
    match served {
        Ok(server) => {
            page_server::tell(&server, &options.page, screen);
            Some(server)
        }
        Err(error) => {
            let words = delivery::words(&error);
            screen.warn(&format!("the run is not shown: {words}; the program runs all the same"));
            None
        }
    }
}

/// Keeps the page of a run that is over, if there is one, until the user has seen enough.
pub(crate) fn stay(server: Option<&ViewServer>, screen: &mut Screen) {
    let Some(server) = server else { return };
    let Ok(interruption) = Interruption::listen() else { return };
    let url = server.url();
    screen.warn(&format!("the run is over; its page stays at {url} until Ctrl-C"));
    interruption.wait();
}
