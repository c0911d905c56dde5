//! Closes visits, and acts on what they cost.

use crate::environ::settings;
use crate::functions::budget;
use crate::lock::Held;
use crate::replies::tell;
use crate::thread::{self, Private, ROOT};
use crate::tree::{self, Open};
use crate::view::{Tables, is_node};
use crate::{clock, event_costs, limit, measurement, switch};
use core::sync::atomic::Ordering;
use whyperf_layout::slot::{self, low, node_of};
use whyperf_layout::{Answer, Kind, Moved, Node, Reply, Traced};

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
            measurement::give_up_damaged();
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

/// The calling thread's current node.
pub(crate) fn current(private: &Private) -> u32 {
    node_of(private.slot().head().word.load(Ordering::Relaxed))
}

/// Looks at the node's costs when its visits reached the limit.
pub(crate) fn judge_if_due(private: &Private, offset: u32, visits: u64, now: u64) {
    let node = private.slot().node(offset);
    if low(visits) == node.limit.load(Ordering::Relaxed) {
        judge(private, node, visits, now);
    }
}

/// Counts an event that did not fit those before it.
pub(crate) fn count_anomaly(private: &Private) {
    let anomalies = &private.slot().head().anomalies;
    anomalies.store(anomalies.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
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

/// Ends so many of the innermost visits, each as an anomaly.
pub(crate) fn close(private: &Private, visits: usize, now: u64) {
    for _ in 0..visits {
        close_one(private, now, Moved::default());
        count_anomaly(private);
    }
}

/// Ends the innermost visit.
pub(crate) fn close_one(private: &Private, now: u64, moved: Moved) {
    close_with(private, now, || moved);
}

/// Ends the innermost visit, with what `inside` says was moved.
pub(crate) fn close_with(private: &Private, now: u64, inside: impl FnOnce() -> Moved) {
    let current = current(private);
    if current == ROOT {
        return;
    }
    let back = tree::parent_after_visit(private, current);
    let slot = private.slot();
    let node = slot.node(current);
    let visits = slot::end_with(slot.head(), node, slot.stamp(current), back, now, inside);
    private.ring.record(Traced::Current { node: back, ticks: now });
    judge_if_due(private, current, visits, now);
}

/// Switches the node's region off when its last visits cost more than their share of the time.
pub(crate) fn judge(private: &Private, node: &Node, visits: u64, now: u64) {
    if limit::kind_of(private, node) == Some(Kind::Function) {
        return budget::look(private.tables(), node, now);
    }
    let since = node.reserved.load(Ordering::Relaxed);
    let elapsed = u64::from(((now >> limit::COARSE) as u32).wrapping_sub(since)) << limit::COARSE;
    limit::set(private, node, now);
    let cost = u64::from(limit::LOOK_EVERY) * event_costs::pair() / 256;
    let allowed = elapsed / 1000 * u64::from(settings().cost_limit);
    if cost > allowed && node.limit.load(Ordering::Relaxed) != 0 {
        switch_off_hot(private.tables(), node.region.load(Ordering::Relaxed) as u16, visits);
    }
}

fn switch_off_hot(tables: Tables, id: u16, visits: u64) {
    // At once; the agent may be at work under the lock, and switch it on again.
    switch::set(id, false);
    let held = Held::take();
    switch::set(id, false);
    let record = tables.region(id);
    record.switched.store(0, Ordering::Relaxed);
    record.hot_visits.store(visits, Ordering::Relaxed);
    let reply = Reply::TooHot { region: u32::from(id), visits, burst: 0 };
    tell(tables, Answer::unasked(reply), &held);
}
