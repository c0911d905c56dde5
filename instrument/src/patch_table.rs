//! The patch table of a process: its functions that are, were or shall be patched, and how far each is (stage.rs).
//!
//! Driven from what is wanted now, never from the commands of the past: whatever is lost is asked
//! for again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use whyperf_layout::patch::{Outcome, Patch};
use whyperf_layout::{Answer, Command, Message, Reply, Sequence, geometry};
use whyperf_model::Resource;

use crate::agent::Agent;
use crate::contribution::FunctionInterval;
use crate::messages::{CodeExtent, Planned};
use crate::modules::FunctionKey;
use crate::pc_samples::{PcSampleHistory, PcSampler};
use crate::stage::{AGAIN, Stage};
use crate::visit_budget::VisitBudget;
use crate::window::{Notes, Window};

/// A function of a process.
#[derive(Debug)]
pub(crate) struct PatchSite {
    pub(crate) code: Resource,
    pub(crate) stage: Stage,
    pub(crate) patch: Option<Box<Patch>>,
    arena: u64,
    /// Whether a pair wants it on.
    pub(crate) wanted: bool,
    /// Since which pass no pair does.
    idle_since: u64,
    /// In which pass it was last asked to switch.
    asked: u64,
    /// Tries of arming that failed for a passing reason.
    tries: u32,
    pub(crate) window: Option<Window>,
    /// Ticks that it was on, as last looked at, and whether it ever was.
    pub(crate) seen: u64,
    /// What else the process said of it then.
    pub(crate) notes: Notes,
    /// Nanoseconds that a call took when calls were counted last.
    pub(crate) each: Option<f64>,
    pub(crate) was_on: bool,
    /// What the last interval showed.
    pub(crate) interval: FunctionInterval,
    /// Whether the process's catalogue knows it.
    named: bool,
    pub(crate) is_system: bool,
    pub(crate) extent: CodeExtent,
    /// What PC samples told of it.
    pub(crate) pc_history: PcSampleHistory,
    /// Whether a call of it was ever seen.
    pub(crate) entered: bool,
    /// Calls a second in the last interval.
    pub(crate) rate: f64,
    /// Its region, once it has one: for the life of the process.
    pub(crate) region: Option<u32>,
}

/// The arena of functions that need none: they announce their calls themselves.
pub(crate) const NOWHERE: u64 = 0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArenaStage {
    Wanted,
    Asked,
    Mapped,
}

/// All functions of one process that are, were or shall be patched.
#[derive(Debug, Default)]
pub(crate) struct PatchTable {
    /// Its threads are being looked at: no code is changed until that is over.
    pub(crate) is_looked_at: bool,
    pub(crate) sites: BTreeMap<FunctionKey, PatchSite>,
    /// Functions by their regions.
    pub(crate) regions: BTreeMap<u32, FunctionKey>,
    arenas: BTreeMap<u64, ArenaStage>,
    /// Functions that are being armed, once the command is in the ring.
    pub(crate) batch: Option<(Sequence, Vec<FunctionKey>)>,
    /// How often the functions of the process may be called.
    pub(crate) visit_budget: VisitBudget,
    /// Functions that were too hot in the process of which it is a fork.
    pub(crate) hot: BTreeSet<FunctionKey>,
    /// Samples where its threads are, while a function is too hot.
    pub(crate) pc_sampler: PcSampler,
}

impl PatchSite {
    fn new(code: Resource) -> Self {
        Self {
            code,
            stage: Stage::Planning,
            patch: None,
            arena: 0,
            wanted: true,
            idle_since: 0,
            asked: 0,
            tries: 0,
            window: None,
            seen: 0,
            notes: Notes::default(),
            each: None,
            was_on: false,
            interval: FunctionInterval::default(),
            named: false,
            is_system: false,
            extent: CodeExtent::default(),
            pc_history: PcSampleHistory::default(),
            entered: false,
            rate: 0.0,
            region: None,
        }
    }
}

/// What a patch table needs to know in a sampling pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn<'process> {
    pub(crate) agent: Agent<'process>,
    pub(crate) pass: u64,
}

impl Turn<'_> {
    pub(crate) fn send(&self, command: Command) -> bool {
        self.agent.send(command).is_some()
    }
}

