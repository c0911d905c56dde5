//! The same parts of two operands side by side: phases that both have, or equal fractions where the runs are of different length.

use serde::Serialize;
use whyperf_model::Metric;

use super::ComparisonSettings;
use super::fields::ComparedMetric;
use super::operand::{Operand, RunPart};
use crate::program_event::DiscreteDistance;

/// A part of both runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedPart {
    /// The phase, or from which to which percent of the run.
    pub name: String,
    /// Seconds of the first, as the mean of its trials.
    pub a_s: f64,
    /// Seconds of the second.
    pub b_s: f64,
    /// The metrics that differ in it over the whole program, with what the second has more as a share of the larger.
    pub differing: Vec<(&'static str, f64)>,
}

/// The parts of both.
pub(super) fn compared(
    a: &mut Operand,
    b: &mut Operand,
    settings: &ComparisonSettings,
    metrics: &[ComparedMetric],
) -> Vec<ComparedPart> {
    let parts = aligned(a, b, settings.parts);
    let delta = settings.delta(a, b, metrics.len() * parts.len());
    let metrics: Vec<Metric> = metrics.iter().map(|row| row.metric).collect();
    let part = |(name, part): (String, RunPart)| {
        let [a_s, b_s] = [&*a, &*b].map(|of| of.seconds_of(&part).mean());
        let mut one = ComparedPart { name, a_s: a_s?, b_s: b_s?, differing: Vec::new() };
        let [in_a, in_b] = [&mut *a, &mut *b].map(|of| of.in_part(&metrics, &part));
        for (metric, (of_a, of_b)) in metrics.iter().zip(in_a.into_iter().zip(in_b)) {
            if delta.distance(&of_a, &of_b) == DiscreteDistance::Differs {
                let (of_a, of_b) = (of_a.mean()?, of_b.mean()?);
                let change = (of_b - of_a) / of_a.abs().max(of_b.abs());
                one.differing.push((metric.name(), change));
            }
        }
        Some(one)
    };
    parts.into_iter().filter_map(part).collect()
}

/// Phases by name where both have the same ones, fractions otherwise.
fn aligned(a: &Operand, b: &Operand, parts: u32) -> Vec<(String, RunPart)> {
    let in_b = b.common_phases();
    let phases: Vec<String> =
        a.common_phases().into_iter().filter(|name| in_b.contains(name)).collect();
    if !phases.is_empty() {
        return phases.into_iter().map(|name| (name.clone(), RunPart::Phase(name))).collect();
    }
    let share = |number: u32| f64::from(number) / f64::from(parts);
    let fraction = |number| {
        let (from, to) = (share(number), share(number + 1));
        let name = format!("{:.0} % to {:.0} %", from * 100.0, to * 100.0);
        (name, RunPart::Shares(from, to))
    };
    if parts < 2 { Vec::new() } else { (0..parts).map(fraction).collect() }
}
