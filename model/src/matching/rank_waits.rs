//! Finds the ranks that others wait for: what the rank that waits least does, while others wait longer than it.
//!
//! ```text
//!   rank 0   ████████████████▒▒      █ its own doing: computing, input and output, without a processor, …
//!   rank 1   █████▒▒▒▒▒▒▒▒▒▒▒▒▒      ▒ waits in MPI
//!                 └─────────┤        the excess: rank 1 waits so much longer because rank 0 was so much longer at something
//!            |─── interval ───|
//! ```
//! Ranks of a job have the same time, so when one waits longer, another did something of its own for longer. A rank that
//! comes late because it waited for a third one waits, too: the rank that waits least is where a chain of waits begins. So
//! no clocks have to be compared, and no messages followed.
//!
//! * A rank that makes no call that waits in an interval is not the cause of the waits of another one that makes many, and one that has
//!   made none since another one waited for long and was answered, three times, takes no part in what that one does.
//! * A rank waits for those that it exchanges messages with, those that are in the same operation, and those that these wait for
//!   (`partners.rs`): groups of ranks that never meet do not wait for each other.
//! * The time that all ranks wait, also the one that waits least, is no excess: they wait in turns within the interval, or
//!   for the messages themselves. No cause is given for it, but a lack of processors (`processor_loss.rs`).
//! * Only first threads are looked at, and all ranks of one job are assumed to wait for each other, directly or through
//!   others.

use std::collections::{BTreeMap, BTreeSet};

use ahash::AHashMap;

use super::active::Totals;
use super::classes::{ClassId, Classes};
use super::meetings::{CommunicatorNumber, IntervalNumber, Meetings};
use super::partners::{Awaited, Awaits, Participant, Participants, Partners, WayToWait};
use super::processor_loss::{ProcessorLoss, RankTime};
use super::resources::{ResourceId, Resources, ThreadPlace};
use super::wait_cause::{CausedBy, WaitCause, Waits};
use super::wrong_order::WrongOrder;
use crate::{Category, CategorySet, MessageGrowth, Nanos, TimeUse};

/// A rank, and its first thread with the machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaitingRank {
    /// Whom it works with.
    pub job: u32,
    /// Its number among them, where it is known.
    pub rank: Option<u32>,
    /// The number of its process, under which it is told what was found.
    pub number: u32,
    /// Its process.
    pub process: ResourceId,
    /// Its first thread, and the machine.
    pub place: ThreadPlace,
    /// The operating system does not say how much of it ran.
    pub is_untold: bool,
    /// Its lack of a processor in calls that wait.
    pub delay: RankDelay,
    /// The part of its waiting in which looks find that it waits for nobody: all have entered what it is in.
    pub ready: f64,
}

/// What is known of a rank's lack of a processor in calls that wait, in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankDelay {
    /// For how long it had none, and for how long it had one.
    Measured {
        /// Without a processor in calls.
        delay: Nanos,
        /// On one in calls.
        polled: Nanos,
        /// How these are told from its own code.
        ran: RunPlace,
    },
    /// A record says what came of it.
    Recorded,
}

/// Where a rank ran, in its own code or in calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunPlace {
    /// Stack samples tell.
    #[default]
    Sampled,
    /// There are none: it is taken to have run in its own code as long as it was there, and its lack of a processor to have been in calls.
    Assumed,
}

/// What a rank waited because of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CausedTime {
    /// The number of its process.
    pub number: u32,
    /// In which calls.
    pub class: ClassId,
    /// Because of what, of those that are derived.
    pub category: Category,
    /// How much, as estimated.
    pub time: Nanos,
}

/// The ranks of all jobs, and what each did in this interval.
#[derive(Debug, Default)]
pub(super) struct RankWaits {
    /// By job and process.
    ranks: BTreeMap<u32, BTreeMap<ResourceId, RankInterval>>,
    meetings: Meetings,
    partners: Partners,
    order: WrongOrder,
}

