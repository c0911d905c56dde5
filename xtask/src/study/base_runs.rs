//! The base runs: searches without directives. What they find is what every other search is expected to find.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};

use super::harness::{Experiment, Harness};
use super::trial::{PairText, QuestionAnswer, Trial};
use super::verdict::Verdict;
use super::version::Version;

/// How far beyond its threshold a value lies that counts, as a factor.
const MARGIN: f64 = 1.25;
/// How much more a process must have than all together to be a finding of its own: the search's own measure.
const ALIKE: f64 = 1.5;

/// The base runs, each made when it is first asked for.
#[derive(Debug)]
pub(super) struct BaseRuns<'a> {
    pub(super) harness: &'a Harness,
    known: BTreeMap<(Version, Verdict), Vec<Trial>>,
}

impl<'a> BaseRuns<'a> {
    pub(super) const fn new(harness: &'a Harness) -> Self {
        Self { harness, known: BTreeMap::new() }
    }

    /// The runs of a version without directives.
    pub(super) fn of(&mut self, version: Version, verdict: Verdict) -> Result<&[Trial]> {
        if !self.known.contains_key(&(version, verdict)) {
            let runs = self.harness.options.runs;
            let trials: Result<Vec<Trial>> =
                (0..runs).map(|_| self.run(version, verdict)).collect();
            self.known.insert((version, verdict), trials?);
        }
        Ok(&self.known[&(version, verdict)])
    }

    /// The store that holds all base runs, so that two of them can be compared.
    pub(super) fn store(&self) -> PathBuf {
        self.harness.file("base.db")
    }

    /// The true bottlenecks of a version.
    pub(super) fn truth(&mut self, version: Version) -> Result<Vec<PairText>> {
        Ok(significant(self.of(version, Verdict::Classic)?))
    }

    /// How many were true in every base run of a version, and in any.
    pub(super) fn described(&self) -> String {
        let lines = self.known.iter().map(|((version, verdict), trials)| {
            let [all, any] = agreed(trials);
            let cost = trials.iter().map(|trial| trial.cost).fold(0.0, f64::max);
            let elapsed = trials.iter().map(|trial| trial.elapsed).fold(0.0, f64::max);
            format!(
                "| {} | {} | {} | {} | {all} | {any} | {:.2} | {elapsed:.0} |",
                version.letter(),
                verdict.name(),
                trials.len(),
                significant(trials).len(),
                cost * 100.0,
            )
        });
        let head = "## Base runs\n\n| version | verdict | runs | significant | true in every run | true in any | most that measuring cost, % | longest run, s |\n|---|---|---|---|---|---|---|---|\n";
        format!("{head}{}\n", lines.collect::<Vec<_>>().join("\n"))
    }

    /// Runs an experiment as often as was asked for, each time into a store of its own.
    pub(super) fn repeated(&self, experiment: &Experiment<'_>) -> Result<Vec<Trial>> {
        let one = |nth: usize| {
            let store = self.harness.file("single.db");
            for file in [&store, &store.with_extension("db-journal")] {
                // What is not there need not be removed.
                let _ = fs::remove_file(file);
            }
            let trial = self.harness.run(experiment, &store);
            trial.with_context(|| format!("run {} of {}", nth + 1, experiment.name))
        };
        (0..self.harness.options.runs).map(one).collect()
    }

    fn run(&self, version: Version, verdict: Verdict) -> Result<Trial> {
        let hold = self.harness.options.hold;
        let experiment = Experiment {
            name: "no directives",
            version,
            verdict,
            hold: Some(hold),
            seconds: verdict.patience(hold),
            words: &[],
            until: None,
        };
        self.harness.run(&experiment, &self.store())
    }
}

/// What every run called true at its end, and clearly: the others are true in one run and false in the next. Which processes are
/// asked about that are like all others is a matter of moments; such an answer says nothing new.
pub(super) fn significant(trials: &[Trial]) -> Vec<PairText> {
    let Some((first, others)) = trials.split_first() else { return Vec::new() };
    let is_clear = |trial: &Trial, pair: &PairText| {
        let is_clear = |one: &QuestionAnswer| one.is_true && one.margin >= MARGIN;
        trial.answers.get(pair).is_some_and(is_clear) && says_more(trial, pair)
    };
    let everywhere = |pair: &&PairText| {
        is_clear(first, pair) && others.iter().all(|trial| is_clear(trial, pair))
    };
    first.holding().map(|(pair, _)| pair).filter(everywhere).cloned().collect()
}

/// Whether a pair is not what all processes together are as well.
fn says_more(trial: &Trial, pair: &PairText) -> bool {
    let Some((before, process)) = pair.split_once(",/Process/") else { return true };
    let rest = process.split_once(',').map_or("", |(_, rest)| rest);
    let whole = trial.answers.get(&format!("{before},/Process,{rest}"));
    whole.is_none_or(|whole| !whole.is_true || trial.answers[pair].margin > ALIKE * whole.margin)
}

/// How many pairs are true in all runs, and in any.
fn agreed(trials: &[Trial]) -> [usize; 2] {
    let mut times: BTreeMap<&PairText, usize> = BTreeMap::new();
    for (pair, _) in trials.iter().flat_map(Trial::holding) {
        *times.entry(pair).or_default() += 1;
    }
    [times.values().filter(|count| **count == trials.len()).count(), times.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(answers: &[(&str, bool, f64)]) -> Trial {
        let answer = |is_true, margin| QuestionAnswer {
            is_true,
            margin,
            is_denied: false,
            was_tested: true,
            is_share: true,
            found: None,
        };
        let answers =
            answers.iter().map(|(pair, is, margin)| ((*pair).to_owned(), answer(*is, *margin)));
        Trial { answers: answers.collect(), ..Trial::default() }
    }

    #[test]
    fn what_counts_is_clearly_true_in_every_run() {
        let trials = [
            trial(&[("a", true, 3.0), ("b", true, 2.0), ("c", true, 1.1), ("d", true, 2.0)]),
            trial(&[("a", true, 2.0), ("b", false, 2.0), ("c", true, 1.4)]),
        ];
        assert_eq!(significant(&trials), ["a"]);
        assert_eq!(agreed(&trials), [2, 4]);
    }

    #[test]
    fn a_process_counts_that_has_more_than_all_together() {
        let [all, like, more, alone] =
            [",/Process,", ",/Process/0,", ",/Process/1,", ",/Process/2,"].map(|process| {
                let code = if process.ends_with("2,") { "/Code/b.c" } else { "/Code/a.c" };
                format!("H <{code},/Machine{process}/SyncObject>")
            });
        let trial = trial(&[
            (&all, true, 1.3),
            (&like, true, 1.4),
            (&more, true, 2.0),
            (&alone, true, 1.3),
        ]);
        assert_eq!(significant(&[trial]), [all, more, alone]);
    }
}
