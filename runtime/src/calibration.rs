//! What an event pair costs, measured once per process, so that the daemon can take it off again.
//!
//! With segments two numbers fall out of empty pairs: the time charged to the inner node (inside)
//! and the time charged to the outer one (outside). That is the most a pair can cost: a processor that
//! executes out of order does a part of it beside work that waits for itself. What remains then is
//! measured around such work, and is the least.

use crate::object::ObjectId;
use crate::patch::pool;
use crate::region::{RESERVED, Region};
use crate::thread::{self, Private, ROOT};
use crate::thread_local::thread;
use crate::tree::{self, Key};
use crate::{clock, event, slow, switch};
use core::hint::black_box;
use core::sync::atomic::{AtomicU32, Ordering};
use whyperf_layout::Moved;
use whyperf_layout::geometry::node_offset;

static INSIDE: AtomicU32 = AtomicU32::new(0);
static OUTSIDE: AtomicU32 = AtomicU32::new(0);
/// The same of a call through a slot.
static FUNCTION_INSIDE: AtomicU32 = AtomicU32::new(0);
static FUNCTION_OUTSIDE: AtomicU32 = AtomicU32::new(0);

/// Both parts of each, around work that hides what it can.
static HIDDEN: AtomicU32 = AtomicU32::new(0);
static FUNCTION_HIDDEN: AtomicU32 = AtomicU32::new(0);

/// Cost of a pair in 1/256 ticks.
pub(crate) fn pair() -> u64 {
    u64::from(INSIDE.load(Ordering::Relaxed)) + u64::from(OUTSIDE.load(Ordering::Relaxed))
}

/// Stores the costs in the slot, which no reader looks at yet; signals are blocked.
pub(crate) fn calibrate(private: &Private) {
    if INSIDE.load(Ordering::Relaxed) == 0 {
        measure(private);
    }
    let head = private.slot().head();
    head.inside.store(INSIDE.load(Ordering::Relaxed), Ordering::Relaxed);
    head.outside.store(OUTSIDE.load(Ordering::Relaxed), Ordering::Relaxed);
    head.function_inside.store(FUNCTION_INSIDE.load(Ordering::Relaxed), Ordering::Relaxed);
    head.function_outside.store(FUNCTION_OUTSIDE.load(Ordering::Relaxed), Ordering::Relaxed);
    head.hidden.store(HIDDEN.load(Ordering::Relaxed), Ordering::Relaxed);
    head.function_hidden.store(FUNCTION_HIDDEN.load(Ordering::Relaxed), Ordering::Relaxed);
}

/// Runs empty pairs on a node that is taken away again before the slot goes live. Of several
/// rounds the cheapest counts: what makes a round dearer is not the events' doing.
fn measure(private: &Private) {
    let mut begin_and_end = || {
        black_box(begin)(&SCRATCH);
        black_box(end)(&SCRATCH);
    };
    let (inside, outside) = cheapest(private, &mut begin_and_end);
    OUTSIDE.store(outside, Ordering::Relaxed);
    INSIDE.store(inside.max(1), Ordering::Relaxed);
    let (inside, outside) = cheapest(private, &mut call_scratch);
    FUNCTION_OUTSIDE.store(outside, Ordering::Relaxed);
    FUNCTION_INSIDE.store(inside, Ordering::Relaxed);
    let mut number = 1.0;
    let mut around = || {
        black_box(begin)(&SCRATCH);
        number = black_box(pool::chained)(number);
        black_box(end)(&SCRATCH);
    };
    let least = hidden(private, &mut around, pair());
    HIDDEN.store(least, Ordering::Relaxed);
    let most = FUNCTION_INSIDE.load(Ordering::Relaxed) + FUNCTION_OUTSIDE.load(Ordering::Relaxed);
    let least = hidden(private, &mut || number = call_chained(number), u64::from(most));
    FUNCTION_HIDDEN.store(least, Ordering::Relaxed);
}

