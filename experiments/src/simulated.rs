//! A simulated run as a run like any other: what each rank did, pass by pass, so that it can be stored, shown and searched.

use std::collections::BTreeMap;
use std::time::Duration;

use whyperf_extrapolate::{
    Activity, EventBegin, Machine, Observer, Outcome, Rank, RegionId, Segment, SimTime, TraceHead,
};
use whyperf_model::matching::{
    ClassId, Grown, IntervalRecord, Kind, Location, LocationId, Totals, Worked,
};
use whyperf_model::{Category, Hierarchy, Interval, Nanos, Resource, Time};

use crate::recorder::Progress;
use crate::run::StoredProfileRow;

/// Hears of a simulation, and becomes what a measured run would have told.
#[derive(Debug)]
pub struct SimulatedRun {
    /// How long a pass is.
    width: SimTime,
    /// The number of the last pass, in which the run ends.
    last: usize,
    passes: Vec<Pass>,
    /// For how long and how often, by rank, region and activity.
    totals: BTreeMap<(Rank, KindKey), (SimTime, u64)>,
}

/// Regions and activities stand for kinds.
type KindKey = (RegionId, Activity);

/// What ranks did in a pass.
type Pass = BTreeMap<(Rank, KindKey), (SimTime, u64)>;

/// A run has so many passes, whatever its length.
const PASSES: f64 = 200.0;

impl SimulatedRun {
    /// Of a simulation that takes so long.
    #[must_use]
    pub fn new(elapsed: SimTime) -> Self {
        // Times are whole nanoseconds in a run.
        let width = SimTime::nanos((elapsed.as_nanos() / PASSES).ceil().max(1.0));
        let last = (elapsed.as_nanos() / width.as_nanos()).ceil().max(1.0) as usize - 1;
        Self { width, last, passes: Vec::new(), totals: BTreeMap::new() }
    }

    fn pass_at(&self, time: SimTime) -> usize {
        ((time.as_nanos() / self.width.as_nanos()) as usize).min(self.last)
    }

    fn pass(&mut self, number: usize) -> &mut Pass {
        if self.passes.len() <= number {
            self.passes.resize_with(number + 1, Pass::new);
        }
        &mut self.passes[number]
    }

    /// All that a store keeps of a run.
    #[must_use]
    pub fn progress(&self, head: &TraceHead, machine: &Machine, outcome: &Outcome) -> Progress {
        let mut kinds: BTreeMap<KindKey, ClassId> = BTreeMap::new();
        for (number, key) in (0..).zip(self.all_kinds()) {
            kinds.insert(key, ClassId(number));
        }
        let locations: Vec<Location> =
            head.all_ranks().map(|rank| location(rank, head, machine)).collect();
        let mut interval_records: Vec<IntervalRecord> = (0..)
            .zip(&self.passes)
            .map(|(number, pass)| self.interval_record(number, pass, &kinds, outcome))
            .collect();
        let appeared = self.appeared(head, &locations);
        if let Some(first) = interval_records.first_mut() {
            first.placed = locations
                .iter()
                .map(|location| (location.process.clone(), location.machine.clone()))
                .collect();
            first.locations.clone_from(&locations);
            first.kinds = kinds.keys().map(|key| kind(*key, head)).collect();
            first.appeared.clone_from(&appeared);
        }
        let ranks = u64::from(head.ranks());
        let mut machines: Vec<&Resource> = locations.iter().map(|one| &one.machine).collect();
        machines.dedup();
        Progress {
            elapsed: Duration::from_nanos(nanos(outcome.elapsed).0),
            counts: [ranks, ranks, machines.len() as u64],
            appeared: appeared.into_iter().map(|one| (one, Time(Nanos(0)))).collect(),
            profile: self.profile(head),
            interval_records,
            ..Progress::default()
        }
    }

