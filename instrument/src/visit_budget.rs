//! How often the functions of a process may be called while they are on: what is left of the limit.
//!
//! ```text
//!   limit × 0.9 │ others: wrapped calls, daemon │ windows │ visits × price │
//!               └───────── as observed ─────────┴─ a quarter┴── in each 10 ms ┘
//! ```
//! The process keeps to it by itself, whatever the daemon does meanwhile: a late pass changes nothing.
//! The price is that of a call which hides nothing of its events, the highest there is.

use whyperf_layout::Command;
use whyperf_model::Nanos;

use crate::instrumenter::{Instrumenter, Service};
use crate::patch_table::{PatchTable, Turn};

/// How often the functions of one process may be called.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VisitBudget {
    /// The share of the time that other events took over the last second or so.
    others: f64,
    /// Visits of an interval, those there would be without anything else, and what the process was told last.
    visits: u64,
    whole: u64,
    told: u64,
    /// What functions would take if none had to rest, of what is left, as a share of the limit's size.
    demand: f64,
    /// Visits of one function in a window, and nanoseconds from one window to the next.
    pub(crate) window: u64,
    period: u64,
}

impl PatchTable {
    /// Computes what is left for functions.
    pub(crate) fn update_visit_budget(&mut self, limit: f64, service: &Service<'_>) {
        let length = service.activity.length.as_secs_f64();
        let [_, others] = service.spent;
        if length < SHORTEST {
            return;
        }
        let others = others.as_secs_f64() / length;
        let lately = &mut self.visit_budget.others;
        *lately += (others - *lately) * WEIGHT;
        let hot = self.sites.values().filter(|site| site.wanted && site.window.is_some()).count();
        let windows = if hot > 0 { limit * WINDOWS } else { 0.0 };
        let left = limit * AIM - *lately - windows;
        let price = service.activity.price();
        self.visit_budget.visits = visits(left, INTERVAL, price);
        self.visit_budget.whole = visits(limit * AIM, INTERVAL, price);
        let on = self.sites.values().filter(|site| site.stage.on_since().is_some());
        let wanted: f64 = on.map(|site| site.rate).sum();
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        let allowed = self.visit_budget.visits as f64 / INTERVAL.as_secs_f64();
        self.visit_budget.demand = limit * wanted / allowed;
        // Beyond this one, should the process be late in shutting it; few numbers, for each is told.
        let parts = hot.next_power_of_two() as u64;
        self.visit_budget.window = (visits(1.0, WINDOW, price).next_power_of_two() / parts).max(1);
        self.visit_budget.period = period(limit, service.threads.len());
    }
}

impl Instrumenter {
    /// What functions would take of what is left for them where they would take most, if none had to rest;
    /// at the limit, all of it.
    pub fn demand(&self) -> f64 {
        self.patch_tables
            .values()
            .map(|patch_table| patch_table.visit_budget.demand)
            .fold(0.0, f64::max)
    }
}

impl VisitBudget {
    /// Tells the process, if that differs much from what it knows; true when the bell is to be rung.
    pub(crate) fn tell(&mut self, turn: Turn<'_>) -> bool {
        let is_near = self.visits.abs_diff(self.told) * NEAR <= self.told;
        if self.visits == 0 || is_near {
            return false;
        }
        let (visits, interval, whole) = (self.visits, INTERVAL.0, self.whole);
        let sent = turn.send(Command::Budget { visits, interval, whole });
        if sent {
            self.told = self.visits;
        }
        sent
    }

    /// The command that gives a region windows.
    pub(crate) fn windows(&self, region: u32) -> Command {
        let [on, visits] =
            [WINDOW.0, self.window].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        Command::Window { region, on, visits, period: self.period }
    }
}

/// Visits that fit into this share of a time when each takes so many seconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded")]
fn visits(share: f64, time: Nanos, price: f64) -> u64 {
    let price = if price > 0.0 { price } else { UNKNOWN };
    (share * time.as_secs_f64() / price).clamp(FEWEST, MOST) as u64
}

/// Nanoseconds from window to window. All windows of a process are open at the same moments, so what they
/// cost together is at most what its threads do meanwhile.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a few threads and seconds"
)]
fn period(limit: f64, threads: usize) -> u64 {
    let spent = WINDOW.0 as f64 * threads.max(1) as f64;
    let periods = spent / (limit * WINDOWS * PERIOD.0 as f64);
    PERIOD.0 * periods.ceil().clamp(1.0, MOST_PERIODS) as u64
}

/// The process's own interval, within which it counts.
const INTERVAL: Nanos = Nanos::from_millis(10);
/// The part of the limit that is aimed at: what is spent is known to within a burst of visits.
const AIM: f64 = 0.9;
/// The part of the limit that windows may take together.
const WINDOWS: f64 = 0.25;
/// A window, and from one to the next at least.
const WINDOW: Nanos = Nanos(500_000);
const PERIOD: Nanos = Nanos::from_millis(200);
const MOST_PERIODS: f64 = 1000.0;
/// How much a pass counts.
const WEIGHT: f64 = 0.1;
/// Seconds of a pass that says nothing.
const SHORTEST: f64 = 0.005;
/// Seconds of a visit where none was calibrated.
const UNKNOWN: f64 = 50e-9;
/// Visits that are always allowed: a few ten-thousandths of the time.
const FEWEST: f64 = 64.0;
const MOST: f64 = 1e8;
/// A tenth more or less is near.
const NEAR: u64 = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_fit_into_what_is_left() {
        assert_eq!(visits(0.05, INTERVAL, 25e-9), 20_000);
        assert_eq!(visits(-0.01, INTERVAL, 25e-9), 64);
        assert_eq!(visits(0.05, INTERVAL, 0.0), 10_000);
    }

    #[test]
    fn windows_are_rarer_where_the_limit_is_low_or_threads_are_many() {
        let millis = |limit, threads| period(limit, threads) / 1_000_000;
        assert_eq!([millis(0.05, 1), millis(0.01, 1), millis(0.05, 16)], [200, 200, 800]);
        assert_eq!(millis(0.01, 4), 800);
    }
}
