//! One measured process: its threads, what its numbers mean, and where it stands.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use whyperf_inject::{MemoryMap, RegionFile, thread_elsewhere};
use whyperf_instrument::{CounterSample, Instrumenter, ProcessInterval, StackSamplePlace};
use whyperf_layout::{Answer, Command, NO_RANK, RegionState};
use whyperf_model::matching::{CausedTime, ClassId, ResourceId, Resources, WaitingRank, Worked};
use whyperf_model::{Category, Counter, Hierarchy, Nanos, Resource, Scale};

use crate::catalogue::Catalogue;
use crate::clock::{Moment, RegionClock};
use crate::compensation::{self, Prices};
use crate::cost::{ProcessCost, RunLosses, event_cost};
use crate::counted_state::{CountedState, CounterCoverage};
use crate::departure::Departure;
use crate::efficiency::EfficiencyRecorder;
use crate::ending::ProcessEnd;
use crate::families::{Families, FamilyMember, Waiters};
use crate::memory_room::NodeRoom;
use crate::peer_messages::RecordsToRead;
use crate::pipe_users::learn_ends;
use crate::process_rest::{ProcessProgress, ProcessRest};
use crate::process_stage::ProcessStage;
use crate::rank_readiness::RankReadiness;
use crate::region::RegionMemory;
use crate::shared_state::SharedState;
use crate::succession::Succession;
use crate::thread::{Depth, MeasuredThread, NodeState};
use crate::thread_causes::ThreadCauses;
use crate::thread_counters::Earlier;
use crate::untold_threads::UntoldThreads;
use crate::watched_thread::{Attributed, CountedOf, Surroundings, ThreadState, WatchedThread};
use crate::work::{Waiter, Work};

/// A measured process, also after its end.
#[derive(Debug)]
pub(crate) struct Process {
    /// Which one of the daemon's processes it is.
    pub(crate) number: u32,
    pub(crate) pid: u32,
    /// The number by which it calls itself: another one where it has a PID namespace of its own.
    pub(crate) own_pid: u32,
    pub(crate) rank: Option<u32>,
    pub(crate) descent: Descent,
    /// The process that started it, if that was measured then.
    pub(crate) started_by: Option<u32>,
    /// Of a rank: the processors that its first thread may run on, as it was seen last.
    pub(crate) binding: Vec<usize>,
    pub(crate) resource: ResourceId,
    pub(crate) machine: ResourceId,
    pub(crate) stage: ProcessStage,
    pub(crate) ending: ProcessEnd,
    pub(crate) catalogue: Catalogue,
    pub(crate) threads: Vec<WatchedThread>,
    pub(crate) losses: RunLosses,
    /// What measuring cost in the last pass, and events in all.
    pub(crate) cost: ProcessCost,
    pub(crate) cost_so_far: Nanos,
    /// What was not its events in the pass before the last one.
    pub(crate) beside_events: Nanos,
    /// Running time in which it computed in the last pass, by the system.
    pub(crate) ran: Nanos,
    /// How long its threads lived in it, together.
    pub(crate) lived: Nanos,
    pub(crate) paused: bool,
    /// What it did as a rank of a job.
    pub(crate) efficiency: EfficiencyRecorder,
    /// Groups that any of its threads was in during the last pass.
    pub(crate) groups: Vec<u32>,
    by_slot: Vec<KnownSlot>,
    clock: RegionClock,
    pub(crate) succession: Succession,
    /// Ticks from which on it could call anything, and until which its functions were looked at.
    pub(crate) born: u64,
    pub(crate) served: u64,
    /// What it replied since the pass before, about its functions.
    pub(crate) replies: Vec<Answer>,
    /// Whether it waited for us.
    pub(crate) beginning: Beginning,
    /// How far it is with going on without us.
    pub(crate) departure: Departure,
    /// Because of whom its threads wait for each other.
    causes: ThreadCauses,
    /// For how much of its waiting it was found to wait for nobody.
    pub(crate) readiness: RankReadiness,
    /// Whether what the system counted of its threads before they were met belongs to the run.
    pub(crate) earlier: Earlier,
    /// For nodes of its threads.
    room: NodeRoom,
    rest: ProcessRest,
    /// Threads that ended before the system was asked about them.
    untold: UntoldThreads,
}

