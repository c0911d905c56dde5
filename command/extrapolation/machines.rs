//! `whyperf machine`: lists and shows the machines that programs can be extrapolated to, and makes a file for this one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Subcommand;
use serde_json::{Value, json};
use whyperf_experiments::{Figure, MachineFile, figures};

use crate::extrapolation::measure::{self, Measure};
use crate::machine::listing::Listing;
use crate::output::delivery::{self, status};
use crate::output::terminal::{self, OutputStyle, plain};

/// What is done with machines.
#[derive(Debug, Subcommand)]
pub(crate) enum MachineVerb {
    /// List the machines that are shipped
    List(Listing),
    /// Show the figures of a machine, each with its unit, its source and its date
    Show {
        /// The name of a machine that is shipped, or a machine file
        #[arg(value_name = "MACHINE")]
        machine: String,
        /// Print it as a machine file: to be changed, and given to `extrapolate` then
        #[arg(long, conflicts_with = "json")]
        toml: bool,
        #[command(flatten)]
        listing: Listing,
    },
    /// Measure messages on this machine, and write a machine file
    #[command(after_help = measure::NOTES)]
    Measure(Measure),
}

/// Lists, shows or measures.
pub(crate) fn machine(verb: &MachineVerb) -> Result<ExitCode> {
    match verb {
        MachineVerb::List(listing) => list(listing),
        MachineVerb::Show { machine, toml, listing } => {
            let file = find(machine)?;
            let is_printed = match (toml, listing.json) {
                (true, _) => delivery::print(&file.to_toml()),
                (_, true) => delivery::print_json(&as_json(&file)),
                _ => delivery::print(&text(&file, OutputStyle::of_stdout(listing.color))),
            };
            Ok(status(is_printed))
        }
        MachineVerb::Measure(request) => measure::measure(request),
    }
}

/// The machine of a name or of a file.
pub(crate) fn find(name: &str) -> Result<MachineFile> {
    let shipped = MachineFile::shipped_text(name).filter(|_| !Path::new(name).is_file());
    if let Some(text) = shipped {
        return MachineFile::parse(name, text).context("reading a machine that is shipped");
    }
    let path = PathBuf::from(name);
    if !path.exists() && !name.contains(['/', '.']) {
        let known = MachineFile::shipped_names().collect::<Vec<_>>().join(", ");
        bail!("there is no machine '{}': name one of {known}, or a machine file", plain(name));
    }
    let text = fs::read_to_string(&path)
        .with_context(|| format!("cannot read the machine file {}", plain(name)))?;
    Ok(MachineFile::parse(name, &text)?)
}

fn list(listing: &Listing) -> Result<ExitCode> {
    let files = MachineFile::shipped_names().map(find).collect::<Result<Vec<_>>>()?;
    if listing.json {
        let all: Vec<Value> = files.iter().map(summary).collect();
        return Ok(status(delivery::print_json(&all)));
    }
    let output_style = OutputStyle::of_stdout(listing.color);
    let line = |file: &MachineFile| {
        let name = output_style.paint(format_args!("{:<8}", file.machine.name), terminal::TITLE);
        format!("{name}  {}\n", file.title)
    };
    Ok(status(delivery::print(&files.iter().map(line).collect::<String>())))
}

fn summary(file: &MachineFile) -> Value {
    json!({ "name": file.machine.name, "title": file.title })
}

fn as_json(file: &MachineFile) -> Value {
    let figure = |figure: &Figure| {
        let source = file.source(&figure.path);
        json!({
            "path": figure.path,
            "of": figure.of,
            "value": figure.value.trim_matches('"'),
            "unit": figure.unit,
            "source": source.map(|source| &source.from),
            "date": source.map(|source| &source.date),
        })
    };
    let mut value = summary(file);
    value["figures"] = figures(&file.machine).iter().map(figure).collect();
    value
}

fn text(file: &MachineFile, output_style: OutputStyle) -> String {
    let mut lines = vec![format!(
        "{}  {}",
        output_style.paint(plain(&file.machine.name), terminal::TITLE),
        plain(&file.title)
    )];
    let mut sources: Vec<&str> = Vec::new();
    let all = figures(&file.machine);
    let width = all.iter().map(|figure| figure.path.len()).max().unwrap_or(0);
    for figure in &all {
        let source = file.source(&figure.path).map(|source| source.from.as_str());
        let mark = source.map_or_else(
            || output_style.paint("no source", terminal::CAUTION),
            |source| {
                let known = sources.iter().position(|known| *known == source);
                let at = known.unwrap_or_else(|| {
                    sources.push(source);
                    sources.len() - 1
                });
                output_style.paint(format_args!("[{}]", at + 1), terminal::FAINT)
            },
        );
        let of = figure.of.as_ref().map(|of| format!("  {of}")).unwrap_or_default();
        let value = format!("{} {}", shown(&figure.value), figure.unit);
        lines.push(format!("  {:<width$}  {value:<22}  {mark}{of}", plain(&figure.path)));
    }
    for (number, from) in (1..).zip(&sources) {
        let date = file.sources.iter().find(|source| source.from == *from);
        let date = date.map_or("", |source| source.date.as_str());
        let mark = output_style.paint(format_args!("[{number}]"), terminal::FAINT);
        lines.push(format!("{mark} {}; {}", plain(from), plain(date)));
    }
    lines.join("\n") + "\n"
}

/// A number with as many digits as anybody reads.
fn shown(value: &str) -> String {
    match value.parse::<f64>() {
        Ok(number) if value.len() > 12 => format!("{number:.6}"),
        _ => plain(value.trim_matches('"')).into_owned(),
    }
}
