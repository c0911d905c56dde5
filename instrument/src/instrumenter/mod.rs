//! The instrumenter: makes functions of running programs regions when a pair asks about them, and ends that when no pair
//! does.
//!
//! ```text
//!   pairs ──► pair_needs ──► found_functions ──► plans        (worker: names, code, calls)
//!                                  │
//!       each sampling pass, each process: patch table ──► arena, arm, switch, disarm
//! ```
//! One map says which functions are wanted; every process is brought to that state, also one that joins late.

mod told_by_samples;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use whyperf_inject::ThreadCounter;
use whyperf_model::matching::{Matcher, PairId};
use whyperf_model::{CodeFilter, Counter, Focus, Metric, Nanos, Pair, Resource};

use crate::activity::Activity;
use crate::agent::{Agent, AgentTurn};
use crate::agreement::Agreement;
use crate::announcements::{Announcements, FunctionNews};
use crate::asked_functions::AskedFunctions;
use crate::brought_amount::BroughtAmount;
use crate::found_functions::FoundFunctions;
use crate::function_key::FunctionKey;
use crate::interval::AmountKind;
use crate::listed_code::ListedCode;
use crate::messages::{CounterSample, WorkerAnswer, WorkerRequest};
use crate::named_pairs::NamedPairs;
use crate::objects::Objects;
use crate::open_calls::{Curiosity, LookOccasion};
use crate::outside_cost::OutsideCost;
use crate::pair_functions::PairFunctions;
use crate::pair_needs::{PairNeeds, PairOrigin};
use crate::pair_total::PairTotal;
use crate::patch_table::PatchTable;
use crate::process_interval::ProcessInterval;
use crate::processes::{Processes, StackSamplePlace};
use crate::regions::{Begun, MetRegions};
use crate::sample_price;
use crate::status::PairStatus;
use crate::window::SHARE;
use crate::worker_channel::WorkerChannel;

/// Which functions are wanted, and how far each process is.
#[derive(Debug)]
pub struct Instrumenter {
    channel: WorkerChannel,
    needs: PairNeeds,
    found: FoundFunctions,
    processes: Processes,
    listed: ListedCode,
    regions: MetRegions,
    announcements: Announcements,
    asked_functions: AskedFunctions,
    named_pairs: NamedPairs,
    /// Pairs whose functions are on, though no event tells of a call: stack samples may.
    silent: BTreeSet<PairId>,
    /// Pairs that ask for time that is blocked.
    blocked: BTreeSet<PairId>,
    /// Of pairs that stack samples tell of, too: whether they tell the same.
    agreements: BTreeMap<Pair, Agreement>,
    /// What functions are called in whose own code stack samples found threads.
    own_names: BTreeMap<FunctionKey, Resource>,
    /// In which pass a search asked last which functions a function calls.
    asked_callees: Option<u64>,
    sampling: SamplingExtent,
    pass: u64,
    /// The share of the slowest process's time that measuring may take.
    limit: f64,
}

/// Which processes have their stacks sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SamplingExtent {
    /// Those for which a search or a pair needs it.
    IfAsked,
    /// All.
    Always,
}

/// What a process is served with in a pass.
#[derive(Clone, Copy, Debug)]
pub struct Service<'process> {
    /// Its living threads.
    pub threads: &'process [u32],
    /// Its agent.
    pub agent: Agent<'process>,
    /// What that replied since the pass before.
    pub replies: &'process [whyperf_layout::Answer],
    /// What its functions did since then.
    pub activity: &'process Activity,
    /// What events other than those of functions cost it since the pass before.
    pub others_cost: Nanos,
    /// What measuring cost beside events meanwhile.
    pub beside: Nanos,
}

impl Instrumenter {
    /// Over these objects, with the share of the slowest process's time that measuring may take.
    #[must_use]
    pub fn over(objects: Arc<Objects>, limit: f64) -> Self {
        Self {
            channel: WorkerChannel::over(objects),
            needs: PairNeeds::default(),
            found: FoundFunctions::default(),
            processes: Processes::default(),
            listed: ListedCode::default(),
            regions: MetRegions::default(),
            announcements: Announcements::default(),
            asked_functions: AskedFunctions::default(),
            named_pairs: NamedPairs::default(),
            silent: BTreeSet::new(),
            blocked: BTreeSet::new(),
            agreements: BTreeMap::new(),
            own_names: BTreeMap::new(),
            asked_callees: None,
            sampling: SamplingExtent::IfAsked,
            pass: 0,
            limit,
        }
    }

