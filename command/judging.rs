//! By what a search judges: the table of hypotheses, and how evidence becomes a verdict.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};
use whyperf_consultant::{Classic, Hypotheses, Order, Settings, Verdicts};
use whyperf_model::Nanos;

use crate::arguments::{CodeSearch, seconds};
use crate::outlet;
use crate::runs::status;

/// The table, what a verdict needs, and what is asked first.
#[derive(Clone, Debug, Args)]
pub(crate) struct Judging {
    /// Ask the hypotheses of this table, too; may be repeated. `whyperf hypotheses` prints the one inside
    #[arg(long, value_name = "FILE", env = "WHYPERF_HYPOTHESES", hide_env_values = true)]
    #[arg(value_delimiter = ':')]
    pub(crate) hypotheses: Vec<PathBuf>,
    /// Conclude as soon as the evidence allows (sequential), or when the mean was held on one side (classic)
    #[arg(long, value_name = "KIND", value_enum, default_value_t = Verdict::Sequential)]
    #[arg(env = "WHYPERF_VERDICT", hide_env_values = true, hide_possible_values = true)]
    pub(crate) verdict: Verdict,
    /// How long the mean must be held for a classic verdict
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "20")]
    #[arg(env = "WHYPERF_VERDICT_HOLD", hide_env_values = true)]
    pub(crate) hold: Duration,
    /// Ask first what is expected to tell most for its cost (information), or as Paradyn did (classic)
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = First::Information)]
    #[arg(env = "WHYPERF_ORDER", hide_env_values = true, hide_possible_values = true)]
    pub(crate) order: First,
}

/// What is asked first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum First {
    /// What is expected to tell most for its cost.
    Information,
    /// More precise hypotheses, then parts, as they come.
    Classic,
}

/// How evidence becomes a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Verdict {
    /// As soon as it suffices.
    Sequential,
    /// When the running mean kept to one side for a fixed time.
    Classic,
}

impl Judging {
    /// The table inside and those of the files.
    pub(crate) fn table(&self) -> Result<Hypotheses, String> {
        let mut table = Hypotheses::built_in();
        for file in &self.hypotheses {
            let name = file.display().to_string();
            let text = fs::read_to_string(file)
                .map_err(|error| format!("cannot read the hypotheses {name}: {error}"))?;
            table.extend(&name, &text).map_err(|faults| {
                faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
            })?;
        }
        Ok(table)
    }

    /// The settings of a search that judges so.
    /// What the files say, for whoever must tell two tables apart that name the same.
    pub(crate) fn texts(&self) -> String {
        self.hypotheses.iter().filter_map(|file| fs::read_to_string(file).ok()).collect()
    }

    pub(crate) fn settings(&self, cost_limit: f64, code_search: CodeSearch) -> Settings {
        Settings {
            cost_limit,
            verdicts: self.verdicts(),
            order: self.order(),
            code_search: match code_search {
                CodeSearch::Module => whyperf_consultant::CodeSearch::Module,
                CodeSearch::Callgraph | CodeSearch::None => {
                    whyperf_consultant::CodeSearch::CallGraph
                }
            },
            ..Settings::default()
        }
    }

    fn verdicts(&self) -> Verdicts {
        match self.verdict {
            Verdict::Sequential => Verdicts::Sequential,
            Verdict::Classic => {
                let hold = Nanos(u64::try_from(self.hold.as_nanos()).unwrap_or(u64::MAX));
                let rules = Classic { hold_true: hold, hold_false: hold, ..Classic::default() };
                Verdicts::Classic(rules)
            }
        }
    }

    const fn order(&self) -> Order {
        match self.order {
            First::Information => Order::Information,
            First::Classic => Order::Classic,
        }
    }
}

/// `whyperf hypotheses`: prints the table inside, as a beginning for one's own.
pub(crate) fn print() -> Result<ExitCode> {
    Ok(status(outlet::print(Hypotheses::SHIPPED)))
}
