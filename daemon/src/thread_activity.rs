//! Tells what a thread does that did not run for a while: asks the system about a few threads in each pass.

use std::collections::BTreeMap;

use whyperf_inject::{ProcessStatus, Schedstat, ThreadWait, WaitReason};
use whyperf_model::matching::ResourceId;

/// What a thread does that did not run for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreadActivity {
    /// Nobody has looked at it since it ran.
    Unseen,
    /// It runs, or waits for a processor.
    Runnable,
    /// The same, and it lost its processor against its will since it was looked at last.
    Preempted,
    /// The same, and it waited for nothing else since it was looked at last.
    NeverBlocked,
    /// It waits for something else.
    Blocked,
    /// It is not there any more.
    Gone,
}

/// Whether a thread ran, or got a processor, since the interval before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreadProgress {
    Yes,
    No,
}

/// What was seen of a thread when it was last looked at.
#[derive(Debug)]
pub(crate) struct LastLook {
    activity: ThreadActivity,
    /// For what it waited when it was last seen to wait.
    reason: WaitReason,
    /// The number of the pipe, if that was one.
    pipe: Option<u64>,
    /// How often it had lost its processor against its will, and how often it had begun to wait; `None` as long as nobody asked.
    preemptions: u64,
    blocks: Option<u64>,
    /// What the system had counted of it, and how often that was asked about since.
    counted: Schedstat,
    asked: u32,
    /// In which functions it waited when its stack was read last, by reason.
    places: BTreeMap<WaitReason, ResourceId>,
    /// For what it was seen to wait since its stack was asked for last.
    unplaced: Option<WaitReason>,
    /// For what it waited when that was asked.
    asked_of: Option<WaitReason>,
}

impl Default for LastLook {
    fn default() -> Self {
        let (activity, reason) = (ThreadActivity::Unseen, WaitReason::Other);
        Self {
            activity,
            reason,
            pipe: None,
            preemptions: 0,
            blocks: None,
            counted: Schedstat::default(),
            asked: 0,
            places: BTreeMap::new(),
            unplaced: None,
            asked_of: None,
        }
    }
}

/// How many threads may be looked at in a pass: a look takes some microseconds. What is not used is saved for when many threads begin or come
/// to rest at once. Where more want one than there are they have it in turns. Of threads that moved the system itself tells more before long: they leave
/// half of all looks to those that rest, and where many move they have half of those that are new, for then each one's turn comes rarely anyway.
#[derive(Debug)]
pub(crate) struct LookBudget {
    pass: u32,
    left: u32,
    /// Threads that wanted one in this pass: of those that moved, and of those that did not.
    wanted: [u32; 2],
    /// Such a thread may have one every so many passes.
    turns: [u32; 2],
}

/// Looks for each pass, and those that are saved at most.
const LOOKS: u32 = 4;
const SAVED: u32 = 160;
/// Where more threads move they have no looks that were saved.
const MANY: u32 = 16;
/// Who is seen to wait is looked at again after it was asked about so often, though it did not move: it may have been seen too early.
const FRESH: u32 = 400;

impl Default for LookBudget {
    fn default() -> Self {
        Self { pass: 0, left: SAVED, wanted: [0; 2], turns: [1; 2] }
    }
}

impl LookBudget {
    /// A pass begins.
    pub(crate) fn begin_pass(&mut self) {
        let [moved, resting] = self.wanted;
        let left = (self.left + LOOKS).min(SAVED);
        let for_moved =
            if moved > MANY { LOOKS / 2 } else { left.saturating_sub(SAVED / 2).max(1) };
        let turns = [moved.div_ceil(for_moved), resting.div_ceil(left)];
        let turns = turns.map(|turns| turns.max(1));
        *self = Self { pass: self.pass.wrapping_add(1), left, wanted: [0; 2], turns };
    }

