//! `whyperf what-if`: what curing a bottleneck is worth, by simulating the run again without it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::{Value, json};
use whyperf_experiments::{MachineFile, TraceFile};
use whyperf_extrapolate::{
    Barrier, CollectiveKind, Edit, EventKind, Interconnect, LeftOut, Machine, Network, Rank,
    RegionId, RemoteAccessModel, SimTime, TraceHead,
};
use whyperf_model::{Focus, Hierarchy, Resource};

use crate::extrapolation::extrapolate::axes;
use crate::extrapolation::extrapolated::ExtrapolatedRun;
use crate::extrapolation::machines;
use crate::extrapolation::sweep::Setting;
use crate::extrapolation::trace_store::{TraceStore, tell_missing};
use crate::output::delivery::{self, status};
use crate::output::terminal::{self, Colour, OutputStyle, plain};
use crate::tracing::awaited::Awaited;
use crate::tracing::code_paths::Inside;
use crate::tracing::meetings::whole_meetings;
use crate::tracing::trace_resources::TraceResources;

/// What is changed in which run.
#[derive(Debug, Args)]
pub(crate) struct WhatIf {
    /// The trace, or a run that was traced
    #[arg(value_name = "TRACE|RUN")]
    trace: PathBuf,
    #[command(flatten)]
    store: TraceStore,
    /// The machine: the name of one that is shipped, or a machine file
    #[arg(long, value_name = "MACHINE", default_value = "laptop")]
    machine: String,
    /// Set a parameter of the machine to a value, as in processors=16; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Let a region compute in so much of its time, as in solve=0.5x; may be repeated
    #[arg(long, value_name = "REGION=FACTOR", value_parser = factor)]
    region: Vec<(String, f64)>,
    /// Leave out the calls of a focus, as in '</Code/solve,/Machine,/Process,/SyncObject/Barrier>', or of an object
    /// alone, as in /SyncObject/Collective/allreduce, for all who make them; with /SyncObject/Message, messages are there when they are wanted,
    /// and with /SyncObject/Message/MPI_COMM_WORLD/7 those of a tag; may be repeated
    #[arg(long, value_name = "FOCUS")]
    no_wait: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Use colour always, never, or (auto) on a terminal unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Colour::Auto)]
    #[arg(hide_possible_values = true)]
    color: Colour,
}

pub(crate) const NOTES: &str = "\
Without --region and --no-wait, each region and each kind of waiting is cured by itself, and the list says how many seconds
of the whole run each would save: what it is worth, which is not its own share.";

fn factor(text: &str) -> Result<(String, f64), String> {
    let (region, factor) = text
        .rsplit_once('=')
        .ok_or_else(|| "expected REGION=FACTOR, as in solve=0.5x".to_owned())?;
    let number = factor.trim().trim_end_matches('x').parse::<f64>().ok();
    match number.filter(|number| *number >= 0.0 && number.is_finite()) {
        Some(number) => Ok((region.trim().to_owned(), number)),
        None => Err(format!("'{}' is no factor such as 0.5x", factor.escape_debug())),
    }
}

