//! How an amount grows with the number of processes: the simplest formula that predicts measurements which it was not fitted to.
//!
//! ```text
//!   t(p) = a · u(p) + b · v(p)          u: 1, or p^-x for work that is divided          v: p^x · log2(p)^y
//! ```
//! That is the performance model normal form with two terms. Each pair of terms is fitted by least squares of relative errors, and judged by
//! what it predicts for each process count from all others (leave one out). A constant is kept unless growth halves that error, and an
//! amount that falls and grows again is told only where that halves it once more. Formulas that predict about as well as the best one
//! differ in what they say of larger runs, and each would say something else without one of the measurements: the range of a prediction
//! holds all of that.

use std::fmt;

/// A term: p to an exponent, times the binary logarithm of p to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowthTerm {
    /// The exponent of the process count.
    pub exponent: f64,
    /// The exponent of its logarithm.
    pub logarithm: i32,
}

impl GrowthTerm {
    /// What does not depend on the process count.
    pub const CONSTANT: Self = Self { exponent: 0.0, logarithm: 0 };

    fn at(self, processes: f64) -> f64 {
        processes.powf(self.exponent) * processes.log2().powi(self.logarithm)
    }

    /// Whether it falls with more processes.
    fn falls(self) -> bool {
        self.exponent < 0.0
    }
}

impl fmt::Display for GrowthTerm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let power = match self.exponent {
            0.0 => String::new(),
            exponent if (exponent - 1.0).abs() < 1e-9 => "p".to_owned(),
            exponent => {
                let text = format!("p^{exponent:.2}");
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
        };
        let logarithm = match self.logarithm {
            0 => String::new(),
            1 => "log2(p)".to_owned(),
            exponent => format!("log2(p)^{exponent}"),
        };
        let between = if power.is_empty() || logarithm.is_empty() { "" } else { " " };
        write!(out, "{power}{between}{logarithm}")
    }
}

/// A formula with its coefficients.
#[derive(Clone, Debug, PartialEq)]
struct Formula {
    terms: [GrowthTerm; 2],
    coefficients: [f64; 2],
    /// The coefficients that each measurement gives when it is left out.
    without: Vec<[f64; 2]>,
    /// The mean relative error of what it predicts for measurements that are left out.
    error: f64,
}

impl Formula {
    fn at(&self, processes: f64) -> f64 {
        amount(self.terms, self.coefficients, processes)
    }

    /// The least and the most that it says: twice the standard error of the jackknife, which looks at what it would say without any one of
    /// the measurements.
    fn range(&self, processes: f64) -> [f64; 2] {
        let value = self.at(processes);
        let without = self.without.iter().map(|by| amount(self.terms, *by, processes));
        let squares: f64 = without.map(|other| (other - value).powi(2)).sum();
        #[expect(clippy::cast_precision_loss, reason = "there are few process counts")]
        let count = self.without.len() as f64;
        let error = (squares * (count - 1.0) / count).sqrt();
        [(value - 2.0 * error).max(0.0), value + 2.0 * error]
    }
}

fn amount(terms: [GrowthTerm; 2], coefficients: [f64; 2], processes: f64) -> f64 {
    let all = terms.iter().zip(coefficients).map(|(term, by)| by * term.at(processes));
    all.sum::<f64>().max(0.0)
}

/// How an amount grows with the number of processes.
#[derive(Clone, Debug, PartialEq)]
pub struct GrowthModel {
    best: Formula,
    /// Those that predict about as well.
    rivals: Vec<Formula>,
}

