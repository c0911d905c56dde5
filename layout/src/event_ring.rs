//! The ring of a traced thread's events: one writer that never waits, one reader that writes nothing.
//!
//! # Idea
//! The writer overwrites the oldest entry, whoever has read it or not; so a slow reader loses entries, and never slows the program. The reader
//! copies, and then looks how far the writer has come meanwhile: what may have been overwritten under its hands is dropped, and counted.
//!
//! ```text
//!   writer   fence(Release) overwritten ─ entry ─ produced + 1 (Release) recorded
//!   reader   produced (Acquire) recorded ─ entries ─ fence(Acquire) overwritten ─ produced again
//! ```
//!
//! # Invariants
//! * Entry `i` lies at `i % RING_ENTRIES`. It is written before `produced` becomes `i + 1`, and overwritten only after `produced` became `i +
//!   RING_ENTRIES`: a reader that saw a part of the newer entry sees that number afterwards.
//! * A ring lies in a file of its own, `<pid>-<thread>.trace` in the run directory. Nothing else of the region changes when a thread is traced.

use crate::sync::{AtomicU32, AtomicU64, Ordering, fence, or_relaxed};

/// Entries of one ring: 4 MiB, which a thread of ten million events a second fills in 26 ms.
#[cfg(not(loom))]
pub const RING_ENTRIES: usize = 1 << 18;
/// Entries of one ring, few enough for a model to wrap.
#[cfg(loom)]
pub const RING_ENTRIES: usize = 2;

/// First eight bytes of a ring's file.
pub const RING_MAGIC: u64 = u64::from_le_bytes(*b"WHYTRACE");
/// Raised with every change of a byte's meaning, of entries too.
pub const RING_VERSION: u32 = 3;

/// One entry: what happened, and a time or another number that belongs to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RingEntry {
    /// A kind in the lowest byte, and what that kind has.
    pub what: u64,
    /// A whole word of it, most often ticks.
    pub word: u64,
}

#[derive(Debug, Default)]
#[repr(C)]
struct Entry([AtomicU64; 2]);

/// A page that says whose ring this is, and how far it is written.
#[derive(Debug, Default)]
#[cfg_attr(not(loom), repr(C, align(4096)))]
pub struct RingHead {
    /// [`RING_MAGIC`], stored last of all when the ring is ready.
    pub magic: AtomicU64,
    /// [`RING_VERSION`].
    pub version: AtomicU32,
    /// The process, as it numbers itself.
    pub pid: AtomicU32,
    /// The thread, as the kernel numbers it.
    pub thread: AtomicU32,
    /// Which thread of the process this is, in the order of their registration.
    pub number: AtomicU32,
    /// Events that could not be recorded because a signal handler came inside another one.
    pub dropped: AtomicU64,
    /// `start_nanos` of the region that its entries speak of: a process has another one when it became another program.
    pub region: AtomicU64,
    pad: [AtomicU64; 2],
    /// Entries ever written.
    produced: AtomicU64,
}

/// A ring as it lies in its file.
#[derive(Debug)]
#[repr(C)]
pub struct EventRing {
    /// Its first page.
    pub head: RingHead,
    entries: [Entry; RING_ENTRIES],
}

/// Bytes of a ring's file.
pub const RING_SIZE: usize = size_of::<EventRing>();

#[cfg(not(loom))]
const _: () = assert!(
    size_of::<RingHead>() == crate::geometry::PAGE && size_of::<RingEntry>() == size_of::<Entry>()
);

impl RingHead {
    /// Writer: the ring is ready.
    pub fn publish(&self) {
        // SYNC ring-ready with RingHead::is_published
        self.magic.store(RING_MAGIC, or_relaxed("ring_ready_store", Ordering::Release));
    }

    /// Reader: whether the ring is ready, which goes for all of its head then.
    pub fn is_published(&self) -> bool {
        // SYNC ring-ready with RingHead::publish
        self.magic.load(or_relaxed("ring_ready_load", Ordering::Acquire)) == RING_MAGIC
    }
}

impl EventRing {
    /// Writer: an empty ring, for tests and models.
    #[must_use]
    pub fn empty() -> Self {
        Self { head: RingHead::default(), entries: core::array::from_fn(|_| Entry::default()) }
    }

