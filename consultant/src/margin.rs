//! A statistical test whether a process lies above others by more than a margin.
//!
//! The null hypothesis is not "no difference": with time enough any two processes differ. A difference below the margin
//! counts as none; one of two tests shows that a larger one is not due to chance. The number of the other processes decides
//! which test:
//!
//! * **Many.** The effect of noise on the mean of a process over a run is seen in the processes on one side, above or
//!   below, whichever are more: they differ from each other only by noise, however its values are correlated. The nearest
//!   on the other side must lie beyond them as far as Student's test for one more value asks. And the process must be above
//!   the others most of the time: a burst is no difference.
//! * **Few.** Then the differences over time must show it, in one of two ways. If they vary quickly, by Student's test of their mean:
//!   the correlation `r` of neighbours, corrected for its bias in short series, leaves `n · (1 − r) / (1 + r)` of `n` differences that
//!   count. If they drift, too few of them count for that, and the process must lie above the others nearly all the time.
//!
//! The stated error is divided by how many processes there are to look at.

/// What a difference must pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Margin {
    /// A difference of less than this is none.
    pub(crate) least: f64,
    /// The chance of an error that is accepted for each process.
    pub(crate) error: f64,
}

/// A process beside others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beside<'a> {
    /// By how much it lies above the others together, over time.
    pub(crate) differences: &'a [f64],
    /// Means over the run, in descending order: those above, the process the last of them, and those of the others that were measured.
    pub(crate) above: &'a [f64],
    pub(crate) below: &'a [f64],
}

impl Margin {
    /// Whether the process lies above the others by more than the margin.
    pub(crate) fn is_passed(self, beside: Beside<'_>) -> bool {
        let Beside { differences, above, below } = beside;
        let over_time = Moments::of(differences);
        if differences.len() < LEAST || over_time.mean <= self.least + ROUNDING {
            return false;
        }
        if above.len().max(below.len()) < MANY {
            let is_constant = differences.len() >= LONG && is_mostly(0.95, differences);
            return is_constant || self.is_lasting(differences, over_time);
        }
        let steady = over_time.mean / (over_time.variance / over_time.count).sqrt();
        let is_beyond = match (above, below) {
            ([.., nearest], many) if many.len() >= above.len() => self.is_beyond(*nearest, many),
            (many, [nearest, ..]) => self.is_beyond(*nearest, many),
            _ => false,
        };
        steady >= STEADY && is_mostly(0.75, differences) && is_beyond
    }

    /// Whether a value is no other one of these.
    fn is_beyond(self, value: f64, many: &[f64]) -> bool {
        let Moments { count, mean, variance } = Moments::of(many);
        self.refutes((value - mean).abs(), variance * (1.0 + 1.0 / count), count - 1.0)
    }

    /// Whether the mean of differences is beyond half the margin by more than their variation explains.
    fn is_lasting(self, differences: &[f64], over_time: Moments) -> bool {
        let Moments { count, mean, variance } = over_time;
        let kept = kept(differences, over_time);
        let effective = count * (1.0 - kept) / (1.0 + kept);
        if effective <= 2.0 {
            return false;
        }
        let variance = variance * (count - 1.0) / count * effective / (effective - 1.0);
        self.refutes(mean, variance / effective, effective - 1.0)
    }

    /// Whether luck brings this distance with less than the accepted chance.
    fn refutes(self, distance: f64, variance: f64, freedom: f64) -> bool {
        let statistic = distance / variance.max(f64::MIN_POSITIVE).sqrt();
        distance > 0.0 && tail(statistic, freedom) <= self.error
    }
}

/// Whether so much of the differences is above zero.
fn is_mostly(share: f64, differences: &[f64]) -> bool {
    let above = differences.iter().filter(|one| **one > 0.0).count();
    above as f64 >= share * differences.len() as f64
}

/// Number, mean and variance of some values.
#[derive(Clone, Copy, Debug)]
struct Moments {
    count: f64,
    mean: f64,
    variance: f64,
}

impl Moments {
    fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count.max(1.0);
        let squares = values.iter().map(|one| (one - mean).powi(2)).sum::<f64>();
        Self { count, mean, variance: squares / (count - 1.0).max(1.0) }
    }
}

