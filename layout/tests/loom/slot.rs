//! The protocols of the region under every interleaving that loom explores; each has mutants.
//!
//! A mutant weakens one ordering. `cargo xtask test --only mutants` builds each of them and
//! demands that a model here fails; these are named in the macro `or_relaxed` of the sources:
//! `loom_mutant = "whole_store"`, `loom_mutant = "whole_load"`,
//! `loom_mutant = "changed_store"`, `loom_mutant = "changed_load"`,
//! `loom_mutant = "settled_store"`, `loom_mutant = "settled_load"`,
//! `loom_mutant = "made_store"`, `loom_mutant = "made_load"`,
//! `loom_mutant = "taken_store"`, `loom_mutant = "taken_load"`,
//! `loom_mutant = "doorbell_store"`, `loom_mutant = "doorbell_load"`.
//! Both sides run in spawned threads, because loom explores less of what the main thread sees, and
//! every word of a model has a value of its own.
#![cfg(loom)]

use loom::sync::Arc;
use loom::sync::atomic::AtomicU32;
use loom::sync::atomic::Ordering::Relaxed;
use loom::thread;
use whyperf_layout::ring::{Command, CommandPage, Message, ReplyPage};
use whyperf_layout::slot::{self, low, pack};
use whyperf_layout::{Head, Moved, Node, Reading, Watch};

const ROOT: u32 = 64;
const CHILD: u32 = 128;
const START: u64 = 0x3_0000_1000;
const BEGUN: u64 = 0x3_0000_1017;
const ENDED: u64 = 0x4_0000_2345;
const LAST: u64 = 0x5_0000_0100;
const MOVED: Moved = Moved { out: 7, r#in: 11 };
const MORE: Moved = Moved { out: 70, r#in: 110 };

/// A slot with a root and one child, the root current since `START`.
#[derive(Default)]
struct Slot {
    head: Head,
    nodes: [Node; 2],
    stamps: [AtomicU32; 2],
}

impl Slot {
    fn new() -> Arc<Self> {
        let slot = Self::default();
        slot.head.word.store(pack(ROOT, START), Relaxed);
        slot.head.last.store(START, Relaxed);
        Arc::new(slot)
    }

    fn begin(&self, now: u64) {
        slot::begin(&self.head, &self.nodes[0], &self.stamps[0], CHILD, now);
    }

    fn end(&self, now: u64, moved: Moved) {
        slot::end(&self.head, &self.nodes[1], &self.stamps[1], ROOT, now, moved);
    }

    /// Time in the nodes, as a reader sees it.
    fn time(&self) -> u64 {
        self.nodes.iter().map(|node| node.exclusive.load(Relaxed)).sum()
    }

    /// Time in the nodes, read before the word, is never more than has passed at the word.
    fn check_time(&self, clock: u64) {
        let time = self.time();
        let since = Watch::default().open(&self.head, clock).since;
        assert!(time <= since - START, "{time:#x} in the nodes, open since {since:#x}");
    }
}

/// Runs writer and reader, each in a thread of its own.
fn model(writer: fn(&Slot), reader: fn(&Slot)) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        let slot = Slot::new();
        let threads = [(writer, slot.clone()), (reader, slot)]
            .map(|(work, slot)| thread::spawn(move || work(&slot)));
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

#[test]
fn a_begin_is_never_counted_twice() {
    model(|slot| slot.begin(BEGUN), |slot| slot.check_time(BEGUN));
}

#[test]
fn an_end_is_never_counted_twice() {
    model(|slot| slot.end(ENDED, MOVED), |slot| slot.check_time(ENDED));
}

#[test]
fn a_pair_is_never_counted_twice() {
    model(
        |slot| {
            slot.begin(BEGUN);
            slot.end(ENDED, MOVED);
        },
        |slot| slot.check_time(ENDED),
    );
}

#[test]
fn a_node_is_never_torn() {
    model(
        |slot| {
            slot.end(ENDED, MOVED);
            slot.end(LAST, MORE);
        },
        |slot| {
            let first = Reading { visits: 1, exclusive: ENDED - START, moved: MOVED };
            let both =
                Reading { visits: 2, exclusive: LAST - START, moved: Moved { out: 77, r#in: 121 } };
            if let Some(read) = slot.nodes[1].read() {
                assert!([Reading::default(), first, both].contains(&read), "torn: {read:?}");
            }
        },
    );
}

#[test]
fn a_stamp_promises_its_change() {
    model(
        |slot| slot.end(ENDED, MOVED),
        |slot| {
            if slot::stamped(&slot.stamps[1]) == low(ENDED) {
                let whole = Reading { visits: 1, exclusive: ENDED - START, moved: MOVED };
                assert_eq!(slot.nodes[1].read(), Some(whole));
            }
        },
    );
}

#[test]
fn a_slot_called_unchanged_had_been_read_whole() {
    loom::model(|| {
        let slot = Slot::new();
        let writer = thread::spawn({
            let slot = slot.clone();
            move || slot.begin(BEGUN)
        });
        let reader = thread::spawn({
            let slot = slot.clone();
            move || {
                let mut watch = Watch::default();
                watch.unchanged(&slot.head);
                let time = slot.time();
                (watch.unchanged(&slot.head).then_some(time), watch)
            }
        });
        writer.join().unwrap();
        let (time, mut watch) = reader.join().unwrap();
        // Unchanged twice until after the writer's end: it was begun before the nodes were read.
        if let Some(time) = time
            && watch.unchanged(&slot.head)
        {
            assert_eq!(time, BEGUN - START);
        }
    });
}

#[test]
fn messages_arrive_whole_and_in_order() {
    loom::model(|| {
        let pages = Arc::new((CommandPage::default(), ReplyPage::default()));
        let sender = thread::spawn({
            let pages = pages.clone();
            move || {
                for number in 1..=3 {
                    while !pages.0.send(&pages.1, message(number)) {
                        thread::yield_now();
                    }
                }
            }
        });
        let receiver = thread::spawn(move || {
            for number in 1..=3 {
                let received = loop {
                    if let Some(received) = pages.0.receive(&pages.1) {
                        break received;
                    }
                    thread::yield_now();
                };
                assert_eq!(received, message(number));
            }
        });
        sender.join().unwrap();
        receiver.join().unwrap();
    });
}

#[test]
fn a_bell_announces_its_message() {
    loom::model(|| {
        let pages = Arc::new((CommandPage::default(), ReplyPage::default()));
        let sender = thread::spawn({
            let pages = pages.clone();
            move || assert!(pages.0.send(&pages.1, message(1)))
        });
        let agent = thread::spawn(move || {
            if pages.0.rung() == 1 {
                assert_eq!(pages.0.receive(&pages.1), Some(message(1)));
            }
        });
        sender.join().unwrap();
        agent.join().unwrap();
    });
}

fn message(number: u64) -> Message {
    let what = Command::SwitchOn as u64 + 100 * number;
    Message { what, arguments: [number + 1000, number + 2000, number + 3000] }
}
