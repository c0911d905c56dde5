//! One simulated run: how long it takes, what its time goes to, and which bottleneck leads.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};
use whyperf_consultant::Hypotheses;
use whyperf_experiments::TraceFile;
use whyperf_extrapolate::{Activity, Edit, Machine, Outcome, RankOutcome, TraceHead, simulate};
use whyperf_model::{Focus, Hierarchy, Resource};

use crate::extrapolation::sweep::Setting;

/// A run on a machine that is not there.
#[derive(Clone, Debug)]
pub(crate) struct ExtrapolatedRun {
    /// Of which variant of the program.
    pub(crate) variant: String,
    /// What was set.
    pub(crate) setting: Setting,
    pub(crate) ranks: u32,
    pub(crate) processors: u32,
    pub(crate) elapsed_s: f64,
    /// The time of all ranks.
    pub(crate) compute_s: f64,
    pub(crate) communication_s: f64,
    pub(crate) barrier_s: f64,
    pub(crate) processor_wait_s: f64,
    pub(crate) leading: Option<Leading>,
    /// None where a trace was simulated.
    pub(crate) guess: Option<Guess>,
    /// Whether it came to its end.
    pub(crate) is_complete: bool,
    /// What was wrong with the trace.
    pub(crate) complaints: Vec<String>,
}

/// What is known of a run that was guessed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Guess {
    /// By how much the time may be off: what the models missed known runs by.
    pub(crate) plus_minus_s: f64,
}

/// The bottleneck that the time goes to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Leading {
    pub(crate) hypothesis: String,
    pub(crate) focus: String,
    /// Of the time of all ranks.
    pub(crate) share: f64,
}

impl ExtrapolatedRun {
    /// Simulates a trace, changed by an edit, on a machine with a setting.
    pub(crate) fn simulate(
        path: &Path,
        variant: &str,
        machine: &Machine,
        setting: &Setting,
        edit: &Edit,
    ) -> Result<Self> {
        let trace = TraceFile::open(path)?;
        let machine = edit.machine(&setting.applied(machine));
        let ranks = trace.head().all_ranks().zip(trace.all_ranks());
        let streams = ranks.map(|(rank, events)| edit.events(rank, events)).collect();
        let outcome = simulate(trace.head(), streams, &machine, &mut ());
        trace.sound()?;
        let total = outcome.total();
        let seconds = |activities: &[Activity]| -> f64 {
            activities.iter().map(|activity| total[*activity].as_secs()).sum()
        };
        let mut complaints: Vec<String> =
            outcome.complaints.iter().map(ToString::to_string).collect();
        if outcome.more_complaints > 0 {
            complaints.push(format!("and {} more", outcome.more_complaints));
        }
        Ok(Self {
            variant: variant.to_owned(),
            setting: setting.clone(),
            ranks: trace.head().ranks(),
            processors: outcome.processors,
            elapsed_s: outcome.elapsed.as_secs(),
            compute_s: seconds(&[Activity::Compute]),
            communication_s: seconds(&COMMUNICATION),
            barrier_s: seconds(&[Activity::Barrier]),
            processor_wait_s: seconds(&[Activity::ProcessorWait]),
            leading: leading(&outcome, trace.head()),
            guess: None,
            is_complete: outcome.is_complete(),
            complaints,
        })
    }

    /// The time of all ranks.
    pub(crate) fn total_s(&self) -> f64 {
        self.compute_s + self.communication_s + self.barrier_s + self.processor_wait_s
    }

    /// How many times as fast as this time it is; one where neither takes any.
    pub(crate) fn speedup(&self, base_s: f64) -> f64 {
        if self.elapsed_s > 0.0 { base_s / self.elapsed_s } else { 1.0 }
    }

    pub(crate) fn as_json(&self, base_s: f64) -> Value {
        let speedup = self.speedup(base_s);
        let leading = self.leading.as_ref();
        json!({
            "variant": self.variant,
            "set": self.setting.as_json(),
            "ranks": self.ranks,
            "processors": self.processors,
            "elapsed_s": self.elapsed_s,
            "speedup": speedup,
            "efficiency": speedup / f64::from(self.processors),
            "compute_s": self.compute_s,
            "communication_s": self.communication_s,
            "barrier_s": self.barrier_s,
            "processor_wait_s": self.processor_wait_s,
            "leading": leading.map(|leading| json!({
                "hypothesis": leading.hypothesis,
                "focus": leading.focus,
                "share": leading.share,
            })),
            "guess": self.guess.is_some(),
            "plus_minus_s": self.guess.map(|guess| guess.plus_minus_s),
            "complaints": self.complaints,
        })
    }
}

/// What is told as communication.
const COMMUNICATION: [Activity; 4] =
    [Activity::Message, Activity::Collective, Activity::RemoteAccess, Activity::Service];

/// What an activity is called when it is a bottleneck, and below which object it is.
const fn hypothesis(activity: Activity) -> (&'static str, Option<&'static str>) {
    match activity {
        Activity::Compute => ("CPUbound", None),
        Activity::Message => ("ExcessivePointToPointWaitingTime", Some("Message")),
        Activity::Collective => ("ExcessiveCollectiveWaitingTime", Some("Collective")),
        Activity::Barrier => ("ExcessiveSyncWaitingTime", Some("Barrier")),
        Activity::RemoteAccess | Activity::Service => ("ExcessiveSyncWaitingTime", Some("Window")),
        Activity::ProcessorWait => ("WaitingForProcessors", None),
    }
}

/// The bottleneck by the table of hypotheses: a lack of processors first, then the longest waiting, then computing.
fn leading(outcome: &Outcome, head: &TraceHead) -> Option<Leading> {
    let table = Hypotheses::built_in();
    let threshold = |name: &str| {
        let row = table.named(name).map(|id| table.row(id).threshold);
        row.unwrap_or(f64::INFINITY)
    };
    let total = outcome.total();
    let all: f64 = Activity::ALL.iter().map(|activity| total[*activity].as_secs()).sum();
    let share = |activity: Activity| total[activity].as_secs() / all.max(f64::MIN_POSITIVE);
    let waits =
        [Activity::Message, Activity::Collective, Activity::Barrier, Activity::RemoteAccess];
    let longest = waits.into_iter().max_by(|one, other| share(*one).total_cmp(&share(*other)))?;
    let order = [Activity::ProcessorWait, longest, Activity::Compute];
    let is_true = |activity: &Activity| share(*activity) > threshold(hypothesis(*activity).0);
    let activity = order.into_iter().find(is_true)?;
    let (name, object) = hypothesis(activity);
    let in_region = |region: usize| -> f64 {
        let of_rank = |rank: &RankOutcome| {
            rank.regions.get(region).map_or(0.0, |times| times[activity].as_secs())
        };
        outcome.ranks.iter().map(of_rank).sum()
    };
    let regions = (0..head.regions().len()).map(|region| (region, in_region(region)));
    let most = regions.max_by(|one, other| one.1.total_cmp(&other.1));
    let mut focus = Focus::whole_program();
    if let Some(name) = most.and_then(|(region, _)| head.regions().get(region)) {
        focus = focus.with(Hierarchy::Code, Resource::root(Hierarchy::Code).child(name));
    }
    if let Some(object) = object {
        let object = Resource::root(Hierarchy::SyncObject).child(object);
        focus = focus.with(Hierarchy::SyncObject, object);
    }
    Some(Leading { hypothesis: name.to_owned(), focus: focus.to_string(), share: share(activity) })
}
