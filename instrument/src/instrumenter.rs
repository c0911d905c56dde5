//! Functions of running programs become regions when a pair asks about them, and stop being ones
//! when no pair does.
//!
//! ```text
//!   pairs ──► wanted: resource ──► functions ──► plans        (worker: names, code, calls)
//!                                      │
//!       each sampling pass, each process: patch table ──► arena, arm, switch, disarm
//! ```
//! What is wanted is one map; every process is brought to it, those that join late too.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use whyperf_model::matching::PairId;
use whyperf_model::{Category, Focus, Hierarchy, Metric, Nanos, Resource};

use crate::activity::Activity;
use crate::agent::Agent;
use crate::asked_functions::{AskedFunctions, UNSEEN};
use crate::inventory::Inventory;
use crate::messages::{WorkerAnswer, WorkerRequest};
use crate::modules::FunctionKey;
use crate::named_pairs::NamedPairs;
use crate::objects::Objects;
use crate::open_calls::OpenCalls;
use crate::patch_table::{PatchSite, PatchTable, Turn};
use crate::regions::Begun;
use crate::stage::Stage;
use crate::worker_channel::WorkerChannel;

/// Which functions are wanted, and how far each process is.
#[derive(Debug)]
pub struct Instrumenter {
    pub(crate) objects: Arc<Objects>,
    /// Opened when the first function is asked about.
    pub(crate) channel: Option<WorkerChannel>,
    /// Functions that pairs need.
    pub(crate) needs: BTreeMap<PairId, Vec<Resource>>,
    /// Pairs that a user named.
    pub(crate) by_name: BTreeSet<PairId>,
    /// How many pairs need a function.
    pub(crate) wanted: BTreeMap<Resource, usize>,
    pub(crate) found: BTreeMap<Resource, Found>,
    /// What functions of modules are called.
    pub(crate) names: BTreeMap<FunctionKey, Resource>,
    pub(crate) patch_tables: BTreeMap<u32, PatchTable>,
    pub(crate) watched: BTreeMap<u32, u32>,
    pub(crate) open_calls: BTreeMap<u32, OpenCalls>,
    /// In which pass a search asked last which functions a function calls.
    pub(crate) asked_callees: Option<u64>,
    pub(crate) inventory: Inventory,
    /// Regions that were met, and which of them the worker was not told of.
    pub(crate) regions: BTreeSet<Resource>,
    pub(crate) untold_regions: Vec<Begun>,
    /// Processes that ended in this pass.
    pub(crate) gone: Vec<u32>,
    /// Forks of processes in which functions were on: there they are, too.
    pub(crate) forked_children: BTreeSet<u32>,
    pub(crate) told: Told,
    pub(crate) named_pairs: NamedPairs,
    pub(crate) asked_functions: AskedFunctions,
    pub(crate) pass: u64,
    /// The share of the slowest process's time that measuring may take.
    pub(crate) limit: f64,
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
    /// What events of functions cost it since the pass before, and all others.
    pub spent: [Nanos; 2],
}

/// The functions that a resource names, as far as is known.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) functions: Vec<FunctionKey>,
    /// Whether an answer is under way.
    pub(crate) asked: bool,
    /// In which pass it was asked.
    pub(crate) since: u64,
    /// Processes have come since: they may have others of that name.
    pub(crate) is_old: bool,
}

/// What is to be told in the next pass.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Functions that a function calls.
    pub(crate) callees: Vec<(Resource, Vec<Resource>)>,
    /// Functions that are left alone, and why.
    pub(crate) refusals: BTreeMap<Resource, String>,
    /// Pairs of which that was said, and those that were said to be too hot.
    pub(crate) pairs: BTreeSet<PairId>,
    pub(crate) hot: BTreeSet<PairId>,
    pub(crate) prices: BTreeMap<Resource, f64>,
}

impl Found {
    /// Whether more may be found.
    const fn is_open(&self) -> bool {
        self.asked || self.is_old
    }
}

