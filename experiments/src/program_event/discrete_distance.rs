//! The discrete distance dd: whether two results differ, by an amount, by a share, or by more than trials differ among themselves.
//!
//! ```text
//!   absolute     |x - y| ≥ δ                                     the paper's
//!   relative     |x - y| ≥ δ · max(|x|, |y|)                     symmetric: neither is the reference
//!   statistical  Welch's t-test of the trials, and a change of at least so much as matters
//! ```
//! The means of the trials stand for them where nothing is said of their spread. The t-test is for trials of unequal spread, of which
//! a few are enough where the change is large beside it; a spread of zero, as exact counts have, is believed. What is positive is tested by its
//! logarithms: what else a machine does makes a run longer by a share of its time, and seldom shorter.

use statrs::distribution::{ContinuousCDF as _, StudentsT};

use super::trials::Trials;

/// From when on two results differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Delta {
    /// By so much, in the unit of the metric.
    Absolute(f64),
    /// By so large a part of the larger of the two.
    Relative(f64),
    /// By more than chance explains.
    Statistical {
        /// One less the chance to call equals different, as 0.99.
        confidence: f64,
        /// The smallest part of the larger of the two that matters.
        least: f64,
    },
}

/// The answer of the discrete distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscreteDistance {
    /// dd = 1.
    Differs,
    /// dd = 0.
    Alike,
    /// One is not known, or the spread is not.
    Unknown,
}

/// What more trials would bring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outlook {
    /// It is settled already.
    Settled,
    /// With so many on each side, if they are as those until now.
    Trials(u32),
    /// Too many to be worth it.
    OutOfReach,
    /// Each side needs two before anything can be said of their spread.
    SpreadUnknown,
}

impl Delta {
    /// Whether two results differ.
    #[must_use]
    pub fn distance(&self, x: &Trials, y: &Trials) -> DiscreteDistance {
        let (Some(mean_x), Some(mean_y)) = (x.mean(), y.mean()) else {
            return DiscreteDistance::Unknown;
        };
        let change = (mean_x - mean_y).abs();
        let larger = mean_x.abs().max(mean_y.abs());
        let differs = match *self {
            Self::Absolute(delta) => change >= delta,
            // Zero and zero are alike, whatever part of zero is asked for.
            Self::Relative(delta) => change > 0.0 && change >= delta * larger,
            Self::Statistical { confidence, least } => {
                let (x, y) = tested(x, y);
                let Some(chance) = chance(&x, &y) else { return DiscreteDistance::Unknown };
                change > 0.0 && change >= least * larger && chance <= 1.0 - confidence
            }
        };
        if differs { DiscreteDistance::Differs } else { DiscreteDistance::Alike }
    }

    /// Whether two shares of wholes differ, by their logarithms or as they are, each with half of the chance to err: what was measured for a part of
    /// the time is off by a share of itself, and the logarithms of what is next to nothing lie far apart.
    pub(crate) fn tells_shares_apart(&self, x: &Trials, y: &Trials) -> bool {
        let half = self.divided(2);
        let is_told_plainly = match half {
            Self::Absolute(_) | Self::Relative(_) => false,
            Self::Statistical { confidence, .. } => is_sure(x, y, confidence),
        };
        is_told_plainly || half.distance(x, y) == DiscreteDistance::Differs
    }

    /// Whether chance does not explain a change with this standard error, of so many degrees of freedom; only a statistical delta asks.
    pub(crate) fn rules_out_chance(&self, change: f64, error: f64, freedom: f64) -> bool {
        match *self {
            Self::Absolute(_) | Self::Relative(_) => true,
            Self::Statistical { confidence, .. } => {
                chance_of(change, error, freedom) <= 1.0 - confidence
            }
        }
    }

    /// This delta where so many are tried, each of which may err.
    #[must_use]
    pub fn divided(self, tried: usize) -> Self {
        let tried = f64::from(u32::try_from(tried.max(1)).unwrap_or(u32::MAX));
        match self {
            Self::Statistical { confidence, least } => {
                Self::Statistical { confidence: 1.0 - (1.0 - confidence) / tried, least }
            }
            other => other,
        }
    }

