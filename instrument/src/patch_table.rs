//! The patch table of a process: its functions that are, were or shall be patched, and how far each is (stage.rs).
//!
//! The table follows what is wanted now, never the commands of the past: a command or reply that is lost is asked for
//! again.
//!
//! ```text
//!            threads are looked at            a batch is sent
//!   Looking ◄─────────────────────► Free ◄────────────────────► Arming
//!            that is over                     it is replied to
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use whyperf_layout::patch::Outcome;
use whyperf_layout::{Answer, Command, Message, Reply, Sequence, geometry};
use whyperf_model::{Nanos, Resource};

use crate::activity::Activity;
use crate::agent::{Agent, AgentTurn};
use crate::arena::{CODE, DATA, NOWHERE};
use crate::function_key::FunctionKey;
use crate::messages::{PlanOutcome, Planned};
use crate::outside_cost::{CALL_AT_REST, OutsideCost};
use crate::patch_site::{Demand, PatchSite, SitePlan};
use crate::pc_samples::{HotFunction, PcSampler};
use crate::stage::Stage;
use crate::visit_budget::{ObservedLoad, VisitBudget};
use crate::window::Window;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArenaStage {
    Wanted,
    Asked,
    Mapped,
}

/// What the code of a process is being used for.
#[derive(Debug, Default)]
enum CodeUse {
    /// Functions may be armed.
    #[default]
    Free,
    /// Its threads are being looked at: no code is changed until that is over.
    Looking,
    /// These functions are being armed: the records are the daemon's again once this command is replied to.
    Arming(Sequence, Vec<FunctionKey>),
}

/// All functions of one process that are, were or shall be patched.
#[derive(Debug, Default)]
pub(crate) struct PatchTable {
    code_use: CodeUse,
    pub(crate) sites: BTreeMap<FunctionKey, PatchSite>,
    /// Functions by their regions.
    regions: BTreeMap<u32, FunctionKey>,
    arenas: BTreeMap<u64, ArenaStage>,
    /// How often the functions of the process may be called.
    visit_budget: VisitBudget,
    /// Functions that were too hot in the process of which it is a fork.
    pub(crate) hot: BTreeSet<FunctionKey>,
    /// Samples where its threads are, while a function is too hot.
    pc_sampler: PcSampler,
    /// What functions at rest cost since this was asked last.
    at_rest: Nanos,
}

impl PatchTable {
    /// Says that this function is wanted on; true when the worker has to be asked how.
    pub(crate) fn want(&mut self, key: FunctionKey, code: &Resource, pass: u64) -> bool {
        let Some(site) = self.sites.get_mut(&key) else {
            let window = self.hot.contains(&key).then(Window::default);
            self.sites.insert(key, PatchSite::new(code.clone(), window));
            return true;
        };
        site.demand = Demand::Wanted;
        site.stage.look_again(pass)
    }

    /// No pair wants any function, until one says so.
    pub(crate) fn want_nothing(&mut self) {
        self.sites.values_mut().for_each(|site| site.demand = Demand::Unwanted);
    }

    /// The functions that are too hot, or were in the process of which this is a fork.
    pub(crate) fn hot_functions(&self) -> Vec<FunctionKey> {
        let hot = self.sites.iter().filter(|(_, site)| site.is_hot());
        hot.map(|(key, _)| *key).chain(self.hot.iter().copied()).collect()
    }

    /// What came of planning a function.
    pub(crate) fn planned(&mut self, planned: Planned, pass: u64) {
        let Some(site) = self.sites.get_mut(&planned.function) else { return };
        let Planned { is_system, extent, outcome, .. } = planned;
        match outcome {
            PlanOutcome::Patch(patch, arena) => {
                site.stage.plan(Stage::Ready);
                site.plan = Some(SitePlan { patch, arena, extent, is_system });
                let first = if arena == NOWHERE { ArenaStage::Mapped } else { ArenaStage::Wanted };
                self.arenas.entry(arena).or_insert(first);
            }
            PlanOutcome::Refused { reason, exit } => {
                site.exit = exit;
                site.stage.plan(Stage::Refused { reason });
            }
            PlanOutcome::Absent => site.stage.plan(Stage::Absent { since: pass }),
        }
    }

    /// How the functions are called whose regions may begin, by their entries; each is told once.
    pub(crate) fn take_names(&mut self) -> Vec<(u64, Resource)> {
        self.sites.values_mut().filter_map(PatchSite::take_name).collect()
    }

