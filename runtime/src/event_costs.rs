//! The costs of an event pair in this process, in 1/256 ticks, once they were measured.

use crate::machine_facts::COSTS;
use crate::view::Slot;
use core::sync::atomic::{AtomicU32, Ordering};

/// What a pair adds to its own node, and to the one around it.
pub(crate) static INSIDE: AtomicU32 = AtomicU32::new(0);
pub(crate) static OUTSIDE: AtomicU32 = AtomicU32::new(0);
/// The same of a call through a slot.
pub(crate) static FUNCTION_INSIDE: AtomicU32 = AtomicU32::new(0);
pub(crate) static FUNCTION_OUTSIDE: AtomicU32 = AtomicU32::new(0);

/// Both parts of each, around work that hides what it can.
pub(crate) static HIDDEN: AtomicU32 = AtomicU32::new(0);
pub(crate) static FUNCTION_HIDDEN: AtomicU32 = AtomicU32::new(0);

/// Cost of a pair in 1/256 ticks.
pub(crate) fn pair() -> u64 {
    u64::from(INSIDE.load(Ordering::Relaxed)) + u64::from(OUTSIDE.load(Ordering::Relaxed))
}

/// Whether the costs are known.
pub(crate) fn are_known() -> bool {
    INSIDE.load(Ordering::Relaxed) != 0
}

/// All costs, as the processes of a run tell each other.
pub(crate) fn all() -> [u32; COSTS] {
    PLACES.map(|place| place.load(Ordering::Relaxed))
}

/// Takes what another process of this machine measured.
pub(crate) fn take(costs: [u32; COSTS]) {
    for (place, cost) in PLACES.into_iter().zip(costs) {
        place.store(cost, Ordering::Relaxed);
    }
}

static PLACES: [&AtomicU32; COSTS] =
    [&INSIDE, &OUTSIDE, &FUNCTION_INSIDE, &FUNCTION_OUTSIDE, &HIDDEN, &FUNCTION_HIDDEN];

/// Stores the costs in a slot, which no reader looks at yet.
pub(crate) fn store(slot: Slot) {
    let head = slot.head();
    head.inside.store(INSIDE.load(Ordering::Relaxed), Ordering::Relaxed);
    head.outside.store(OUTSIDE.load(Ordering::Relaxed), Ordering::Relaxed);
    head.function_inside.store(FUNCTION_INSIDE.load(Ordering::Relaxed), Ordering::Relaxed);
    head.function_outside.store(FUNCTION_OUTSIDE.load(Ordering::Relaxed), Ordering::Relaxed);
    head.hidden.store(HIDDEN.load(Ordering::Relaxed), Ordering::Relaxed);
    head.function_hidden.store(FUNCTION_HIDDEN.load(Ordering::Relaxed), Ordering::Relaxed);
}
