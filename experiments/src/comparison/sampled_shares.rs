//! Whether the share of a function by stack samples changed by more than chance explains.
//!
//! ```text
//!   samples in f / samples     12 / 80    3 / 14    15 / 91        together 30 / 185
//! ```
//! A run of two seconds has a hundred samples, another that was held up has ten. The samples of all trials are put together, so each trial
//! counts as much as it saw, and one that saw nothing of a function tells nothing against the others. Shares of so many samples vary by
//! chance as `p (1 - p) / n`; those of trials vary by more, as runs are not alike. How many times more is learned from all functions and trials
//! at once, as quasi-binomial models do, since five trials of one function do not tell.
//!
//! Source: McCullagh and Nelder, *Generalized Linear Models*, 1989, section 4.5.

use crate::program_event::{Delta, Trials};

/// How many times more shares vary than samples would by chance alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dispersion {
    factor: f64,
    /// The degrees of freedom that it was learned from.
    freedom: f64,
}

impl Dispersion {
    /// As the shares of these functions vary over the trials of each operand.
    pub(super) fn of<'a>(shares: impl Iterator<Item = &'a [Trials; 2]>) -> Self {
        let (mut squares, mut by_chance, mut freedom) = (0.0, 0.0, 0.0);
        let mut of_steady: f64 = 0.0;
        for trials in shares.flatten() {
            let of_trials = trials.count() - 1.0;
            let Some(mean) = trials.mean().filter(|mean| is_inside(*mean)) else {
                of_steady = of_steady.max(of_trials);
                continue;
            };
            let both = trials.values().iter().zip(trials.weights());
            squares += both.map(|(share, samples)| samples * (share - mean).powi(2)).sum::<f64>();
            by_chance += of_trials * mean * (1.0 - mean);
            freedom += of_trials;
        }
        // Sums are compared, as one sample too many of a rare function would tell more than all of the others. Samples cannot vary by less than
        // by chance; what does so is chance.
        let factor = if by_chance > 0.0 { (squares / by_chance).max(1.0) } else { 1.0 };
        // Where each function has nothing or all in all trials, these tell that they do not vary.
        let freedom = if freedom > 0.0 { freedom } else { of_steady };
        Self { factor, freedom }
    }

    /// Whether chance is ruled out for how far the shares of both lie apart.
    pub(super) fn differs(&self, [a, b]: &[Trials; 2], delta: &Delta) -> bool {
        let samples = [a, b].map(|of| of.weights().iter().sum::<f64>());
        let together = Trials::weighted(
            [a, b].into_iter().zip(samples).filter_map(|(of, count)| Some((of.mean()?, count))),
        );
        let (Some(of_a), Some(of_b)) = (a.mean(), b.mean()) else { return false };
        let Some(mean) = together.mean().filter(|mean| is_inside(*mean)) else { return false };
        let by_sample: f64 = samples.iter().map(|count| 1.0 / count).sum();
        let error = (self.factor * mean * (1.0 - mean) * by_sample).sqrt();
        self.freedom > 0.0 && delta.rules_out_chance(of_b - of_a, error, self.freedom)
    }
}

/// Whether a share may vary at all.
fn is_inside(share: f64) -> bool {
    share > 0.0 && share < 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURE: Delta = Delta::Statistical { confidence: 0.999, least: 0.02 };

    fn of(trials: &[(f64, f64)]) -> Trials {
        Trials::weighted(trials.iter().copied())
    }

    /// Shares of `exchng1` before and after a copy was planted in it, in runs of two seconds.
    fn copied() -> [Trials; 2] {
        let before = of(&[(0.02, 90.0), (0.0, 75.0), (0.04, 80.0), (0.01, 85.0), (0.03, 70.0)]);
        let after = of(&[(0.44, 78.0), (0.14, 178.0), (0.47, 56.0), (0.0, 14.0), (0.25, 57.0)]);
        [before, after]
    }

    fn others() -> [Trials; 2] {
        let before = of(&[(0.5, 90.0), (0.45, 75.0), (0.54, 80.0), (0.49, 85.0), (0.56, 70.0)]);
        [before.clone(), before]
    }

    #[test]
    fn a_trial_that_saw_too_little_hides_nothing() {
        let shares = [copied(), others(), others(), others()];
        let dispersion = Dispersion::of(shares.iter());
        assert!(dispersion.factor > 1.5, "trials vary by more than chance: {dispersion:?}");
        assert!(dispersion.differs(&shares[0], &SURE));
        assert!(!dispersion.differs(&shares[1], &SURE));
    }

    #[test]
    fn few_samples_rule_nothing_out() {
        let shares = [of(&[(0.1, 10.0), (0.2, 10.0)]), of(&[(0.3, 10.0), (0.2, 10.0)])];
        assert!(!Dispersion::of([&shares].into_iter()).differs(&shares, &SURE));
        let single = [of(&[(0.1, 100.0)]), of(&[(0.9, 100.0)])];
        assert!(
            !Dispersion::of([&single].into_iter()).differs(&single, &SURE),
            "how trials vary is not known"
        );
    }

    #[test]
    fn what_takes_all_in_place_of_nothing_differs() {
        let [nothing, all] = [0.0, 1.0].map(|share| of(&[(share, 100.0); 5]));
        let shares = [[nothing.clone(), all.clone()], [all, nothing]];
        let dispersion = Dispersion::of(shares.iter());
        assert!(shares.iter().all(|of| dispersion.differs(of, &SURE)));
        let alike = [shares[0][0].clone(), shares[0][0].clone()];
        assert!(!dispersion.differs(&alike, &SURE));
    }
}