    /// Takes a reply in. Answers the functions that need a place elsewhere, with the place that failed.
    pub(crate) fn take(
        &mut self,
        answer: Answer,
        turn: AgentTurn<'_>,
    ) -> Option<(u64, Vec<FunctionKey>)> {
        match answer.reply {
            Reply::Mapped { address, error } => return self.mapped(address, error),
            Reply::Armed { .. } => self.armed(answer.to, turn),
            Reply::Disarmed { region, outcome } => {
                if let Some(site) = self.site_of(region) {
                    site.stage.disarmed(Some(outcome));
                }
            }
            Reply::TooHot { region, .. } => {
                if let Some(site) = self.site_of(region) {
                    site.too_hot();
                }
            }
            Reply::Refused { what, argument, .. } => {
                let message = Message { what, arguments: [argument, 0, 0] };
                self.refused(Command::decode(message), argument);
            }
            _ => {}
        }
        None
    }

    /// Brings the process nearer to what is wanted.
    pub(crate) fn serve(&mut self, turn: AgentTurn<'_>) {
        let mut rung = self.map_arenas(turn);
        rung |= self.visit_budget.tell(turn);
        if !matches!(self.code_use, CodeUse::Looking) {
            rung |= self.arm(turn);
            for site in self.sites.values_mut() {
                rung |= site.follow(turn);
            }
            rung |= self.keep_windows(turn);
        }
        if rung {
            turn.agent.wake();
        }
    }

    /// Takes note of what its functions did.
    pub(crate) fn note(&mut self, activity: &Activity, agent: Agent<'_>) {
        self.sites.values_mut().for_each(|site| site.note(activity, agent.regions));
        let resting = self.sites.values().filter(|site| site.stage.is_resting());
        let calls: f64 = resting.map(|site| site.meter.rate).sum();
        self.at_rest += activity.length.scaled((calls * CALL_AT_REST).min(1.0));
    }

    /// Computes how often functions may be called from now on.
    pub(crate) fn update_visit_budget(
        &mut self,
        limit: f64,
        activity: &Activity,
        threads: usize,
        others: Nanos,
    ) {
        let on = self.sites.values().filter(|site| site.stage.on_since().is_some());
        let load = ObservedLoad {
            length: activity.length,
            others,
            price: activity.price(),
            threads,
            hot: self.sites.values().filter(|site| site.is_wanted() && site.is_hot()).count(),
            rate: on.map(|site| site.meter.rate).sum(),
        };
        self.visit_budget.update(limit, &load);
    }

    /// What functions would take of what is left for them, if none had to rest; at the limit, all of it.
    pub(crate) const fn demand(&self) -> f64 {
        self.visit_budget.demand()
    }

    /// Takes in what was sampled since the pass before, and sees to it that more is.
    pub(crate) fn take_pc_samples(&mut self, pid: u32, limit: f64) {
        let hot = self.sites.values_mut().filter(|site| site.is_wanted() && site.is_hot());
        let hot = hot.map(|site| HotFunction {
            pieces: site.plan.as_ref().map_or(&[], |plan| &plan.extent.pieces),
            history: &mut site.meter.pc_history,
        });
        self.pc_sampler.take(pid, limit, hot.collect());
    }

    /// What samples and functions at rest cost the process since this was asked last.
    pub(crate) fn take_cost(&mut self) -> OutsideCost {
        let at_rest = std::mem::take(&mut self.at_rest);
        OutsideCost { samples: self.pc_sampler.take_cost(), at_rest, ..OutsideCost::default() }
    }

    /// Functions that are on since before a pass and were never entered, with the pass.
    pub(crate) fn dormant(&self, pass: u64) -> impl Iterator<Item = (FunctionKey, u64)> {
        self.sites.iter().filter_map(move |(key, site)| {
            let since = site.stage.on_since().filter(|since| *since < pass)?;
            (site.is_wanted() && !site.meter.entered).then_some((*key, since))
        })
    }

    /// Whether no code is being changed: changing it begins with the question whether a tracer is there.
    pub(crate) fn is_at_rest(&self) -> bool {
        let is_moving = |site: &PatchSite| site.stage.is_moving();
        !matches!(self.code_use, CodeUse::Arming(..)) && !self.sites.values().any(is_moving)
    }

    /// Its threads are looked at from now on; it is at rest.
    pub(crate) fn begin_look(&mut self) {
        self.code_use = CodeUse::Looking;
    }

    /// The look is over.
    pub(crate) fn end_look(&mut self) {
        if matches!(self.code_use, CodeUse::Looking) {
            self.code_use = CodeUse::Free;
        }
    }

    fn map_arenas(&mut self, turn: AgentTurn<'_>) -> bool {
        let mut rung = false;
        for (address, stage) in &mut self.arenas {
            let [data, code] = [DATA, CODE].map(|size| u32::try_from(size).unwrap_or(u32::MAX));
            let command = Command::MapArena { address: *address, data, code };
            if *stage == ArenaStage::Wanted && turn.send(command) {
                *stage = ArenaStage::Asked;
                rung = true;
            }
        }
        rung
    }