    /// How many trials on each side would settle whether these differ. Only a statistical delta needs any.
    #[must_use]
    pub fn outlook(&self, x: &Trials, y: &Trials) -> Outlook {
        let Self::Statistical { confidence, least } = *self else { return Outlook::Settled };
        let (Some(mean_x), Some(mean_y)) = (x.mean(), y.mean()) else {
            return Outlook::SpreadUnknown;
        };
        let larger = mean_x.abs().max(mean_y.abs());
        let (log_x, log_y) = tested(x, y);
        let (Some(of_x), Some(of_y)) = (log_x.variance(), log_y.variance()) else {
            return Outlook::SpreadUnknown;
        };
        let is_logarithm = log_x != *x;
        let change = (log_x.mean().unwrap_or_default() - log_y.mean().unwrap_or_default()).abs();
        let matters = if is_logarithm { -(1.0 - least).ln() } else { least * larger };
        let now = x.count().min(y.count());
        let is_sure = is_sure(&log_x, &log_y, confidence);
        // Settled as soon as chance is ruled out for a change that matters, or a change that matters is ruled out.
        let is_settled = |count: f64| {
            let half = half_width((of_x + of_y) / 2.0, count, confidence);
            if change < matters {
                return change + half <= matters;
            }
            // More trials are asked for where these did not rule out chance, however many that takes of such variance.
            if count > now { change >= half } else { is_sure }
        };
        let counts = (2..=Self::MOST_TRIALS).filter(|count| f64::from(*count) >= now);
        match counts.into_iter().find(|count| is_settled(f64::from(*count))) {
            Some(count) if f64::from(count) <= now => Outlook::Settled,
            Some(count) => Outlook::Trials(count),
            None => Outlook::OutOfReach,
        }
    }

    /// Nobody repeats a run more often to learn of one difference.
    const MOST_TRIALS: u32 = 1000;
}

/// What is put to the test: logarithms where all are positive.
fn tested(x: &Trials, y: &Trials) -> (Trials, Trials) {
    let all = x.values().iter().chain(y.values());
    if all.clone().any(|value| *value <= 0.0) {
        return (x.clone(), y.clone());
    }
    (x.map(f64::ln), y.map(f64::ln))
}

/// Half of the interval of confidence of a difference of means, with so many trials of this variance on each side.
fn half_width(variance: f64, count: f64, confidence: f64) -> f64 {
    let quantile = StudentsT::new(0.0, 1.0, 2.0 * count - 2.0)
        .map_or(f64::INFINITY, |t| t.inverse_cdf(0.5 + confidence / 2.0));
    if variance == 0.0 { 0.0 } else { quantile * (2.0 * variance / count).sqrt() }
}

/// Whether chance is ruled out for how far their means lie apart.
fn is_sure(x: &Trials, y: &Trials, confidence: f64) -> bool {
    chance(x, y).is_some_and(|chance| chance <= 1.0 - confidence)
}

/// The chance that means as far apart as these come of equals: the two-sided p-value of Welch's test.
pub(super) fn chance(x: &Trials, y: &Trials) -> Option<f64> {
    let counts = [x, y].map(Trials::effective_count);
    let part = |(of, count): (&Trials, f64)| of.variance().map(|variance| variance / count);
    let parts = [part((x, counts[0])), part((y, counts[1]))];
    let [Some(of_x), Some(of_y)] = parts else { return None };
    let change = (x.mean()? - y.mean()?).abs();
    let both = of_x + of_y;
    let freedom =
        both.powi(2) / (of_x.powi(2) / (counts[0] - 1.0) + of_y.powi(2) / (counts[1] - 1.0));
    Some(chance_of(change, both.sqrt(), freedom))
}

/// The two-sided chance of a change with this standard error, by Student's t.
pub(super) fn chance_of(change: f64, error: f64, freedom: f64) -> f64 {
    if error == 0.0 {
        return if change == 0.0 { 1.0 } else { 0.0 };
    }
    let t = StudentsT::new(0.0, 1.0, freedom);
    t.map_or(1.0, |t| 2.0 * t.cdf(-change.abs() / error))
}

#[cfg(test)]
mod tests {
    use super::DiscreteDistance::{Alike, Differs, Unknown};
    use super::*;

    fn one(value: f64) -> Trials {
        Trials::new([value])
    }

