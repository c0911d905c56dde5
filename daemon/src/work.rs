//! Tells whether a thread works: a thread that hardly does and waits for work is idle, and its waits delay nothing.
//!
//! ```text
//!            it did something for a hundredth of a while, or the program's first thread waits for it
//!   NotYet ────────────────────────────────────────────────────────────────────────────────────────► Begun
//!     its waits are kept back for a while, and are idle then             kept back of this while: they were for work
//! ```
//! Threads of a pool that is not needed, timers and listeners wait all their lives, as they should: they come back now and then, look around,
//! and wait again. Their end is not work. The first thread of a process is the program itself, and never idle. What is kept back is told of when
//! it is decided: nothing is told twice.

use std::collections::BTreeMap;

use whyperf_model::Nanos;

use crate::grown_node::{GrownNode, WaitPurpose};

/// Whether a thread ever worked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// It waits for some since it began.
    NotYet(HeldBack),
    /// It did, or it is the first thread of the program.
    Begun,
}

impl Default for Work {
    fn default() -> Self {
        Self::NotYet(HeldBack::default())
    }
}

/// What is kept back of a thread that has not worked yet, of the while that goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeldBack {
    /// By node: how long it waited there.
    waits: BTreeMap<u32, Nanos>,
    /// For how long it did something else.
    worked: Nanos,
    /// What was idle before.
    idle: Nanos,
}

/// What a thread did in a pass, for the question whether it works.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort<'pass> {
    pub(crate) grown: &'pass [GrownNode],
    /// What it ran in its own code.
    pub(crate) ran: Nanos,
    pub(crate) awaited: Waiter,
}

/// Who waits for a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiter {
    /// Nobody, as far as is known.
    Nobody,
    /// The first thread waits for others to end, and no other one works.
    FirstThread,
    /// Nobody any more: it ended.
    Over,
}

/// What becomes of the waits for work that a thread grew by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Waits {
    /// They count as others do.
    Told,
    /// They count, and with them those of before, by node.
    ToldLate(BTreeMap<u32, Nanos>),
    /// They do not count yet.
    Kept,
    /// They were idle, with those of before, by node.
    Idle(BTreeMap<u32, Nanos>),
}

impl Waits {
    /// Whether those of the pass itself are told as what they are.
    pub(crate) const fn are_told(&self) -> bool {
        matches!(self, Self::Told | Self::ToldLate(_))
    }
}

impl Work {
    /// Takes in what a thread did in a pass, in which some of its waits were for work.
    pub(crate) fn take(&mut self, effort: Effort<'_>) -> Waits {
        let Self::NotYet(kept) = self else { return Waits::Told };
        let is_wait = |one: &&GrownNode| one.purpose == WaitPurpose::Work;
        let is_call = |one: &&GrownNode| one.place.is_none() && !is_wait(one);
        let in_calls = effort.grown.iter().filter(is_call);
        kept.worked += in_calls.fold(effort.ran, |sum, one| sum + one.time);
        if kept.worked > LITTLE || effort.awaited == Waiter::FirstThread {
            let before = std::mem::take(&mut kept.waits);
            *self = Self::Begun;
            return Waits::ToldLate(before);
        }
        for wait in effort.grown.iter().filter(is_wait) {
            *kept.waits.entry(wait.node).or_default() += wait.time;
        }
        if kept.waited() + kept.worked < WHILE && effort.awaited != Waiter::Over {
            return Waits::Kept;
        }
        kept.worked = Nanos::ZERO;
        kept.idle += kept.waited();
        Waits::Idle(std::mem::take(&mut kept.waits))
    }

    /// For how long it was idle, as far as it never worked.
    pub(crate) fn idle(&self) -> Nanos {
        let Self::NotYet(kept) = self else { return Nanos::ZERO };
        kept.idle + kept.waited()
    }

    /// Whether waits of it are kept back.
    pub(crate) fn keeps_back(&self) -> bool {
        matches!(self, Self::NotYet(kept) if !kept.waits.is_empty())
    }

    /// Whether it ever worked.
    pub(crate) fn has_begun(&self) -> bool {
        *self == Self::Begun
    }
}

impl HeldBack {
    fn waited(&self) -> Nanos {
        self.waits.values().fold(Nanos::ZERO, |sum, wait| sum + *wait)
    }
}

/// A while.
const WHILE: Nanos = Nanos::from_secs(2);
/// What a thread does in a while that only looks around, or is made and sent home: no more than this.
const LITTLE: Nanos = Nanos::from_millis(20);

#[cfg(test)]
mod tests {
    use super::*;
    use whyperf_model::Category;
    use whyperf_model::matching::ClassId;

    const WAIT: u32 = 3;

    fn grew(node: u32, category: Category, place: Option<u32>, millis: u64) -> GrownNode {
        let time = Nanos::from_millis(millis);
        let is_wait = category == Category::Condition;
        let purpose = if is_wait { WaitPurpose::Work } else { WaitPurpose::Other };
        GrownNode { node, class: ClassId::NONE, category, place, time, purpose }
    }

    /// Passes of 50 ms in each of which a thread runs for so long and waits for work.
    fn live(work: &mut Work, passes: u64, ran: u64, awaited: Waiter) -> Vec<Waits> {
        let one = |_| {
            let wait = grew(WAIT, Category::Condition, None, 50 - ran);
            let grown = [grew(1, Category::Other, Some(0), ran), wait];
            work.take(Effort { grown: &grown, ran: Nanos::from_millis(ran), awaited })
        };
        (0..passes).map(one).collect()
    }

    fn all(millis: u64) -> BTreeMap<u32, Nanos> {
        BTreeMap::from([(WAIT, Nanos::from_millis(millis))])
    }

    #[test]
    fn who_comes_back_only_to_look_around_is_idle() {
        let mut work = Work::default();
        let told = live(&mut work, 81, 0, Waiter::Nobody);
        let idle: Vec<_> = told.iter().filter(|told| **told == Waits::Idle(all(2000))).collect();
        assert_eq!((idle.len(), &told[80]), (2, &Waits::Kept));
        assert_eq!(work.idle(), Nanos::from_millis(81 * 50));
        let [last] = live(&mut work, 1, 0, Waiter::Over).try_into().expect("one");
        assert_eq!(last, Waits::Idle(all(100)), "nothing is left when it ends");
        assert!(!work.has_begun());
    }

    #[test]
    fn who_works_a_hundredth_of_a_while_waits_for_work() {
        let mut work = Work::default();
        let told = live(&mut work, 30, 1, Waiter::Nobody);
        assert_eq!(told[20], Waits::ToldLate(all(20 * 49)));
        assert!(told[21..].iter().all(|told| *told == Waits::Told));
        assert!(work.has_begun() && work.idle().is_zero());
    }

    #[test]
    fn what_it_does_in_calls_is_work() {
        let mut work = Work::default();
        let grown = [grew(2, Category::Write, None, 30)];
        let effort = Effort { grown: &grown, ran: Nanos::ZERO, awaited: Waiter::Nobody };
        assert_eq!(work.take(effort), Waits::ToldLate(BTreeMap::new()));
    }

    #[test]
    fn whom_the_first_thread_waits_for_is_not_idle() {
        let mut work = Work::default();
        live(&mut work, 3, 0, Waiter::Nobody);
        let told = live(&mut work, 2, 0, Waiter::FirstThread);
        assert_eq!(told, [Waits::ToldLate(all(150)), Waits::Told]);
    }
}