    /// Writer: appends an entry, in place of the oldest one.
    #[inline(always)]
    pub fn record(&self, entry: RingEntry) {
        let at = self.head.produced.load(Ordering::Relaxed);
        fence("overwritten_store", Ordering::Release); // SYNC overwritten with EventRing::drain
        let [what, word] = &self.entries[at as usize % RING_ENTRIES].0;
        what.store(entry.what, Ordering::Relaxed);
        word.store(entry.word, Ordering::Relaxed);
        // SYNC recorded with EventRing::drain
        self.head
            .produced
            .store(at.wrapping_add(1), or_relaxed("recorded_store", Ordering::Release));
    }

    /// A writer that lies about how far it is, for tests.
    pub fn pretend(&self, produced: u64) {
        self.head.produced.store(produced, Ordering::Relaxed);
    }

    /// Reader: copies the entries from number `next` on that are there still into `room`; answers the number of the next one, and how many were overwritten before they were read.
    ///
    /// The writer's index is believed for as much as a ring has: a hostile one loses its own entries, no more.
    pub fn drain(&self, next: u64, room: &mut [RingEntry]) -> Drained {
        // SYNC recorded with EventRing::record
        let made = self.head.produced.load(or_relaxed("recorded_load", Ordering::Acquire));
        let Some(waiting) = made.checked_sub(next) else {
            return Drained { next: made, taken: 0..0, lost: 0 };
        };
        let kept = waiting.min(RING_ENTRIES as u64 - 1);
        let first = made.wrapping_sub(kept);
        let copied = (kept as usize).min(room.len());
        for (step, place) in room.iter_mut().take(copied).enumerate() {
            let at = first.wrapping_add(step as u64);
            let [what, word] = &self.entries[at as usize % RING_ENTRIES].0;
            *place = RingEntry {
                what: what.load(Ordering::Relaxed),
                word: word.load(Ordering::Relaxed),
            };
        }
        fence("overwritten_load", Ordering::Acquire); // SYNC overwritten with EventRing::record
        let now = self.head.produced.load(Ordering::Relaxed);
        // The entry that is being written now lies where the one of a whole ring before it was.
        let sound_from = now.saturating_sub(RING_ENTRIES as u64 - 1);
        let spoilt = (sound_from.saturating_sub(first) as usize).min(copied);
        Drained {
            next: first + copied as u64,
            taken: spoilt..copied,
            lost: (first - next).saturating_add(spoilt as u64),
        }
    }
}

/// What a look into a ring brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drained {
    /// The number of the entry that is read next.
    pub next: u64,
    /// Where in the room the entries are that are whole.
    pub taken: core::ops::Range<usize>,
    /// Entries before them that were overwritten.
    pub lost: u64,
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::alloc::{Layout, alloc_zeroed};

    /// A ring is too large for the stack of a test.
    fn ring() -> Box<EventRing> {
        // SAFETY: zeros are a ring: all of it are atomics.
        unsafe { Box::from_raw(alloc_zeroed(Layout::new::<EventRing>()).cast()) }
    }

    fn entry(number: u64) -> RingEntry {
        RingEntry { what: number, word: !number }
    }

    #[test]
    fn entries_come_in_order_and_once() {
        let (ring, mut room) = (ring(), [RingEntry::default(); 4]);
        (0..6).for_each(|number| ring.record(entry(number)));
        let first = ring.drain(0, &mut room);
        assert_eq!(first, Drained { next: 4, taken: 0..4, lost: 0 });
        assert_eq!(room[3], entry(3));
        let second = ring.drain(4, &mut room);
        assert_eq!((second.next, second.taken, second.lost), (6, 0..2, 0));
        assert_eq!(room[..2], [entry(4), entry(5)]);
    }

    #[test]
    fn what_was_overwritten_is_counted() {
        let (ring, mut room) = (ring(), vec![RingEntry::default(); RING_ENTRIES]);
        let all = RING_ENTRIES as u64 + 10;
        (0..all).for_each(|number| ring.record(entry(number)));
        let drained = ring.drain(0, &mut room);
        assert_eq!((drained.next, drained.lost), (all, 11));
        assert_eq!(room[drained.taken.start], entry(11));
    }

    #[test]
    fn an_index_that_went_back_is_nothing_new() {
        let (ring, mut room) = (ring(), [RingEntry::default(); 4]);
        ring.record(entry(1));
        assert_eq!(ring.drain(9, &mut room), Drained { next: 1, taken: 0..0, lost: 0 });
    }
}