impl Instrumenter {
    /// Over these objects, with the share of the slowest process's time that measuring may take.
    #[must_use]
    pub fn over(objects: Arc<Objects>, limit: f64) -> Self {
        Self {
            objects,
            limit,
            channel: None,
            needs: BTreeMap::new(),
            by_name: BTreeSet::new(),
            wanted: BTreeMap::new(),
            found: BTreeMap::new(),
            names: BTreeMap::new(),
            patch_tables: BTreeMap::new(),
            watched: BTreeMap::new(),
            open_calls: BTreeMap::new(),
            asked_callees: None,
            inventory: Inventory::default(),
            regions: BTreeSet::new(),
            untold_regions: Vec::new(),
            gone: Vec::new(),
            forked_children: BTreeSet::new(),
            named_pairs: NamedPairs::default(),
            told: Told::default(),
            asked_functions: AskedFunctions::default(),
            pass: 0,
        }
    }

    /// A pair is measured from now on, and needs the functions that its focus names. Waits are seen
    /// at their calls; only a pair that a user named counts those below a function, too.
    pub fn start(&mut self, pair: PairId, metric: Metric, focus: &Focus, by_name: bool) {
        let is_code = metric.definition().categories.contains(Category::Function);
        if focus.is_root(Hierarchy::Code) || !(is_code || by_name) {
            return;
        }
        let code = focus.part(Hierarchy::Code).to_vec();
        self.list_functions(&code);
        for one in &code {
            *self.wanted.entry(one.clone()).or_default() += 1;
        }
        self.needs.insert(pair, code);
        if by_name {
            self.by_name.insert(pair);
        }
    }

    /// A pair is measured no longer.
    pub fn stop(&mut self, pair: PairId) {
        for code in self.needs.remove(&pair).into_iter().flatten() {
            if let Some(users) = self.wanted.get_mut(&code) {
                *users -= 1;
                if *users == 0 {
                    self.wanted.remove(&code);
                }
            }
        }
    }

    /// Asks which functions a function calls.
    pub fn ask_callees(&mut self, of: Resource, are_wanted: bool) {
        if are_wanted {
            self.asked_callees = Some(self.pass);
            self.ask(WorkerRequest::Callees { of });
        } else {
            // That none are known is an answer, too.
            self.told.callees.push((of, Vec::new()));
        }
    }

    /// A process appeared.
    pub fn watch(&mut self, process: u32, pid: u32) {
        self.has_more_modules();
        self.watched.insert(process, pid);
        if let Some(channel) = &self.channel {
            channel.ask(WorkerRequest::Watch { process, pid });
        }
        // Its program may have what no other had.
        self.found.values_mut().for_each(|found| found.is_old = true);
    }

    /// A process is a fork of another: what is too hot there is here, too.
    pub fn inherit(&mut self, process: u32, parent: u32) {
        let is_forked_child = self.forked_children.contains(&parent);
        let Some(parent) = self.patch_tables.get(&parent) else {
            self.forked_children.extend(is_forked_child.then_some(process));
            return;
        };
        if is_forked_child || parent.sites.values().any(|site| site.stage.on_since().is_some()) {
            self.forked_children.insert(process);
        }
        let hot = parent.sites.iter().filter(|(_, site)| site.window.is_some());
        let hot: Vec<FunctionKey> = hot.map(|(key, _)| *key).chain(parent.hot.clone()).collect();
        self.patch_tables.entry(process).or_default().hot.extend(hot);
    }

    /// A process ended: records what its functions did last.
    pub fn conclude(&mut self, process: u32, service: Service<'_>) {
        let turn = self.turn(service.agent);
        let Some(patch_table) = self.patch_tables.get_mut(&process) else { return };
        for reply in service.replies {
            patch_table.take(*reply, turn);
        }
        patch_table.take_pc_samples(self.watched.get(&process).copied(), self.limit);
        patch_table.note(service.activity, service.agent);
    }

    /// A process ended, and with the next pass everything in it.
    pub fn forget(&mut self, process: u32) {
        if self.watched.contains_key(&process) {
            self.note_lost(process);
            self.gone.push(process);
        }
    }

    fn clean_up(&mut self) {
        for process in std::mem::take(&mut self.gone) {
            self.open_calls.remove(&process);
            self.patch_tables.remove(&process);
            self.watched.remove(&process);
            if let Some(channel) = &self.channel {
                channel.ask(WorkerRequest::Forget { process });
            }
        }
    }