/// What a model says of a process count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// By the best formula, in the unit of what was measured.
    pub value: f64,
    /// The least by a formula that fits about as well.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl GrowthModel {
    /// The fewest process counts that tell growth from chance.
    pub const FEWEST: usize = 3;

    /// Of amounts by process count, each count once; `None` of fewer than three counts, or where an amount is negative or no number.
    #[must_use]
    pub fn of(points: &[(u32, f64)]) -> Option<Self> {
        let is_amount = |(processes, amount): &(u32, f64)| {
            *processes > 0 && amount.is_finite() && *amount >= 0.0
        };
        if points.len() < Self::FEWEST || !points.iter().all(is_amount) {
            return None;
        }
        let points = Points::of(points);
        let judged = |terms: Vec<[GrowthTerm; 2]>| -> Vec<Formula> {
            terms.into_iter().filter_map(|terms| points.judged(terms)).collect()
        };
        let constant = points.judged([GrowthTerm::CONSTANT; 2])?;
        let one_way = growing().chain(falling()).map(|term| [GrowthTerm::CONSTANT, term]);
        let one_way = judged(one_way.collect());
        let both_ways = falling().flat_map(|work| growing().map(move |term| [work, term]));
        let both_ways = judged(both_ways.collect());
        let mut best = &constant;
        for other in [least(&one_way), least(&both_ways)].into_iter().flatten() {
            if other.error < best.error * WORTH_A_TERM && best.error > EXACT {
                best = other;
            }
        }
        let best = best.clone();
        let all = one_way.into_iter().chain([constant]).chain(both_ways);
        let limit = (best.error * ABOUT_AS_WELL).max(EXACT);
        let rivals = all.filter(|formula| formula.error <= limit).collect();
        Some(Self { best, rivals })
    }

    /// What it says of a process count.
    #[must_use]
    pub fn at(&self, processes: u32) -> Prediction {
        let processes = f64::from(processes);
        let value = self.best.at(processes);
        let ranges = self.rivals.iter().map(|formula| formula.range(processes));
        let [least, most] = ranges
            .fold([value, value], |[least, most], [from, to]| [least.min(from), most.max(to)]);
        Prediction { value, least, most }
    }

    /// The mean relative error of what it predicts for measurements that are left out.
    #[must_use]
    pub const fn error(&self) -> f64 {
        self.best.error
    }

    /// The terms of the best formula with their coefficients, those left out that are nothing but rounding.
    pub fn terms(&self) -> impl Iterator<Item = (f64, GrowthTerm)> {
        let Formula { terms, coefficients, .. } = &self.best;
        let least = ROUNDING * coefficients[0].abs().max(coefficients[1].abs());
        let all = coefficients.iter().copied().zip(terms.iter().copied());
        all.filter(move |(coefficient, _)| coefficient.abs() > least)
    }
}

/// As in `0.12 + 0.003 p log2(p)`.
impl fmt::Display for GrowthModel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = |(coefficient, term): (f64, GrowthTerm)| {
            let number = format!("{coefficient:.3e}").parse::<f64>().unwrap_or(coefficient);
            if term == GrowthTerm::CONSTANT {
                format!("{number}")
            } else {
                format!("{number} {term}")
            }
        };
        let terms: Vec<String> = self.terms().map(written).collect();
        if terms.is_empty() {
            return out.write_str("0");
        }
        out.write_str(&terms.join(" + ").replace("+ -", "- "))
    }
}

/// A more complex formula must lower the error to this part.
const WORTH_A_TERM: f64 = 0.5;
/// Errors up to so many times the least are no reason to prefer a formula.
const ABOUT_AS_WELL: f64 = 2.0;
/// A relative error that no measurement of a time is below.
const EXACT: f64 = 1e-3;
/// The part of the larger coefficient below which the other one comes of rounding.
const ROUNDING: f64 = 1e-13;
/// Seconds that are none.
const NOTHING: f64 = 1e-12;
/// The part of the largest amount below which relative errors are taken as if it were this part: an amount may be nothing.
const SMALL: f64 = 0.02;

/// Exponents of what grows.
const EXPONENTS: [f64; 12] =
    [0.0, 0.25, 1.0 / 3.0, 0.5, 2.0 / 3.0, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0];

/// Exponents of what is divided among processes.
const DIVIDED: [f64; 4] = [-1.0, -0.75, -2.0 / 3.0, -0.5];

