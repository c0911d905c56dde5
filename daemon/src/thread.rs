//! One thread's nodes as they were last read, and the pass that finds what they grew by.
//!
//! ```text
//!   unchanged?  ──yes──────────────────────────────┐
//!      │ no                                        ▼
//!   new nodes ► stamps that differ ► their nodes ► word: what is open
//!                                                  value = max(before, exclusive + open share)
//! ```
//! The order is that of `layout::slot`: nodes first, the word afterwards, so that a segment caught
//! while closing is late, never counted twice.
//!
//! A thread that loses its processor between reading the clock and storing its event stores that event late: a pass in
//! between counted that time for the node that seemed open, and the event gives it to another one. An amount that a pass
//! reported is not taken back, so two rules keep the sums true:
//!
//! ```text
//!   Σ reported ≤ time that the thread has lived   the other node is reported later, as far as there is room
//!   measured   = exclusive + open share           the profile shows this: as last read, never counted twice
//! ```

use std::sync::atomic::{AtomicU64, Ordering};

use whyperf_layout::slot::{NodeReading, stamped_pair};
use whyperf_layout::{Head, Node, SlotReadState, UserEventPart, geometry};
use whyperf_model::matching::ClassId;

use crate::memory_room::NodeRoom;
use crate::peer_messages::ThreadMessages;
use crate::region::ThreadSlot;

/// One node as last read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeState {
    /// Index of the parent, always below the node's own; 0 for none.
    pub(crate) parent: u32,
    pub(crate) region: u32,
    pub(crate) object: u32,
    pub(crate) site: u64,
    /// What it counts for; the unset class until the process classified it.
    pub(crate) class: ClassId,
    pub(crate) counters: NodeCounters,
    /// What events cost that it holds, in 1/256 ticks, and was not taken off yet.
    pub(crate) owed: u64,
    /// Ticks that were taken off what it grew by.
    pub(crate) paid: u64,
    /// Ticks of its visits by themselves, in the pass in which they took least; the largest before any.
    pub(crate) quickest: u32,
    /// Closed segments, as last read.
    exclusive: u64,
    /// The segment that was open in the last pass, up to that pass.
    open: u64,
}

/// What a node has, or what it grew by: ticks, visits, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeCounters {
    /// Exclusive ticks, the open share included.
    pub(crate) time: u64,
    pub(crate) visits: u64,
    pub(crate) sent: u64,
    pub(crate) received: u64,
}

/// What one node grew by in a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeGrowth {
    pub(crate) node: u32,
    pub(crate) by: NodeCounters,
}

/// How thorough a pass is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Only what the stamps say changed.
    Changed,
    /// Every node, whatever the stamps say.
    All,
    /// Every node, and nothing is open any more: it is not written again.
    Last,
}

/// A thread of a measured process.
#[derive(Debug)]
pub(crate) struct MeasuredThread {
    /// Its number in its process, by order of appearance.
    pub(crate) number: u32,
    pub(crate) slot: usize,
    pub(crate) tid: u32,
    /// The number by which it calls itself.
    pub(crate) own_tid: u32,
    pub(crate) nodes: Vec<NodeState>,
    /// Passes in a row in which nothing happened.
    pub(crate) still: u32,
    /// Readings that could not be true.
    pub(crate) doubted: u64,
    stamps: Vec<u64>,
    watch: SlotReadState,
    start: u64,
    /// The closed segments of all nodes.
    closed: u64,
    /// What all nodes were told to have.
    told: u64,
    /// The node that was open in the last pass.
    open: Option<usize>,
    /// The last pass in which it was alive.
    alive_at: u64,
    /// What it sent and received by rank.
    pub(crate) messages: ThreadMessages,
    room: NodeRoom,
    /// Nodes that are there and found no room.
    pub(crate) unread: u64,
}

/// How much of a node's growth was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReportedGrowth {
    All,
    /// The rest is told in a later pass.
    Part,
}

/// Times of events may lie this far after the pass's own time: the slot is read later, by as much
/// as a busy machine keeps the daemon waiting in between.
const LATER: u64 = 1 << 30;
/// Tries to catch a node between two of its visits.
const TRIES: u32 = 8;

impl MeasuredThread {
    /// A thread first seen at `now`; a start that lies later than that is not believed.
    /// The system calls it by `tid`.
    pub(crate) fn new(
        number: u32,
        slot: usize,
        head: &Head,
        tid: u32,
        now: u64,
        room: NodeRoom,
    ) -> Self {
        let start = head.start.load(Ordering::Relaxed);
        Self {
            number,
            slot,
            tid,
            own_tid: head.tid.load(Ordering::Relaxed),
            nodes: Vec::new(),
            still: 0,
            doubted: 0,
            stamps: Vec::new(),
            watch: SlotReadState::default(),
            start: start.min(now),
            closed: 0,
            told: 0,
            open: None,
            alive_at: 0,
            messages: ThreadMessages::default(),
            room,
            unread: 0,
        }
    }

