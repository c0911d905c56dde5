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
//! * A rank that makes no call that waits in an interval is not the cause of the waits of another one that makes many.
//! * Ranks that wait on a communicator wait for one that has called something on it: the parts of a coupled program do not
//!   wait for each other where each uses communicators of its own.
//! * The time that all ranks wait, also the one that waits least, is no excess: they wait in turns within the interval, or
//!   for the messages themselves. No cause is given for it.
//! * Only first threads are looked at, and all ranks of one job are assumed to wait for each other, directly or through
//!   others.

use std::collections::{BTreeMap, BTreeSet};

use ahash::AHashMap;

use super::active::{Asked, Totals};
use super::classes::{ClassId, Classes};
use super::resources::{ResourceId, Resources};
use super::run_totals::{RunTotals, ThreadPlace, lineage};
use crate::{Category, CategorySet, Focus, Nanos, Pair, Resource, TimeUse};

/// What a rank did while others waited for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct WaitCause {
    /// What it did.
    spent: TimeUse,
    /// Which process.
    process: ResourceId,
}

impl WaitCause {
    /// The process, and on what it did that.
    fn focus(self, totals: &RunTotals, classes: &Classes, resources: &Resources) -> Focus {
        let object = totals.object_of(self.process, self.spent, classes, resources);
        let all = [Some(self.process), object].into_iter().flatten();
        let all = all.map(|id| resources.resource(id).clone());
        all.fold(Focus::whole_program(), |focus, one| focus.with(one.hierarchy(), one))
    }
}

/// A part of the waiting, and why it was.
#[derive(Clone, Debug, PartialEq)]
pub struct CausedWait {
    /// What somebody did meanwhile.
    pub spent: TimeUse,
    /// Who did it, and on what or in which code, as far as that is known.
    pub focus: Focus,
    /// Of all that was waited.
    pub share: f64,
}

/// A rank, and its first thread with the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingRank {
    /// Whom it works with.
    pub job: u32,
    /// Its process.
    pub process: ResourceId,
    /// Its first thread, and the machine.
    pub place: ThreadPlace,
    /// The operating system does not say how much of it ran.
    pub is_untold: bool,
}

/// Who waited because of whom, so far.
#[derive(Debug, Default)]
pub struct WaitCauses {
    /// By job and process: what each rank did in this interval.
    ranks: BTreeMap<u32, BTreeMap<ResourceId, RankInterval>>,
    meetings: Meetings,
    waits: AHashMap<(WaitCause, ThreadPlace, ClassId), Nanos>,
}

/// A communicator by its name, as a number.
type CommunicatorNumber = usize;

/// Who ever called something on which communicator.
#[derive(Debug, Default)]
struct Meetings {
    /// By name.
    communicators: Vec<(String, BTreeSet<ResourceId>)>,
    /// By class of calls.
    of: AHashMap<ClassId, Option<CommunicatorNumber>>,
    /// Who called anything at all.
    callers: BTreeSet<ResourceId>,
}

/// What one rank did in the interval.
#[derive(Clone, Debug)]
struct RankInterval {
    place: ThreadPlace,
    own: [Nanos; TimeUse::ALL.len()],
    waits: BTreeMap<ClassId, Wait>,
    waiting: Nanos,
    whole: Nanos,
    /// Calls that wait, and ended.
    calls: u64,
}

/// Waiting in one class of calls, and its communicator, where events tell of it.
#[derive(Clone, Copy, Debug, Default)]
struct Wait {
    on: Option<CommunicatorNumber>,
    time: Nanos,
}

/// Who makes more calls than so many does not wait for a rank that makes none: ranks go on for some steps until they hang on a late one.
const A_FEW: u64 = 16;
/// A smaller part of the time may be chance.
const LEAST: f64 = 0.05;

