//! What changed within the runs: parts of the program beside other parts of the same run.
//!
//! ```text
//!   processes beside each other           cpu at </Process/3>                  siblings.rs
//!   functions beside the whole program    cpu at </Code/a.c/f>                 shares.rs
//!   calls of a function by process        calls at </Code/a.c/f,/Process/3>    siblings.rs
//! ```
//! Of those that changed, one that comes to most of what the whole program changed by is the cause; of several the one that grew most
//! by its own measure, as a function that calls it grew by the same time and less of its own. Where none does, time moved:
//! what grew most and what shrank most are both told.

use std::ops::RangeInclusive;

use whyperf_model::{Focus, Hierarchy, Metric};

use super::fields::{ComparedMetric, MetricRole};
use super::shares::{is_function, shifted_functions, shrank_beside};
use super::shifted_part::ShiftedPart;
use super::siblings::shifted_processes;
use crate::program_event::{Delta, EventGroup, PerformanceResults};

/// The parts that tell where a metric of work changed; nothing where none is sure.
pub(super) fn telling_parts(
    group: &EventGroup,
    metric: Metric,
    (a, b): (&mut dyn PerformanceResults, &mut dyn PerformanceResults),
    delta: &Delta,
) -> TellingParts {
    let whole = Focus::whole_program();
    let mut parts = shifted_processes(group, (metric, &whole), (&mut *a, &mut *b), delta);
    parts.extend(shifted_functions(group, metric, (&mut *a, &mut *b), delta));
    let of = |operand: &mut dyn PerformanceResults| operand.results(metric, &whole).mean();
    let all = of(b).unwrap_or_default() - of(a).unwrap_or_default();
    let explains = |part: &&ShiftedPart| MOST_OF_IT.contains(&(part.difference.change / all));
    let most =
        |one: &&ShiftedPart, other: &&ShiftedPart| one.growth.abs().total_cmp(&other.growth.abs());
    if let Some(cause) = parts.iter().filter(explains).max_by(most) {
        return TellingParts::Cause(cause.clone());
    }
    let grown = parts.iter().filter(|part| part.growth > 0.0).max_by(most);
    let is_beyond = |part: &&ShiftedPart| {
        let places = grown.map(|grown| (&grown.difference.focus, &part.difference.focus));
        let is_of_code = |focus: &Focus| !focus.is_root(Hierarchy::Code);
        places
            .filter(|(grown, shrunk)| is_of_code(grown) && is_of_code(shrunk))
            .is_none_or(|places| shrank_beside(places, metric, (&mut *a, &mut *b), delta))
    };
    let shrunk = parts.iter().filter(|part| part.growth < 0.0).filter(is_beyond).max_by(most);
    TellingParts::Moved(grown.into_iter().chain(shrunk).cloned().collect())
}

/// How many families of parts are tried for these metrics, each of which may err.
pub(super) fn families(metrics: &[ComparedMetric]) -> usize {
    let of_work = metrics.iter().filter(|row| row.role == MetricRole::Work).count();
    // Processes and functions of each, and the calls of functions.
    2 * of_work + usize::from(of_work > 0)
}

/// What tells where something changed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TellingParts {
    /// One part that nearly all of the change is of.
    Cause(ShiftedPart),
    /// What grew most and what shrank most; nothing where nothing did.
    Moved(Vec<ShiftedPart>),
}

/// The process that calls a function more or less often than the others do, of the functions that matter; the one whose calls changed most.
pub(super) fn shifted_calls(
    group: &EventGroup,
    (a, b): (&mut dyn PerformanceResults, &mut dyn PerformanceResults),
    delta: &Delta,
) -> Option<ShiftedCalls> {
    let least = match *delta {
        Delta::Absolute(_) => return None,
        Delta::Relative(least) | Delta::Statistical { least, .. } => least,
    };
    let whole = Focus::whole_program();
    let cpu =
        |of: &mut dyn PerformanceResults, focus: &Focus| of.results(Metric::Cpu, focus).mean();
    let all = cpu(a, &whole)?.max(cpu(b, &whole)?);
    let functions = group.union().resources().filter(|one| is_function(one));
    let mut known: Vec<(Focus, f64)> = Vec::new();
    for function in functions {
        let focus = whole.with(Hierarchy::Code, function.clone());
        let time = cpu(a, &focus).unwrap_or_default().max(cpu(b, &focus).unwrap_or_default());
        if time >= least * all {
            known.push((focus, time));
        }
    }
    let delta = delta.divided(known.len());
    let mut most: Option<ShiftedCalls> = None;
    for (focus, time) in known {
        let processes = group.magnify_in(&focus, Hierarchy::Process).len();
        let of_one = time / f64::from(u32::try_from(processes).unwrap_or(u32::MAX));
        for part in shifted_processes(group, (Metric::Calls, &focus), (&mut *a, &mut *b), &delta) {
            // The larger of the two is what the time of a function is of.
            let time = of_one * (1.0 - (-part.growth.abs()).exp()).copysign(part.growth);
            if most.as_ref().is_none_or(|most| time.abs() > most.time.abs()) {
                most = Some(ShiftedCalls { part, time });
            }
        }
    }
    most
}

/// A function that a process calls more or less often.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ShiftedCalls {
    pub(super) part: ShiftedPart,
    /// What that comes to, in nanoseconds of the processor.
    pub(super) time: f64,
}

/// What a part may have changed by, as a share of the change of the whole program, to be the cause of it: most of it, and runs vary.
const MOST_OF_IT: RangeInclusive<f64> = 0.5..=2.0;