    /// Reads what changed up to `now` and appends what each node grew by. New nodes come without a
    /// class. Answers how deep it went: a thread that ended in order was read a last time.
    pub(crate) fn pass(
        &mut self,
        slot: &ThreadSlot<'_>,
        now: u64,
        depth: Depth,
        growth: &mut Vec<NodeGrowth>,
    ) -> Depth {
        let depth = if slot.head.is_dead() { Depth::Last } else { depth };
        let now = if depth == Depth::Last { self.last_moment(slot.head, now) } else { now };
        let unchanged = self.watch.unchanged(slot.head);
        if unchanged && depth == Depth::Changed {
            self.still = self.still.saturating_add(1);
        } else {
            self.still = if unchanged { self.still.saturating_add(1) } else { 0 };
            self.read_nodes(slot, now, depth != Depth::Changed, growth);
        }
        let open = self.watch.open(slot.head, now.saturating_add(LATER));
        if let Some(node) = self.open.take().and_then(|index| self.nodes.get_mut(index)) {
            node.open = 0;
        }
        if depth != Depth::Last {
            self.alive_at = now;
        }
        // What was killed closed nothing: that it was in this segment is known until it was last seen alive.
        if !slot.head.is_dead() {
            self.add_open_share(open.node, open.since, self.alive_at, growth);
        }
        depth
    }

    /// A thread may have ended after the pass's own time, while the pass was under way.
    fn last_moment(&self, head: &Head, now: u64) -> u64 {
        head.end.load(Ordering::Relaxed).clamp(now, now.saturating_add(LATER))
    }

    /// The node that was open in the last pass.
    pub(crate) fn open_node(&self) -> Option<&NodeState> {
        self.nodes.get(self.open?)
    }

    /// Learns of new nodes; answers how many are known.
    pub(crate) fn take_keys(&mut self, slot: &ThreadSlot<'_>) -> usize {
        let all = slot.head.published_nodes() as usize;
        let all = all.min(geometry::NODE_CAPACITY);
        let known = self.nodes.len();
        let count = known + self.room.take(all.saturating_sub(known));
        self.unread = all.saturating_sub(count) as u64;
        for (index, node) in slot.nodes.iter().enumerate().take(count).skip(known) {
            self.nodes.push(NodeState::new(node, index));
        }
        count
    }

    /// It will not be read any more; its nodes stay for the profile.
    pub(crate) fn forget_stamps(&mut self) {
        self.stamps = Vec::new();
    }

    fn read_nodes(
        &mut self,
        slot: &ThreadSlot<'_>,
        now: u64,
        all: bool,
        growth: &mut Vec<NodeGrowth>,
    ) {
        let count = self.take_keys(slot);
        self.stamps.resize(count.div_ceil(2), 0);
        let words = self.stamps.len();
        let mut at = 0;
        while at < words {
            if !all {
                at = next_difference(&self.stamps, slot.stamps, at);
            }
            if at < words {
                self.read_pair(slot, at, all, now, growth);
            }
            at += 1;
        }
    }

    /// Reads the one or two nodes of a pair of stamps that differ from the copy, or both.
    fn read_pair(
        &mut self,
        slot: &ThreadSlot<'_>,
        at: usize,
        both: bool,
        now: u64,
        growth: &mut Vec<NodeGrowth>,
    ) {
        let seen = stamped_pair(&slot.stamps[at]);
        let differs = if both { u64::MAX } else { seen ^ self.stamps[at] };
        let mut copy = seen;
        for (half, mask) in [0xffff_ffff, 0xffff_ffff << 32].into_iter().enumerate() {
            let index = 2 * at + half;
            let changed = differs & mask != 0 && index < self.nodes.len();
            if changed && !self.read_node(slot, index, now, growth) {
                // Torn, or told in part: the copy stays as it was, so the next pass comes back.
                copy = (copy & !mask) | (self.stamps[at] & mask);
            }
        }
        self.stamps[at] = copy;
    }

