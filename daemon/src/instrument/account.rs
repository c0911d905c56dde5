//! What a pair comes to that a user named: counted where its functions are on, estimated for the time
//! between the windows of those that are too hot.
//!
//! ```text
//!   on ──────────┐ too hot    window      window        end
//!   counted, all └─────┤▒▒▒▒▒├──┤▒▒▒▒▒▒▒▒▒├──┤▒▒▒▒▒▒▒▒▒▒│
//!                        each gap with the mean of the rates at its two ends
//! ```
//! Each gap stands for itself: what a function did in a quiet hour says nothing of the busy minute
//! after it.

use whyperf_model::Nanos;

/// What an interval showed of one function of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spell {
    /// How long the process lived in it.
    pub(super) lived: Nanos,
    /// How long it had lived by its end.
    pub(super) age: Nanos,
    /// For how long the function was on.
    pub(super) covered: Nanos,
    /// How long the process ran while the function was off, between two times in which it was on.
    pub(super) missed: Nanos,
    /// How long it would have run for what it did while the function was on, had it not been measured.
    pub(super) needed: Nanos,
    /// Calls in each nanosecond that the process runs, if the interval says.
    pub(super) pace: Option<f64>,
    /// How long the process ran in windows in which nothing was called.
    pub(super) idle: Nanos,
    /// Calls that ended.
    pub(super) visits: u64,
    /// Its own time, in ticks.
    pub(super) own: u64,
    pub(super) stretch: Stretch,
}

/// How the function stood in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Stretch {
    /// It is not on yet.
    #[default]
    Waiting,
    /// It is on from here on, after so much of the process's life in which it was not.
    Beginning(Nanos),
    /// It was on, but for times in which it had to rest.
    On,
    /// It was switched off in the middle, for being too hot.
    Ending,
    /// It was off but for windows, if for those.
    Window,
}

impl Spell {
    /// Whether it was never on by then.
    pub(super) fn is_blank(&self) -> bool {
        self.stretch == Stretch::Waiting
    }

    /// Whether amounts of the interval can be told.
    pub(super) fn is_evidence(&self) -> bool {
        self.stretch != Stretch::Window || !(self.covered.is_zero() || self.needed.is_zero())
    }

    /// Whether amounts of the interval stand for themselves.
    pub(super) fn is_plain(&self) -> bool {
        self.is_evidence() && !self.is_partial()
    }

    /// Whether it had to rest for more than a moment.
    pub(super) fn is_partial(&self) -> bool {
        let rest = self.lived - self.covered;
        self.stretch == Stretch::On && !self.covered.is_zero() && rest.0 > self.lived.0 / 20
    }

    /// By how much an amount is to be multiplied to stand for the whole interval.
    pub(super) fn factor(&self) -> f64 {
        match self.stretch {
            Stretch::Window if !self.is_evidence() => 0.0,
            Stretch::Window => (self.lived.as_secs_f64() / self.needed.as_secs_f64()).max(1.0),
            Stretch::On if self.is_partial() => {
                (self.lived.as_secs_f64() / self.needed.as_secs_f64()).max(1.0)
            }
            _ => 1.0,
        }
    }
}

/// What one function of one process adds to a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Account {
    counted: f64,
    estimated: f64,
    /// How long the process ran since the last window: nothing is known of that yet.
    gap: Nanos,
    /// Amount a nanosecond, at the beginning of that time.
    rate: Option<f64>,
    /// What a call brings.
    each: Option<f64>,
    pub(super) covered: Nanos,
    /// Time that was covered, and all, while it was too hot.
    pub(super) in_windows: Nanos,
    pub(super) hot: Nanos,
    /// The first part of the process's life, in which it was not on.
    pub(super) late: Nanos,
}

impl Account {
    /// Takes an interval in.
    pub(super) fn add(&mut self, amount: f64, spell: &Spell) {
        self.counted += amount;
        self.covered += spell.covered;
        if spell.visits > 0 {
            #[expect(clippy::cast_precision_loss, reason = "an estimate")]
            let visits = spell.visits as f64;
            self.each = Some(amount / visits);
        }
        let missed = spell.missed;
        match spell.stretch {
            Stretch::Waiting => {}
            Stretch::Beginning(late) => self.late += late,
            Stretch::On if missed.is_zero() => {
                self.settle(Nanos::ZERO, spell);
                self.rate = None;
            }
            Stretch::Ending => {
                self.settle(Nanos::ZERO, spell);
                // How often it was called before says little of what it is called now.
                self.rate = None;
                self.gap += missed;
            }
            Stretch::On | Stretch::Window => {
                self.hot += spell.lived;
                self.in_windows += spell.covered;
                self.settle(missed, spell);
            }
        }
    }