/// Whether a process may be a rank: what a rank starts has the rank in its environment, and is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Descent {
    /// No rank started it, as far as was seen.
    Independent,
    /// A rank that had started MPI, or another process of such a one, did.
    OfRank,
}

/// How a process began, as far as it was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// It ran.
    #[default]
    Free,
    /// It waited at the startup barrier for functions to be in place.
    Held,
}

/// What the daemon knows of a thread slot.
#[derive(Clone, Copy, Debug, Default)]
struct KnownSlot {
    /// The newest generation that was admitted.
    generation: Option<u32>,
    /// Its thread, by number, while that lives.
    thread: Option<usize>,
    /// Its thread ended and was read a last time; the process was not told yet.
    release: bool,
}

/// What a sampling pass tells each process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PassContext {
    pub(crate) now: Moment,
    pub(crate) scale: Scale,
    pub(crate) thorough: bool,
    /// Whether the cost of events is taken off the times that hold it.
    pub(crate) compensates: bool,
    /// What whyperf's other threads take of the time.
    pub(crate) beside: f64,
}

/// How a process came out of a sampling pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PassOutcome {
    /// It goes on.
    Running,
    /// It ended, and was read a last time.
    Ended,
    /// Its file is damaged, and it is not measured any more.
    Damaged,
}

/// Passes for which a thread may stand still before it is looked for.
const STILL: u32 = 20;

impl Process {
    /// The system calls it by `pid`.
    pub(crate) fn new(
        number: u32,
        pid: u32,
        region: RegionMemory,
        ending: ProcessEnd,
        (machine, descent): (ResourceId, Descent),
        state: &mut SharedState,
    ) -> Self {
        let header = region.header();
        let own_pid = header.pid.load(Ordering::Relaxed);
        let clock = RegionClock::of(header);
        let born = header.start_ticks.load(Ordering::Relaxed);
        let rank = rank(&region).filter(|_| descent == Descent::Independent);
        let resource = state.resources.id(&named(&label(rank, pid)));
        state.resources.hold(resource);
        state.resources.hold(machine);
        state.processors.meet(pid);
        Self {
            number,
            pid,
            own_pid,
            rank,
            descent,
            started_by: None,
            binding: Vec::new(),
            resource,
            machine,
            stage: ProcessStage::New(region),
            ending,
            catalogue: Catalogue::default(),
            threads: Vec::new(),
            losses: RunLosses::default(),
            cost: ProcessCost::default(),
            cost_so_far: Nanos::ZERO,
            beside_events: Nanos::ZERO,
            ran: Nanos::ZERO,
            lived: Nanos::ZERO,
            paused: false,
            efficiency: EfficiencyRecorder::default(),
            groups: Vec::new(),
            by_slot: Vec::new(),
            clock,
            succession: Succession::default(),
            beginning: Beginning::default(),
            born,
            served: 0,
            replies: Vec::new(),
            departure: Departure::default(),
            causes: ThreadCauses::default(),
            readiness: RankReadiness::default(),
            earlier: Earlier::DoesNot,
            room: state.room.of_another_process(),
            rest: ProcessRest::default(),
            untold: UntoldThreads::default(),
        }
    }

