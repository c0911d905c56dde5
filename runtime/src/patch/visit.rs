//! A visit of an instrumented function: what its slot calls when it is entered and when it is left.
//!
//! ```text
//!   enter   switch on? ─ slot? ─ inside another event? ─ callee in the cache? ─ list ─ 5 stores
//!   pass    both, in one event: own node current? ─ callee in the cache? ─ listed anew
//!   exit    own word? ─ slot? ─ own tag? ─ own node current? ─ unlist ─ clock ─ 8 stores
//!                │ any "no"
//!                └────► the answer: the slot keeps the vector registers and calls the cold twin
//! ```
//! A function that jumps on *passes* its frame: its visit ends, and what it jumped to is current inside of it, as if it had been called.
//!
//! A function that is on the path already gets the node it has there, so recursion makes no nodes, nor do functions that
//! jump to each other in a circle. A slot keeps a frame on the program's stack, and a recursion may need all of that for
//! itself. So from some depth on, a call of a function that is on the path already is *counted* when it begins, and its
//! slot is left for good: it costs no stack. The time of a function that calls itself stays exact, because its own node is
//! current all the while; where functions call each other in a circle, the deeper time counts for the one that was current.
//! An exit makes current what was current at its entry, whatever happened in between.

use super::calls;
use crate::functions::call_list::{self, CallList, IN_LIST, before_of, own_of, tag_of, word_of};
use crate::functions::pool;
use crate::thread::{self, OTHER};
use crate::thread_local::thread;
use crate::view::{Slot, is_node};
use crate::{clock, closing, creation, measurement, registration, slow, switch, tree};
use core::sync::atomic::Ordering;
use whyperf_layout::Traced;
use whyperf_layout::slot::{self, low, node_of};

/// Nothing is left to be done.
const DONE: u32 = 0;
/// The cold twin does the whole event.
const COLD: u32 = 1;
/// The event is done; its node's limit is reached.
const REACHED: u32 = 2;
/// The visit is counted, and nothing is left to be done at its end: the slot's frame goes at once.
pub(super) const COUNTED: u32 = 3;
/// Many calls are open: [`whyperf_function_deep`] enters.
pub(super) const DEEP: u32 = 4;
/// What a frame's word is then.
pub(super) const NO_FRAME: u64 = 1;

/// Where a call of the function with this region leads the calling thread: its slot, its list, the current node and the function's.
/// Answers [`COLD`] where one comparison cannot decide. A macro: as a function it costs four instructions more.
macro_rules! callee {
    ($id:expr) => {{
        let block = thread();
        let base = block.slot.load(Ordering::Relaxed);
        if base.is_null() {
            return COLD;
        }
        // SAFETY: not null, so it is this thread's slot, mapped and populated.
        let slot = unsafe { Slot::at(base) };
        let head = slot.head();
        let word = head.word.load(Ordering::Relaxed);
        let current = node_of(word);
        if low(word) != low(head.last.load(Ordering::Relaxed)) || !is_node(current) {
            return COLD;
        }
        // SAFETY: the thread has a slot, so it has its list, which stays until the thread ends.
        let calls = unsafe { &*thread::calls_of(&block) };
        let key = call_list::key(current, $id);
        // SAFETY: the index is below the cache's size.
        let entry = unsafe { calls.callees.get_unchecked(CallList::callee_index(key)) };
        let entry = entry.load(Ordering::Relaxed);
        if (entry >> 32) as u32 != key {
            return COLD;
        }
        (slot, calls, current, entry as u32)
    }};
}