/// Simulates the run as it is and with what is changed, and prints both.
pub(crate) fn what_if(request: &WhatIf) -> Result<ExitCode> {
    let settings = Setting::all(&axes(&request.set)?);
    let [setting] = &settings[..] else {
        bail!("what-if compares single runs: give each parameter one value");
    };
    let file = machines::find(&request.machine)?;
    let machine = setting.applied(&file.machine);
    let path = request.store.find(&request.trace)?;
    let trace = TraceFile::open(&path)?;
    tell_missing(&trace);
    let is_asked = !request.region.is_empty() || !request.no_wait.is_empty();
    let cures = match asked(request, &trace, &machine)? {
        Some(asked) => vec![asked],
        None => all_cures(trace.head(), &machine),
    };
    let before = simulated(&path, &machine, &Edit::default())?;
    if !before.is_complete {
        bail!("the trace does not run to its end: {}", before.complaints.join("; "));
    }
    for complaint in &before.complaints {
        terminal::put(&format!("whyperf: in the trace, {complaint}\n"));
    }
    let mut tried = Vec::new();
    for cure in cures {
        let run = simulated(&path, &cure.machine, &cure.edit)?;
        if run.is_complete {
            tried.push((cure.name, run));
        } else if is_asked {
            bail!(
                "without these calls the trace does not run to its end: {}",
                run.complaints.join("; ")
            );
        }
    }
    // Of all that there could be, what changes nothing is left out.
    tried.retain(|(_, run)| is_asked || run.elapsed_s != before.elapsed_s);
    tried.sort_by(|one, other| one.1.elapsed_s.total_cmp(&other.1.elapsed_s));
    let is_printed = match request.json {
        true => delivery::print_json(&as_json(&file, &before, &tried)),
        false => delivery::print(&text(&before, &tried, OutputStyle::of_stdout(request.color))),
    };
    Ok(status(is_printed))
}

fn simulated(path: &Path, machine: &Machine, edit: &Edit) -> Result<ExtrapolatedRun> {
    ExtrapolatedRun::simulate(path, "", machine, &Setting::default(), edit)
}

/// Something that is cured.
struct Cure {
    name: String,
    edit: Edit,
    machine: Machine,
}

/// What the request changes; none if it changes nothing.
fn asked(request: &WhatIf, trace: &TraceFile, machine: &Machine) -> Result<Option<Cure>> {
    let head = trace.head();
    if request.region.is_empty() && request.no_wait.is_empty() {
        return Ok(None);
    }
    let mut names = Vec::new();
    let mut factors = BTreeMap::new();
    for (region, factor) in &request.region {
        if !head.regions().contains(region) {
            let known = head.regions().join(", ");
            bail!("the trace has no region '{}': its regions are {known}", plain(region));
        }
        names.push(format!("{region} in {factor} times its time"));
        factors.insert(region.clone(), *factor);
    }
    let mut without = Vec::new();
    for focus in &request.no_wait {
        names.push(format!("without {focus}"));
        without.push(left_out(focus, trace)?);
    }
    let edit = whole_meetings(Edit { factors, without, ..Edit::default() }, trace);
    Ok(Some(Cure { name: names.join(", "), edit, machine: machine.clone() }))
}

/// The calls of a focus.
fn left_out(text: &str, trace: &TraceFile) -> Result<LeftOut> {
    let whole = match text.starts_with('<') {
        true => text.to_owned(),
        false => format!("</Code,/Machine,/Process,{text}>"),
    };
    let focus =
        Focus::parse(&whole).map_err(|error| anyhow::anyhow!("--no-wait {text}: {error}"))?;
    let resources = TraceResources::of(&trace.about().facts);
    left_out_of(&focus, trace.head(), &resources).with_context(|| format!("--no-wait {text}"))
}

fn left_out_of(focus: &Focus, head: &TraceHead, resources: &TraceResources) -> Result<LeftOut> {
    let [code] = focus.part(Hierarchy::Code) else { bail!("name one place in the code") };
    let [object] = focus.part(Hierarchy::SyncObject) else { bail!("name one kind of waiting") };
    let awaited = Awaited::of(object, |name| resources.called(name));
    let Awaited { what, comms, tag } = awaited.map_err(|why| anyhow::anyhow!("{why}"))?;
    let regions = match code.is_root() {
        true => None,
        false => Some(regions(code, head, resources)?),
    };
    let ranks = match focus.is_root(Hierarchy::Process) {
        true => None,
        false => Some(ranks(focus.part(Hierarchy::Process), head, resources)?),
    };
    Ok(LeftOut { what, regions, ranks, comms, tag })
}

/// The regions of code: as the run calls it, or as the trace does.
fn regions(
    code: &Resource,
    head: &TraceHead,
    resources: &TraceResources,
) -> Result<BTreeSet<RegionId>> {
    if let Some(known) = resources.paths.regions(Inside::Calls, code) {
        return Ok(known);
    }
    let label = code.label();
    let at = head.regions().iter().position(|name| *name == label);
    let at = at.with_context(|| format!("the trace has no region '{}'", plain(&label)))?;
    Ok([RegionId(u32::try_from(at)?)].into())
}

