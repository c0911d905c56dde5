//! The score of a value: how far it speaks for a hypothesis, between nothing and one.
//!
//! A share that is true above its threshold is its own score, and the threshold its bar. Any other value may be as large as it likes: where true is
//! below the threshold `T`, the score of `v` is `T / (T + v)`, which passes one half at `v = T` and grows as `v` falls; where true is above, it is
//! `v / (T + v)`.

use crate::hypothesis::{Hypothesis, Operator, ValueUnit};

/// How the values of a hypothesis are scored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Score {
    pub(crate) operator: Operator,
    unit: ValueUnit,
    pub(crate) threshold: f64,
}

impl Score {
    /// For the values of a hypothesis.
    pub(crate) fn of(row: &Hypothesis) -> Self {
        Self { operator: row.operator, unit: row.unit(), threshold: row.threshold }
    }

    /// By what a ratio of amounts is multiplied to be a value.
    pub(crate) const fn factor(self) -> f64 {
        self.unit.factor()
    }

    /// The score of a value.
    pub(crate) fn score(self, value: f64) -> f64 {
        let value = value.max(0.0);
        match self.operator {
            Operator::Above if self.is_share() => value.min(1.0),
            Operator::Above => 1.0 - self.part_of_threshold(value),
            Operator::Below => self.part_of_threshold(value),
        }
    }

    /// The value that speaks most against the hypothesis.
    pub(crate) const fn least(self) -> f64 {
        match self.operator {
            Operator::Above => 0.0,
            Operator::Below => f64::INFINITY,
        }
    }

    /// The score from which on it is true.
    pub(crate) fn bar(self) -> f64 {
        if self.is_share() { self.threshold } else { 0.5 }
    }

    /// The difference of two scores that is as large as the threshold: it needs no test.
    pub(crate) fn large(self) -> f64 {
        if self.is_share() { self.threshold } else { 0.25 }
    }

    /// Whether a score is a share of the time, and so is a difference of two.
    pub(crate) fn is_share(self) -> bool {
        self.operator == Operator::Above && self.unit == ValueUnit::Share
    }

    /// The threshold's part of itself and a value; a half where both are nothing, as wherever they are equal.
    fn part_of_threshold(self, value: f64) -> f64 {
        let both = self.threshold + value;
        if both > 0.0 { self.threshold / both } else { 0.5 }
    }
}

#[cfg(test)]
mod tests {
    use whyperf_model::{Metric, Unit};

    use super::*;

    fn score(operator: Operator, unit: ValueUnit) -> Score {
        Score { operator, unit, threshold: 0.2 }
    }

    #[test]
    fn a_share_is_its_own_score_and_others_pass_a_half_at_the_threshold() {
        let rate = ValueUnit::of(Metric::IoOps, Metric::Wall);
        assert_eq!(rate, ValueUnit::Per(Unit::Operations, Unit::Nanoseconds));
        let share = score(Operator::Above, ValueUnit::Share);
        let [above, below] = [Operator::Above, Operator::Below].map(|side| score(side, rate));
        assert_eq!((share.score(0.7), share.score(1.1), share.bar()), (0.7, 1.0, 0.2));
        for score in [above, below] {
            assert_eq!((score.score(0.2), score.bar()), (0.5, 0.5));
        }
        assert!(above.score(0.6) > 0.5 && below.score(0.6) < 0.5);
        assert!(share.is_share() && !above.is_share() && !below.is_share());
    }
}
