//! Sums the results of all random programs, as tables.

use std::collections::{BTreeMap, BTreeSet};

use super::comparison::FunctionAnswer;
use super::kind::ProgramKind;
use super::manner::FunctionManner;
use super::trial::{ProgramOutcome, ProgramTrial};

/// The answers, by kinds of programs and by what functions do.
#[derive(Debug, Default)]
pub(super) struct AnswerSums {
    programs: BTreeMap<ProgramKind, u64>,
    answers: BTreeMap<(ProgramKind, FunctionManner, FunctionAnswer), u64>,
    errors: BTreeMap<(ProgramKind, FunctionManner), Vec<f64>>,
    hot_errors: BTreeMap<ProgramKind, Vec<f64>>,
    faults: BTreeMap<(ProgramKind, AnswerFault), usize>,
    stretches_right: u64,
}

/// What can be wrong beside an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum AnswerFault {
    Value,
    LargerPart,
    HotCode,
    Profile,
    RowSum,
    Name,
    Threads,
    StretchUntold,
    StretchShort,
    StretchWrong,
    MoreThanAll,
}

impl AnswerFault {
    const ALL: [(Self, &'static str); 11] = [
        (Self::Value, "values off by more than 0.08"),
        (Self::LargerPart, "parts larger than their whole"),
        (Self::HotCode, "rows of hot code with a wrong share"),
        (Self::Profile, "functions of the profile with too much"),
        (Self::RowSum, "sums of rows that do not come out"),
        (Self::Name, "names of no function, or a second one of the same"),
        (Self::Threads, "threads that are not told"),
        (Self::StretchUntold, "hot in one phase, and not said when"),
        (Self::StretchShort, "hot in one phase, and said of a part of it"),
        (Self::StretchWrong, "hot in one phase, and said of another time"),
        (Self::MoreThanAll, "lines while it ran with more than all of the time"),
    ];
}

impl AnswerSums {
    pub(super) fn add(&mut self, trial: &ProgramTrial, outcome: &ProgramOutcome) {
        let kind = trial.program.kind;
        *self.programs.entry(kind).or_default() += 1;
        for one in &outcome.comparison.judged {
            *self.answers.entry((kind, one.manner, one.answer)).or_default() += 1;
            if let Some(value) = one.value {
                let errors = self.errors.entry((kind, one.manner)).or_default();
                errors.push((value - one.share).abs());
            }
        }
        self.hot_errors.entry(kind).or_default().extend(&outcome.rows.hot_errors);
        self.stretches_right += outcome.stretches.right;
        for (fault, count) in faults(outcome) {
            *self.faults.entry((kind, fault)).or_default() += count;
        }
    }

    /// The tables.
    pub(super) fn tables(&self) -> String {
        let by_kind = ProgramKind::ALL.into_iter().filter(|kind| self.programs.contains_key(kind));
        let mut text =
            format!("\n{} programs\n\n{}", self.programs.values().sum::<u64>(), head("program"));
        for kind in by_kind.clone() {
            let name = format!("{} ({})", kind.name(), self.programs[&kind]);
            text += &self.line(&name, |(one, _)| one == kind);
        }
        text += &format!("\n{}", head("function that"));
        for manner in
            FunctionManner::ALL.into_iter().filter(|manner| *manner != FunctionManner::Inlined)
        {
            text += &self.line(manner.name(), |(_, one)| one == manner);
        }
        text += "\n| | hot code: error, middle and 95 of 100 |\n|---|---|\n";
        for (kind, errors) in &self.hot_errors {
            text += &format!("| {} | {} |\n", kind.name(), quantiles(errors.clone()));
        }
        let seen: BTreeSet<ProgramKind> = self.faults.keys().map(|(kind, _)| *kind).collect();
        for (fault, name) in AnswerFault::ALL {
            let of = |kind: &ProgramKind| {
                let count = self.faults.get(&(*kind, fault)).copied().filter(|count| *count > 0)?;
                Some(format!("{} {count}", kind.name()))
            };
            let told: Vec<String> = seen.iter().filter_map(of).collect();
            let told = if told.is_empty() { "none".to_owned() } else { told.join(", ") };
            text += &format!("\n{name}: {told}");
        }
        text + &format!("\nhot in one phase, and said when: {}\n", self.stretches_right)
    }

    fn line(&self, name: &str, is_meant: impl Fn((ProgramKind, FunctionManner)) -> bool) -> String {
        let count = |answer| -> u64 {
            let all = self
                .answers
                .iter()
                .filter(|((kind, manner, one), _)| *one == answer && is_meant((*kind, *manner)));
            all.map(|(_, count)| count).sum()
        };
        let [right, near, undecided, denied, invented] = [
            FunctionAnswer::Right,
            FunctionAnswer::Near,
            FunctionAnswer::Undecided,
            FunctionAnswer::Denied,
            FunctionAnswer::Invented,
        ]
        .map(count);
        let those = self.errors.iter().filter(|(key, _)| is_meant(**key));
        let errors = quantiles(those.flat_map(|(_, errors)| errors).copied().collect());
        format!("| {name} | {right} | {near} | {undecided} | {denied} | {invented} | {errors} |\n")
    }
}

/// How often each fault is there.
fn faults(outcome: &ProgramOutcome) -> [(AnswerFault, usize); 11] {
    let ProgramOutcome { comparison, larger_parts, rows, stretches, more_than_all } = outcome;
    [
        (AnswerFault::Value, comparison.judged.iter().filter(|one| one.is_off()).count()),
        (AnswerFault::LargerPart, larger_parts.len()),
        (AnswerFault::HotCode, rows.hot_off.len()),
        (AnswerFault::Profile, rows.too_much.len()),
        (AnswerFault::RowSum, rows.sums_off.len()),
        (AnswerFault::Name, comparison.odd_names.len()),
        (AnswerFault::Threads, rows.threads_missing.len()),
        (AnswerFault::StretchUntold, stretches.untold.len()),
        (AnswerFault::StretchShort, stretches.short.len()),
        (AnswerFault::StretchWrong, stretches.wrong.len()),
        (AnswerFault::MoreThanAll, more_than_all.len()),
    ]
}

fn head(what: &str) -> String {
    format!(
        "| a {what} | right | near | undecided | denied | invented | error, middle and 95 of 100 |\n|---|---|---|---|---|---|---|\n"
    )
}

fn quantiles(mut errors: Vec<f64>) -> String {
    errors.sort_by(f64::total_cmp);
    let at = |part: usize| errors.get(errors.len() * part / 100).copied().unwrap_or_default();
    format!("{:.3} {:.3}", at(50), at(95))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_what_is_there() {
        assert_eq!(quantiles(Vec::new()), "0.000 0.000");
        let all = (0..100).rev().map(|number: u8| f64::from(number) / 100.0);
        assert_eq!(quantiles(all.collect()), "0.500 0.950");
    }
}
