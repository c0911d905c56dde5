//! What curing each bottleneck of a report is worth, by simulating the trace of the run without it: seconds of the whole run, which are not its
//! own share, because others may wait no less.
//!
//! No cure saves more than what is simulated. Of what a trace cannot say nothing is said.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result};
use whyperf_experiments::{MachineFile, TraceFile};
use whyperf_extrapolate::{Edit, Machine, SimTime, simulate};

use super::cure::Cure;
use super::cured_run::{CuredRun, LockWaits, events};
use super::trace_resources::TraceResources;
use crate::output::report::{Report, Worth, rounded};

/// Adds to the bottlenecks of a report what they are worth, as far as the trace of its run tells it; or why it is not known.
pub(crate) fn tell(path: &Path, report: &mut Report) {
    let note = match add(path, report, MOST_EVENTS) {
        Ok(0) => return,
        Ok(left) => format!(
            "What {left} more bottlenecks are worth was not simulated, which takes longer the more events a trace has: see `whyperf what-if`."
        ),
        Err(error) => format!("What bottlenecks are worth is not known: {error:#}."),
    };
    report.remarks.notes.push(note);
}

/// Events that are simulated before whoever waits for the report has waited long enough: some twenty seconds.
const MOST_EVENTS: u64 = 200_000_000;

/// Adds what bottlenecks are worth, and says of how many it would take more than so many events.
fn add(path: &Path, report: &mut Report, most: u64) -> Result<usize> {
    let trace = TraceFile::open(path)?;
    let text = MachineFile::shipped_text(HERE).context("there is no such machine")?;
    let machine = MachineFile::parse(HERE, text)?.machine;
    let resources = TraceResources::of(&trace.about().facts);
    let Report { bottlenecks, time_by_process, .. } = report;
    let run = CuredRun::new(&trace, &resources, time_by_process);
    let known = Vec::new();
    let mut simulations =
        Simulations { trace: &trace, machine, resources: &resources, known, left: most };
    simulations.elapsed(&Edit::default(), LockWaits::Over)?;
    let mut not_simulated = 0;
    for one in bottlenecks {
        if simulations.left == 0 {
            not_simulated += 1;
            continue;
        }
        let Some(Cure { name, edit, ends, lock_waits }) = Cure::of(one, &run) else { continue };
        let mut saved = |edit: &Edit| simulations.saved(edit, lock_waits);
        let Some(saved_s) = saved(&edit) else { continue };
        let ends = ends.and_then(|[low, high]| Some([saved(&low)?, saved(&high)?]));
        one.worth = Some(Worth {
            saved_s: rounded(saved_s),
            plus_minus_s: ends.map(|[low, high]| rounded((high - low).abs() / 2.0)),
            cure: name.to_owned(),
        });
    }
    Ok(not_simulated)
}

/// The machine whose network is taken for that of this one.
const HERE: &str = "laptop";

/// What is said of a run that stops before its end.
const NO_END: &str = "the trace does not run to its end";

/// The run with one thing or the other changed. Bottlenecks that one cure is for are simulated once.
struct Simulations<'t> {
    trace: &'t TraceFile,
    machine: Machine,
    resources: &'t TraceResources,
    /// How long it takes with each change that was simulated; none where it does not come to its end.
    known: Vec<(Edit, LockWaits, Option<SimTime>)>,
    /// Events that may still be simulated.
    left: u64,
}

impl Simulations<'_> {
    /// The seconds that something saves; none where others do not come to their end without some calls: that is no cure.
    fn saved(&mut self, edit: &Edit, lock_waits: LockWaits) -> Option<f64> {
        let before = self.elapsed(&Edit::default(), lock_waits).ok()?;
        let after = self.elapsed(edit, lock_waits).ok()?;
        Some((before - after).as_secs())
    }

    /// How long the run takes with something changed.
    fn elapsed(&mut self, edit: &Edit, lock_waits: LockWaits) -> Result<SimTime> {
        let mut known = self.known.iter();
        if let Some((.., elapsed)) = known.find(|one| one.0 == *edit && one.1 == lock_waits) {
            return elapsed.context(NO_END);
        }
        self.left = self.left.saturating_sub(self.trace.events());
        let nothing = BTreeSet::new();
        let locks = match lock_waits {
            LockWaits::AsMeasured => &self.resources.locks,
            LockWaits::Over => &nothing,
        };
        let trace = self.trace;
        let of_rank = |rank| edit.events(rank, events(trace, rank, locks));
        let streams = trace.head().all_ranks().map(of_rank).collect();
        let outcome = simulate(trace.head(), streams, &self.machine, &mut ());
        trace.sound()?;
        let elapsed = outcome.is_complete().then_some(outcome.elapsed);
        self.known.push((edit.clone(), lock_waits, elapsed));
        elapsed.with_context(|| {
            let why = outcome.complaints.iter().find(|complaint| complaint.stops());
            format!("{NO_END}: {}", why.map_or_else(String::new, ToString::to_string))
        })
    }
}

#[cfg(test)]
mod tests;