    /// One batch at a time: the records are the daemon's again once it is replied to.
    fn arm(&mut self, turn: AgentTurn<'_>) -> bool {
        let Self { sites, arenas, code_use, .. } = self;
        if !matches!(code_use, CodeUse::Free) {
            return false;
        }
        let is_mapped = |plan: &SitePlan| arenas.get(&plan.arena) == Some(&ArenaStage::Mapped);
        let is_due =
            |site: &PatchSite| site.is_due(turn.pass) && site.plan.as_ref().is_some_and(is_mapped);
        let due = sites.iter_mut().filter(|(_, site)| is_due(site));
        let due: Vec<_> = due.take(geometry::STAGING_CAPACITY).collect();
        if due.is_empty() {
            return false;
        }
        for (record, (_, site)) in turn.agent.staging.iter().zip(&due) {
            if let Some(plan) = &site.plan {
                record.write(&plan.patch);
            }
        }
        let count = u32::try_from(due.len()).unwrap_or(0);
        let Some(sequence) = turn.agent.send(Command::Arm { first: 0, count }) else {
            return false;
        };
        let mut keys = Vec::new();
        for (key, site) in due {
            site.stage.arm();
            keys.push(*key);
        }
        *code_use = CodeUse::Arming(sequence, keys);
        true
    }

    /// Tells the process which functions have windows from now on, and which no longer; it opens and
    /// shuts them by itself. True when the bell is to be rung.
    fn keep_windows(&mut self, turn: AgentTurn<'_>) -> bool {
        let mut rung = false;
        let Self { sites, visit_budget, .. } = self;
        for site in sites.values_mut() {
            let Some(region) = site.region else { continue };
            let is_due = site.is_wanted() && site.is_hot();
            let told = site.stage.windows();
            let may_open = told.is_some() || site.stage == Stage::Ready;
            if is_due && may_open && told.unwrap_or(0) != visit_budget.window {
                if turn.send(visit_budget.windows(region)) {
                    site.stage.open_windows(visit_budget.window);
                    rung = true;
                }
            } else if !is_due && told.is_some() {
                rung |= site.end_windows(turn);
            }
        }
        rung
    }

    fn mapped(&mut self, address: u64, error: u64) -> Option<(u64, Vec<FunctionKey>)> {
        if error == 0 {
            self.arenas.entry(address).and_modify(|stage| *stage = ArenaStage::Mapped);
            return None;
        }
        self.arenas.remove(&address)?;
        let mut moving = Vec::new();
        for (key, site) in &mut self.sites {
            let is_there = site.plan.as_ref().is_some_and(|plan| plan.arena == address);
            if is_there && site.stage.lose_arena() {
                moving.push(*key);
            }
        }
        Some((address, moving))
    }

    fn armed(&mut self, to: Option<Sequence>, turn: AgentTurn<'_>) {
        let CodeUse::Arming(sequence, _) = &self.code_use else { return };
        if Some(*sequence) != to {
            return;
        }
        for (key, result) in self.end_batch().into_iter().zip(turn.agent.results) {
            let result = result.load(Ordering::Relaxed);
            let Some(site) = self.sites.get_mut(&key) else { continue };
            let region = u32::try_from(result >> 32).unwrap_or(0);
            let outcome = Outcome::from_number(result as u32);
            if outcome == Some(Outcome::Done) {
                site.armed(region);
                self.regions.insert(region, key);
            } else {
                site.failed(outcome.unwrap_or(Outcome::Nonsense), turn.pass);
            }
        }
    }

    /// A command as a whole could not be carried out: what it was about begins again.
    fn refused(&mut self, command: Option<Command>, argument: u64) {
        if let Some(Command::MapArena { .. }) = command {
            self.arenas.entry(argument).and_modify(|stage| *stage = ArenaStage::Wanted);
        } else if let Some(Command::Arm { .. }) = command {
            for key in self.end_batch() {
                if let Some(site) = self.sites.get_mut(&key) {
                    site.failed(Outcome::Nonsense, 0);
                }
            }
        }
    }

    /// The functions of the batch that was under way.
    fn end_batch(&mut self) -> Vec<FunctionKey> {
        match std::mem::take(&mut self.code_use) {
            CodeUse::Arming(_, keys) => keys,
            other => {
                self.code_use = other;
                Vec::new()
            }
        }
    }

    fn site_of(&mut self, region: u32) -> Option<&mut PatchSite> {
        let key = self.regions.get(&region)?;
        self.sites.get_mut(key)
    }
}
