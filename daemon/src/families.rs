//! Which processes wait for those that they started: a child that its parent waits for, and that nobody else works for, is not idle.
//!
//! What one pass tells counts in the next one, because a parent may be read after its children.

use std::collections::BTreeSet;

use crate::work::Waiter;

/// Parents among the processes that are measured, by their ids.
#[derive(Debug, Default)]
pub(crate) struct Families {
    before: PassFamilies,
    now: PassFamilies,
}

/// What a pass told.
#[derive(Debug, Default)]
struct PassFamilies {
    living: BTreeSet<u32>,
    /// Their first threads wait for others to end, and none of their own threads works.
    waiting: BTreeSet<u32>,
    /// A child of theirs works.
    helped: BTreeSet<u32>,
}

/// What a process did in a pass, for those that it belongs together with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FamilyMember {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    /// It waited for others, and none of its threads works.
    pub(crate) waits: bool,
    /// One of its threads works.
    pub(crate) works: bool,
}

/// Who waits for the threads of one process in a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiters {
    /// Who waits for the first one, and who for the others.
    first: Waiter,
    others: Waiter,
    /// Another than the first one works.
    others_work: bool,
}

impl Waiters {
    /// Of a process that runs, for whose first thread somebody waits.
    pub(crate) const fn new(first: Waiter, others_work: bool) -> Self {
        Self { first, others: Waiter::Nobody, others_work }
    }

    /// Of one that ended.
    pub(crate) const fn over() -> Self {
        Self { first: Waiter::Over, others: Waiter::Over, others_work: false }
    }

    /// Its first thread waits for others to end.
    pub(crate) fn first_joins(&mut self) {
        if self.others == Waiter::Nobody && !self.others_work {
            self.others = Waiter::FirstThread;
        }
    }

    /// Who waits for a thread, by its number.
    pub(crate) const fn of(self, number: usize, is_alive: bool) -> Waiter {
        match (is_alive, number) {
            (false, _) => Waiter::Over,
            (true, 0) => self.first,
            (true, _) => self.others,
        }
    }

    /// Who waits for those beside the first.
    pub(crate) const fn others(self) -> Waiter {
        self.others
    }
}

impl Families {
    pub(crate) fn begin_pass(&mut self) {
        self.before = std::mem::take(&mut self.now);
    }

    pub(crate) fn tell(&mut self, member: FamilyMember) {
        let FamilyMember { pid, parent, waits, works } = member;
        self.now.living.insert(pid);
        if waits {
            self.now.waiting.insert(pid);
        }
        if works {
            self.now.helped.insert(parent);
        }
    }

    /// Who waits for the children of a process. One that ended has left its work to them.
    pub(crate) fn awaits(&self, parent: u32) -> Waiter {
        let PassFamilies { living, waiting, helped } = &self.before;
        let is_waited_for = waiting.contains(&parent) && !helped.contains(&parent);
        let is_gone = !living.contains(&parent) && !self.now.living.contains(&parent);
        if is_waited_for || is_gone { Waiter::FirstThread } else { Waiter::Nobody }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(families: &mut Families, all: &[(u32, u32, bool, bool)]) {
        families.begin_pass();
        for (pid, parent, waits, works) in all.iter().copied() {
            families.tell(FamilyMember { pid, parent, waits, works });
        }
        families.begin_pass();
    }

    #[test]
    fn a_parent_waits_for_its_children_until_one_of_them_works() {
        let mut families = Families::default();
        told(&mut families, &[(5, 1, true, false), (6, 5, false, false)]);
        assert_eq!(families.awaits(5), Waiter::FirstThread);
        told(&mut families, &[(5, 1, true, false), (6, 5, false, false), (7, 5, false, true)]);
        assert_eq!(families.awaits(5), Waiter::Nobody);
        told(&mut families, &[(5, 1, false, true), (6, 5, false, false)]);
        assert_eq!(families.awaits(5), Waiter::Nobody);
    }

    #[test]
    fn who_has_no_parent_any_more_does_its_work() {
        let mut families = Families::default();
        told(&mut families, &[(6, 5, false, false)]);
        assert_eq!(families.awaits(5), Waiter::FirstThread);
    }
}
