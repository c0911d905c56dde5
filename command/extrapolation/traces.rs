//! `whyperf trace`: makes traces of files of others, shows them, and writes them for others.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::{Subcommand, ValueEnum};
use serde_json::json;
use whyperf_experiments::{
    MEASURED, TraceAbout, TraceFile, export_chrome, export_goal, export_otf2, import, import_dumpi,
    import_otf2, write_event, write_head,
};
use whyperf_extrapolate::{Event, Rank, SimTime};

use crate::extrapolation::trace_store::TraceStore;
use crate::machine::listing::Listing;
use crate::output::delivery::{self, status};
use crate::output::terminal::{self, OutputStyle, plain};
use crate::search::values::seconds;
use crate::tracing::resource_facts::is_of_resources;

/// What is done with traces.
#[derive(Debug, Subcommand)]
pub(crate) enum TraceVerb {
    /// Make a trace of text, of an OTF2 archive, or of what `dumpi2ascii` printed
    Import {
        /// The text (docs/extrapolation.md tells its form), the anchor of an archive (.otf2), or DUMPI's files as text, one a rank in their order
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        /// What the files are; told by their names when this is not said
        #[arg(long, value_enum)]
        format: Option<ImportFormat>,
        /// Write the trace here: to the name of the first file with .trace when this is not said
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Say what a trace holds, or print the events of a rank
    Show {
        /// The trace, or a run that was traced
        #[arg(value_name = "TRACE|RUN")]
        trace: PathBuf,
        /// Print the events of this rank
        #[arg(long, value_name = "RANK")]
        rank: Option<u32>,
        /// From so many seconds of it on
        #[arg(long, value_name = "SECONDS", value_parser = moment, requires = "rank")]
        from: Option<Duration>,
        /// Up to so many seconds of it
        #[arg(long, value_name = "SECONDS", value_parser = moment, requires = "rank")]
        to: Option<Duration>,
        #[command(flatten)]
        store: TraceStore,
        #[command(flatten)]
        listing: Listing,
    },
    /// Print a trace as text, which `import` reads; or write it for other programs
    Export {
        /// The trace, or a run that was traced
        #[arg(value_name = "TRACE|RUN")]
        trace: PathBuf,
        /// As text, as an OTF2 archive, for browsers (chrome), or as a schedule of LogGOPSim (goal)
        #[arg(long, value_enum, default_value_t = ExportFormat::Text)]
        format: ExportFormat,
        /// Write here and not to the terminal; for otf2 the anchor of the archive
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        store: TraceStore,
    },
}

/// What a trace is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    /// Text of one's own
    Text,
    /// An archive of the Open Trace Format 2
    Otf2,
    /// What `dumpi2ascii` printed
    Dumpi,
}

/// What a trace is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// Text, which `import` reads
    Text,
    /// An archive of the Open Trace Format 2
    Otf2,
    /// JSON for chrome://tracing, Perfetto or Speedscope
    Chrome,
    /// A schedule of LogGOPSim
    Goal,
}

/// Makes, shows or prints.
pub(crate) fn traces(verb: &TraceVerb) -> Result<ExitCode> {
    match verb {
        TraceVerb::Import { files, format, output } => make(files, *format, output.as_deref()),
        TraceVerb::Show { trace, rank: None, store, listing, .. } => {
            summarize(&store.find(trace)?, listing)
        }
        TraceVerb::Show { trace, rank: Some(rank), from, to, store, listing } => {
            let time = |time: &Duration| SimTime::nanos(time.as_secs_f64() * 1e9);
            let (from, to) = (from.as_ref().map(time), to.as_ref().map(time));
            let trace = TraceFile::open(&store.find(trace)?)?;
            show(&trace, Rank(*rank), (from.unwrap_or_default(), to), listing)
        }
        TraceVerb::Export { trace, format, output, store } => {
            let path = store.find(trace)?;
            export(&TraceFile::open(&path)?, *format, output.as_deref())
        }
    }
}

/// A moment in seconds; the beginning is one.
fn moment(text: &str) -> Result<Duration, String> {
    let number = text.trim().trim_end_matches('s').trim_end();
    if number.parse::<f64>() == Ok(0.0) { Ok(Duration::ZERO) } else { seconds(text) }
}

