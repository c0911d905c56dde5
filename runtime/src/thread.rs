//! A thread's private part: what its cold path keeps for itself.
//!
//! The hot path needs only `Thread::slot` and `Thread::cache`. They are null whenever the path
//! must not be taken: not registered yet, inside the cold path, ended, or a clock or folding that
//! the hot path does not know.

use crate::environ::{options, settings};
use crate::functions::call_list::CallList;
use crate::node_index::NodeIndex;
use crate::returns::Returns;
use crate::ring::Ring;
use crate::thread_local::{Block, thread};
use crate::turns::Turn;
use crate::view::{Slot, Tables};
use crate::{clock, kernel};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use whyperf_layout::geometry::{PAGE, node_offset};
use whyperf_layout::slot::pack;

/// The thread is in a cold path that is not reentrant.
pub(crate) const BUSY: u32 = 1;
/// The thread ended, or found no slot: it is not measured any more.
pub(crate) const ENDED: u32 = 2;
/// The private part is that of the forked parent: good for continuing what was open, no more.
pub(crate) const FORKED: u32 = 4;
/// The thread is a library's own.
pub(crate) const FOREIGN: u32 = 8;
/// With one of these an event is not done on a quick way.
pub(crate) const UNUSABLE: u32 = BUSY | ENDED | FORKED | FOREIGN;
/// Entries of the cache of children.
pub(crate) const CACHE: usize = 4096;
/// Offset of the root.
pub(crate) const ROOT: u32 = node_offset(1);
/// Offset of "other".
pub(crate) const OTHER: u32 = node_offset(2);

/// What a thread's cold path keeps for itself, and the handlers that interrupt it find: each word is
/// an atomic, and all go through shared references.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Private {
    slot: AtomicPtr<u8>,
    tables: AtomicPtr<u8>,
    pub(crate) children: NodeIndex,
    pub(crate) returns: Returns,
    /// Nodes whose memory is populated.
    pub(crate) ready: AtomicUsize,
    fold: AtomicU32,
    direct: AtomicBool,
    /// Traced, and otherwise as the hot path knows it.
    quick: AtomicBool,
    /// Where its events go, if it is traced.
    pub(crate) ring: Ring,
    /// Its turn to compute, where threads take turns.
    pub(crate) turn: Turn,
    /// Word of the last dropped event, and how often it was the same.
    pub(crate) interrupted_word: AtomicU64,
    pub(crate) interrupted_drops: AtomicU32,
    /// Node that was open when the thread forked.
    pub(crate) forked: AtomicU32,
}

impl Private {
    /// That of a thread without a slot yet.
    fn new(children: NodeIndex) -> Self {
        Self {
            slot: AtomicPtr::new(core::ptr::null_mut()),
            tables: AtomicPtr::new(core::ptr::null_mut()),
            children,
            returns: Returns::new(),
            ready: AtomicUsize::new(0),
            fold: AtomicU32::new(0),
            direct: AtomicBool::new(false),
            quick: AtomicBool::new(false),
            ring: Ring::none(),
            turn: Turn::none(),
            interrupted_word: AtomicU64::new(0),
            interrupted_drops: AtomicU32::new(0),
            forked: AtomicU32::new(0),
        }
    }

    /// Makes it that of a thread with an empty tree. A handler of the same thread may come back into an
    /// event of an earlier measurement, which then goes on in memory that is still there.
    fn begin(&self, slot: Slot, tables: Tables) {
        let settings = settings();
        let quick = settings.callpath_depth == 0 && clock::is_counter();
        let traces = options().traces;
        self.children.clear();
        self.returns.clear();
        self.ready.store(PAGE / size_of::<whyperf_layout::Node>(), Ordering::Relaxed);
        self.fold.store(settings.callpath_depth, Ordering::Relaxed);
        self.direct.store(quick && !traces, Ordering::Relaxed);
        self.quick.store(quick && traces, Ordering::Relaxed);
        self.ring.clear();
        self.turn.clear();
        self.interrupted_drops.store(0, Ordering::Relaxed);
        self.forked.store(0, Ordering::Relaxed);
        self.slot.store(slot.base(), Ordering::Relaxed);
        self.tables.store(tables.base(), Ordering::Relaxed);
        self.calls().prepare();
    }

    /// The slot, also while `Thread::slot` is null.
    pub(crate) fn slot(&self) -> Slot {
        // SAFETY: `begin` stored a slot, which stays mapped until the thread ends.
        unsafe { Slot::at(self.slot.load(Ordering::Relaxed)) }
    }

    /// The tables of the measurement that the slot belongs to.
    pub(crate) fn tables(&self) -> Tables {
        // SAFETY: `begin` stored tables, which are never unmapped.
        unsafe { Tables::at(self.tables.load(Ordering::Relaxed)) }
    }

    /// Regions of a path that are kept, 0 for all.
    pub(crate) fn fold(&self) -> u32 {
        self.fold.load(Ordering::Relaxed)
    }

    /// Whether the hot path may be taken.
    pub(crate) fn direct(&self) -> bool {
        self.direct.load(Ordering::Relaxed)
    }