/// What one rank did in the interval.
#[derive(Clone, Debug)]
struct RankInterval {
    number: u32,
    rank: Option<u32>,
    place: ThreadPlace,
    own: [Nanos; TimeUse::ALL.len()],
    waits: BTreeMap<ClassId, Wait>,
    waiting: Nanos,
    whole: Nanos,
    /// Calls that wait, and ended.
    calls: u64,
    delay: RankDelay,
    ready: f64,
    /// What a record says that enough processors would have saved, by communicator.
    saved: AHashMap<Option<CommunicatorNumber>, Nanos>,
}

/// Waiting in one class of calls: for whom, and on which communicator, where events tell of it.
#[derive(Clone, Copy, Debug, Default)]
struct Wait {
    way: WayToWait,
    time: Nanos,
}

/// Who makes more calls than so many does not wait for a rank that makes none: ranks go on for some steps until they hang on a late one.
const A_FEW: u64 = 16;
/// Who waits for a larger part of the time, and goes on, was answered.
const LONG: f64 = 0.5;
/// A smaller part of the time may be chance.
const LEAST: f64 = 0.05;
/// So many steps lie between the ends of what may be so where no stack samples tell.
const STEPS: u32 = 8;

impl RankWaits {
    /// What a rank did in the interval just past.
    pub(super) fn took(
        &mut self,
        rank: WaitingRank,
        nodes: &[(ClassId, Totals)],
        classes: &Classes,
        resources: &Resources,
    ) {
        let paging = resources.paging();
        let WaitingRank { job, process, is_untold, .. } = rank;
        let ranks = self.ranks.entry(job).or_default();
        let rank = ranks.entry(process).or_insert_with(|| RankInterval::new(&rank));
        for (class, by) in nodes {
            let traits = &classes.get(*class).traits;
            match traits.category {
                Category::Setup => continue,
                Category::WaitByProcessors => {
                    let on = self.meetings.communicator(*class, traits.object, resources);
                    *rank.saved.entry(on).or_default() += Nanos(by.sent);
                }
                _ => {}
            }
            rank.whole += by.time;
            if CategorySet::MESSAGE.contains(traits.category) {
                rank.waiting += by.time;
                // A function inside a call is no other call.
                let calls = if traits.is_program() { 0 } else { by.visits };
                rank.calls += calls;
                let on = self.meetings.communicator(*class, traits.object, resources);
                let way = (Awaits::of(traits.category), on);
                rank.waits.entry(*class).or_insert(Wait { way, time: Nanos::ZERO }).time += by.time;
                if calls > 0 {
                    self.meetings.called(process, on);
                }
            } else {
                rank.own[traits.spent(paging, is_untold) as usize] += by.time;
            }
        }
    }

    /// A rank saw messages.
    pub(super) fn exchanged(&mut self, growth: &MessageGrowth) {
        self.partners.exchanged(growth);
        self.order.exchanged(growth);
    }

    /// Whether most of what a thread waited to receive in these calls was while another message was there.
    pub(super) fn is_in_wrong_order(&self, place: ThreadPlace, class: ClassId) -> bool {
        self.order.is_most((place, class))
    }

    /// Ends an interval: adds because of whom ranks waited in it, and answers how much because of what, where that was measured.
    pub(super) fn close(&mut self, waits: &mut Waits) -> Vec<CausedTime> {
        let jobs = std::mem::take(&mut self.ranks);
        for (process, rank) in jobs.values().flatten() {
            if rank.calls > 0 && rank.waits() > LONG {
                self.meetings.was_answered(*process);
            }
        }
        for (job, ranks) in &jobs {
            ranks.values().for_each(|rank| rank.tell_order(*job, &mut self.order));
        }
        self.order.close();
        let chances = Chance::all(&jobs);
        let mut caused = Vec::new();
        for (job, ranks) in &jobs {
            JobInterval::new(*job, ranks, self, &chances).blame(waits, &mut caused);
        }
        self.meetings.close();
        caused
    }
}