impl PatchTable {
    /// Says that this function is wanted on; true when the worker has to be asked how.
    pub(crate) fn want(&mut self, key: FunctionKey, code: &Resource, pass: u64) -> bool {
        let Some(site) = self.sites.get_mut(&key) else {
            let window = self.hot.contains(&key).then(Window::default);
            self.sites.insert(key, PatchSite { window, ..PatchSite::new(code.clone()) });
            return true;
        };
        site.wanted = true;
        site.stage.look_again(pass)
    }

    /// No pair wants any function, until one says so.
    pub(crate) fn want_nothing(&mut self) {
        self.sites.values_mut().for_each(|site| site.wanted = false);
    }

    /// The worker found out how to patch a function.
    pub(crate) fn ready(&mut self, planned: &Planned, patch: Box<Patch>, arena: u64) {
        let Some(site) = self.sites.get_mut(&planned.function) else { return };
        site.is_system = planned.is_system;
        site.extent = planned.extent.clone();
        site.stage.plan(Stage::Ready);
        (site.patch, site.arena) = (Some(patch), arena);
        let first = if arena == NOWHERE { ArenaStage::Mapped } else { ArenaStage::Wanted };
        self.arenas.entry(arena).or_insert(first);
    }

    /// The worker found out why not.
    pub(crate) fn not_ready(&mut self, key: FunctionKey, stage: Stage) {
        if let Some(site) = self.sites.get_mut(&key) {
            site.stage.plan(stage);
        }
    }

    /// How the functions are called whose regions may begin, by their entries; each is told once.
    pub(crate) fn take_names(&mut self) -> Vec<(u64, Resource)> {
        let mut names = Vec::new();
        for site in self.sites.values_mut().filter(|site| !site.named) {
            if let Some(patch) = &site.patch {
                names.push((patch.entry, site.code.clone()));
                site.named = true;
            }
        }
        names
    }

    /// Takes a reply in. Answers the functions that need a place elsewhere, with the place that failed.
    pub(crate) fn take(
        &mut self,
        answer: Answer,
        turn: Turn<'_>,
    ) -> Option<(u64, Vec<FunctionKey>)> {
        match answer.reply {
            Reply::Mapped { address, error } => return self.mapped(address, error),
            Reply::Armed { .. } => self.armed(answer.to, turn),
            Reply::Disarmed { region, outcome } => self.disarmed(region, outcome),
            Reply::TooHot { region, .. } => self.too_hot(region),
            Reply::Refused { what, argument, .. } => {
                let message = Message { what, arguments: [argument, 0, 0] };
                self.refused(Command::decode(message), argument);
            }
            _ => {}
        }
        None
    }

    /// Brings the process nearer to what is wanted.
    pub(crate) fn serve(&mut self, turn: Turn<'_>) {
        let mut rung = self.map_arenas(turn);
        rung |= self.visit_budget.tell(turn);
        if self.is_looked_at {
            if rung {
                turn.agent.wake();
            }
            return;
        }
        rung |= self.arm(turn);
        for site in self.sites.values_mut() {
            rung |= site.follow(turn);
        }
        rung |= self.keep_windows(turn);
        if rung {
            turn.agent.wake();
        }
    }

    fn map_arenas(&mut self, turn: Turn<'_>) -> bool {
        let mut rung = false;
        for (address, stage) in &mut self.arenas {
            let [data, code] = [crate::arena::DATA, crate::arena::CODE]
                .map(|size| u32::try_from(size).unwrap_or(u32::MAX));
            let command = Command::MapArena { address: *address, data, code };
            if *stage == ArenaStage::Wanted && turn.send(command) {
                *stage = ArenaStage::Asked;
                rung = true;
            }
        }
        rung
    }

