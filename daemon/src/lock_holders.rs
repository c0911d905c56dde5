//! Finds because of whom threads wait for locks: who holds the lock now, and what that thread does.
//!
//! ```text
//!   thread 1   ░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒░░░     ▒ waits for a lock
//!   thread 2   ███████████████████░░░     █ holds it, and computes, writes, sleeps, waits for another lock …
//!                     │
//!                     pass: the lock's memory says who holds it, the thread's open call what it does
//! ```
//! Each pass is a random moment of the program, so what holders are seen to do is what is waited for, to some points. What a thread waited for a lock is kept
//! until it is seen to wait for it, and then counts for what its holder is seen to do, or for nobody where none is known. A holder that waits for a lock itself waits for the holder of that one.
//!
//! Nothing is done to the threads, and the event path knows nothing of it.

use ahash::AHashMap;
use whyperf_inject::{LockForm, LockMemory};
use whyperf_layout::ObjectKind;
use whyperf_model::matching::{ClassId, LockHolder, ResourceId};
use whyperf_model::{CategorySet, TimeUse};

use crate::catalogue::Catalogue;
use crate::shared_state::SharedState;
use crate::tables::ProcessTables;
use crate::watched_thread::WatchedThread;

/// The locks of a process that threads wait for.
#[derive(Debug, Default)]
pub(crate) struct LockHolders {
    /// Raised in each pass, so that each of many waiters has its turn.
    turn: usize,
}

/// Looks of one pass at a process's locks: each takes a microsecond.
const LOOKS: usize = 16;
/// Holders that wait for locks themselves are followed so far.
const CHAIN: usize = 8;

impl LockHolders {
    /// Of the threads of a process that wait for locks: because of whom.
    pub(crate) fn look(
        &mut self,
        pid: u32,
        threads: &mut [WatchedThread],
        catalogue: &mut Catalogue,
        state: &mut SharedState,
    ) {
        let waiting: Vec<usize> = (0..threads.len())
            .filter(|at| lock_of(&threads[*at], &catalogue.tables, state).is_some())
            .collect();
        if waiting.is_empty() {
            return;
        }
        // Opened for each pass anew: where many processes contend, descriptors would run out.
        let Ok(memory) = LockMemory::open(pid) else { return };
        let by_tid: AHashMap<u32, usize> = (0..threads.len())
            .filter(|at| threads[*at].is_alive())
            .map(|at| (threads[at].thread.tid, at))
            .collect();
        self.turn = self.turn.wrapping_add(1);
        for at in
            waiting.iter().cycle().skip(self.turn % waiting.len()).take(waiting.len().min(LOOKS))
        {
            let waiter = &threads[*at];
            let Some((place, node)) = waiter.place().zip(waiter.thread.open_node()) else {
                continue;
            };
            let class = node.class;
            let held = held(*at, threads, &by_tid, |thread| {
                let (form, key) = lock_of(thread, &catalogue.tables, state)?;
                memory.holder(form, key)
            });
            let waited = state.wait_causes.seen_at_lock(place, class);
            if let Some(held) = held {
                let holder = described(held, threads, catalogue, state);
                threads[*at].waited_for(&holder, class, waited, state);
            }
        }
    }
}

/// The lock that a thread waits for now.
fn lock_of(
    watched: &WatchedThread,
    tables: &ProcessTables,
    state: &SharedState,
) -> Option<(LockForm, u64)> {
    let node = watched.thread.open_node().filter(|_| watched.is_alive())?;
    if !is_lock(node.class, state) {
        return None;
    }
    let object = tables.object(node.object)?;
    let form = match object.kind {
        ObjectKind::Mutex => LockForm::Mutex,
        ObjectKind::RwLock => LockForm::RwLock,
        _ => return None,
    };
    Some((form, object.key))
}

fn is_lock(class: ClassId, state: &SharedState) -> bool {
    class != ClassId::UNSET && CategorySet::LOCK.contains(state.classes.category(class))
}

/// Who holds a lock, and the object of that lock.
#[derive(Clone, Copy, Debug)]
struct Held {
    by: usize,
    lock: u32,
}

/// The thread that a thread waits for in the end, and for which lock; `None` where nobody is known, or threads wait for each other in a circle.
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
        last = Some(Held { by, lock: threads[at].thread.open_node()?.object });
        at = by;
    }
    last
}

/// What the thread that holds a lock does now, and where: in the call that it is in, or where it waited for this lock before.
fn described(
    held: Held,
    threads: &[WatchedThread],
    catalogue: &mut Catalogue,
    state: &mut SharedState,
) -> LockHolder {
    let watched = &threads[held.by];
    let nodes = &watched.thread.nodes;
    let open = watched.thread.open_node();
    let traits = open.filter(|node| node.class != ClassId::UNSET);
    let traits = traits.map(|node| &state.classes.get(node.class).traits);
    let paging = state.resources.paging();
    let spent = traits.map_or(TimeUse::Unknown, |traits| traits.spent(paging, watched.is_untold()));
    let is_computing = spent == TimeUse::Computing;
    let taken = nodes.iter().filter(|node| node.object == held.lock);
    let taken = taken.max_by_key(|node| node.counters.visits);
    let node = if is_computing { taken } else { open };
    let code = node.copied().and_then(|node| catalogue.own_code(&node));
    let code: Option<ResourceId> = code.map(|code| state.resources.id(&code));
    let spent = if is_computing { watched.own_time() } else { vec![(spent, 1.0)] };
    LockHolder { who: watched.resource, code, spent }
}
