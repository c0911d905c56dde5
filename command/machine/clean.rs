//! `whyperf clean`: removes what runs that were killed have left behind.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use serde::Serialize;
use whyperf_daemon::{Swept, sweep};

use crate::machine::listing::Listing;
use crate::output::delivery;
use crate::output::terminal::{self, OutputStyle};

/// Removes and says what; the status is 1 when something could not be removed.
pub(crate) fn clean(listing: &Listing) -> Result<ExitCode> {
    let swept = Cleaned::from(sweep());
    let text = if listing.json {
        serde_json::to_string_pretty(&swept).context("writing JSON")? + "\n"
    } else {
        swept.text(OutputStyle::of_stdout(listing.color))
    };
    let is_printed = delivery::print(&text);
    Ok(if is_printed && swept.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What became of each run directory.
#[derive(Debug, Serialize)]
struct Cleaned {
    removed: Vec<String>,
    in_use: Vec<String>,
    failed: Vec<Failed>,
}

#[derive(Debug, Serialize)]
struct Failed {
    path: String,
    reason: String,
}

impl From<Swept> for Cleaned {
    fn from(swept: Swept) -> Self {
        let name = |path: std::path::PathBuf| path.display().to_string();
        let failed = swept.failed.into_iter();
        Self {
            removed: swept.removed.into_iter().map(name).collect(),
            in_use: swept.in_use.into_iter().map(name).collect(),
            failed: failed
                .map(|(path, error)| Failed { path: name(path), reason: error.to_string() })
                .collect(),
        }
    }
}

impl Cleaned {
    fn text(&self, output_style: OutputStyle) -> String {
        let mut lines = Vec::new();
        for path in &self.removed {
            lines.push(format!("{}  {path}", output_style.paint("removed", terminal::GOOD)));
        }
        for path in &self.in_use {
            lines.push(format!(
                "{}   {path}: its run still goes on",
                output_style.paint("in use", terminal::FAINT)
            ));
        }
        for Failed { path, reason } in &self.failed {
            let advice = "remove it yourself";
            lines.push(format!(
                "{}     {path}: {reason}; {advice}",
                output_style.paint("left", terminal::ALARM)
            ));
        }
        if lines.is_empty() {
            lines.push("nothing was left behind".to_owned());
        }
        lines.join("\n") + "\n"
    }
}
