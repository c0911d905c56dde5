//! Models of data that the threads of a measured process share on their cold paths.

use loom::sync::atomic::AtomicU32;
use loom::sync::atomic::Ordering::Relaxed;
use loom::thread;
use whyperf_layout::{Head, Header, Node, ObjectRecord};

use crate::directory::Directory;
use crate::number::Number;
use crate::once_pointer::OncePointer;
use crate::process_status::{MeasurementStage, StageWord};
use crate::spin_lock::SpinLock;
use crate::{explore, explore_then};

#[test]
fn a_spin_lock_has_one_holder_at_a_time() {
    let count = |(lock, count): &(SpinLock, AtomicU32)| {
        lock.take(thread::yield_now);
        count.store(count.load(Relaxed) + 1, Relaxed);
        lock.give();
    };
    explore_then(Default::default, [count, count], |(_, count)| assert_eq!(count.load(Relaxed), 2));
}

#[test]
fn what_was_decided_is_known_with_its_reasons() {
    let decide = |(status, setting): &(StageWord, AtomicU32)| {
        setting.store(7, Relaxed);
        status.decide(MeasurementStage::Wanted);
    };
    explore(Default::default, decide, |(status, setting)| {
        assert!(!status.is(MeasurementStage::Wanted) || setting.load(Relaxed) == 7);
    });
}

#[test]
fn an_attached_process_has_its_tables() {
    let make = || {
        let made: (StageWord, AtomicU32) = Default::default();
        made.0.decide(MeasurementStage::Wanted);
        made
    };
    let attach = |(status, tables): &(StageWord, AtomicU32)| {
        tables.store(9, Relaxed);
        status.resolve(MeasurementStage::Attached);
    };
    explore(make, attach, |(status, tables)| {
        assert!(!status.is(MeasurementStage::Attached) || tables.load(Relaxed) == 9);
    });
}

/// Something whole, once it has that number.
struct Choice {
    pointer: OncePointer<AtomicU32>,
    number: &'static AtomicU32,
}

#[test]
fn what_a_once_pointer_leads_to_is_whole() {
    let make = || Choice { pointer: OncePointer::default(), number: Box::leak(Box::default()) };
    let choose = |choice: &Choice| {
        choice.number.store(5, Relaxed);
        choice.pointer.set(choice.number);
    };
    explore(make, choose, |choice| {
        assert!(choice.pointer.get().is_none_or(|number| number.load(Relaxed) == 5));
    });
}

/// An object's record and where its number is looked for.
struct Objects {
    record: ObjectRecord,
    directory: &'static Directory,
}

#[test]
fn an_object_in_the_directory_has_its_record() {
    const HASH: u64 = 1 << 40;
    let make = || Objects { record: ObjectRecord::default(), directory: Box::leak(Box::default()) };
    let add = |objects: &Objects| {
        objects.record.key.store(17, Relaxed);
        objects.directory.chain(HASH).find(|entry| entry.number().is_none()).unwrap().name(1);
    };
    explore(make, add, |objects| {
        let found = objects.directory.chain(HASH).find_map(|entry| entry.number());
        assert!(found.is_none() || objects.record.key.load(Relaxed) == 17);
    });
}

/// A region of the program, and a node of one thread's.
#[derive(Default)]
struct Begun {
    number: Number,
    header: Header,
    head: Head,
    node: Node,
}

#[test]
fn a_node_names_a_region_that_is_counted() {
    let register = |begun: &Begun| {
        begun.header.publish_regions(2);
        begun.number.give(1);
    };
    let visit = |begun: &Begun| {
        begun.node.region.store(begun.number.get(), Relaxed);
        begun.head.publish_nodes(4);
    };
    let read = |begun: &Begun| {
        if begun.head.published_nodes() == 4 && begun.node.region.load(Relaxed) == 1 {
            assert_eq!(begun.header.published_regions(), 2);
        }
    };
    explore_then(Begun::default, [register, visit, read], |_| ());
}
