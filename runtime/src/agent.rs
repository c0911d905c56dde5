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

use crate::heartbeat::{Daemon, Heartbeat};
use crate::last_thread_watchdog::LastThreadWatchdog;
use crate::lock::Held;
use crate::patch::site::Ran;
use crate::patch::{self, budget, site, window};
use crate::switch::WIPE_ON_FORK;
use crate::view::Tables;
use crate::{clock, kernel, leaving, process, thread};
use core::sync::atomic::{AtomicPtr, Ordering};
use whyperf_layout::ring::RING;
use whyperf_layout::{Answer, Command, Message, Refusal, Reply, Sequence};

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
    let Some(tables) = process::own() else { return };
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
    // From here on nobody starts one.
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
        && let Some(tables) = process::own()
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
    let Some(memory) = memory() else { return };
    let stack = memory.wrapping_add(STACK);
    // Thread-local blocks lie below the thread pointer, whose first word points to itself.
    let storage = memory.wrapping_add(STACK + STORAGE - 4096);
    // SAFETY: the memory is ours and stays; the agent before this one does not use it any more,
    // for the kernel has cleared its number. `run` never returns and makes system calls only.
    let started = unsafe {
        storage.cast::<*mut u8>().write(storage);
        kernel::start_thread(stack, storage, run, WIPE_ON_FORK.agent_thread.as_ptr())
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
    let word = &WIPE_ON_FORK.agent_thread;
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
    let mut watchdog = LastThreadWatchdog::default();
    let mut heartbeat = Heartbeat::default();
    // Without tables the region was given up since the agent was started.
    while WIPE_ON_FORK.agent_away.load(Ordering::Relaxed) == 0
        && let Some(tables) = process::tables()
    {
        let commands = tables.commands();
        let rung = commands.rung();
        let held = Held::take();
        carry_out_all(tables, &held);
        if heartbeat.look(tables, clock::nanos()) == Daemon::Gone {
            leaving::begin_alone(tables, &held);
        }
        if leaving::is_under_way() {
            leaving::turn(tables, clock::nanos(), &held);
        } else {
            patch::finish(tables, clock::nanos(), &held);
            budget::turn(tables, &held);
            window::turn(tables, clock::nanos(), &held);
        }
        drop(held);
        let now = clock::nanos();
        if let Some(status) = watchdog.look(now) {
            kernel::end_thread(status);
        }
        // Whoever has work by the clock says when; the earliest counts.
        let of_code = window::due().min(budget::due(now)).min(patch::due());
        let due = if leaving::is_under_way() { leaving::due(now) } else { of_code };
        let due = due.min(watchdog.due()).min(heartbeat.due());
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
        let Some((sequence, message)) = tables.commands().receive(tables.replies()) else { break };
        if let Some(reply) = answer(tables, sequence, message, &mut ran, held) {
            tell(tables, Answer { to: Some(sequence), reply }, held);
        }
    }
}

/// Tells the daemon; counts it when the ring is full, and answers whether it was not. The lock makes
/// replies one at a time.
pub(crate) fn tell(tables: Tables, answer: Answer, _: &Held) -> bool {
    let is_told = tables.replies().send(tables.commands(), answer.encode());
    if !is_told {
        tables.header().losses.replies.fetch_add(1, Ordering::Relaxed);
    }
    is_told
}

/// Carries out a command unless the process is being left; answers what is to be replied.
fn answer(
    tables: Tables,
    sequence: Sequence,
    message: Message,
    ran: &mut Ran,
    held: &Held,
) -> Option<Reply> {
    let refused = |reason| {
        let [argument, ..] = message.arguments;
        Some(Reply::Refused { what: message.what, argument, reason })
    };
    if leaving::is_under_way() {
        return refused(Refusal::Leaving);
    }
    let command = Command::decode(message);
    match command.and_then(|command| carry_out(tables, sequence, command, ran, held)) {
        Some(Done::Told(reply)) => Some(reply),
        Some(Done::WithoutReply) => None,
        None => refused(Refusal::Nonsense),
    }
}

/// A command was carried out.
#[derive(Debug)]
pub(crate) enum Done {
    /// And this is the reply.
    Told(Reply),
    /// Nothing is to be said of it.
    WithoutReply,
}

/// `None` when there is no such thing.
fn carry_out(
    tables: Tables,
    sequence: Sequence,
    command: Command,
    ran: &mut Ran,
    held: &Held,
) -> Option<Done> {
    match command {
        Command::SwitchOn { region } => {
            switch_region(tables, region, true, ran)?;
            Some(Done::Told(Reply::SwitchedOn { region }))
        }
        Command::SwitchOff { region } => {
            switch_region(tables, region, false, ran)?;
            Some(Done::Told(Reply::SwitchedOff { region }))
        }
        Command::ReleaseSlot { slot, generation } => {
            thread::release_slot(tables, slot as usize, generation).then_some(Done::WithoutReply)
        }
        Command::Detach { patience } => {
            leaving::begin(tables, Some(sequence), patience, held);
            Some(Done::WithoutReply)
        }
        of_functions => patch::carry_out(tables, of_functions, held),
    }
}

fn switch_region(tables: Tables, id: u32, on: bool, ran: &mut Ran) -> Option<()> {
    let count = tables.header().region_count.load(Ordering::Relaxed);
    let id = u16::try_from(id).ok().filter(|id| *id != 0 && u32::from(*id) < count)?;
    tables.region(id).switched.store(u32::from(on), Ordering::Relaxed);
    site::switch(tables, id, on, ran);
    Some(())
}
