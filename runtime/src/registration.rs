//! The registration of a thread: how it gets a slot, and how that ends.

use crate::environ::options;
use crate::functions::counts;
use crate::lock::Held;
use crate::once_pointer::OncePointer;
use crate::thread::{
    BUSY, ENDED, FORKED, OTHER, Private, ROOT, drop_event, furnish, known, lower, open, raise,
    release_memory, start_time,
};
use crate::thread_local::{Block, Thread, thread};
use crate::view::{Slot, Tables};
use crate::{
    clock, closing, creation, kernel, map, measurement, peers, sigbus_handler, tree, turns,
};
use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use whyperf_layout::geometry::{
    NODES_IN_SLOT, PAGE, SLOT_CAPACITY, SLOT_SIZE, STAMPS_IN_SLOT, node_offset,
};
use whyperf_layout::{Head, SlotState};

const _: () = assert!(STAMPS_IN_SLOT == PAGE);

/// What registering a thread asks of the layers above.
#[derive(Debug)]
pub(crate) struct Upcalls {
    /// Carries out what the daemon asked for, slots that it released among it, where no agent does.
    pub(crate) carry_out: fn(Tables, &Held),
    /// Stores in a slot what events cost; measures that first if no thread has.
    pub(crate) calibrate: fn(&Private),
    /// The calling thread is about to end.
    pub(crate) end: fn(&Held),
}

static UPCALLS: OncePointer<Upcalls> = OncePointer::null();

/// Called when the library is loaded, before a thread can register.
pub(crate) fn set_upcalls(upcalls: &'static Upcalls) {
    UPCALLS.set(upcalls);
}

/// Calls of the destructor that were seen, counted in steps of this.
const PASS: u32 = 1 << 8;
/// So often POSIX promises to call destructors again.
const PASSES: u32 = 4;

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
            if measurement::is_present(private.tables()) {
                Some(private)
            } else {
                renew(block)
            }
        }
        _ => register(block),
    }
}

/// The thread was measured before, for a daemon that is gone. Its memory is used again: this may be a
/// handler that interrupted an event of that time.
#[cold]
fn renew(block: &Block) -> Option<&Private> {
    block.slot.store(core::ptr::null_mut(), Ordering::Relaxed);
    block.guard_node.store(0, Ordering::Relaxed);
    register(block)
}

#[cold]
fn register(block: &Block) -> Option<&Private> {
    let tables = creation::make()?;
    let flags = block.flags.fetch_or(BUSY, Ordering::Relaxed);
    let before = known(block);
    let parents = before.filter(|_| flags & FORKED != 0);
    // A handler may have registered the thread since its flags were looked at.
    if parents.is_none()
        && let Some(private) = before.filter(|known| measurement::is_present(known.tables()))
    {
        lower(block, BUSY);
        return Some(private);
    }
    lower(block, FORKED);
    let held = Held::take();
    let tag = parents.map_or(0, |parents| parents.calls().tag());
    let adopted = awaited();
    let slot = adopted.or_else(|| claim(tables, &held).inspect(|slot| prepare_slot(*slot)));
    let private = slot.and_then(|slot| furnish(block, slot, tables));
    let private = private.inspect(|private| {
        private.calls().inherit(tag);
        private.ring.open(tables, &held);
        turns::prepare(&held);
        if let Some(upcalls) = UPCALLS.get() {
            (upcalls.calibrate)(private);
        }
    });
    counts::enlist(&held);
    drop(held);
    let Some(private) = private else {
        tables.header().losses.threads.fetch_add(1, Ordering::Relaxed);
        raise(block, ENDED);
        lower(block, BUSY);
        return None;
    };
    if adopted.is_none() {
        go_live(private.slot(), kernel::thread_id());
    }
    // Not before: a handler would find a slot in which no node is current, as in a damaged one.
    lower(block, BUSY);
    if let Some(parents) = parents {
        tree::reopen(private, parents);
    }
    open(block, private);
    if options().serial {
        private.turn.take(&private.ring);
    }
    watch_for_end(block);
    Some(private)
}

/// Asks for the destructor to be called when this thread ends.
fn watch_for_end(block: &Block) {
    if let Some(key) = KEY.load(Ordering::Relaxed).checked_sub(1) {
        let value = core::ptr::from_ref::<Thread>(block).cast();
        // SAFETY: a key of ours; the value only has to differ from null.
        unsafe { libc::pthread_setspecific(key, value) };
    }
}

/// Destructor of the key. Other destructors may still record, so it asks to be called again
/// until there are none.
extern "C" fn ended(_: *mut c_void) {
    let block = thread();
    let flags = block.flags.load(Ordering::Relaxed) + PASS;
    block.flags.store(flags, Ordering::Relaxed);
    if flags / PASS < PASSES {
        watch_for_end(&block);
        return;
    }
    block.slot.store(core::ptr::null_mut(), Ordering::Relaxed);
    raise(&block, ENDED);
    counts::strike();
    if !measurement::is_measured() {
        return;
    }
    if let Some(upcalls) = UPCALLS.get() {
        (upcalls.end)(&Held::take());
    }
    let slot = known(&block).map(|private| {
        closing::close_until(private, ROOT, clock::now());
        close_root(private);
        private.slot()
    });
    if let Some(private) = known(&block) {
        private.turn.give(&private.ring);
        // SAFETY: nothing of this thread records from here on: the flag says so to its handlers.
        unsafe { private.ring.close() };
    }
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
/// The thread that had the slot records no more, and no other thread uses more of it than its head.
unsafe fn finish(slot: Slot) {
    sigbus_handler::shrink(slot.base());
    // SAFETY: the caller's promise; from here on a bus error in what is unmapped is not ours.
    unsafe { kernel::unmap(slot.base().wrapping_add(PAGE), SLOT_SIZE - PAGE) };
    slot.head().set_dead();
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
    let header = tables.header();
    // Most programs have no agent: what the daemon released meanwhile is known from here on. Where
    // there is one, the commands may change code, for which a thread's own stack can be too small.
    if header.agent.load(Ordering::Relaxed) == 0
        && let Some(upcalls) = UPCALLS.get()
    {
        (upcalls.carry_out)(tables, held);
    }
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

/// Makes the slot that of a new thread: an empty tree of root and "other".
fn prepare_slot(slot: Slot) {
    let head = slot.head();
    head.state.store(SlotState::Free as u32, Ordering::Relaxed);
    let Head { dropped, overflowed, anomalies, end, call_ticks, measured_calls, .. } = head;
    for counter in [dropped, overflowed, anomalies, end, call_ticks, measured_calls] {
        counter.store(0, Ordering::Relaxed);
    }
    head.nodes.store(0, Ordering::Relaxed);
    peers::clear(slot);
    for offset in [node_offset(0), ROOT, OTHER] {
        tree::clear(slot, offset);
    }
    slot.node(OTHER).parent.store(ROOT, Ordering::Relaxed);
    head.nodes.store(3, Ordering::Relaxed);
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
    if let Some(upcalls) = UPCALLS.get()
        && let Some(apart) = furnish(&block, slot, tables)
    {
        (upcalls.calibrate)(apart);
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

/// Notes what is open, before the thread forks.
pub(crate) fn before_fork() {
    let block = thread();
    if let Some(private) = known(&block) {
        let word = private.slot().head().word.load(Ordering::Relaxed);
        private.forked.store(whyperf_layout::slot::node_of(word), Ordering::Relaxed);
    }
}