impl RankInterval {
    fn new(rank: &WaitingRank) -> Self {
        Self {
            number: rank.number,
            rank: rank.rank,
            place: rank.place,
            own: [Nanos::ZERO; TimeUse::ALL.len()],
            waits: BTreeMap::new(),
            waiting: Nanos::ZERO,
            whole: Nanos::ZERO,
            calls: 0,
            delay: rank.delay,
            ready: rank.ready,
            saved: AHashMap::new(),
        }
    }

    /// Tells what it waited to receive.
    fn tell_order(&self, job: u32, order: &mut WrongOrder) {
        let Some(rank) = self.rank else { return };
        let receives = |wait: &Wait| matches!(wait.way.0, Awaits::Senders | Awaits::Partners);
        for (class, wait) in self.waits.iter().filter(|(_, wait)| receives(wait)) {
            order.waited((job, rank), (self.place, *class), wait.time);
        }
    }

    /// How it waits for more than a little of the time.
    fn ways(&self) -> BTreeSet<WayToWait> {
        let mut times: BTreeMap<WayToWait, Nanos> = BTreeMap::new();
        for wait in self.waits.values() {
            *times.entry(wait.way).or_default() += wait.time;
        }
        let is_long = |time: &Nanos| self.share(*time) >= LEAST;
        times.into_iter().filter(|(_, time)| is_long(time)).map(|(way, _)| way).collect()
    }

    /// A part of its time; 0 of one without any.
    fn share(&self, time: Nanos) -> f64 {
        let whole = self.whole.as_secs_f64();
        if whole > 0.0 { time.as_secs_f64() / whole } else { 0.0 }
    }

    /// Its time as far as a lack of processors is concerned, if this part of what may have been so was.
    fn time(&self, moved: f64) -> RankTime {
        let of = |spent: TimeUse| self.share(self.own[spent as usize]);
        let delayed = of(TimeUse::Processor) + of(TimeUse::Throttled);
        let [delay, polled, moved] = match self.delay {
            RankDelay::Measured { delay, polled, ran } => {
                let [delay, polled] =
                    [delay, polled].map(|time| self.share(time.min(self.waiting)));
                let most = of(TimeUse::Computing).min(delay).min(self.waits() - polled);
                [delay, polled, if ran == RunPlace::Assumed { moved * most } else { 0.0 }]
            }
            RankDelay::Recorded => [0.0; 3],
        };
        RankTime {
            own: TimeUse::ALL.into_iter().map(of).sum::<f64>() - delayed - moved,
            delayed: delayed + moved,
            waiting: self.waits(),
            delayed_in_calls: delay - moved,
            polling: polled + moved,
            found_ready: self.found_ready(),
        }
    }

    fn is_assumed(&self) -> bool {
        matches!(self.delay, RankDelay::Measured { ran: RunPlace::Assumed, .. })
    }

    fn waits(&self) -> f64 {
        self.share(self.waiting)
    }

    /// Waiting for nobody, without a processor, as far as looks tell.
    fn found_ready(&self) -> f64 {
        match self.delay {
            RankDelay::Measured { delay, .. } => self.share(delay).min(self.waits() * self.ready),
            RankDelay::Recorded => 0.0,
        }
    }

    /// The part of its waiting on a communicator that enough processors would have saved, by the record.
    fn recorded(&self, on: Option<CommunicatorNumber>) -> f64 {
        let waits = self.waits.values().filter(|wait| wait.way.1 == on);
        let waited = waits.fold(Nanos::ZERO, |sum, wait| sum + wait.time);
        let saved = self.saved.get(&on).copied().unwrap_or_default();
        if waited.is_zero() { 0.0 } else { saved.as_secs_f64() / waited.as_secs_f64() }
    }

