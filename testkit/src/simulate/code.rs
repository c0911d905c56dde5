//! The functions of a described program: which calls which, how often, and which cannot be measured.

use std::collections::BTreeMap;

use whyperf_model::{Hierarchy, Interval, Nanos, Pair, Resource, Time};

use super::program::{Selection, SimulatedProgram};

/// What a data source knows of functions beside the time that passes in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimulatedCode {
    /// Calls, with the moment from which they are known; the caller of a starting function is the root `/Code`.
    pub calls: Vec<(Time, Resource, Resource)>,
    /// Calls per second, for each process; told once a function was measured.
    pub rates: BTreeMap<Resource, f64>,
    /// Functions that can only be measured in windows, which cover this share of the time.
    pub hot: BTreeMap<Resource, f64>,
    /// Functions that cannot be measured, and why.
    pub refused: BTreeMap<Resource, String>,
    /// Seconds that one measured call costs; nothing is said of cost when this is zero.
    pub call_cost: f64,
}

impl SimulatedCode {
    /// The callees of a function that are known at a moment, in the order in which they became known.
    #[must_use]
    pub fn callees(&self, of: &Resource, now: Time) -> Vec<Resource> {
        let known =
            |(since, caller, _): &&(Time, Resource, Resource)| *since <= now && caller == of;
        let mut known: Vec<_> = self.calls.iter().filter(known).collect();
        known.sort_by_key(|(since, ..)| *since);
        known.into_iter().map(|(.., callee)| callee.clone()).collect()
    }

    /// The function that must be switched on for a pair: waits are seen without.
    #[must_use]
    pub fn function(pair: &Pair) -> Option<&Resource> {
        let [code] = pair.focus.part(Hierarchy::Code) else { return None };
        let computes = pair.metric.definition().is_own_code();
        (computes && !code.is_root()).then_some(code)
    }

    /// The share of a process's time that is paid for functions that are switched on.
    #[must_use]
    pub fn cost<'a>(&self, switched: impl Iterator<Item = &'a Resource>) -> f64 {
        let share = |function| {
            let rate = self.rates.get(function).copied().unwrap_or_default();
            rate * self.call_cost * self.hot.get(function).copied().unwrap_or(1.0)
        };
        switched.map(share).sum()
    }
}

/// What is seen of an interval through short windows: the amount, scaled up; nothing when no window fell into it.
pub(super) fn through_windows(
    program: &SimulatedProgram,
    selection: &mut Selection,
    interval: Interval,
    coverage: f64,
) -> Option<i64> {
    let (mut amount, mut covered) = (0, Nanos::ZERO);
    for window in windows(interval, coverage) {
        amount += program.amount(selection, window);
        covered += window.length();
    }
    let scaled = i128::from(amount) * i128::from(interval.length().0);
    let scaled = scaled.checked_div(i128::from(covered.0))?;
    i64::try_from(scaled).ok()
}

/// One window begins in each stretch, each time at another place of it, so that no rhythm of the program goes with it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "far within bounds")]
fn windows(interval: Interval, coverage: f64) -> impl Iterator<Item = Interval> {
    let stretch = ((WINDOW.0 as f64 / coverage) as u64).max(WINDOW.0);
    let first = interval.start.0.0 / stretch;
    let last = interval.end.0.0 / stretch;
    (first..=last).map(move |nth| {
        let place = nth.wrapping_mul(GOLDEN) >> 32;
        let offset = ((stretch - WINDOW.0) * place) >> 32;
        let start = Time(Nanos(nth * stretch + offset));
        Interval::new(start, start + WINDOW).intersect(interval)
    })
}

const WINDOW: Nanos = Nanos::from_millis(1);
/// The golden section of 2^64: its multiples fill a circle evenly.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
