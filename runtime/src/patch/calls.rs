//! The open calls of the calling thread's functions: ended when they are left in a way that is no return.

use crate::functions::call_list::{CallList, before_of, own_of, tag_of};
use crate::thread::{self, Private};
use crate::thread_local::Block;
use crate::view::is_node;
use crate::{clock, closing, measurement, registration, thread_local};
use core::sync::atomic::Ordering;
use whyperf_layout::Traced;
use whyperf_layout::geometry::node_index;
use whyperf_layout::slot;

/// Ends one open call: its node is made current if it is not, and what was before it thereafter.
pub(super) fn close(private: &Private, word: u64, now: u64) {
    let (own, before) = (own_of(word), before_of(word));
    if !exists(private, own) || !exists(private, before) {
        return;
    }
    let slot = private.slot();
    let head = slot.head();
    let current = current(private);
    if current != own && is_node(current) {
        slot::begin(head, slot.node(current), slot.stamp(current), own, now);
    }
    let node = slot.node(own);
    let visits = slot::end_unmoved(head, node, slot.stamp(own), before, now);
    private.ring.record(Traced::Current { node: before, ticks: now });
    closing::judge_if_due(private, own, visits, now);
}

/// The calling thread's part and list, when its events can be recorded now.
pub(super) fn recordable(block: &Block) -> Option<(&Private, &CallList)> {
    if !measurement::is_measured() || !thread::is_registered() {
        return None;
    }
    let private = registration::private(block)?;
    if !closing::is_between_events(private) {
        return None;
    }
    let calls = private.calls();
    Some((private, calls))
}

/// The calling thread's current node.
pub(super) fn current(private: &Private) -> u32 {
    slot::node_of(private.slot().head().word.load(Ordering::Relaxed))
}

/// Whether the offset is that of a node in use.
pub(super) fn exists(private: &Private, node: u32) -> bool {
    let count = private.slot().head().nodes.load(Ordering::Relaxed) as usize;
    node_index(node).is_some_and(|index| index > 0 && index < count)
}

/// Ends the innermost calls as long as their frames are left.
pub(super) fn leave(is_left: impl Fn(u64) -> bool) {
    let block = thread_local::thread();
    let Some((private, calls)) = recordable(&block) else { return };
    while let Some(call) = calls.innermost().filter(|call| is_left(call.frame)) {
        calls.forget_all_unlisted();
        calls.drop_innermost();
        if tag_of(call.word) == calls.tag() {
            close(private, call.word, clock::now());
        }
    }
}

/// An exception leaves the innermost call.
pub(super) fn leave_innermost() {
    let block = thread_local::thread();
    let Some((private, calls)) = recordable(&block) else { return };
    if calls.forget_unlisted() {
        return;
    }
    if let Some(call) = calls.innermost() {
        calls.drop_innermost();
        if tag_of(call.word) == calls.tag() {
            close(private, call.word, clock::now());
        }
    }
}