    /// What it did longer than a rank that waits longer, each with its part of all that the other one waits.
    fn excess_over(&self, waiter: &Self, process: ResourceId) -> Vec<(WaitCause, f64)> {
        let excess = waiter.waits() - self.waits();
        if excess < LEAST {
            return Vec::new();
        }
        let more: Vec<_> = self.more_than(waiter).collect();
        let all: f64 = more.iter().map(|(_, more)| more).sum();
        let cause = |spent| WaitCause { spent, by: CausedBy::Rank, who: Some(process), code: None };
        let part = |more| excess / waiter.waits() * more / all;
        more.into_iter().map(|(spent, more)| (cause(spent), part(more))).collect()
    }

    /// By what it did a larger part of its time than another rank, and by how much.
    fn more_than<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (TimeUse, f64)> + 'a {
        let more = |spent: TimeUse| {
            let at = spent as usize;
            (spent, self.share(self.own[at]) - other.share(other.own[at]))
        };
        TimeUse::ALL.into_iter().map(more).filter(|(_, more)| *more > 0.0)
    }
}

/// What may have been so in an interval: without stack samples a rank may have polled while it is taken to have run in its own code, and have had no
/// processor there for as long, and not in calls.
#[derive(Clone, Copy, Debug)]
struct Chance {
    /// Of all that may have been so, this part was.
    moved: f64,
    /// For how much of the time processors polled then, over all jobs.
    polling: f64,
}

impl Chance {
    /// One where stack samples tell all.
    fn all(jobs: &BTreeMap<u32, BTreeMap<ResourceId, RankInterval>>) -> Vec<Self> {
        let ranks = || jobs.values().flat_map(BTreeMap::values);
        let steps = if ranks().any(RankInterval::is_assumed) { STEPS } else { 0 };
        let chance = |step: u32| {
            let moved = f64::from(step) / f64::from(STEPS);
            Self { moved, polling: ranks().map(|rank| rank.time(moved).polling).sum() }
        };
        (0..=steps).map(chance).collect()
    }
}

/// The ranks of a job in an interval.
#[derive(Debug)]
struct JobInterval<'a> {
    ranks: &'a BTreeMap<ResourceId, RankInterval>,
    participants: Participants,
    known: &'a RankWaits,
    losses: Vec<(Chance, ProcessorLoss)>,
}

impl<'a> JobInterval<'a> {
    fn new(
        job: u32,
        ranks: &'a BTreeMap<ResourceId, RankInterval>,
        known: &'a RankWaits,
        chances: &[Chance],
    ) -> Self {
        let loss = |chance: &Chance| {
            let times: Vec<_> = ranks.values().map(|rank| rank.time(chance.moved)).collect();
            (*chance, ProcessorLoss::of(&times, chance.polling))
        };
        let there = ranks.iter().filter(|(_, rank)| !rank.whole.is_zero());
        let participants = there.map(|(process, rank)| Participant {
            process: *process,
            rank: rank.rank,
            ways: rank.ways(),
            is_settled: rank.calls > A_FEW || known.meetings.is_settled(*process),
        });
        let participants = Participants::new(job, participants.collect());
        Self { ranks, participants, known, losses: chances.iter().map(loss).collect() }
    }

    /// Divides what ranks wait longer than the one that waits least by what that one did longer, and the rest by what enough processors would
    /// have saved.
    fn blame(&self, waits: &mut Waits, caused: &mut Vec<CausedTime>) {
        let mut firsts: AHashMap<_, Option<First<'_>>> = AHashMap::new();
        for participant in self.participants.iter() {
            let waiter = &self.ranks[&participant.process];
            let since = self.known.meetings.horizon(participant.process);
            let makes_many = waiter.calls > A_FEW;
            let mut known: AHashMap<WayToWait, Reasons> = AHashMap::new();
            for (class, wait) in &waiter.waits {
                let reasons = known.entry(wait.way).or_insert_with(|| {
                    let partners = &self.known.partners;
                    let awaited = partners.awaited(&self.participants, participant, wait.way);
                    let first = firsts.entry((awaited, since, makes_many));
                    let first = first.or_insert_with_key(|(awaited, ..)| {
                        self.first(awaited.clone(), since, makes_many)
                    });
                    first.map_or_else(Reasons::default, |first| {
                        self.reasons(waiter, first, wait.way.1)
                    })
                });
                for (cause, share) in &reasons.all {
                    let time = wait.time.scaled(*share);
                    *waits.entry((*cause, waiter.place, *class)).or_default() += time;
                }
                if matches!(waiter.delay, RankDelay::Measured { .. }) {
                    let number = waiter.number;
                    caused.extend(reasons.by_category().map(|(category, share)| {
                        let time = wait.time.scaled(share);
                        CausedTime { number, class: *class, category, time }
                    }));
                }
            }
        }
    }