/// What a pair adds to work that hides as much of it as it can, at most `most`, in 1/256 ticks.
fn hidden(private: &Private, pair: &mut impl FnMut(), most: u64) -> u32 {
    if !private.direct() {
        return most as u32;
    }
    let (mut alone, mut together) = (u64::MAX, u64::MAX);
    let mut number = 1.0;
    for _ in 0..ROUNDS {
        let began = clock::now();
        for _ in 0..PAIRS {
            number = black_box(pool::chained)(number);
        }
        alone = alone.min(clock::now().wrapping_sub(began));
        let (inside, outside) = events(private, pair);
        together = together.min(inside.wrapping_add(outside));
    }
    let added = together.saturating_sub(alone) << 8;
    (added / PAIRS).clamp(most / LEAST_PART, most) as u32
}

/// What a pair costs inside and outside in the cheapest of several rounds, in 1/256 ticks.
fn cheapest(private: &Private, pair: &mut impl FnMut()) -> (u32, u32) {
    let mut best = (u64::MAX, u64::MAX);
    for _ in 0..ROUNDS {
        let (inside, outside) =
            if private.direct() { events(private, pair) } else { clock_reads() };
        best = (best.0.min(inside), best.1.min(outside));
    }
    let share = |ticks: u64| ((ticks << 8) / PAIRS) as u32;
    (share(best.0), share(best.1))
}

/// Calls the empty function of the scratch slot.
fn call_scratch() {
    let slot = pool::address(pool::SCRATCH) as *const ();
    // SAFETY: the slot calls an empty function and leaves every register as it is.
    let function = unsafe { core::mem::transmute::<*const (), extern "C" fn()>(slot) };
    black_box(function)();
}

/// The same around the chained one.
fn call_chained(number: f64) -> f64 {
    let slot = pool::address(pool::CHAINED) as *const ();
    // SAFETY: the slot calls a function of this type and leaves every register as it would.
    let function = unsafe { core::mem::transmute::<*const (), extern "C" fn(f64) -> f64>(slot) };
    black_box(function)(number)
}

/// Rounds of which the cheapest counts.
const ROUNDS: u32 = 12;
/// Pairs of one round.
const PAIRS: u64 = 128;
/// No work hides more of a pair than all but this part of it.
const LEAST_PART: u64 = 16;
/// The number that no region of the program gets.
static SCRATCH: Region = Region::reserved();

/// One round of real events, called as the exported functions are.
fn events(private: &Private, pair: &mut impl FnMut()) -> (u64, u64) {
    let block = thread();
    let slot = private.slot();
    let node = node_offset(3);
    let key = Key::new(SCRATCH.id(), 0, 0);
    tree::scratch(slot, node, key);
    slow::remember(key, ROOT, node);
    private.calls().remember_callee(ROOT, SCRATCH.id(), node);
    thread::start_time(slot);
    switch::set(RESERVED, true);
    thread::open(&block, private);
    for _ in 0..PAIRS {
        pair();
    }
    block.slot.store(core::ptr::null_mut(), Ordering::Relaxed);
    switch::set(RESERVED, false);
    let inside = slot.node(node).exclusive.load(Ordering::Relaxed);
    let outside = slot.node(ROOT).exclusive.load(Ordering::Relaxed);
    tree::clear(slot, node);
    tree::clear(slot, ROOT);
    slow::remember(key, ROOT, 0);
    private.calls().forget_callee(ROOT, SCRATCH.id());
    (inside, outside)
}

#[inline(never)]
extern "C" fn begin(region: &Region) {
    event::begin(region, 0, ObjectId::NONE);
}

#[inline(never)]
extern "C" fn end(region: &Region) {
    event::end(region, Moved::default());
}

/// Where events take the cold path, at least what the clock takes.
fn clock_reads() -> (u64, u64) {
    let began = clock::now();
    for _ in 0..PAIRS {
        black_box(clock::now());
    }
    let all = clock::now().wrapping_sub(began);
    (all, all)
}
