//! One measured process: its threads, what its numbers mean, and where it stands.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use whyperf_inject::Life;
use whyperf_layout::{Answer, Command, NO_RANK, State};
use whyperf_model::matching::{
    ClassId, Classes, IntervalRecorder, Matcher, ResourceId, Resources, Worked,
};
use whyperf_model::{Category, Hierarchy, Jobs, Nanos, Resource, Scale};

use crate::catalogue::Catalogue;
use crate::clock::Moment;
use crate::compensation::{self, Price};
use crate::cost::{Losses, event_cost};
use crate::leaving::Departure;
use crate::member::Member;
use crate::region::Region;
use crate::thread::{Depth, NodeState, Thread};

/// What all processes share: names, classes and pairs.
#[derive(Debug, Default)]
pub(crate) struct SharedState {
    pub(crate) classes: Classes,
    pub(crate) resources: Resources,
    pub(crate) matcher: Matcher,
    /// Which ranks work together.
    pub(crate) jobs: Jobs,
    /// Writes interval records, where a record of the run is wanted.
    pub(crate) recorder: Option<IntervalRecorder>,
}

/// A measured process, also after its end.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) rank: Option<u32>,
    pub(crate) resource: ResourceId,
    pub(crate) machine: ResourceId,
    /// `None` after the end.
    pub(crate) region: Option<Region>,
    pub(crate) life: Life,
    pub(crate) catalogue: Catalogue,
    pub(crate) members: Vec<Member>,
    pub(crate) losses: Losses,
    /// Nanoseconds that events cost in the last pass, and in all.
    pub(crate) cost: Nanos,
    pub(crate) cost_so_far: Nanos,
    /// Of the last pass's cost, that of functions.
    pub(crate) functions_cost: Nanos,
    pub(crate) paused: bool,
    /// What it did as a rank of a job.
    pub(crate) labour: crate::efficiency::Labour,
    /// Groups that any of its threads was in during the last pass.
    pub(crate) groups: Vec<u32>,
    by_slot: Vec<Seat>,
    is_tsc: bool,
    replaced_for: u32,
    still: bool,
    /// A newer region of the same process id was found.
    pub(crate) superseded: bool,
    /// Whether a round told of it.
    pub(crate) announced: bool,
    /// After the end, until its functions were looked at a last time.
    pub(crate) last: Option<Region>,
    /// Ticks until which its functions were looked at.
    pub(crate) served: u64,
    /// What it replied since the round before, about its functions.
    pub(crate) replies: Vec<Answer>,
    /// How far it is with going on without us.
    pub(crate) departure: Departure,
}

/// A slot, as far as it was seen.
#[derive(Clone, Copy, Debug, Default)]
struct Seat {
    /// The newest generation that was admitted.
    generation: Option<u32>,
    /// Whose it is, while that thread lives.
    member: Option<usize>,
    /// Its thread ended and was read a last time; the process was not told yet.
    release: bool,
}

/// What a pass over a process needs to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass {
    pub(crate) now: Moment,
    pub(crate) scale: Scale,
    pub(crate) thorough: bool,
    /// Whether the cost of events is taken off the times that hold it.
    pub(crate) compensates: bool,
}

/// How a process came out of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It goes on.
    Running,
    /// It ended, and was read a last time.
    Ended,
    /// Its file was cut or overwritten.
    Damaged,
}

/// Passes for which a process may be about to become another program before it is believed.
const REPLACED: u32 = 10;
/// Passes for which a thread may stand still before it is looked for.
const STILL: u32 = 20;

impl Process {
    pub(crate) fn new(
        region: Region,
        life: Life,
        machine: ResourceId,
        state: &mut SharedState,
    ) -> Self {
        let header = region.header();
        let pid = header.pid.load(Ordering::Relaxed);
        let is_tsc = header.clock_is_tsc.load(Ordering::Relaxed) != 0;
        let rank = rank(&region);
        let resource = state.resources.id(&named(&label(rank, pid)));
        state.resources.hold(resource);
        state.resources.hold(machine);
        Self {
            pid,
            rank,
            resource,
            machine,
            region: Some(region),
            life,
            catalogue: Catalogue::default(),
            members: Vec::new(),
            losses: Losses::default(),
            cost: Nanos::ZERO,
            cost_so_far: Nanos::ZERO,
            functions_cost: Nanos::ZERO,
            paused: false,
            labour: crate::efficiency::Labour::default(),
            groups: Vec::new(),
            by_slot: Vec::new(),
            is_tsc,
            replaced_for: 0,
            still: false,
            superseded: false,
            announced: false,
            last: None,
            served: 0,
            replies: Vec::new(),
            departure: Departure::None,
        }
    }

