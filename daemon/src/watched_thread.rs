//! A thread of a process and its relation to the pairs: which groups it is in, what of its
//! computing the system let run, and how its growth reaches the pairs.
//!
//! ```text
//!          it said that it ends           its resource is given up
//!   Alive ──────────────────────► Ended ───────────────────────────► Left
//!     ├──── it is not there any more, or the process ended ──► Gone ──►┤
//!     └──── its slot has another thread ──────────────────────────────►┘
//! ```

use std::collections::BTreeMap;

use whyperf_instrument::CounterSample;
use whyperf_model::matching::{
    AwaitedThread, CausedTime, ClassId, Classes, LocationId, Matcher, RankDelay, ResourceId,
    Resources, RunPlace, Totals,
};
use whyperf_model::{Category, CategorySet, Nanos, Scale, TimeUse};

use crate::counter_account::Prospect;
use crate::grown_node::{GrownNode, WaitPurpose, computed, is_for_work};
use crate::kernel_time::KernelTime;
use crate::known_reasons::KnownReasons;
use crate::pipe_users::UsedEnd;
use crate::process_rest::ProcessProgress;
use crate::processors::Causes;
use crate::running::{Granted, Running, ThreadInterval};
use crate::running_split::RunningSplit;
use crate::shared_state::SharedState;
use crate::tables::ProcessTables;
use crate::thread::{MeasuredThread, NodeCounters, NodeGrowth, NodeState};
use crate::thread_activity::LastLook;
use crate::thread_counters::ThreadCounters;
use crate::unseen_wait::UnseenWait;
use crate::untold_threads::RunKnowledge;
use crate::work::{Effort, Waiter, Waits, Work};

/// How far a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreadState {
    /// It is read in each pass.
    Alive,
    /// It said so itself and was read a last time: its slot may be used again.
    Ended,
    /// It is not there any more, or its process ended.
    Gone,
    /// Nothing of it is there any more, nor is its resource held for it.
    Left,
}

/// A thread and its relation to the pairs.
#[derive(Debug)]
pub(crate) struct WatchedThread {
    pub(crate) thread: MeasuredThread,
    state: ThreadState,
    /// Its place in the hierarchy of processes.
    pub(crate) resource: ResourceId,
    pub(crate) groups: Vec<u32>,
    /// Itself and its machine, since it was asked for its groups.
    place: Option<[ResourceId; 2]>,
    /// Its number in interval records.
    pub(crate) location: Option<LocationId>,
    /// The version of the matcher that `groups` was made for.
    version: Option<u64>,
    pub(crate) classified: usize,
    /// Pipes that it reads from or writes to.
    pub(crate) pipe_ends: Vec<UsedEnd>,
    /// What all its nodes are inside of: calls that no event told of.
    pub(crate) base: ClassId,
    work: Work,
    /// Time that counts for nobody: in which it waited for other threads to end, or for its first work.
    delegated: Nanos,
    running: Running,
    running_split: RunningSplit,
    pub(crate) last_look: LastLook,
    /// What became of the time of its own code in the last pass.
    granted: Granted,
    /// The processors that it may run on, where those are not all, as it was seen when it last had none, and when the uses of processors that
    /// are compared with it were read.
    confined: Vec<usize>,
    confined_at: Option<u64>,
    kernel_time: KernelTime,
    known_reasons: KnownReasons,
    pub(crate) counters: ThreadCounters,
    pub(crate) growth: Vec<NodeGrowth>,
    /// The same with what was asked of it, and what was told of it, in the last pass.
    grown: Vec<GrownNode>,
    told: Vec<(ClassId, Totals)>,
    /// What its events cost in the last pass: those of functions, and all others.
    pub(crate) spent: [Nanos; 2],
}

impl WatchedThread {
    /// A thread that was just found; its resource is held for it.
    pub(crate) fn new(thread: MeasuredThread, resource: ResourceId, work: Work) -> Self {
        Self {
            work,
            delegated: Nanos::ZERO,
            thread,
            resource,
            state: ThreadState::Alive,
            groups: Vec::new(),
            place: None,
            location: None,
            version: None,
            classified: 0,
            pipe_ends: Vec::new(),
            base: ClassId::NONE,
            running: Running::default(),
            running_split: RunningSplit::default(),
            last_look: LastLook::default(),
            granted: Granted::default(),
            confined: Vec::new(),
            confined_at: None,
            kernel_time: KernelTime::default(),
            known_reasons: KnownReasons::default(),
            counters: ThreadCounters::default(),
            growth: Vec::new(),
            grown: Vec::new(),
            told: Vec::new(),
            spent: [Nanos::ZERO; 2],
        }
    }