    fn all_kinds(&self) -> Vec<KindKey> {
        let mut all: Vec<KindKey> = self.totals.keys().map(|(_, key)| *key).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn interval_record(
        &self,
        number: u32,
        pass: &Pass,
        kinds: &BTreeMap<KindKey, ClassId>,
        outcome: &Outcome,
    ) -> IntervalRecord {
        let start = self.width * f64::from(number);
        let end = (self.width * f64::from(number + 1)).min(outcome.elapsed);
        let is_there = |rank: &(u32, &whyperf_extrapolate::RankOutcome)| rank.1.end > start;
        let present: Vec<LocationId> =
            (0..).zip(&outcome.ranks).filter(is_there).map(|(rank, _)| LocationId(rank)).collect();
        let grown = |((rank, key), (time, visits)): (&(Rank, KindKey), &(SimTime, u64))| {
            let time = nanos(*time);
            let runs = matches!(key.1, Activity::Compute | Activity::Service);
            let running = if runs { time } else { Nanos(0) };
            let by = Totals { time, running, visits: *visits, ..Totals::default() };
            let kind = kinds.get(key).copied()?;
            Some(Grown { location: LocationId(rank.0), kind, by })
        };
        let worked = |location: &LocationId| Worked { location: *location, ending: Nanos(0) };
        IntervalRecord {
            interval: Interval::new(Time(nanos(start)), Time(nanos(end))),
            at_work: present.iter().map(worked).collect(),
            present,
            grown: pass.iter().filter_map(grown).collect(),
            ..IntervalRecord::default()
        }
    }

    /// All resources, parents before children.
    fn appeared(&self, head: &TraceHead, locations: &[Location]) -> Vec<Resource> {
        let mut all = Vec::new();
        for key in self.all_kinds() {
            let kind = kind(key, head);
            all.extend(kind.code.into_iter().chain(kind.object));
        }
        for location in locations {
            let Location { thread, process, machine, .. } = location;
            all.extend([machine, process, thread].map(Clone::clone));
        }
        let mut known = std::collections::BTreeSet::new();
        all.retain(|one| known.insert(one.clone()));
        all
    }

    fn profile(&self, head: &TraceHead) -> Vec<StoredProfileRow> {
        let mut all = Vec::new();
        for ((rank, (region, activity)), (time, visits)) in &self.totals {
            let name = head.region(*region);
            let exclusive = nanos(*time);
            let is_own = *activity == Activity::Compute;
            let path = if is_own { vec![name] } else { vec![name, activity.name().to_owned()] };
            let below: SimTime = match is_own {
                true => self.of_region(*rank, *region),
                false => *time,
            };
            all.push(StoredProfileRow {
                process: rank.0,
                thread: 0,
                path,
                calls: *visits,
                inclusive: nanos(below),
                exclusive,
                sent: 0,
                received: 0,
                source: None,
                coverage: Some(1.0),
            });
        }
        all
    }

    fn of_region(&self, rank: Rank, region: RegionId) -> SimTime {
        let of = Activity::ALL.map(|activity| self.totals.get(&(rank, (region, activity))));
        of.into_iter().flatten().map(|(time, _)| *time).sum()
    }
}

impl Observer for SimulatedRun {
    fn event(&mut self, begun: EventBegin) {
        let EventBegin { rank, region, activity, time } = begun;
        let key = (rank, (region, activity));
        self.totals.entry(key).or_default().1 += 1;
        let pass = self.pass_at(time);
        self.pass(pass).entry(key).or_default().1 += 1;
    }

    fn segment(&mut self, segment: Segment) {
        let Segment { rank, region, activity, start, end } = segment;
        let key = (rank, (region, activity));
        self.totals.entry(key).or_default().0 += end - start;
        let mut at = start;
        let mut pass = self.pass_at(start);
        while at < end {
            let boundary = self.width * (pass + 1) as f64;
            let until = if pass < self.last { boundary.min(end) } else { end };
            self.pass(pass).entry(key).or_default().0 += until - at;
            (at, pass) = (until.max(at), pass + 1);
        }
    }
}

fn nanos(time: SimTime) -> Nanos {
    Nanos(time.as_nanos().round() as u64)
}

fn location(rank: Rank, head: &TraceHead, machine: &Machine) -> Location {
    let process = Resource::root(Hierarchy::Process).child(&rank.0.to_string());
    let node = machine.processors.node_of(rank, head.ranks());
    let name = format!("{}-{node}", machine.name);
    Location {
        number: rank.0,
        rank: Some(rank.0),
        thread: process.child("0"),
        process,
        machine: Resource::root(Hierarchy::Machine).child(&name),
    }
}

fn kind((region, activity): KindKey, head: &TraceHead) -> Kind {
    let code = Resource::root(Hierarchy::Code).child(&head.region(region));
    let object = |name: &str| Some(Resource::root(Hierarchy::SyncObject).child(name));
    let (category, object) = match activity {
        Activity::Compute => (Category::User, None),
        Activity::Message => (Category::Receive, object("Message")),
        Activity::Collective => (Category::Collective, object("Collective")),
        Activity::Barrier => (Category::Barrier, object("Barrier")),
        Activity::RemoteAccess => (Category::OneSided, object("Window")),
        Activity::Service => (Category::MpiOther, None),
        Activity::ProcessorWait => (Category::RunDelay, None),
    };
    let own = (activity == Activity::Compute).then(|| code.clone());
    Kind { category, code: vec![code], object, own }
}
