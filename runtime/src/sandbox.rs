//! The end of measuring in a process that goes on, because it gives up what changing code needs: system calls or rights.

use crate::functions::site;
use crate::lock::Held;
use crate::view::Tables;
use crate::{agent_thread, attachment, heartbeat, kernel, measurement, patch};
use core::sync::atomic::AtomicU32;

/// Tries to restore what a thread still stands in, and nanoseconds between two.
const TRIES: u32 = 100;
const AGAIN: u64 = 1_000_000;

/// Stops measuring this process and all that it forks, for good: its code is restored while that can be done, and afterwards
/// nothing of ours makes a system call. What was measured until now stays to be read.
pub fn enter() {
    let tables = measurement::own();
    // A process without a region would make one at its first event, behind the filter.
    if tables.is_none() && !measurement::is_awaited() {
        return;
    }
    // The filter may not allow what it needs to end.
    let _ended = agent_thread::send_away();
    end(tables);
}

/// The same before a call that may take the right to change code away, where the daemon has ended and the agent did not see it
/// yet: afterwards it could not restore anything. Sends the agent away in any case, and answers whether there was one.
#[must_use]
pub fn enter_if_alone() -> bool {
    let away = agent_thread::send_away();
    if let Some(tables) = measurement::own()
        && site::is_any_changed()
        && heartbeat::has_daemon_ended()
    {
        end(Some(tables));
    }
    away
}

fn end(tables: Option<Tables>) {
    let held = Held::take();
    if let Some(tables) = tables {
        restore(tables, &held);
    }
    attachment::end();
    drop(held);
}

fn restore(tables: Tables, held: &Held) {
    let nobody_wakes = AtomicU32::new(0);
    for _ in 0..TRIES {
        if patch::restore(tables, held) == 0 {
            return;
        }
        kernel::futex_wait(&nobody_wakes, 0, AGAIN);
    }
}
