//! Because of whom ranks and threads waited, so far.
//!
//! ```text
//!   rank_waits.rs   ranks of a job: what the one that waits least does longer          ─┐
//!                   all of them: what enough processors would save (processor_loss.rs)  ├─► sums by cause, thread and call
//!   thread_waits.rs   threads: what the one does that holds the lock, alone goes on,    ─┘
//!                     or has the other end of a pipe
//! ```

use std::collections::BTreeMap;

use ahash::AHashMap;

use super::active::{Asked, Totals};
use super::classes::{ClassId, Classes};
use super::rank_waits::{CausedTime, RankWaits, WaitingRank};
use super::resources::{Resources, ThreadPlace};
use super::run_totals::{RunTotals, lineage};
use super::thread_waits::{AwaitedThread, ThreadWaits};
use super::wait_cause::{CausedBy, WaitCause, Waits};
use super::wait_pattern::WaitPattern;
use crate::{
    Category, CategorySet, Focus, Hierarchy, MessageGrowth, Nanos, Pair, Resource, TimeUse,
};

/// A part of the waiting, and why it was.
#[derive(Clone, Debug, PartialEq)]
pub struct CausedWait {
    /// What somebody did meanwhile.
    pub spent: TimeUse,
    /// In what way others waited because of it.
    pub by: CausedBy,
    /// Who did it, and on what or in which code, as far as that is known.
    pub focus: Focus,
    /// In what way others waited most because of it; `None` where their calls wait in several ways.
    pub pattern: Option<WaitPattern>,
    /// Of all that was waited.
    pub share: f64,
}

impl CausedWait {
    /// Adds the code in which a rank computed longer than the others; it is known of each rank apart.
    pub fn locate(&mut self, codes_of_excess: &BTreeMap<Resource, Resource>) {
        let is_excess = self.by == CausedBy::Rank && self.spent == TimeUse::Computing;
        let [process] = self.focus.part(Hierarchy::Process) else { return };
        if let Some(code) = codes_of_excess.get(process).filter(|_| is_excess) {
            self.focus = self.focus.with(Hierarchy::Code, code.clone());
        }
    }
}

/// Who waited because of whom, so far.
#[derive(Debug, Default)]
pub struct WaitCauses {
    ranks: RankWaits,
    locks: ThreadWaits,
    waits: Waits,
}

impl WaitCauses {
    /// What a rank did in the interval just past.
    pub fn took(
        &mut self,
        rank: WaitingRank,
        nodes: &[(ClassId, Totals)],
        classes: &Classes,
        resources: &Resources,
    ) {
        self.ranks.took(rank, nodes, classes, resources);
    }

    /// A rank saw messages: it may wait for whom it exchanged them with.
    pub fn exchanged(&mut self, growth: &MessageGrowth) {
        self.ranks.exchanged(growth);
    }

    /// What a thread did in the interval just past.
    pub fn thread_took(
        &mut self,
        place: ThreadPlace,
        nodes: &[(ClassId, Totals)],
        classes: &Classes,
        resources: &Resources,
    ) {
        self.locks.took(place, nodes, classes, resources);
    }

    /// A thread is seen to wait for another one: what it waited since the last time, which is because of that one.
    pub fn seen_to_wait(&mut self, place: ThreadPlace, class: ClassId) -> Nanos {
        self.locks.seen(place, class)
    }

    /// So much of what a thread waited in a class of calls is because of this one.
    pub fn held(
        &mut self,
        place: ThreadPlace,
        class: ClassId,
        awaited: &AwaitedThread,
        waited: Nanos,
        classes: &Classes,
    ) {
        let by = match classes.category(class) {
            Category::Read | Category::Write => CausedBy::OtherEnd,
            category if HELD.contains(category) => CausedBy::LockHolder,
            _ => CausedBy::Thread,
        };
        for (spent, time) in awaited.parts(waited) {
            let cause = WaitCause { spent, by, who: Some(awaited.who), code: awaited.code };
            *self.waits.entry((cause, place, class)).or_default() += time;
        }
    }

    /// Ends an interval; answers how much ranks waited in it because of what, where that was measured.
    pub fn close(&mut self) -> Vec<CausedTime> {
        self.ranks.close(&mut self.waits)
    }

