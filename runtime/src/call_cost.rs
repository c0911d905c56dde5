//! Measures what a wrapped call costs around its two events, in one of a thousand calls.
//!
//! ```text
//!   wrapper ─ before ─► clock of the begin ─ the real call ─ clock of the end ─ after ─► back
//! ```
//! What a wrapper does around its events depends on the call: it looks up a file, a tag or a request, and notes what moved. And a
//! processor does none of that beside a system call, as it does beside work of the program's own. So this part of the price is not
//! calibrated but measured where it is paid: which calls are measured is chance, so their mean is that of all. The first one that is measured meets
//! code that the processor has put aside, which others do not pay for: so all calls of a short while are measured, and it is one of many.

use crate::thread_local::thread;
use crate::view::Slot;
use crate::{clock, measurement};
use core::sync::atomic::Ordering;

/// A wrapped call that is measured, or one that is not.
#[derive(Debug)]
#[must_use]
pub struct CallCost {
    /// Ticks when its wrapper was entered; 0 of a call that is not measured.
    entered: u64,
    /// Ticks until its begin.
    before: u64,
}

impl CallCost {
    /// A wrapper is entered; which may be inside another one, and then the call is none.
    #[inline(always)]
    pub fn enter() -> Self {
        let slot = if measurement::is_measured() { slot() } else { None };
        let is_chosen =
            slot.is_some_and(|slot| is_chosen(slot.head().last.load(Ordering::Relaxed)));
        Self { entered: if is_chosen { now() } else { 0 }, before: 0 }
    }

    /// Its event has begun.
    #[inline(always)]
    pub fn begun(&mut self) {
        if self.entered != 0 {
            self.before = since(self.entered);
        }
    }

    /// Its event has ended, if it had begun, and the program goes on now.
    #[inline(always)]
    pub fn leave(self) {
        if self.before != 0 {
            tell(self.before);
        }
    }
}

/// By the time of the event before, which nobody chose: whether it is in a while whose calls are measured.
#[inline(always)]
const fn is_chosen(last: u64) -> bool {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    (last / WHILE).wrapping_mul(SPREAD) >> (u64::BITS - ONE_OF.trailing_zeros()) == 0
}

/// In one of so many whiles calls are measured.
const ONE_OF: u64 = 1024;
/// Ticks of a while: a few microseconds, in which a program that does nothing else makes ten calls and more.
const WHILE: u64 = 8192;
/// Longer is no wrapper's doing: the thread lost its processor, or met a page for the first time.
const DISTURBED: u64 = 4096;

#[inline(always)]
fn slot() -> Option<Slot> {
    let base = thread().slot.load(Ordering::Relaxed);
    // SAFETY: not null, so it is this thread's slot, mapped and populated.
    (!base.is_null()).then(|| unsafe { Slot::at(base) })
}

#[cold]
fn now() -> u64 {
    clock::counter()
}

/// Ticks from a moment to the thread's last event.
#[cold]
fn since(entered: u64) -> u64 {
    slot().map_or(0, |slot| slot.head().last.load(Ordering::Relaxed).wrapping_sub(entered))
}

/// Adds a call to those that were measured.
#[cold]
fn tell(before: u64) {
    let Some(slot) = slot() else { return };
    let head = slot.head();
    let after = now().wrapping_sub(head.last.load(Ordering::Relaxed));
    // The way into the wrapper and out of it is not between these clocks. It takes a little less than the two clocks more than in other calls, of
    // which a half each is between two that are read.
    let ticks = before.saturating_add(after);
    if before < DISTURBED && ticks < DISTURBED {
        let add = |place: &core::sync::atomic::AtomicU64, more| {
            place.store(place.load(Ordering::Relaxed).wrapping_add(more), Ordering::Relaxed);
        };
        add(&head.call_ticks, ticks);
        add(&head.measured_calls, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::is_chosen;

    #[test]
    fn one_of_a_thousand_is_chosen_however_coarsely_a_clock_ticks() {
        for step in [25, 36, 1024, 4096, 8192, 10_000, 1 << 20] {
            let chosen = (0..1 << 24).filter(|at| is_chosen(7 + at * step)).count();
            assert!((14_000..19_000).contains(&chosen), "{step}: {chosen}");
        }
    }

    #[test]
    fn those_that_follow_on_each_other_are_chosen_together() {
        let (step, mut begun, mut chosen) = (300, 0, 0);
        for at in 0..1 << 22 {
            begun += usize::from(is_chosen((at + 1) * step) && !is_chosen(at * step));
            chosen += usize::from(is_chosen((at + 1) * step));
        }
        assert!(begun > 100 && chosen > 20 * begun, "{chosen} in {begun} whiles");
    }
}
