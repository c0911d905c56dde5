//! What curing each bottleneck of a report is worth, by simulating the trace of the run without it: seconds of the whole run, which are not its
//! own share, because others may wait no less.
//!
//! Of a wait for messages it is what a network without any latency would save; of a barrier or collective call, what leaving it out would; of
//! computing in a function, what doing it in no time would: no cure saves more. Of what a trace cannot say nothing is said.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use whyperf_experiments::{MachineFile, TraceFile};
use whyperf_extrapolate::{
    CallKind, CollectiveKind, Edit, Interconnect, LeftOut, Machine, Network, RegionId,
    RemoteAccessModel, SimTime, TraceHead, simulate,
};
use whyperf_model::{Focus, Hierarchy};

use crate::output::report::{ReportedBottleneck, Worth, rounded};

/// Adds to bottlenecks what they are worth, as far as the trace of their run tells it on a machine that is shipped.
pub(crate) fn add(path: &Path, machine: &str, all: &mut [ReportedBottleneck]) -> Result<()> {
    let trace = TraceFile::open(path)?;
    let text = MachineFile::shipped_text(machine).context("there is no such machine")?;
    let machine = &MachineFile::parse(machine, text)?.machine;
    let (before, complaint) = elapsed(&trace, machine, &Edit::default())?;
    if let Some(complaint) = complaint {
        bail!("the trace does not run to its end: {complaint}");
    }
    for one in all {
        let Some(cure) = cure(one, trace.head(), machine) else { continue };
        let (after, complaint) = elapsed(&trace, &cure.machine, &cure.edit)?;
        if complaint.is_none() {
            let saved_s = rounded((before - after).as_secs());
            one.worth = Some(Worth { saved_s, cure: cure.name });
        }
    }
    Ok(())
}

/// How long the run takes with something changed, and what is wrong with it then.
fn elapsed(trace: &TraceFile, machine: &Machine, edit: &Edit) -> Result<(SimTime, Option<String>)> {
    let streams = trace.all_ranks().into_iter().map(|events| edit.events(events)).collect();
    let outcome = simulate(trace.head(), streams, &edit.machine(machine), &mut ());
    trace.sound()?;
    Ok((outcome.elapsed, outcome.complaints.first().map(ToString::to_string)))
}

struct Cure {
    name: String,
    edit: Edit,
    machine: Machine,
}

/// What would be different without it; none where a trace cannot say.
fn cure(one: &ReportedBottleneck, head: &TraceHead, machine: &Machine) -> Option<Cure> {
    let focus: Focus = one.focus.parse().ok()?;
    let part = |hierarchy| focus.part(hierarchy).first().cloned();
    // Of some processes alone a change is not simulated.
    if !part(Hierarchy::Process)?.is_root() || !part(Hierarchy::Machine)?.is_root() {
        return None;
    }
    let code = part(Hierarchy::Code)?;
    let region = match code.is_root() {
        true => None,
        false => {
            let label = code.label();
            let at = head.regions().iter().position(|name| *name == label)?;
            Some(RegionId(u32::try_from(at).ok()?))
        }
    };
    let object = part(Hierarchy::SyncObject)?;
    let parts: Vec<&str> = object.path().split('/').skip(2).collect();
    let without = |calls, name: &str| {
        let without = vec![LeftOut { calls, region }];
        let edit = Edit { without, ..Edit::default() };
        Some(Cure { name: name.to_owned(), edit, machine: machine.clone() })
    };
    match parts[..] {
        ["Barrier", ..] => without(CallKind::Barrier, "without these barriers"),
        ["Collective"] => without(CallKind::AnyCollective, "without these calls"),
        ["Collective", name, ..] => {
            without(CallKind::Collective(kind(name)?), "without these calls")
        }
        ["Message", ..] if region.is_none() => {
            let machine = Machine {
                network: Network::default(),
                remote_access: RemoteAccessModel::default(),
                interconnect: Interconnect::default(),
                ..machine.clone()
            };
            let name = "if messages took no time".to_owned();
            Some(Cure { name, edit: Edit::default(), machine })
        }
        [] if one.hypothesis == COMPUTING => {
            let factors = [(head.region(region?), 0.0)].into();
            let edit = Edit { factors, ..Edit::default() };
            Some(Cure {
                name: "if it computed in no time".to_owned(),
                edit,
                machine: machine.clone(),
            })
        }
        _ => None,
    }
}

/// The hypothesis that is about computing.
const COMPUTING: &str = "CPUbound";

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