fn growing() -> impl Iterator<Item = GrowthTerm> {
    let all = EXPONENTS
        .into_iter()
        .flat_map(|exponent| (0..=2).map(move |logarithm| GrowthTerm { exponent, logarithm }));
    all.filter(|term| *term != GrowthTerm::CONSTANT)
}

fn falling() -> impl Iterator<Item = GrowthTerm> {
    DIVIDED.into_iter().map(|exponent| GrowthTerm { exponent, logarithm: 0 })
}

fn least(formulas: &[Formula]) -> Option<&Formula> {
    formulas.iter().min_by(|one, other| one.error.total_cmp(&other.error))
}

/// What was measured, with the weight of each.
struct Points(Vec<Point>);

#[derive(Clone, Copy)]
struct Point {
    processes: f64,
    amount: f64,
    /// By what an error is divided.
    scale: f64,
}

impl Points {
    fn of(points: &[(u32, f64)]) -> Self {
        let largest = points.iter().map(|(_, amount)| *amount).fold(NOTHING, f64::max);
        let point = |&(processes, amount): &(u32, f64)| Point {
            processes: f64::from(processes),
            amount,
            scale: amount.max(SMALL * largest),
        };
        Self(points.iter().map(point).collect())
    }

    /// The formula of these terms, with its error; `None` where the points do not determine it.
    fn judged(&self, terms: [GrowthTerm; 2]) -> Option<Formula> {
        let mut error = 0.0;
        let mut without = Vec::new();
        for (at, left_out) in self.0.iter().enumerate() {
            let others = || self.0.iter().enumerate().filter(move |(other, _)| *other != at);
            let fitted = fitted(terms, || others().map(|(_, point)| *point))?;
            let predicted = amount(terms, fitted, left_out.processes);
            error += (predicted - left_out.amount).abs() / left_out.scale;
            without.push(fitted);
        }
        let coefficients = fitted(terms, || self.0.iter().copied())?;
        #[expect(clippy::cast_precision_loss, reason = "there are few process counts")]
        let error = error / self.0.len() as f64;
        error.is_finite().then_some(Formula { terms, coefficients, without, error })
    }
}

