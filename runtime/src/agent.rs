//! The agent: one thread that sleeps until the daemon rings or something is due, and does it.
//!
//! `agent_thread` starts and ends the thread; this file is its work.

use crate::functions::site::Ran;
use crate::functions::{budget as spending, site, windows};
use crate::heartbeat::{DaemonState, Heartbeat};
use crate::last_thread_watchdog::LastThreadWatchdog;
use crate::lock::Held;
use crate::patch::{self, Done, budget, window};
use crate::replies::tell;
use crate::switch::WIPE_ON_FORK;
use crate::view::Tables;
use crate::{clock, kernel, leaving, measurement, process, registration};
use core::sync::atomic::Ordering;
use whyperf_layout::ring::RING;
use whyperf_layout::{Answer, Command, CommandRefusal, Message, Reply, Sequence};

/// The body of the agent's thread.
pub(crate) extern "C" fn run() -> ! {
    kernel::name_thread(c"whyperf");
    kernel::leave_descriptors();
    let mut watchdog = LastThreadWatchdog::default();
    let mut heartbeat = Heartbeat::default();
    // Without tables the region was given up since the agent was started.
    while WIPE_ON_FORK.agent_away.load(Ordering::Relaxed) == 0
        && let Some(tables) = measurement::tables()
    {
        let commands = tables.commands();
        let rung = commands.rung();
        let held = Held::take();
        carry_out_all(tables, &held);
        if heartbeat.look(tables, clock::nanos()) == DaemonState::Gone {
            leaving::begin_alone(tables, &held);
        }
        let is_paused = process::is_paused_by_daemon(tables);
        if leaving::is_under_way() {
            leaving::turn(tables, clock::nanos(), &held);
        } else {
            patch::finish(tables, clock::nanos(), &held);
            if is_paused {
                window::shut_open_ones(tables, &held);
            } else {
                budget::turn(tables, &held);
                window::turn(tables, clock::nanos(), &held);
            }
        }
        drop(held);
        let now = clock::nanos();
        if let Some(status) = watchdog.look(now) {
            kernel::end_thread(status);
        }
        // Whoever has work by the clock says when; the earliest counts.
        let of_functions =
            if is_paused { windows::due_to_shut() } else { windows::due().min(spending::due(now)) };
        let of_code = of_functions.min(patch::due());
        let due = if leaving::is_under_way() { leaving::due(now) } else { of_code };
        let due = due.min(watchdog.due()).min(heartbeat.due());
        kernel::futex_wait(&commands.doorbell, rung, due.saturating_sub(now));
    }
    kernel::end_thread(0)
}

/// Takes what the daemon asked for and does it. The ring has one consumer at a time: the agent, or
/// where there is none a thread that claims a slot, whoever holds the lock.
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
        return refused(CommandRefusal::Leaving);
    }
    let command = Command::decode(message);
    match command.and_then(|command| carry_out(tables, sequence, command, ran, held)) {
        Some(Done::Told(reply)) => Some(reply),
        Some(Done::WithoutReply) => None,
        None => refused(CommandRefusal::Nonsense),
    }
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
            registration::release_slot(tables, slot as usize, generation)
                .then_some(Done::WithoutReply)
        }
        Command::Pause { kept } => {
            process::pause_but_for(u16::try_from(kept).ok()?, tables, held);
            Some(Done::WithoutReply)
        }
        Command::Resume => {
            process::resume_for_daemon(tables, held);
            Some(Done::WithoutReply)
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
