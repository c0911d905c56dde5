//! How a quantity grows with the number of processors, from its values on a few: a constant and one term.
//!
//! ```text
//!   f(p) = c0 + c1 · p^i · (log2 p)^j        i and j from a short list, c0 and c1 by least squares of relative errors
//! ```
//!
//! Of all terms the one is taken that foretells the values best which it was not fitted to, each left out in turn. What it misses them by,
//! relative to them, is the error of the model. Far away from the values that is not all: other terms may foretell them as well and go apart
//! there. So a foretold value is also uncertain by as much as any of its rivals differs from it, whose error is at most twice as large.
//!
//! Source: Calotoiu, Hoefler, Poke and Wolf, *Using Automated Performance Modeling to Find Scalability Bugs in Complex Codes*: the performance
//! model normal form with one term. The rivals are this project's own.

use std::fmt;

/// A fitted model.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalingModel {
    curve: Curve,
    /// Those that foretell hardly worse.
    rivals: Vec<Curve>,
    /// By what part of a value it misses values that it was not fitted to: the root of the mean square.
    pub error: f64,
}

/// A constant and a term.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Curve {
    constant: f64,
    factor: f64,
    term: Term,
}

impl Curve {
    /// Never below zero.
    fn at(self, processors: f64) -> f64 {
        (self.constant + self.factor * self.term.at(processors)).max(0.0)
    }
}

/// p^i · (log2 p)^j.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Term {
    power: f64,
    logarithm: i32,
}

impl Term {
    fn at(self, processors: f64) -> f64 {
        processors.powf(self.power) * processors.log2().powi(self.logarithm)
    }
}

const POWERS: [f64; 10] = [-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0];

impl ScalingModel {
    /// Values that are needed, each for another number of processors.
    pub const LEAST: usize = 4;

    /// Fits one to numbers of processors with their values; none to fewer than [`Self::LEAST`], or to values below zero.
    #[must_use]
    pub fn fit(points: &[(f64, f64)]) -> Option<Self> {
        let is_sound = |(processors, value): &(f64, f64)| *processors >= 1.0 && *value >= 0.0;
        if points.len() < Self::LEAST || !points.iter().all(is_sound) {
            return None;
        }
        let terms =
            POWERS.into_iter().flat_map(|power| [0, 1].map(|logarithm| Term { power, logarithm }));
        let fitted = terms.filter_map(|term| {
            let error = left_out(points, term)?;
            let (constant, factor) = solved(points, term)?;
            Some((error, Curve { constant, factor, term }))
        });
        let all: Vec<(f64, Curve)> = fitted.collect();
        // The first of equally good ones, which is the one that grows least.
        let (error, curve) = *all.iter().min_by(|one, other| one.0.total_cmp(&other.0))?;
        let is_rival = |(other, _): &&(f64, Curve)| *other <= (RIVAL * error).max(EXACT);
        let rivals = all.iter().filter(is_rival).map(|(_, curve)| *curve).collect();
        Some(Self { curve, rivals, error })
    }

    /// The value on so many processors, which is never below zero.
    #[must_use]
    pub fn at(&self, processors: f64) -> f64 {
        self.curve.at(processors)
    }

    /// By how much it may be off there: by its error, and by how far its rivals go apart from it.
    #[must_use]
    pub fn plus_minus(&self, processors: f64) -> f64 {
        let value = self.at(processors);
        let away = self.rivals.iter().map(|rival| (rival.at(processors) - value).abs());
        (value * self.error).hypot(away.fold(0.0, f64::max))
    }
}

/// How many times as large the error of a rival may be.
const RIVAL: f64 = 2.0;
/// An error of nothing but rounding.
const EXACT: f64 = 1e-12;

impl fmt::Display for ScalingModel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Curve { constant, factor, term: Term { power, logarithm } } = &self.curve;
        write!(out, "{constant:.3e} {factor:+.3e}·p^{power}")?;
        if *logarithm > 0 { write!(out, "·log2(p)") } else { Ok(()) }
    }
}

