//! P(E, m, f): what a metric came to at a focus in a program event.
//!
//! ```text
//!                     trial 1        trial 2        trial 3
//!   measured          2.1 s          not known      2.0 s          with what the function calls
//!   by samples        0.5 of 80      0.4 of 14      0.5 of 90      of the function itself
//! ```
//! The two speak of different things, so two operands are compared by the one or by the other.

use whyperf_model::{Focus, Metric};

use super::trials::Trials;

/// An operand of a comparison. The interval that it speaks of, and the trials that it is made of, are its own.
pub trait PerformanceResults {
    /// What a metric came to at a focus as far as that was measured, in the unit of the metric, in each trial; none where that is not known of it.
    fn by_trial(&mut self, metric: Metric, focus: &Focus) -> Vec<Option<f64>>;

    /// What stack samples tell of it in each trial; empty where nothing was sampled.
    fn sampled_by_trial(&mut self, _: Metric, _: &Focus) -> Vec<Option<SampledAmount>> {
        Vec::new()
    }

    /// What it came to in the trials of which that is known: as it was measured, or by samples where it was in no trial.
    fn results(&mut self, metric: Metric, focus: &Focus) -> Trials {
        let measured: Trials = self.by_trial(metric, focus).into_iter().flatten().collect();
        if measured.values().is_empty() {
            return SampledAmount::trials(&self.sampled_by_trial(metric, focus));
        }
        measured
    }
}

/// What stack samples tell of a metric at a focus in one trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampledAmount {
    /// In the unit of the metric.
    pub amount: f64,
    /// Its part of what the whole program came to.
    pub share: f64,
    /// By how many samples that is known.
    pub samples: f64,
}

impl SampledAmount {
    /// The amounts, each of which counts as much as it has samples.
    pub(crate) fn trials(of: &[Option<Self>]) -> Trials {
        Trials::weighted(of.iter().flatten().map(|one| (one.amount, one.samples)))
    }
}

/// What two operands came to at a focus in the trials of which that is known, of both as it was measured or of both by samples.
#[must_use]
pub fn alike_results(
    metric: Metric,
    focus: &Focus,
    operands: (&mut dyn PerformanceResults, &mut dyn PerformanceResults),
) -> [Trials; 2] {
    AlikeResults::of(metric, focus, operands).trials()
}

/// What two operands came to at a focus in their trials, known of both in the same way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AlikeResults {
    Measured([Vec<Option<f64>>; 2]),
    Sampled([Vec<Option<SampledAmount>>; 2]),
}

impl AlikeResults {
    /// Measured where that says of both how they vary, or where no samples tell of both.
    pub(crate) fn of(
        metric: Metric,
        focus: &Focus,
        (a, b): (&mut dyn PerformanceResults, &mut dyn PerformanceResults),
    ) -> Self {
        let measured = [a.by_trial(metric, focus), b.by_trial(metric, focus)];
        if tell(&measured) {
            return Self::Measured(measured);
        }
        Self::sampled(metric, focus, (a, b)).unwrap_or(Self::Measured(measured))
    }

    /// Each way in which it is known of both: as measured, and by samples.
    pub(crate) fn ways(
        metric: Metric,
        focus: &Focus,
        (a, b): (&mut dyn PerformanceResults, &mut dyn PerformanceResults),
    ) -> Vec<Self> {
        let measured = [a.by_trial(metric, focus), b.by_trial(metric, focus)];
        let measured = tell(&measured).then_some(Self::Measured(measured));
        measured.into_iter().chain(Self::sampled(metric, focus, (a, b))).collect()
    }

    fn sampled(
        metric: Metric,
        focus: &Focus,
        (a, b): (&mut dyn PerformanceResults, &mut dyn PerformanceResults),
    ) -> Option<Self> {
        let sampled = [a.sampled_by_trial(metric, focus), b.sampled_by_trial(metric, focus)];
        let is_known = |of: &Vec<Option<SampledAmount>>| of.iter().any(Option::is_some);
        sampled.iter().all(is_known).then_some(Self::Sampled(sampled))
    }

