//! The amount of a pair over the whole run, and the value of a question that follows from two of them.

use whyperf_model::Interval;

/// What a pair came to since the run began, whether it was measured all that time or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunAmount {
    /// The sum over all that its focus has, also of what ended.
    pub amount: i64,
    /// One standard error of it, where it is an estimate by stack samples; zero where it was counted.
    pub error: u64,
    /// When: from the beginning of the run until now.
    pub interval: Interval,
}

/// Numerator and denominator of a question over all of the run, with the denominator above nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RunRatio {
    pub(crate) numerator: f64,
    pub(crate) denominator: f64,
    /// One standard error of the numerator.
    pub(crate) error: f64,
    pub(crate) interval: Interval,
}

impl RunRatio {
    /// Both over the same interval; none where they are not, or where there is nothing to divide by.
    #[expect(clippy::cast_precision_loss, reason = "a value is a ratio, not a count")]
    pub(crate) fn of(numerator: RunAmount, denominator: RunAmount) -> Option<Self> {
        let is_defined = denominator.amount > 0 && numerator.interval == denominator.interval;
        is_defined.then_some(Self {
            numerator: numerator.amount as f64,
            denominator: denominator.amount as f64,
            error: numerator.error as f64,
            interval: numerator.interval,
        })
    }
}

#[cfg(test)]
mod tests {
    use whyperf_model::Time;

    use super::*;

    #[test]
    fn a_ratio_is_of_one_interval_and_of_something() {
        let amount = |amount, end| {
            let interval = Interval::new(Time::ZERO, Time::from_secs(end));
            RunAmount { amount, error: 0, interval }
        };
        let ratio = RunRatio::of(amount(3, 10), amount(4, 10)).expect("it is defined");
        assert_eq!((ratio.numerator, ratio.denominator), (3.0, 4.0));
        assert_eq!(RunRatio::of(amount(3, 10), amount(4, 9)), None);
        assert_eq!(RunRatio::of(amount(0, 10), amount(0, 10)), None);
    }
}
