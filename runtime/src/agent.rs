//! The agent: one thread that sleeps until the daemon rings or something is due, and does it.
//!
//! ```text
//!   start ──► run: commands, what is due, sleep ──┬── send_away, and call_back: another one
//!                                                 └── nobody else is left in the process: the end
//! ```
//! Started only where it is worth a thread: in MPI programs, and where the program has regions of
//! its own. It blocks every signal, uses system calls only, has no descriptors, and the C library
//! does not know of it. Calls that are refused to a process of several threads, or that change the
//! calling one alone, find it gone.

use crate::company::Company;
use crate::lock::Held;
use crate::patch::site::Ran;
use crate::patch::{self, budget, site, window};
use crate::switch::WIPED;
use crate::view::Tables;
use crate::{attachment, clock, kernel, process, thread};
use core::sync::atomic::{AtomicPtr, Ordering};
use whyperf_layout::ring::RING;
use whyperf_layout::{Command, Message, Reply};

/// Memory of the agent: its stack, and above it the block that its thread pointer points to.
const STACK: usize = 64 << 10;
const STORAGE: usize = 64 << 10;

/// That memory, once there was an agent: the next one has it, too.
static MEMORY: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());

/// Starts the agent of this process if it has none.
pub(crate) fn start() {
    if WIPED.agent.load(Ordering::Relaxed) != 0 {
        return;
    }
    // A child of `vfork` has its parent's tables, and is not to get a thread.
    let Some(tables) = process::own() else { return };
    let held = Held::take();
    if WIPED.agent.swap(kernel::process_id(), Ordering::Relaxed) == 0 {
        start_thread(tables, &held);
    }
}

/// Ends the agent, for a call that must not meet it, until [`call_back`] gets the answer.
#[must_use]
pub fn send_away() -> bool {
    let owner = WIPED.agent.load(Ordering::Relaxed);
    if owner == 0 || owner != kernel::process_id() {
        return false;
    }
    // From here on nobody starts one.
    let held = Held::take();
    WIPED.agent_away.fetch_add(1, Ordering::Relaxed);
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
    let others = WIPED.agent_away.fetch_sub(1, Ordering::Relaxed) - 1;
    if others == 0
        && let Some(tables) = process::own()
    {
        start_thread(tables, &held);
    }
}

/// Starts the thread unless there is one, or it is unwanted at the moment; the lock makes starts
/// and [`send_away`] one at a time, and blocks the signals that the thread must not have.
fn start_thread(tables: Tables, _: &Held) {
    let is_wanted = WIPED.agent_away.load(Ordering::Relaxed) == 0;
    let is_there = WIPED.agent_thread.load(Ordering::Relaxed) != 0;
    if is_there || !is_wanted {
        return;
    }
    let Some(memory) = memory() else { return };
    let stack = memory.wrapping_add(STACK);
    // Thread-local blocks lie below the thread pointer, whose first word points to itself.
    let storage = memory.wrapping_add(STACK + STORAGE - 4096);
    // SAFETY: the memory is ours and stays; the agent before this one does not use it any more,
    // for the kernel has cleared its number. `run` never returns and makes system calls only.
    let started = unsafe {
        storage.cast::<*mut u8>().write(storage);
        kernel::start_thread(stack, storage, run, WIPED.agent_thread.as_ptr())
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

/// Waits until the kernel has forgotten the agent's thread; for a second, because somebody may have
/// stopped it.
fn wait_for_end() {
    const STEP: u64 = 100_000;
    const STEPS: u32 = 10_000;
    let word = &WIPED.agent_thread;
    let thread = word.load(Ordering::Relaxed);
    let is_there = || word.load(Ordering::Relaxed) == thread || kernel::has_thread(thread);
    let mut steps = 0;
    while thread != 0 && steps < STEPS && is_there() {
        // Each time, because it may just have been about to sleep.
        process::wake_agent();
        kernel::futex_wait(word, word.load(Ordering::Relaxed), STEP);
        steps += 1;
    }
    kernel::settle_threads();
}

extern "C" fn run() -> ! {
    kernel::name_thread(c"whyperf");
    kernel::leave_descriptors();
    let mut company = Company::default();
    // Without tables the region was given up since the agent was started.
    while WIPED.agent_away.load(Ordering::Relaxed) == 0
        && let Some(tables) = process::tables()
    {
        let commands = tables.commands();
        let rung = commands.rung();
        let held = Held::take();
        carry_out_all(tables, &held);
        budget::turn(tables, &held);
        window::turn(tables, clock::nanos(), &held);
        drop(held);
        let now = clock::nanos();
        if let Some(status) = company.look(now) {
            kernel::end_thread(status);
        }
        // Whoever has work by the clock says when; the earliest counts.
        let due = company.due().min(window::due()).min(budget::due(now));
        kernel::futex_wait(&commands.doorbell, rung, due.saturating_sub(now));
    }
    kernel::end_thread(0)
}

/// Takes what the daemon asked for and does it. The ring has one consumer at a time: the agent, or
/// a thread that claims a slot, whoever holds the lock.
pub(crate) fn carry_out_all(tables: Tables, held: &Held) {
    let mut ran = Ran::default();
    // No more than the ring holds: the daemon cannot keep a thread of the program here.
    for _ in 0..RING {
        let Some(command) = tables.commands().receive(tables.replies()) else { break };
        let answer = carry_out(tables, command, &mut ran, held);
        reply(tables, answer, held);
    }
}

/// Tells the daemon; counts it when the ring is full. The lock makes replies one at a time.
pub(crate) fn reply(tables: Tables, message: Message, _: &Held) {
    if message.what != Reply::Nothing as u64 && !tables.replies().send(tables.commands(), message) {
        tables.header().losses.replies.fetch_add(1, Ordering::Relaxed);
    }
}

fn carry_out(tables: Tables, command: Message, ran: &mut Ran, held: &Held) -> Message {
    if let Some(answer) = patch::carry_out(tables, command, held) {
        return answer;
    }
    let [first, second, _] = command.arguments;
    let what = command.what;
    let done = if what == Command::SwitchOn as u64 {
        switch_region(tables, first, true, ran)
    } else if what == Command::SwitchOff as u64 {
        switch_region(tables, first, false, ran)
    } else if what == Command::ReleaseSlot as u64 {
        thread::release_slot(tables, first as usize, second as u32).then_some(Reply::Nothing)
    } else if what == Command::Detach as u64 {
        attachment::end();
        Some(Reply::Nothing)
    } else if what == Command::Nothing as u64 {
        Some(Reply::Nothing)
    } else {
        None
    };
    match done {
        Some(Reply::Switched) => {
            let on = u64::from(what == Command::SwitchOn as u64);
            Message { what: Reply::Switched as u64, arguments: [first, on, 0] }
        }
        Some(_) => Message::default(),
        None => Message { what: Reply::Refused as u64, arguments: [what, first, second] },
    }
}

fn switch_region(tables: Tables, id: u64, on: bool, ran: &mut Ran) -> Option<Reply> {
    let header = tables.header();
    let count = u64::from(header.region_count.load(Ordering::Relaxed));
    let id = u16::try_from(id).ok().filter(|id| *id != 0 && u64::from(*id) < count)?;
    tables.region(id).switched.store(u32::from(on), Ordering::Relaxed);
    site::switch(tables, id, on, ran);
    Some(Reply::Switched)
}
