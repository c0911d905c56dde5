//! Finds because of whom the threads of a process wait: who holds the lock, the only thread that goes on, or who has the other end of a pipe, and what that one does.
//!
//! ```text
//!   thread 1   ░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒░░░     ▒ waits for a lock, at a barrier, a condition or a semaphore
//!   thread 2   ███████████████████░░░     █ holds it, or is the only one that goes on: computes, writes, sleeps, waits for another lock …
//!                     │
//!                     pass: the lock's memory says who holds it, the thread's open call what it does
//! ```
//! Each pass is a random moment of the program, so what holders are seen to do is what is waited for, to some points. What a thread waited for a lock is kept
//! until it is seen to wait for it, and then counts for what its holder is seen to do, or for nobody where none is known. A holder that waits for a lock itself waits for the holder of that one.
//!
//! Who will end a wait at a condition, a semaphore or a barrier nobody says. Where one thread of the process goes on and all others wait, it is that
//! one; where more go on, it is not known. At a barrier the last one that comes is the cause of all that was waited for it, so what is waited there is kept until a single thread
//! is left. A wait with a time limit may end by itself, and has no cause.
//!
//! The other end of a pipe may be another process's (`pipe_users.rs`). A thread there that waits itself stands for whom it waits for, so pipelines are followed to
//! their slowest part.
//!
//! Nothing is done to the threads, and the event path knows nothing of it.

use ahash::AHashMap;
use whyperf_inject::{LockForm, LockMemory};
use whyperf_model::matching::{AwaitedThread, ClassId, ResourceId};
use whyperf_model::{Category, CategorySet, TimeUse};

use crate::catalogue::Catalogue;
use crate::pipe_users::PipeEnd;
use crate::shared_state::SharedState;
use crate::tables::ProcessTables;
use crate::watched_thread::WatchedThread;

/// The threads of a process that wait for each other.
#[derive(Debug, Default)]
pub(crate) struct ThreadCauses {
    /// Raised in each pass, so that each of many waiters has its turn.
    turn: usize,
}

/// Who ends a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WaitEnd {
    /// The thread that holds this lock.
    HolderOf(LockForm, u64),
    /// Some thread that does not wait itself.
    Somebody,
    /// The last thread that does not wait there.
    LastOne,
    /// Who has the other end of this pipe.
    OtherEndOf(PipeEnd),
}

/// Looks of one pass at a process's locks: each takes a microsecond.
const LOOKS: usize = 16;
/// Holders that wait for locks themselves are followed so far.
const CHAIN: usize = 8;
/// Who is in such a call waits for another thread of the process.
const WAITS: CategorySet = CategorySet::LOCK.and(CategorySet::JOIN);

impl ThreadCauses {
    /// Of the threads of a process that wait for each other: because of whom.
    pub(crate) fn look(
        &mut self,
        pid: u32,
        threads: &mut [WatchedThread],
        catalogue: &mut Catalogue,
        state: &mut SharedState,
    ) {
        let waiting: Vec<(usize, WaitEnd)> = (0..threads.len())
            .filter_map(|at| Some((at, awaited_by(&threads[at], &catalogue.tables, state)?)))
            .filter(|(at, awaited)| *awaited != WaitEnd::Somebody || threads[*at].works())
            .collect();
        if waiting.is_empty() && threads.iter().all(|watched| watched.pipe_ends.is_empty()) {
            return;
        }
        let look = Look::new(pid, &waiting, threads, state);
        self.look_at(&waiting, &look, (threads, catalogue), state);
        look.tell_pipe_ends(threads, catalogue, state);
    }