    /// Whether a process is there, or ended in this pass only.
    pub fn is_watched(&self, process: u32) -> bool {
        self.watched.contains_key(&process)
    }

    /// Whether nothing is to come any more of what a user named in a process.
    pub fn is_in_place(&self, process: u32) -> bool {
        let is_settled = |code: &Resource| {
            let Some(found) = self.found.get(code).filter(|found| !found.is_open()) else {
                return false;
            };
            let Some(patch_table) = self.patch_tables.get(&process) else {
                return found.functions.is_empty();
            };
            found
                .functions
                .iter()
                .all(|key| patch_table.sites.get(key).is_some_and(PatchSite::is_settled))
        };
        let needs = self.by_name.iter().filter_map(|pair| self.needs.get(pair));
        needs.flatten().all(is_settled)
    }

    /// Takes in what was found out since the last pass, and asks for what is wanted now.
    pub fn begin_pass(&mut self) {
        self.pass += 1;
        self.clean_up();
        self.list_modules();
        self.pass_regions_on();
        let answers = self.channel.as_ref().map(WorkerChannel::answers).unwrap_or_default();
        answers.into_iter().for_each(|answer| self.take(answer));
        if self.watched.is_empty() {
            return;
        }
        let unknown = |code: &&Resource| match self.found.get(*code) {
            None => true,
            Some(found) if found.asked => false,
            Some(found) => {
                found.is_old || (found.functions.is_empty() && self.pass >= found.since + PATIENCE)
            }
        };
        let ask: Vec<Resource> = self.wanted.keys().filter(unknown).cloned().collect();
        for code in ask {
            let found = self.found.entry(code.clone()).or_default();
            (found.asked, found.is_old, found.since) = (true, false, self.pass);
            self.ask(WorkerRequest::Find { code });
        }
    }

    /// Brings a process nearer to what is wanted. Answers how functions are called that it did not know
    /// of before, by their entries.
    pub fn serve(&mut self, process: u32, service: Service<'_>) -> Vec<(u64, Resource)> {
        let turn = self.turn(service.agent);
        let limit = self.limit;
        let patch_table = self.patch_tables.entry(process).or_default();
        let mut moves = Vec::new();
        for reply in service.replies {
            moves.extend(patch_table.take(*reply, turn));
        }
        patch_table.take_pc_samples(self.watched.get(&process).copied(), limit);
        patch_table.note(service.activity, service.agent);
        patch_table.update_visit_budget(limit, &service);
        patch_table.want_nothing();
        let mut plan = Vec::new();
        for code in self.wanted.keys() {
            for key in self.found.get(code).map_or(&[][..], |found| &found.functions) {
                if patch_table.want(*key, self.names.get(key).unwrap_or(code), self.pass) {
                    plan.push(*key);
                }
            }
        }
        let names = patch_table.take_names();
        patch_table.serve(turn);
        if !plan.is_empty() {
            self.ask(WorkerRequest::Plan { process, functions: plan });
        }
        for (arena, functions) in moves {
            self.ask(WorkerRequest::Move { process, arena, functions });
        }
        self.look(process, service.threads, service.activity.length);
        names
    }

    /// Whether a process has no function that is, was or shall be on.
    pub fn has_nothing_for(&self, process: u32) -> bool {
        self.wanted.is_empty() && !self.patch_tables.contains_key(&process)
    }

