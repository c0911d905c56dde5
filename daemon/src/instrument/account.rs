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
    /// What the program would have needed for that, had it not been measured.
    pub(super) needed: Nanos,
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
    /// It was switched off in the middle, for being too hot: calls a nanosecond by then, if that is
    /// known.
    Ending(Option<f64>),
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
        self.stretch != Stretch::Window || !self.covered.is_zero()
    }

    /// By how much an amount is to be multiplied to stand for the whole interval.
    pub(super) fn factor(&self) -> f64 {
        match self.stretch {
            Stretch::Window if self.covered.is_zero() => 0.0,
            Stretch::Window => (self.lived.as_secs_f64() / self.needed.as_secs_f64()).max(1.0),
            _ => 1.0,
        }
    }
}

/// What one function of one process adds to a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Account {
    counted: f64,
    estimated: f64,
    /// Time since the last window, of which nothing is known yet.
    gap: Nanos,
    /// Amount a nanosecond, at the beginning of that time.
    rate: Option<f64>,
    pub(super) covered: Nanos,
    /// Time that was covered, and all, while it was too hot.
    pub(super) in_windows: Nanos,
    pub(super) hot: Nanos,
    /// The first part of the process's life, in which it was not on.
    pub(super) late: Nanos,
}

impl Account {
    /// Before the first interval.
    pub(super) fn open(first: &Spell) -> Self {
        // One that is too hot from the beginning is estimated from there.
        let is_hot = first.stretch == Stretch::Window;
        let gap = if is_hot { first.age - first.lived } else { Nanos::ZERO };
        Self { gap, hot: gap, ..Self::default() }
    }

    /// Takes an interval in.
    pub(super) fn add(&mut self, amount: f64, spell: &Spell) {
        self.counted += amount;
        self.covered += spell.covered;
        let rest = spell.lived - spell.covered;
        match spell.stretch {
            Stretch::Waiting => {}
            Stretch::Beginning(late) => self.late += late,
            Stretch::On if rest.is_zero() => {
                if !self.gap.is_zero() {
                    self.close(self.gap, amount, spell.needed);
                }
                self.rate = None;
            }
            Stretch::Ending(calls) => {
                if !self.gap.is_zero() {
                    self.close(self.gap, amount, spell.needed);
                }
                #[expect(clippy::cast_precision_loss, reason = "an estimate")]
                let each = amount / spell.visits.max(1) as f64;
                self.rate = calls.map(|calls| calls * each);
                self.gap = rest;
                self.hot += rest;
            }
            Stretch::On | Stretch::Window => {
                self.hot += spell.lived;
                self.in_windows += spell.covered;
                if spell.covered.is_zero() {
                    self.gap += spell.lived;
                } else {
                    self.close(self.gap + rest, amount, spell.needed);
                }
            }
        }
    }

    /// What was counted, and what is estimated for the time between.
    pub(super) fn total(&self) -> f64 {
        self.counted + self.estimated + self.rate.unwrap_or(0.0) * nanos(self.gap)
    }

    /// Whether there is a time of which nothing is known.
    pub(super) fn is_lower_bound(&self) -> bool {
        !self.gap.is_zero() && self.rate.is_none()
    }

    fn close(&mut self, gap: Nanos, amount: f64, needed: Nanos) {
        let rate = if needed.is_zero() { 0.0 } else { amount / nanos(needed) };
        let mean = self.rate.map_or(rate, |before| f64::midpoint(before, rate));
        self.estimated += mean * nanos(gap);
        self.gap = Nanos::ZERO;
        self.rate = Some(rate);
    }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn nanos(time: Nanos) -> f64 {
    time.0 as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spell(stretch: Stretch, lived: u64, covered: u64) -> Spell {
        let [lived, covered] = [lived, covered].map(Nanos);
        Spell { lived, age: lived, covered, needed: covered, visits: 0, own: 0, stretch }
    }

    #[test]
    fn what_is_on_all_the_time_is_counted() {
        let mut account = Account::default();
        account.add(3.0, &spell(Stretch::Beginning(Nanos(7)), 100, 90));
        account.add(4.0, &spell(Stretch::On, 100, 100));
        assert_eq!((account.total(), account.late), (7.0, Nanos(7)));
        assert_eq!(account.covered, Nanos(190));
    }

    #[test]
    fn a_quiet_time_does_not_thin_out_the_busy_one_after_it() {
        let mut account = Account::default();
        for _ in 0..1000 {
            account.add(0.0, &spell(Stretch::On, 100, 100));
        }
        account.add(50.0, &spell(Stretch::Ending(None), 100, 50));
        for _ in 0..10 {
            account.add(0.0, &spell(Stretch::Window, 100, 0));
            account.add(10.0, &spell(Stretch::Window, 100, 10));
        }
        let told = account.total();
        assert!((told - 2100.0).abs() < 1e-6, "{told}");
        assert!(!account.is_lower_bound());
    }

    #[test]
    fn between_busy_and_quiet_lies_half_the_gap() {
        let mut account = Account::default();
        account.add(10.0, &spell(Stretch::Window, 10, 10));
        account.add(0.0, &spell(Stretch::Window, 100, 0));
        account.add(0.0, &spell(Stretch::Window, 10, 10));
        assert!((account.total() - 60.0).abs() < 1e-6, "{account:?}");
    }

    #[test]
    fn a_burst_at_the_end_is_a_lower_bound() {
        let mut account = Account::default();
        account.add(30.0, &spell(Stretch::Ending(None), 100, 50));
        assert!(account.is_lower_bound());
        assert!((account.total() - 30.0).abs() < 1e-6, "{account:?}");
        account.add(10.0, &spell(Stretch::Window, 100, 10));
        assert!(!account.is_lower_bound());
        assert!((account.total() - 180.0).abs() < 1e-6, "{account:?}");
    }

    #[test]
    fn a_burst_goes_on_as_it_began() {
        let mut account = Account::default();
        let last = Spell { visits: 10, ..spell(Stretch::Ending(Some(2.0)), 100, 50) };
        account.add(30.0, &last);
        assert!((account.total() - 330.0).abs() < 1e-6, "each call counts 3: {account:?}");
        assert!(!account.is_lower_bound());
    }

    #[test]
    fn what_rests_now_and_then_is_estimated_for_that_time() {
        let mut account = Account::default();
        account.add(30.0, &spell(Stretch::On, 100, 60));
        assert!((account.total() - 50.0).abs() < 1e-6, "{account:?}");
        assert_eq!(account.hot, Nanos(100));
    }
}