    fn look_at(
        &mut self,
        waiting: &[(usize, WaitEnd)],
        look: &Look,
        (threads, catalogue): (&mut [WatchedThread], &mut Catalogue),
        state: &mut SharedState,
    ) {
        self.turn = self.turn.wrapping_add(1);
        let first = self.turn % waiting.len().max(1);
        for (at, awaited) in waiting.iter().cycle().skip(first).take(waiting.len().min(LOOKS)) {
            let waiter = &threads[*at];
            let Some((place, node)) = waiter.place().zip(waiter.thread.open_node()) else {
                continue;
            };
            let class = node.class;
            let found = look.found(*at, *awaited, threads, catalogue, state);
            if found.is_none() && *awaited == WaitEnd::LastOne {
                continue;
            }
            let waited = state.wait_causes.seen_to_wait(place, class);
            if let Some(found) = found {
                threads[*at].waited_for(&found, class, waited, state);
            }
        }
    }
}

/// What a pass knows of a process's threads that may wait for each other.
struct Look {
    /// Opened where a thread waits for a lock, and for each pass anew: where many processes contend, descriptors would run out.
    memory: Option<LockMemory>,
    by_tid: AHashMap<u32, usize>,
    /// The only thread that goes on.
    only: Option<u32>,
}

impl Look {
    fn new(
        pid: u32,
        waiting: &[(usize, WaitEnd)],
        threads: &[WatchedThread],
        state: &SharedState,
    ) -> Self {
        let is_at_lock = |(_, end): &(usize, WaitEnd)| matches!(end, WaitEnd::HolderOf(..));
        let living = (0..threads.len()).filter(|at| threads[*at].is_alive());
        Self {
            memory: waiting.iter().any(is_at_lock).then(|| LockMemory::open(pid).ok()).flatten(),
            by_tid: living.map(|at| (threads[at].thread.own_tid, at)).collect(),
            only: only_one_that_goes_on(threads, state),
        }
    }

    /// For whom a thread waits in the end that waits so, and what that one does.
    fn found(
        &self,
        at: usize,
        awaited: WaitEnd,
        threads: &[WatchedThread],
        catalogue: &mut Catalogue,
        state: &mut SharedState,
    ) -> Option<AwaitedThread> {
        if let WaitEnd::OtherEndOf(end) = awaited {
            return state.pipe_users.awaited(end, threads[at].resource).cloned();
        }
        let held = held(at, threads, &self.by_tid, |thread| {
            match awaited_by(thread, &catalogue.tables, state)? {
                WaitEnd::HolderOf(form, key) => self.memory.as_ref()?.holder(form, key),
                WaitEnd::Somebody | WaitEnd::LastOne => self.only,
                WaitEnd::OtherEndOf(_) => None,
            }
        })?;
        Some(described(held, threads, catalogue, state))
    }

    /// Tells those at the other ends of pipes what the threads here do, or for whom they wait.
    fn tell_pipe_ends(
        &self,
        threads: &[WatchedThread],
        catalogue: &mut Catalogue,
        state: &mut SharedState,
    ) {
        for (at, watched) in threads.iter().enumerate().filter(|(_, watched)| watched.is_alive()) {
            for used in &watched.pipe_ends {
                let does = match awaited_by(watched, &catalogue.tables, state) {
                    Some(awaited) if awaited != WaitEnd::OtherEndOf(used.end) => {
                        self.found(at, awaited, threads, catalogue, state)
                    }
                    _ => {
                        let itself = Held { by: at, object: used.object };
                        Some(described(itself, threads, catalogue, state))
                    }
                };
                // Who waits for others, of whom it is not known who they are, is not the one that is waited for.
                let does =
                    does.filter(|does| !does.spent.iter().any(|(spent, _)| is_for_others(*spent)));
                state.pipe_users.tell(used.end, watched.resource, does);
            }
        }
    }
}

/// Whether who spends its time so waits for other threads, or has no work.
fn is_for_others(spent: TimeUse) -> bool {
    matches!(spent, TimeUse::Waiting | TimeUse::Idle)
}

