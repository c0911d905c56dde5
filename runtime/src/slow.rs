//! The cold twins of the event path: everything that one comparison there could not decide.
//!
//! Each does the whole event, so the hot path jumps here and keeps no registers for coming back.

use crate::lock::Held;
use crate::object::ObjectId;
use crate::patch::site::Ran;
use crate::patch::{budget, site};
use crate::region::Region;
use crate::thread::{self, CACHE, OTHER, Private, ROOT};
use crate::thread_local::thread;
use crate::tree::{self, Key, Open};
use crate::view::{Slot, Tables, is_node};
use crate::{agent, calibration, clock, environ, process, switch};
use core::sync::atomic::Ordering;
use whyperf_layout::slot::{self, low, node_of};
use whyperf_layout::{Answer, Kind, Moved, Node, Reply};

/// Begins a visit; see [`crate::event::begin`].
#[cold]
#[inline(never)]
pub(crate) extern "C" fn begin(region: &Region, site: u64, object: ObjectId) -> bool {
    begin_at(region, site, object, 0)
}

/// The same, knowing where a region of the program is begun: kept when this is the first time.
pub(crate) fn begin_at(region: &Region, site: u64, object: ObjectId, address: u64) -> bool {
    let Some(id) = switched_on(region, address) else { return false };
    let block = thread();
    let Some(private) = thread::private(&block) else { return false };
    if !is_between_events(private) {
        return false;
    }
    let current = current(private);
    let key = Key::new(id, object.number(), site);
    let Some(next) = tree::child(private, current, key) else { return false };
    if private.direct() && next != OTHER {
        remember(key, current, next);
    }
    let slot = private.slot();
    slot::begin(slot.head(), slot.node(current), slot.stamp(current), next, clock::now());
    true
}