    /// One batch at a time: the records are the daemon's again once it is replied to.
    fn arm(&mut self, turn: Turn<'_>) -> bool {
        let Self { sites, arenas, batch, .. } = self;
        if batch.is_some() {
            return false;
        }
        let is_due = |site: &PatchSite| {
            site.wanted
                && (site.window.is_none() || site.region.is_none())
                && site.stage == Stage::Ready
                && arenas.get(&site.arena) == Some(&ArenaStage::Mapped)
                && (site.tries == 0 || turn.pass >= site.asked + AGAIN.min(1 << site.tries))
        };
        let due = sites.iter_mut().filter(|(_, site)| is_due(site));
        let due: Vec<_> = due.take(geometry::STAGING_CAPACITY).collect();
        if due.is_empty() {
            return false;
        }
        for (record, (_, site)) in turn.agent.staging.iter().zip(&due) {
            if let Some(patch) = &site.patch {
                record.write(patch);
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
        *batch = Some((sequence, keys));
        true
    }

    fn mapped(&mut self, address: u64, error: u64) -> Option<(u64, Vec<FunctionKey>)> {
        if error == 0 {
            self.arenas.entry(address).and_modify(|stage| *stage = ArenaStage::Mapped);
            return None;
        }
        self.arenas.remove(&address)?;
        let mut moving = Vec::new();
        for (key, site) in &mut self.sites {
            if site.arena == address && site.stage.lose_arena() {
                moving.push(*key);
            }
        }
        Some((address, moving))
    }

    fn armed(&mut self, to: Option<Sequence>, turn: Turn<'_>) {
        let is_it = |batch: &mut (Sequence, Vec<FunctionKey>)| Some(batch.0) == to;
        let Some((_, keys)) = self.batch.take_if(is_it) else { return };
        for (key, result) in keys.into_iter().zip(turn.agent.results) {
            let result = result.load(Ordering::Relaxed);
            let Some(site) = self.sites.get_mut(&key) else { continue };
            let region = u32::try_from(result >> 32).unwrap_or(0);
            let outcome = Outcome::from_number(result as u32);
            if outcome == Some(Outcome::Done) {
                site.stage.armed(region);
                site.region = Some(region);
                site.tries = 0;
                self.regions.insert(region, key);
            } else {
                site.failed(outcome.unwrap_or(Outcome::Nonsense), turn.pass);
            }
        }
    }

    fn disarmed(&mut self, region: u32, outcome: Outcome) {
        if let Some(site) = self.site_of(region) {
            site.stage.disarmed(Some(outcome));
        }
    }

    fn too_hot(&mut self, region: u32) {
        if let Some(site) = self.site_of(region) {
            site.window.get_or_insert_with(Window::new);
            site.stage.see_off();
        }
    }

    /// A command as a whole could not be carried out: what it was about begins again.
    fn refused(&mut self, command: Option<Command>, argument: u64) {
        if let Some(Command::MapArena { .. }) = command {
            self.arenas.entry(argument).and_modify(|stage| *stage = ArenaStage::Wanted);
        } else if let Some(Command::Arm { .. }) = command
            && let Some((_, keys)) = self.batch.take()
        {
            for key in keys {
                if let Some(site) = self.sites.get_mut(&key) {
                    site.failed(Outcome::Nonsense, 0);
                }
            }
        }
    }

    fn site_of(&mut self, region: u32) -> Option<&mut PatchSite> {
        let key = self.regions.get(&region)?;
        self.sites.get_mut(key)
    }
}

impl PatchSite {
    fn failed(&mut self, outcome: Outcome, pass: u64) {
        self.tries += 1;
        self.asked = pass;
        self.stage.fail(outcome, self.tries);
    }

    /// Sends what the difference between wanted and is asks for; true when the bell is to be rung.
    fn follow(&mut self, turn: Turn<'_>) -> bool {
        let Stage::Armed { region: number, .. } = self.stage else { return false };
        let Some(record) = turn.agent.regions.get(number as usize) else { return false };
        let is_on = record.switched.load(Ordering::Relaxed) != 0;
        let region = number;
        if self.wanted {
            self.idle_since = turn.pass;
        }
        if is_on && self.wanted {
            self.stage.see_on(turn.pass);
        } else {
            self.stage.see_off();
        }
        let may_ask = self.asked == 0 || turn.pass >= self.asked + AGAIN;
        let is_idle = !self.wanted && !is_on && turn.pass >= self.idle_since + IDLE;
        let sent = if self.window.is_some() || is_idle {
            let sent = turn.send(Command::Disarm { region });
            if sent {
                self.stage.disarm();
            }
            sent
        } else if self.wanted && !is_on && may_ask {
            turn.send(Command::SwitchOn { region })
        } else if !self.wanted && is_on && may_ask {
            turn.send(Command::SwitchOff { region })
        } else {
            return false;
        };
        if sent {
            self.asked = turn.pass;
        }
        sent
    }
}

/// Passes after which a function that no pair wants gets its original bytes back.
const IDLE: u64 = 40;