    /// Who waits least of those that somebody may wait for. Who makes many calls does not wait for one that makes none.
    fn first(
        &self,
        awaited: Awaited,
        since: IntervalNumber,
        makes_many: bool,
    ) -> Option<First<'a>> {
        let RankWaits { meetings, partners, .. } = self.known;
        let reached = partners.reached(&self.participants, awaited, meetings);
        let there = reached.filter_map(|one| self.ranks.get_key_value(&one.process));
        let takes_part = there.filter(|(process, rank)| {
            meetings.takes_part(**process, since) && (rank.calls > 0 || !makes_many)
        });
        let least = takes_part.min_by(|one, other| one.1.waits().total_cmp(&other.1.waits()));
        least.map(|(process, rank)| (*process, rank))
    }

    /// The causes of what a rank waits on a communicator, if `first` waits least of those that it waits for.
    fn reasons(
        &self,
        waiter: &RankInterval,
        first: First<'_>,
        on: Option<CommunicatorNumber>,
    ) -> Reasons {
        let (process, first) = first;
        let saved = match waiter.delay {
            RankDelay::Measured { .. } => self.saved(waiter, first),
            RankDelay::Recorded => waiter.recorded(on),
        };
        let mut all = first.excess_over(waiter, process);
        let is_delay =
            |cause: &WaitCause| matches!(cause.spent, TimeUse::Processor | TimeUse::Throttled);
        let told: f64 = all.iter().map(|(_, share)| share).sum();
        let delayed: f64 =
            all.iter().filter(|(cause, _)| is_delay(cause)).map(|(_, share)| share).sum();
        let of_all = (saved - delayed).min(1.0 - told);
        if of_all > 0.0 {
            all.push((WaitCause::TOO_FEW_PROCESSORS, of_all));
        }
        Reasons { all, saved }
    }

    /// The part of what a rank waits that enough processors would have saved: the least that may be so.
    fn saved(&self, waiter: &RankInterval, first: &RankInterval) -> f64 {
        let saved = self.losses.iter().map(|(Chance { moved, .. }, loss)| {
            loss.saved(&waiter.time(*moved), &first.time(*moved))
        });
        saved.fold(1.0, f64::min)
    }
}

/// A rank that waits least of those that others wait for.
type First<'a> = (ResourceId, &'a RankInterval);

/// Why a rank waited on a communicator.
#[derive(Clone, Debug, Default)]
struct Reasons {
    /// Causes, each with its part of all that the rank waited.
    all: Vec<(WaitCause, f64)>,
    /// The part that enough processors would have saved.
    saved: f64,
}

impl Reasons {
    /// The parts of what is derived, also those that are none.
    fn by_category(&self) -> impl Iterator<Item = (Category, f64)> {
        let of_ranks = |category| {
            let is_it = move |cause: &WaitCause| cause.spent.as_cause() == Some(category);
            let all = self.all.iter().filter(move |(cause, _)| is_it(cause));
            (category, all.map(|(_, share)| share).sum())
        };
        let ranks = [Category::WaitByComputing, Category::WaitByIo, Category::WaitByBlocked];
        ranks.map(of_ranks).into_iter().chain([(Category::WaitByProcessors, self.saved)])
    }
}
