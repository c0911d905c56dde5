//! Functions of the program that are instrumented while it runs: `docs/patching.md` has the rules.
//!
//! ```text
//!   daemon ── records ──► [arm] checks, writes code ──► site ─► stub ─► [pool] slot ─► [visit] events
//!                         [site] what was patched          ▲                            [calls] open
//!                         [trap] who runs into it meanwhile┘    [window], [budget] when it is on
//! ```

mod arena;
mod arm;
mod batch;
pub(crate) mod budget;
pub(crate) mod calls;
pub mod compiled;
pub(crate) mod count;
pub mod departure;
pub mod disposition;
mod form;
mod front;
pub mod gate;
pub mod handlers;
mod index;
mod inspection;
mod maps;
mod personality;
mod place;
pub(crate) mod pool;
pub(crate) mod site;
mod text;
mod threads;
pub mod trap;
pub(crate) mod visit;
mod wide;
pub(crate) mod window;

use crate::lock::Held;
use crate::view::Tables;
use whyperf_layout::{Command, Message, Reply};

/// Carries out a command that concerns functions; `None` when it is another one, or nonsense.
pub(crate) fn carry_out(tables: Tables, command: Message, held: &Held) -> Option<Message> {
    let [first, second, third] = command.arguments;
    let (what, arguments) = if command.what == Command::MapArena as u64 {
        text::prepare_to_synchronize();
        let (data, code) = (second & 0xffff_ffff, second >> 32);
        (Reply::Mapped, [first, arena::map(first, data, code), 0])
    } else if command.what == Command::Arm as u64 {
        (Reply::Armed, [third, arm::arm(tables, first, second, held)?, 0])
    } else if command.what == Command::Disarm as u64 {
        let id = if first == 0 { 0 } else { function(first)? };
        window::end(id);
        let outcome = arm::disarm(tables, id, held);
        (Reply::Disarmed, [first, outcome as u64, 0])
    } else if command.what == Command::Window as u64 {
        let is_set = window::set(tables, function(first)?, second, third, held);
        (is_set.then_some(Reply::Nothing)?, [0; 3])
    } else if command.what == Command::Budget as u64 {
        budget::set(tables, first, second, third);
        (Reply::Nothing, [0; 3])
    } else {
        return None;
    };
    Some(Message { what: what as u64, arguments })
}

/// The measurement ended: the program's handlers are its own again, unless threads still come through an arena.
pub(crate) fn forget_handlers() {
    let leads_there =
        |site: &site::Site| site.is(site::State::Armed) || site.is(site::State::Retiring);
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
fn function(number: u64) -> Option<u16> {
    let id = u16::try_from(number).ok()?;
    (site::of_region(id).is_some() || compiled::is_region(id)).then_some(id)
}