    const fn turn<'process>(&self, agent: Agent<'process>) -> Turn<'process> {
        Turn { agent, pass: self.pass }
    }

    /// Whether a pair needs functions to be on.
    pub fn needs_functions(&self, pair: PairId) -> bool {
        self.needs.contains_key(&pair)
    }

    /// Why a function is left alone, if it is in every process that has it.
    pub fn refusal(&self, pair: PairId) -> Option<&str> {
        let needs = self.needs.get(&pair)?;
        needs.iter().find_map(|code| self.told.refusals.get(code)).map(String::as_str)
    }

    /// Pairs whose functions cannot be measured, with the reason; each is told once.
    pub fn take_refused(&mut self) -> Vec<(PairId, String)> {
        let refusal = |pair: &PairId| Some((*pair, self.refusal(*pair)?.to_owned()));
        let refused: Vec<_> = self.needs.keys().filter_map(refusal).collect();
        let quiet =
            self.needs.keys().filter(|pair| !self.by_name.contains(pair) && self.is_quiet(**pair));
        let quiet = quiet.filter(|pair| !self.is_explained(**pair));
        let quiet: Vec<_> = quiet.map(|pair| (*pair, UNSEEN.to_owned())).collect();
        let news =
            refused.into_iter().chain(quiet).filter(|(pair, _)| self.told.pairs.insert(*pair));
        news.collect()
    }

    /// All functions that were left alone so far, and why.
    pub const fn refusals(&self) -> &BTreeMap<Resource, String> {
        &self.told.refusals
    }

    /// Which functions are called by which, told since the last time.
    pub fn take_callees(&mut self) -> Vec<(Resource, Vec<Resource>)> {
        std::mem::take(&mut self.told.callees)
    }

    /// Whether a resource names a function of some process; `None` when that is not known yet.
    pub fn exists(&self, code: &Resource) -> Option<bool> {
        let found = self.found.get(code)?;
        if found.asked && found.functions.is_empty() {
            None
        } else {
            Some(!found.functions.is_empty())
        }
    }

    fn take(&mut self, answer: WorkerAnswer) {
        match answer {
            WorkerAnswer::Found { code, functions, names } => {
                self.names.extend(functions.iter().copied().zip(names));
                let found = self.found.entry(code).or_default();
                (found.functions, found.asked, found.since) = (functions, false, self.pass);
            }
            WorkerAnswer::Callees { of, callees } => {
                self.told.callees.push((of, callees.keys().cloned().collect()));
                for (code, functions) in callees {
                    let since = self.pass;
                    let entry = self.found.entry(code);
                    entry.or_insert_with(|| Found { functions, since, ..Found::default() });
                }
            }
            WorkerAnswer::Learned { calls } => self.told.callees.extend(calls),
            WorkerAnswer::Seen { process, seen } => self.looked(process, seen),
            WorkerAnswer::Listed { code } => self.inventory.take(code),
            WorkerAnswer::Planned { process, plans } => {
                let Some(patch_table) = self.patch_tables.get_mut(&process) else { return };
                for planned in plans {
                    patch_table.planned(planned, self.pass);
                }
            }
        }
    }

    /// Takes note of functions that no process can measure.
    pub fn end_pass(&mut self) {
        self.patch_tables.values().for_each(|patch_table| self.asked_functions.take(patch_table));
        self.named_pairs.close_pass();
        let mut open = BTreeSet::new();
        let mut refused = BTreeMap::new();
        let is_due = self.pass.is_multiple_of(PRICED);
        for site in self.patch_tables.values().flat_map(|patch_table| patch_table.sites.values()) {
            if is_due && site.stage.on_since().is_some() {
                let rate = self.told.prices.entry(site.code.clone()).or_default();
                *rate = rate.max(site.rate);
            }
            match &site.stage {
                Stage::Refused { reason } => {
                    refused.entry(site.code.clone()).or_insert_with(|| reason.clone());
                }
                Stage::Absent { .. } => {}
                _ => {
                    open.insert(&site.code);
                }
            }
        }
        refused.retain(|code, _| !open.contains(code));
        self.told.refusals.extend(refused);
    }

    pub(crate) fn ask(&mut self, request: WorkerRequest) {
        if self.channel.is_none() {
            self.channel = WorkerChannel::open(self.objects.clone());
            for (process, pid) in &self.watched {
                if let Some(channel) = &self.channel {
                    channel.ask(WorkerRequest::Watch { process: *process, pid: *pid });
                }
            }
        }
        if let Some(channel) = &self.channel {
            channel.ask(request);
        }
    }
}

/// Passes after which a name that nothing had is looked for again.
const PATIENCE: u64 = 20;
/// Passes from telling how often functions are called to telling it again.
pub(crate) const PRICED: u64 = 10;
