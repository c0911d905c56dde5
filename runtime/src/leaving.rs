//! Leaves the process: restores its code, and then the process goes on as if it had never been measured.
//!
//! ```text
//!   measured ──Detach, or no daemon──► leaving ──all restored, or patience is over──► left
//!                                        └─ each turn of the agent: restore, try again ─┘
//! ```
//! From the first step on no command is carried out, no window opens and no budget lets anything go
//! on: only code is restored. A child that is forked meanwhile restores its own copy.

use crate::lock::Held;
use crate::measurement::{self, Children};
use crate::patch;
use crate::replies::tell;
use crate::switch::WIPE_ON_FORK;
use crate::view::Tables;
use crate::{agent_thread, attachment, clock};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use whyperf_layout::{Answer, Reply, Sequence};

/// When the process goes on with what could not be restored, in nanoseconds of the clock.
static END: AtomicU64 = AtomicU64::new(0);
/// The command that is to be answered, 0 for none.
static ANSWERED: AtomicU32 = AtomicU32::new(0);

/// Nanoseconds until what could not be restored is tried again.
const AGAIN: u64 = 10_000_000;
/// Longest patience: an hour.
const LONGEST: u64 = 3_600_000_000_000;
/// Patience when no daemon waits for an answer.
const ALONE: u64 = 60_000_000_000;

/// Whether the process is being left.
pub(crate) fn is_under_way() -> bool {
    WIPE_ON_FORK.leaving.load(Ordering::Relaxed) != 0
}

/// Begins to leave; `answered` is the command that asks for it. The agent does the rest.
pub(crate) fn begin(tables: Tables, answered: Option<Sequence>, patience: u64, held: &Held) {
    END.store(clock::nanos().saturating_add(patience.min(LONGEST)), Ordering::Relaxed);
    ANSWERED.store(answered.map_or(0, |sequence| sequence.0), Ordering::Relaxed);
    // Children that are forked from here on are not measured.
    measurement::decide_on_children(Children::Unmeasured);
    WIPE_ON_FORK.leaving.store(1, Ordering::Relaxed);
    patch::rest_all();
    agent_thread::start_to_leave(tables, held);
    tables.commands().ring();
    measurement::wake_agent();
}

/// The same without a daemon, which could be told.
pub(crate) fn begin_alone(tables: Tables, held: &Held) {
    if !is_under_way() {
        begin(tables, None, ALONE, held);
    }
}

/// The agent's turn: restores what it can, and ends the measurement when nothing is left to do.
pub(crate) fn turn(tables: Tables, now: u64, held: &Held) {
    let unrestored = patch::restore(tables, held);
    let is_late = now >= END.load(Ordering::Relaxed);
    if unrestored != 0 && !is_late {
        return;
    }
    let to = Some(Sequence(ANSWERED.load(Ordering::Relaxed))).filter(|sequence| sequence.0 != 0);
    let answer = Answer { to, reply: Reply::Detached { unrestored } };
    if to.is_none() || tell(tables, answer, held) || is_late {
        attachment::end();
    }
}

/// When the next turn is due.
pub(crate) fn due(now: u64) -> u64 {
    now.saturating_add(AGAIN)
}
