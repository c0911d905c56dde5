//! By what a search judges: the table of hypotheses, and how evidence becomes a verdict.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use whyperf_consultant::{Classic, Hypotheses, Verdicts};

use crate::outlet;
use crate::runs::status;

/// The table, and what a verdict needs.
#[derive(Clone, Debug, Args)]
pub(crate) struct Judging {
    /// Ask the hypotheses of this table, too; may be repeated. `whyperf hypotheses` prints the one inside
    #[arg(long, value_name = "FILE", env = "WHYPERF_HYPOTHESES", hide_env_values = true)]
    #[arg(value_delimiter = ':')]
    pub(crate) hypotheses: Vec<PathBuf>,
    /// Conclude as soon as the evidence allows (sequential), or after a mean held for 20 s (classic)
    #[arg(long, value_name = "KIND", value_enum, default_value_t = Verdict::Sequential)]
    #[arg(env = "WHYPERF_VERDICT", hide_env_values = true, hide_possible_values = true)]
    pub(crate) verdict: Verdict,
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

    /// As the search takes it.
    pub(crate) fn verdicts(&self) -> Verdicts {
        match self.verdict {
            Verdict::Sequential => Verdicts::Sequential,
            Verdict::Classic => Verdicts::Classic(Classic::default()),
        }
    }
}

/// `whyperf hypotheses`: prints the table inside, as a beginning for one's own.
pub(crate) fn print() -> Result<ExitCode> {
    Ok(status(outlet::print(Hypotheses::SHIPPED)))
}