    /// It ended: nothing of it is there any more.
    pub(crate) fn leave(&mut self, resources: &mut Resources) {
        self.thread.forget_stamps();
        self.running = Running::default();
        self.running_split = RunningSplit::default();
        (self.grown, self.told) = (Vec::new(), Vec::new());
        if self.state != ThreadState::Left {
            self.state = ThreadState::Left;
            resources.release(self.resource);
        }
    }

    /// For how long it waits for its first work.
    pub(crate) fn idle(&self) -> Nanos {
        self.work.idle()
    }

    /// Itself and its machine, once it was told of.
    pub(crate) const fn place(&self) -> Option<[ResourceId; 2]> {
        self.place
    }

    /// What it did in its own code in the last pass, in parts that sum to one.
    pub(crate) fn own_time(&self) -> Vec<(TimeUse, f64)> {
        let Granted { ran, delayed, blocked, .. } = self.granted;
        let all = (ran + delayed + blocked).as_secs_f64();
        if all <= 0.0 {
            return vec![(TimeUse::Computing, 1.0)];
        }
        let parts =
            [(TimeUse::Computing, ran), (TimeUse::Processor, delayed), (TimeUse::Blocked, blocked)];
        let parts = parts.map(|(spent, time)| (spent, time.as_secs_f64() / all));
        parts.into_iter().filter(|(_, part)| *part > 0.0).collect()
    }

    /// What was told of it in the last pass, by class.
    pub(crate) fn told(&self) -> &[(ClassId, Totals)] {
        &self.told
    }

    /// Time that counts for nobody: in which it waited for other threads to end, or for its first work.
    pub(crate) const fn delegated(&self) -> Nanos {
        self.delegated
    }

    /// Whether it is read in each pass.
    pub(crate) fn is_alive(&self) -> bool {
        self.state == ThreadState::Alive
    }

    /// Whether it said that it ends, so that its slot may be used again.
    pub(crate) fn has_ended(&self) -> bool {
        self.state == ThreadState::Ended
    }

    /// Whether it is yet to be told what its waits were.
    pub(crate) fn keeps_back(&self) -> bool {
        self.work.keeps_back()
    }

    /// Whether it ever worked, or is the first one.
    pub(crate) fn works(&self) -> bool {
        self.work.has_begun()
    }

    /// It was read a last time, or is not there any more.
    pub(crate) fn end(&mut self, state: ThreadState) {
        if self.state == ThreadState::Alive {
            self.state = state;
        }
    }

    /// Its process is called otherwise now, and so is it.
    pub(crate) fn moved(&mut self, resource: ResourceId, resources: &mut Resources) {
        if self.state != ThreadState::Left {
            resources.hold(resource);
            resources.release(self.resource);
        }
        self.resource = resource;
        self.version = None;
        self.place = None;
        self.location = None;
    }

    /// Which groups it is in, if they changed since it last asked.
    pub(crate) fn find_groups(
        &mut self,
        process: ResourceId,
        machine: ResourceId,
        matcher: &Matcher,
    ) {
        let version = matcher.version();
        if self.version == Some(version) {
            return;
        }
        let mut lineage = vec![self.resource, process, machine];
        lineage.sort_unstable();
        self.groups = matcher.groups_of(&lineage);
        self.place = Some([self.resource, machine]);
        self.version = Some(version);
    }

    /// Writes into the interval record that the thread is there.
    pub(crate) fn sign_in(&mut self, [process, machine]: [ResourceId; 2], state: &mut SharedState) {
        let Some(recorder) = &mut state.recorder else { return };
        let own = [self.resource, process, machine];
        let location = self.location.unwrap_or_else(|| recorder.location(own, &state.resources));
        recorder.present(location);
        self.location = Some(location);
    }

