//! `whyperf doctor`: tells what this machine allows, what is missing, and what to do about it.

mod hardware;
mod launcher;
mod system;

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::machine::listing::Listing;
use crate::output::delivery;
use crate::output::terminal::{self, OutputStyle, wrapped};

/// Looks at everything and prints it; the status is 1 when something keeps programs from being measured.
pub(crate) fn doctor(listing: &Listing) -> Result<ExitCode> {
    let findings = examine();
    let text = if listing.json {
        serde_json::to_string_pretty(&findings).context("writing JSON")? + "\n"
    } else {
        render(&findings, OutputStyle::of_stdout(listing.color))
    };
    if !delivery::print(&text) {
        return Ok(ExitCode::FAILURE);
    }
    let is_hopeless = findings.iter().any(|finding| finding.state == CheckResult::Missing);
    Ok(if is_hopeless { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn examine() -> Vec<Finding> {
    let mut findings = vec![system::library(), system::preloading(), system::shared_memory()];
    findings.extend([system::file_size_limit(), system::address_space_limit()]);
    findings.push(system::leftovers());
    findings.extend([hardware::clock(), hardware::cores()]);
    findings.extend(hardware::ranks());
    findings.extend(launcher::all());
    findings.extend([system::counters(), system::tracing(), system::sandboxes()]);
    findings.push(system::debug_information());
    findings
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    /// What was looked at.
    subject: &'static str,
    state: CheckResult,
    /// What was found.
    found: String,
    /// What to do, where something can be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

/// How good it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CheckResult {
    /// As it should be.
    Good,
    /// Some things will work less well.
    Limited,
    /// Nothing can be measured like this.
    Missing,
}

impl Finding {
    fn good(subject: &'static str, found: impl Into<String>) -> Self {
        Self { subject, state: CheckResult::Good, found: found.into(), advice: None }
    }

    fn limited(subject: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            subject,
            state: CheckResult::Limited,
            found: found.into(),
            advice: Some(advice.into()),
        }
    }

    fn missing(subject: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            subject,
            state: CheckResult::Missing,
            found: found.into(),
            advice: Some(advice.into()),
        }
    }
}

fn render(findings: &[Finding], output_style: OutputStyle) -> String {
    let column = findings.iter().map(|finding| finding.subject.len()).max().unwrap_or(0);
    let margin = " ".repeat(MARK + column + 2);
    let mut text = String::new();
    for Finding { subject, state, found, advice } in findings {
        let (mark, style) = match state {
            CheckResult::Good => (output_style.either("✓", "ok"), terminal::GOOD),
            CheckResult::Limited => (output_style.either("!", "!"), terminal::CAUTION),
            CheckResult::Missing => (output_style.either("✗", "no"), terminal::ALARM),
        };
        let mark = output_style.paint(format!("{mark:<MARK$}"), style);
        let mut lead = format!("{mark}{subject:<column$}  ");
        for piece in wrapped(found, output_style.width - margin.len()) {
            text.push_str(&format!("{lead}{piece}\n"));
            lead.clone_from(&margin);
        }
        let advice = advice.as_deref().unwrap_or_default();
        for piece in wrapped(advice, output_style.width - margin.len()) {
            text.push_str(&format!("{margin}{}\n", output_style.paint(piece, terminal::FAINT)));
        }
    }
    text
}

/// Columns of the mark before each line.
const MARK: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_aligned_and_advice_stands_below() {
        let findings = [
            Finding::good("clock", "the time stamp counter"),
            Finding::missing("library", "not there", "build it"),
        ];
        let text = render(&findings, OutputStyle::PLAIN);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "✓   clock    the time stamp counter",
                "✗   library  not there",
                "             build it"
            ]
        );
    }

    #[test]
    fn json_leaves_out_advice_where_there_is_none() {
        let text = serde_json::to_string(&Finding::good("clock", "fine")).expect("plain data");
        assert_eq!(text, r#"{"subject":"clock","state":"good","found":"fine"}"#);
    }

    #[test]
    fn every_machine_can_be_examined() {
        let findings = examine();
        assert!(findings.len() > 8);
        assert!(findings.iter().all(|finding| !finding.found.is_empty()));
        let advised =
            |finding: &Finding| finding.state == CheckResult::Good || finding.advice.is_some();
        assert!(findings.iter().all(advised));
    }
}