impl WaitCauses {
    /// What a rank did in the interval just past.
    pub fn took(
        &mut self,
        rank: WaitingRank,
        nodes: &[(ClassId, Totals)],
        classes: &Classes,
        resources: &Resources,
    ) {
        let paging = resources.paging();
        let WaitingRank { job, process, place, is_untold } = rank;
        let ranks = self.ranks.entry(job).or_default();
        let rank = ranks.entry(process).or_insert_with(|| RankInterval::new(place));
        for (class, by) in nodes {
            let traits = &classes.get(*class).traits;
            if traits.category == Category::Setup {
                continue;
            }
            rank.whole += by.time;
            if CategorySet::MESSAGE.contains(traits.category) {
                rank.waiting += by.time;
                // A function inside a call is no other call.
                let calls = if traits.is_program() { 0 } else { by.visits };
                rank.calls += calls;
                let on = self.meetings.communicator(*class, traits.object, resources);
                rank.waits.entry(*class).or_insert(Wait { on, time: Nanos::ZERO }).time += by.time;
                if calls > 0 {
                    self.meetings.called(process, on);
                }
            } else {
                rank.own[traits.spent(paging, is_untold) as usize] += by.time;
            }
        }
    }

    /// Ends an interval.
    pub fn close(&mut self) {
        for ranks in std::mem::take(&mut self.ranks).values() {
            blame(ranks, &self.meetings, &mut self.waits);
        }
    }

    /// Of what a pair of waiting came to, the parts that are because of one rank, the largest first.
    pub fn shares(
        &self,
        pair: &Pair,
        totals: &RunTotals,
        classes: &Classes,
        resources: &mut Resources,
    ) -> Vec<CausedWait> {
        let Some(all) = totals.amount(pair, classes, resources).filter(|all| *all > 0) else {
            return Vec::new();
        };
        let all = Nanos(all.unsigned_abs()).as_secs_f64();
        let amounts = self.amounts(pair, classes, resources).into_iter();
        let told = amounts.map(|(cause, time)| {
            let focus = cause.focus(totals, classes, resources);
            CausedWait { spent: cause.spent, focus, share: time.as_secs_f64() / all }
        });
        told.collect()
    }

    /// Of what a pair of waiting came to, how much is because of whom, the largest first.
    fn amounts(
        &self,
        pair: &Pair,
        classes: &Classes,
        resources: &mut Resources,
    ) -> Vec<(WaitCause, Nanos)> {
        let asked = Asked::new(pair.clone(), resources);
        let (mut places, mut matches) = (AHashMap::new(), AHashMap::new());
        let mut sums: BTreeMap<WaitCause, Nanos> = BTreeMap::new();
        for ((cause, place, class), time) in &self.waits {
            let is_there =
                places.entry(*place).or_insert_with(|| asked.includes(&lineage(*place, resources)));
            let counts = || asked.matches(classes.get(*class));
            if *is_there && *matches.entry(*class).or_insert_with(counts) {
                *sums.entry(*cause).or_default() += *time;
            }
        }
        let mut all: Vec<_> = sums.into_iter().collect();
        all.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        all
    }
}

impl RankInterval {
    fn new(place: ThreadPlace) -> Self {
        let own = [Nanos::ZERO; TimeUse::ALL.len()];
        let (waits, waiting, whole) = (BTreeMap::new(), Nanos::ZERO, Nanos::ZERO);
        Self { place, own, waits, waiting, whole, calls: 0 }
    }

    /// A part of its time.
    fn share(&self, time: Nanos) -> f64 {
        time.as_secs_f64() / self.whole.as_secs_f64()
    }