    /// Reads what changed, classifies it and hands it to the pairs.
    pub(crate) fn pass(&mut self, pass: Pass, state: &mut SharedState) -> Outcome {
        self.cost = Nanos::ZERO;
        let Some(region) = self.region.take() else { return Outcome::Ended };
        if !region.is_whole() {
            self.end(state);
            return Outcome::Damaged;
        }
        let outcome = self.outcome(&region, pass.thorough);
        self.follow_rank(&region, state);
        let paused = region.header().paused.load(Ordering::Relaxed) != 0;
        let counts = !(paused && self.paused);
        self.paused = paused;
        self.admit_threads(&region, pass.now, state);
        self.read_threads(&region, pass, outcome);
        let damaged = !region.is_whole();
        if self.catalogue.refresh(&region, &mut state.resources) {
            self.members.iter_mut().for_each(|member| member.classified = 0);
        }
        self.classify(state);
        self.attribute(pass, counts, state);
        self.work(&region, pass.scale, outcome == Outcome::Ended || damaged, state);
        self.retire_threads(&region, state);
        self.losses = Losses::read(&region, self.members.iter().map(|member| &member.thread));
        if outcome == Outcome::Ended || damaged {
            self.end(state);
            self.last = Some(region).filter(|_| !damaged);
            return if damaged { Outcome::Damaged } else { Outcome::Ended };
        }
        self.region = Some(region);
        Outcome::Running
    }

    /// Takes in what it did as a rank of a job. Whom a rank starts, or a launcher beside the ranks, inherits a rank and is none: shells
    /// around the program are the usual case.
    fn work(&mut self, region: &Region, scale: Scale, has_ended: bool, state: &mut SharedState) {
        let is_in_mpi = region.header().mpi_ticks.load(Ordering::Relaxed) != 0;
        let Some(rank) = self.rank.filter(|_| is_in_mpi) else { return };
        let known = (&self.catalogue, &state.classes, self.scale(scale));
        self.labour.attend(rank, &mut state.jobs);
        if let Some(first) = self.members.first()
            && let Some(ending) = self.labour.pass(first, known)
            && let Some((recorder, seat)) = state.recorder.as_mut().zip(first.seat)
        {
            recorder.at_work(Worked { seat, ending });
        }
        self.labour.leave_if(has_ended, &mut state.jobs);
    }

    /// Tells what it just grew by apart from the others, for pairs that set processes side by side. Those are the ranks of a job: what
    /// else a program starts shares no work with them.
    pub(crate) fn settle_apart(&self, number: u32, state: &mut SharedState) {
        let SharedState { classes, resources, matcher, .. } = state;
        let mut lineage = resources.lineage(self.resource);
        lineage.extend(resources.lineage(self.machine));
        lineage.sort_unstable();
        let job = self.labour.effort.job;
        let process = whyperf_model::matching::OneProcess { number, job, lineage: &lineage };
        matcher.settle_apart(classes, self.labour.has_begun().then_some(&process));
    }

    /// Finds out what there is, so that its places can be asked for before any of it is counted.
    pub(crate) fn look_ahead(&mut self, now: Moment, state: &mut SharedState) {
        let is_whole = self.region.as_ref().is_some_and(Region::is_whole);
        let Some(region) = self.region.take_if(|_| is_whole) else { return };
        self.admit_threads(&region, now, state);
        for member in self.members.iter_mut().filter(|member| !member.thread.ended) {
            if let Some(slot) = region.slot(member.thread.slot) {
                member.thread.take_keys(&slot);
            }
        }
        if self.catalogue.refresh(&region, &mut state.resources) {
            self.members.iter_mut().for_each(|member| member.classified = 0);
        }
        self.classify(state);
        self.region = Some(region);
    }

