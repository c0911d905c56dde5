//! The dwell time of classic verdicts, and where it comes from: the command line, a directive, or the default.

use whyperf_consultant::{Classic, DirectivesInForce, TextPosition, Verdicts};
use whyperf_model::Nanos;

use crate::search::evaluation::{EvaluationOptions, VerdictMethod};

/// The dwell time, and who asked for it.
#[derive(Debug)]
pub(crate) struct DwellTime {
    time: Nanos,
    said_by: SaidBy,
    is_classic: bool,
}

#[derive(Debug)]
enum SaidBy {
    Default,
    CommandLine,
    File(TextPosition),
    EarlierRuns,
}

impl DwellTime {
    /// The command line is heard first, then directives. Where verdicts are not classic, directives say nothing.
    pub(crate) fn of(evaluation: &EvaluationOptions, in_force: &DirectivesInForce) -> Self {
        let is_classic = evaluation.verdict == VerdictMethod::Classic;
        let directive = in_force.dwell_time().filter(|_| is_classic);
        let (time, said_by) = match (evaluation.hold, directive) {
            (Some(time), _) => {
                (Nanos(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)), SaidBy::CommandLine)
            }
            (None, Some((time, place))) if place.file.is_empty() => (*time, SaidBy::EarlierRuns),
            (None, Some((time, place))) => (*time, SaidBy::File(place.clone())),
            (None, None) => (Classic::default().dwell_true, SaidBy::Default),
        };
        Self { time, said_by, is_classic }
    }

    /// How evidence becomes a verdict.
    pub(crate) fn verdicts(&self) -> Verdicts {
        let dwell_time = self.time;
        let rules =
            Classic { dwell_true: dwell_time, dwell_false: dwell_time, ..Classic::default() };
        if self.is_classic { Verdicts::Classic(rules) } else { Verdicts::Sequential }
    }

    /// How many directives say so.
    pub(crate) const fn directives_used(&self) -> usize {
        matches!(self.said_by, SaidBy::File(_) | SaidBy::EarlierRuns) as usize
    }

    /// The time, as it is kept with a run.
    pub(crate) fn fact(&self) -> String {
        format!("{} s", self.time.as_secs_f64())
    }

    /// What a reader of the report should know of it.
    pub(crate) fn note(&self) -> Option<String> {
        let whom = match &self.said_by {
            SaidBy::Default => String::new(),
            SaidBy::CommandLine => ", as the command line says".to_owned(),
            SaidBy::File(place) => format!(", as {place} says"),
            SaidBy::EarlierRuns => ", as earlier runs teach".to_owned(),
        };
        self.is_classic.then(|| format!("Verdicts are classic, held for {}{whom}.", self.fact()))
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, Command, FromArgMatches as _};
    use whyperf_consultant::{Directives, Hypotheses};

    use super::*;

    fn note(file: &str, line: &str, words: &[&str]) -> (Option<String>, usize) {
        let command = EvaluationOptions::augment_args(Command::new("test").no_binary_name(true));
        let matches = command.try_get_matches_from(words).expect("right");
        let evaluation = EvaluationOptions::from_arg_matches(&matches).expect("right");
        let table = Hypotheses::built_in();
        let text = format!("whyperf directives 1\n{line}\n");
        let directives = Directives::parse(file, &text, &table).expect("right");
        let in_force = DirectivesInForce::new(&directives, &table).expect("right");
        let dwell_time = DwellTime::of(&evaluation, &in_force);
        (dwell_time.note(), dwell_time.directives_used())
    }

    #[test]
    fn the_command_line_wins_over_directives_and_these_over_the_default() {
        let classic = ["--verdict", "classic"];
        let said = |text: &str| Some(format!("Verdicts are classic, held for {text}."));
        assert_eq!(note("a", "", &classic), (said("20 s"), 0));
        assert_eq!(note("a", "hold 500 ms", &classic), (said("0.5 s, as a:2:1 says"), 1));
        assert_eq!(note("", "hold 2 s", &classic), (said("2 s, as earlier runs teach"), 1));
        let explicit = ["--verdict", "classic", "--hold", "20"];
        assert_eq!(note("a", "hold 2 s", &explicit), (said("20 s, as the command line says"), 0));
        assert_eq!(note("a", "hold 2 s", &["--verdict", "sequential"]), (None, 0));
    }
}