/// Enters the function of a slot: fills the frame's word.
///
/// # Safety
///
/// `frame` is the slot's own word on the stack, and `number` names a slot that is in use.
pub(super) unsafe extern "C" fn whyperf_function_enter(frame: *mut u64, number: usize) -> u32 {
    // SAFETY: the slot's own word on the stack, and its number; here and below.
    let id = unsafe { pool::region(number) };
    if !switch::is_on(id) {
        // SAFETY: as above.
        unsafe { frame.write(0) };
        return u32::from(measurement::is_awaited());
    }
    let (slot, calls, current, next) = callee!(id);
    if calls.is_deep() {
        return DEEP;
    }
    let marked = calls.list_shallow(frame as u64, word_of(calls.tag(), current, next));
    // SAFETY: as above.
    unsafe { frame.write(marked) };
    // SAFETY: `current` was found to be a node's offset.
    let (node, stamp) = unsafe { (slot.own_node(current), slot.own_stamp(current)) };
    slot::begin(slot.head(), node, stamp, next, clock::counter());
    DONE
}

/// Enters a function deep inside others. A call of one that is open already is counted, and what is current stays so: its frame
/// goes at once.
///
/// # Safety
///
/// `frame` is the slot's own word on the stack, and `number` names a slot that is in use; [`whyperf_function_enter`] answered
/// [`DEEP`] for it just now.
pub(super) unsafe extern "C" fn whyperf_function_deep(frame: *mut u64, number: usize) -> u32 {
    // SAFETY: this function's contract; here and below.
    let id = unsafe { pool::region(number) };
    let (slot, calls, current, next) = callee!(id);
    // SAFETY: both are offsets of nodes: the one was looked at, the other is what was remembered of a node.
    let [(outer, outer_stamp), (node, stamp)] =
        [current, next].map(|at| unsafe { (slot.own_node(at), slot.own_stamp(at)) });
    // A node lies behind its parent: what is not behind `current` is on the path.
    let is_open = next <= current;
    let visits = node.visits.load(Ordering::Relaxed).wrapping_add(1);
    if is_open && low(visits) == node.limit.load(Ordering::Relaxed) {
        return COLD;
    }
    if !is_open {
        let marked = calls.list(frame as u64, word_of(calls.tag(), current, next));
        // SAFETY: as above.
        unsafe { frame.write(marked) };
    }
    let now = clock::counter();
    slot::begin(slot.head(), outer, outer_stamp, next, now);
    // Asked anew, so that the compiler makes one event of both ways and not two.
    if !core::hint::black_box(is_open) {
        return DONE;
    }
    slot::end_unmoved(slot.head(), node, stamp, current, now);
    COUNTED
}

/// Leaves the function of a slot.
///
/// # Safety
///
/// `frame` is the slot's own word on the stack, and `number` names a slot that is in use.
pub(super) unsafe extern "C" fn whyperf_function_exit(frame: *mut u64, number: usize) -> u32 {
    // SAFETY: the slot's own word on the stack, and its number; here and below.
    let (own, id) = unsafe { (frame.read(), pool::region(number)) };
    if tag_of(own) == 0 {
        return DONE;
    }
    if !switch::is_on(id) {
        return COLD;
    }
    let block = thread();
    let base = block.slot.load(Ordering::Relaxed);
    if base.is_null() {
        return COLD;
    }
    // SAFETY: not null, so it is this thread's slot, mapped and populated.
    let slot = unsafe { Slot::at(base) };
    let head = slot.head();
    let word = head.word.load(Ordering::Relaxed);
    // SAFETY: the thread has a slot, so it has its list, which stays until the thread ends.
    let calls = unsafe { &*thread::calls_of(&block) };
    let current = own_of(own);
    if low(word) != low(head.last.load(Ordering::Relaxed))
        || node_of(word) != current
        || tag_of(own) != calls.tag()
    {
        return COLD;
    }
    if own & IN_LIST == 0 {
        calls.forget_unlisted();
    } else if !calls.is_innermost(frame as u64) {
        return COLD;
    } else {
        calls.drop_innermost();
    }
    let now = clock::counter();
    // SAFETY: a word has offsets of nodes.
    let (node, stamp) = unsafe { (slot.own_node(current), slot.own_stamp(current)) };
    let visits = slot::end_unmoved(head, node, stamp, before_of(own), now);
    if low(visits) == node.limit.load(Ordering::Relaxed) { REACHED } else { DONE }
}