/// The error of a term on values that were left out, each in turn.
fn left_out(points: &[(f64, f64)], term: Term) -> Option<f64> {
    let mut sum = 0.0;
    for (at, (processors, value)) in points.iter().enumerate() {
        let others: Vec<(f64, f64)> = points
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at)
            .map(|(_, one)| *one)
            .collect();
        let (constant, factor) = solved(&others, term)?;
        let found = Curve { constant, factor, term }.at(*processors);
        sum += ((found - value) / scale(*value, points)).powi(2);
    }
    Some((sum / points.len() as f64).sqrt())
}

/// What an error is relative to. A value of nothing among others, as what one processor communicates, counts as a thousandth of the largest.
fn scale(value: f64, points: &[(f64, f64)]) -> f64 {
    let largest = points.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    value.max(largest * 1e-3).max(f64::MIN_POSITIVE)
}

/// Constant and factor by least squares, each value weighted by itself; none where the term is the same everywhere.
fn solved(points: &[(f64, f64)], term: Term) -> Option<(f64, f64)> {
    let (mut weights, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    if points.iter().all(|(_, value)| *value == 0.0) {
        return (term.power == 0.0 && term.logarithm == 1).then_some((0.0, 0.0));
    }
    for (processors, value) in points {
        let weight = scale(*value, points).powi(-2);
        let at = term.at(*processors);
        weights += weight;
        x += weight * at;
        y += weight * value;
        xx += weight * at * at;
        xy += weight * at * value;
    }
    let determinant = weights * xx - x * x;
    if determinant <= 1e-12 * weights * xx {
        return None;
    }
    let factor = (weights * xy - x * y) / determinant;
    Some(((y - factor * x) / weights, factor))
}

#[cfg(test)]
mod tests {
    use super::ScalingModel;

    fn fitted(value: impl Fn(f64) -> f64) -> ScalingModel {
        let points: Vec<(f64, f64)> = [2.0, 4.0, 8.0, 16.0, 32.0].map(|p| (p, value(p))).into();
        ScalingModel::fit(&points).expect("there are enough")
    }

    #[test]
    fn the_law_behind_values_is_found() {
        let laws: [fn(f64) -> f64; 4] =
            [|p| 3.0 / p, |p| 1.0 + 0.5 * p, |p| 2.0 * p.log2() + 0.1, |p| 5.0 + p * p.log2()];
        for (at, law) in laws.iter().enumerate() {
            let model = fitted(law);
            let (found, value) = (model.at(1024.0), law(1024.0));
            assert!((found / value - 1.0).abs() < 1e-6, "{at}: {model}: {found} and {value}");
            assert!(model.error < 1e-6, "{at}: {model} misses by {}", model.error);
        }
    }

    #[test]
    fn what_is_the_same_everywhere_stays_and_nothing_stays_nothing() {
        assert!((fitted(|_| 7.0).at(4096.0) - 7.0).abs() < 1e-6);
        assert_eq!(fitted(|_| 0.0).at(4096.0), 0.0);
    }

    #[test]
    fn nothing_on_one_processor_is_a_value_as_any_other() {
        // What each rank of a program waits for its messages, in milliseconds.
        let points = [(1.0, 0.0), (2.0, 1.8096), (4.0, 6.1507), (8.0, 14.5197)];
        let model = ScalingModel::fit(&points).expect("there are enough");
        assert!((model.at(16.0) - 31.04).abs() < 2.0 && model.error < 0.1, "{model:?}");
    }

    #[test]
    fn values_that_follow_no_law_have_a_large_error() {
        let model = fitted(|p| if p == 8.0 { 3.0 } else { 1.0 });
        assert!(model.error > 0.3, "{model} misses by {}", model.error);
    }

    #[test]
    fn far_away_a_value_is_less_certain_than_near_by() {
        // By a hundredth up and down, several terms fit as well, and they go apart beyond what is known.
        let ups_and_downs = |p: f64| if p.log2() % 2.0 == 0.0 { 1.01 } else { 0.99 };
        let model = fitted(|p| (1.0 + 0.1 * p.log2()) * ups_and_downs(p));
        let part = |p: f64| model.plus_minus(p) / model.at(p);
        assert!(part(4096.0) > 2.0 * part(64.0), "{} and {}", part(64.0), part(4096.0));
    }

    #[test]
    fn too_few_values_are_no_model() {
        assert_eq!(ScalingModel::fit(&[(1.0, 1.0), (2.0, 2.0), (4.0, 4.0)]), None);
    }
}
