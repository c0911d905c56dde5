//! What curing each bottleneck of a report is worth, by simulating the trace of the run without it: seconds of the whole run, which are not its
//! own share, because others may wait no less.
//!
//! Of a wait for messages it is what is saved where they are there when they are wanted; of a barrier or collective call, what leaving it out
//! saves, for all of its members; of computing and of files, what doing it in no time does; of computing that is divided unevenly, what dividing it
//! evenly does: no cure saves more. Of what a trace cannot say nothing is said.
//!
//! A function that is no region, or was one for a part of the run, has its share of computing from the report, and that share is taken from all
//! computing alike.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use whyperf_consultant::Split;
use whyperf_experiments::{MachineFile, TraceFile};
use whyperf_extrapolate::{
    CollectiveKind, CommId, Edit, Event, EventKind, LeftOut, Machine, Rank, RegionId, SimTime, Tag,
    simulate,
};
use whyperf_model::{Focus, Hierarchy, Resource};

use super::code_paths::Inside;
use super::trace_resources::TraceResources;
use crate::output::report::{ReportedBottleneck, Worth, rounded};

/// Adds to bottlenecks what they are worth, as far as the trace of their run tells it on a machine that is shipped.
pub(crate) fn add(
    path: &Path,
    machine: &str,
    resources: &TraceResources,
    all: &mut [ReportedBottleneck],
) -> Result<()> {
    let trace = TraceFile::open(path)?;
    let text = MachineFile::shipped_text(machine).context("there is no such machine")?;
    let machine = &MachineFile::parse(machine, text)?.machine;
    let before = elapsed(&trace, machine, &Edit::default())?;
    // Bottlenecks that one cure is for are simulated once.
    let mut known: Vec<(Edit, SimTime)> = Vec::new();
    let mut saved = |edit: &Edit| {
        let after = match known.iter().find(|(known, _)| known == edit) {
            Some((_, after)) => *after,
            None => {
                // Without some calls others do not come to their end: that is no cure.
                let after = elapsed(&trace, machine, edit).ok()?;
                known.push((edit.clone(), after));
                after
            }
        };
        Some((before - after).as_secs())
    };
    for one in all {
        let Some(cure) = Cure::of(one, &trace, resources) else { continue };
        let Some(saved_s) = saved(&cure.edit) else { continue };
        let ends = cure.ends.and_then(|[low, high]| Some([saved(&low)?, saved(&high)?]));
        one.worth = Some(Worth {
            saved_s: rounded(saved_s),
            plus_minus_s: ends.map(|[low, high]| rounded((high - low).abs() / 2.0)),
            cure: cure.name.to_owned(),
        });
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

/// An edit in which calls of some ranks or regions are left out for all of their members.
pub(crate) fn whole_meetings(edit: Edit, trace: &TraceFile) -> Edit {
    let (some, without) = edit.without.into_iter().partition(LeftOut::is_some_meetings);
    let mut edit = Edit { without, ..edit };
    let some: Vec<LeftOut> = some;
    for out in &some {
        for (rank, events) in trace.head().all_ranks().zip(trace.all_ranks()) {
            if out.rank.is_none_or(|one| one == rank) {
                edit.meetings.extend(out.meetings(rank, events));
            }
        }
    }
    edit
}

struct Cure {
    name: &'static str,
    edit: Edit,
    /// The same for the least and the greatest value that the bottleneck may have.
    ends: Option<[Edit; 2]>,
}

/// Where a bottleneck is in the trace.
#[derive(Default)]
struct CuredPart {
    rank: Option<Rank>,
    comms: Option<BTreeSet<CommId>>,
    tag: Option<Tag>,
}

impl Cure {
    /// What would be different without a bottleneck; none where a trace cannot say.
    fn of(one: &ReportedBottleneck, trace: &TraceFile, resources: &TraceResources) -> Option<Self> {
        let focus: Focus = one.focus.parse().ok()?;
        let part = |hierarchy| match focus.part(hierarchy) {
            [part] => Some(part.clone()),
            _ => None,
        };
        let (code, process) = (part(Hierarchy::Code)?, part(Hierarchy::Process)?);
        if !part(Hierarchy::File)?.is_root() {
            return None;
        }
        let mut cured = CuredPart::default();
        if let Some(number) = process.path().split('/').nth(2) {
            let known = number.parse().ok().filter(|rank| *rank < trace.head().ranks());
            cured.rank = Some(Rank(known?));
        }
        if one.hypothesis == "ExcessiveLoadImbalance" {
            let rank_factors = even_factors(trace, resources)?;
            let edit = Edit { rank_factors, apart: resources.files.clone(), ..Edit::default() };
            return Some(Self { name: "if all ranks computed as long", edit, ends: None });
        }
        if one.hypothesis == "BlockedElsewhere" {
            // A trace counts it as computing.
            let name = "if it was not blocked, which is as much of all computing at any time";
            return Self::by_share(one, name, cured.rank, trace, resources);
        }
        let object = part(Hierarchy::SyncObject)?;
        let (name, kinds) = kinds(one, &object, &mut cured, resources)?;
        let is_computing = kinds == [EventKind::Computing];
        let inside = if is_computing { Inside::Computing } else { Inside::Calls };
        if one.hypothesis == "CPUbound" && !code.is_root() && !resources.own.contains(&code) {
            let name = "if it computed in no time, and is as much of all computing at any time";
            return Self::by_share(one, name, cured.rank, trace, resources);
        }
        let regions = match code.is_root() {
            true => None,
            false => Some(resources.paths.regions(inside, &code)?),
        };
        let regions = match is_computing {
            true => Some(computing(one, regions, trace, resources)),
            false => regions,
        };
        let CuredPart { rank, comms, tag } = cured;
        let left_out =
            |what| LeftOut { what, regions: regions.clone(), rank, comms: comms.clone(), tag };
        let without = kinds.into_iter().map(left_out).collect();
        let edit = whole_meetings(Edit { without, ..Edit::default() }, trace);
        Some(Self { name, edit, ends: None })
    }

    /// Without computing that is a part of all computing, as the report says.
    fn by_share(
        one: &ReportedBottleneck,
        name: &'static str,
        rank: Option<Rank>,
        trace: &TraceFile,
        resources: &TraceResources,
    ) -> Option<Self> {
        // Of some ranks that differ from the others the share of each is not known, and neither is that of a part of the run.
        if one.is_partial || (rank.is_none() && one.split != Split::All) {
            return None;
        }
        let each = computed(trace, resources);
        let seconds = match rank {
            Some(rank) => *each.get(rank.0 as usize)?,
            None => each.iter().sum::<f64>() / each.len().max(1) as f64,
        };
        let edit = |value: f64| {
            let left = (1.0 - value * (one.to_s - one.from_s) / seconds).clamp(0.0, 1.0);
            let of_rank = |at: u32| if rank.is_none_or(|one| one.0 == at) { left } else { 1.0 };
            Edit {
                rank_factors: (0..trace.head().ranks()).map(of_rank).collect(),
                apart: resources.files.clone(),
                ..Edit::default()
            }
        };
        let ends = one.plus_minus.map(|off| [edit(one.value - off), edit(one.value + off)]);
        (seconds > 0.0).then(|| Self { name, edit: edit(one.value), ends })
    }
}

/// The regions of these in which it computes, or in which it works on files where that is the bottleneck.
fn computing(
    one: &ReportedBottleneck,
    regions: Option<BTreeSet<RegionId>>,
    trace: &TraceFile,
    resources: &TraceResources,
) -> BTreeSet<RegionId> {
    let all = || (0..).take(trace.head().regions().len()).map(RegionId).collect();
    let mut regions = regions.unwrap_or_else(all);
    let is_of_files = one.hypothesis == FILES;
    regions.retain(|region| resources.files.contains(region) == is_of_files);
    regions
}

/// The seconds that each rank computes.
fn computed(trace: &TraceFile, resources: &TraceResources) -> Vec<f64> {
    let seconds = |event: Event| match event {
        Event::Compute { region, span } if !resources.files.contains(&region) => span.as_secs(),
        _ => 0.0,
    };
    trace.all_ranks().into_iter().map(|events| events.map(seconds).sum()).collect()
}

/// By what the computing of each rank is multiplied so that all compute as long.
fn even_factors(trace: &TraceFile, resources: &TraceResources) -> Option<Vec<f64>> {
    let each = computed(trace, resources);
    let mean = each.iter().sum::<f64>() / each.len().max(1) as f64;
    let has_all = each.iter().all(|seconds| *seconds > 0.0);
    has_all.then(|| each.iter().map(|seconds| mean / seconds).collect())
}

/// What is left out of the run, and how that is said.
fn kinds(
    one: &ReportedBottleneck,
    object: &Resource,
    cured: &mut CuredPart,
    resources: &TraceResources,
) -> Option<(&'static str, Vec<EventKind>)> {
    let names: Vec<&str> = object.components().skip(1).collect();
    let meetings = [EventKind::Barrier, EventKind::AnyCollective];
    let mut of_comm = |name: &str| {
        let label = Resource::root(Hierarchy::SyncObject).child("Message");
        let label = Resource::parse(&format!("{}/{name}", label.path())).ok()?.label();
        cured.comms = Some(resources.communicators.get(&label)?.clone());
        Some(())
    };
    match (&names[..], one.hypothesis.as_str()) {
        (["Barrier", comm @ ..], _) => {
            comm.first().map_or(Some(()), |name| of_comm(name))?;
            Some((BARRIERS, vec![EventKind::Barrier]))
        }
        (["Collective"], _) => Some((CALLS, vec![EventKind::AnyCollective])),
        (["Collective", name, comm @ ..], _) => {
            comm.first().map_or(Some(()), |name| of_comm(name))?;
            Some((CALLS, vec![EventKind::Collective(kind(name)?)]))
        }
        (["Message"], _) | ([], "ExcessivePointToPointWaitingTime") => {
            Some((MESSAGES, vec![EventKind::Receives]))
        }
        (["Message", comm, tag @ ..], _) => {
            of_comm(comm)?;
            if let Some(tag) = tag.first() {
                // Wildcards have become what they matched, and other tags are any.
                cured.tag = Some(Tag(tag.parse().ok()?));
            }
            Some((MESSAGES, vec![EventKind::Receives]))
        }
        ([], "ExcessiveCollectiveWaitingTime" | "LateArrivalAtCollectives") => {
            Some(("without these barriers and calls", meetings.to_vec()))
        }
        ([], "ExcessiveSyncWaitingTime") => {
            let all = [&meetings[..], &[EventKind::Receives]].concat();
            Some(("if nothing had to be waited for", all))
        }
        ([], "CPUbound") => Some(("if it computed in no time", vec![EventKind::Computing])),
        ([], FILES) => Some(("if files took no time", vec![EventKind::Computing])),
        _ => None,
    }
}

const BARRIERS: &str = "without these barriers";
const CALLS: &str = "without these calls";
const MESSAGES: &str = "if these messages were there when they are wanted";
/// The bottleneck of input and output.
const FILES: &str = "ExcessiveIOBlockingTime";

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