    /// Reads what changed, classifies it and hands it to the pairs.
    pub(crate) fn pass(
        &mut self,
        context: PassContext,
        counted: Vec<CounterSample>,
        state: &mut SharedState,
    ) -> PassOutcome {
        self.beside_events = self.cost.all() - self.cost.events;
        self.cost = ProcessCost::default();
        let Some(region) = self.stage.take() else { return PassOutcome::Ended };
        if !region.is_whole() {
            self.end(state);
            return PassOutcome::Damaged;
        }
        let outcome = self.outcome(&region, context.thorough);
        if self.rank.is_some() && (self.binding.is_empty() || context.thorough) {
            self.follow_binding();
        }
        self.follow_rank(&region, state);
        let paused = region.header().paused.load(Ordering::Relaxed) != 0;
        let counts = !(paused && self.paused);
        self.paused = paused;
        self.admit_threads(&region, context.now, state);
        self.read_threads(&region, context, outcome);
        let damaged = !region.is_whole();
        if self.catalogue.refresh(&region, &mut state.resources) {
            self.threads.iter_mut().for_each(|watched| watched.classified = 0);
        }
        self.classify(state);
        self.attribute(context, counts, outcome, state);
        if counts {
            self.causes.look(self.pid, &mut self.threads, &mut self.catalogue, state);
        }
        let has_ended = outcome != PassOutcome::Running || damaged;
        let now = Nanos(context.now.nanos);
        self.tell_counted(
            &counted,
            CountedOf { samples: &BTreeMap::new(), has_ended, now, counts },
            state,
        );
        self.work(&region, context.scale, outcome == PassOutcome::Ended || damaged, state);
        let records = if context.thorough { RecordsToRead::All } else { RecordsToRead::Changed };
        let outcome_of_all = if damaged { PassOutcome::Damaged } else { outcome };
        let how = (context.scale, records, outcome_of_all);
        self.tell_messages(&region, how, state);
        self.retire_threads(&region, state);
        self.losses = RunLosses::read(&region, self.threads.iter().map(|watched| &watched.thread));
        self.losses.unread += self.catalogue.refused();
        if outcome == PassOutcome::Ended || damaged {
            self.end(state);
            return if damaged {
                PassOutcome::Damaged
            } else {
                if region.state() == RegionState::Alone {
                    self.departure.go_on_alone(self.found_patched(&region));
                }
                self.stage = ProcessStage::Ended(region);
                PassOutcome::Ended
            };
        }
        self.stage = ProcessStage::Measured(region);
        PassOutcome::Running
    }

    /// Takes in what it did as a rank of a job. A process that a rank starts, or a launcher beside the ranks, inherits a rank and is none: shells
    /// around the program are the usual case.
    fn work(
        &mut self,
        region: &RegionMemory,
        scale: Scale,
        has_ended: bool,
        state: &mut SharedState,
    ) {
        let is_in_mpi = region.header().mpi_ticks.load(Ordering::Relaxed) != 0;
        let Some(rank) = self.rank.filter(|_| is_in_mpi) else { return };
        let known = (&self.catalogue, &state.classes, self.scale(scale));
        self.efficiency.watch(rank, &mut state.jobs);
        if let Some(first) = self.threads.first()
            && let Some(ending) = self.efficiency.pass(first, known)
            && let Some((recorder, location)) = state.recorder.as_mut().zip(first.location)
        {
            recorder.at_work(Worked { location, ending });
        }
        self.efficiency.leave_if(has_ended, &mut state.jobs);
    }

    /// Tells what it just grew by apart from the others, for pairs that set processes side by side. Those are the ranks of a job: what
    /// else a program starts shares no work with them.
    pub(crate) fn settle_apart(&self, number: u32, state: &mut SharedState) {
        let SharedState { classes, resources, matcher, .. } = state;
        let mut lineage = resources.lineage(self.resource);
        lineage.extend(resources.lineage(self.machine));
        lineage.sort_unstable();
        let job = self.efficiency.effort.job;
        let process = whyperf_model::matching::OneProcess { number, job, lineage: &lineage };
        matcher.settle_apart(classes, self.efficiency.has_begun().then_some(&process));
    }

    /// Finds out what there is, so that its places can be asked for before any of it is counted.
    pub(crate) fn look_ahead(&mut self, now: Moment, state: &mut SharedState) {
        let stage = std::mem::replace(&mut self.stage, ProcessStage::Over);
        if let Some(region) = stage.region().filter(|region| region.is_whole()) {
            self.find_keys(region, now, state);
        }
        self.stage = stage;
    }

    fn find_keys(&mut self, region: &RegionMemory, now: Moment, state: &mut SharedState) {
        self.admit_threads(region, now, state);
        for watched in self.threads.iter_mut().filter(|watched| watched.is_alive()) {
            if let Some(slot) = region.slot(watched.thread.slot) {
                watched.thread.take_keys(&slot);
            }
        }
        if self.catalogue.refresh(region, &mut state.resources) {
            self.threads.iter_mut().for_each(|watched| watched.classified = 0);
        }
        self.classify(state);
    }

    /// All classes are made anew; for when places became known.
    pub(crate) fn reclassify(&mut self, state: &mut SharedState) {
        self.catalogue.forget(&mut state.resources);
        self.threads.iter_mut().for_each(|watched| watched.classified = 0);
        self.classify(state);
        if self.stage.region().is_none() {
            self.catalogue.forget(&mut state.resources);
        }
    }