/// The ranks of processes and threads: as the run has them, or else by number.
fn ranks(
    named: &[Resource],
    head: &TraceHead,
    resources: &TraceResources,
) -> Result<BTreeSet<Rank>> {
    let mut found = BTreeSet::new();
    for one in named {
        let known = resources.ranks(std::slice::from_ref(one));
        let number = one.components().nth(1).unwrap_or_default();
        let by_number = || {
            let rank = number.parse().ok().filter(|rank| *rank < head.ranks());
            Some([Rank(rank.filter(|_| resources.threads.is_empty())?)].into())
        };
        let ranks: Option<BTreeSet<Rank>> = known.or_else(by_number);
        let name = one.components().skip(1).collect::<Vec<_>>().join("/");
        found.extend(ranks.with_context(|| format!("the trace has no rank '{}'", plain(&name)))?);
    }
    Ok(found)
}

/// Each region computing in no time, and each kind of waiting gone.
fn all_cures(head: &TraceHead, machine: &Machine) -> Vec<Cure> {
    let cure = |name: String, edit: Edit, machine: Machine| Cure { name, edit, machine };
    let same = || machine.clone();
    let mut all: Vec<Cure> = (head.regions().iter())
        .map(|region| {
            let factors = [(region.clone(), 0.0)].into();
            let edit = Edit { factors, ..Edit::default() };
            cure(format!("{region} computes in no time"), edit, same())
        })
        .collect();
    let without = |what| Edit { without: vec![LeftOut::all(what)], ..Edit::default() };
    all.push(cure("no barriers".to_owned(), without(EventKind::Barrier), same()));
    for kind in CollectiveKind::ALL {
        let name = format!("no calls of {}", kind.name());
        all.push(cure(name, without(EventKind::Collective(kind)), same()));
    }
    let barrier = Barrier::Hardware { time: SimTime::ZERO };
    let name = "barriers take no time after the last one has come".to_owned();
    all.push(cure(name, Edit::default(), Machine { barrier, ..same() }));
    let fast = Machine {
        network: Network::default(),
        remote_access: RemoteAccessModel::default(),
        interconnect: Interconnect::default(),
        ..same()
    };
    all.push(cure("messages take no time".to_owned(), Edit::default(), fast));
    let name = "messages are there when they are wanted".to_owned();
    all.push(cure(name, without(EventKind::Receives), same()));
    all
}

fn as_json(
    file: &MachineFile,
    before: &ExtrapolatedRun,
    tried: &[(String, ExtrapolatedRun)],
) -> Value {
    let one = |(name, run): &(String, ExtrapolatedRun)| {
        json!({
            "change": name,
            "elapsed_s": run.elapsed_s,
            "saved_s": before.elapsed_s - run.elapsed_s,
        })
    };
    json!({
        "format": "whyperf-what-if",
        "version": 1,
        "machine": file.machine.name,
        "elapsed_s": before.elapsed_s,
        "changes": tried.iter().map(one).collect::<Vec<_>>(),
    })
}

fn text(
    before: &ExtrapolatedRun,
    tried: &[(String, ExtrapolatedRun)],
    output_style: OutputStyle,
) -> String {
    let title = format!("{:>14.6} s  as it is", before.elapsed_s);
    let mut lines = vec![output_style.paint(title, terminal::TITLE)];
    for (name, run) in tried {
        let saved = before.elapsed_s - run.elapsed_s;
        let share = saved / before.elapsed_s.max(f64::MIN_POSITIVE) * 100.0;
        lines.push(format!(
            "{:>14.6} s  {saved:>+14.6} s saved, {share:>5.1} %  {}",
            run.elapsed_s,
            plain(name)
        ));
    }
    lines.join("\n") + "\n"
}