/// Who ends the wait in which a thread is now.
fn awaited_by(
    watched: &WatchedThread,
    tables: &ProcessTables,
    state: &SharedState,
) -> Option<WaitEnd> {
    let node = watched.thread.open_node().filter(|_| watched.is_alive())?;
    if node.class == ClassId::UNSET {
        return None;
    }
    let lock = |form| Some(WaitEnd::HolderOf(form, tables.object(node.object)?.key));
    match state.classes.category(node.class) {
        Category::Mutex => lock(LockForm::Mutex),
        Category::RwLock => lock(LockForm::RwLock),
        Category::ThreadBarrier => Some(WaitEnd::LastOne),
        // Also of one that only hands on, and hardly works: who waits for it waits for whom it waits for.
        Category::Read | Category::Write => {
            PipeEnd::of(node, tables, &state.classes).map(WaitEnd::OtherEndOf)
        }
        Category::Condition | Category::Semaphore => {
            let call = tables.region(node.region)?.name.as_str();
            let may_end_by_itself = call.contains("timed") || call.contains("clockwait");
            (!may_end_by_itself).then_some(WaitEnd::Somebody)
        }
        _ => None,
    }
}

/// The thread that does not wait for another one, where there is a single one: of those that work, or, where all of them wait, of the rest, as one that
/// sleeps and then hands something over.
fn only_one_that_goes_on(threads: &[WatchedThread], state: &SharedState) -> Option<u32> {
    let going_on = |works: bool| {
        let such = move |watched: &&WatchedThread| watched.works() == works;
        threads.iter().filter(such).filter(|watched| goes_on(watched, state))
    };
    let is_idle_one = going_on(true).next().is_none();
    let mut all = going_on(!is_idle_one);
    let only = all.next()?;
    all.next().is_none().then_some(only.thread.own_tid)
}

fn goes_on(watched: &WatchedThread, state: &SharedState) -> bool {
    let open = watched.thread.open_node().filter(|node| node.class != ClassId::UNSET);
    let waits = open.is_some_and(|node| WAITS.contains(state.classes.category(node.class)));
    watched.is_alive() && !waits
}

/// Who is waited for, and the object that it is waited for at.
#[derive(Clone, Copy, Debug)]
struct Held {
    by: usize,
    object: u32,
}

/// The thread that a thread waits for in the end, and at which object; `None` where nobody is known, or threads wait for each other in a circle.
fn held(
    waiter: usize,
    threads: &[WatchedThread],
    by_tid: &AHashMap<u32, usize>,
    holder_of: impl Fn(&WatchedThread) -> Option<u32>,
) -> Option<Held> {
    let mut last = None;
    let mut at = waiter;
    for _ in 0..CHAIN {
        let Some(tid) = holder_of(&threads[at]) else { break };
        let by = *by_tid.get(&tid)?;
        // It was given the lock just now, or they wait for each other.
        if by == at || by == waiter {
            return None;
        }
        last = Some(Held { by, object: threads[at].thread.open_node()?.object });
        at = by;
    }
    last
}

/// What the thread that is waited for does now, and where: in the call that it is in, or where it waited at this object before.
fn described(
    held: Held,
    threads: &[WatchedThread],
    catalogue: &mut Catalogue,
    state: &mut SharedState,
) -> AwaitedThread {
    let watched = &threads[held.by];
    let nodes = &watched.thread.nodes;
    let open = watched.thread.open_node();
    let traits = open.filter(|node| node.class != ClassId::UNSET);
    let traits = traits.map(|node| &state.classes.get(node.class).traits);
    let paging = state.resources.paging();
    let spent = traits.map_or(TimeUse::Unknown, |traits| traits.spent(paging, watched.is_untold()));
    let is_computing = spent == TimeUse::Computing;
    let taken = nodes.iter().filter(|node| node.object == held.object);
    let taken = taken.max_by_key(|node| node.counters.visits);
    let node = if is_computing { taken } else { open };
    let code = node.copied().and_then(|node| catalogue.own_code(&node));
    let code: Option<ResourceId> = code.map(|code| state.resources.id(&code));
    let spent = if is_computing { watched.own_time() } else { vec![(spent, 1.0)] };
    AwaitedThread { who: watched.resource, code, spent }
}
