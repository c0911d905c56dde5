//! Functions that the compiler made call us at their entry and exit (`-finstrument-functions`).
//!
//! ```text
//!   armed ──► the function gets a region and is entered here: (address : 48 | region : 16)
//!   its calls of us ──► not here: off; here: off or on by the region's switch
//! ```
//! No code changes, for its calls are seen already. No word on the program's stack belongs to us, so the thread's list
//! alone tells what was current at a call's entry. It is found by the function that leaves: calls that are listed inside it
//! were left in a way that was not announced.

use super::calls;
use crate::functions::announced::{number, peek};
use crate::functions::call_list::{self, CallList, IN_LIST, own_of, tag_of, word_of};
use crate::thread::{self, OTHER, Private};
use crate::thread_local::thread;
use crate::{clock, closing, creation, measurement, registration, slow, switch, tree};
use core::sync::atomic::Ordering;
use whyperf_layout::Traced;
use whyperf_layout::slot;

/// Set in the listed frame of such a call: frames of slots are multiples of eight.
const IS_COMPILED: u64 = 1;

/// Whether a call of [`enter`] may do anything: the most that one looks at while nothing is on.
#[inline(always)]
pub fn may_enter(function: u64) -> bool {
    match peek(function) {
        Some(0) => false,
        Some(id) => switch::is_on(id) || measurement::is_awaited(),
        None => true,
    }
}

/// Whether a call of [`exit`] may do anything.
#[inline(always)]
pub fn may_exit(function: u64) -> bool {
    match peek(function) {
        Some(0) => false,
        Some(id) => switch::is_on(id) || is_innermost(id),
        None => true,
    }
}

/// The function at this address was entered; `frame` is the stack pointer that it called with.
#[inline(always)]
pub fn enter(function: u64, frame: u64) {
    let id = number(function);
    if id != 0 && measurement::is_measured() && (switch::is_on(id) || measurement::is_awaited()) {
        begin(id, frame);
    }
}

/// The function at this address is about to return.
#[inline(always)]
pub fn exit(function: u64) {
    let id = number(function);
    if id != 0 && measurement::is_measured() && (switch::is_on(id) || is_innermost(id)) {
        end(id);
    }
}

/// Whether the calling thread's innermost listed call is of this region.
#[inline(always)]
fn is_innermost(id: u32) -> bool {
    let block = thread();
    if block.cache.load(Ordering::Relaxed).is_null() {
        return false;
    }
    // SAFETY: a thread with a cache has its list behind it.
    unsafe { &*thread::calls_of(&block) }.innermost_function() == Some(id)
}

#[inline(never)]
fn begin(id: u32, frame: u64) {
    if creation::make().is_none() || !switch::is_on(id) {
        return;
    }
    let block = thread();
    let Some(private) = registration::private(&block) else { return };
    if !closing::is_between_events(private) {
        return;
    }
    let calls = private.calls();
    let current = calls::current(private);
    let next = match calls.known_callee(current, id) {
        Some(known) => known,
        None => {
            let next = tree::callee(private, current, id);
            if private.caches() && next != OTHER {
                calls.remember_callee(current, id, next);
            }
            next
        }
    };
    calls.list_function(frame | IS_COMPILED, word_of(calls.tag(), current, next), id);
    let (slot, now) = (private.slot(), clock::now());
    slot::begin(slot.head(), slot.node(current), slot.stamp(current), next, now);
    private.ring.record(Traced::Current { node: next, ticks: now });
}

#[inline(never)]
fn end(id: u32) {
    if !thread::is_registered() {
        return;
    }
    let block = thread();
    let Some(private) = registration::private(&block) else { return };
    if !closing::is_between_events(private) {
        return;
    }
    let calls = private.calls();
    if calls.forget_unlisted() {
        end_unlisted(private, calls, id);
    } else if let Some(depth) = calls.depth_of(id) {
        end_until(private, calls, depth);
    } else if calls.has_inherited() {
        slow::end_inherited(private, id);
    }
}

/// Ends the innermost calls until so many are listed: the outermost of them returns, and what was inside
/// it was left in a way that was not announced.
fn end_until(private: &Private, calls: &CallList, depth: usize) {
    while calls.depth() > depth {
        let Some(call) = calls.innermost() else { return };
        calls.drop_innermost();
        // One of a slot may yet return, on another stack, and ends itself then.
        if call.frame & IS_COMPILED != 0 && tag_of(call.word) == calls.tag() {
            calls::close(private, call.word, clock::now());
        }
    }
}

/// Ends a call that found the list full. What was current before it is not known: its parent in the
/// tree, as long as that lies inside of the innermost call that is listed.
fn end_unlisted(private: &Private, calls: &CallList, id: u32) {
    let current = calls::current(private);
    let own = tree::callee(private, current, id);
    let Some(listed) = calls.innermost().map(|call| own_of(call.word)) else { return };
    let parent = private.slot().node(own).parent.load(Ordering::Relaxed);
    let before = if tree::is_inside(private, parent, listed) { parent } else { listed };
    calls::close(private, word_of(calls.tag(), before, own), clock::now());
}

impl CallList {
    /// Lists a call of a function that calls us itself.
    fn list_function(&self, frame: u64, word: u64, id: u32) {
        if self.list(frame, word) & IN_LIST != 0 {
            let at = self.depth() - 1;
            if let Some(place) = self.functions.get(at) {
                place.store(id as u16, Ordering::Relaxed);
            }
        }
    }

    /// The region of the innermost call, if that is one of these.
    #[inline(always)]
    fn innermost_function(&self) -> Option<u32> {
        let depth = self.depth();
        let id = self.functions.get(depth.wrapping_sub(1))?.load(Ordering::Relaxed);
        let frame = self.listed(depth.wrapping_sub(1))?.frame;
        (frame & IS_COMPILED != 0).then_some(u32::from(id))
    }

    /// How many calls are listed outside of the innermost one of the region.
    fn depth_of(&self, id: u32) -> Option<usize> {
        (0..self.depth()).rev().find(|at| {
            let region = self.functions.get(*at).map(|id| id.load(Ordering::Relaxed));
            let is_compiled = self.listed(*at).is_some_and(|call| call.frame & IS_COMPILED != 0);
            is_compiled && region.map(u32::from) == Some(id)
        })
    }

    /// The callee's node if the cache has it.
    fn known_callee(&self, current: u32, id: u32) -> Option<u32> {
        let key = call_list::key(current, id);
        let entry = self.callees.get(Self::callee_index(key))?.load(Ordering::Relaxed);
        ((entry >> 32) as u32 == key).then_some(entry as u32)
    }
}
