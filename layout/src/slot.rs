//! A thread's counters and timers: the writer's side and the reader's side of one protocol.
//!
//! # Idea
//! Every event closes one segment of time into the node that was current and makes another one current. One 64-bit word
//! publishes what is open:
//!
//! ```text
//!   word = | offset of the current node : 32 | low half of the time of the last event : 32 |
//!
//!   writer                              reader
//!   1  word, visits                     nodes whose stamp changed      } in the opposite order
//!      ---- fence(Release) open ------- fence(Acquire)                 }
//!   2  exclusive, bytes, done           word, last
//!   3  stamp     (Release)
//!   4  last      (Release)
//! ```
//!
//! # Invariants
//! * A segment is in a node only if the word that ends it was stored before. A reader that reads nodes first and the word
//!   afterwards never counts time twice: Σ exclusive ≤ t(word) − start.
//! * `low32(word) != low32(last)` exactly while the thread is inside an event; a signal handler
//!   uses this as its guard, a reader knows that an event is just being stored.
//! * Of a node, `visits` is stored first and `done`, its copy, last: equal means untorn.
//! * The writer uses plain loads and stores only; the reader writes nothing.
//!
//! `docs/layout.md` explains each SYNC name and which model fails when it is weakened.

use crate::sync::{AtomicU32, AtomicU64, Ordering, fence, or_relaxed};

/// First page of a slot.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Head {
    /// Current node and low half of `last`.
    pub word: AtomicU64,
    /// Ticks of the last event.
    pub last: AtomicU64,
    /// Events dropped because a signal handler came inside another event.
    pub dropped: AtomicU64,
    /// Events that found no node of their own and went to "other".
    pub overflowed: AtomicU64,
    /// Ends without a matching begin, and begins that were closed by an outer end.
    pub anomalies: AtomicU64,
    /// Which of the slot's [`PeerPage`](crate::PeerPage)s are there, a bit each.
    pub peer_pages: AtomicU64,
    /// Ticks that wrapped calls cost around their two events, as far as that was measured.
    pub call_ticks: AtomicU64,
    /// In how many of them it was.
    pub measured_calls: AtomicU64,
    /// A [`SlotState`].
    pub state: AtomicU32,
    /// Raised each time the slot is claimed.
    pub generation: AtomicU32,
    /// Thread id as the kernel numbers it.
    pub tid: AtomicU32,
    /// Nodes in use, node 0 included; raised (release) after a node's key is written.
    pub nodes: AtomicU32,
    /// Ticks when the thread was first seen.
    pub start: AtomicU64,
    /// Ticks when it ended, 0 before.
    pub end: AtomicU64,
    /// Calibrated cost of an event pair in 1/256 ticks: the part charged to the callee.
    pub inside: AtomicU32,
    /// The same, the part charged to the caller.
    pub outside: AtomicU32,
    /// The same of an instrumented function's call: the part charged to the function.
    pub function_inside: AtomicU32,
    /// The part charged to who called it.
    pub function_outside: AtomicU32,
    /// Both parts of an event pair around work that hides as much of it as it can.
    pub hidden: AtomicU32,
    /// The same of an instrumented function's call.
    pub function_hidden: AtomicU32,
}

/// What became of a slot; stored in [`Head::state`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum SlotState {
    /// Never claimed.
    Free = 0,
    /// A thread writes it.
    Live = 1,
    /// Its thread ended in order: the last segment is closed.
    Dead = 2,
}

/// One callpath node: what happened in *region*, called from *site* on *object*, under *parent*.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Node {
    /// Completed visits; stored first when a visit ends.
    pub visits: AtomicU64,
    /// Ticks spent here and in no child, wrapping.
    pub exclusive: AtomicU64,
    /// Bytes sent or written.
    pub bytes: AtomicU64,
    /// Low half of `visits`, stored last when a visit ends.
    pub done: AtomicU32,
    /// When `visits` reaches this (low halves compared) the cold path is called.
    pub limit: AtomicU32,
    /// Return address of the call.
    pub site: AtomicU64,
    /// Number of the region.
    pub region: AtomicU32,
    /// Number of the object, 0 for none.
    pub object: AtomicU32,
    /// Slot-relative offset of the parent node.
    pub parent: AtomicU32,
    /// Writer's own: when the limit was last looked at. Of no meaning to a reader.
    pub reserved: AtomicU32,
    /// Bytes received or read.
    pub received: AtomicU64,
}

/// The word that says: node at `offset` is current since a time with this low half.
#[inline(always)]
#[must_use]
pub const fn pack(offset: u32, now: u64) -> u64 {
    ((offset as u64) << 32) | (now & 0xffff_ffff)
}

/// Offset of the current node.
#[inline(always)]
#[must_use]
pub const fn node_of(word: u64) -> u32 {
    (word >> 32) as u32
}

