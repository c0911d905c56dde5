//! The agent's thread: started, sent away for a call that must not meet it, and called back.
//!
//! ```text
//!   start ──► body: commands, what is due, sleep ──┬── send_away, and call_back: another one
//!                                                  └── no other thread is left in the process: the end
//! ```
//! Started only where it is worth a thread: in MPI programs, and where the program has regions of
//! its own. It blocks every signal, uses system calls only, has no descriptors, and the C library
//! does not know of it. Calls that are refused to a process of several threads, or that change the
//! calling one alone, find it gone.

use crate::lock::Held;
use crate::once_pointer::OncePointer;
use crate::switch::WIPE_ON_FORK;
use crate::view::Tables;
use crate::{kernel, measurement};
use core::sync::atomic::{AtomicPtr, Ordering};

/// What the thread does; it is in a layer above, which uses all those between.
#[derive(Debug)]
pub(crate) struct AgentMain(pub(crate) extern "C" fn() -> !);

static BODY: OncePointer<AgentMain> = OncePointer::null();

/// Says what the thread does; called when the library is loaded, before a thread can be wanted.
pub(crate) fn set_body(body: &'static AgentMain) {
    BODY.set(body);
}

/// Memory of the agent: its stack, and above it the block that its thread pointer points to.
const STACK: usize = 64 << 10;
const STORAGE: usize = 64 << 10;

/// That memory, once there was an agent: the next one has it, too.
static MEMORY: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());

/// Starts the agent of this process if it has none.
pub(crate) fn start() {
    if WIPE_ON_FORK.agent.load(Ordering::Relaxed) != 0 {
        return;
    }
    // A child of `vfork` has its parent's tables, and is not to get a thread.
    let Some(tables) = measurement::own() else { return };
    let held = Held::take();
    if WIPE_ON_FORK.agent.swap(kernel::process_id(), Ordering::Relaxed) == 0 {
        start_thread(tables, &held);
    }
}

/// Ends the agent, for a call that must not meet it, until [`call_back`] gets the answer.
#[must_use]
pub fn send_away() -> bool {
    let owner = WIPE_ON_FORK.agent.load(Ordering::Relaxed);
    if owner == 0 || owner != kernel::process_id() {
        return false;
    }
    // From here on no thread starts one.
    let held = Held::take();
    WIPE_ON_FORK.agent_away.fetch_add(1, Ordering::Relaxed);
    drop(held);
    wait_for_end();
    true
}

/// Starts the agent again after the last call that had sent it away.
pub fn call_back(away: bool) {
    if !away {
        return;
    }
    let held = Held::take();
    let others = WIPE_ON_FORK.agent_away.fetch_sub(1, Ordering::Relaxed) - 1;
    if others == 0
        && let Some(tables) = measurement::own()
    {
        start_thread(tables, &held);
    }
}

/// Starts the agent of a process that has none, which is to be left.
pub(crate) fn start_to_leave(tables: Tables, held: &Held) {
    if WIPE_ON_FORK.agent.swap(kernel::process_id(), Ordering::Relaxed) == 0 {
        start_thread(tables, held);
    }
}

/// Waits until the agent of the measurement before is gone: it might take the next one's regions for
/// its own, or end just when it is wanted.
pub(crate) fn await_end() {
    if WIPE_ON_FORK.agent_thread.load(Ordering::Relaxed) != 0 {
        wait_for_end();
    }
}

/// Starts the thread unless there is one, or it is unwanted at the moment; the lock makes starts
/// and [`send_away`] one at a time, and blocks the signals that the thread must not have.
fn start_thread(tables: Tables, _: &Held) {
    let is_wanted = WIPE_ON_FORK.agent_away.load(Ordering::Relaxed) == 0;
    let is_there = WIPE_ON_FORK.agent_thread.load(Ordering::Relaxed) != 0;
    if is_there || !is_wanted {
        return;
    }
    let (Some(memory), Some(body)) = (memory(), BODY.get()) else { return };
    let stack = memory.wrapping_add(STACK);
    // Thread-local blocks lie below the thread pointer, whose first word points to itself.
    let storage = memory.wrapping_add(STACK + STORAGE - 4096);
    // SAFETY: the memory is ours and stays; the agent before this one does not use it any more,
    // for the kernel has cleared its number. `AgentMain` never returns and makes system calls only.
    let started = unsafe {
        storage.cast::<*mut u8>().write(storage);
        kernel::start_thread(stack, storage, body.0, WIPE_ON_FORK.agent_thread.as_ptr())
    };
    tables.header().agent.store(u32::from(started), Ordering::Relaxed);
}

fn memory() -> Option<*mut u8> {
    let known = MEMORY.load(Ordering::Relaxed);
    if !known.is_null() {
        return Some(known);
    }
    let memory = kernel::private_memory(STACK + STORAGE)?;
    MEMORY.store(memory, Ordering::Relaxed);
    Some(memory)
}

/// Waits until the kernel has forgotten the agent's thread; for a second, because a debugger may have
/// stopped it.
fn wait_for_end() {
    const STEP: u64 = 100_000;
    const STEPS: u32 = 10_000;
    let word = &WIPE_ON_FORK.agent_thread;
    let thread = word.load(Ordering::Relaxed);
    let is_there = || word.load(Ordering::Relaxed) == thread || kernel::has_thread(thread);
    let mut steps = 0;
    while thread != 0 && steps < STEPS && is_there() {
        // Each time, because it may just have been about to sleep.
        measurement::wake_agent();
        kernel::futex_wait(word, word.load(Ordering::Relaxed), STEP);
        steps += 1;
    }
    kernel::settle_threads();
}
