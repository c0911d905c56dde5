//! `whyperf trace`: makes traces of text, shows them, and writes them as text.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Subcommand;
use serde_json::json;
use whyperf_experiments::{TraceFile, import, write_event, write_head};
use whyperf_extrapolate::{Event, Rank, SimTime};

use crate::machine::listing::Listing;
use crate::output::delivery::{self, status};
use crate::output::terminal::{self, OutputStyle, plain};
use crate::search::values::seconds;

/// What is done with traces.
#[derive(Debug, Subcommand)]
pub(crate) enum TraceVerb {
    /// Make a trace of text, which a person or a program wrote
    Import {
        /// The text; docs/extrapolation.md tells its form
        #[arg(value_name = "TEXT")]
        text: PathBuf,
        /// Write the trace here: to the name of the text with .trace when this is not said
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Say what a trace holds, or print the events of a rank
    Show {
        /// The trace
        #[arg(value_name = "TRACE")]
        trace: PathBuf,
        /// Print the events of this rank
        #[arg(long, value_name = "RANK")]
        rank: Option<u32>,
        /// From so many seconds of its computing on
        #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "rank")]
        from: Option<Duration>,
        /// Up to so many seconds of its computing
        #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "rank")]
        to: Option<Duration>,
        #[command(flatten)]
        listing: Listing,
    },
    /// Print a trace as text, which `import` reads
    Export {
        /// The trace
        #[arg(value_name = "TRACE")]
        trace: PathBuf,
    },
}

/// Makes, shows or prints.
pub(crate) fn traces(verb: &TraceVerb) -> Result<ExitCode> {
    match verb {
        TraceVerb::Import { text, output } => make(text, output.as_deref()),
        TraceVerb::Show { trace, rank: None, listing, .. } => summarize(trace, listing),
        TraceVerb::Show { trace, rank: Some(rank), from, to, listing } => {
            let time = |time: &Duration| SimTime::nanos(time.as_secs_f64() * 1e9);
            let (from, to) = (from.as_ref().map(time), to.as_ref().map(time));
            show(&TraceFile::open(trace)?, Rank(*rank), (from.unwrap_or_default(), to), listing)
        }
        TraceVerb::Export { trace } => export(&TraceFile::open(trace)?),
    }
}

fn make(text: &Path, output: Option<&Path>) -> Result<ExitCode> {
    let name = text.display().to_string();
    let written = fs::read_to_string(text).with_context(|| format!("cannot read {name}"))?;
    let to = output.map_or_else(|| text.with_extension("trace"), Path::to_owned);
    if to == text {
        bail!("the text {name} would be replaced by its trace; name the trace with --output");
    }
    import(&name, &written, &to)?;
    Ok(ExitCode::SUCCESS)
}

/// The computing and the events of a trace by region, most computing first.
struct Contents {
    computing: Vec<SimTime>,
    computes: Vec<u64>,
    others: u64,
}

impl Contents {
    fn of(trace: &TraceFile) -> Result<Self> {
        let regions = trace.head().regions().len() + 1;
        let mut found =
            Self { computing: vec![SimTime::ZERO; regions], computes: vec![0; regions], others: 0 };
        for event in trace.all_ranks().into_iter().flatten() {
            match event {
                Event::Compute { region, span } => {
                    let at = region.index().min(regions - 1);
                    found.computing[at] += span;
                    found.computes[at] += 1;
                }
                _ => found.others += 1,
            }
        }
        trace.sound()?;
        Ok(found)
    }
}

fn summarize(path: &Path, listing: &Listing) -> Result<ExitCode> {
    let trace = TraceFile::open(path)?;
    let contents = Contents::of(&trace)?;
    let (about, head) = (trace.about(), trace.head());
    let mut regions: Vec<(String, SimTime, u64)> = (head.regions().iter().cloned())
        .zip(contents.computing.iter().copied().zip(contents.computes.iter().copied()))
        .map(|(name, (computing, computes))| (name, computing, computes))
        .collect();
    regions.sort_by_key(|(_, computing, _)| std::cmp::Reverse(*computing));
    let total: SimTime = contents.computing.iter().copied().sum();
    if listing.json {
        let region = |(name, computing, computes): &(String, SimTime, u64)| json!({ "name": name, "compute_s": computing.as_secs(), "events": computes });
        return Ok(status(delivery::print_json(&json!({
            "name": about.name,
            "facts": about.facts.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
            "ranks": head.ranks(),
            "communicators": head.communicators().len(),
            "events": trace.events(),
            "compute_s": total.as_secs(),
            "regions": regions.iter().map(region).collect::<Vec<_>>(),
        }))));
    }
    let output_style = OutputStyle::of_stdout(listing.color);
    let name = if about.name.is_empty() { path.display().to_string() } else { about.name.clone() };
    let mut lines = vec![output_style.paint(plain(&name), terminal::TITLE)];
    for (name, value) in &about.facts {
        lines.push(format!("  {}  {}", plain(name), plain(value)));
    }
    lines.push(format!(
        "  {} ranks, {} communicators, {} events, {} of them calls; {:.6} s of computing",
        head.ranks(),
        head.communicators().len(),
        trace.events(),
        contents.others,
        total.as_secs()
    ));
    for (name, computing, computes) in &regions {
        let share = computing.as_secs() / total.as_secs().max(f64::MIN_POSITIVE) * 100.0;
        let name = plain(name);
        lines.push(format!(
            "  {:>14.6} s  {share:>5.1} %  {computes:>10} times  {name}",
            computing.as_secs()
        ));
    }
    Ok(status(delivery::print(&(lines.join("\n") + "\n"))))
}

fn show(
    trace: &TraceFile,
    rank: Rank,
    (from, to): (SimTime, Option<SimTime>),
    listing: &Listing,
) -> Result<ExitCode> {
    let head = trace.head();
    if rank.0 >= head.ranks() {
        bail!("{} has {} ranks, and no {rank}", trace.path().display(), head.ranks());
    }
    let mut at = SimTime::ZERO;
    let mut timed = trace.rank(rank).map(|event| {
        let start = at;
        if let Event::Compute { span, .. } = event {
            at += span;
        }
        (start, event)
    });
    let is_printed = delivery::write(|out| {
        timed
            .by_ref()
            .filter(|(start, _)| *start >= from)
            .take_while(|(start, _)| to.is_none_or(|to| *start <= to))
            .try_for_each(|(start, event)| {
                let text = write_event(&event, head);
                match listing.json {
                    true => {
                        serde_json::to_writer(
                            &mut *out,
                            &json!({ "time_s": start.as_secs(), "event": text }),
                        )?;
                        writeln!(out)
                    }
                    false => writeln!(out, "{:>15.9}  {}", start.as_secs(), plain(&text)),
                }
            })
    });
    trace.sound()?;
    Ok(status(is_printed))
}

fn export(trace: &TraceFile) -> Result<ExitCode> {
    let head = trace.head();
    let is_printed = delivery::write(|out| {
        out.write_all(write_head(trace.about(), head).as_bytes())?;
        head.all_ranks().try_for_each(|rank| export_rank(out, trace, rank))
    });
    trace.sound()?;
    Ok(status(is_printed))
}

fn export_rank(out: &mut dyn Write, trace: &TraceFile, rank: Rank) -> io::Result<()> {
    writeln!(out, "rank {}", rank.0)?;
    trace.rank(rank).try_for_each(|event| writeln!(out, "  {}", write_event(&event, trace.head())))
}