    /// Reads one node; false when its writer was in between every time, or a part is yet to be told.
    fn read_node(
        &mut self,
        slot: &ThreadSlot<'_>,
        index: usize,
        now: u64,
        growth: &mut Vec<NodeGrowth>,
    ) -> bool {
        let Some(reading) = (0..TRIES).find_map(|_| slot.nodes[index].read()) else { return false };
        if UserEventPart::at_site(self.nodes[index].site).is_some_and(|part| !part.grows()) {
            self.nodes[index].take_state(&reading);
            return true;
        }
        let state = &self.nodes[index];
        let closed = self.closed.saturating_add(forward(state.exclusive, reading.exclusive));
        let is_too_much = closed > self.lived(now).saturating_add(LATER);
        if is_too_much || !state.is_believable(&reading) {
            self.doubted += 1;
            return true;
        }
        self.closed = closed;
        let by = NodeCounters {
            time: forward(state.counters.time, reading.exclusive),
            visits: forward(state.counters.visits, reading.visits),
            sent: forward(state.counters.sent, reading.moved.out),
            received: forward(state.counters.received, reading.moved.r#in),
        };
        self.nodes[index].exclusive = reading.exclusive;
        self.grow(index, by, now, growth) == ReportedGrowth::All
    }

    fn add_open_share(&mut self, offset: u32, since: u64, now: u64, growth: &mut Vec<NodeGrowth>) {
        let Some(index) = geometry::node_index(offset) else { return };
        let Some(state) = self.nodes.get_mut(index) else { return };
        state.open = forward(since.max(self.start), now);
        let time = forward(state.counters.time, state.measured());
        self.open = Some(index);
        self.grow(index, NodeCounters { time, ..NodeCounters::default() }, now, growth);
    }

    /// Takes growth in, of time as much as the thread has lived and no node was told of.
    fn grow(
        &mut self,
        index: usize,
        by: NodeCounters,
        now: u64,
        growth: &mut Vec<NodeGrowth>,
    ) -> ReportedGrowth {
        let room = self.lived(now).saturating_sub(self.told);
        let told = if by.time > room { ReportedGrowth::Part } else { ReportedGrowth::All };
        let by = NodeCounters { time: by.time.min(room), ..by };
        if by == NodeCounters::default() {
            return told;
        }
        self.told += by.time;
        let counters = &mut self.nodes[index].counters;
        counters.time = counters.time.wrapping_add(by.time);
        counters.visits = counters.visits.wrapping_add(by.visits);
        counters.sent = counters.sent.wrapping_add(by.sent);
        counters.received = counters.received.wrapping_add(by.received);
        growth.push(NodeGrowth { node: u32::try_from(index).unwrap_or(0), by });
        told
    }

    fn lived(&self, now: u64) -> u64 {
        forward(self.start, now)
    }
}

impl NodeState {
    fn new(node: &Node, index: usize) -> Self {
        let parent = geometry::node_index(node.parent.load(Ordering::Relaxed));
        Self {
            parent: parent
                .filter(|parent| *parent < index)
                .and_then(|parent| u32::try_from(parent).ok())
                .unwrap_or(0),
            region: node.region.load(Ordering::Relaxed),
            object: node.object.load(Ordering::Relaxed),
            site: node.site.load(Ordering::Relaxed),
            class: ClassId::UNSET,
            counters: NodeCounters::default(),
            owed: 0,
            paid: 0,
            quickest: u32::MAX,
            exclusive: 0,
            open: 0,
        }
    }

    /// Of a part of a gauge that does not grow: what it is now. Nothing is told of it to pairs.
    const fn take_state(&mut self, reading: &NodeReading) {
        self.counters.visits = reading.visits;
        self.counters.sent = reading.moved.out;
        self.counters.received = reading.moved.r#in;
    }

    /// Exclusive ticks as last read, up to the last pass.
    const fn measured(&self) -> u64 {
        self.exclusive.wrapping_add(self.open)
    }

    /// The same without what events cost.
    pub(crate) const fn net_time(&self) -> u64 {
        self.measured().saturating_sub(self.paid)
    }

    /// A node below another, for tests of what is done with nodes.
    #[cfg(test)]
    pub(crate) fn example(parent: u32) -> Self {
        let (counters, class) = (NodeCounters::default(), ClassId::UNSET);
        let (region, object, site) = (0, 0, 0);
        let (quickest, exclusive, open) = (u32::MAX, 0, 0);
        Self {
            parent,
            region,
            object,
            site,
            class,
            counters,
            owed: 0,
            paid: 0,
            quickest,
            exclusive,
            open,
        }
    }

    /// No program makes 2^56 visits or moves 2^62 bytes between two looks.
    fn is_believable(&self, reading: &NodeReading) -> bool {
        forward(self.counters.visits, reading.visits) < 1 << 56
            && forward(self.counters.sent, reading.moved.out) < 1 << 62
            && forward(self.counters.received, reading.moved.r#in) < 1 << 62
    }
}

/// How far a counter went forward; backwards is not far.
fn forward(from: u64, to: u64) -> u64 {
    let distance = to.wrapping_sub(from);
    if distance >> 63 == 1 { 0 } else { distance }
}

/// The first word from `at` on that differs, or the length.
fn next_difference(copy: &[u64], stamps: &[AtomicU64], mut at: usize) -> usize {
    let length = copy.len().min(stamps.len());
    // Eight at a time: one branch for sixteen stamps, and the loads run ahead of it.
    while at + 8 <= length {
        let differs = copy[at..at + 8]
            .iter()
            .zip(&stamps[at..at + 8])
            .fold(0, |sum, (ours, theirs)| sum | (ours ^ theirs.load(Ordering::Relaxed)));
        if differs != 0 {
            break;
        }
        at += 8;
    }
    while at < length && copy[at] == stamps[at].load(Ordering::Relaxed) {
        at += 1;
    }
    if at >= length { copy.len() } else { at }
}