    /// Functions that a filter leaves out are never switched on, and no search hears of them. To be said before anything is asked.
    pub fn leave_out(&mut self, filter: Arc<CodeFilter>) {
        self.channel.leave_out(filter);
    }

    /// Whether there is a filter.
    #[must_use]
    pub const fn has_filter(&self) -> bool {
        self.channel.has_filter()
    }

    /// Whether the filter leaves out what is called so.
    #[must_use]
    pub fn leaves_out(&self, code: &Resource) -> bool {
        self.channel.leaves_out(code)
    }

    /// From now on the stacks of all processes are sampled, whether a pair asks for it or not.
    pub const fn sample_all(&mut self) {
        self.sampling = SamplingExtent::Always;
    }

    /// From now on the modules of all processes are told.
    pub const fn tell_modules(&mut self) {
        self.listed.begin();
    }

    /// A pair is measured from now on, and needs the functions that its focus names.
    pub fn start(&mut self, pair: PairId, metric: Metric, focus: &Focus, origin: PairOrigin) {
        if matches!(metric, Metric::Blocked | Metric::Paging) {
            self.blocked.insert(pair);
        }
        let code = self.needs.start(pair, metric, focus, origin);
        for request in self.listed.ask_functions(code) {
            self.channel.ask(request);
        }
    }

    /// A pair is measured no longer.
    pub fn stop(&mut self, pair: PairId) {
        self.blocked.remove(&pair);
        self.needs.stop(pair);
    }

    /// Nothing is sampled until [`resume`](Self::resume).
    pub fn pause(&self) {
        self.channel.tell(WorkerRequest::Pause);
    }

    /// What was sampled is sampled again.
    pub fn resume(&self) {
        self.channel.tell(WorkerRequest::Resume);
    }

    /// Asks which functions a function calls.
    pub fn ask_callees(&mut self, of: Resource) {
        self.asked_callees = Some(self.pass);
        self.channel.ask(WorkerRequest::Callees { of });
    }

    /// Tells of a function that it calls none, without looking.
    pub fn tell_no_callees(&mut self, of: Resource) {
        self.announcements.tell_callees(of, Vec::new());
    }

    /// Takes note of regions that were met.
    pub fn meet_regions(&mut self, begun: Vec<Begun>) {
        self.regions.meet(begun);
    }

    /// A process appeared.
    pub fn watch(&mut self, process: u32, pid: u32) {
        self.listed.see_process();
        self.found.see_process();
        self.processes.watch(process, pid);
        self.channel.watch(process, pid);
    }

    /// A process is a fork of another: what is too hot there is here, too.
    pub fn inherit(&mut self, process: u32, parent: u32) {
        self.processes.inherit(process, parent);
    }

    /// A process ended: records what its functions did last.
    pub fn conclude(&mut self, process: u32, service: Service<'_>) {
        let Some(served) = self.processes.get_mut(process) else { return };
        if let Some(patch_table) = &mut served.patch_table {
            let turn = AgentTurn { agent: service.agent, pass: self.pass };
            take_in(patch_table, service, turn, served.pid, self.limit);
        }
    }

    /// A process ended, and with the next pass everything in it.
    pub fn forget(&mut self, process: u32) {
        if self.processes.has(process) {
            self.note_lost(process);
            self.processes.end(process);
        }
    }

    /// Whether a process is there, or ended in this pass only.
    #[must_use]
    pub fn is_watched(&self, process: u32) -> bool {
        self.processes.has(process)
    }

    /// Whether nothing is to come any more of what a user named in a process.
    #[must_use]
    pub fn is_in_place(&self, process: u32) -> bool {
        self.needs.named().all(|pair| self.functions_of(pair).are_settled(process))
    }

    /// Takes in what was found out since the last pass, and asks for what is wanted now.
    pub fn begin_pass(&mut self) {
        self.pass += 1;
        for ended in self.processes.clean_up() {
            self.channel.forget(ended);
        }
        if let Some(request) = self.listed.ask_modules() {
            self.channel.ask(request);
        }
        // Only a search that goes along calls wants to know what regions are inside of.
        if self.asked_callees.is_some() {
            for request in self.regions.take_requests() {
                self.channel.ask(request);
            }
        }
        for answer in self.channel.answers() {
            self.take(answer);
        }
        if self.processes.is_empty() {
            return;
        }
        for code in self.found.ask(self.needs.wanted(), self.pass) {
            self.channel.ask(WorkerRequest::Find { code });
        }
    }

