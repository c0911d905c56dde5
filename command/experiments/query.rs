//! `whyperf query`: asks the runs of a store in a small language.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use whyperf_experiments::{Access, Answers, Query, QueryRow, Selector, Store};

use crate::experiments::amounts::{amount, short_focus};
use crate::experiments::read_options::ReadOptions;
use crate::measuring::launch;
use crate::output::delivery::{self, status};
use crate::output::terminal::{self, OutputStyle, harmless, plain};

/// What is asked, and how the answer is printed.
#[derive(Debug, Args)]
pub(crate) struct QueryVerb {
    /// The question, in one argument
    #[arg(value_name = "QUESTION", required_unless_present = "complete")]
    pub(crate) question: Option<String>,
    /// List the resources of the latest run that begin like this instead, as a shell completes them
    #[arg(long, value_name = "RESOURCE", conflicts_with = "question")]
    pub(crate) complete: Option<String>,
    /// How the answer is printed
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = QueryFormat::Table)]
    pub(crate) format: QueryFormat,
    /// Write to this file, which Parquet needs
    #[arg(short, long, value_name = "FILE", required_if_eq("format", "parquet"))]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadOptions,
}

/// How an answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum QueryFormat {
    /// For people
    Table,
    /// For spreadsheets and data frames
    Csv,
    /// For programs
    Json,
    /// For data frames: a file of Apache Parquet
    Parquet,
}

/// Prints the answer to the question.
pub(crate) fn query(request: &QueryVerb) -> Result<ExitCode> {
    if let Some(beginning) = &request.complete {
        return complete(request, beginning);
    }
    let question = request.question.as_deref().unwrap_or_default();
    // What is wrong with the question is said before the store is looked for.
    let query: Query = match question.parse::<Query>() {
        Ok(query) => query,
        Err(mistake) => {
            // In lines of its own: a mark below the question points at the mistake.
            let pointed = mistake.pointed(question);
            terminal::put(&harmless(&format!("whyperf: this is no question\n{pointed}\n")));
            return Ok(ExitCode::from(launch::FAILURE));
        }
    };
    let store = Store::open(&request.reading.store, Access::Read)?;
    let answers = store.answers(&query)?;
    for (run, reason) in &answers.without {
        terminal::complain(&format!("run {run} is left out: {reason}"));
    }
    if let Some(path) = &request.output {
        return write(path, request.format, &answers);
    }
    let is_printed = match request.format {
        QueryFormat::Json => delivery::print_json(&answers),
        QueryFormat::Csv => delivery::print(&csv(&answers.rows)),
        // Parquet has a file: the option is needed.
        QueryFormat::Table | QueryFormat::Parquet => {
            delivery::print(&table(&answers, request.reading.style()))
        }
    };
    Ok(status(is_printed))
}

/// Writes the answers to a file.
fn write(path: &Path, format: QueryFormat, answers: &Answers) -> Result<ExitCode> {
    let bytes = match format {
        QueryFormat::Parquet => answers.parquet(),
        QueryFormat::Json => serde_json::to_string(answers)?.into_bytes(),
        QueryFormat::Csv => csv(&answers.rows).into_bytes(),
        QueryFormat::Table => table(answers, OutputStyle::PLAIN).into_bytes(),
    };
    std::fs::write(path, bytes)
        .with_context(|| format!("writing the answers to {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn complete(request: &QueryVerb, beginning: &str) -> Result<ExitCode> {
    let store = Store::open(&request.reading.store, Access::Read)?;
    let run = store.find(&Selector::Latest(0))?;
    let spans = store.resources(&run)?;
    let names = spans.iter().map(|span| span.name.as_str());
    let lines: String =
        names.filter(|name| name.starts_with(beginning)).map(|name| format!("{name}\n")).collect();
    Ok(status(delivery::print(&lines)))
}

fn table(answers: &Answers, style: OutputStyle) -> String {
    if answers.rows.is_empty() {
        return "no run answers\n".to_owned();
    }
    let mut text = String::new();
    let mut latest = None;
    for row in &answers.rows {
        if latest != Some(&row.run) {
            let of = format!("{} / {} / {}", row.application, row.experiment, row.trial);
            let name = style.paint(row.run.short(), terminal::TITLE);
            text += &format!("{name}  {}, {} processes\n", plain(&of), row.ranks);
            latest = Some(&row.run);
        }
        let value =
            row.value.map_or_else(|| "not known".to_owned(), |value| amount(value, row.unit));
        text += &format!("  {:<14} {value:>16}  {}\n", row.metric, plain(&where_of(&row.foci)));
    }
    text
}

/// One focus; of several how many there are, and the first few.
fn where_of(foci: &[String]) -> String {
    let shown: Vec<String> = foci.iter().take(3).map(|focus| short_focus(focus)).collect();
    let more = if foci.len() > shown.len() { ", ..." } else { "" };
    match foci.len() {
        1 => shown.concat(),
        count => format!("{count}: {}{more}", shown.join(" ")),
    }
}

/// Rows after RFC 4180, with the foci of a cluster in one cell.
fn csv(rows: &[QueryRow]) -> String {
    let mut text = "run,application,experiment,trial,ranks,metric,focus,value,unit\r\n".to_owned();
    for row in rows {
        let value = row.value.map_or_else(String::new, |value| value.to_string());
        let foci = row.foci.join(" ");
        let ranks = row.ranks.to_string();
        let cells = [
            row.run.as_str(),
            &row.application,
            &row.experiment,
            &row.trial,
            &ranks,
            row.metric,
            &foci,
            &value,
            row.unit,
        ];
        let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
        text += &(cells.join(",") + "\r\n");
    }
    text
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

/// What `whyperf query --help` ends with.
pub(crate) const NOTES: &str = "\
A question names metrics and, in this order and each only if wanted: at FOCUS, of RUNS, where CONDITIONS, during PART,
aggregate sum, list or cluster RANGE. A * in a focus stands for any part of a name.

Examples:
  whyperf query wall
  whyperf query 'cpu, sync_wait at </Code/*/solve,/Process/(0,1)> of app:ocean where ranks>=8'
  whyperf query 'sync_wait at </Process/*> of run:latest during 25%..50% aggregate cluster 5%'
  whyperf query --format csv 'msgs of experiment:scaling where trial ~ cold and elapsed < 60'
  whyperf query --complete /Code/on              what a focus may name";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_cell_is_quoted() {
        assert_eq!(quoted("plain"), "plain");
        assert_eq!(quoted("</Code,/Machine>"), "\"</Code,/Machine>\"");
        assert_eq!(quoted("say \"hi\""), "\"say \"\"hi\"\"\"");
    }
}