/// The low half, of a word or of a time.
#[inline(always)]
#[must_use]
pub const fn low(value: u64) -> u32 {
    value as u32
}

/// Writer: makes `next` current and closes the segment since `last` into `current`.
#[inline(always)]
pub fn begin(head: &Head, current: &Node, stamp: &AtomicU32, next: u32, now: u64) {
    head.word.store(pack(next, now), Ordering::Relaxed); // SYNC handler with last_event
    fence("open_begin", Ordering::Release); // SYNC open with SlotReadState::open
    add(&current.exclusive, now.wrapping_sub(last_event(head)));
    settle(head, stamp, now);
}

/// Writer: ends a visit of `current`, makes `next`, its parent, current; answers the visits.
#[inline(always)]
pub fn end(
    head: &Head,
    current: &Node,
    stamp: &AtomicU32,
    next: u32,
    now: u64,
    moved: Moved,
) -> u64 {
    end_with(head, current, stamp, next, now, || moved)
}

/// Writer: [`end`] for a region that never moves bytes.
#[inline(always)]
pub fn end_unmoved(head: &Head, current: &Node, stamp: &AtomicU32, next: u32, now: u64) -> u64 {
    let visits = open_end(head, current, next, now);
    close_end(current, visits);
    settle(head, stamp, now);
    visits
}

