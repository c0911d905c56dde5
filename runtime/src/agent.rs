//! The agent: one thread that sleeps until the daemon rings, and does what it asks.
//!
//! Started only where it is worth a thread: in MPI programs, and where the program has regions of
//! its own. It blocks every signal, uses system calls only, and the C library does not know of it.

use crate::lock::Held;
use crate::switch::{self, WIPED};
use crate::view::Tables;
use crate::{kernel, process, thread};
use core::sync::atomic::Ordering;
use whyperf_layout::ring::RING;
use whyperf_layout::{Command, Message, Reply};

/// Memory of the agent: its stack, and above it the block that its thread pointer points to.
const STACK: usize = 64 << 10;
const STORAGE: usize = 64 << 10;

/// Starts the agent of this process if it has none.
pub(crate) fn start() {
    let Some(tables) = process::tables() else { return };
    if WIPED.agent.swap(1, Ordering::Relaxed) != 0 {
        return;
    }
    let Some(memory) = kernel::private_memory(STACK + STORAGE) else { return };
    let stack = memory.wrapping_add(STACK);
    // Thread-local blocks lie below the thread pointer, whose first word points to itself.
    let storage = memory.wrapping_add(STACK + STORAGE - 4096);
    let signals = kernel::block_signals();
    // SAFETY: the memory is ours and stays; `run` never returns and makes system calls only.
    let started = unsafe {
        storage.cast::<*mut u8>().write(storage);
        kernel::start_thread(stack, storage, run)
    };
    kernel::restore_signals(signals);
    tables.header().agent.store(u32::from(started), Ordering::Relaxed);
}

extern "C" fn run() -> ! {
    kernel::name_thread(c"whyperf");
    loop {
        // The region was there when the agent was started; it was given up since.
        let Some(tables) = process::tables() else { kernel::end_thread() };
        let commands = tables.commands();
        let rung = commands.rung();
        carry_out_all(tables, &Held::take());
        kernel::futex_wait(commands.doorbell.as_ptr(), rung);
    }
}

/// Takes what the daemon asked for and does it. The ring has one consumer at a time: the agent, or
/// a thread that claims a slot, whoever holds the lock.
pub(crate) fn carry_out_all(tables: Tables, held: &Held) {
    // No more than the ring holds: the daemon cannot keep a thread of the program here.
    for _ in 0..RING {
        let Some(command) = tables.commands().receive(tables.replies()) else { break };
        let answer = carry_out(tables, command);
        reply(tables, answer, held);
    }
}

/// Tells the daemon; counts it when the ring is full. The lock makes replies one at a time.
pub(crate) fn reply(tables: Tables, message: Message, _: &Held) {
    if message.what != Reply::Nothing as u64 && !tables.replies().send(tables.commands(), message) {
        tables.header().losses.replies.fetch_add(1, Ordering::Relaxed);
    }
}

fn carry_out(tables: Tables, command: Message) -> Message {
    let [first, second, _] = command.arguments;
    let what = command.what;
    let done = if what == Command::SwitchOn as u64 {
        switch_region(tables, first, true)
    } else if what == Command::SwitchOff as u64 {
        switch_region(tables, first, false)
    } else if what == Command::ReleaseSlot as u64 {
        thread::release_slot(tables, first as usize, second as u32).then_some(Reply::Nothing)
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

fn switch_region(tables: Tables, id: u64, on: bool) -> Option<Reply> {
    let header = tables.header();
    let count = u64::from(header.region_count.load(Ordering::Relaxed));
    let id = u16::try_from(id).ok().filter(|id| *id != 0 && u64::from(*id) < count)?;
    tables.region(id).switched.store(u32::from(on), Ordering::Relaxed);
    switch::set(id, on && header.paused.load(Ordering::Relaxed) == 0);
    Some(Reply::Switched)
}