    /// Whether this thread may be looked at. Threads ask in the same order in each pass.
    fn take(&mut self, moved: ThreadProgress) -> bool {
        let (kind, kept) = match moved {
            ThreadProgress::Yes => (0, SAVED / 2),
            ThreadProgress::No => (1, 0),
        };
        let number = self.wanted[kind];
        self.wanted[kind] += 1;
        let may = number.wrapping_add(self.pass).is_multiple_of(self.turns[kind]);
        let may = may && self.left > kept;
        self.left -= u32::from(may);
        may
    }
}

impl LastLook {
    /// What the thread does, of which the system has `counted` this by now. One that did not run since it was looked at does what it did then:
    /// to stop waiting, or to begin, it must run.
    pub(crate) fn take(
        &mut self,
        [pid, tid]: [u32; 2],
        counted: Schedstat,
        moved: ThreadProgress,
        looks: &mut LookBudget,
    ) -> ThreadActivity {
        self.asked += 1;
        match self.activity {
            ThreadActivity::Runnable | ThreadActivity::Preempted | ThreadActivity::NeverBlocked
                if counted == self.counted =>
            {
                return ThreadActivity::Runnable;
            }
            ThreadActivity::Blocked if counted == self.counted && self.asked < FRESH => {
                return ThreadActivity::Blocked;
            }
            _ => {}
        }
        if !looks.take(moved) {
            return ThreadActivity::Unseen;
        }
        (self.counted, self.asked) = (counted, 0);
        self.activity = self.look(pid, tid);
        self.activity
    }

    /// One that was runnable at the last look mostly still is, which the file that has its preemptions says as well: then it is the only one that is
    /// read.
    fn look(&mut self, pid: u32, tid: u32) -> ThreadActivity {
        let was_runnable =
            !matches!(self.activity, ThreadActivity::Unseen | ThreadActivity::Blocked);
        if was_runnable
            && let Some(status) = ProcessStatus::of_thread(pid, tid)
            && status.is_running()
        {
            return self.runnable(Some(&status));
        }
        match ThreadWait::of(pid, tid) {
            None => ThreadActivity::Gone,
            Some(ThreadWait::Runnable) => {
                self.runnable(ProcessStatus::of_thread(pid, tid).as_ref())
            }
            Some(ThreadWait::Blocked { reason, pipe }) => {
                (self.reason, self.pipe) = (reason, pipe);
                self.unplaced = Some(reason);
                ThreadActivity::Blocked
            }
        }
    }

    fn runnable(&mut self, status: Option<&ProcessStatus>) -> ThreadActivity {
        let Some(status) = status else { return ThreadActivity::Runnable };
        let preemptions = status.preemptions().unwrap_or(self.preemptions);
        let before = std::mem::replace(&mut self.preemptions, preemptions);
        let blocks = status.blocks();
        let blocks_before = std::mem::replace(&mut self.blocks, blocks);
        if blocks.is_some() && (blocks == blocks_before || blocks == Some(0)) {
            ThreadActivity::NeverBlocked
        } else if preemptions > before {
            ThreadActivity::Preempted
        } else {
            ThreadActivity::Runnable
        }
    }

    /// For what it waited when it was last seen to wait.
    pub(crate) const fn reason(&self) -> WaitReason {
        self.reason
    }

    /// At which pipe, by its number.
    pub(crate) const fn pipe(&self) -> Option<u64> {
        self.pipe
    }

    /// In which function it waits for that, as far as it is known.
    pub(crate) fn place(&self) -> Option<ResourceId> {
        self.places.get(&self.reason).copied()
    }

    /// Whether it is seen to wait, and nobody has asked where.
    pub(crate) fn wants_place(&self) -> bool {
        self.activity == ThreadActivity::Blocked && self.unplaced.is_some()
    }

    /// Its stack will be read.
    pub(crate) const fn ask_place(&mut self) {
        self.asked_of = self.unplaced.take();
    }

