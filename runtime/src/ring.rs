//! The ring of a traced thread, in a file of its own in the run directory.
//!
//! A signal handler that comes while an entry is written finds the ring taken: its own events are counted, and missing from the trace.

use crate::environ::{options, settings};
use crate::lock::Held;
use crate::view::Tables;
use crate::{clock, kernel, map};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering, compiler_fence};
use whyperf_layout::{EventRing, RING_SIZE, RING_VERSION, Traced};

/// What a thread keeps for its ring.
#[derive(Debug)]
pub(crate) struct Ring {
    ring: AtomicPtr<EventRing>,
    /// An entry is being written.
    taken: AtomicBool,
}

/// Threads that were given a ring.
static NUMBERS: AtomicU32 = AtomicU32::new(0);

impl Ring {
    /// None yet.
    pub(crate) const fn none() -> Self {
        Self { ring: AtomicPtr::new(core::ptr::null_mut()), taken: AtomicBool::new(false) }
    }

    /// Forgets the ring of a life before.
    pub(crate) fn clear(&self) {
        self.ring.store(core::ptr::null_mut(), Ordering::Relaxed);
        self.taken.store(false, Ordering::Relaxed);
    }

    /// Appends an entry, if the thread is traced.
    #[inline]
    pub(crate) fn record(&self, said: Traced) {
        self.record_all([said]);
    }

    /// Appends entries that belong together.
    #[inline]
    pub(crate) fn record_all<const N: usize>(&self, said: [Traced; N]) {
        let place = self.ring.load(Ordering::Relaxed);
        // SAFETY: null, or what `open` mapped, which stays until the thread ends; all of it are atomics.
        let Some(ring) = (unsafe { place.as_ref() }) else { return };
        if self.taken.load(Ordering::Relaxed) {
            let dropped = &ring.head.dropped;
            dropped.store(dropped.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
            return;
        }
        self.taken.store(true, Ordering::Relaxed);
        // Both against a handler in the same thread alone.
        compiler_fence(Ordering::SeqCst); // SYNC entry with Ring::record
        for said in said {
            ring.record(said.encode());
        }
        compiler_fence(Ordering::SeqCst); // SYNC entry with Ring::record
        self.taken.store(false, Ordering::Relaxed);
    }

    /// Gives the calling thread, which registers, its ring, if the process is traced. Where there is none to be had its events are counted alone.
    pub(crate) fn open(&self, tables: Tables, held: &Held) {
        if !options().traces {
            return;
        }
        let thread = kernel::thread_id();
        let Some(base) = map::make_beside(settings(), thread, RING_SIZE, held) else {
            tables.header().losses.rings.fetch_add(1, Ordering::Relaxed);
            return;
        };
        let place = base.cast::<EventRing>();
        // SAFETY: mapped and populated just now, in this size, with zeros, which are a ring; it stays until the thread ends.
        let head = &unsafe { &*place }.head;
        head.version.store(RING_VERSION, Ordering::Relaxed);
        head.pid.store(kernel::process_id(), Ordering::Relaxed);
        head.thread.store(thread, Ordering::Relaxed);
        head.number.store(NUMBERS.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        let began = tables.header().start_nanos.load(Ordering::Relaxed);
        head.region.store(began, Ordering::Relaxed);
        head.publish();
        self.ring.store(place, Ordering::Relaxed);
        self.record(Traced::Began { ticks: clock::now() });
    }

    /// The thread ends: nothing is recorded any more.
    ///
    /// # Safety
    /// No code of this thread is inside an event, and none will be.
    pub(crate) unsafe fn close(&self) {
        self.record(Traced::Ended { ticks: clock::now() });
        let place = self.ring.swap(core::ptr::null_mut(), Ordering::Relaxed);
        if !place.is_null() {
            // SAFETY: `open` mapped so much there; the caller promises that nobody is inside.
            unsafe { kernel::unmap(place.cast(), RING_SIZE) };
        }
    }
}
