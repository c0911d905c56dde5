//! The event path: two plain functions, a few dozen instructions each.
//!
//! ```text
//!   begin   switch on? ─ slot? ─ inside another event? ─ child in the cache? ─ clock ─ 5 stores
//!   end     switch on? ─ clock ─ slot? ─ inside another event? ─ own region current? ─ 8 stores
//!                │ any "no"
//!                └────► cold twin in `slow.rs`, which does the whole event
//! ```
//! No call, no lock prefix, no vector register, no panic; `tests/contract` reads the machine code.
//! `docs/hot-path.md` tells what each step costs and what was tried instead.

use crate::node_index::Key;
use crate::object::ObjectId;
use crate::region::Region;
use crate::thread_local::thread;
use crate::view::{Slot, is_node};
use crate::{child_cache, clock, measurement, slow, switch, user_event};
use core::sync::atomic::Ordering;
use whyperf_layout::Moved;
use whyperf_layout::slot::{self, low, node_of};

/// Begins a visit of `region`, called from `site`, on `object`.
///
/// False when nothing was recorded (switched off, not measured, paused, inside another event): then
/// [`end`] must not be called.
#[inline(always)]
pub fn begin(region: &Region, site: u64, object: ObjectId) -> bool {
    let id = region.id();
    if !switch::is_on(id) {
        return may_begin(id) && slow::begin(region, site, object);
    }
    begin_switched_on(region, id, site, object)
}

/// Whether [`begin`] may answer true: the region is on, or was never begun. Wrappers that need not
/// remember anything ask first, and save what finding the object would cost.
#[inline(always)]
#[must_use]
pub fn is_wanted(region: &Region) -> bool {
    let id = region.id();
    switch::is_on(id) || may_begin(id)
}

/// Whether a region that is off could yet begin: it has no number, or this is a forked child whose
/// switches are not known before its region is made.
#[inline(always)]
fn may_begin(id: u32) -> bool {
    id == 0 || measurement::is_awaited()
}

/// Begins a visit of a region of the program: no site, no object.
///
/// `first` is called instead when the region is off or has no number yet.
#[inline(always)]
pub fn begin_of_program(region: &Region, first: unsafe extern "C" fn(&Region) -> bool) -> bool {
    let id = region.id();
    if !switch::is_on(id) {
        // SAFETY: the exported interface passes its own entry into `begin_first`.
        return unsafe { first(region) };
    }
    begin_switched_on(region, id, 0, ObjectId::NONE)
}

/// Begins a visit of a region of the program that is off or has no number yet; `address` is where.
#[cold]
pub fn begin_first(region: &Region, address: u64) -> bool {
    may_begin(region.id()) && slow::begin_at(region, 0, ObjectId::NONE, address)
}

#[inline(always)]
fn begin_switched_on(region: &Region, id: u32, site: u64, object: ObjectId) -> bool {
    let block = thread();
    let base = block.slot.load(Ordering::Relaxed);
    let cache = block.cache.load(Ordering::Relaxed);
    if base.is_null() {
        return slow::begin(region, site, object);
    }
    // SAFETY: not null, so it is this thread's slot, mapped and populated.
    let slot = unsafe { Slot::at(base) };
    let head = slot.head();
    let word = head.word.load(Ordering::Relaxed);
    let current = node_of(word);
    if low(word) != low(head.last.load(Ordering::Relaxed)) || !is_node(current) {
        return slow::begin(region, site, object);
    }
    let key = Key::new(id, object.number(), site);
    // SAFETY: the cache has as many entries as `cache_index` can answer, and lives with the slot.
    let child =
        unsafe { &*cache.add(child_cache::index(key.hash(current))) }.load(Ordering::Relaxed);
    // SAFETY: what the cache holds are offsets of nodes, and zeros.
    if !unsafe { key.is(slot, child, current) } {
        return slow::begin(region, site, object);
    }
    // SAFETY: `current` was found to be a node's offset.
    let (node, stamp) = unsafe { (slot.own_node(current), slot.own_stamp(current)) };
    slot::begin(head, node, stamp, child, clock::counter());
    true
}

/// Ends the visit of `region`, which moved so many bytes. Visits still open inside it end with it.
#[inline(always)]
pub fn end(region: &Region, moved: Moved) {
    end_with::<true>(region, moved);
}

/// Ends the visit of a region of the program, which moves no bytes.
#[inline(always)]
pub fn end_of_program(region: &Region) {
    end_with::<false>(region, Moved::default());
}

#[inline(always)]
fn end_with<const MOVES: bool>(region: &Region, moved: Moved) {
    let id = region.id();
    if !switch::is_on(id) {
        return slow::end_switched_off(region, moved.out, moved.r#in);
    }
    let now = clock::counter();
    let base = thread().slot.load(Ordering::Relaxed);
    if base.is_null() {
        return slow::end(region, moved.out, moved.r#in);
    }
    // SAFETY: not null, so it is this thread's slot, mapped and populated.
    let slot = unsafe { Slot::at(base) };
    let head = slot.head();
    let word = head.word.load(Ordering::Relaxed);
    let current = node_of(word);
    if low(word) != low(head.last.load(Ordering::Relaxed)) || !is_node(current) {
        return slow::end(region, moved.out, moved.r#in);
    }
    // SAFETY: `current` was found to be a node's offset.
    let (node, stamp) = unsafe { (slot.own_node(current), slot.own_stamp(current)) };
    if node.region.load(Ordering::Relaxed) != id {
        return slow::end(region, moved.out, moved.r#in);
    }
    let parent = node.parent.load(Ordering::Relaxed);
    let visits = if MOVES {
        slot::end(head, node, stamp, parent, now, moved)
    } else {
        slot::end_unmoved(head, node, stamp, parent, now)
    };
    if low(visits) == node.limit.load(Ordering::Relaxed) {
        slow::reached(current);
    }
}

/// Adds to a counter, at the place in the tree where the thread is; returns at once when it is off.
#[inline]
pub fn add(counter: &Region, amount: i64, address: u64) {
    user_event::add(counter, amount, address);
}

/// Tells a gauge a value, at the place in the tree where the thread is.
#[inline]
pub fn set(gauge: &Region, value: i64, address: u64) {
    user_event::set(gauge, value, address);
}
