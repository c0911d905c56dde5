//! What curing each bottleneck of a report is worth, by simulating the trace of the run without it: seconds of the whole run, which are not its
//! own share, because others may wait no less.
//!
//! Of a wait for messages it is what is saved where they are there when they are wanted; of a barrier or collective call, what leaving it out
//! saves; of computing, what doing it in no time does: no cure saves more. Of what a trace cannot say nothing is said.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use whyperf_experiments::{MachineFile, TraceFile};
use whyperf_extrapolate::{
    CollectiveKind, Edit, EventKind, LeftOut, Machine, Rank, RegionId, SimTime, TraceHead, simulate,
};
use whyperf_model::{Focus, Hierarchy, Resource};

use crate::output::report::{ReportedBottleneck, Worth, rounded};

/// Adds to bottlenecks what they are worth, as far as the trace of their run tells it on a machine that is shipped.
pub(crate) fn add(path: &Path, machine: &str, all: &mut [ReportedBottleneck]) -> Result<()> {
    let trace = TraceFile::open(path)?;
    let text = MachineFile::shipped_text(machine).context("there is no such machine")?;
    let machine = &MachineFile::parse(machine, text)?.machine;
    let before = elapsed(&trace, machine, &Edit::default())?;
    for one in all {
        let Some(cure) = cure(one, trace.head()) else { continue };
        // Without some calls others do not come to their end: that is no cure.
        if let Ok(after) = elapsed(&trace, machine, &cure.edit) {
            let saved_s = rounded((before - after).as_secs());
            one.worth = Some(Worth { saved_s, cure: cure.name.to_owned() });
        }
    }
    Ok(())
}

/// How long the run takes with something changed.
fn elapsed(trace: &TraceFile, machine: &Machine, edit: &Edit) -> Result<SimTime> {
    let ranks = trace.head().all_ranks().zip(trace.all_ranks());
    let streams = ranks.map(|(rank, events)| edit.events(rank, events)).collect();
    let outcome = simulate(trace.head(), streams, machine, &mut ());
    trace.sound()?;
    if !outcome.is_complete() {
        let why = outcome.complaints.iter().find(|complaint| complaint.stops());
        let why = why.map_or_else(String::new, ToString::to_string);
        bail!("the trace does not run to its end: {why}");
    }
    Ok(outcome.elapsed)
}

struct Cure {
    name: &'static str,
    edit: Edit,
}

/// What would be different without it; none where a trace cannot say.
fn cure(one: &ReportedBottleneck, head: &TraceHead) -> Option<Cure> {
    let focus: Focus = one.focus.parse().ok()?;
    let part = |hierarchy| focus.part(hierarchy).first().cloned();
    let code = part(Hierarchy::Code)?;
    let region = match code.is_root() {
        true => None,
        false => {
            let label = code.label();
            let at = head.regions().iter().position(|name| *name == label)?;
            Some(RegionId(u32::try_from(at).ok()?))
        }
    };
    let process = part(Hierarchy::Process)?;
    let rank = match process.path().split('/').nth(2) {
        None => None,
        Some(number) => Some(number.parse().ok().filter(|rank| *rank < head.ranks()).map(Rank)?),
    };
    let (name, kinds) = kinds(one, &part(Hierarchy::SyncObject)?)?;
    let is_alone = |kind: &EventKind| matches!(kind, EventKind::Receives | EventKind::Computing);
    // A barrier for some of its members alone is none.
    if rank.is_some() && !kinds.iter().all(is_alone) {
        return None;
    }
    let without = kinds.into_iter().map(|what| LeftOut { what, region, rank }).collect();
    Some(Cure { name, edit: Edit { without, ..Edit::default() } })
}

/// What is left out of the run, and how that is said.
fn kinds(one: &ReportedBottleneck, object: &Resource) -> Option<(&'static str, Vec<EventKind>)> {
    let parts: Vec<&str> = object.path().split('/').skip(2).collect();
    let meetings = [EventKind::Barrier, EventKind::AnyCollective];
    match (&parts[..], one.hypothesis.as_str()) {
        (["Barrier", ..], _) => Some(("without these barriers", vec![EventKind::Barrier])),
        (["Collective"], _) => Some(("without these calls", vec![EventKind::AnyCollective])),
        (["Collective", name, ..], _) => {
            Some(("without these calls", vec![EventKind::Collective(kind(name)?)]))
        }
        // Messages of one communicator or tag are not told apart.
        (["Message"], _) | ([], "ExcessivePointToPointWaitingTime") => {
            Some(("if these messages were there when they are wanted", vec![EventKind::Receives]))
        }
        ([], "ExcessiveCollectiveWaitingTime" | "LateArrivalAtCollectives") => {
            Some(("without these barriers and calls", meetings.to_vec()))
        }
        ([], "ExcessiveSyncWaitingTime") => {
            let all = [&meetings[..], &[EventKind::Receives]].concat();
            Some(("if nothing had to be waited for", all))
        }
        ([], "CPUbound") => Some(("if it computed in no time", vec![EventKind::Computing])),
        _ => None,
    }
}

/// The kind of an operation by the name that resources have.
fn kind(name: &str) -> Option<CollectiveKind> {
    let name = name.to_ascii_lowercase();
    let name = name.trim_end_matches('v');
    match name {
        "bcast" => Some(CollectiveKind::Broadcast),
        "exscan" => Some(CollectiveKind::Scan),
        "reduce_scatter" | "reduce_scatter_block" => Some(CollectiveKind::ReduceScatter),
        name => CollectiveKind::named(name),
    }
}
