//! The visit budget of a process: how often its functions may be called while they are on, by what is left of the cost
//! limit.
//!
//! ```text
//!   limit × 0.9 │ others: wrapped calls, daemon │ windows │ visits × price │
//!               └───────── as observed ─────────┴─ a quarter┴── in each 10 ms ┘
//! ```
//! The process keeps to its budget by itself, whatever the daemon does meanwhile: a late pass changes nothing. The price is
//! that of a call that hides no part of the cost of its events, which is the highest.

use whyperf_layout::Command;
use whyperf_model::Nanos;

use crate::agent::AgentTurn;

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

/// What a pass showed of a process that its visit budget depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObservedLoad {
    /// How long the pass was.
    pub(crate) length: Nanos,
    /// What events cost it then, those of functions apart.
    pub(crate) others: Nanos,
    /// Seconds that a visit costs.
    pub(crate) price: f64,
    pub(crate) threads: usize,
    /// Functions that have windows.
    pub(crate) hot: usize,
    /// Calls a second of the functions that are on.
    pub(crate) rate: f64,
}

impl VisitBudget {
    /// Computes what is left for functions of this share of the time.
    pub(crate) fn update(&mut self, limit: f64, load: &ObservedLoad) {
        let length = load.length.as_secs_f64();
        if length < SHORTEST {
            return;
        }
        let others = load.others.as_secs_f64() / length;
        self.others += (others - self.others) * WEIGHT;
        let windows = if load.hot > 0 { limit * WINDOWS } else { 0.0 };
        let left = limit * AIM - self.others - windows;
        self.visits = visits(left, INTERVAL, load.price);
        self.whole = visits(limit * AIM, INTERVAL, load.price);
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        let allowed = self.visits as f64 / INTERVAL.as_secs_f64();
        self.demand = limit * load.rate / allowed;
        // Beyond this one, should the process be late in shutting it; few numbers, for each is told.
        let parts = load.hot.next_power_of_two() as u64;
        self.window = (visits(1.0, WINDOW, load.price).next_power_of_two() / parts).max(1);
        self.period = period(limit, load.threads);
    }

    /// What functions would take of what is left for them, if none had to rest; at the limit, all of it.
    pub(crate) const fn demand(&self) -> f64 {
        self.demand
    }

    /// Tells the process, if that differs much from what it knows; true when the bell is to be rung.
    pub(crate) fn tell(&mut self, turn: AgentTurn<'_>) -> bool {
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
    fn what_other_events_take_is_not_left_for_functions() {
        let load = ObservedLoad {
            length: Nanos::from_millis(50),
            others: Nanos::ZERO,
            price: 25e-9,
            threads: 1,
            hot: 0,
            rate: 1e6,
        };
        let mut budget = VisitBudget::default();
        budget.update(0.05, &load);
        assert!(budget.visits.abs_diff(18_000) <= 1 && budget.whole == budget.visits, "{budget:?}");
        assert!((budget.demand() - 0.05 * 1e6 / 1.8e6).abs() < 1e-5, "{budget:?}");
        budget.update(0.05, &ObservedLoad { others: Nanos::from_millis(5), ..load });
        assert!(budget.visits.abs_diff(14_000) <= 1, "a tenth of 10 % by now: {budget:?}");
        let visits = budget.visits;
        budget.update(0.05, &ObservedLoad { hot: 2, length: Nanos(1), ..load });
        assert_eq!(budget.visits, visits, "too short a pass says nothing");
    }

    #[test]
    fn windows_are_rarer_where_the_limit_is_low_or_threads_are_many() {
        let millis = |limit, threads| period(limit, threads) / 1_000_000;
        assert_eq!([millis(0.05, 1), millis(0.01, 1), millis(0.05, 16)], [200, 200, 800]);
        assert_eq!(millis(0.01, 4), 800);
    }
}