    /// All classes are made anew; for when places became known.
    pub(crate) fn reclassify(&mut self, state: &mut SharedState) {
        self.catalogue.forget(&mut state.resources);
        self.members.iter_mut().for_each(|member| member.classified = 0);
        self.classify(state);
        if self.region.is_none() {
            self.catalogue.forget(&mut state.resources);
        }
    }

    /// How it is called: by its rank if it has one.
    pub(crate) fn label(&self) -> String {
        label(self.rank, self.pid)
    }

    fn outcome(&mut self, region: &Region, thorough: bool) -> Outcome {
        let replaced = region.state() == State::Replaced;
        self.replaced_for = if replaced { self.replaced_for + 1 } else { 0 };
        let replaced = self.superseded || self.replaced_for > REPLACED;
        let left = region.state() == State::Left || replaced;
        if left || ((self.still || thorough) && self.life.is_over()) {
            Outcome::Ended
        } else {
            Outcome::Running
        }
    }

    fn follow_rank(&mut self, region: &Region, state: &mut SharedState) {
        let rank = rank(region);
        if rank == self.rank || rank.is_none() {
            return;
        }
        self.rank = rank;
        let resource = state.resources.id(&named(&self.label()));
        state.resources.hold(resource);
        state.resources.release(self.resource);
        self.resource = resource;
        for member in &mut self.members {
            let number = member.thread.number;
            let moved = thread_resource(resource, number, &mut state.resources);
            member.moved(moved, &mut state.resources);
        }
    }

    fn admit_threads(&mut self, region: &Region, now: Moment, state: &mut SharedState) {
        let ticks = self.ticks(now);
        // Asked once: it grows while threads start.
        let slots = region.slot_count();
        self.by_slot.resize(slots.max(self.by_slot.len()), Seat::default());
        for number in 0..slots {
            let Some(slot) = region.slot(number) else { continue };
            let generation = slot.head.life();
            let seat = self.by_slot[number];
            if generation == 0 || seat.generation == Some(generation) {
                continue;
            }
            if let Some(at) = seat.member {
                self.members[at].leave(&mut state.resources);
            }
            let order = u32::try_from(self.members.len()).unwrap_or(u32::MAX);
            let resource = thread_resource(self.resource, order, &mut state.resources);
            state.resources.hold(resource);
            let member = Some(self.members.len());
            self.by_slot[number] = Seat { generation: Some(generation), member, release: false };
            self.members.push(Member::new(Thread::new(order, number, slot.head, ticks), resource));
        }
    }

    fn read_threads(&mut self, region: &Region, pass: Pass, outcome: Outcome) {
        let (now, depth) = match outcome {
            Outcome::Running if pass.thorough => (self.ticks(pass.now), Depth::All),
            Outcome::Running => (self.ticks(pass.now), Depth::Changed),
            _ => match region.header().end_ticks.load(Ordering::Relaxed) {
                // It said when it left: until then its last segments were open.
                end if end != 0 && end <= self.ticks(pass.now) => (end, Depth::All),
                _ => (self.ticks(pass.now), Depth::Last),
            },
        };
        self.still = true;
        let scale = self.scale(pass.scale);
        for member in &mut self.members {
            member.growth.clear();
            if member.thread.ended {
                continue;
            }
            let Some(slot) = region.slot(member.thread.slot) else { continue };
            let went = member.thread.pass(&slot, now, depth, &mut member.growth);
            let prices = [Price::of_function(slot.head), Price::of(slot.head)];
            let is_function = |node: &NodeState| region.is_function(node.region);
            let (nodes, growth) = (&mut member.thread.nodes, &mut member.growth);
            compensation::see(nodes, growth);
            member.spent = event_cost(nodes, growth, prices, is_function, scale);
            if pass.compensates {
                let price = |node: &NodeState| prices[usize::from(!is_function(node))];
                compensation::apply(nodes, growth, price);
            }
            member.thread.in_order = went == Depth::Last && depth != Depth::Last;
            self.still &= member.thread.still > 0;
            let gone = member.thread.still % STILL == STILL - 1
                && !self.life.has_thread(member.thread.tid);
            member.thread.ended = went == Depth::Last || gone;
        }
    }