    /// So much of what it waited is because of this thread.
    pub(crate) fn waited_for(
        &mut self,
        holder: &AwaitedThread,
        class: ClassId,
        waited: Nanos,
        state: &mut SharedState,
    ) {
        let Some(place) = self.place else { return };
        state.wait_causes.held(place, class, holder, waited, &state.classes);
        for (spent, time) in holder.parts(waited) {
            if let Some(category) = spent.as_cause() {
                self.tell_caused(class, category, time, state);
            }
        }
        if let Some((recorder, location)) = state.recorder.as_mut().zip(self.location) {
            recorder.held(location, class, holder, waited, &state.resources);
        }
    }

    /// A stack sample found it running in this function that is switched on, 0 for none, or in a wrapped call.
    pub(crate) fn see(&mut self, place: Option<u32>, period: Nanos) {
        self.running_split.see(place, period);
    }

    /// Hands what its nodes grew by to the pairs; answers how it spent the interval.
    pub(crate) fn attribute(
        &mut self,
        pid: u32,
        scale: Scale,
        tables: &ProcessTables,
        Surroundings { peer, awaited, serves, process }: Surroundings<'_>,
        state: &mut SharedState,
    ) -> Attributed {
        let grown = self.list_grown(scale, (tables, serves), (&state.classes, &state.resources));
        let mut times = computed(&grown);
        let interval = self.interval(pid, &grown);
        let granted = self.granted((pid, process), interval, state);
        self.granted = granted;
        self.running_split.divide(&mut times, granted);
        let causes = self.causes(pid, granted, interval, state);
        let polled = self.polled(granted, interval, state);
        let wait = UnseenWait::of(&self.last_look, peer);
        let nodes = &self.thread.nodes;
        let effort = Effort { grown: &grown, ran: granted.ran, awaited };
        let waits = self.work.take(effort);
        let mut told = std::mem::take(&mut self.told);
        told.clear();
        self.delegated += kept_back(&waits, nodes, &mut told, state);
        for (one, NodeGrowth { by, .. }) in grown.iter().zip(&self.growth) {
            let GrownNode { mut class, mut category, mut time, .. } = *one;
            let is_kept = !waits.are_told() && one.purpose == WaitPurpose::Work;
            if is_kept || one.purpose == WaitPurpose::Requests {
                class = state.classes.idle(class, &mut state.resources);
                (category, time) = (Category::Join, if is_kept { Nanos::ZERO } else { time });
            }
            let place = one.place.and_then(|place| times.get(&place));
            let delay = place.map_or(Nanos::ZERO, |place| place.run_delay(time));
            let blocked = place.map_or(Nanos::ZERO, |place| place.blocked(time));
            let rest = time - delay - blocked;
            let by = Totals {
                time: rest,
                running: place.map_or_else(|| polled.part(category, time), |_| rest),
                visits: by.visits,
                sent: by.sent,
                received: by.received,
            };
            told.push((class, by));
            if category == Category::Join {
                self.delegated += by.time;
            }
            tell_delays(&mut told, (class, delay), &causes, state);
            if !blocked.is_zero() {
                let class = wait.class(class, state);
                told.push((class, Totals { time: blocked, ..Totals::default() }));
            }
        }
        self.tell(&told, state);
        if let Some(place) = self.place {
            state.wait_causes.thread_took(place, &told, &state.classes, &state.resources);
        }
        let sampled = self.running_split.has_samples();
        let ran = if sampled { RunPlace::Sampled } else { RunPlace::Assumed };
        let Granted { delayed_in_calls: delay, polled, .. } = granted;
        let delay = RankDelay::Measured { delay, polled, ran };
        (self.grown, self.told) = (grown, told);
        let spent = |category| {
            let all = self.grown.iter().filter(|one| one.category == category);
            all.fold(Nanos::ZERO, |sum, one| sum + one.time)
        };
        let (joined, polled) = (spent(Category::Join), spent(Category::Poll));
        let knowledge = self.knowledge(interval);
        Attributed { ran: granted.ran, delay, lived: interval.lived, joined, polled, knowledge }
    }

    /// Of what the pass told that it waited in a class of calls, the part because of something.
    pub(crate) fn tell_wait(&mut self, wait: &CausedTime, state: &mut SharedState) {
        self.tell_caused(wait.class, wait.category, wait.time, state);
    }