    /// What a process is that this one starts now.
    pub(crate) fn descent_of_child(&self) -> Descent {
        let header = self.stage.region().map(RegionMemory::header);
        let is_in_mpi = header.is_some_and(|header| header.mpi_ticks.load(Ordering::Relaxed) != 0);
        if self.rank.is_some() && is_in_mpi { Descent::OfRank } else { self.descent }
    }

    /// How it is called: by its rank if it has one.
    pub(crate) fn label(&self) -> String {
        label(self.rank, self.pid)
    }

    fn outcome(&mut self, region: &RegionMemory, thorough: bool) -> PassOutcome {
        let replaced = region.state() == RegionState::Replaced;
        let replaced = self.succession.pass(replaced, || has_no_region(self.pid));
        let left = matches!(region.state(), RegionState::Left | RegionState::Alone) || replaced;
        if left || self.ending.is_over(thorough || self.is_still()) {
            PassOutcome::Ended
        } else {
            PassOutcome::Running
        }
    }

    /// Whether no thread made an event since the pass before.
    fn is_still(&self) -> bool {
        let mut living = self.threads.iter().filter(|watched| watched.is_alive());
        living.all(|watched| watched.thread.still > 0)
    }

    fn follow_rank(&mut self, region: &RegionMemory, state: &mut SharedState) {
        let rank = rank(region).filter(|_| self.descent == Descent::Independent);
        if rank == self.rank || rank.is_none() {
            return;
        }
        self.rank = rank;
        let resource = state.resources.id(&named(&self.label()));
        state.resources.hold(resource);
        state.resources.release(self.resource);
        self.resource = resource;
        for watched in &mut self.threads {
            let number = watched.thread.number;
            let moved = thread_resource(resource, number, &mut state.resources);
            watched.moved(moved, &mut state.resources);
        }
    }

    fn admit_threads(&mut self, region: &RegionMemory, now: Moment, state: &mut SharedState) {
        let ticks = self.ticks(now);
        // Asked once: it grows while threads start.
        let slots = region.slot_count();
        self.by_slot.resize(slots.max(self.by_slot.len()), KnownSlot::default());
        for number in 0..slots {
            let Some(slot) = region.slot(number) else { continue };
            let generation = slot.head.life();
            let slot_state = self.by_slot[number];
            if generation == 0 || slot_state.generation == Some(generation) {
                continue;
            }
            if let Some(at) = slot_state.thread {
                self.threads[at].leave(&mut state.resources);
            }
            let order = u32::try_from(self.threads.len()).unwrap_or(u32::MAX);
            let resource = thread_resource(self.resource, order, &mut state.resources);
            state.resources.hold(resource);
            let own_tid = slot.head.tid.load(Ordering::Relaxed);
            let elsewhere = self.pid != self.own_pid;
            let seen = elsewhere.then(|| thread_elsewhere(self.pid, own_tid)).flatten();
            let tid = seen.unwrap_or(own_tid);
            let thread = Some(self.threads.len());
            self.by_slot[number] =
                KnownSlot { generation: Some(generation), thread, release: false };
            let is_program = order == 0 && self.started_by.is_none();
            let work = if is_program { Work::Begun } else { Work::default() };
            let thread =
                MeasuredThread::new(order, number, slot.head, tid, ticks, self.room.clone());
            self.threads.push(WatchedThread::new(thread, resource, work));
        }
    }

    fn read_threads(&mut self, region: &RegionMemory, context: PassContext, outcome: PassOutcome) {
        let (now, depth) = match outcome {
            PassOutcome::Running if context.thorough => (self.ticks(context.now), Depth::All),
            PassOutcome::Running => (self.ticks(context.now), Depth::Changed),
            _ => match region.header().end_ticks.load(Ordering::Relaxed) {
                // It said when it left: until then its last segments were open.
                end if end != 0 && end <= self.ticks(context.now) => (end, Depth::All),
                _ => (self.ticks(context.now), Depth::Last),
            },
        };
        let scale = self.scale(context.scale);
        for watched in &mut self.threads {
            watched.growth.clear();
            if !watched.is_alive() {
                continue;
            }
            let Some(slot) = region.slot(watched.thread.slot) else { continue };
            let went = watched.thread.pass(&slot, now, depth, &mut watched.growth);
            let prices = Prices::of(slot.head);
            let forms = region.event_forms();
            let form = |node: &NodeState| forms(node.region);
            let (nodes, growth) = (&mut watched.thread.nodes, &mut watched.growth);
            compensation::see(nodes, growth);
            watched.spent = event_cost(nodes, growth, &prices, form, scale);
            if context.compensates {
                compensation::apply(nodes, growth, |node| prices.each(form(node)));
            }
            let gone = watched.thread.still % STILL == STILL - 1
                && !self.ending.life().has_thread(watched.thread.tid);
            if went == Depth::Last && depth != Depth::Last {
                watched.end(ThreadState::Ended);
            } else if went == Depth::Last || gone {
                watched.end(ThreadState::Gone);
            }
        }
    }