/// Ends a visit whose region is switched off now: most likely it was off at its begin, too.
#[cold]
#[inline(never)]
pub(crate) extern "C" fn end_switched_off(region: &Region, out: u64, r#in: u64) {
    if !process::is_measured() {
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
    let id = region.id();
    // Without a slot nothing is open; only an end that should have had a begin deserves one.
    if !process::is_measured() || !(switch::is_on(id) || thread::is_registered()) {
        return;
    }
    let block = thread();
    let Some(private) = thread::private(&block) else { return };
    // Without its begin because that was not recorded: nothing is wrong.
    if is_between_events(private)
        && !end_found(private, id, Moved { out, r#in })
        && switch::is_on(id)
    {
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

/// A visit of zero length that counts `amount` into the counter's node.
pub(crate) fn add(region: &Region, amount: impl FnOnce(u64) -> u64, address: u64) {
    let Some(id) = switched_on(region, address) else { return };
    let block = thread();
    let Some(private) = thread::private(&block) else { return };
    if !is_between_events(private) {
        return;
    }
    let current = current(private);
    let Some(next) = tree::child(private, current, Key::new(id, 0, 0)) else { return };
    let slot = private.slot();
    let now = clock::now();
    slot::begin(slot.head(), slot.node(current), slot.stamp(current), next, now);
    let out = amount(slot.node(next).bytes.load(Ordering::Relaxed));
    close_one(private, now, Moved { out, r#in: 0 });
}

/// Closes what is open inside `node`, each as an anomaly; nothing when `node` is not open.
pub(crate) fn close_until(private: &Private, node: u32, now: u64) {
    let mut open = Open::new(private);
    let mut inside = 0;
    while open.node != node {
        if open.step(private).is_none() {
            return;
        }
        inside += 1;
    }
    close(private, inside, now);
}

/// Leaves nodes that a jump out of a wrapped call left open.
#[cold]
pub(crate) fn abandon(node: u32) {
    let block = thread();
    if let Some(private) = thread::private(&block)
        && is_between_events(private)
    {
        close_until(private, node, clock::now());
    }
}

/// The region's number if its events are to be recorded; registers it at its first event.
fn switched_on(region: &Region, address: u64) -> Option<u32> {
    let tables = process::make()?;
    let mut id = region.number();
    if id == 0 {
        id = region.register(tables, address);
        if region.kind() == Kind::User {
            agent::start();
        }
    }
    switch::is_on(id).then_some(id)
}

fn current(private: &Private) -> u32 {
    node_of(private.slot().head().word.load(Ordering::Relaxed))
}

/// Whether no event is in progress. A handler may have run between two loads, so a difference
/// counts only when the word stands still around it. Otherwise the event is dropped and counted.
pub(crate) fn is_between_events(private: &Private) -> bool {
    let head = private.slot().head();
    let word = loop {
        let word = head.word.load(Ordering::Relaxed);
        let last = head.last.load(Ordering::Relaxed);
        if low(word) == low(last) {
            if is_node(node_of(word)) {
                return true;
            }
            process::give_up();
            return false;
        }
        if word == head.word.load(Ordering::Relaxed) {
            break word;
        }
    };
    thread::drop_event(private);
    recover_interrupted(private, word);
    false
}

/// Recovers from an interrupted event that a jump out of the handler left unfinished for ever: when
/// very many drops show the same word, the event will never be finished.
fn recover_interrupted(private: &Private, word: u64) {
    const HOPELESS: u32 = 1 << 16;
    let seen = private.interrupted_word.load(Ordering::Relaxed);
    let count = private.interrupted_drops.load(Ordering::Relaxed);
    let count = if seen == word { count.wrapping_add(1) } else { 0 };
    private.interrupted_word.store(word, Ordering::Relaxed);
    private.interrupted_drops.store(count, Ordering::Relaxed);
    if count == HOPELESS {
        let now = clock::now();
        let began = now.wrapping_sub(u64::from(low(now).wrapping_sub(low(word))));
        slot::recover(private.slot().head(), began);
        count_anomaly(private);
    }
}

/// Puts the child where the hot path looks for it.
pub(crate) fn remember(key: Key, parent: u32, child: u32) {
    let cache = thread().cache.load(Ordering::Relaxed);
    // SAFETY: null, or the calling thread's cache of `CACHE` entries; the shift leaves an index below
    // that.
    let place = unsafe { cache.wrapping_add(cache_index(key.hash(parent))).as_ref() };
    if let Some(place) = place.filter(|_| !cache.is_null()) {
        place.store(child, Ordering::Relaxed);
    }
}

/// Index into the cache of children.
#[inline(always)]
pub(crate) const fn cache_index(hash: u64) -> usize {
    (hash >> (64 - CACHE.trailing_zeros())) as usize
}

fn close(private: &Private, visits: usize, now: u64) {
    for _ in 0..visits {
        close_one(private, now, Moved::default());
        count_anomaly(private);
    }
}

/// Ends the innermost visit.
fn close_one(private: &Private, now: u64, moved: Moved) {
    let current = current(private);
    if current == ROOT {
        return;
    }
    let back = tree::way_back(private, current);
    let slot = private.slot();
    let node = slot.node(current);
    let visits = slot::end(slot.head(), node, slot.stamp(current), back, now, moved);
    judge_if_due(private, current, visits, now);
}

/// Looks at the node's costs when its visits reached the limit.
pub(crate) fn judge_if_due(private: &Private, offset: u32, visits: u64, now: u64) {
    let node = private.slot().node(offset);
    if low(visits) == node.limit.load(Ordering::Relaxed) {
        judge(private, node, visits, now);
    }
}

pub(crate) fn count_anomaly(private: &Private) {
    let anomalies = &private.slot().head().anomalies;
    anomalies.store(anomalies.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}

/// Visits between two looks at what the events of a region of the program cost.
const LOOK_EVERY: u32 = 1 << 20;
/// Unit of [`Node::reserved`], so that 32 bits are enough for days.
const COARSE: u32 = 16;

/// Says when the costs of the node are to be looked at again. Never for calls into a library:
/// their numbers are promised to be exact.
pub(crate) fn set_limit(private: &Private, node: &Node, now: u64) {
    match kind_of(private, node) {
        Some(Kind::User) if environ::settings().cost_limit != 0 => {
            let limit = low(node.visits.load(Ordering::Relaxed)).wrapping_add(LOOK_EVERY);
            node.limit.store(limit, Ordering::Relaxed);
            node.reserved.store((now >> COARSE) as u32, Ordering::Relaxed);
        }
        Some(Kind::Function) => budget::watch(node, now),
        _ => {}
    }
}

fn kind_of(private: &Private, node: &Node) -> Option<Kind> {
    let region = private.tables().region(node.region.load(Ordering::Relaxed) as u16);
    Kind::from_number(region.kind.load(Ordering::Relaxed))
}

/// Reached from the hot path when a visit ended at its node's limit.
#[cold]
#[inline(never)]
pub(crate) extern "C" fn reached(offset: u32) {
    let block = thread();
    if let Some(private) = thread::private(&block) {
        let node = private.slot().node(offset);
        judge(private, node, node.visits.load(Ordering::Relaxed), clock::now());
    }
}

/// Switches the node's region off when its last visits cost more than their share of the time.
fn judge(private: &Private, node: &Node, visits: u64, now: u64) {
    if kind_of(private, node) == Some(Kind::Function) {
        return budget::look(private.tables(), node, now);
    }
    let since = node.reserved.load(Ordering::Relaxed);
    let elapsed = u64::from(((now >> COARSE) as u32).wrapping_sub(since)) << COARSE;
    set_limit(private, node, now);
    let cost = u64::from(LOOK_EVERY) * calibration::pair() / 256;
    let allowed = elapsed / 1000 * u64::from(environ::settings().cost_limit);
    if cost > allowed && node.limit.load(Ordering::Relaxed) != 0 {
        switch_off_hot(private.tables(), node.region.load(Ordering::Relaxed) as u16, visits);
    }
}

fn switch_off_hot(tables: Tables, id: u16, visits: u64) {
    // At once; the agent may be at work under the lock.
    switch::set(id, false);
    let held = Held::take();
    site::switch(tables, id, false, &mut Ran::default());
    let record = tables.region(id);
    record.switched.store(0, Ordering::Relaxed);
    record.hot_visits.store(visits, Ordering::Relaxed);
    let reply = Reply::TooHot { region: u32::from(id), visits, burst: 0 };
    agent::tell(tables, Answer::unasked(reply), &held);
}