    /// Of what a pair of waiting came to, the parts that are known to be because of somebody, or of a lack of processors, the largest first.
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
        let amounts = self.amounts(pair, totals, classes, resources).into_iter();
        let told = amounts.map(|(cause, waited)| CausedWait {
            spent: cause.spent,
            by: cause.by,
            focus: cause.focus(totals, classes, resources),
            pattern: waited.pattern(),
            share: waited.time().as_secs_f64() / all,
        });
        told.collect()
    }

    /// Of what a pair of waiting came to, how much is because of whom, the largest first.
    fn amounts(
        &self,
        pair: &Pair,
        totals: &RunTotals,
        classes: &Classes,
        resources: &mut Resources,
    ) -> Vec<(WaitCause, Waited)> {
        let asked = Asked::new(pair.clone(), resources);
        let (mut places, mut matches) = (AHashMap::new(), AHashMap::new());
        let mut sums: BTreeMap<WaitCause, Waited> = BTreeMap::new();
        for ((cause, place, class), time) in &self.waits {
            let is_there =
                places.entry(*place).or_insert_with(|| asked.includes(&lineage(*place, resources)));
            let counts = || asked.matches(classes.get(*class));
            if *is_there && *matches.entry(*class).or_insert_with(counts) {
                let moved = totals.of_class(*place, *class);
                let pattern = WaitPattern::of(&classes.get(*class).traits, &moved, resources);
                let pattern = pattern.map(|pattern| match pattern {
                    WaitPattern::LateSender if self.ranks.is_in_wrong_order(*place, *class) => {
                        WaitPattern::WrongOrder
                    }
                    other => other,
                });
                sums.entry(*cause).or_default().add(pattern, *time);
            }
        }
        let mut all: Vec<_> = in_turns(sums, resources).into_iter().collect();
        all.sort_by(|one, other| {
            other.1.time().cmp(&one.1.time()).then_with(|| one.0.cmp(&other.0))
        });
        all
    }
}

/// Locks that a thread holds: at all others threads wait for somebody to come or to say something.
const HELD: CategorySet = CategorySet::of(&[Category::Mutex, Category::RwLock, Category::Spin]);

/// What was waited because of somebody, by pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Waited(BTreeMap<Option<WaitPattern>, Nanos>);

impl Waited {
    fn add(&mut self, pattern: Option<WaitPattern>, time: Nanos) {
        *self.0.entry(pattern).or_default() += time;
    }

    fn join(&mut self, other: &Self) {
        other.0.iter().for_each(|(pattern, time)| self.add(*pattern, *time));
    }

    fn time(&self) -> Nanos {
        self.0.values().fold(Nanos::ZERO, |sum, time| sum + *time)
    }

    /// That of most of it.
    fn pattern(&self) -> Option<WaitPattern> {
        self.0.iter().max_by_key(|(_, time)| **time).and_then(|(pattern, _)| *pattern)
    }
}

