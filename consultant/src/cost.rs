//! The cost limit of a search: stops it from starting more while measuring costs the slowest process too much.
//!
//! ```text
//!   cost ──────╱╲────────  limit      held back at the limit,
//!        ─────╱──╲───────  80 % of it    let go on below four fifths of it
//! ```
//!
//! The cost is what was *observed*, as a fraction of the time of the process that paid most: a mean over processes would
//! hide the one that all others wait for. Single intervals are noisy (a thread that ran for a moment only pays for all its
//! events at once), so the limit is compared with a mean in which each new interval counts for a quarter: a cost of twice
//! the limit holds the search back within three intervals, a single interval of three times the limit does not. Between the
//! two lines nothing changes, so the search does not stutter at the limit.
//!
//! Code that was just switched on is not in that mean yet, so its **predicted** cost is compared with the limit, too. It is
//! reduced by a quarter with each interval: what is left is as much as the mean does not hold yet. Switching on a hundred
//! functions at once therefore stops at the limit and not behind it. A prediction is never more than half the limit,
//! because a hotter function is measured in windows.
//!
//! A function whose calls are not counted yet may turn out to be as hot as that, so only a few such functions are switched
//! on per interval. If all of this does not suffice, the search stops measuring something and asks it again later: when the
//! mean is beyond the limit, or when the cost of the **last second** would be with one more interval like this one.

use std::collections::VecDeque;

use whyperf_model::{Nanos, Time};

/// What the limit says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// Nothing new.
    Unchanged,
    /// From now on nothing is started.
    HeldBack,
    /// There is room again.
    Resumed,
}

/// The limit, and on which side of it the search is.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    limit: f64,
    observed: f64,
    pending: f64,
    /// What another search under the same limit has pending.
    elsewhere: f64,
    held: bool,
    paid: Paid,
    /// How many functions with uncounted calls were switched on since the last interval.
    uncounted: usize,
}

/// What was paid over the last second.
#[derive(Clone, Debug, Default)]
struct Paid {
    until: Time,
    intervals: VecDeque<(Nanos, f64)>,
    time: Nanos,
    amount: f64,
}

/// That long what is paid is added up.
const SECOND: Nanos = Nanos::from_secs(1);
/// By how much of the limit a second may pass it.
const SLACK: f64 = 0.1;
/// Held back, the search goes on below this part of the limit.
const ROOM: f64 = 0.8;
/// How much one interval counts.
const WEIGHT: f64 = 0.25;
/// No region takes more than this part of the limit: it is measured in windows then.
const HOTTEST: f64 = 0.5;

impl Budget {
    /// Nothing spent yet.
    pub(crate) fn new(limit: f64) -> Self {
        let paid = Paid::default();
        Self { limit, observed: 0.0, pending: 0.0, elsewhere: 0.0, held: false, paid, uncounted: 0 }
    }

    /// Takes note of what was observed over the last interval.
    pub(crate) fn observe(&mut self, now: Time, fraction: f64) -> Admission {
        self.paid.add(now, fraction);
        self.uncounted = 0;
        self.observed += (fraction - self.observed) * WEIGHT;
        self.pending *= 1.0 - WEIGHT;
        let was_held = self.held;
        self.held = self.observed >= if was_held { self.limit * ROOM } else { self.limit };
        match (was_held, self.held) {
            (false, true) => Admission::HeldBack,
            (true, false) => Admission::Resumed,
            _ => Admission::Unchanged,
        }
    }

    /// Whether something may be started.
    pub(crate) const fn admits(&self) -> bool {
        !self.held
    }

    /// Whether there is room for something of this predicted cost.
    pub(crate) fn affords(&self, predicted: f64) -> bool {
        let expected = self.observed + self.pending + self.elsewhere;
        let has_room = self.limit > 0.0 && expected + self.bounded(predicted) <= self.limit;
        predicted <= 0.0 || (has_room && self.paid.mean() <= self.limit)
    }

    /// Whether there is room for one more function with uncounted calls.
    ///
    /// However hot these turn out to be, they add a tenth of the limit to the second before the next interval tells: four in
    /// fifty milliseconds.
    pub(crate) fn dares(&self) -> bool {
        let Some((length, _)) = self.paid.intervals.back() else { return true };
        let each = HOTTEST * length.as_secs_f64() / SECOND.as_secs_f64();
        self.uncounted == 0 || (self.uncounted + 1) as f64 * each <= SLACK * (1.0 + 1e-9)
    }

    /// A function with uncounted calls is switched on.
    pub(crate) const fn dare(&mut self) {
        self.uncounted += 1;
    }

    /// How much must be put back, so that neither what was observed lately nor the last second and one more interval like the last are beyond
    /// the limit.
    pub(crate) fn excess(&self) -> f64 {
        let last = self.paid.intervals.back().map_or(0.0, |(_, fraction)| *fraction);
        let is_near = self.observed > self.limit || self.paid.mean_with_another() > self.limit;
        if is_near { (last - self.limit * ROOM).max(0.0) } else { 0.0 }
    }

    /// Something of this predicted cost is switched on.
    pub(crate) fn spend(&mut self, predicted: f64) {
        self.pending += self.bounded(predicted);
    }

    /// Whether so much is observed that the costliest would not fit, however long it waited.
    pub(crate) fn is_taken(&self) -> bool {
        self.observed > self.limit * (1.0 - HOTTEST)
    }

    /// What was predicted and is not observed yet.
    pub(crate) const fn pending(&self) -> f64 {
        self.pending
    }

