//! From when to when whyperf says that a function was hot, beside the phases of the program.

use anyhow::Result;
use serde_json::Value;

use super::comparison::THRESHOLD;
use super::printed::{Printed, function_of, names};
use super::program::{GeneratedProgram, PlannedShares};

/// What was said of the functions that are hot in one phase alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Stretches {
    pub(super) right: u64,
    /// Only a part of the phase is said.
    pub(super) short: Vec<String>,
    /// It was found, and not said when.
    pub(super) untold: Vec<String>,
    pub(super) wrong: Vec<String>,
}

impl Stretches {
    /// Of the findings of a report.
    pub(super) fn of(
        program: &GeneratedProgram,
        printed: &Printed,
        report: &Value,
    ) -> Result<Self> {
        let mut told = Self::default();
        let elapsed = report["elapsed_s"].as_f64().unwrap_or_default();
        let switch = printed.number("switch")?;
        for at in 0..program.functions.len() {
            let Some(phase) = program.planned(at).and_then(hot_phase) else { continue };
            let name = format!("f{at}");
            let findings = report["bottlenecks"].as_array().into_iter().flatten();
            let found = findings.clone().find(|one| {
                let focus = one["focus"].as_str().unwrap_or_default();
                let code = focus.split(',').next().unwrap_or_default();
                one["hypothesis"] == "CPUbound" && names(function_of(code), &name)
            });
            let Some(found) = found else { continue };
            let hot = if phase == 0 { (0.0, switch) } else { (switch, elapsed) };
            let words = || {
                format!(
                    "f{at} is hot from {:.2} to {:.2} s, told {}",
                    hot.0, hot.1, found["happened"]
                )
            };
            match said(found, hot, elapsed) {
                StretchAnswer::Right => told.right += 1,
                StretchAnswer::Short => told.short.push(words()),
                StretchAnswer::Wrong => told.wrong.push(words()),
                StretchAnswer::Nothing => told.untold.push(words()),
            }
        }
        Ok(told)
    }
}

/// The phase in which a function is a clear bottleneck, where it is clearly none in the other one.
fn hot_phase(PlannedShares { phases: [first, second], .. }: PlannedShares) -> Option<usize> {
    let (most, least) = (first.max(second), first.min(second));
    let is_clear = most - least > 1.5 * THRESHOLD && least < THRESHOLD / 2.0;
    is_clear.then_some(usize::from(second > first))
}

/// What the stretches of a finding are, beside the phase in which it is hot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StretchAnswer {
    Right,
    /// They are a part of it.
    Short,
    /// They are of another time, too.
    Wrong,
    Nothing,
}

fn said(finding: &Value, (from, to): (f64, f64), elapsed: f64) -> StretchAnswer {
    let stretches = finding["happened"].as_array().filter(|all| !all.is_empty());
    let Some(stretches) = stretches else { return StretchAnswer::Nothing };
    let (mut inside, mut outside) = (0.0, 0.0);
    for one in stretches {
        let [begin, end] = ["from_s", "to_s"].map(|name| one[name].as_f64().unwrap_or_default());
        let common = (end.min(to) - begin.max(from)).max(0.0);
        inside += common;
        outside += end - begin - common;
    }
    match (outside < TOLERANCE * elapsed, to - from - inside < TOLERANCE * elapsed) {
        (true, true) => StretchAnswer::Right,
        (true, false) => StretchAnswer::Short,
        (false, _) => StretchAnswer::Wrong,
    }
}

/// Both edges are known to a sixteenth of the run, and threads do not change their phase at once.
const TOLERANCE: f64 = 0.1;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_stretch_lies_in_its_phase() {
        let said = |from: f64, to: f64| {
            said(&json!({"happened": [{"from_s": from, "to_s": to}]}), (4.0, 8.0), 8.0)
        };
        assert_eq!([said(4.0, 8.0), said(4.25, 7.75), said(3.5, 8.0)], [StretchAnswer::Right; 3]);
        assert_eq!(
            [said(6.0, 8.0), said(0.0, 4.0), said(2.0, 8.0)],
            [StretchAnswer::Short, StretchAnswer::Wrong, StretchAnswer::Wrong]
        );
        assert_eq!(super::said(&json!({"happened": []}), (4.0, 8.0), 8.0), StretchAnswer::Nothing);
    }

    #[test]
    fn a_function_is_hot_in_the_phase_that_has_clearly_more_of_it() {
        let phase = |first, second| hot_phase(PlannedShares { phases: [first, second], run: 0.3 });
        assert_eq!([phase(0.5, 0.05), phase(0.05, 0.5)], [Some(0), Some(1)]);
        assert_eq!([phase(0.5, 0.3), phase(0.25, 0.05)], [None; 2]);
    }
}