/// The function of one slot jumped to that of another, which takes its frame over.
///
/// # Safety
///
/// `frame` is the slots' word on the stack, and the numbers name slots that are in use.
pub(super) unsafe extern "C" fn whyperf_function_pass(
    frame: *mut u64,
    number: usize,
    before: usize,
) -> u32 {
    // SAFETY: the slot's own word on the stack, and its number; here and below.
    let own = unsafe { frame.read() };
    if tag_of(own) == 0 {
        return COLD;
    }
    // SAFETY: as above.
    let (id, ending) = unsafe { (pool::region(number), pool::region(before)) };
    if !switch::is_on(id) || !switch::is_on(ending) {
        return COLD;
    }
    let block = thread();
    let base = block.slot.load(Ordering::Relaxed);
    if base.is_null() {
        return COLD;
    }
    // SAFETY: not null, so it is this thread's slot, mapped and populated.
    let slot = unsafe { Slot::at(base) };
    let head = slot.head();
    let word = head.word.load(Ordering::Relaxed);
    // SAFETY: the thread has a slot, so it has its list, which stays until the thread ends.
    let calls = unsafe { &*thread::calls_of(&block) };
    let current = own_of(own);
    if low(word) != low(head.last.load(Ordering::Relaxed))
        || node_of(word) != current
        || tag_of(own) != calls.tag()
        || own & IN_LIST == 0
        || !calls.is_innermost(frame as u64)
    {
        return COLD;
    }
    let key = call_list::key(current, id);
    // SAFETY: the index is below the cache's size.
    let entry = unsafe { calls.callees.get_unchecked(CallList::callee_index(key)) };
    let entry = entry.load(Ordering::Relaxed);
    if (entry >> 32) as u32 != key {
        return COLD;
    }
    // SAFETY: a word has offsets of nodes.
    let (node, stamp) = unsafe { (slot.own_node(current), slot.own_stamp(current)) };
    let visits = node.visits.load(Ordering::Relaxed).wrapping_add(1);
    if low(visits) == node.limit.load(Ordering::Relaxed) {
        return COLD;
    }
    calls.drop_innermost();
    let marked = calls.list(frame as u64, word_of(calls.tag(), before_of(own), entry as u32));
    // SAFETY: as above.
    unsafe { frame.write(marked) };
    slot::end_unmoved(head, node, stamp, entry as u32, clock::counter());
    DONE
}

/// Enters a function when one comparison could not decide.
///
/// # Safety
///
/// `frame` is the slot's own word on the stack, and `number` names a slot that is in use.
pub(super) unsafe extern "C" fn enter_cold(frame: *mut u64, number: usize, _: u32) {
    // SAFETY: the slot's own word on the stack, and its number; here and below.
    let word = unsafe {
        frame.write(0);
        enter(frame as u64, pool::region(number), Goes::IfDeep)
    };
    // SAFETY: as above.
    unsafe { frame.write(word) };
}

/// Whether a slot's frame may go when the function is entered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goes {
    /// Where the call would be one too many on the program's stack.
    IfDeep,
    /// Another function's slot made it.
    Never,
}

fn enter(frame: u64, id: u32, goes: Goes) -> u64 {
    if !(switch::is_on(id) || measurement::is_awaited()) || creation::make().is_none() {
        return 0;
    }
    let block = thread();
    let Some(private) = registration::private(&block) else { return 0 };
    if !switch::is_on(id) || !closing::is_between_events(private) {
        return 0;
    }
    let slot = private.slot();
    let current = node_of(slot.head().word.load(Ordering::Relaxed));
    let next = tree::callee(private, current, id);
    let calls = private.calls();
    if private.caches() && next != OTHER {
        calls.remember_callee(current, id, next);
    }
    if goes == Goes::IfDeep && next <= current && calls.is_deep() {
        count_cold(slot, current, next);
        return NO_FRAME;
    }
    let word = calls.list(frame, word_of(calls.tag(), current, next));
    let now = clock::now();
    slot::begin(slot.head(), slot.node(current), slot.stamp(current), next, now);
    private.ring.record(Traced::Current { node: next, ticks: now });
    word
}