/// Writer: [`end`] with what `inside` says was moved. It runs within the event: no signal handler records anything meanwhile.
#[inline(always)]
pub fn end_with(
    head: &Head,
    current: &Node,
    stamp: &AtomicU32,
    next: u32,
    now: u64,
    inside: impl FnOnce() -> Moved,
) -> u64 {
    let visits = open_end(head, current, next, now);
    let moved = inside();
    add(&current.bytes, moved.out);
    add(&current.received, moved.r#in);
    close_end(current, visits);
    settle(head, stamp, now);
    visits
}

/// Writer, within an event: a visit of a node that is not current and takes no time. Its words become what `words` makes of the number of
/// visits and of what they were.
#[inline(always)]
pub fn note(node: &Node, stamp: &AtomicU32, now: u64, words: impl FnOnce(u64, Moved) -> Moved) {
    let visits = node.visits.load(Ordering::Relaxed).wrapping_add(1);
    node.visits.store(visits, Ordering::Relaxed);
    fence("open_note", Ordering::Release); // SYNC untorn with Node::read
    let out = node.bytes.load(Ordering::Relaxed);
    let r#in = node.received.load(Ordering::Relaxed);
    let words = words(visits, Moved { out, r#in });
    node.bytes.store(words.out, Ordering::Relaxed);
    node.received.store(words.r#in, Ordering::Relaxed);
    close_end(node, visits);
    mark(stamp, now);
}

#[inline(always)]
fn open_end(head: &Head, current: &Node, next: u32, now: u64) -> u64 {
    head.word.store(pack(next, now), Ordering::Relaxed); // SYNC handler with last_event
    let visits = current.visits.load(Ordering::Relaxed).wrapping_add(1);
    current.visits.store(visits, Ordering::Relaxed);
    // One fence orders both, word and visits, before all that follows.
    // SYNC open with SlotReadState::open
    // SYNC untorn with Node::read
    fence("open_end", Ordering::Release);
    add(&current.exclusive, now.wrapping_sub(last_event(head)));
    visits
}

/// Writer: recovers a slot whose interrupted event will never be finished, its segment beginning at
/// `began`; the low halves of that and of the word are the same.
pub fn recover(head: &Head, began: u64) {
    // SYNC settled with SlotReadState::unchanged
    head.last.store(began, or_relaxed("recovered_store", Ordering::Release));
}

/// When the segment began that is being closed. Read after the word is stored: a signal handler
/// that came before the word has closed segments of its own, and one that comes after it records
/// nothing. Read earlier, the handler's time would be counted twice.
#[inline(always)]
fn last_event(head: &Head) -> u64 {
    #[cfg(not(loom))]
    core::sync::atomic::compiler_fence(Ordering::SeqCst); // SYNC handler with begin, open_end
    head.last.load(Ordering::Relaxed)
}

#[inline(always)]
fn close_end(current: &Node, visits: u64) {
    // SYNC whole with Node::read
    current.done.store(low(visits), or_relaxed("whole_store", Ordering::Release));
}

#[inline(always)]
fn mark(stamp: &AtomicU32, now: u64) {
    // SYNC changed with seeing
    stamp.store(low(now), or_relaxed("changed_store", Ordering::Release));
}

#[inline(always)]
fn settle(head: &Head, stamp: &AtomicU32, now: u64) {
    mark(stamp, now);
    // SYNC settled with SlotReadState::unchanged
    head.last.store(now, or_relaxed("settled_store", Ordering::Release));
}

/// Reader: a node's stamp. Whoever reads the node after it sees at least what this stamp marks.
#[inline(always)]
#[must_use]
pub fn stamped(stamp: &AtomicU32) -> u32 {
    stamp.load(seeing())
}

/// Reader: two stamps side by side, for a quicker comparison; the same promise for both.
#[inline(always)]
#[must_use]
pub fn stamped_pair(pair: &AtomicU64) -> u64 {
    pair.load(seeing())
}

#[inline(always)]
fn seeing() -> Ordering {
    or_relaxed("changed_load", Ordering::Acquire) // SYNC changed with mark
}

/// What a call moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Bytes sent or written.
    pub out: u64,
    /// Bytes received or read.
    pub r#in: u64,
}

/// Single writer: an ordinary load, add and store.
#[inline(always)]
fn add(cell: &AtomicU64, amount: u64) {
    cell.store(cell.load(Ordering::Relaxed).wrapping_add(amount), Ordering::Relaxed);
}

/// What a reader saw of a node, whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeReading {
    /// Completed visits.
    pub visits: u64,
    /// Ticks of its own.
    pub exclusive: u64,
    /// What its visits moved.
    pub moved: Moved,
}

impl Node {
    /// Reader: the counters of one moment, `None` when the writer was in between.
    #[must_use]
    pub fn read(&self) -> Option<NodeReading> {
        // SYNC whole with close_end
        let done = self.done.load(or_relaxed("whole_load", Ordering::Acquire));
        let exclusive = self.exclusive.load(Ordering::Relaxed);
        let out = self.bytes.load(Ordering::Relaxed);
        let r#in = self.received.load(Ordering::Relaxed);
        fence("untorn_read", Ordering::Acquire); // SYNC untorn with open_end
        let visits = self.visits.load(Ordering::Relaxed);
        (low(visits) == done).then_some(NodeReading {
            visits,
            exclusive,
            moved: Moved { out, r#in },
        })
    }
}

/// What a reader remembers of a slot from one pass to the next.
#[derive(Clone, Copy, Debug, Default)]
pub struct SlotReadState {
    /// The word when the previous pass began, and whether no event was in progress then.
    began: Option<u64>,
    /// The word when the previous pass ended, and since when its node is current.
    ended: Option<(u64, u64)>,
}

/// The segment that was open when a pass looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenSegment {
    /// Slot-relative offset of the current node, unchecked.
    pub node: u32,
    /// Ticks since which it is current.
    pub since: u64,
}

impl SlotReadState {
    /// Reader, at the start of a pass: true when nothing happened since the previous pass *began*,
    /// so that all nodes read then are still right. It counts only if that beginning was settled:
    /// an event caught between its word and its node would otherwise stay unseen for as long as
    /// the next call blocks.
    pub fn unchanged(&mut self, head: &Head) -> bool {
        // SYNC settled with settle
        let last = head.last.load(or_relaxed("settled_load", Ordering::Acquire));
        let word = head.word.load(Ordering::Relaxed);
        let settled = (low(last) == low(word)).then_some(word);
        let same = settled.is_some() && settled == self.began;
        self.began = settled;
        same
    }

    /// Reader, after the nodes: what is open, `clock` being the reader's own time in ticks.
    pub fn open(&mut self, head: &Head, clock: u64) -> OpenSegment {
        fence("open_read", Ordering::Acquire); // SYNC open with begin, open_end
        let word = head.word.load(Ordering::Relaxed);
        let last = head.last.load(Ordering::Relaxed);
        let since = match self.ended {
            _ if low(last) == low(word) => last,
            Some((same, since)) if same == word => since,
            _ => nearest_with_low(low(word), clock),
        };
        self.ended = Some((word, since));
        OpenSegment { node: node_of(word), since }
    }
}

/// The time nearest to `clock` whose low half is `half`. An event may be younger than the reader's
/// clock, which was read before the word; one that is older by half of 2^32 ticks while it is still
/// being stored is guessed too late, which only understates what is open.
fn nearest_with_low(half: u32, clock: u64) -> u64 {
    let distance = half.wrapping_sub(low(clock)).cast_signed();
    clock.wrapping_add_signed(i64::from(distance))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_word_keeps_both_parts() {
        let word = pack(0x0004_1040, 0x1234_5678_9abc_def0);
        assert_eq!(node_of(word), 0x0004_1040);
        assert_eq!(low(word), 0x9abc_def0);
    }

    #[test]
    fn a_low_half_is_found_again_near_the_clock() {
        let clock = 0x7_0000_0010;
        assert_eq!(nearest_with_low(0x10, clock), clock);
        assert_eq!(nearest_with_low(0x0f, clock), clock - 1);
        assert_eq!(nearest_with_low(0x11, clock), clock + 1);
        assert_eq!(nearest_with_low(0xffff_ffff, clock), clock - 0x11);
    }
}