    fn classify(&mut self, state: &mut SharedState) {
        for (at, watched) in self.threads.iter_mut().enumerate() {
            let from = std::mem::replace(&mut watched.classified, watched.thread.nodes.len());
            let nodes = &mut watched.thread.nodes;
            let SharedState { classes, resources, .. } = state;
            self.catalogue.classify(nodes, from, watched.base, classes, resources);
            learn_ends(&mut watched.pipe_ends, (nodes, from), &self.catalogue.tables, classes);
            if at == 0 {
                let tables = &self.catalogue.tables;
                self.readiness.learn(nodes, from, tables, (classes, resources));
            }
        }
    }

    /// Threads are in these functions by calls that no event told of: all they do counts for them.
    pub(crate) fn find_inside(
        &mut self,
        calls: &BTreeMap<u32, Vec<Resource>>,
        state: &mut SharedState,
    ) {
        for watched in &mut self.threads {
            let mut base = ClassId::NONE;
            for code in calls.get(&watched.thread.tid).into_iter().flatten() {
                let own = Some(state.resources.id(code));
                let resources = &mut state.resources;
                base = state.classes.below(base, Category::Function, own, None, resources);
            }
            if watched.base != base {
                watched.base = base;
                watched.classified = 0;
            }
        }
        self.classify(state);
    }

    /// Stack samples found threads running in functions that are switched on.
    pub(crate) fn take_stack_samples(&mut self, samples: &[StackSamplePlace]) {
        for sample in samples {
            if let Some(watched) = self.living(sample.tid) {
                watched.see(sample.region, sample.period);
            }
        }
    }

    /// Asks where its threads wait that no event tells of, and takes in where they were found to.
    pub(crate) fn place_waits(
        &mut self,
        number: u32,
        instrumenter: &mut Instrumenter,
        resources: &mut Resources,
    ) {
        for (tid, place) in instrumenter.take_wait_places(number) {
            if let Some(watched) = self.living(tid) {
                watched.last_look.settle_place(resources.id(&place));
            }
        }
        let wants =
            |watched: &&WatchedThread| watched.is_alive() && watched.last_look.wants_place();
        let wanted = self.threads.iter().filter(wants).map(|watched| watched.thread.tid);
        for tid in instrumenter.place_waits(number, wanted) {
            if let Some(watched) = self.living(tid) {
                watched.last_look.ask_place();
            }
        }
    }

    fn living(&mut self, tid: u32) -> Option<&mut WatchedThread> {
        let is_meant =
            |watched: &&mut WatchedThread| watched.is_alive() && watched.thread.tid == tid;
        self.threads.iter_mut().find(is_meant)
    }