    fn tell_caused(
        &mut self,
        class: ClassId,
        category: Category,
        time: Nanos,
        state: &mut SharedState,
    ) {
        self.known_reasons.tell(category, time);
        // A record has the class, also where nothing was waited so.
        let class = state.classes.caused(class, category, &mut state.resources);
        if !time.is_zero() {
            self.tell(&[(class, Totals { sent: time.0, ..Totals::default() })], state);
        }
    }

    /// What it ran in calls that wait while others could run. Copying what arrives is no polling: a nanosecond a byte is more than that takes.
    fn polled(
        &mut self,
        granted: Granted,
        interval: ThreadInterval,
        state: &mut SharedState,
    ) -> Polled {
        let ThreadInterval { waited, bytes, .. } = interval;
        let polled = Nanos(granted.polled.0.saturating_sub(bytes)).min(waited);
        let Granted { delayed_anywhere, delayed_in_calls, .. } = granted;
        // The reasons of this pass are known when all ranks were read.
        let in_calls = self.known_reasons.rest_of(delayed_in_calls);
        self.known_reasons.waited(waited);
        // What other programs had processors for would be so without any polling.
        let delayed = (delayed_anywhere - delayed_in_calls + in_calls)
            .scaled(state.processors.part_of_job(&self.confined, ran_share(granted, interval)));
        Polled { time: state.processors.contended(polled, delayed), waited }
    }

    /// Its time in the interval, and what is known of where it ran.
    fn interval(&mut self, pid: u32, grown: &[GrownNode]) -> ThreadInterval {
        let [mut lived, mut computed, mut moved, mut waited] = [Nanos::ZERO; 4];
        let mut bytes = 0_u64;
        for (one, NodeGrowth { by, .. }) in grown.iter().zip(&self.growth) {
            lived += one.time;
            if one.place.is_some() {
                computed += one.time;
            }
            if IN_KERNEL.contains(one.category) {
                moved += one.time.min(most_ran(one.category, by));
            }
            if WAITS.contains(one.category) {
                waited += one.time;
                bytes = bytes.saturating_add(by.sent.saturating_add(by.received));
            }
        }
        let moves_data = moved.0 > lived.0 / MUCH;
        ThreadInterval {
            computed,
            lived,
            moved,
            waited,
            bytes,
            polled: self.running_split.polled_share(),
            least_own: self.running_split.least_own_share(),
            in_kernel: if moves_data {
                self.kernel_time.read(pid, self.thread.tid)
            } else {
                Nanos::ZERO
            },
        }
    }

    /// Whether the system says nothing of how much it runs.
    pub(crate) const fn is_untold(&self) -> bool {
        self.running.is_unknown()
    }

    /// Whether it had no processor for a while in the last pass.
    pub(crate) const fn lacked_a_processor(&self) -> bool {
        self.granted.delayed_anywhere.0 >= A_WHILE
    }

    /// What became of the time that it computed by its events.
    fn granted(
        &mut self,
        (pid, process): (u32, ProcessProgress),
        interval: ThreadInterval,
        state: &mut SharedState,
    ) -> Granted {
        let (tid, last_look) = (self.thread.tid, &mut self.last_look);
        let looks = &mut state.looks;
        let activity = |counted, moved| last_look.take([pid, tid], counted, moved, looks);
        let granted = self.running.bound([pid, tid], process, interval, activity);
        let reading = Some(state.processors.reading());
        if !granted.delayed_anywhere.is_zero() && self.confined_at != reading {
            self.confined = state.processors.confines(tid);
            self.confined_at = reading;
        }
        state.processors.ran(&self.confined, granted.anywhere, granted.delayed_anywhere);
        granted
    }

    /// What it ran in the last pass, as far as the system said it or nobody doubts it, or what it ran at most where the system never said anything of it.
    fn knowledge(&self, interval: ThreadInterval) -> RunKnowledge {
        let Granted { ran, anywhere, .. } = self.granted;
        match self.is_untold() {
            false => RunKnowledge::Told(anywhere.max(ran)),
            true if self.is_alive() => RunKnowledge::Unknown,
            true => RunKnowledge::Gone(interval.computed + interval.moved),
        }
    }

