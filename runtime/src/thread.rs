//! A thread's membership: how it gets a slot, what it keeps in private, how it ends.
//!
//! The hot path needs only `Thread::slot` and `Thread::cache`. They are null whenever the path
//! must not be taken: not registered yet, inside the cold path, ended, or a clock or folding that
//! the hot path does not know.

use crate::environ::settings;
use crate::lock::Held;
use crate::patch::calls::Calls;
use crate::patch::count;
use crate::thread_local::{Block, Thread, thread};
use crate::view::{Slot, Tables};
use crate::{agent, calibration, clock, kernel, map, process, sigbus_handler, tree};
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use whyperf_layout::SlotState;
use whyperf_layout::geometry::{
    NODES_IN_SLOT, PAGE, SLOT_CAPACITY, SLOT_SIZE, STAMPS_IN_SLOT, node_offset,
};
use whyperf_layout::slot::pack;

/// The thread is in a cold path that is not reentrant.
pub(crate) const BUSY: u32 = 1;
/// The thread ended, or found no slot: it is not measured any more.
pub(crate) const ENDED: u32 = 2;
/// The private part is that of the forked parent: good for continuing what was open, no more.
pub(crate) const FORKED: u32 = 4;
/// The thread is a library's own.
pub(crate) const FOREIGN: u32 = 8;
/// Destructor rounds that were seen, counted in steps of this.
const ROUND: u32 = 1 << 8;
/// Rounds of destructors that POSIX promises.
const ROUNDS: u32 = 4;

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
    pub(crate) children: tree::Index,
    pub(crate) returns: tree::Returns,
    /// Nodes whose memory is populated.
    pub(crate) ready: AtomicUsize,
    fold: AtomicU32,
    direct: AtomicBool,
    /// Word of the last dropped event, and how often it was the same.
    pub(crate) interrupted_word: AtomicU64,
    pub(crate) interrupted_drops: AtomicU32,
    /// Node that was open when the thread forked.
    pub(crate) forked: AtomicU32,
}

impl Private {
    /// That of a thread without a slot yet.
    fn new(children: tree::Index) -> Self {
        Self {
            slot: AtomicPtr::new(core::ptr::null_mut()),
            tables: AtomicPtr::new(core::ptr::null_mut()),
            children,
            returns: tree::Returns::new(),
            ready: AtomicUsize::new(0),
            fold: AtomicU32::new(0),
            direct: AtomicBool::new(false),
            interrupted_word: AtomicU64::new(0),
            interrupted_drops: AtomicU32::new(0),
            forked: AtomicU32::new(0),
        }
    }