    /// The gap ends where something was seen.
    fn settle(&mut self, missed: Nanos, spell: &Spell) {
        self.gap += missed;
        let Some(pace) = spell.pace.filter(|_| !self.gap.is_zero()) else { return };
        let Some(each) = self.each.or_else(|| (pace == 0.0).then_some(0.0)) else { return };
        let rate = pace * each;
        let mean = self.rate.map_or(rate, |before| f64::midpoint(before, rate));
        self.estimated += mean * nanos(self.gap);
        self.gap = Nanos::ZERO;
        self.rate = Some(rate);
    }

    /// What was counted, and what is estimated for the time between.
    pub(super) fn total(&self) -> f64 {
        self.counted + self.estimated + self.rate.unwrap_or(0.0) * nanos(self.gap)
    }

    /// Whether there is a time of which nothing is known.
    pub(super) fn is_lower_bound(&self) -> bool {
        !self.gap.is_zero() && self.rate.is_none()
    }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn nanos(time: Nanos) -> f64 {
    time.0 as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One call counts one, a nanosecond, while it is on.
    fn spell(stretch: Stretch, covered: u64, missed: u64) -> Spell {
        let (visits, pace) = (covered, (covered > 0).then_some(1.0));
        let [covered, missed] = [covered, missed].map(Nanos);
        Spell {
            lived: covered + missed,
            covered,
            missed,
            visits,
            pace,
            stretch,
            ..Spell::default()
        }
    }

    fn quiet(stretch: Stretch, covered: u64) -> Spell {
        Spell { visits: 0, pace: Some(0.0), ..spell(stretch, covered, 0) }
    }

    #[test]
    fn what_is_on_all_the_time_is_counted() {
        let mut account = Account::default();
        account.add(3.0, &spell(Stretch::Beginning(Nanos(7)), 90, 0));
        account.add(4.0, &spell(Stretch::On, 100, 0));
        assert_eq!((account.total(), account.late), (7.0, Nanos(7)));
        assert_eq!(account.covered, Nanos(190));
    }

    #[test]
    fn a_quiet_time_does_not_thin_out_the_busy_one_after_it() {
        let mut account = Account::default();
        for _ in 0..1000 {
            account.add(0.0, &quiet(Stretch::On, 100));
        }
        account.add(50.0, &spell(Stretch::Ending, 50, 50));
        for _ in 0..10 {
            account.add(0.0, &spell(Stretch::Window, 0, 100));
            account.add(10.0, &spell(Stretch::Window, 10, 90));
        }
        // 150 were counted, 1950 times no one looked.
        let told = account.total();
        assert!((told - 2100.0).abs() < 1e-6, "{told}");
        assert!(!account.is_lower_bound());
    }

    #[test]
    fn between_busy_and_quiet_lies_half_the_gap() {
        let mut account = Account::default();
        account.add(10.0, &spell(Stretch::Window, 10, 0));
        account.add(10.0, &spell(Stretch::Window, 10, 20));
        account.add(0.0, &spell(Stretch::Window, 0, 100));
        account.add(0.0, &quiet(Stretch::Window, 10));
        assert!((account.total() - 90.0).abs() < 1e-6, "{account:?}");
    }

    #[test]
    fn a_burst_at_the_end_is_a_lower_bound() {
        let mut account = Account::default();
        account.add(50.0, &spell(Stretch::Ending, 50, 0));
        account.add(0.0, &spell(Stretch::Window, 0, 20));
        assert!(account.is_lower_bound());
        assert!((account.total() - 50.0).abs() < 1e-6, "{account:?}");
        account.add(10.0, &spell(Stretch::Window, 10, 30));
        assert!(!account.is_lower_bound());
        assert!((account.total() - 110.0).abs() < 1e-6, "{account:?}");
    }

    #[test]
    fn what_rests_now_and_then_is_estimated_for_that_time() {
        let mut account = Account::default();
        account.add(60.0, &spell(Stretch::On, 60, 40));
        assert!((account.total() - 100.0).abs() < 1e-6, "{account:?}");
        assert_eq!(account.hot, Nanos(100));
    }
}