    fn classify(&mut self, state: &mut SharedState) {
        for member in &mut self.members {
            let from = std::mem::replace(&mut member.classified, member.thread.nodes.len());
            let nodes = &mut member.thread.nodes;
            let SharedState { classes, resources, .. } = state;
            self.catalogue.classify(nodes, from, member.base, classes, resources);
        }
    }

    /// Threads are in these functions by calls that no event told of: all they do counts for them.
    pub(crate) fn find_inside(
        &mut self,
        calls: &BTreeMap<u32, Vec<Resource>>,
        state: &mut SharedState,
    ) {
        for member in &mut self.members {
            let mut base = ClassId::NONE;
            for code in calls.get(&member.thread.tid).into_iter().flatten() {
                let own = Some(state.resources.id(code));
                let resources = &mut state.resources;
                base = state.classes.below(base, Category::Function, own, None, resources);
            }
            if member.base != base {
                member.base = base;
                member.classified = 0;
            }
        }
        self.classify(state);
    }

    /// Hands what grew to the pairs, unless the program had paused the measurement.
    fn attribute(&mut self, pass: Pass, counts: bool, state: &mut SharedState) {
        let scale = self.scale(pass.scale);
        self.groups.clear();
        self.functions_cost = Nanos::ZERO;
        if let Some(recorder) = &mut state.recorder {
            recorder.rank(self.rank);
        }
        for member in &mut self.members {
            if member.thread.ended && member.growth.is_empty() {
                continue;
            }
            let [functions, others] = std::mem::take(&mut member.spent);
            self.functions_cost += functions;
            self.cost += functions + others;
            member.find_groups(self.resource, self.machine, &state.matcher);
            member.sign_in([self.resource, self.machine], state);
            if counts {
                member.attribute(self.pid, scale, state);
            }
            self.groups.extend(&member.groups);
        }
        self.cost_so_far += self.cost;
        self.groups.sort_unstable();
        self.groups.dedup();
    }

    /// Gives up what threads held that just ended, and lets their slots be used again.
    fn retire_threads(&mut self, region: &Region, state: &mut SharedState) {
        let mut rung = false;
        for seat in &mut self.by_slot {
            if let Some(at) = seat.member
                && self.members[at].thread.ended
            {
                self.members[at].leave(&mut state.resources);
                seat.release = self.members[at].thread.in_order;
                seat.member = None;
            }
        }
        // A process without an agent takes the commands when its next thread starts.
        for (number, seat) in (0_u32..).zip(&mut self.by_slot) {
            let Some(generation) = seat.generation.filter(|_| seat.release) else { continue };
            let is_leaving = self.departure != Departure::None;
            if is_leaving
                || region.send(Command::ReleaseSlot { slot: number, generation }).is_none()
            {
                break;
            }
            seat.release = false;
            rung = true;
        }
        if rung {
            region.agent().wake();
        }
    }

    fn end(&mut self, state: &mut SharedState) {
        for seat in &mut self.by_slot {
            if let Some(at) = seat.member.take() {
                self.members[at].leave(&mut state.resources);
            }
        }
        self.catalogue.forget(&mut state.resources);
        state.resources.release(self.resource);
        state.resources.release(self.machine);
    }

    /// How long its ticks are, when those of the machine are `machine` long.
    pub(crate) const fn scale(&self, machine: Scale) -> Scale {
        if self.is_tsc { machine } else { Scale::NANOSECONDS }
    }

    pub(crate) fn ticks(&self, moment: Moment) -> u64 {
        if self.is_tsc { moment.ticks } else { moment.nanos }
    }
}

fn rank(region: &Region) -> Option<u32> {
    let rank = region.header().rank.load(Ordering::Relaxed);
    if rank == NO_RANK { None } else { u32::try_from(rank).ok() }
}

fn label(rank: Option<u32>, pid: u32) -> String {
    rank.unwrap_or(pid).to_string()
}

fn named(label: &str) -> Resource {
    Resource::root(Hierarchy::Process).child(label)
}

fn thread_resource(process: ResourceId, number: u32, resources: &mut Resources) -> ResourceId {
    let thread = resources.resource(process).child(&number.to_string());
    resources.id(&thread)
}