    /// Another search has this much pending.
    pub(crate) const fn count_elsewhere(&mut self, pending: f64) {
        self.elsewhere = pending;
    }

    fn bounded(&self, predicted: f64) -> f64 {
        predicted.clamp(0.0, self.limit * HOTTEST)
    }

    /// What was observed lately.
    pub(crate) const fn observed(&self) -> f64 {
        self.observed
    }

    /// The limit.
    pub(crate) const fn limit(&self) -> f64 {
        self.limit
    }
}

impl Paid {
    fn add(&mut self, now: Time, fraction: f64) {
        let length = now.since(self.until);
        self.until = self.until.max(now);
        if length.0 == 0 || !fraction.is_finite() {
            return;
        }
        self.intervals.push_back((length, fraction));
        self.time += length;
        self.amount += fraction * length.as_secs_f64();
        while self.time > SECOND && self.intervals.len() > 1 {
            let Some((length, fraction)) = self.intervals.pop_front() else { return };
            self.time = Nanos(self.time.0 - length.0);
            self.amount -= fraction * length.as_secs_f64();
        }
    }

    /// The share of a second; what was before the beginning cost nothing.
    fn mean(&self) -> f64 {
        self.amount / self.time.max(SECOND).as_secs_f64()
    }

    /// The same after one more interval like the last, in the place of the oldest.
    fn mean_with_another(&self) -> f64 {
        let paid = |at: Option<&(Nanos, f64)>| {
            at.map_or(0.0, |(length, fraction)| fraction * length.as_secs_f64())
        };
        let is_full = self.time >= SECOND;
        let oldest = if is_full { paid(self.intervals.front()) } else { 0.0 };
        self.mean() + (paid(self.intervals.back()) - oldest) / SECOND.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn later(budget: &Budget) -> Time {
        budget.paid.until + Nanos::from_millis(50)
    }

    /// What is said over so many intervals of one cost.
    fn said(budget: &mut Budget, fraction: f64, intervals: usize) -> Vec<Admission> {
        let all = (0..intervals).map(|_| budget.observe(later(budget), fraction));
        all.filter(|admission| *admission != Admission::Unchanged).collect()
    }

    #[test]
    fn it_holds_at_the_limit_and_lets_go_well_below() {
        let mut budget = Budget::new(0.05);
        assert_eq!(said(&mut budget, 0.049, 100), []);
        assert_eq!(said(&mut budget, 0.051, 100), [Admission::HeldBack]);
        assert!(!budget.admits());
        assert_eq!(said(&mut budget, 0.045, 100), []);
        assert!(!budget.admits());
        assert_eq!(said(&mut budget, 0.039, 100), [Admission::Resumed]);
        assert!(budget.admits());
    }

    #[test]
    fn a_moment_does_not_hold_it_and_what_lasts_does_at_once() {
        let mut budget = Budget::new(0.05);
        assert_eq!(said(&mut budget, 0.15, 1), []);
        assert_eq!(said(&mut budget, 0.0, 20), []);
        assert_eq!(said(&mut budget, 0.10, 3), [Admission::HeldBack]);
    }

    #[test]
    fn what_is_switched_on_counts_before_it_is_observed() {
        let mut budget = Budget::new(0.05);
        let started = (0..100).take_while(|_| {
            let affords = budget.affords(0.01);
            budget.spend(0.01);
            affords
        });
        assert_eq!(started.count(), 5);
        assert!(budget.affords(0.0), "what is free is always affordable");
        let mut budget = Budget::new(0.05);
        assert!(budget.affords(9.0), "the hottest is measured in windows");
        budget.spend(9.0);
        assert!(budget.affords(9.0));
        budget.spend(9.0);
        assert!(!budget.affords(0.001));
        (0..20).for_each(|_| _ = budget.observe(later(&budget), 0.001));
        assert!(budget.affords(0.03), "it was cheaper than predicted");
    }

    #[test]
    fn when_nothing_is_left_of_the_time_nothing_more_is_affordable() {
        for observed in [0.97, 1.0, 1.5, 20.0] {
            let mut budget = Budget::new(0.95);
            said(&mut budget, observed, 100);
            assert!(!budget.affords(0.03) && !budget.admits(), "{observed}");
            budget.spend(0.5);
            assert!(!budget.affords(0.001), "{observed}");
        }
        let mut none = Budget::new(0.0);
        assert!(!none.affords(1e-9) && none.affords(0.0), "what is free may still be asked");
        said(&mut none, 1e-6, 1);
        assert!(!none.admits());
    }

    #[test]
    fn a_second_that_would_pass_the_limit_puts_something_back_and_a_moment_does_not() {
        let mut budget = Budget::new(0.05);
        said(&mut budget, 0.01, 40);
        said(&mut budget, 0.15, 1);
        assert!(budget.excess() <= 0.0, "a moment");
        said(&mut budget, 0.15, 1);
        assert!((budget.excess() - 0.11).abs() < 1e-9, "{}", budget.excess());
        assert!(!budget.affords(0.001));
        said(&mut budget, 0.0, 20);
        assert!(budget.excess() <= 0.0 && budget.affords(0.001));
    }

    #[test]
    fn a_few_uncounted_ones_per_interval() {
        let mut budget = Budget::new(0.05);
        (0..100).for_each(|_| budget.dare());
        assert!(budget.dares(), "no interval has told yet what they cost");
        said(&mut budget, 0.0, 1);
        let dared = std::iter::repeat_with(|| budget.dares().then(|| budget.dare()));
        assert_eq!(dared.take_while(Option::is_some).count(), 4);
        said(&mut budget, 0.0, 1);
        assert!(budget.dares());
    }
}