/// How much of a difference the next one keeps: the correlation of neighbours.
fn kept(differences: &[f64], Moments { count, mean, variance }: Moments) -> f64 {
    if variance <= 0.0 {
        return 0.0;
    }
    let along = differences.windows(2).map(|two| (two[0] - mean) * (two[1] - mean)).sum::<f64>();
    let seen = along / (variance * (count - 1.0));
    ((seen + 1.0 / count) / (1.0 - 3.0 / count)).clamp(0.0, 1.0)
}

/// At most the chance that Student's statistic with so many degrees of freedom is larger by luck. By Wallace's approximation it is turned into
/// one of the normal distribution, whose tail is at most its density divided by the value.
fn tail(statistic: f64, freedom: f64) -> f64 {
    let normal = (freedom * (statistic * statistic / freedom).ln_1p()).sqrt()
        * (8.0 * freedom + 1.0)
        / (8.0 * freedom + 3.0);
    (-normal * normal / 2.0).exp() / (normal * std::f64::consts::TAU.sqrt())
}

/// By so much a difference of two values in single precision may be off.
const ROUNDING: f64 = 1e-4;
/// With fewer differences nothing is said.
const LEAST: usize = 8;
/// So many differences are long enough to be called all the time.
const LONG: usize = 12;
/// So many on one side show what noise does to one.
const MANY: usize = 5;
/// So many standard errors is what a difference over time must be at least: one burst is not.
const STEADY: f64 = 3.0;

#[cfg(test)]
mod tests {
    use super::*;

    const MARGIN: Margin = Margin { least: 0.05, error: 0.01 };

    /// Differences of one process to one other, about a mean.
    fn is_passed(mean: f64, each: impl Fn(usize) -> f64) -> bool {
        let differences: Vec<f64> = (0..24).map(|at| mean + each(at)).collect();
        MARGIN.is_passed(Beside { differences: &differences, above: &[mean], below: &[0.0] })
    }

    fn wave(height: f64) -> impl Fn(usize) -> f64 {
        move |at| height * (at as f64 / 24.0 * std::f64::consts::TAU).sin()
    }

    #[test]
    fn the_tail_is_that_of_the_tables() {
        // One in a hundred, one in a thousand, and one in twenty thousand.
        for (statistic, freedom, chance) in
            [(2.764, 10.0, 0.01), (2.457, 30.0, 0.01), (4.144, 10.0, 0.001), (4.482, 30.0, 5e-5)]
        {
            let tail = tail(statistic, freedom);
            assert!(tail >= 0.95 * chance && tail <= 1.3 * chance, "{tail} for {chance}");
        }
    }

    #[test]
    fn a_steady_difference_passes_when_it_is_beyond_the_margin() {
        let noise = |at: usize| if at.is_multiple_of(2) { 0.1 } else { -0.1 };
        assert!(is_passed(0.12, noise));
        assert!(!is_passed(0.04, |_| 0.0), "it is sure, and too small to matter");
    }

    #[test]
    fn of_two_that_drift_one_must_be_above_nearly_all_the_time() {
        assert!(is_passed(0.08, wave(0.07)));
        assert!(!is_passed(0.08, wave(0.12)));
        let quick = |at: usize| wave(0.12)(at * 7 % 24);
        assert!(is_passed(0.08, quick));
    }

    #[test]
    fn many_show_what_is_noise() {
        let differences: Vec<f64> = (0..24).map(|at| 0.08 + wave(0.1)(at)).collect();
        let passes = |above: &[f64], below: &[f64]| {
            MARGIN.is_passed(Beside { differences: &differences, above, below })
        };
        let (alike, spread) = ([0.505, 0.502, 0.5, 0.498, 0.495], [0.56, 0.55, 0.5, 0.46, 0.45]);
        assert!(passes(&[0.58], &alike) && passes(&alike, &[0.42]));
        assert!(!passes(&[0.58], &spread) && !passes(&spread, &[0.42]));
    }

    #[test]
    fn one_burst_is_no_difference() {
        let burst = |at: usize| if (3..9).contains(&at) { 0.3 } else { 0.0 };
        let differences: Vec<f64> = (0..24).map(burst).collect();
        let beside = Beside { differences: &differences, above: &[0.075], below: &[0.0; 8] };
        assert!(!MARGIN.is_passed(beside));
    }
}