    /// Whether its events are done as on the hot path, and recorded.
    #[inline(always)]
    pub(crate) fn is_quick(&self) -> bool {
        self.quick.load(Ordering::Relaxed)
    }

    /// Whether the cache of children is used.
    pub(crate) fn caches(&self) -> bool {
        self.direct() || self.is_quick()
    }

    /// The thread's open calls of functions, behind this in the same mapping.
    pub(crate) fn calls(&self) -> &CallList {
        let distance = CALLS_AT - CACHE * size_of::<u32>();
        let place = core::ptr::from_ref(self).cast::<u8>().wrapping_add(distance);
        // SAFETY: `furnish` put both into one mapping, which stays until the thread ends; at first it
        // was zeros, which are a list. All of it are atomics.
        unsafe { &*place.cast() }
    }
}

/// Sets flags of the thread. A handler in between leaves them as it found them.
pub(crate) fn raise(block: &Block, flags: u32) {
    block.flags.store(block.flags.load(Ordering::Relaxed) | flags, Ordering::Relaxed);
}

/// Takes flags of the thread away.
pub(crate) fn lower(block: &Block, flags: u32) {
    block.flags.store(block.flags.load(Ordering::Relaxed) & !flags, Ordering::Relaxed);
}

/// The private part as it is.
pub(crate) fn known(block: &Block) -> Option<&Private> {
    let place = block.private.load(Ordering::Relaxed).cast::<Private>();
    // SAFETY: null, or what `furnish` made, which stays until the thread ends.
    unsafe { place.as_ref() }
}

/// Whether the calling thread has, or inherits, open visits.
pub(crate) fn is_registered() -> bool {
    !thread().private.load(Ordering::Relaxed).is_null()
}

/// Counts an event that cannot be recorded because it interrupted another one.
pub(crate) fn drop_event(private: &Private) {
    let dropped = &private.slot().head().dropped;
    dropped.store(dropped.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}

/// Lets the hot path be taken, where it can be.
pub(crate) fn open(block: &Block, private: &Private) {
    if private.direct() {
        block.slot.store(private.slot().base(), Ordering::Relaxed);
    }
}

/// Starts the thread's time at the root.
pub(crate) fn start_time(slot: Slot) {
    let head = slot.head();
    let now = clock::now();
    head.start.store(now, Ordering::Relaxed);
    head.last.store(now, Ordering::Relaxed);
    head.word.store(pack(ROOT, now), Ordering::Relaxed);
}

/// Gives the private memory back.
///
/// # Safety
/// Nothing on this thread's stack uses its private part any more, and no handler will.
pub(crate) unsafe fn release_memory(block: &Block) {
    if let Some(private) = known(block) {
        // SAFETY: the caller's promise.
        unsafe {
            private.children.release();
            private.returns.release();
        }
    }
    block.private.store(core::ptr::null_mut(), Ordering::Relaxed);
    let cache = block.cache.swap(core::ptr::null_mut(), Ordering::Relaxed);
    // SAFETY: `furnish` made it in this size; the block refers to it no more, and so the caller
    // promises of all others.
    unsafe { kernel::unmap(cache.cast(), PRIVATE_SIZE) };
}

/// Private memory of a thread: the cache, then [`Private`], then its [`CallList`].
const PRIVATE_SIZE: usize = CALLS_AT + size_of::<CallList>();
/// Where in it the calls begin.
pub(crate) const CALLS_AT: usize = CACHE * size_of::<u32>() + PAGE;
const _: () = assert!(size_of::<Private>() <= PAGE);

/// Gives the thread private memory for its life in this slot: what it has, or new.
pub(crate) fn furnish(block: &Block, slot: Slot, tables: Tables) -> Option<&Private> {
    let cache = block.cache.load(Ordering::Relaxed);
    let place = if cache.is_null() {
        make_memory(block)?
    } else {
        for at in 0..CACHE {
            // SAFETY: below the number of entries of the cache that `make_memory` made.
            unsafe { &*cache.add(at) }.store(0, Ordering::Relaxed);
        }
        block.private.load(Ordering::Relaxed).cast()
    };
    // SAFETY: `make_memory` put it there, whole; it stays until the thread ends.
    let private = unsafe { &*place };
    private.begin(slot, tables);
    Some(private)
}

#[cold]
fn make_memory(block: &Block) -> Option<*mut Private> {
    let memory = kernel::private_memory(PRIVATE_SIZE)?;
    let place = memory.wrapping_add(CACHE * size_of::<u32>()).cast::<Private>();
    let Some(children) = NodeIndex::new() else {
        // SAFETY: mapped just now; no other code has its address.
        unsafe { kernel::unmap(memory, PRIVATE_SIZE) };
        return None;
    };
    // SAFETY: fresh memory of ours, large enough; no other code has its address yet.
    unsafe { place.write(Private::new(children)) };
    block.cache.store(memory.cast(), Ordering::Relaxed);
    block.private.store(place.cast(), Ordering::Relaxed);
    Some(place)
}

/// The list of the thread with this block, null when it has none.
#[inline(always)]
pub(crate) fn calls_of(block: &Block) -> *const CallList {
    let cache = block.cache.load(Ordering::Relaxed).cast::<u8>();
    cache.wrapping_add(CALLS_AT).cast()
}
