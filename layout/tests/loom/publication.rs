//! Models of publication: a reader that sees the word sees the content before it.

use loom::sync::atomic::AtomicU32;
use loom::sync::atomic::Ordering::Relaxed;
use whyperf_layout::slot::{self, pack};
use whyperf_layout::{
    Head, Header, MAGIC, Node, ObjectRecord, RegionRecord, RegionState, SlotState, VERSION,
};

use crate::explore;

/// Tables with one record each, and a string at [`TEXT`].
#[derive(Default)]
struct Tables {
    header: Header,
    region: RegionRecord,
    object: ObjectRecord,
    text: [AtomicU32; 2],
}

const TEXT: u32 = 4;
const TEXT_END: u32 = 12;
const LETTERS: [u32; 2] = [4, 0x6c65_6168];

impl Tables {
    fn write_text(&self) {
        for (word, letters) in self.text.iter().zip(LETTERS) {
            word.store(letters, Relaxed);
        }
        self.header.publish_strings(TEXT_END);
    }

    fn letters(&self) -> [u32; 2] {
        [&self.text[0], &self.text[1]].map(|word| word.load(Relaxed))
    }
}

#[test]
fn a_ready_region_has_its_header() {
    let make = |tables: &Tables| {
        tables.header.version.store(VERSION, Relaxed);
        tables.header.slot_capacity.store(7, Relaxed);
        tables.header.publish();
    };
    explore(Tables::default, make, |tables| {
        if tables.header.published() == MAGIC {
            assert_eq!(tables.header.version.load(Relaxed), VERSION);
            assert_eq!(tables.header.slot_capacity.load(Relaxed), 7);
        }
    });
}

#[test]
fn a_counted_region_is_filled() {
    let append = |tables: &Tables| {
        tables.write_text();
        tables.region.name.store(TEXT, Relaxed);
        tables.region.address.store(0x1234, Relaxed);
        tables.header.publish_regions(2);
    };
    explore(Tables::default, append, |tables| {
        if tables.header.published_regions() == 2 {
            assert_eq!(tables.region.name.load(Relaxed), TEXT);
            assert_eq!(tables.region.address.load(Relaxed), 0x1234);
            assert_eq!(tables.letters(), LETTERS);
        }
    });
}

#[test]
fn a_window_just_closing_is_never_counted_twice() {
    let open = || {
        let region = RegionRecord::default();
        region.uncover(10);
        region
    };
    explore(open, |region| region.cover(30), |region| assert!(region.coverage(30) <= 20));
}

#[test]
fn a_counted_object_is_filled() {
    let append = |tables: &Tables| {
        tables.object.key.store(17, Relaxed);
        tables.header.publish_objects(2);
    };
    explore(Tables::default, append, |tables| {
        if tables.header.published_objects() == 2 {
            assert_eq!(tables.object.key.load(Relaxed), 17);
        }
    });
}

#[test]
fn a_child_inherits_no_name_without_its_string() {
    let rename = |(tables, _): &(Tables, ObjectRecord)| {
        tables.write_text();
        tables.object.rename(TEXT);
    };
    explore(Default::default, rename, |(tables, childs)| {
        let strings = tables.header.published_strings();
        let letters = tables.letters();
        childs.inherit(&tables.object, strings);
        assert!(childs.name.load(Relaxed) == 0 || letters == LETTERS);
    });
}

#[test]
fn a_new_name_is_written() {
    let rename = |tables: &Tables| {
        tables.write_text();
        tables.object.rename(TEXT);
    };
    explore(Tables::default, rename, |tables| {
        assert!(tables.object.name_at() != TEXT || tables.letters() == LETTERS);
    });
}

#[test]
fn a_process_that_left_says_when() {
    let leave = |tables: &Tables| tables.header.leave(99);
    explore(Tables::default, leave, |tables| {
        if tables.header.state() == RegionState::Left {
            assert_eq!(tables.header.end_ticks.load(Relaxed), 99);
        }
    });
}

/// A slot with one node and its stamp.
#[derive(Default)]
struct Slot {
    head: Head,
    node: Node,
    stamp: AtomicU32,
}

const ROOT: u32 = 64;
const START: u64 = 0x3_0000_1000;
const END: u64 = 0x3_0000_1017;

impl Slot {
    /// The slot of a thread that ended.
    fn left_behind() -> Self {
        let slot = Self::default();
        slot.head.go_live(31);
        slot.head.set_dead();
        slot
    }

    /// The slot of a thread that was started.
    fn live() -> Self {
        let slot = Self::default();
        slot.head.word.store(pack(ROOT, START), Relaxed);
        slot.head.last.store(START, Relaxed);
        slot.head.go_live(31);
        slot
    }
}

#[test]
fn a_new_life_is_seen_whole() {
    let claim = |slot: &Slot| {
        slot.head.state.store(SlotState::Free as u32, Relaxed);
        slot.head.start.store(START, Relaxed);
        slot.head.word.store(pack(ROOT, START), Relaxed);
        slot.head.go_live(32);
    };
    explore(Slot::left_behind, claim, |slot| {
        if slot.head.life() == 2 {
            assert!(!slot.head.is_dead(), "the life before is over, not this one");
            assert_eq!(slot.head.tid.load(Relaxed), 32);
            assert_eq!(slot.head.start.load(Relaxed), START);
            assert_eq!(slot.head.word.load(Relaxed), pack(ROOT, START));
        }
    });
}

#[test]
fn a_dead_slot_has_its_last_segment() {
    let finish = |slot: &Slot| {
        slot::begin(&slot.head, &slot.node, &slot.stamp, ROOT, END);
        slot.head.end.store(END, Relaxed);
        slot.head.set_dead();
    };
    explore(Slot::live, finish, |slot| {
        if slot.head.is_dead() {
            assert_eq!(slot.node.exclusive.load(Relaxed), END - START);
            assert_eq!(slot.head.end.load(Relaxed), END);
        }
    });
}

#[test]
fn a_counted_node_has_its_key() {
    let make = |slot: &Slot| {
        slot.node.site.store(0x1234, Relaxed);
        slot.node.region.store(3, Relaxed);
        slot.node.parent.store(ROOT, Relaxed);
        slot.head.publish_nodes(4);
    };
    explore(Slot::default, make, |slot| {
        if slot.head.published_nodes() == 4 {
            assert_eq!(slot.node.site.load(Relaxed), 0x1234);
            assert_eq!(slot.node.region.load(Relaxed), 3);
            assert_eq!(slot.node.parent.load(Relaxed), ROOT);
        }
    });
}
