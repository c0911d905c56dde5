//! Publication: the writer stores the content first, then the word that announces it; the reader reads in the opposite
//! order.
//!
//! ```text
//!   writer                                    reader
//!   1  record, string, key, times (relaxed)   word               (acquire)
//!   2  word                       (release)   that content       (relaxed)
//! ```
//! This file has the words, each with both ends; the content is stored by the code that has it.

use crate::header::{Header, MAGIC, RegionState};
use crate::metadata::{MetadataEntry, MetadataTable};
use crate::slot::{Head, SlotState};
use crate::sync::{AtomicU32, Ordering, or_relaxed};
use crate::table::ObjectRecord;

impl Header {
    /// Process: the region may be read from here on.
    pub fn publish(&self) {
        // SYNC ready with Header::published
        self.magic.store(MAGIC, or_relaxed("ready_store", Ordering::Release));
    }

    /// Daemon: [`MAGIC`] once the region may be read, 0 before.
    #[must_use]
    pub fn published(&self) -> u64 {
        // SYNC ready with Header::publish
        self.magic.load(or_relaxed("ready_load", Ordering::Acquire))
    }

    /// Process: so many regions are filled.
    pub fn publish_regions(&self, count: u32) {
        raise(&self.region_count, count);
    }

    /// Reader: regions that are filled.
    #[must_use]
    pub fn published_regions(&self) -> u32 {
        raised(&self.region_count)
    }

    /// Process: so many objects are filled.
    pub fn publish_objects(&self, count: u32) {
        raise(&self.object_count, count);
    }

    /// Reader: objects that are filled.
    #[must_use]
    pub fn published_objects(&self) -> u32 {
        raised(&self.object_count)
    }

    /// Process: the strings are written up to this offset.
    pub fn publish_strings(&self, end: u32) {
        raise(&self.strings_used, end);
    }

    /// Reader: offset up to which strings are written.
    #[must_use]
    pub fn published_strings(&self) -> u32 {
        raised(&self.strings_used)
    }

    /// Process: no event will follow, `now` being its end.
    pub fn leave(&self, now: u64) {
        self.end(now, RegionState::Left);
    }

    /// Process: the same, and it goes on.
    pub fn go_on_alone(&self, now: u64) {
        self.end(now, RegionState::Alone);
    }

    fn end(&self, now: u64, state: RegionState) {
        self.end_ticks.store(now, Ordering::Relaxed);
        self.set_state(state);
    }

    /// Process: where it stands.
    pub fn set_state(&self, state: RegionState) {
        // SYNC state with Header::state
        self.state.store(state as u32, or_relaxed("state_store", Ordering::Release));
    }

    /// Reader: where the process says it stands; nonsense counts as running. Whoever sees that it
    /// left sees when.
    #[must_use]
    pub fn state(&self) -> RegionState {
        // SYNC state with Header::set_state
        match self.state.load(or_relaxed("state_load", Ordering::Acquire)) {
            0 => RegionState::Preparing,
            2 => RegionState::Left,
            3 => RegionState::Replaced,
            4 => RegionState::GivenUp,
            5 => RegionState::Alone,
            _ => RegionState::Running,
        }
    }
}

fn raise(count: &AtomicU32, to: u32) {
    count.store(to, or_relaxed("tables_store", Ordering::Release)); // SYNC tables with raised
}

fn raised(count: &AtomicU32) -> u32 {
    count.load(or_relaxed("tables_load", Ordering::Acquire)) // SYNC tables with raise
}

fn rename(name: &AtomicU32, to: u32) {
    name.store(to, or_relaxed("renamed_store", Ordering::Release)); // SYNC renamed with named
}

fn named(name: &AtomicU32) -> u32 {
    name.load(or_relaxed("renamed_load", Ordering::Acquire)) // SYNC renamed with rename
}

impl MetadataTable {
    /// Process: so many entries are filled.
    pub fn publish(&self, count: u32) {
        raise(&self.count, count);
    }