    /// Brings a process nearer to what is wanted. Answers how functions are called that it did not know
    /// of before, by their entries.
    pub fn serve(&mut self, process: u32, service: Service<'_>) -> Vec<(u64, Resource)> {
        let (pass, limit) = (self.pass, self.limit);
        let turn = AgentTurn { agent: service.agent, pass };
        let Some(served) = self.processes.get_mut(process) else { return Vec::new() };
        let patch_table = served.patch_table.get_or_insert_default();
        let moves = take_in(patch_table, service, turn, served.pid, limit);
        let (activity, threads) = (service.activity, service.threads);
        // The limit holds for all that measuring costs; but a search that may switch nothing on would find nothing.
        let beside = service.beside.min(activity.length.scaled(limit * MOST_BESIDE));
        let others = service.others_cost + beside;
        patch_table.update_visit_budget(limit, activity, threads.len(), others);
        patch_table.want_nothing();
        let mut plan = Vec::new();
        for code in self.needs.wanted() {
            for key in self.found.of(code) {
                if patch_table.want(*key, self.found.name(key, code), pass) {
                    plan.push(*key);
                }
            }
        }
        let names = patch_table.take_names();
        patch_table.serve(turn);
        if !plan.is_empty() {
            self.channel.ask(WorkerRequest::Plan { process, functions: plan });
        }
        for (arena, functions) in moves {
            self.channel.ask(WorkerRequest::Move { process, arena, functions });
        }
        let is_of_age = self.sampling == SamplingExtent::Always && activity.age >= OF_AGE;
        let wants_samples = is_of_age || self.needs.want_running();
        let curiosity = Curiosity::at(pass, self.asked_callees, wants_samples);
        let occasion = LookOccasion { threads, pass, pass_length: activity.length, curiosity };
        if let Some(threads) = served.open_calls.look(&occasion, patch_table) {
            self.channel.ask(WorkerRequest::Look { process, threads, limit });
        }
        names
    }

    /// Asks where threads of a process wait that no event tells of, of some that want it, if a pair asks for such time. Answers of which.
    pub fn place_waits(&mut self, process: u32, wanted: impl Iterator<Item = u32>) -> Vec<u32> {
        let Some(served) = self.processes.get_mut(process).filter(|_| !self.blocked.is_empty())
        else {
            return Vec::new();
        };
        let threads = served.wait_places.choose(self.pass, wanted);
        if !threads.is_empty() {
            let threads = threads.clone();
            self.channel.ask(WorkerRequest::PlaceWaits { process, threads });
        }
        threads
    }

    /// In which functions threads of a process were found to wait since this was asked last.
    pub fn take_wait_places(&mut self, process: u32) -> Vec<(u32, Resource)> {
        let process = self.processes.get_mut(process);
        process.map(|process| process.wait_places.take()).unwrap_or_default()
    }

    /// Something is counted of a thread of a process: tells from now on where it is then.
    pub fn count(&mut self, process: u32, tid: u32, counter: Counter, source: Arc<ThreadCounter>) {
        self.channel.ask(WorkerRequest::Count { process, tid, counter, source });
    }

    /// Where threads of a process were when something was counted of them, since this was asked last, and how many samples of that
    /// were lost.
    pub fn take_counted(&mut self, process: u32) -> (Vec<CounterSample>, u64) {
        let process = self.processes.get_mut(process);
        process.map(|process| process.take_counted()).unwrap_or_default()
    }

    /// So many samples a second of a thread, by this many counters together, keep to the part of the limit that is for them.
    #[must_use]
    pub fn counter_frequency(&self, counters: usize) -> u64 {
        sample_price::frequency(self.limit, counters)
    }

    /// Takes note of functions that no process can measure.
    pub fn end_pass(&mut self) {
        let Self { processes, asked_functions, .. } = self;
        processes.patch_tables().for_each(|patch_table| asked_functions.take(patch_table));
        self.named_pairs.close_pass();
        self.announcements.close_pass(self.processes.patch_tables(), self.pass);
    }

    /// Whether a process has no function that is, was or shall be on, and is not sampled either.
    #[must_use]
    pub fn has_nothing_for(&self, process: u32) -> bool {
        self.sampling == SamplingExtent::IfAsked
            && self.needs.wants_nothing()
            && self.processes.patch_table(process).is_none()
    }

    /// Whether a pair needs functions to be on.
    #[must_use]
    pub fn needs_functions(&self, pair: PairId) -> bool {
        self.needs.has(pair)
    }