    /// Hands what grew to the pairs, unless the program had paused the measurement.
    fn attribute(
        &mut self,
        context: PassContext,
        counts: bool,
        outcome: PassOutcome,
        state: &mut SharedState,
    ) {
        let scale = self.scale(context.scale);
        self.groups.clear();
        (self.ran, self.lived) = (Nanos::ZERO, Nanos::ZERO);
        if let Some(recorder) = &mut state.recorder {
            recorder.rank(self.rank);
        }
        let mut awaited = self.awaited_threads(outcome, &state.families);
        let serves = self.rank.is_none() && state.servers.serves(self.pid);
        let mut polls = false;
        let process = if counts { self.progress() } else { ProcessProgress::Moved };
        for (at, watched) in self.threads.iter_mut().enumerate() {
            if !watched.is_alive() && watched.growth.is_empty() && !watched.keeps_back() {
                continue;
            }
            let [functions, others] = std::mem::take(&mut watched.spent);
            self.cost.functions += functions;
            self.cost.events += functions + others;
            watched.find_groups(self.resource, self.machine, &state.matcher);
            watched.sign_in([self.resource, self.machine], state);
            if counts {
                let pipe = watched.last_look.pipe();
                let peer = pipe.and_then(|pipe| self.catalogue.peer(pipe));
                let by = awaited.of(at, watched.is_alive());
                let tables = &self.catalogue.tables;
                let surroundings =
                    Surroundings { peer: peer.as_deref(), awaited: by, serves, process };
                let attributed = watched.attribute(self.pid, scale, tables, surroundings, state);
                let Attributed { ran, delay, lived, joined, polled, knowledge } = attributed;
                self.ran += ran;
                self.lived += lived;
                self.untold.take(at, knowledge);
                polls |= polled > lived.scaled(0.5);
                if at == 0 && joined > lived.scaled(0.5) {
                    awaited.first_joins();
                }
                if at == 0 && self.efficiency.is_at_work() {
                    let rank = WaitingRank {
                        job: self.efficiency.effort.job,
                        rank: self.rank,
                        number: self.number,
                        process: self.resource,
                        place: [watched.resource, self.machine],
                        is_untold: watched.is_untold(),
                        delay,
                        ready: self.readiness.share(),
                    };
                    state.took(rank, watched.told());
                }
            }
            self.groups.extend(&watched.groups);
        }
        self.tell_unknown(state);
        if polls && self.rank.is_none() {
            state.servers.ask(self.pid, context.now.nanos);
        }
        self.tell_family(awaited, state);
        self.cost_so_far += self.cost.events;
        self.groups.sort_unstable();
        self.groups.dedup();
    }