    /// Its stack was read.
    pub(crate) fn settle_place(&mut self, place: ResourceId) {
        if let Some(reason) = self.asked_of {
            self.places.insert(reason, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use whyperf_model::Resource;
    use whyperf_model::matching::Resources;

    use super::*;

    /// The system has counted something new at each look.
    fn moved(to: u64) -> Schedstat {
        Schedstat { turns: to, ..Schedstat::default() }
    }

    fn no_looks() -> LookBudget {
        LookBudget { left: 0, ..LookBudget::default() }
    }

    #[test]
    fn a_thread_that_runs_is_runnable_and_so_it_is_until_it_moves() {
        let (say, told) = std::sync::mpsc::channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            let tid = rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs();
            say.send(tid).expect("somebody listens");
            while !end.load(Ordering::Relaxed) {}
        });
        let (id, tid) = (std::process::id(), told.recv().expect("it says its number"));
        let (mut look, mut at) = (LastLook::default(), 0);
        let mut seen =
            |tid, at, mut looks| look.take([id, tid], moved(at), ThreadProgress::No, &mut looks);
        // It may still be on its way from the message.
        while seen(tid, at, LookBudget::default()) == ThreadActivity::Blocked {
            at += 1;
        }
        assert_eq!(seen(u32::MAX, at, no_looks()), ThreadActivity::Runnable, "it did not move");
        // Others may have had its processor meanwhile.
        assert_eq!(seen(tid, at + 1, LookBudget::default()), ThreadActivity::NeverBlocked);
        assert_eq!(seen(tid, at + 2, no_looks()), ThreadActivity::Unseen);
        is_over.store(true, Ordering::Relaxed);
        thread.join().expect("it does not panic");
        assert_eq!(seen(tid, at + 3, LookBudget::default()), ThreadActivity::Gone);
    }

    #[test]
    fn a_place_is_that_of_the_wait_it_was_asked_for() {
        let mut resources = Resources::default();
        let mut id = |name: &str| resources.id(&Resource::parse(name).expect("well formed"));
        let [rests, reads] = ["/Code/a.c/rests", "/Code/a.c/reads"].map(&mut id);
        let blocked = |look: &mut LastLook, reason| {
            (look.activity, look.reason, look.unplaced) =
                (ThreadActivity::Blocked, reason, Some(reason));
        };
        let mut look = LastLook::default();
        assert!(!look.wants_place());
        blocked(&mut look, WaitReason::Futex);
        assert!(look.wants_place());
        look.ask_place();
        assert!(!look.wants_place());
        blocked(&mut look, WaitReason::Pipe);
        look.settle_place(rests);
        assert_eq!(look.place(), None, "of a pipe nothing is known");
        look.ask_place();
        look.settle_place(reads);
        assert_eq!(look.place(), Some(reads));
        blocked(&mut look, WaitReason::Futex);
        assert_eq!(look.place(), Some(rests));
    }

    #[test]
    fn where_many_want_a_look_each_has_one_in_its_turn() {
        let (mut looks, mut had) = (no_looks(), [0; 100]);
        for _ in 0..200 {
            looks.begin_pass();
            for had in &mut had {
                *had += u32::from(looks.take(ThreadProgress::No));
            }
        }
        assert!(had.iter().all(|had| (2..=40).contains(had)), "{had:?}");
    }

    #[test]
    fn where_many_move_each_has_a_look_in_its_turn_and_half_are_left_to_others() {
        let (mut looks, mut had) = (no_looks(), [0; 64]);
        (0..20).for_each(|_| looks.begin_pass());
        for _ in 0..640 {
            looks.begin_pass();
            for had in &mut had {
                *had += u32::from(looks.take(ThreadProgress::Yes));
            }
        }
        let is_half = looks.left >= SAVED - LOOKS && had.iter().all(|had| (15..=25).contains(had));
        assert!(is_half, "{} left, {had:?}", looks.left);
    }

    #[test]
    fn looks_that_nobody_wanted_are_there_when_many_come_to_rest() {
        let mut looks = no_looks();
        (0..20).for_each(|_| looks.begin_pass());
        let mut taken = |moved| (0..200).filter(|_| looks.take(moved)).count();
        assert_eq!(taken(ThreadProgress::Yes), 0, "the system tells of those itself");
        assert_eq!(taken(ThreadProgress::No), 80);
    }
}