    /// Whether a user named pairs that need functions.
    #[must_use]
    pub fn is_asked_by_name(&self) -> bool {
        self.needs.named().next().is_some()
    }

    /// Why a function is left alone, if it is in every process that has it.
    #[must_use]
    pub fn refusal(&self, pair: PairId) -> Option<&str> {
        self.announcements.refusal(self.needs.of(pair))
    }

    /// All functions that were left alone so far and of which stack samples told nothing either, and why.
    pub fn refusals(&self) -> impl Iterator<Item = (&Resource, &str)> {
        self.announcements.refusals()
    }

    /// Whether a resource names a function of some process; `None` when that is not known yet.
    #[must_use]
    pub fn exists(&self, code: &Resource) -> Option<bool> {
        self.found.exists(code)
    }

    /// What a reader should know of a pair whose functions showed nothing.
    #[must_use]
    pub fn silence(&self, pair: PairId) -> Option<&'static str> {
        self.asked_functions.silence(self.needs.of(pair))
    }

    /// What functions would take of what is left for them where they would take most, if none had to rest;
    /// at the limit, all of it.
    #[must_use]
    pub fn demand(&self) -> f64 {
        self.processes.patch_tables().map(PatchTable::demand).fold(0.0, f64::max)
    }

    /// What is new of functions since the last time.
    pub fn take_news(&mut self) -> FunctionNews {
        let (silent, refused) = self.untold();
        let sampled = self.newly_sampled(&silent);
        self.silent = silent;
        let hot = self.announcements.new_hot(self.hot());
        FunctionNews {
            listed: self.listed.take_news(),
            callees: self.announcements.take_callees(),
            refused: self.announcements.new_refused(refused),
            too_hot: hot.into_iter().map(|pair| (pair, SHARE)).collect(),
            sampled,
            prices: self.announcements.take_rates(self.pass),
        }
    }

    /// What looks at the threads of a process, samples of them and functions at rest cost it since this was asked last.
    pub fn take_cost(&mut self, process: u32) -> OutsideCost {
        self.processes.get_mut(process).map(|process| process.take_cost()).unwrap_or_default()
    }

    /// Where stack samples found threads of a process running since this was asked last; in the interval that ended it computed
    /// for so much of its running time.
    pub fn take_stack_samples(&mut self, process: u32, ran: Nanos) -> Vec<StackSamplePlace> {
        let process = self.processes.get_mut(process);
        process.map(|process| process.take_stack_samples(self.pass, ran)).unwrap_or_default()
    }

    /// By thread the functions that it is in by calls that no event told of, when that changed.
    pub fn take_open_calls(&mut self, process: u32) -> Option<BTreeMap<u32, Vec<Resource>>> {
        let process = self.processes.get_mut(process)?;
        process.open_calls.take_changes(process.patch_table.as_ref()?)
    }

    /// Whether what a process brings has to be told apart from what others do.
    #[must_use]
    pub fn tells_apart(&self, process: u32) -> bool {
        let is_scaled = |patch_table: &PatchTable| {
            let mut sites = patch_table.sites.values();
            sites.any(|site| site.is_hot() || !site.meter.interval.is_plain())
        };
        self.needs.had_named()
            || self.processes.patch_table(process).is_some_and(is_scaled)
            || self.needs.sampled().iter().any(|pair| self.is_sampled(*pair, process))
    }

    /// The pairs that functions have to be on for, and their amounts by now.
    #[must_use]
    pub fn amounts(&self, matcher: &Matcher) -> Vec<(PairId, i64)> {
        let amount = |pair: PairId| Some((pair, matcher.get(pair)?.amount));
        self.needs.pairs().filter_map(amount).collect()
    }

    /// Records what a process's interval brought, and makes what windows showed of it stand for
    /// all of it.
    pub fn record_interval(
        &mut self,
        before: &[(PairId, i64)],
        process: ProcessInterval<'_>,
        matcher: &mut Matcher,
    ) {
        for (pair, before) in before {
            let Some(active) = matcher.get_mut(*pair) else { continue };
            let is_named = self.needs.is_named(*pair);
            if process.is_held && is_named {
                self.named_pairs.note_held(*pair, process.number);
            }
            if !process.groups.contains(&active.group) {
                continue;
            }
            let functions = self.functions_of(*pair);
            if self.is_sampled(*pair, process.number) {
                let sampled = functions.sampled(process.number);
                let sampled = i64::try_from(sampled.0).unwrap_or(i64::MAX);
                active.amount = before.saturating_add(sampled);
                continue;
            }
            let intervals = functions.intervals(process.number);
            // Before its functions are found nothing is covered.
            let waits = is_named
                && intervals.is_empty()
                && functions.status(process.number) == PairStatus::Pending;
            let brought = BroughtAmount::of(&active.pair, active.amount - before, intervals);
            if let Some(scaled) = brought.scaled(process) {
                active.amount = before.saturating_add(scaled);
            }
            if is_named {
                let length = if waits { Nanos::ZERO } else { process.length };
                if brought.kind == AmountKind::Time && functions.are_between(process.number) {
                    self.named_pairs.note_nested(*pair);
                }
                self.named_pairs.take(*pair, &brought, process.number, length);
            }
        }
    }

    /// What a pair that a user named came to; `None` for one that needs no function.
    #[must_use]
    pub fn sum(&self, pair: PairId) -> Option<PairTotal> {
        let needs_functions = self.needs.is_named(pair) && self.needs.has(pair);
        needs_functions.then(|| self.named_pairs.sum(pair))
    }

    fn functions_of(&self, pair: PairId) -> PairFunctions<'_> {
        let Self { needs, found, processes, pass, .. } = self;
        PairFunctions { needs: needs.of(pair), found, processes, pass: *pass }
    }

    /// A process ended in which functions that pairs need were not in place.
    fn note_lost(&mut self, process: u32) {
        if self.processes.began_with_functions(process) {
            return;
        }
        let is_lost = |pair: &PairId| {
            let functions = self.functions_of(*pair);
            functions.status(process) == PairStatus::Pending
                && functions.intervals(process).iter().all(|(_, interval)| interval.is_blank())
        };
        let lost: Vec<PairId> = self.needs.named().filter(is_lost).collect();
        lost.into_iter().for_each(|pair| self.named_pairs.note_lost(pair));
    }

    fn take(&mut self, answer: WorkerAnswer) {
        match answer {
            WorkerAnswer::Found { code, functions, names } => {
                self.found.take(code, functions, names, self.pass);
            }
            WorkerAnswer::Callees { of, callees } => {
                self.announcements.tell_callees(of, callees.keys().cloned().collect());
                for (code, functions) in callees {
                    self.found.take_unasked(code, functions, self.pass);
                }
            }
            WorkerAnswer::Learned { calls } => {
                for (of, callees) in calls {
                    self.announcements.tell_callees(of, callees);
                }
            }
            WorkerAnswer::Seen { process, seen } => {
                if let Some(process) = self.processes.get_mut(process)
                    && let Some(patch_table) = &mut process.patch_table
                {
                    process.open_calls.take(seen, patch_table, self.pass);
                }
            }
            WorkerAnswer::Sampled { process, mut sampled } => {
                self.own_names.extend(std::mem::take(&mut sampled.names));
                if let Some(process) = self.processes.get_mut(process) {
                    process.note_stack_samples(sampled);
                }
            }
            WorkerAnswer::Counted { process, counted } => {
                if let Some(process) = self.processes.get_mut(process) {
                    process.note_counted(counted);
                }
            }
            WorkerAnswer::WaitsPlaced { process, places } => {
                if let Some(process) = self.processes.get_mut(process) {
                    process.wait_places.find(places);
                }
            }
            WorkerAnswer::Switched { process, switched } => {
                if let Some(process) = self.processes.get_mut(process) {
                    process.note_switched(switched, self.pass);
                }
            }
            WorkerAnswer::Listed { code } => self.listed.take(code),
            WorkerAnswer::Planned { process, plans } => {
                if let Some(process) = self.processes.get_mut(process)
                    && let Some(patch_table) = &mut process.patch_table
                {
                    plans.into_iter().for_each(|plan| patch_table.planned(plan, self.pass));
                }
            }
        }
    }
}

/// A process that lives for less is not sampled without need: there may be thousands of them.
const OF_AGE: Nanos = Nanos::from_millis(250);

/// Takes in what the process and the kernel said since the pass before. Answers the functions that need places elsewhere.
fn take_in(
    patch_table: &mut PatchTable,
    service: Service<'_>,
    turn: AgentTurn<'_>,
    pid: u32,
    limit: f64,
) -> Vec<(u64, Vec<FunctionKey>)> {
    let replies = service.replies.iter();
    let moves = replies.filter_map(|reply| patch_table.take(*reply, turn)).collect();
    patch_table.take_pc_samples(pid, limit);
    patch_table.note(service.activity, service.agent);
    moves
}

/// Functions have of the limit what this part of it leaves, whatever else costs.
const MOST_BESIDE: f64 = 0.7;