/// The coefficients of least relative squares. Only what saturates may have a negative one, as `1 - 1/p` has.
fn fitted<I: Iterator<Item = Point>>(
    terms: [GrowthTerm; 2],
    points: impl Fn() -> I,
) -> Option<[f64; 2]> {
    let [first, second] = terms;
    let alone = |term: GrowthTerm| {
        let (mut product, mut square) = (0.0, 0.0);
        for point in points() {
            let value = term.at(point.processes) / point.scale;
            product += value * point.amount / point.scale;
            square += value * value;
        }
        (square > 0.0).then_some(product / square)
    };
    if first == second {
        return Some([alone(first)?, 0.0]);
    }
    let [mut uu, mut uv, mut vv, mut uy, mut vy] = [0.0; 5];
    for point in points() {
        let (u, v) =
            (first.at(point.processes) / point.scale, second.at(point.processes) / point.scale);
        let y = point.amount / point.scale;
        uu += u * u;
        uv += u * v;
        vv += v * v;
        uy += u * y;
        vy += v * y;
    }
    let determinant = uu * vv - uv * uv;
    if determinant <= 1e-12 * uu * vv {
        return None;
    }
    let (a, b) = ((uy * vv - vy * uv) / determinant, (vy * uu - uy * uv) / determinant);
    if a < 0.0 {
        return Some([0.0, alone(second)?.max(0.0)]);
    }
    if b < 0.0 && !second.falls() {
        return Some([alone(first)?.max(0.0), 0.0]);
    }
    Some([a, b])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(counts: &[u32], amount: impl Fn(f64) -> f64) -> GrowthModel {
        let points: Vec<_> =
            counts.iter().map(|&count| (count, amount(f64::from(count)))).collect();
        GrowthModel::of(&points).expect("there are enough")
    }

    const COUNTS: [u32; 6] = [2, 4, 8, 16, 32, 64];

    #[test]
    fn formulas_are_found_again() {
        for (formula, text) in [
            (Box::new(|_| 3.0) as Box<dyn Fn(f64) -> f64>, "3"),
            (Box::new(|p| 0.5 + 0.25 * p), "0.5 + 0.25 p"),
            (Box::new(|p: f64| 1.0 + 0.1 * p.log2()), "1 + 0.1 log2(p)"),
            (Box::new(|p: f64| 2.0 * p.sqrt() * p.log2()), "2 p^0.5 log2(p)"),
            (Box::new(|p| 0.2 + 12.0 / p), "0.2 + 12 p^-1"),
            (Box::new(|p| 5.0 - 4.0 / p), "5 - 4 p^-1"),
            (Box::new(|p| 100.0 / p + 0.1 * p), "100 p^-1 + 0.1 p"),
        ] {
            assert_eq!(model(&COUNTS, formula).to_string(), text);
        }
    }

    #[test]
    fn what_is_predicted_is_what_comes() {
        let formula = |p: f64| 1.0 + 0.02 * p * p.log2();
        let prediction = model(&COUNTS, formula).at(512);
        assert!((prediction.value / formula(512.0) - 1.0).abs() < 1e-6, "{prediction:?}");
    }

    #[test]
    fn noise_is_no_growth() {
        // A tenth up and down, in an order that follows no trend.
        let noise = [1.02, 0.95, 1.05, 0.97, 1.04, 0.96];
        let points: Vec<_> = COUNTS.into_iter().zip(noise).collect();
        let model = GrowthModel::of(&points).expect("there are enough");
        assert_eq!(model.terms().map(|(_, term)| term).collect::<Vec<_>>(), [GrowthTerm::CONSTANT]);
        let Prediction { value, least, most } = model.at(128);
        assert!(least <= value && value <= most && most < 4.0, "{least} {value} {most}");
    }

    #[test]
    fn ranges_hold_what_comes_in_spite_of_noise() {
        let formulas: [fn(f64) -> f64; 5] = [
            |_| 3.0,
            |p| 1.0 + 0.05 * p,
            |p| 0.3 + 20.0 / p,
            |p| 0.5 + 0.2 * p.log2(),
            |p| 40.0 / p + 0.05 * p,
        ];
        let mut state = 1_u64;
        // Up to a twentieth up or down.
        let mut noise = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            1.0 + 0.1 * (f64::from(u32::try_from(state >> 32).unwrap_or(0)) / 4_294_967_296.0 - 0.5)
        };
        let (mut held, mut all) = (0, 0);
        for formula in formulas {
            for _ in 0..100 {
                let by_count = |&count: &u32| (count, noise() * formula(f64::from(count)));
                let points: Vec<_> = COUNTS.iter().map(by_count).collect();
                let prediction = GrowthModel::of(&points).expect("there are enough").at(512);
                let comes = formula(512.0);
                held += i32::from(prediction.least <= comes && comes <= prediction.most);
                all += 1;
            }
        }
        assert!(held * 100 >= all * 85, "{held} of {all}");
    }

    #[test]
    fn amounts_of_nothing_and_of_too_few_counts_are_no_reason_to_fail() {
        assert_eq!(GrowthModel::of(&[(1, 1.0), (2, 2.0)]), None);
        assert_eq!(GrowthModel::of(&[(1, 1.0), (2, 2.0), (4, f64::NAN)]), None);
        assert_eq!(GrowthModel::of(&[(1, 1.0), (2, 2.0), (0, 1.0)]), None);
        assert_eq!(model(&[1, 2, 4], |_| 0.0).to_string(), "0");
        let from_nothing = model(&[1, 2, 4, 8, 16], |p: f64| 0.3 * p.log2());
        assert_eq!(from_nothing.to_string(), "0.3 log2(p)");
    }
}