    fn waits(&self) -> f64 {
        self.share(self.waiting)
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

impl Meetings {
    /// The communicator that calls of a class wait on.
    fn communicator(
        &mut self,
        class: ClassId,
        object: Option<ResourceId>,
        resources: &Resources,
    ) -> Option<CommunicatorNumber> {
        if let Some(known) = self.of.get(&class) {
            return *known;
        }
        let name = object.and_then(|object| communicator(resources.resource(object)));
        let found = name.map(|name| self.numbered(name));
        self.of.insert(class, found);
        found
    }

    fn numbered(&mut self, name: &str) -> CommunicatorNumber {
        let known = self.communicators.iter().position(|(one, _)| one == name);
        known.unwrap_or_else(|| {
            self.communicators.push((name.to_owned(), BTreeSet::new()));
            self.communicators.len() - 1
        })
    }

    fn called(&mut self, process: ResourceId, on: Option<CommunicatorNumber>) {
        self.callers.insert(process);
        if let Some((_, callers)) = on.and_then(|on| self.communicators.get_mut(on)) {
            callers.insert(process);
        }
    }

    /// Whether who waits on a communicator may wait for this process: one that called nothing yet may be about to.
    fn may_meet(&self, process: ResourceId, on: Option<CommunicatorNumber>) -> bool {
        let callers = on.and_then(|on| self.communicators.get(on));
        callers.is_none_or(|(_, callers)| callers.contains(&process))
            || !self.callers.contains(&process)
    }
}

/// What a communicator is called that is waited on: messages have a tag below it. `None` of messages of several.
fn communicator(object: &Resource) -> Option<&str> {
    let mut names = object.components().skip(1);
    match names.next() {
        Some(MESSAGE) => names.next(),
        _ => Some(object.name()),
    }
}

/// What holds the messages of each communicator, by tag.
const MESSAGE: &str = "Message";

/// Divides what ranks wait longer than the one that waits least by what that one did longer.
fn blame(
    ranks: &BTreeMap<ResourceId, RankInterval>,
    meetings: &Meetings,
    waits: &mut AHashMap<(WaitCause, ThreadPlace, ClassId), Nanos>,
) {
    let mut known: AHashMap<Option<CommunicatorNumber>, First<'_>> = AHashMap::new();
    for waiter in ranks.values().filter(|rank| !rank.whole.is_zero()) {
        let mut reasons: AHashMap<Option<CommunicatorNumber>, Vec<(WaitCause, f64)>> =
            AHashMap::new();
        for (class, wait) in &waiter.waits {
            let reasons = reasons.entry(wait.on).or_insert_with(|| {
                let first = known.entry(wait.on);
                first.or_insert_with(|| First::of(ranks, wait.on, meetings)).reasons(waiter)
            });
            for (cause, share) in reasons {
                let time = wait.time.scaled(*share);
                *waits.entry((*cause, waiter.place, *class)).or_default() += time;
            }
        }
    }
}

/// Who waits least of those that may meet on a communicator: of all, and of those that made a call in the interval.
#[derive(Clone, Copy, Debug)]
struct First<'a> {
    of_all: Option<(ResourceId, &'a RankInterval)>,
    of_callers: Option<(ResourceId, &'a RankInterval)>,
}

impl<'a> First<'a> {
    fn of(
        ranks: &'a BTreeMap<ResourceId, RankInterval>,
        on: Option<CommunicatorNumber>,
        meetings: &Meetings,
    ) -> Self {
        let there = ranks.iter().map(|(process, rank)| (*process, rank));
        let there = there
            .filter(|(process, rank)| meetings.may_meet(*process, on) && !rank.whole.is_zero());
        let least = |one: &(ResourceId, &RankInterval), other: &(ResourceId, &RankInterval)| {
            one.1.waits().total_cmp(&other.1.waits())
        };
        let of_callers = there.clone().filter(|(_, rank)| rank.calls > 0).min_by(least);
        Self { of_all: there.min_by(least), of_callers }
    }

    /// The causes of what a rank waits, each with its part of all that this rank waits.
    fn reasons(self, waiter: &RankInterval) -> Vec<(WaitCause, f64)> {
        let first = if waiter.calls > A_FEW { self.of_callers } else { self.of_all };
        let Some((process, first)) = first else { return Vec::new() };
        let excess = waiter.waits() - first.waits();
        if excess < LEAST {
            return Vec::new();
        }
        let more: Vec<_> = first.more_than(waiter).collect();
        let all: f64 = more.iter().map(|(_, more)| more).sum();
        let reason =
            |(spent, more)| (WaitCause { spent, process }, excess / waiter.waits() * more / all);
        more.into_iter().map(reason).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Metric;

    #[derive(Default)]
    struct Stage {
        causes: WaitCauses,
        classes: Classes,
        resources: Resources,
    }

    impl Stage {
        fn id(&mut self, path: &str) -> ResourceId {
            self.resources.id(&Resource::parse(path).expect("well formed"))
        }

        /// What a rank did in an interval, in milliseconds, with so many calls of each.
        fn took(&mut self, rank: u32, calls: u64, did: &[(Category, u64)]) {
            self.took_on("w", rank, calls, did);
        }

        fn took_on(&mut self, on: &str, rank: u32, calls: u64, did: &[(Category, u64)]) {
            let process = self.id(&format!("/Process/{rank}"));
            let place = [format!("/Process/{rank}/0"), "/Machine/a".to_owned()];
            let place = place.map(|path| self.id(&path));
            let tag = self.id(&format!("/SyncObject/Message/{on}/3"));
            let nodes: Vec<_> = did
                .iter()
                .map(|(category, time)| {
                    let is_message = CategorySet::MESSAGE.contains(*category);
                    let Self { classes, resources, .. } = self;
                    let object = is_message.then_some(tag);
                    let class = classes.below(ClassId::NONE, *category, None, object, resources);
                    let time = Nanos::from_millis(*time);
                    (class, Totals { time, visits: calls, ..Totals::default() })
                })
                .collect();
            let rank = WaitingRank { job: 0, process, place, is_untold: false };
            self.causes.took(rank, &nodes, &self.classes, &self.resources);
        }

        /// Who is to blame at a focus, in milliseconds.
        fn told(&mut self, focus: &str) -> Vec<(TimeUse, String, u64)> {
            let pair = Pair::new(Metric::SyncWait, Focus::parse(focus).expect("well formed"));
            let all = self.causes.amounts(&pair, &self.classes, &mut self.resources);
            let told = all.into_iter().map(|(cause, time)| {
                let who = self.resources.resource(cause.process).to_string();
                (cause.spent, who, (time.0 + 500_000) / 1_000_000)
            });
            told.collect()
        }
    }

    const WORK: Category = Category::Root;
    const WAIT: Category = Category::Receive;

    #[test]
    fn a_rank_that_computes_longer_is_why_the_others_wait() {
        let mut stage = Stage::default();
        for _ in 0..10 {
            stage.took(0, 50, &[(WORK, 48), (WAIT, 2)]);
            stage.took(1, 50, &[(WORK, 18), (WAIT, 32)]);
            stage.took(2, 50, &[(WORK, 20), (WAIT, 30)]);
            stage.causes.close();
        }
        let by_rank_0 = |time| vec![(TimeUse::Computing, "/Process/0".to_owned(), time)];
        assert_eq!(stage.told("<>"), by_rank_0(580));
        assert_eq!(stage.told("</Process/1>"), by_rank_0(300));
        assert_eq!(stage.told("</SyncObject/Message/w/3,/Process/2>"), by_rank_0(280));
        assert_eq!(stage.told("</Process/0>"), []);
        assert_eq!(stage.told("</SyncObject/Barrier>"), []);
    }

    #[test]
    fn a_function_inside_a_call_is_no_call() {
        let mut stage = Stage::default();
        let [tag, function, process] =
            ["/SyncObject/Message/w/3", "/Code/mpi.so/poll", "/Process/1"]
                .map(|path| stage.id(path));
        let Stage { classes, resources, .. } = &mut stage;
        let call = classes.below(ClassId::NONE, WAIT, None, Some(tag), resources);
        let inside = classes.below(call, Category::Function, Some(function), None, resources);
        let time = Nanos::from_millis(50);
        let nodes = [(inside, Totals { time, visits: 10_000, ..Totals::default() })];
        let rank = WaitingRank { job: 0, process, place: [process; 2], is_untold: false };
        stage.causes.took(rank, &nodes, &stage.classes, &stage.resources);
        stage.took(0, 0, &[(WORK, 50)]);
        stage.causes.close();
        assert_eq!(stage.told("<>"), [(TimeUse::Computing, "/Process/0".to_owned(), 50)]);
    }

    #[test]
    fn what_the_first_one_did_longer_is_told_apart() {
        let mut stage = Stage::default();
        let did = [(WORK, 20), (Category::Write, 15), (Category::DelayByJob, 15)];
        stage.took(0, 5, &did);
        stage.took(1, 5, &[(WORK, 20), (WAIT, 30)]);
        stage.causes.close();
        let expected = [(TimeUse::Io, 15), (TimeUse::Processor, 15)];
        let expected = expected.map(|(spent, time)| (spent, "/Process/0".to_owned(), time));
        assert_eq!(stage.told("<>"), expected);
    }

    #[test]
    fn a_chain_begins_at_who_waits_for_nobody() {
        let mut stage = Stage::default();
        stage.took(0, 5, &[(WORK, 50)]);
        stage.took(1, 5, &[(WORK, 10), (WAIT, 40)]);
        stage.took(2, 5, &[(WORK, 5), (WAIT, 45)]);
        stage.causes.close();
        assert_eq!(stage.told("<>"), [(TimeUse::Computing, "/Process/0".to_owned(), 85)]);
    }

    #[test]
    fn ranks_that_take_turns_wait_for_whoever_has_it() {
        let mut stage = Stage::default();
        for turn in 0..8 {
            stage.took(turn % 2, 1, &[(WORK, 50)]);
            stage.took((turn + 1) % 2, 1, &[(WAIT, 50)]);
            stage.causes.close();
        }
        let by = |rank| (TimeUse::Computing, format!("/Process/{rank}"), 200);
        assert_eq!(stage.told("<>"), [by(0), by(1)]);
    }

    #[test]
    fn ranks_that_are_alike_have_no_cause() {
        let mut stage = Stage::default();
        for turn in 0..20 {
            stage.took(turn % 2, 50, &[(WORK, 29), (WAIT, 21)]);
            stage.took((turn + 1) % 2, 50, &[(WORK, 31), (WAIT, 19)]);
            stage.causes.close();
        }
        assert_eq!(stage.told("<>"), []);
    }

    #[test]
    fn who_talks_on_another_communicator_is_not_waited_for() {
        let mut stage = Stage::default();
        for _ in 0..10 {
            stage.took_on("ocean", 0, 5, &[(WORK, 50), (WAIT, 0)]);
            stage.took_on("ocean", 1, 5, &[(WORK, 20), (WAIT, 30)]);
            // In turns.
            stage.took_on("air", 2, 5, &[(WORK, 25), (WAIT, 25)]);
            stage.took_on("air", 3, 5, &[(WORK, 25), (WAIT, 25)]);
            stage.causes.close();
        }
        assert_eq!(stage.told("<>"), [(TimeUse::Computing, "/Process/0".to_owned(), 300)]);
        assert_eq!(stage.told("</SyncObject/Message/air>"), []);
    }

    #[test]
    fn a_rank_that_takes_no_part_is_not_waited_for() {
        let mut stage = Stage::default();
        stage.took(0, 0, &[(WORK, 1000)]);
        stage.took(1, 500, &[(WORK, 500), (WAIT, 500)]);
        stage.took(2, 500, &[(WORK, 500), (WAIT, 500)]);
        stage.causes.close();
        assert_eq!(stage.told("<>"), []);
        stage.took(0, 0, &[(WORK, 1000)]);
        stage.took(1, 3, &[(WORK, 10), (WAIT, 990)]);
        stage.causes.close();
        assert_eq!(stage.told("<>"), [(TimeUse::Computing, "/Process/0".to_owned(), 990)]);
    }
}
