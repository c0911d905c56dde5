//! Parts whose value is larger than that of what they are a part of.

use serde_json::Value;

use super::comparison::{questions_about, value};
use super::program::GeneratedProgram;

/// Parts of the whole program with more than it, and functions with more than their caller, as far as they tell of the whole run.
pub(super) fn larger_parts(
    program: &GeneratedProgram,
    questions: &[Value],
    report: &Value,
) -> Vec<String> {
    let of_run = questions.iter().filter(|one| !is_partial(one, report));
    compared(program, &of_run.cloned().collect::<Vec<_>>())
}

/// Whether the value of a finding is that of clearly less than the run: it is no part of one over the run.
fn is_partial(question: &Value, report: &Value) -> bool {
    let is_it = |one: &&Value| {
        one["focus"] == question["focus"] && one["hypothesis"] == question["hypothesis"]
    };
    let number = |of: &Value, name: &str| of[name].as_f64().unwrap_or_default();
    let found = report["bottlenecks"].as_array().into_iter().flatten().find(is_it);
    found.is_some_and(|one| {
        let covered = number(one, "to_s") - number(one, "from_s");
        covered < NEARLY_ALL * number(report, "elapsed_s")
    })
}

/// From this share on it is nearly all of the run.
const NEARLY_ALL: f64 = 0.9;

/// Lines that were printed while the program ran, with more than all of the time.
pub(super) fn more_than_all(log: &str) -> Vec<String> {
    let computing =
        log.lines().filter(|line| line.starts_with("whyperf ") && line.contains("CPUbound"));
    let is_more = |line: &&str| {
        let value = line.split(" % >").next().and_then(|before| before.split_whitespace().last());
        value.and_then(|value| value.parse::<f64>().ok()).is_some_and(|value| value > 100.0 + LATE)
    };
    computing.filter(is_more).map(str::to_owned).collect()
}

/// Percent by which a line may be ahead of the clock that it is compared with.
const LATE: f64 = 1.0;

fn compared(program: &GeneratedProgram, questions: &[Value]) -> Vec<String> {
    let mut larger = Vec::new();
    let mut compare = |part: &Value, whole: &Value| {
        let (Some(of_part), Some(of_whole)) = (value(part), value(whole)) else { return };
        if of_part > of_whole + ROUNDING {
            larger.push(format!(
                "{} has {of_part:.3}, and {} has {of_whole:.3}",
                part["focus"], whole["focus"]
            ));
        }
    };
    for whole in questions.iter().filter(|one| one["focus"] == WHOLE) {
        let parts = questions.iter().filter(|one| one["hypothesis"] == whole["hypothesis"]);
        parts.for_each(|part| compare(part, whole));
    }
    for callee in 0..program.functions.len() {
        let caller = program.caller(callee).into_iter();
        let caller = caller.flat_map(|caller| questions_about(questions, caller));
        caller.for_each(|caller| {
            questions_about(questions, callee).for_each(|one| compare(one, caller));
        });
    }
    larger
}

const WHOLE: &str = "</Code,/Machine,/Process,/SyncObject>";
/// Two values that are alike may differ by this.
const ROUNDING: f64 = 0.005;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::generator::Generator;
    use super::super::kind::ProgramKind;
    use super::*;

    const PART: &str = "</Code/a.c/f1,/Machine,/Process,/SyncObject>";

    fn question(focus: &str, value: f64) -> Value {
        json!({"hypothesis": "CPUbound", "focus": focus, "truth": "true", "value": value})
    }

    #[test]
    fn a_part_with_more_than_its_whole_is_seen() {
        let program = GeneratedProgram::random(&mut Generator::seeded(1), ProgramKind::Fortran, 4);
        let larger = |all: &[Value]| compared(&program, all).len();
        assert_eq!(larger(&[question(WHOLE, 0.5), question(PART, 0.6)]), 1);
        assert_eq!(larger(&[question(WHOLE, 0.6), question(PART, 0.5)]), 0);
        // The first function calls the second one in each program.
        let caller = question(&PART.replace("f1", "mill::f0"), 0.5);
        assert_eq!(larger(&[caller, question(PART, 0.6)]), 1);
    }

    #[test]
    fn a_line_with_more_than_all_of_the_time_is_seen() {
        let line =
            |value| format!("whyperf   1.10 s  CPUbound  {value} % > 20.0 %  </Code/a.c/f0>\n");
        let log = line("113.3") + &line("100.0") + "  └─ CPUbound ... 120.0 % > 20.0 %\n";
        assert_eq!(more_than_all(&log).len(), 1);
    }

    #[test]
    fn what_covers_a_part_of_the_run_is_no_part_of_the_whole() {
        let report = |from: f64| {
            json!({"elapsed_s": 4.0, "bottlenecks": [
                {"hypothesis": "CPUbound", "focus": PART, "from_s": from, "to_s": 4.0}]})
        };
        let partial = |from| is_partial(&question(PART, 0.5), &report(from));
        assert_eq!([partial(0.0), partial(1.0)], [false, true]);
        assert!(!is_partial(&question(WHOLE, 0.5), &report(1.0)));
    }
}