/// Threads of a process that hold locks in turns, none of them for most of it, are told as one cause.
fn in_turns(
    sums: BTreeMap<WaitCause, Waited>,
    resources: &Resources,
) -> BTreeMap<WaitCause, Waited> {
    let of_process = |cause: &WaitCause| match cause.by {
        CausedBy::LockHolder | CausedBy::Thread | CausedBy::OtherEnd => {
            WaitCause { who: cause.who.and_then(|thread| resources.parent(thread)), ..*cause }
        }
        CausedBy::TooFewProcessors | CausedBy::Rank => *cause,
    };
    let mut together: BTreeMap<WaitCause, (Nanos, Nanos)> = BTreeMap::new();
    for (cause, waited) in &sums {
        let (sum, most) = together.entry(of_process(cause)).or_default();
        *sum += waited.time();
        *most = (*most).max(waited.time());
    }
    let mut told: BTreeMap<WaitCause, Waited> = BTreeMap::new();
    for (cause, waited) in sums {
        let all = of_process(&cause);
        let is_one = together.get(&all).is_none_or(|(sum, most)| most.0 > sum.0 / 2);
        told.entry(if is_one { cause } else { all }).or_default().join(&waited);
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::resources::ResourceId;
    use crate::matching::{RankDelay, RunPlace};
    use crate::{MessageSide, MessageSums, Metric, Route};

    #[derive(Default)]
    struct Stage {
        causes: WaitCauses,
        classes: Classes,
        resources: Resources,
        totals: RunTotals,
        /// For how long ranks have no processor in calls, in milliseconds.
        delay: u64,
        ran: RunPlace,
    }

    impl Stage {
        fn id(&mut self, path: &str) -> ResourceId {
            self.resources.id(&Resource::parse(path).expect("well formed"))
        }

        /// One rank sent to another one.
        fn exchanged(&mut self, from: u32, to: u32) {
            let route = Route { job: 0, from: Some(from), to: Some(to) };
            let by = MessageSums { number: 1, ..MessageSums::default() };
            for side in [MessageSide::Sender, MessageSide::Receiver] {
                self.causes.exchanged(&MessageGrowth { route, side, by });
            }
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
            let delay = measured(self.delay, self.ran);
            let rank = WaitingRank { delay, rank: Some(rank), ..waiting(process, place) };
            self.causes.took(rank, &nodes, &self.classes, &self.resources);
        }

        /// Who is to blame at a focus, in milliseconds.
        fn told(&mut self, focus: &str) -> Vec<(TimeUse, String, u64)> {
            let pair = Pair::new(Metric::SyncWait, Focus::parse(focus).expect("well formed"));
            let Self { causes, totals, classes, resources, .. } = self;
            let all = causes.amounts(&pair, totals, classes, resources);
            let told = all.into_iter().map(|(cause, waited)| {
                let who = cause.who.map(|process| self.resources.resource(process).to_string());
                let who = who.unwrap_or_default();
                (cause.spent, who, (waited.time().0 + 500_000) / 1_000_000)
            });
            told.collect()
        }
    }

    /// Without a processor in calls for so many milliseconds.
    fn measured(delay: u64, ran: RunPlace) -> RankDelay {
        let delay = Nanos::from_millis(delay);
        RankDelay::Measured { delay, polled: Nanos::ZERO, ran }
    }

    fn waiting(process: ResourceId, place: ThreadPlace) -> WaitingRank {
        WaitingRank {
            job: 0,
            rank: None,
            number: 0,
            process,
            place,
            is_untold: false,
            delay: measured(0, RunPlace::Sampled),
            ready: 0.0,
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
        let rank = waiting(process, [process; 2]);
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

    /// Four ranks on one communicator: 0 sends to 1 and is late by 30 ms in each interval, 2 sends to 3 and is late by 10.
    #[test]
    fn pairs_that_never_meet_do_not_wait_for_each_other() {
        let mut stage = Stage::default();
        for (from, to) in [(0, 1), (2, 3)] {
            stage.exchanged(from, to);
        }
        for _ in 0..10 {
            stage.took(0, 20, &[(Category::Write, 50), (WAIT, 0)]);
            stage.took(1, 20, &[(WORK, 20), (WAIT, 30)]);
            stage.took(2, 20, &[(WORK, 50), (WAIT, 0)]);
            stage.took(3, 20, &[(WORK, 40), (WAIT, 10)]);
            stage.causes.close();
        }
        let by = |spent, rank, time| (spent, format!("/Process/{rank}"), time);
        let both = [by(TimeUse::Io, 0, 300), by(TimeUse::Computing, 2, 100)];
        assert_eq!(stage.told("<>"), both);
        assert_eq!(stage.told("</Process/3>"), both[1..]);
    }

    /// 0 sends to 1, and that to 2 and 3: 3 is busy all the time, and nobody receives from it.
    #[test]
    fn who_receives_waits_for_those_before_it() {
        let mut stage = Stage::default();
        for (from, to) in [(0, 1), (1, 2), (1, 3)] {
            stage.exchanged(from, to);
        }
        for _ in 0..10 {
            stage.took(0, 20, &[(Category::Write, 45), (Category::Send, 5)]);
            stage.took(1, 20, &[(WORK, 20), (WAIT, 30)]);
            stage.took(2, 20, &[(WORK, 10), (WAIT, 40)]);
            stage.took(3, 20, &[(WORK, 50)]);
            stage.causes.close();
        }
        let told = stage.told("</Process/2>");
        assert_eq!(told, [(TimeUse::Io, "/Process/0".to_owned(), 350)]);
    }

    /// The same pairs, and in the second half of the time all of them are in one operation.
    #[test]
    fn who_is_in_an_operation_waits_for_all_that_are_in_it() {
        let mut stage = Stage::default();
        for (from, to) in [(0, 1), (2, 3)] {
            stage.exchanged(from, to);
        }
        for _ in 0..10 {
            stage.took(0, 20, &[(WORK, 20), (Category::Barrier, 30)]);
            stage.took(1, 20, &[(WORK, 20), (WAIT, 30)]);
            stage.took(2, 20, &[(WORK, 50), (Category::Barrier, 0)]);
            stage.took(3, 20, &[(WORK, 50), (WAIT, 0)]);
            stage.causes.close();
        }
        assert_eq!(stage.told("<>"), [(TimeUse::Computing, "/Process/2".to_owned(), 600)]);
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

    /// In each step one rank is late for another one, and a third did something else from the first interval on.
    #[test]
    fn who_was_answered_again_and_again_waits_for_nobody_who_stands_aside() {
        let mut stage = Stage::default();
        let mut step = |calls| {
            let at_first = u64::from(calls == 2);
            stage.took(0, at_first, &[(WORK, 50)]);
            stage.took(1, calls, &[(WORK, 45), (WAIT, 5)]);
            stage.took(2, calls, &[(WORK, 5), (WAIT, 45)]);
            stage.causes.close();
        };
        step(2);
        (0..10).for_each(|_| [0, 1].into_iter().for_each(&mut step));
        // Of its first wait, and of those until it was answered three times, nobody knows yet.
        let told = stage.told("</Process/2>");
        let by = |rank: u32| (TimeUse::Computing, format!("/Process/{rank}"));
        let of = |rank| told.iter().find(|(spent, who, _)| (*spent, who.clone()) == by(rank));
        let [of_0, of_1] = [0, 1].map(|rank| of(rank).map_or(0, |(.., time)| *time));
        assert!(of_0 <= 7 * 45 && of_1 >= 14 * 40, "{told:?}");
    }

    #[test]
    fn ranks_that_are_alike_and_have_too_few_processors_wait_for_them() {
        let mut stage = Stage { delay: 40, ..Stage::default() };
        let mut saved = Nanos::ZERO;
        for _ in 0..10 {
            for rank in 0..4 {
                stage.took(rank, 50, &[(WORK, 45), (Category::DelayByJob, 5), (WAIT, 50)]);
            }
            stage.causes.close().iter().for_each(|wait| saved += wait.time);
        }
        let told = stage.told("<>");
        let [(TimeUse::Processor, who, time)] = &told[..] else { panic!("{told:?}") };
        assert!(who.is_empty() && (1_700..=2_000).contains(time), "of 2,000 ms: {told:?}");
        assert_eq!((saved.0 + 500_000) / 1_000_000, *time);
    }

    /// Of four ranks that are so long in their own code, and have no processor for so long in calls, of 100 ms each: what counts, in parts of what they wait.
    fn saved_of_four(own: u64, delay: u64, ran: RunPlace) -> f64 {
        let mut stage = Stage { delay, ran, ..Stage::default() };
        (0..4).for_each(|rank| stage.took(rank, 50, &[(WORK, own), (WAIT, 100 - own)]));
        let saved = stage.causes.close().iter().fold(Nanos::ZERO, |sum, wait| sum + wait.time);
        saved.as_secs_f64() / Nanos::from_millis(4 * (100 - own)).as_secs_f64()
    }

    #[test]
    fn without_stack_samples_counts_what_is_so_wherever_ranks_ran() {
        // They cannot have been without a processor in their own code for longer than they were there.
        assert!(saved_of_four(10, 80, RunPlace::Assumed) > 0.9);
        let [told, assumed] =
            [RunPlace::Sampled, RunPlace::Assumed].map(|ran| saved_of_four(40, 10, ran));
        assert!(assumed > 0.0 && assumed < told / 2.0, "{assumed} of {told}");
        assert_eq!(saved_of_four(40, 0, RunPlace::Assumed), 0.0);
    }

    #[test]
    fn a_record_says_what_processors_would_have_saved() {
        let mut stage = Stage::default();
        let [tag, process] = ["/SyncObject/Message/w/3", "/Process/1"].map(|path| stage.id(path));
        let Stage { classes, resources, .. } = &mut stage;
        let call = classes.below(ClassId::NONE, WAIT, None, Some(tag), resources);
        let saved = classes.caused(call, Category::WaitByProcessors, resources);
        let time = Nanos::from_millis(40);
        let nodes = [
            (call, Totals { time, visits: 9, ..Totals::default() }),
            (saved, Totals { sent: 30_000_000, ..Totals::default() }),
        ];
        let place = [process; 2];
        let rank = WaitingRank { delay: RankDelay::Recorded, ..waiting(process, place) };
        stage.causes.took(rank, &nodes, &stage.classes, &stage.resources);
        assert_eq!(stage.causes.close(), []);
        assert_eq!(stage.told("<>"), [(TimeUse::Processor, String::new(), 30)]);
    }

    #[test]
    fn a_record_says_it_of_each_communicator() {
        let mut stage = Stage::default();
        let paths = ["/SyncObject/Message/w/3", "/SyncObject/Message/x/3", "/Process/1"];
        let [one, other, process] = paths.map(|path| stage.id(path));
        let Stage { classes, resources, .. } = &mut stage;
        let time = Nanos::from_millis(40);
        let mut nodes = Vec::new();
        for (tag, sent) in [(one, 30_000_000), (other, 10_000_000)] {
            let call = classes.below(ClassId::NONE, WAIT, None, Some(tag), resources);
            let saved = classes.caused(call, Category::WaitByProcessors, resources);
            nodes.push((call, Totals { time, visits: 9, ..Totals::default() }));
            nodes.push((saved, Totals { sent, ..Totals::default() }));
        }
        let rank = waiting(process, [process; 2]);
        let rank = WaitingRank { delay: RankDelay::Recorded, ..rank };
        stage.causes.took(rank, &nodes, &stage.classes, &stage.resources);
        stage.causes.close();
        for (focus, time) in [("</SyncObject/Message/w>", 30), ("</SyncObject/Message/x>", 10)] {
            assert_eq!(stage.told(focus), [(TimeUse::Processor, String::new(), time)]);
        }
    }

    #[test]
    fn what_is_waited_for_a_lock_counts_for_what_its_holder_is_seen_to_do() {
        let mut stage = Stage::default();
        let [lock, waiter, holder, code] =
            ["/SyncObject/Mutex/queue", "/Process/7/1", "/Process/7/2", "/Code/a.c/fill"]
                .map(|path| stage.id(path));
        let Stage { causes, classes, resources, .. } = &mut stage;
        let class = classes.below(ClassId::NONE, Category::Mutex, None, Some(lock), resources);
        let place = [waiter; 2];
        let waits = |causes: &mut WaitCauses, milli| {
            let by = Totals { time: Nanos::from_millis(milli), ..Totals::default() };
            causes.thread_took(place, &[(class, by)], classes, resources);
        };
        let computes = [(TimeUse::Computing, 0.75), (TimeUse::Processor, 0.25)];
        let computes = AwaitedThread { who: holder, code: Some(code), spent: computes.to_vec() };
        waits(causes, 20);
        waits(causes, 20);
        let seen = |causes: &mut WaitCauses, holder| {
            let waited = causes.seen_to_wait(place, class);
            causes.held(place, class, holder, waited, classes);
        };
        seen(causes, &computes);
        seen(causes, &computes);
        waits(causes, 50);
        let writes = AwaitedThread { spent: vec![(TimeUse::Io, 1.0)], code: None, ..computes };
        seen(causes, &writes);
        waits(causes, 70);
        let by = |spent, time| (spent, "/Process/7/2".to_owned(), time);
        let expected =
            [by(TimeUse::Io, 50), by(TimeUse::Computing, 30), by(TimeUse::Processor, 10)];
        assert_eq!(stage.told("<>"), expected, "the last wait was never seen");
        assert_eq!(stage.told("</SyncObject/Mutex/other>"), []);
    }
}