    /// What each came to in the trials of which that is known.
    pub(crate) fn trials(&self) -> [Trials; 2] {
        match self {
            Self::Measured(of) => {
                of.each_ref().map(|trials| trials.iter().copied().flatten().collect())
            }
            Self::Sampled(of) => of.each_ref().map(|trials| SampledAmount::trials(trials)),
        }
    }

    /// By trial, the share of each in what the whole program came to.
    pub(crate) fn shares_by_trial(
        &self,
        [in_a, in_b]: &[Vec<Option<f64>>; 2],
    ) -> [Vec<Option<WeightedShare>>; 2] {
        match self {
            Self::Measured([a, b]) => {
                let share = |(part, all): (&Option<f64>, &Option<f64>)| {
                    Some(WeightedShare { share: (*part)? / (*all)?, weight: 1.0 })
                };
                [(a, in_a), (b, in_b)].map(|(of, whole)| of.iter().zip(whole).map(share).collect())
            }
            Self::Sampled(of) => {
                of.each_ref().map(|trials| trials.iter().map(|one| one.map(Into::into)).collect())
            }
        }
    }
}

/// Whether what was measured says of both how they vary.
fn tell(measured: &[Vec<Option<f64>>; 2]) -> bool {
    measured.iter().all(|of| of.iter().flatten().count() >= of.len().min(2))
}

/// A share in one trial, and what it counts beside those of other trials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WeightedShare {
    pub(crate) share: f64,
    pub(crate) weight: f64,
}

impl From<SampledAmount> for WeightedShare {
    fn from(one: SampledAmount) -> Self {
        Self { share: one.share, weight: one.samples }
    }
}

impl WeightedShare {
    /// Those that are known.
    pub(crate) fn trials(of: impl IntoIterator<Item = Option<Self>>) -> Trials {
        Trials::weighted(of.into_iter().flatten().map(|one| (one.share, one.weight)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trials in which a function was measured or not, and what samples say.
    struct Function {
        measured: Vec<Option<f64>>,
        sampled: Vec<Option<SampledAmount>>,
    }

    impl PerformanceResults for Function {
        fn by_trial(&mut self, _: Metric, _: &Focus) -> Vec<Option<f64>> {
            self.measured.clone()
        }

        fn sampled_by_trial(&mut self, _: Metric, _: &Focus) -> Vec<Option<SampledAmount>> {
            self.sampled.clone()
        }
    }

    fn of(measured: &[Option<f64>], shares: &[f64]) -> Function {
        let sampled = |share: &f64| {
            Some(SampledAmount { amount: 10.0 * share, share: *share, samples: 50.0 })
        };
        Function { measured: measured.to_vec(), sampled: shares.iter().map(sampled).collect() }
    }

    fn alike(mut a: Function, mut b: Function) -> AlikeResults {
        AlikeResults::of(Metric::Cpu, &Focus::whole_program(), (&mut a, &mut b))
    }

    #[test]
    fn what_was_measured_is_never_compared_with_samples() {
        let found = alike(of(&[None, None, None], &[0.1; 3]), of(&[Some(9.0); 3], &[0.4; 3]));
        assert_eq!(found.trials().map(|of| of.mean()), [Some(1.0), Some(4.0)]);
        let found =
            alike(of(&[Some(3.0), None, Some(3.0)], &[0.1; 3]), of(&[Some(9.0); 3], &[0.4; 3]));
        assert_eq!(found.trials().map(|of| of.mean()), [Some(3.0), Some(9.0)]);
        let found = alike(of(&[None; 3], &[]), of(&[Some(9.0); 3], &[0.4; 3]));
        assert_eq!(found.trials().map(|of| of.mean()), [None, Some(9.0)], "nothing tells of both");
    }

    #[test]
    fn one_trial_that_was_measured_is_believed_before_the_samples_of_all() {
        let mut one = of(&[None, Some(9.0)], &[0.1, 0.2]);
        assert_eq!(one.results(Metric::Cpu, &Focus::whole_program()).values(), [9.0]);
        let mut none = of(&[None, None], &[0.1, 0.2]);
        assert_eq!(none.results(Metric::Cpu, &Focus::whole_program()).values(), [1.0, 2.0]);
    }
}