/// The same as [`whyperf_function_deep`], of offsets that may have been damaged, and with a look at the node's limit.
fn count_cold(slot: Slot, current: u32, next: u32) {
    let now = clock::now();
    let head = slot.head();
    if next != current {
        slot::begin(head, slot.node(current), slot.stamp(current), next, now);
    }
    let node = slot.node(next);
    let visits = slot::end_unmoved(head, node, slot.stamp(next), current, now);
    if low(visits) == node.limit.load(Ordering::Relaxed) {
        slow::reached(next);
    }
}

/// Leaves a function when one comparison could not decide, or looks at a node's limit.
///
/// # Safety
///
/// `frame` is the slot's own word on the stack, and `number` names a slot that is in use.
pub(super) unsafe extern "C" fn exit_cold(frame: *mut u64, number: usize, code: u32) {
    // SAFETY: the slot's own word on the stack, and its number.
    let (word, id) = unsafe { (frame.read(), pool::region(number)) };
    if code == REACHED {
        slow::reached(own_of(word));
    } else if measurement::is_measured() && thread::is_registered() {
        exit(frame as u64, word, id);
    }
}

/// Passes a frame when one comparison could not decide, or the node's limit is reached.
///
/// # Safety
///
/// `frame` is the slots' word on the stack, and the numbers name slots that are in use.
pub(super) unsafe extern "C" fn pass_cold(frame: *mut u64, number: usize, before: u32) {
    // SAFETY: the slots' own word on the stack, and their numbers; here and below.
    let word = unsafe { frame.read() };
    // SAFETY: as above.
    let (id, ending) = unsafe { (pool::region(number), pool::region(before as usize)) };
    let passed = (tag_of(word) != 0).then(|| pass(frame as u64, word, id, ending)).flatten();
    let word = passed.unwrap_or_else(|| {
        if tag_of(word) != 0 && measurement::is_measured() && thread::is_registered() {
            exit(frame as u64, word, ending);
        }
        enter(frame as u64, id, Goes::Never)
    });
    // SAFETY: as above.
    unsafe { frame.write(word) };
}

/// The new word of a frame that is passed; none where the two have to be told one after the other.
fn pass(frame: u64, word: u64, id: u32, ending: u32) -> Option<u64> {
    if !switch::is_on(id) || !switch::is_on(ending) {
        return None;
    }
    let block = thread();
    let (private, calls) = calls::recordable(&block)?;
    let current = own_of(word);
    let is_innermost = word & IN_LIST != 0 && calls.is_innermost(frame);
    if tag_of(word) != calls.tag() || !is_innermost || calls::current(private) != current {
        return None;
    }
    let next = tree::callee(private, current, id);
    if private.caches() && next != OTHER {
        calls.remember_callee(current, id, next);
    }
    calls.drop_innermost();
    let passed = calls.list(frame, word_of(calls.tag(), before_of(word), next));
    let (slot, now) = (private.slot(), clock::now());
    let node = slot.node(current);
    let visits = slot::end_unmoved(slot.head(), node, slot.stamp(current), next, now);
    private.ring.record(Traced::Current { node: next, ticks: now });
    closing::judge_if_due(private, current, visits, now);
    Some(passed)
}

fn exit(frame: u64, word: u64, id: u32) {
    let block = thread();
    let Some(private) = registration::private(&block) else { return };
    let calls = private.calls();
    if calls.is_inherited(word) {
        slow::end_inherited(private, id);
        return;
    }
    // Begun on another thread: what is open here has nothing to do with it.
    if tag_of(word) != calls.tag() {
        return;
    }
    if word & IN_LIST == 0 {
        calls.forget_unlisted();
    } else {
        calls.unlist(frame);
    }
    if closing::is_between_events(private) {
        // Something inside was left in a way that was not announced.
        if calls::current(private) != own_of(word) {
            closing::count_anomaly(private);
        }
        calls::close(private, word, clock::now());
    }
}
