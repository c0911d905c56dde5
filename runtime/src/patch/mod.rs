//! Patches functions of the program while it runs; `docs/patching.md` has the rules.
//!
//! ```text
//!   daemon ── records ──► [arm] checks, writes code ──► site ─► stub ─► [pool] slot ─► [visit] events
//!                         [site] the table of sites         ▲                            [calls] open
//!                         [trap] for threads that come then ┘    [window], [budget] when it is on
//! ```

mod arena;
mod arm;
mod batch;
pub(crate) mod budget;
mod calls;
mod change;
pub mod compiled;
mod count;
pub mod departure;
pub mod disposition;
mod form;
mod front;
pub mod gate;
pub mod handlers;
mod inspection;
mod maps;
mod personality;
mod place;
mod restore;
pub mod signal_disposition;
pub mod signal_stack;
pub(crate) mod slot_code;
mod text;
pub(crate) mod thread_ends;
mod threads;
pub mod trap;
mod trap_choice;
pub mod trap_signals;
mod trap_wait;
pub(crate) mod visit;
mod wide;
pub(crate) mod window;

pub(crate) use restore::{due, finish, rest_all, restore, restore_fork};

use crate::functions::{announced, budget as spending, pool, site, windows};
use crate::lock::Held;
use crate::view::Tables;
use whyperf_layout::{Command, Reply};

/// A command was carried out.
#[derive(Debug)]
pub(crate) enum Done {
    /// And this is the reply.
    Told(Reply),
    /// Nothing is to be said of it.
    WithoutReply,
}

/// Carries out a command that concerns functions; `None` when it is another one, or nonsense.
pub(crate) fn carry_out(tables: Tables, command: Command, held: &Held) -> Option<Done> {
    let reply = match command {
        Command::MapArena { address, data, code } => {
            text::prepare_to_synchronize();
            slot_code::learn_registers();
            let error = arena::map(address, u64::from(data), u64::from(code));
            Reply::Mapped { address, error }
        }
        Command::Arm { first, count } => {
            let count = arm::arm(tables, u64::from(first), u64::from(count), held)?;
            Reply::Armed { count }
        }
        Command::Disarm { region } => {
            let id = if region == 0 { 0 } else { function(region)? };
            windows::end(id);
            Reply::Disarmed { region, outcome: arm::disarm(tables, id, held) }
        }
        Command::Window { region, on, visits, period } => {
            let id = function(region)?;
            if on != 0 || period != 0 {
                let wanted = windows::WantedWindows { on: u64::from(on), visits, period };
                return windows::set(id, wanted).then_some(Done::WithoutReply);
            }
            windows::end(id);
            Reply::Disarmed { region, outcome: arm::disarm(tables, id, held) }
        }
        Command::Budget { visits, interval, whole } => {
            spending::set(tables, visits, interval, whole);
            return Some(Done::WithoutReply);
        }
        _ => return None,
    };
    Some(Done::Told(reply))
}

/// The measurement ended: the program's handlers are its own again, unless threads still come through an arena.
pub(crate) fn forget_handlers() {
    let leads_there = |site: &site::PatchedFunction| {
        site.is(site::SiteState::Armed) || site.is(site::SiteState::Retiring)
    };
    if !site::all().any(leads_there) {
        handlers::step_aside();
    }
}

/// Bytes of all slots of a form: an address of theirs that a function finds as its caller's stands for another one.
pub const SLOTS_LENGTH: usize = pool::SLOTS * pool::SIZE;
/// How much higher the other one lies, from a slot of the pool.
pub const TO_CALLER: usize = 16;
/// The same from a slot that copies arguments.
pub const TO_CALLER_OF_WIDE: usize = TO_CALLER + wide::ROOM;

/// The number of a function's region.
fn function(number: u32) -> Option<u16> {
    let id = u16::try_from(number).ok()?;
    (site::of_region(id).is_some() || announced::is_region(id)).then_some(id)
}
