//! Traces a thread: each of its events goes into a ring of its own, beside being counted.
//!
//! While a process is traced the hot path is not taken: its slot is hidden, as where paths are folded, and the cold twins do each event. So
//! tracing costs nothing while it is off, to the instruction. The twins ask here first: [`begin`] and [`end`] do what the hot path does, and
//! append an entry.

use crate::environ::options;
use crate::node_index::Key;
use crate::object::ObjectId;
use crate::region::Region;
use crate::thread::{self, Private};
use crate::thread_local::{Block, thread};
use crate::view::is_node;
use crate::{child_cache, clock, measurement};
use core::sync::atomic::Ordering;
use whyperf_layout::slot::{self, low, node_of};
use whyperf_layout::{Kind, Moved, Traced};

/// Whether this process is traced. The probes ask before they find out what only a trace needs.
#[inline]
#[must_use]
pub fn is_on() -> bool {
    options().traces
}

/// Appends what the probes have to say of the event that is open, in the calling thread.
pub fn say(said: Traced) {
    say_all([said]);
}

/// The same of entries that belong together: the thread is looked up once.
#[inline]
pub fn say_all<const N: usize>(said: [Traced; N]) {
    if let Some(private) = thread::known(&thread()) {
        private.ring.record_all(said);
    }
}

/// How an event went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuickEnd {
    /// More has to be found out: nothing was done.
    Undecided,
    /// It is done.
    Done,
    /// It is done, and this node's visits are at their limit.
    Reached(u32),
}

/// The private part of a thread whose events are done here.
#[inline(always)]
fn quick(block: &Block) -> Option<&Private> {
    let private = thread::known(block).filter(|private| private.is_quick())?;
    let is_usable = block.flags.load(Ordering::Relaxed) & thread::UNUSABLE == 0
        && measurement::is_present(private.tables());
    is_usable.then_some(private)
}

/// What [`crate::event::begin`] does where the hot path is hidden because the thread is traced; false where more has to be found out.
#[inline]
pub(crate) fn begin(region: &Region, site: u64, object: ObjectId) -> bool {
    let block = thread();
    let Some(private) = quick(&block) else { return false };
    let slot = private.slot();
    let head = slot.head();
    let word = head.word.load(Ordering::Relaxed);
    let current = node_of(word);
    if low(word) != low(head.last.load(Ordering::Relaxed)) || !is_node(current) {
        return false;
    }
    let key = Key::new(region.id(), object.number(), site);
    let child = child_cache::find(&block, key, current);
    // SAFETY: what the cache holds are offsets of nodes, and zeros.
    if !unsafe { key.is(slot, child, current) } {
        return false;
    }
    // SAFETY: `current` was found to be a node's offset.
    let (node, stamp) = unsafe { (slot.own_node(current), slot.own_stamp(current)) };
    let now = clock::counter();
    slot::begin(head, node, stamp, child, now);
    private.ring.record(Traced::Current { node: child, ticks: now });
    true
}

/// What [`crate::event::end`] does then.
#[inline]
pub(crate) fn end(region: &Region, moved: Moved) -> QuickEnd {
    let now = clock::counter();
    let block = thread();
    let Some(private) = quick(&block) else { return QuickEnd::Undecided };
    let slot = private.slot();
    let head = slot.head();
    let word = head.word.load(Ordering::Relaxed);
    let current = node_of(word);
    if low(word) != low(head.last.load(Ordering::Relaxed)) || !is_node(current) {
        return QuickEnd::Undecided;
    }
    // SAFETY: `current` was found to be a node's offset.
    let (node, stamp) = unsafe { (slot.own_node(current), slot.own_stamp(current)) };
    if node.region.load(Ordering::Relaxed) != region.id() {
        return QuickEnd::Undecided;
    }
    let parent = node.parent.load(Ordering::Relaxed);
    let visits = slot::end(head, node, stamp, parent, now, moved);
    private.ring.record(Traced::Current { node: parent, ticks: now });
    if low(visits) == node.limit.load(Ordering::Relaxed) {
        return QuickEnd::Reached(current);
    }
    QuickEnd::Done
}

/// A visit of this region has begun: it may wait for others, who are to compute meanwhile.
pub(crate) fn waits(region: &Region) {
    if options().serial
        && is_call(region)
        && let Some(private) = thread::known(&thread())
    {
        private.turn.give(&private.ring);
    }
}

/// It has ended, and what follows is the program's own.
pub(crate) fn goes_on(region: &Region) {
    if options().serial && is_call(region) {
        go_on();
    }
}

/// The calling thread computes from here on, in its turn.
pub(crate) fn go_on() {
    if options().serial
        && let Some(private) = thread::known(&thread())
    {
        private.turn.take(&private.ring);
    }
}

/// The calling thread takes no turn any more: its process is about to end.
pub(crate) fn leave() {
    if options().serial
        && let Some(private) = thread::known(&thread())
    {
        private.turn.leave(&private.ring);
    }
}

fn is_call(region: &Region) -> bool {
    !matches!(
        region.kind(),
        Kind::User | Kind::UserEvent | Kind::Function | Kind::Root | Kind::Other
    )
}
