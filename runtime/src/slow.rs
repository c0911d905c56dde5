//! The cold twins of the event path: everything that one comparison there could not decide.
//!
//! Each does the whole event, so the hot path jumps here and keeps no registers for coming back.

use crate::closing::{
    close, close_one, close_until, count_anomaly, current, is_between_events, judge,
};
use crate::node_index::Key;
use crate::object::ObjectId;
use crate::region::Region;
use crate::thread::{OTHER, Private};
use crate::thread_local::thread;
use crate::tracing::{self, QuickEnd};
use crate::tree::{self, Open};
use crate::view::Slot;
use crate::{
    agent_thread, child_cache, clock, creation, measurement, registration, switch, thread,
};
use core::sync::atomic::Ordering;
use whyperf_layout::slot::{self, node_of};
use whyperf_layout::{Kind, Moved, Traced};

/// Begins a visit; see [`crate::event::begin`].
#[cold]
#[inline(never)]
pub(crate) extern "C" fn begin(region: &Region, site: u64, object: ObjectId) -> bool {
    let has_begun = tracing::begin(region, site, object) || begin_at(region, site, object, 0);
    if has_begun {
        tracing::waits(region);
    }
    has_begun
}

/// The same, knowing where a region of the program is begun: kept when this is the first time.
pub(crate) fn begin_at(region: &Region, site: u64, object: ObjectId, address: u64) -> bool {
    let Some(id) = switched_on(region, address) else { return false };
    let block = thread();
    let Some(private) = registration::private(&block) else { return false };
    if !is_between_events(private) {
        return false;
    }
    let current = current(private);
    let key = Key::new(id, object.number(), site);
    let Some(next) = tree::child(private, current, key) else { return false };
    if private.caches() && next != OTHER {
        child_cache::remember(key, current, next);
    }
    let (slot, now) = (private.slot(), clock::now());
    slot::begin(slot.head(), slot.node(current), slot.stamp(current), next, now);
    private.ring.record(Traced::Current { node: next, ticks: now });
    true
}

/// Ends a visit whose region is switched off now: most likely it was off at its begin, too.
#[cold]
#[inline(never)]
pub(crate) extern "C" fn end_switched_off(region: &Region, out: u64, r#in: u64) {
    if !measurement::is_measured() {
        return;
    }
    let base = thread().slot.load(Ordering::Relaxed);
    if base.is_null() {
        return end(region, out, r#in);
    }
    // SAFETY: not null, so it is this thread's slot, mapped and populated.
    let slot = unsafe { Slot::at(base) };
    let current = node_of(slot.head().word.load(Ordering::Relaxed));
    if slot.node(current).region.load(Ordering::Relaxed) == region.id() && region.id() != 0 {
        end(region, out, r#in);
    }
}

/// Ends a visit; see [`crate::event::end`].
#[cold]
#[inline(never)]
pub(crate) extern "C" fn end(region: &Region, out: u64, r#in: u64) {
    match tracing::end(region, Moved { out, r#in }) {
        QuickEnd::Undecided => end_searched(region, Moved { out, r#in }),
        QuickEnd::Done => {}
        QuickEnd::Reached(node) => reached(node),
    }
    tracing::goes_on(region);
}

/// Ends the visit, wherever it is.
fn end_searched(region: &Region, moved: Moved) {
    let id = region.id();
    // Without a slot nothing is open; only an end that should have had a begin deserves one.
    if !measurement::is_measured() || !(switch::is_on(id) || thread::is_registered()) {
        return;
    }
    let block = thread();
    let Some(private) = registration::private(&block) else { return };
    // Without its begin because that was not recorded: nothing is wrong.
    if is_between_events(private) && !end_found(private, id, moved) && switch::is_on(id) {
        count_anomaly(private);
    }
}

/// Ends the innermost visit of the region, and what is open inside it; false when there is none.
fn end_found(private: &Private, id: u32, moved: Moved) -> bool {
    let now = clock::now();
    let mut open = Open::new(private);
    let mut inside = 0;
    while let Some(found) = open.step(private) {
        if found == id {
            close(private, inside, now);
            close_one(private, now, moved);
            return true;
        }
        inside += 1;
    }
    false
}

/// Ends a function's visit that the thread had open when it was forked: the child opened again what
/// it could.
pub(crate) fn end_inherited(private: &Private, id: u32) {
    if is_between_events(private) {
        end_found(private, id, Moved::default());
    }
}

/// Leaves nodes that a jump out of a wrapped call left open.
#[cold]
pub(crate) fn abandon(node: u32) {
    let block = thread();
    if let Some(private) = registration::private(&block)
        && is_between_events(private)
    {
        close_until(private, node, clock::now());
    }
    tracing::go_on();
}

/// The region's number if its events are to be recorded; registers it at its first event.
pub(crate) fn switched_on(region: &Region, address: u64) -> Option<u32> {
    let tables = creation::make()?;
    let mut id = region.number();
    if id == 0 {
        id = region.register(tables, address);
        if matches!(region.kind(), Kind::User | Kind::UserEvent) {
            agent_thread::start();
        }
    }
    switch::is_on(id).then_some(id)
}

/// Reached from the hot path when a visit ended at its node's limit.
#[cold]
#[inline(never)]
pub(crate) extern "C" fn reached(offset: u32) {
    let block = thread();
    if let Some(private) = registration::private(&block) {
        let node = private.slot().node(offset);
        judge(private, node, node.visits.load(Ordering::Relaxed), clock::now());
    }
}