    /// Nobody knows what it did in its own code.
    pub(crate) fn stays_untold(&self, state: &mut SharedState) {
        let Some(place) = self.place.filter(|_| !self.growth.is_empty()) else { return };
        state.run_totals.is_untold(place);
        if let Some((recorder, location)) = state.recorder.as_mut().zip(self.location) {
            recorder.untold(location);
        }
    }

    /// What is to blame for its run delay.
    fn causes(
        &self,
        pid: u32,
        granted: Granted,
        interval: ThreadInterval,
        state: &mut SharedState,
    ) -> Causes {
        if granted.delayed.is_zero() {
            return Causes::new();
        }
        state.processors.causes(pid, &self.confined, ran_share(granted, interval))
    }

    /// Tells what was counted of it since the pass before.
    pub(crate) fn tell_counted(&mut self, counted: &CountedOf<'_>, state: &mut SharedState) {
        let samples = counted.samples.get(&self.thread.tid).map_or(&[][..], Vec::as_slice);
        let is_over = counted.has_ended || !self.is_alive();
        let prospect = if is_over { Prospect::Ended } else { Prospect::GoesOn };
        let told = self.counters.take(samples, prospect, counted.now, state);
        let scaled = self.counters.scaled().filter(|one| !state.counted.scaled.contains(one));
        let scaled: Vec<_> = scaled.collect();
        state.counted.scaled.extend(scaled);
        if counted.counts {
            self.tell(&told, state);
        }
    }

    fn tell(&self, nodes: &[(ClassId, Totals)], state: &mut SharedState) {
        for (class, by) in nodes {
            state.matcher.grew(&self.groups, *class, by);
            if let Some((recorder, location)) = state.recorder.as_mut().zip(self.location) {
                recorder.grew(location, *class, *by);
            }
        }
        if let Some(place) = self.place {
            state.run_totals.grew(place, nodes);
        }
    }

    /// What each node that grew is, in the order of what they grew by; in the memory of the pass before.
    fn list_grown(
        &mut self,
        scale: Scale,
        (tables, serves): (&ProcessTables, bool),
        (classes, resources): (&Classes, &Resources),
    ) -> Vec<GrownNode> {
        let mut grown = std::mem::take(&mut self.grown);
        grown.clear();
        let asks = !self.works();
        let one = |NodeGrowth { node, by }: &NodeGrowth| {
            let class = self.thread.nodes[*node as usize].class;
            let category = classes.category(class);
            let is_computing = CategorySet::COMPUTE.contains(category);
            let place = is_computing.then(|| self.function_around(*node, tables));
            let time = Nanos(scale.nanos(by.time));
            let region = || tables.region(self.thread.nodes[*node as usize].region);
            let accepts = || region().is_some_and(|region| region.name.starts_with("accept"));
            let purpose = match category {
                Category::Poll if serves => WaitPurpose::Requests,
                Category::Socket if accepts() => WaitPurpose::Requests,
                // Of one that works nobody asks.
                _ if asks && is_for_work(&classes.get(class).traits, resources) => {
                    WaitPurpose::Work
                }
                _ => WaitPurpose::Other,
            };
            GrownNode { node: *node, class, category, place, time, purpose }
        };
        grown.extend(self.growth.iter().map(one));
        grown
    }

    /// The region of the innermost function around a node; 0 where there is none.
    fn function_around(&self, node: u32, tables: &ProcessTables) -> u32 {
        let nodes = &self.thread.nodes;
        let is_function = |region: u32| {
            let region = tables.region(region);
            region.is_some_and(|region| region.category == Category::Function)
        };
        let mut at = node;
        while let Some(node) = nodes.get(at as usize).filter(|_| at != 0) {
            if is_function(node.region) {
                return node.region;
            }
            at = node.parent;
        }
        0
    }
}

/// The part of an interval in which a thread ran.
fn ran_share(granted: Granted, interval: ThreadInterval) -> f64 {
    let lived = interval.lived.as_secs_f64().max(1e-9);
    (granted.anywhere.as_secs_f64() / lived).min(1.0)
}

