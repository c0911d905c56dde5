//! Compares what whyperf said of a program's functions with what the program itself says.

use anyhow::Result;
use serde_json::Value;

use super::manner::FunctionManner;
use super::printed::{Printed, function_of, names};
use super::program::GeneratedProgram;

/// The threshold that is asked with.
pub(super) const THRESHOLD: f64 = 0.2;
/// By this factor a share lies clearly above or below it.
const CLEARLY: f64 = 1.5;
/// A value that is further off than this is wrong.
const TOLERANCE: f64 = 0.08;

/// What became of the question about a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FunctionAnswer {
    /// As the program says.
    Right,
    /// A bottleneck that was not found, and not denied either.
    Undecided,
    /// A bottleneck that was denied.
    Denied,
    /// No bottleneck, and said to be one.
    Invented,
    /// Near the threshold: both is right.
    Near,
}

/// A function, and what was said of it.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) function: usize,
    pub(super) manner: FunctionManner,
    pub(super) answer: FunctionAnswer,
    /// Its share of the time in which processors were to be had, by itself.
    pub(super) share: f64,
    /// By whyperf, if that found it.
    pub(super) value: Option<f64>,
}

impl Judged {
    /// Whether the value is far from the share.
    pub(super) fn is_off(&self) -> bool {
        self.value.is_some_and(|value| (value - self.share).abs() > TOLERANCE)
    }
}

/// What whyperf said of the functions of one program.
#[derive(Clone, Debug)]
pub(super) struct ProgramComparison {
    pub(super) judged: Vec<Judged>,
    /// Functions that are told and are none, and such as are told under several names.
    pub(super) odd_names: Vec<String>,
}

impl ProgramComparison {
    /// Of what the program printed, with the questions of its search.
    pub(super) fn of(
        program: &GeneratedProgram,
        printed: &Printed,
        questions: &[Value],
    ) -> Result<Self> {
        let available = printed.available()?;
        let (mut judged, mut odd_names) = (Vec::new(), Vec::new());
        for (at, function) in program.functions.iter().enumerate() {
            let told: Vec<&Value> = questions_about(questions, at).collect();
            let wanted = usize::from(function.manner != FunctionManner::Inlined);
            if told.len() > wanted {
                odd_names.extend(told.iter().map(|one| format!("told: {}", one["focus"])));
            }
            if function.manner == FunctionManner::Inlined {
                continue;
            }
            let share = printed.number_of("f", at)? / available;
            let of_phase = program.planned(at).map_or(share, |planned| {
                let [first, second] = planned.phases;
                share * (first.max(second) / planned.run).max(1.0)
            });
            let truth = told.first().and_then(|one| one["truth"].as_str()).unwrap_or("unknown");
            let value = told.first().and_then(|one| value(one));
            let answer = answer(FunctionShare { of_run: share, of_phase }, truth);
            judged.push(Judged { function: at, manner: function.manner, answer, share, value });
        }
        Ok(Self { judged, odd_names })
    }
}

/// The questions whether a function of the program computes, under whatever name.
pub(super) fn questions_about(
    questions: &[Value],
    function: usize,
) -> impl Iterator<Item = &Value> {
    let name = format!("f{function}");
    questions.iter().filter(move |one| {
        let focus = one["focus"].as_str().unwrap_or_default();
        let code = focus.strip_suffix(",/Machine,/Process,/SyncObject>");
        one["hypothesis"] == "CPUbound" && code.is_some_and(|code| names(function_of(code), &name))
    })
}

/// The value of what was found.
pub(super) fn value(question: &Value) -> Option<f64> {
    question["value"].as_f64().filter(|_| question["truth"] == "true")
}

/// The share of a function in the whole run, and in the phase that has most of it.
#[derive(Clone, Copy, Debug)]
struct FunctionShare {
    of_run: f64,
    of_phase: f64,
}

fn answer(
    FunctionShare { of_run: share, of_phase: most }: FunctionShare,
    truth: &str,
) -> FunctionAnswer {
    match truth {
        _ if share > THRESHOLD / CLEARLY && share < THRESHOLD * CLEARLY => FunctionAnswer::Near,
        "true" if most < THRESHOLD / CLEARLY => FunctionAnswer::Invented,
        "true" if most < THRESHOLD * CLEARLY && share < THRESHOLD => FunctionAnswer::Near,
        "false" if share > THRESHOLD => FunctionAnswer::Denied,
        "true" => FunctionAnswer::Right,
        _ if share > THRESHOLD => FunctionAnswer::Undecided,
        _ => FunctionAnswer::Right,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_share_is_above_below_or_near_the_threshold() {
        let answer = |share, truth| answer(FunctionShare { of_run: share, of_phase: share }, truth);
        assert_eq!(answer(0.5, "true"), FunctionAnswer::Right);
        assert_eq!(answer(0.5, "false"), FunctionAnswer::Denied);
        assert_eq!(answer(0.5, "unknown"), FunctionAnswer::Undecided);
        assert_eq!(answer(0.05, "true"), FunctionAnswer::Invented);
        assert_eq!(answer(0.05, "unknown"), FunctionAnswer::Right);
        assert_eq!([answer(0.21, "false"), answer(0.19, "true")], [FunctionAnswer::Near; 2]);
    }

    #[test]
    fn what_is_hot_in_one_phase_may_be_found() {
        let answer = |of_run, of_phase, truth| answer(FunctionShare { of_run, of_phase }, truth);
        assert_eq!(answer(0.1, 0.5, "true"), FunctionAnswer::Right);
        assert_eq!(answer(0.1, 0.5, "false"), FunctionAnswer::Right);
        assert_eq!(answer(0.1, 0.2, "true"), FunctionAnswer::Near);
        assert_eq!(answer(0.4, 0.8, "false"), FunctionAnswer::Denied);
    }

    #[test]
    fn a_question_is_about_the_function_at_the_end_of_its_focus() {
        let focus = "</Code/a.c/f1,/Machine,/Process,/SyncObject>";
        let question = [json!({"hypothesis": "CPUbound", "focus": focus})];
        let count = |function| questions_about(&question, function).count();
        assert_eq!([count(1), count(11)], [1, 0]);
    }
}
