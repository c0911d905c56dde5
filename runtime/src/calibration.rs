//! Measures the cost of an event pair, once per run and machine, so that the daemon can subtract it.
//!
//! With segments, empty pairs give two numbers: the time charged to the inner node (inside) and the time charged to the
//! outer one (outside). That is the most a pair can cost: an out-of-order processor does a part of it beside work that
//! waits for its own results. What remains beside such work is measured, too, and is the least that a pair can cost.

use crate::event_costs::{
    self, FUNCTION_HIDDEN, FUNCTION_INSIDE, FUNCTION_OUTSIDE, HIDDEN, INSIDE, OUTSIDE, pair,
};
use crate::functions::pool::{CHAINED, SCRATCH as SCRATCH_SLOT};
use crate::machine_facts::MachineFacts;
use crate::node_index::Key;
use crate::object::ObjectId;
use crate::patch::slot_code;
use crate::region::{RESERVED, Region};
use crate::thread::{self, Private, ROOT};
use crate::thread_local::thread;
use crate::{child_cache, clock, event, switch, tree};
use core::hint::black_box;
use core::sync::atomic::Ordering;
use whyperf_layout::Moved;
use whyperf_layout::geometry::node_offset;

/// Stores the costs in the slot, which no reader looks at yet; signals are blocked.
pub(crate) fn calibrate(private: &Private) {
    if !event_costs::are_known() {
        slot_code::prepare();
        measure(private);
        if private.direct() {
            let facts =
                MachineFacts { has_counter: clock::is_counter(), costs: event_costs::all() };
            // SAFETY: threads register under the lock.
            unsafe { facts.leave() };
        }
    }
    event_costs::store(private.slot());
}

/// Runs empty pairs on a node that is taken away again before the slot goes live. Of several
/// repetitions the cheapest counts: what makes one dearer is not the events' doing.
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
        number = black_box(slot_code::chained)(number);
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
    for _ in 0..REPETITIONS {
        let began = clock::now();
        for _ in 0..PAIRS {
            number = black_box(slot_code::chained)(number);
        }
        alone = alone.min(clock::now().wrapping_sub(began));
        let (inside, outside) = events(private, pair);
        together = together.min(inside.wrapping_add(outside));
    }
    let added = together.saturating_sub(alone) << 8;
    (added / PAIRS).clamp(most / LEAST_PART, most) as u32
}

/// What a pair costs inside and outside in the cheapest of several repetitions, in 1/256 ticks.
fn cheapest(private: &Private, pair: &mut impl FnMut()) -> (u32, u32) {
    let mut best = (u64::MAX, u64::MAX);
    for _ in 0..REPETITIONS {
        let (inside, outside) =
            if private.direct() { events(private, pair) } else { clock_reads() };
        best = (best.0.min(inside), best.1.min(outside));
    }
    let share = |ticks: u64| ((ticks << 8) / PAIRS) as u32;
    (share(best.0), share(best.1))
}

/// Calls the empty function of the scratch slot.
fn call_scratch() {
    let slot = slot_code::address(SCRATCH_SLOT) as *const ();
    // SAFETY: the slot calls an empty function and leaves every register as it is.
    let function = unsafe { core::mem::transmute::<*const (), extern "C" fn()>(slot) };
    black_box(function)();
}

/// The same around the chained one.
fn call_chained(number: f64) -> f64 {
    let slot = slot_code::address(CHAINED) as *const ();
    // SAFETY: the slot calls a function of this type and leaves every register as it would.
    let function = unsafe { core::mem::transmute::<*const (), extern "C" fn(f64) -> f64>(slot) };
    black_box(function)(number)
}

/// Repetitions of which the cheapest counts.
const REPETITIONS: u32 = 12;
/// Pairs of one repetition.
const PAIRS: u64 = 128;
/// No work hides more of a pair than all but this part of it.
const LEAST_PART: u64 = 16;
/// The number that no region of the program gets.
static SCRATCH: Region = Region::reserved();

/// One repetition of real events, called as the exported functions are.
fn events(private: &Private, pair: &mut impl FnMut()) -> (u64, u64) {
    let block = thread();
    let slot = private.slot();
    let node = node_offset(3);
    let key = Key::new(SCRATCH.id(), 0, 0);
    tree::scratch(slot, node, key);
    child_cache::remember(key, ROOT, node);
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
    child_cache::remember(key, ROOT, 0);
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
