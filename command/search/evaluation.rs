//! The options by which a search evaluates: the table of hypotheses, the kind of verdict, and the order of questions.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use serde_json::Value;
use whyperf_consultant::{Hypotheses, HypothesisId, Order, Settings, Verdicts};
use whyperf_experiments::CLASSIC_VERDICT;

use crate::output::delivery::{self, status};
use crate::output::terminal::plain;
use crate::search::values::{ThresholdChange, seconds};

/// The table, what a verdict needs, and what is asked first.
#[derive(Clone, Debug, Args)]
pub(crate) struct EvaluationOptions {
    /// Ask the hypotheses of this table, too; may be repeated. `whyperf hypotheses` prints the one inside
    #[arg(long, value_name = "FILE", env = "WHYPERF_HYPOTHESES", hide_env_values = true)]
    #[arg(value_delimiter = ':')]
    pub(crate) hypotheses: Vec<PathBuf>,
    /// Conclude as soon as the evidence allows (sequential), or when the mean was held on one side (classic)
    #[arg(long, value_name = "KIND", value_enum, default_value_t = VerdictMethod::Sequential)]
    #[arg(env = "WHYPERF_VERDICT", hide_env_values = true, hide_possible_values = true)]
    pub(crate) verdict: VerdictMethod,
    /// How long the mean must be held for a classic verdict: 20 where neither this nor a directive says
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    #[arg(env = "WHYPERF_VERDICT_HOLD", hide_env_values = true)]
    pub(crate) hold: Option<Duration>,
    /// Ask first what is expected to tell most for its cost (information), or as Paradyn did (classic)
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = FirstQuestions::Information)]
    #[arg(env = "WHYPERF_ORDER", hide_env_values = true, hide_possible_values = true)]
    pub(crate) order: FirstQuestions,
}

/// Tables of hypotheses beside the one inside.
#[derive(Clone, Debug, Args)]
pub(crate) struct HypothesisFiles {
    /// Know the hypotheses of this table, too; may be repeated
    #[arg(long, value_name = "FILE", env = "WHYPERF_HYPOTHESES", hide_env_values = true)]
    #[arg(value_delimiter = ':')]
    hypotheses: Vec<PathBuf>,
}

impl HypothesisFiles {
    /// The table inside and those of the files.
    pub(crate) fn table(&self) -> Result<Hypotheses, String> {
        table(&self.hypotheses)
    }
}

fn table(files: &[PathBuf]) -> Result<Hypotheses, String> {
    let mut table = Hypotheses::built_in();
    for file in files {
        let name = plain(&file.display().to_string()).into_owned();
        let text = fs::read_to_string(file)
            .map_err(|error| format!("cannot read the hypotheses {name}: {error}"))?;
        table.extend(&name, &text).map_err(|faults| {
            faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        })?;
    }
    Ok(table)
}

/// What is asked first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FirstQuestions {
    /// What is expected to tell most for its cost.
    Information,
    /// More precise hypotheses, then parts, as they come.
    Classic,
}

impl FirstQuestions {
    /// Its name in a stored run, which never changes.
    pub(crate) const fn stored(self) -> &'static str {
        match self {
            Self::Information => "information",
            Self::Classic => "classic",
        }
    }
}

/// How evidence becomes a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerdictMethod {
    /// As soon as it suffices.
    Sequential,
    /// When the running mean kept to one side for a fixed time.
    Classic,
}

impl VerdictMethod {
    /// Its name in a stored run, which never changes.
    pub(crate) const fn stored(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Classic => CLASSIC_VERDICT,
        }
    }
}

/// How the functions are found that take the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CodeSearchChoice {
    /// From where the program begins, along calls.
    Callgraph,
    /// From modules to their functions.
    Module,
    /// Not at all: only what calls a library has a place.
    None,
}

impl CodeSearchChoice {
    /// Its name in a stored run, which never changes.
    pub(crate) const fn stored(self) -> &'static str {
        match self {
            Self::Callgraph => "callgraph",
            Self::Module => "module",
            Self::None => "none",
        }
    }
}

impl EvaluationOptions {
    /// The table inside and those of the files.
    pub(crate) fn table(&self) -> Result<Hypotheses, String> {
        table(&self.hypotheses)
    }

    /// What the files say, for whoever must tell two tables apart that name the same.
    pub(crate) fn texts(&self) -> String {
        self.hypotheses.iter().filter_map(|file| fs::read_to_string(file).ok()).collect()
    }

    /// The settings of a search that judges so.
    pub(crate) fn settings(
        &self,
        cost_limit: f64,
        code_search: CodeSearchChoice,
        verdicts: Verdicts,
    ) -> Settings {
        Settings {
            cost_limit,
            verdicts,
            order: self.order(),
            code_search: match code_search {
                CodeSearchChoice::Module => whyperf_consultant::CodeSearch::Module,
                CodeSearchChoice::Callgraph | CodeSearchChoice::None => {
                    whyperf_consultant::CodeSearch::CallGraph
                }
            },
            ..Settings::default()
        }
    }

    const fn order(&self) -> Order {
        match self.order {
            FirstQuestions::Information => Order::Information,
            FirstQuestions::Classic => Order::Classic,
        }
    }
}

/// The hypotheses, with the thresholds that were given.
pub(crate) fn hypotheses(
    evaluation: &EvaluationOptions,
    thresholds: &[ThresholdChange],
) -> Result<Hypotheses, String> {
    let mut table = evaluation.table()?;
    for ThresholdChange { hypothesis, value } in thresholds {
        let Some(id) = table.named(hypothesis) else {
            let names = names(&table, None).join(", ");
            return Err(format!("there is no hypothesis {hypothesis}; there are {names}"));
        };
        let value = table.row(id).unit().read(value).map_err(|fault| {
            let fault = fault.told(|value| quoted(&format!("{hypothesis}={value}")));
            format!("--threshold {hypothesis}={value}: {fault}")
        })?;
        table.set_threshold(id, value);
    }
    Ok(table)
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    if word.contains(' ') { format!("'{word}'") } else { word.to_owned() }
}

fn names(table: &Hypotheses, parent: Option<HypothesisId>) -> Vec<String> {
    let below = table.children(parent);
    below
        .flat_map(|id| [vec![table.row(id).name.to_string()], names(table, Some(id))].concat())
        .collect()
}

/// `whyperf hypotheses`: prints the table inside, as a beginning for one's own, or its rows with the same keys as JSON.
pub(crate) fn print(is_json: bool) -> Result<ExitCode> {
    if !is_json {
        return Ok(status(delivery::print(Hypotheses::SHIPPED)));
    }
    let table: Value = toml::from_str(Hypotheses::SHIPPED).context("reading the shipped table")?;
    Ok(status(delivery::print_json(&table["hypothesis"])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_runs_hold_these_names() {
        let names = [
            FirstQuestions::value_variants().iter().map(|one| one.stored()).collect::<Vec<_>>(),
            VerdictMethod::value_variants().iter().map(|one| one.stored()).collect(),
            CodeSearchChoice::value_variants().iter().map(|one| one.stored()).collect(),
        ];
        let written = [
            vec!["information", "classic"],
            vec!["sequential", "classic"],
            vec!["callgraph", "module", "none"],
        ];
        assert_eq!(names, written);
    }
}