/// Tells what was kept back of waits, now that it is decided what they were; answers how much of it counts for nobody.
fn kept_back(
    waits: &Waits,
    nodes: &[NodeState],
    told: &mut Vec<(ClassId, Totals)>,
    state: &mut SharedState,
) -> Nanos {
    let mut idle = Nanos::ZERO;
    let (Waits::ToldLate(kept) | Waits::Idle(kept)) = waits else { return idle };
    for (node, time) in kept {
        let mut class = nodes[*node as usize].class;
        if !waits.are_told() {
            class = state.classes.idle(class, &mut state.resources);
            idle += *time;
        }
        told.push((class, Totals { time: *time, ..Totals::default() }));
    }
    idle
}

/// What is known of what a thread is in, beside its own events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'peer> {
    /// Who has the other end of the pipe that it was seen at last.
    pub(crate) peer: Option<&'peer str>,
    pub(crate) awaited: Waiter,
    /// Its process serves others: what it waits for at several descriptors are requests.
    pub(crate) serves: bool,
    /// Whether any thread of its process ran.
    pub(crate) process: ProcessProgress,
}

/// How a thread spent an interval.
#[derive(Debug)]
pub(crate) struct Attributed {
    /// How long it computed and ran.
    pub(crate) ran: Nanos,
    /// Its lack of a processor in calls that wait.
    pub(crate) delay: RankDelay,
    /// All of it, and of that how long it waited for others to end, and for several descriptors.
    pub(crate) lived: Nanos,
    pub(crate) joined: Nanos,
    pub(crate) polled: Nanos,
    /// What is known of how long it ran.
    pub(crate) knowledge: RunKnowledge,
}

/// What was counted of the threads of a process.
#[derive(Debug)]
pub(crate) struct CountedOf<'pass> {
    /// By thread.
    pub(crate) samples: &'pass BTreeMap<u32, Vec<&'pass CounterSample>>,
    pub(crate) has_ended: bool,
    pub(crate) now: Nanos,
    /// Whether it is told, or left out.
    pub(crate) counts: bool,
}

/// What a thread ran in calls that wait while others of the program had no processor, of all that it was in such calls in an interval.
#[derive(Clone, Copy, Debug)]
struct Polled {
    time: Nanos,
    waited: Nanos,
}

impl Polled {
    /// Its part of a class's time.
    fn part(self, category: Category, time: Nanos) -> Nanos {
        if self.time.is_zero() || !WAITS.contains(category) {
            return Nanos::ZERO;
        }
        time.scaled(self.time.as_secs_f64() / self.waited.as_secs_f64())
    }
}

/// Calls that may poll.
const WAITS: CategorySet = CategorySet::SYNC;
/// Calls that run in the kernel, if at all.
const IN_KERNEL: CategorySet = CategorySet::IO.and(CategorySet::BLOCKED);
/// A shorter run delay, in nanoseconds, is nothing but waking up.
const A_WHILE: u64 = 1_000_000;
/// A call that waits for time or descriptors, or for a device, runs no longer than this beside copying, in nanoseconds.
const OF_A_WAIT: u64 = 50_000;
const OF_A_TRANSFER: u64 = 1_000_000;
/// From one part in so many on it matters what calls that move data ran.
const MUCH: u64 = 20;

/// What calls of this kind can have run in the kernel, one that goes on among them: a nanosecond a byte is more than copying takes.
fn most_ran(category: Category, by: &NodeCounters) -> Nanos {
    let is_wait = CategorySet::BLOCKED.contains(category);
    let each = if is_wait { OF_A_WAIT } else { OF_A_TRANSFER };
    let calls = by.visits.saturating_add(1).saturating_mul(each);
    Nanos(calls.saturating_add(by.sent).saturating_add(by.received))
}

/// Tells a run delay at a place, by what is to blame for it.
fn tell_delays(
    told: &mut Vec<(ClassId, Totals)>,
    (class, delay): (ClassId, Nanos),
    causes: &[(Category, f64)],
    state: &mut SharedState,
) {
    let mut left = delay;
    for (at, (category, part)) in causes.iter().enumerate() {
        let part = delay.scaled(*part).min(left);
        let time = if at + 1 == causes.len() { left } else { part };
        left = left - time;
        if !time.is_zero() {
            let SharedState { classes, resources, wait_objects, .. } = state;
            let object = wait_objects.processor(*category, resources);
            let class = classes.run_delay(class, *category, object, resources);
            told.push((class, Totals { time, ..Totals::default() }));
        }
    }
}