    pub(crate) fn published_count(&self) -> u32 {
        raised(&self.count)
    }

    /// Child of a fork: says what the parent's says, the child having the parent's strings up to that offset. The parent may change
    /// a value meanwhile, to a string that the child has not; then the child says nothing under that key.
    pub fn inherit(&self, parents: &Self, strings: u32) {
        let mut count = 0;
        for (from, to) in parents.published().iter().zip(&self.entries) {
            let (key, value) = (&from.key, &from.value);
            let [key, value] = [key, value].map(|word| word.load(Ordering::Relaxed));
            if key >= strings {
                break;
            }
            to.key.store(key, Ordering::Relaxed);
            to.value.store(if value < strings { value } else { 0 }, Ordering::Relaxed);
            count += 1;
        }
        self.count.store(count, Ordering::Relaxed);
    }
}

impl MetadataEntry {
    /// Process: the string at this offset is the value now.
    pub fn set_value(&self, value: u32) {
        rename(&self.value, value);
    }

    /// Reader: offset of the value, whose string is written.
    #[must_use]
    pub fn value_at(&self) -> u32 {
        named(&self.value)
    }
}

impl ObjectRecord {
    /// Process: the string at this offset is the object's name now.
    pub fn rename(&self, name: u32) {
        rename(&self.name, name);
    }

    /// Reader: offset of the object's name, whose string is written.
    #[must_use]
    pub fn name_at(&self) -> u32 {
        named(&self.name)
    }

    /// Child of a fork: becomes what the parent's record is, the child having the parent's strings
    /// up to that offset. The parent may rename it meanwhile, by a string that the child has not;
    /// then the key says all.
    pub fn inherit(&self, parents: &Self, strings: u32) {
        for (from, to) in [
            (&parents.kind, &self.kind),
            (&parents.parent, &self.parent),
            (&parents.retired, &self.retired),
        ] {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        for (from, to) in [(&parents.key, &self.key), (&parents.site, &self.site)] {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        let name = parents.name.load(Ordering::Relaxed);
        self.name.store(if name < strings { name } else { 0 }, Ordering::Relaxed);
    }
}

impl Head {
    /// Thread: the slot is this thread's, and everything about it is stored.
    pub fn go_live(&self, tid: u32) {
        self.tid.store(tid, Ordering::Relaxed);
        self.state.store(SlotState::Live as u32, Ordering::Relaxed);
        let next = self.generation.load(Ordering::Relaxed).wrapping_add(1);
        // SYNC claimed with Head::life
        self.generation.store(next, or_relaxed("claimed_store", Ordering::Release));
    }

    /// Reader: number of the life the slot is in, or was in last; 0 before the first. Whoever sees
    /// it sees how that life began, and nothing of the one before.
    #[must_use]
    pub fn life(&self) -> u32 {
        // SYNC claimed with Head::go_live
        self.generation.load(or_relaxed("claimed_load", Ordering::Acquire))
    }

    /// Thread: no event will follow; the last segment is closed.
    pub fn set_dead(&self) {
        // SYNC ended with Head::is_dead
        self.state.store(SlotState::Dead as u32, or_relaxed("ended_store", Ordering::Release));
    }

    /// Reader: whether no event will follow; then all of them are seen.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        // SYNC ended with Head::set_dead
        self.state.load(or_relaxed("ended_load", Ordering::Acquire)) == SlotState::Dead as u32
    }

    /// Thread: so many nodes have their key.
    pub fn publish_nodes(&self, count: u32) {
        // SYNC nodes with Head::published_nodes
        self.nodes.store(count, or_relaxed("nodes_store", Ordering::Release));
    }

    /// Reader: nodes that have their key.
    #[must_use]
    pub fn published_nodes(&self) -> u32 {
        // SYNC nodes with Head::publish_nodes
        self.nodes.load(or_relaxed("nodes_load", Ordering::Acquire))
    }
}
