//! Commands to the measured processes and what they reply.

use std::sync::atomic::Ordering;

use whyperf_inject::{go_on_with_own_events, stop_own_events};
use whyperf_instrument::{Activity, ActivitySpan, Entered, Instrumenter, Service};
use whyperf_layout::{Answer, Command, Message, Reply, UserEventPart};
use whyperf_model::{Category, Nanos, Scale};

use crate::compensation::{Price, Prices};
use crate::daemon::Daemon;
use crate::event_form::EventForm;
use crate::pausing::{Pausing, is_paused};
use crate::process::{Beginning, PassContext, Process};
use crate::process_stage::ProcessStage;
use crate::progress::Milestone;
use crate::region::RegionMemory;
use crate::switched::{SwitchOutcome, Switched};
use crate::thread::NodeState;

/// A region of the program that is not measured to the end: its numbers are lower bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchedOff {
    /// Name of the region.
    pub region: String,
    /// Rank or process id.
    pub process: u32,
    /// Visits that were counted before.
    pub visits: u64,
    /// The process did it because the region was too hot, not because a user asked.
    pub by_itself: bool,
}

impl Process {
    /// Regions of the program that are off, or once were because they were too hot.
    pub(crate) fn switched_off(&self) -> impl Iterator<Item = SwitchedOff> + '_ {
        let regions = (0u32..).zip(&self.catalogue.tables.regions).skip(1);
        let off = regions.filter(|(_, entry)| {
            let is_of_program = matches!(entry.category, Category::User | Category::UserCounter);
            is_of_program && (entry.off || entry.hot_visits > 0)
        });
        off.map(|(number, entry)| SwitchedOff {
            region: entry.name.clone(),
            process: self.rank.unwrap_or(self.pid),
            visits: if entry.hot_visits > 0 { entry.hot_visits } else { self.visits(number) },
            by_itself: entry.hot_visits > 0,
        })
    }

    pub(crate) fn visits(&self, region: u32) -> u64 {
        let nodes = self.threads.iter().flat_map(|watched| &watched.thread.nodes);
        let is_told =
            |node: &&NodeState| UserEventPart::at_site(node.site).is_none_or(UserEventPart::grows);
        nodes
            .filter(|node| node.region == region)
            .filter(is_told)
            .map(|node| node.counters.visits)
            .sum()
    }

    /// Asks for every region of this name to be switched; answers how many were asked for.
    pub(crate) fn switch(&self, region: &str, on: bool) -> usize {
        let Some(memory) = self.stage.region() else { return 0 };
        if self.departure.has_begun() {
            return 0;
        }
        let named = (0_u32..).zip(&self.catalogue.tables.regions).skip(1);
        let sent = named.filter(|(_, entry)| entry.name == region).filter(|(number, _)| {
            let region = *number;
            let off = Command::SwitchOff { region };
            let command = if on { Command::SwitchOn { region } } else { off };
            memory.send(command).is_some()
        });
        let sent = sent.count();
        if sent > 0 {
            memory.agent().wake();
        }
        sent
    }

    /// Tells the process that the daemon reads it, and will again within this time; takes its replies.
    pub(crate) fn converse(&mut self, within: Nanos) -> Vec<Switched> {
        let Some(memory) = self.stage.region() else { return Vec::new() };
        // A region may have become hot before it was ever read.
        self.catalogue.tables.take_regions(memory);
        let heartbeat = &memory.commands().heartbeat;
        let millis = u32::try_from(within.0 / 1_000_000).unwrap_or(u32::MAX);
        memory.commands().heartbeat_within.store(millis, Ordering::Relaxed);
        heartbeat.store(heartbeat.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        let mut switched = Vec::new();
        let mut replies = std::mem::take(&mut self.replies);
        // No more than fit into the ring: a process that replies on and on does not hold us up.
        for _ in 0..whyperf_layout::ring::RING {
            let Some(message) = memory.replies().receive(memory.commands()) else { break };
            let Some(answer) = Answer::decode(message) else { continue };
            switched.extend(self.reply(answer.reply));
            replies.push(answer);
        }
        self.replies = replies;
        switched
    }

    /// Brings its functions nearer to what is wanted; of one that has ended, takes down what they did
    /// last.
    pub(crate) fn serve_functions(
        &mut self,
        number: u32,
        context: PassContext,
        instrumenter: &mut Instrumenter,
    ) {
        instrumenter.meet_regions(self.catalogue.take_begun());
        let replies = std::mem::take(&mut self.replies);
        let now = self.ticks(context.now);
        let begin = std::mem::replace(&mut self.served, now);
        let is_over = self.stage.region().is_none();
        if let Some(region) = self.stage.region_of_functions()
            && !instrumenter.has_nothing_for(number)
        {
            let header = region.header();
            let left = header.end_ticks.load(Ordering::Relaxed);
            let end = if is_over && left != 0 { left.min(self.served) } else { self.served };
            let birth = header.start_ticks.load(Ordering::Relaxed);
            let price = region.slot(0);
            let price = price.map_or_else(Price::default, |slot| {
                Prices::of(slot.head).each(EventForm::Function)
            });
            let span = ActivitySpan { begin, end, birth };
            let scale = self.scale(context.scale);
            let activity = self.activity(price, span, scale);
            let beside = activity.length().scaled(context.beside) + self.beside_events;
            let others_cost = self.cost.all() - self.cost.functions;
            let living = self.threads.iter().filter(|watched| watched.is_alive());
            let threads: Vec<u32> = living.map(|watched| watched.thread.tid).collect();
            let (replies, activity, threads) = (&replies[..], &activity, &threads[..]);
            let agent = region.agent();
            let service = Service { agent, replies, activity, threads, others_cost, beside };
            if is_over || self.departure.has_begun() {
                instrumenter.conclude(number, service);
            } else {
                for (entry, code) in instrumenter.serve(number, service) {
                    self.catalogue.name_function(entry, code);
                }
            }
        }
        self.cost.add_outside(instrumenter.take_cost(number));
        if is_over {
            instrumenter.forget(number);
            self.stage = ProcessStage::Over;
            self.threads.iter_mut().for_each(|watched| watched.growth = Vec::new());
        } else {
            self.let_go(number, instrumenter);
        }
    }

    /// What its functions did since the pass before.
    fn activity(&self, price: Price, span: ActivitySpan, scale: Scale) -> Activity {
        let regions = &self.catalogue.tables;
        let threads = self.threads.iter().map(|watched| {
            let entered = watched.growth.iter().map(|growth| Entered {
                region: watched.thread.nodes[growth.node as usize].region,
                visits: growth.by.visits,
                ticks: growth.by.time,
            });
            entered.filter(|entered| {
                let region = regions.region(entered.region);
                region.is_some_and(|region| region.category == Category::Function)
            })
        });
        Activity::of(threads, price.most(), span, scale)
    }

    /// A process that waits at its start goes on when what a user named is in place.
    fn let_go(&mut self, number: u32, instrumenter: &Instrumenter) {
        if !self.is_held() {
            return;
        }
        self.beginning = Beginning::Held;
        self.born = self.served;
        if instrumenter.is_in_place(number)
            && let Some(region) = self.stage.region()
        {
            let word = &region.commands().go_on;
            word.store(1, Ordering::Relaxed);
            let flags = rustix::thread::futex::Flags::empty();
            // That no thread sleeps there is no failure.
            let _ = rustix::thread::futex::wake(word, flags, u32::MAX);
        }
    }

    /// Whether it waits at the startup barrier until functions are in place.
    pub(crate) fn is_held(&self) -> bool {
        let waits =
            |region: &RegionMemory| region.header().at_startup_barrier.load(Ordering::Relaxed) == 1;
        let may_go = |region: &RegionMemory| region.commands().go_on.load(Ordering::Relaxed) != 0;
        self.stage.region().is_some_and(|region| waits(region) && !may_go(region))
    }

    fn reply(&self, reply: Reply) -> Option<Switched> {
        let (region, outcome) = match reply {
            Reply::SwitchedOn { region } => (region, SwitchOutcome::On),
            Reply::SwitchedOff { region } => (region, SwitchOutcome::Off),
            Reply::TooHot { region, visits, .. } => (region, SwitchOutcome::TooHot { visits }),
            Reply::Refused { what, argument, .. } => {
                // A refusal repeats the command and its first word.
                let message = Message { what, arguments: [argument, 0, 0] };
                match Command::decode(message)? {
                    Command::SwitchOn { region } | Command::SwitchOff { region } => {
                        (region, SwitchOutcome::Refused)
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        let entry = self.catalogue.tables.region(region)?;
        if entry.category == Category::Function {
            return None;
        }
        Some(Switched { process: self.label(), region: entry.name.clone(), outcome })
    }
}

impl Daemon {
    /// Asks for regions of this name to be switched on or off, in one process (rank or process id)
    /// or in all; answers how many were asked for. What became of it is in a later pass.
    pub fn switch(&mut self, region: &str, process: Option<&str>, on: bool) -> usize {
        let wanted = |label: &str| process.is_none_or(|process| process == label);
        let chosen = self.processes.iter().filter(|process| wanted(&process.label()));
        chosen.map(|process| process.switch(region, on)).sum()
    }

    /// Asks all processes to record nothing but this milestone.
    pub fn pause(&mut self, kept: &Milestone) {
        self.pausing = Pausing::Asked;
        stop_own_events();
        self.instrumenter.pause();
        for process in &self.processes {
            process.order(Command::Pause { kept: process.region_of(kept) });
        }
    }

    /// Whether all of them do.
    #[must_use]
    pub fn have_paused(&self) -> bool {
        self.processes.iter().filter_map(|process| process.stage.region()).all(is_paused)
    }

    /// Lets the measurement go on.
    pub fn resume(&mut self) {
        self.pausing = Pausing::Measuring;
        go_on_with_own_events();
        self.instrumenter.resume();
        self.processes.iter().for_each(|process| process.order(Command::Resume));
    }

    /// The program's regions whose numbers are lower bounds, for they are not measured to the end.
    #[must_use]
    pub fn switched_off(&self) -> Vec<SwitchedOff> {
        self.processes.iter().flat_map(Process::switched_off).collect()
    }
}
