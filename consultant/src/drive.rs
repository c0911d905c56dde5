//! The one loop in which every search runs, with any data source and any observer.
//!
//! ```text
//!              ┌──────────────── drive ────────────────┐
//!   Searches ──┤ requests ──►                ◄── events ├── DataSource     live processes, a stored run, a simulation
//!              │ steps ─────► Observer                  │
//!              └────────────────────────────────────────┘
//! ```
//!
//! A data source gives the events of one moment at a time. While a moment lasts, each event is handled before the next one
//! is asked for, and the requests of the search are carried out at once. When the source has no more events of the moment,
//! time goes on. After the end the source is asked for the amounts over the whole run of the pairs of all findings.
//! `diagnose`, the replay of a stored run and every simulated run go from the first moment to the last; `whyperf run` and
//! `attach` wait between two moments, and go through each of them by the same function.

use crate::data_source::{DataSource, Event};
use crate::searches::{SearchScope, Searches};
use crate::step::Step;

/// Looks on while a search is driven. It may change the search, and the data source, where the driver hands them to it.
pub trait Observer<S: ?Sized> {
    /// An event is about to be handled.
    fn before(&mut self, _event: &Event, _searches: &mut Searches, _source: &mut S) {}

    /// A search took a step.
    fn step(&mut self, _scope: SearchScope, _step: &Step) {}
}

/// A function that only wants to know the steps.
impl<S: ?Sized, F: FnMut(SearchScope, &Step)> Observer<S> for F {
    fn step(&mut self, scope: SearchScope, step: &Step) {
        self(scope, step);
    }
}

/// Searches until the data source ends.
pub fn drive<S: DataSource + ?Sized>(
    searches: &mut Searches,
    source: &mut S,
    observer: &mut impl Observer<S>,
) {
    loop {
        drive_moment(searches, source, observer);
        if !source.advance() {
            return;
        }
    }
}

/// Handles all that a data source has to say of one moment, and carries out what is requested meanwhile.
pub fn drive_moment<S: DataSource + ?Sized>(
    searches: &mut Searches,
    source: &mut S,
    observer: &mut impl Observer<S>,
) {
    exchange(searches, source, observer);
    while let Some(event) = source.poll() {
        observer.before(&event, searches, source);
        let is_end = matches!(event, Event::End(_));
        searches.handle(event);
        exchange(searches, source, observer);
        if is_end {
            searches.take_run_amounts(|pair| source.over_run(pair));
        }
    }
}

/// Carries out what is requested, and tells the steps that were taken.
fn exchange<S: DataSource + ?Sized>(
    searches: &mut Searches,
    source: &mut S,
    observer: &mut impl Observer<S>,
) {
    while let Some(request) = searches.poll_request() {
        source.carry_out(request);
    }
    while let Some((scope, step)) = searches.poll_step() {
        observer.step(scope, &step);
    }
}