    /// What the last pass showed of it beside its functions, an interval that was so long.
    pub(crate) fn interval(&self, length: Nanos) -> ProcessInterval<'_> {
        let Self { number, ran, lived, .. } = *self;
        let is_held = self.beginning == Beginning::Held;
        ProcessInterval { number, groups: &self.groups, length, ran, lived, is_held }
    }

    /// Of some threads that were gone when they were to be asked nobody knows whether they ran.
    fn tell_unknown(&mut self, state: &mut SharedState) {
        for unknown in self.untold.settle(self.pid, self.threads.len()) {
            self.threads[unknown].stays_untold(state);
        }
    }

    /// Whether any of its threads ran since they were asked about last.
    fn progress(&mut self) -> ProcessProgress {
        let living = self.threads.iter().filter(|watched| watched.is_alive()).count();
        self.rest.ask(self.pid, living)
    }

    fn awaited_threads(&self, outcome: PassOutcome, families: &Families) -> Waiters {
        let mut others = self.threads.iter().skip(1);
        let others_work = others.any(|watched| watched.is_alive() && watched.works());
        match (outcome, self.rank, self.started_by) {
            (PassOutcome::Ended | PassOutcome::Damaged, _, _) => Waiters::over(),
            (PassOutcome::Running, None, Some(parent)) => {
                Waiters::new(families.awaits(parent), others_work)
            }
            // Other ranks wait for one, and who started the program does.
            (PassOutcome::Running, _, _) => Waiters::new(Waiter::FirstThread, others_work),
        }
    }

    fn tell_family(&self, awaited: Waiters, state: &mut SharedState) {
        let mut living = self.threads.iter().filter(|watched| watched.is_alive());
        let parent = self.started_by.unwrap_or_default();
        match awaited.others() {
            Waiter::Over => state.servers.forget(self.pid),
            others => state.families.tell(FamilyMember {
                pid: self.pid,
                parent,
                waits: others == Waiter::FirstThread,
                works: living.any(WatchedThread::works),
            }),
        }
    }

    /// Tells what its first thread waited because of something, as a rank.
    pub(crate) fn tell_wait(&mut self, wait: &CausedTime, state: &mut SharedState) {
        if let Some(first) = self.threads.first_mut() {
            first.tell_wait(wait, state);
        }
    }

    /// Tells what was counted of its threads since the pass before, unless the program had paused the measurement.
    fn tell_counted(
        &mut self,
        samples: &[CounterSample],
        counted: CountedOf<'_>,
        state: &mut SharedState,
    ) {
        if state.counted.counters.is_empty() {
            return;
        }
        let mut by_thread: BTreeMap<u32, Vec<&CounterSample>> = BTreeMap::new();
        for sample in samples {
            by_thread.entry(sample.tid).or_default().push(sample);
        }
        let counted = CountedOf { samples: &by_thread, ..counted };
        for watched in &mut self.threads {
            watched.find_groups(self.resource, self.machine, &state.matcher);
            watched.tell_counted(&counted, state);
        }
    }

    /// Counts threads from now on that were met in this pass.
    pub(crate) fn open_counters(
        &mut self,
        number: u32,
        instrumenter: &mut Instrumenter,
        state: &mut SharedState,
    ) {
        let CountedState { counters, frequency, missed, uncounted, .. } = &mut state.counted;
        if counters.is_empty() || self.stage.region().is_none() || self.departure.has_begun() {
            return;
        }
        for watched in self.threads.iter_mut().filter(|watched| watched.is_alive()) {
            let thread = [self.pid, watched.thread.tid];
            let Some(opened) = watched.counters.open(counters, thread, *frequency, self.earlier)
            else {
                continue;
            };
            for (counter, source) in opened {
                instrumenter.count(number, watched.thread.tid, counter, source);
            }
            for (counter, ran) in watched.counters.uncounted() {
                *uncounted.entry(counter).or_default() += ran;
            }
            for counter in counters.iter() {
                if watched.counters.coverage(*counter) == CounterCoverage::None {
                    *missed.entry(*counter).or_default() += 1;
                }
            }
        }
        // A record says what was counted, also where that was nothing.
        let counters = state.counted.counters.clone();
        for counter in counters {
            state.unplaced(counter);
        }
        // A thread that comes later began in the run.
        self.earlier = Earlier::Counts;
    }

    /// How much a counter tells of its threads.
    pub(crate) fn counter_coverage(&self, counter: Counter) -> CounterCoverage {
        let living = self.threads.iter().filter(|watched| watched.is_alive());
        let of = living.map(|watched| watched.counters.coverage(counter));
        of.min().unwrap_or(CounterCoverage::Placed)
    }

    /// Gives up what threads held that just ended, and lets their slots be used again.
    fn retire_threads(&mut self, region: &RegionMemory, state: &mut SharedState) {
        let mut rung = false;
        for slot_state in &mut self.by_slot {
            if let Some(at) = slot_state.thread
                && !self.threads[at].is_alive()
            {
                slot_state.release = self.threads[at].has_ended();
                self.threads[at].leave(&mut state.resources);
                slot_state.thread = None;
            }
        }
        // A process without an agent takes the commands when its next thread starts.
        for (number, slot_state) in (0_u32..).zip(&mut self.by_slot) {
            let Some(generation) = slot_state.generation.filter(|_| slot_state.release) else {
                continue;
            };
            if self.departure.has_begun()
                || region.send(Command::ReleaseSlot { slot: number, generation }).is_none()
            {
                break;
            }
            slot_state.release = false;
            rung = true;
        }
        if rung {
            region.agent().wake();
        }
    }

    fn end(&mut self, state: &mut SharedState) {
        for slot_state in &mut self.by_slot {
            if let Some(at) = slot_state.thread.take() {
                self.threads[at].leave(&mut state.resources);
            }
        }
        self.catalogue.forget(&mut state.resources);
        state.resources.release(self.resource);
        state.resources.release(self.machine);
    }

    /// How long its ticks are, when those of the machine are `machine` long.
    pub(crate) const fn scale(&self, machine: Scale) -> Scale {
        self.clock.scale(machine)
    }

    pub(crate) const fn ticks(&self, moment: Moment) -> u64 {
        self.clock.ticks(moment)
    }
}

/// Whether a process has mapped no region, as far as its memory may be looked at: then it is another program by now.
fn has_no_region(pid: u32) -> bool {
    let map = MemoryMap::of(pid);
    let mut files = map.stretches().iter().filter_map(|stretch| stretch.file.as_ref());
    !map.is_empty() && !files.any(|file| RegionFile::at(&file.path).is_some())
}

fn rank(region: &RegionMemory) -> Option<u32> {
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