    /// Makes it that of a thread with an empty tree. A handler of the same thread may come back into an
    /// event of an earlier measurement, which then goes on in memory that is still there.
    fn begin(&self, slot: Slot, tables: Tables) {
        let settings = settings();
        let direct = settings.callpath_depth == 0 && clock::is_counter();
        self.children.clear();
        self.returns.clear();
        self.ready.store(PAGE / size_of::<whyperf_layout::Node>(), Ordering::Relaxed);
        self.fold.store(settings.callpath_depth, Ordering::Relaxed);
        self.direct.store(direct, Ordering::Relaxed);
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

    /// The thread's open calls of functions, behind this in the same mapping.
    pub(crate) fn calls(&self) -> &Calls {
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

/// The key whose destructor tells of a thread's end; 0 while there is none, else key + 1.
static KEY: AtomicU32 = AtomicU32::new(0);
/// Slots by number, to find one again that is released; of one whose thread ended, the head alone
/// is mapped.
static SLOTS: [AtomicPtr<u8>; SLOT_CAPACITY] =
    [const { AtomicPtr::new(core::ptr::null_mut()) }; SLOT_CAPACITY];
/// A bit for each slot that the daemon released.
static RELEASED: [AtomicU64; SLOT_CAPACITY / 64] =
    [const { AtomicU64::new(0) }; SLOT_CAPACITY / 64];

/// Threads whose slots wait for their first event, by slot; 0 where none does.
static AWAITED: [AtomicU32; SLOT_CAPACITY] = [const { AtomicU32::new(0) }; SLOT_CAPACITY];
/// Keys for which every thread has room of its own.
const CHEAP_KEYS: u32 = 32;

/// Constructor: takes the key, early, so that it is among those for which no memory is needed.
///
/// In a process that runs already others may have been earlier. Then the end of threads is seen by the
/// daemon alone: where memory is needed for a key, it would be asked for in the midst of a call.
pub(crate) fn prepare() {
    if KEY.load(Ordering::Relaxed) != 0 {
        return;
    }
    let mut key = 0;
    // SAFETY: the key is ours to write, the destructor has the right type.
    if unsafe { libc::pthread_key_create(&raw mut key, Some(ended)) } == 0 && key < CHEAP_KEYS {
        KEY.store(key + 1, Ordering::Relaxed);
    }
}

/// The calling thread's private part, registered now if it can be; `None` when events of this
/// moment cannot be recorded (and are counted).
pub(crate) fn private(block: &Block) -> Option<&Private> {
    let flags = block.flags.load(Ordering::Relaxed);
    let known = known(block);
    if flags & (BUSY | ENDED) != 0 {
        if let Some(private) = known {
            drop_event(private);
        }
        return None;
    }
    match known {
        Some(private) if flags & FORKED == 0 => {
            if process::is_present(private.tables()) {
                Some(private)
            } else {
                renew(block)
            }
        }
        known => register(block, known),
    }
}

/// The private part as it is.
fn known(block: &Block) -> Option<&Private> {
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

/// The thread was measured before, for somebody who is gone. Its memory is used again: this may be a
/// handler that interrupted an event of that time.
#[cold]
fn renew(block: &Block) -> Option<&Private> {
    block.slot.store(core::ptr::null_mut(), Ordering::Relaxed);
    block.guard_node.store(0, Ordering::Relaxed);
    register(block, None)
}

#[cold]
fn register<'a>(block: &'a Block, parents: Option<&Private>) -> Option<&'a Private> {
    let tables = process::make()?;
    lower(block, FORKED);
    raise(block, BUSY);
    let held = Held::take();
    let tag = parents.map_or(0, |parents| parents.calls().tag());
    let adopted = awaited();
    let slot = adopted.or_else(|| claim(tables, &held).inspect(|slot| prepare_slot(*slot)));
    let private = slot.and_then(|slot| furnish(block, slot, tables));
    let private = private.inspect(|private| {
        private.calls().inherit(tag);
        calibration::calibrate(private);
    });
    count::enlist(&held);
    drop(held);
    lower(block, BUSY);
    let Some(private) = private else {
        tables.header().losses.threads.fetch_add(1, Ordering::Relaxed);
        raise(block, ENDED);
        return None;
    };
    if adopted.is_none() {
        go_live(private.slot(), kernel::thread_id());
    }
    if let Some(parents) = parents {
        tree::reopen(private, parents);
    }
    open(block, private);
    watch_for_end(block);
    Some(private)
}

/// Lets the hot path be taken, where it can be.
pub(crate) fn open(block: &Block, private: &Private) {
    if private.direct() {
        block.slot.store(private.slot().base(), Ordering::Relaxed);
    }
}

/// Asks for the destructor to be called when this thread ends.
fn watch_for_end(block: &Block) {
    if let Some(key) = KEY.load(Ordering::Relaxed).checked_sub(1) {
        let value = core::ptr::from_ref::<Thread>(block).cast();
        // SAFETY: a key of ours; the value only has to differ from null.
        unsafe { libc::pthread_setspecific(key, value) };
    }
}

/// Destructor of the key. Other destructors of this round may still record, so it asks for another
/// round until there is none.
extern "C" fn ended(_: *mut c_void) {
    let block = thread();
    let flags = block.flags.load(Ordering::Relaxed) + ROUND;
    block.flags.store(flags, Ordering::Relaxed);
    if flags / ROUND < ROUNDS {
        watch_for_end(&block);
        return;
    }
    block.slot.store(core::ptr::null_mut(), Ordering::Relaxed);
    raise(&block, ENDED);
    count::strike();
    if !process::is_measured() {
        return;
    }
    let slot = known(&block).map(|private| {
        crate::slow::close_until(private, ROOT, clock::now());
        close_root(private);
        private.slot()
    });
    if let Some(slot) = slot {
        // SAFETY: nothing of this thread records from here on: the flag says so to its handlers.
        unsafe {
            release_memory(&block);
            finish(slot);
        }
    }
}

/// Closes the last segment.
fn close_root(private: &Private) {
    let head = private.slot().head();
    let now = clock::now();
    let slot = private.slot();
    let root = slot.node(ROOT);
    whyperf_layout::slot::begin(head, root, slot.stamp(ROOT), ROOT, now);
    head.end.store(now, Ordering::Relaxed);
}

/// Takes all of the slot but its head out of this process, and says that no event will follow. The
/// head stays for the next claim: from its mapping the whole slot is mapped again.
///
/// # Safety
/// The thread that had the slot records no more, and nobody else uses more of it than its head.
unsafe fn finish(slot: Slot) {
    sigbus_handler::shrink(slot.base());
    // SAFETY: the caller's promise; from here on a bus error in what is unmapped is not ours.
    unsafe { kernel::unmap(slot.base().wrapping_add(PAGE), SLOT_SIZE - PAGE) };
    slot.head().set_dead();
}

/// Gives the private memory back.
///
/// # Safety
/// Nothing on this thread's stack uses its private part any more, and no handler will.
unsafe fn release_memory(block: &Block) {
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

/// The daemon read slot `index` of that generation a last time.
pub(crate) fn release_slot(tables: Tables, index: usize, generation: u32) -> bool {
    let claimed = tables.header().slot_count.load(Ordering::Relaxed) as usize;
    let (Some(base), true) = (SLOTS.get(index), index < claimed) else { return false };
    let base = base.load(Ordering::Relaxed);
    if base.is_null() {
        return false;
    }
    // SAFETY: claimed, so its head is mapped and populated.
    let head = unsafe { Slot::at(base) }.head();
    if !head.is_dead() || head.generation.load(Ordering::Relaxed) != generation {
        return false;
    }
    if let Some(word) = RELEASED.get(index / 64) {
        word.fetch_or(1 << (index % 64), Ordering::Relaxed);
    }
    true
}

/// A slot for a new thread: one that was released, else the next one.
fn claim(tables: Tables, held: &Held) -> Option<Slot> {
    // Most programs have no agent: what the daemon released meanwhile is known from here on.
    agent::carry_out_all(tables, held);
    let header = tables.header();
    for (at, word) in RELEASED.iter().enumerate() {
        let bits = word.load(Ordering::Relaxed);
        if bits != 0 {
            let bit = bits.trailing_zeros() as usize;
            let slot = claim_again(SLOTS.get(at * 64 + bit)?)?;
            word.fetch_and(!(1 << bit), Ordering::Relaxed);
            return Some(slot);
        }
    }
    let count = header.slot_count.load(Ordering::Relaxed) as usize;
    if count >= header.slot_capacity.load(Ordering::Relaxed) as usize {
        return None;
    }
    let slot = map::map_slot(count, held)?;
    // SAFETY: the pages of a slot that no thread had yet.
    let is_there =
        unsafe { map::populate(slot.base(), 2 * PAGE) && map::populate(first_nodes(slot), PAGE) };
    if !is_there {
        return None;
    }
    SLOTS.get(count)?.store(slot.base(), Ordering::Relaxed);
    // Publishes nothing by itself: readers skip a slot whose life is 0.
    header.slot_count.store(count as u32 + 1, Ordering::Relaxed);
    Some(slot)
}

/// Maps a slot again of which only the head was left.
fn claim_again(place: &AtomicPtr<u8>) -> Option<Slot> {
    let head = place.load(Ordering::Relaxed);
    // SAFETY: the head is a page of the region's file, and slots consist of atomics.
    let base = unsafe { kernel::map_again(head, SLOT_SIZE) }?;
    place.store(base, Ordering::Relaxed);
    // SAFETY: mapped in full size, and left in place while a thread has it. Whoever finds the slot by its
    // number finds it there from now on; the lock keeps them from being in between.
    Some(unsafe {
        map::moved(head, base);
        kernel::unmap(head, PAGE);
        Slot::at(base)
    })
}

fn first_nodes(slot: Slot) -> *mut u8 {
    slot.base().wrapping_add(NODES_IN_SLOT)
}

/// Private memory of a thread: the cache, then [`Private`], then its [`Calls`].
const PRIVATE_SIZE: usize = CALLS_AT + size_of::<Calls>();
/// Where in it the calls begin.
pub(crate) const CALLS_AT: usize = CACHE * size_of::<u32>() + PAGE;
const _: () = assert!(size_of::<Private>() <= PAGE);
const _: () = assert!(STAMPS_IN_SLOT == PAGE);

/// Gives the thread private memory for its life in this slot: what it has, or new.
fn furnish(block: &Block, slot: Slot, tables: Tables) -> Option<&Private> {
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
    let Some(children) = tree::Index::new() else {
        // SAFETY: mapped just now, and known to nobody.
        unsafe { kernel::unmap(memory, PRIVATE_SIZE) };
        return None;
    };
    // SAFETY: fresh memory of ours, large enough and known to nobody yet.
    unsafe { place.write(Private::new(children)) };
    block.cache.store(memory.cast(), Ordering::Relaxed);
    block.private.store(place.cast(), Ordering::Relaxed);
    Some(place)
}

/// Makes the slot that of a new thread: an empty tree of root and "other".
fn prepare_slot(slot: Slot) {
    let head = slot.head();
    head.state.store(SlotState::Free as u32, Ordering::Relaxed);
    for counter in [&head.dropped, &head.overflowed, &head.anomalies, &head.end] {
        counter.store(0, Ordering::Relaxed);
    }
    head.nodes.store(0, Ordering::Relaxed);
    for offset in [node_offset(0), ROOT, OTHER] {
        tree::clear(slot, offset);
    }
    slot.node(OTHER).parent.store(ROOT, Ordering::Relaxed);
    head.nodes.store(3, Ordering::Relaxed);
}

/// Starts the thread's time at the root.
pub(crate) fn start_time(slot: Slot) {
    let head = slot.head();
    let now = clock::now();
    head.start.store(now, Ordering::Relaxed);
    head.last.store(now, Ordering::Relaxed);
    head.word.store(pack(ROOT, now), Ordering::Relaxed);
}

/// Lets the reader look from here on.
fn go_live(slot: Slot, thread: u32) {
    start_time(slot);
    slot.head().go_live(thread);
}

/// Another region follows: its slots are new.
pub(crate) fn begin_again() {
    RELEASED.iter().for_each(|word| word.store(0, Ordering::Relaxed));
    AWAITED.iter().for_each(|thread| thread.store(0, Ordering::Relaxed));
}

/// Gives slots to threads that run already. Their time counts to the root until each finds its slot at
/// its first event.
pub(crate) fn adopt(tables: Tables, threads: &[u32]) {
    let held = Held::take();
    for thread in threads {
        if has_slot(*thread) {
            continue;
        }
        let Some(slot) = claim(tables, &held) else {
            tables.header().losses.threads.fetch_add(1, Ordering::Relaxed);
            continue;
        };
        prepare_slot(slot);
        calibrate_apart(slot, tables);
        let number = SLOTS.iter().position(|base| base.load(Ordering::Relaxed) == slot.base());
        if let Some(place) = number.and_then(|number| AWAITED.get(number)) {
            place.store(*thread, Ordering::Relaxed);
        }
        go_live(slot, *thread);
    }
    drop(held);
}

/// Stores in the slot of another thread what events cost, with memory that this thread has for that
/// alone: it may be one that was in the midst of an event when it was taken for this.
fn calibrate_apart(slot: Slot, tables: Tables) {
    let block = thread();
    let private = block.private.swap(core::ptr::null_mut(), Ordering::Relaxed);
    let cache = block.cache.swap(core::ptr::null_mut(), Ordering::Relaxed);
    if let Some(apart) = furnish(&block, slot, tables) {
        calibration::calibrate(apart);
        // SAFETY: made just now, for this alone; signals are blocked.
        unsafe { release_memory(&block) };
    }
    block.cache.store(cache, Ordering::Relaxed);
    block.private.store(private, Ordering::Relaxed);
}

/// Whether a thread has registered by itself meanwhile. Slots of an earlier measurement are zeros.
fn has_slot(thread: u32) -> bool {
    let bases = SLOTS.iter().map(|base| base.load(Ordering::Relaxed));
    let mut slots = bases.take_while(|base| !base.is_null());
    slots.any(|base| {
        // SAFETY: claimed once, so its head is still mapped, possibly with zeros only.
        let head = unsafe { Slot::at(base) }.head();
        head.tid.load(Ordering::Relaxed) == thread && !head.is_dead()
    })
}

/// The slot that was given to the calling thread before it had an event.
fn awaited() -> Option<Slot> {
    let thread = kernel::thread_id();
    let number = AWAITED.iter().position(|place| place.load(Ordering::Relaxed) == thread)?;
    AWAITED.get(number)?.store(0, Ordering::Relaxed);
    // SAFETY: claimed for this thread, so it is mapped and populated.
    Some(unsafe { Slot::at(SLOTS.get(number)?.load(Ordering::Relaxed)) })
}

/// Notes what is open, before the thread forks.
pub(crate) fn before_fork() {
    let block = thread();
    if let Some(private) = known(&block) {
        let word = private.slot().head().word.load(Ordering::Relaxed);
        private.forked.store(whyperf_layout::slot::node_of(word), Ordering::Relaxed);
    }
}

/// In a forked child: forgets the slot, which is the parent's.
pub(crate) fn after_fork() {
    begin_again();
    let block = thread();
    block.slot.store(core::ptr::null_mut(), Ordering::Relaxed);
    block.cache.store(core::ptr::null_mut(), Ordering::Relaxed);
    block.flags.store(FORKED, Ordering::Relaxed);
    block.guard_stack.store(0, Ordering::Relaxed);
    block.guard_node.store(0, Ordering::Relaxed);
}
