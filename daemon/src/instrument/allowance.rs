//! How often the functions of a process may be called while they are on: what is left of the limit.
//!
//! ```text
//!   limit × 0.9 │ others: wrapped calls, daemon │ windows │ visits × price │
//!               └───────── as observed ─────────┴─ by plan┴── the allowance ┘ of each 10 ms
//! ```
//! The process keeps to it by itself, whatever the daemon does meanwhile: a late round changes nothing.

use whyperf_layout::Command;
use whyperf_model::Nanos;

use super::Service;
use super::armory::{Armory, Turn};

/// What one process's functions may do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Allowance {
    /// The share of the time that other events take: the most of late.
    others: f64,
    /// Visits of an interval, and what the process was told last.
    visits: u64,
    told: u64,
}

impl Armory {
    /// Reckons what is left for functions.
    pub(super) fn allow(&mut self, limit: f64, service: &Service<'_>) {
        let length = service.activity.length.as_secs_f64();
        let [_, others] = service.spent;
        if length < SHORTEST {
            return;
        }
        let others = others.as_secs_f64() / length;
        let lately = &mut self.allowance.others;
        *lately = others.max(*lately + (others - *lately) * WEIGHT);
        let windows = self.sites.values().filter(|site| site.window.is_some()).count();
        #[expect(clippy::cast_precision_loss, reason = "a few functions")]
        let windows = (windows as f64 * super::window::SHARE).min(limit * MOST_WINDOWS);
        let left = limit * AIM - *lately - windows;
        let price = service.activity.cost(MANY).as_secs_f64() / MANY as f64;
        self.allowance.visits = visits(left, price);
    }
}

impl Allowance {
    /// Tells the process, if that differs much from what it knows; true when the bell is to be rung.
    pub(super) fn tell(&mut self, turn: Turn<'_>) -> bool {
        let is_near = self.visits.abs_diff(self.told) * NEAR <= self.told;
        if self.visits == 0 || is_near {
            return false;
        }
        let sent = turn.send(Command::Budget, [self.visits, INTERVAL.0, 0]);
        if sent {
            self.told = self.visits;
        }
        sent
    }
}

/// Visits that fit into this share of an interval when each takes so many seconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded")]
fn visits(share: f64, price: f64) -> u64 {
    let price = if price > 0.0 { price } else { UNKNOWN };
    (share * INTERVAL.as_secs_f64() / price).clamp(FEWEST, MOST) as u64
}

/// The process's own interval, within which it counts.
const INTERVAL: Nanos = Nanos::from_millis(10);
/// The part of the limit that is aimed at: what is spent is known to within a burst of visits.
const AIM: f64 = 0.9;
/// Windows together take no more than this part of the limit.
const MOST_WINDOWS: f64 = 0.25;
/// How much an interval counts that was cheaper than those before it.
const WEIGHT: f64 = 0.1;
/// Seconds of a round that says nothing.
const SHORTEST: f64 = 0.005;
/// Seconds of a visit where nobody measured it.
const UNKNOWN: f64 = 50e-9;
/// Visits of a price.
const MANY: u64 = 1 << 20;
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
        assert_eq!(visits(0.05, 25e-9), 20_000);
        assert_eq!(visits(-0.01, 25e-9), 64);
        assert_eq!(visits(0.05, 0.0), 10_000);
    }
}