    #[test]
    fn an_amount_decides_at_its_very_size() {
        let delta = Delta::Absolute(5.0);
        assert_eq!(delta.distance(&one(10.0), &one(15.0)), Differs, "the paper's ≥");
        assert_eq!(delta.distance(&one(10.0), &one(14.9)), Alike);
        assert_eq!(delta.distance(&one(f64::NAN), &one(14.9)), Unknown);
    }

    #[test]
    fn a_share_is_one_of_the_larger_and_the_same_both_ways() {
        let delta = Delta::Relative(0.1);
        for (x, y, expected) in [
            (90.0, 100.0, Differs),
            (91.0, 100.0, Alike),
            (0.0, 0.0, Alike),
            (0.0, 1e-9, Differs),
            (-100.0, -91.0, Alike),
        ] {
            assert_eq!(delta.distance(&one(x), &one(y)), expected, "{x} {y}");
            assert_eq!(delta.distance(&one(y), &one(x)), expected, "{y} {x}");
        }
    }

    /// The p-value is that of SciPy 1.16: `scipy.stats.ttest_ind(x, y, equal_var=False)`.
    #[test]
    fn the_chance_is_that_of_welch_s_test() {
        let x = Trials::new([
            27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7,
            21.4,
        ]);
        let y = Trials::new([
            27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5,
            31.3,
        ]);
        let found = chance(&x, &y).expect("enough trials");
        assert!((found - 0.006_460_408_027_460_322).abs() < 1e-12, "{found}");
    }

    const SURE: Delta = Delta::Statistical { confidence: 0.99, least: 0.01 };

    #[test]
    fn trials_that_overlap_are_alike_and_those_apart_differ() {
        let (noisy, apart) = (Trials::new([10.0, 12.0, 11.0]), Trials::new([20.0, 21.0, 19.0]));
        assert_eq!(SURE.distance(&noisy, &Trials::new([11.5, 10.5, 12.5])), Alike);
        assert_eq!(SURE.distance(&noisy, &apart), Differs);
        assert_eq!(SURE.distance(&noisy, &one(20.0)), Unknown, "one trial has no spread");
    }

    #[test]
    fn a_trial_that_counts_for_nearly_all_tells_no_more_than_one() {
        let of = |first: f64| {
            Trials::weighted([(first, 1000.0), (3.0, 10.0), (6.0, 10.0), (5.0, 10.0), (2.0, 10.0)])
        };
        assert_eq!(SURE.distance(&of(5.0), &of(6.5)), Alike);
    }

    #[test]
    fn exact_counts_differ_by_what_matters() {
        let count = |value: f64| Trials::new([value, value]);
        assert_eq!(SURE.distance(&count(1000.0), &count(1000.0)), Alike);
        assert_eq!(SURE.distance(&count(1000.0), &count(1001.0)), Alike, "less than matters");
        assert_eq!(SURE.distance(&count(1000.0), &count(1020.0)), Differs);
    }

    #[test]
    fn more_trials_are_asked_for_where_they_help() {
        let near = (Trials::new([10.0, 12.0, 11.0]), Trials::new([11.5, 10.5, 12.5]));
        let Outlook::Trials(more) = SURE.outlook(&near.0, &near.1) else {
            panic!("it is not settled: {:?}", SURE.outlook(&near.0, &near.1))
        };
        assert!((20..200).contains(&more), "{more}");
        let apart = Trials::new([20.0, 21.0, 19.0]);
        assert_eq!(SURE.outlook(&near.0, &apart), Outlook::Settled);
        let unequal = (Trials::new([1.504, 1.670]), Trials::new([4.575, 5.557]));
        assert_eq!(
            SURE.distance(&unequal.0, &unequal.1),
            Alike,
            "one of them hardly tells its spread"
        );
        assert_eq!(SURE.outlook(&unequal.0, &unequal.1), Outlook::Trials(3));
        assert_eq!(SURE.outlook(&near.0, &one(20.0)), Outlook::SpreadUnknown);
        let count = Trials::new([5.0, 5.0]);
        assert_eq!(SURE.outlook(&count, &count), Outlook::Settled);
        let wild = (Trials::new([0.0, 100.0]), Trials::new([0.5, 100.0]));
        assert_eq!(SURE.outlook(&wild.0, &wild.1), Outlook::OutOfReach);
    }
}