fn make(
    files: &[PathBuf],
    format: Option<ImportFormat>,
    output: Option<&Path>,
) -> Result<ExitCode> {
    let Some(first) = files.first() else { bail!("name what is to be imported") };
    let is_archive = first.extension().is_some_and(|ending| ending == "otf2");
    let guess = if is_archive { ImportFormat::Otf2 } else { ImportFormat::Text };
    let to = output.map_or_else(|| first.with_extension("trace"), Path::to_owned);
    if files.contains(&to) {
        bail!("{} would be replaced by its trace; name the trace with --output", to.display());
    }
    let name = first.display().to_string();
    match format.unwrap_or(guess) {
        ImportFormat::Dumpi => {
            let name = first.file_stem().unwrap_or_default().to_string_lossy();
            import_dumpi(files, &name, &to)?;
        }
        format if files.len() > 1 => {
            bail!(
                "{name} and what follows: only --format dumpi takes a file for each rank, not {format:?}"
            )
        }
        ImportFormat::Otf2 => import_otf2(first, &to)?,
        ImportFormat::Text => {
            let text = fs::read_to_string(first).with_context(|| format!("cannot read {name}"))?;
            import(&name, &text, &to)?;
        }
    }
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
        .filter(|(_, _, computes)| *computes > 0)
        .collect();
    regions.sort_by_key(|(_, computing, _)| std::cmp::Reverse(*computing));
    let total: SimTime = contents.computing.iter().copied().sum();
    if listing.json {
        let region = |(name, computing, computes): &(String, SimTime, u64)| json!({ "name": name, "compute_s": computing.as_secs(), "events": computes });
        return Ok(status(delivery::print_json(&json!({
            "name": about.name,
            "facts": facts(about),
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
    for (name, value) in about.facts.iter().filter(|(name, _)| !is_of_resources(name)) {
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

/// The facts by their names; what is said several times of one name is said in one.
fn facts(about: &TraceAbout) -> BTreeMap<&str, String> {
    let mut all: BTreeMap<&str, String> = BTreeMap::new();
    for (name, value) in about.facts.iter().filter(|(name, _)| !is_of_resources(name)) {
        let said = all.entry(name).or_default();
        if !said.is_empty() {
            said.push_str("; ");
        }
        said.push_str(value);
    }
    all
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
    let is_measured = trace.about().facts.iter().any(|(name, _)| name == MEASURED);
    let mut timed = trace.timeline(rank).map(|timed| (timed.begin, timed.end, timed.event));
    let is_printed = delivery::write(|out| {
        timed
            .by_ref()
            .filter(|(start, ..)| *start >= from)
            .take_while(|(start, ..)| to.is_none_or(|to| *start <= to))
            .try_for_each(|(start, end, event)| {
                let took = (end - start).as_secs();
                let text = write_event(&event, head);
                match listing.json {
                    true => {
                        serde_json::to_writer(
                            &mut *out,
                            &json!({ "time_s": start.as_secs(), "took_s": took, "event": text }),
                        )?;
                        writeln!(out)
                    }
                    false if is_measured => {
                        writeln!(out, "{:>15.9} {took:>13.9}  {}", start.as_secs(), plain(&text))
                    }
                    false => writeln!(out, "{:>15.9}  {}", start.as_secs(), plain(&text)),
                }
            })
    });
    trace.sound()?;
    Ok(status(is_printed))
}

fn export(trace: &TraceFile, format: ExportFormat, output: Option<&Path>) -> Result<ExitCode> {
    if format == ExportFormat::Otf2 {
        let Some(anchor) =
            output.filter(|anchor| anchor.extension().is_some_and(|end| end == "otf2"))
        else {
            bail!(
                "an OTF2 archive is several files: name its anchor, as in --output {}.otf2",
                stem(trace.path())
            );
        };
        let folder = anchor.parent().unwrap_or_else(|| Path::new("."));
        export_otf2(trace, folder, &stem(anchor))?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(path) = output else {
        let mut refused = None;
        let is_printed = delivery::write(|out| export_as(trace, format, out, &mut refused));
        return match refused {
            Some(error) => Err(error),
            None => Ok(status(is_printed)),
        };
    };
    let doing = || format!("writing {}", path.display());
    let mut out = io::BufWriter::new(fs::File::create(path).with_context(doing)?);
    let mut refused = None;
    export_as(trace, format, &mut out, &mut refused)
        .and_then(|()| out.flush())
        .with_context(doing)?;
    refused.map_or(Ok(ExitCode::SUCCESS), Err)
}

/// Writes it; what is wrong with the trace is told apart from what is wrong with where it goes.
fn export_as(
    trace: &TraceFile,
    format: ExportFormat,
    out: &mut dyn Write,
    refused: &mut Option<anyhow::Error>,
) -> io::Result<()> {
    let head = trace.head();
    match format {
        ExportFormat::Chrome => export_chrome(trace, out)?,
        ExportFormat::Goal => match export_goal(trace, out) {
            Ok(written) => written?,
            Err(error) => *refused = Some(error.into()),
        },
        ExportFormat::Text | ExportFormat::Otf2 => {
            out.write_all(write_head(trace.about(), head).as_bytes())?;
            head.all_ranks().try_for_each(|rank| export_rank(out, trace, rank))?;
        }
    }
    if let Err(error) = trace.sound() {
        refused.get_or_insert_with(|| error.into());
    }
    Ok(())
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn export_rank(out: &mut dyn Write, trace: &TraceFile, rank: Rank) -> io::Result<()> {
    writeln!(out, "rank {}", rank.0)?;
    trace.rank(rank).try_for_each(|event| writeln!(out, "  {}", write_event(&event, trace.head())))
}
