//! A region's writers and its reader in threads of one process, in the same memory: where a sanitizer, or an
//! interpreter of the memory model, sees both ends of each protocol at once.
#![cfg(not(loom))]

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::thread;

use whyperf_layout::patch::StubCode;
use whyperf_layout::slot::{self, low, pack, stamped};
use whyperf_layout::{
    Answer, Command, CommandPage, Head, Header, MAGIC, Moved, Node, ObjectRecord, Patch,
    PatchRecord, RegionState, Reply, ReplyPage, SlotReadState,
};

/// Looks of the reader; an interpreter takes a thousand times as long for each.
const LOOKS: u32 = if cfg!(miri) { 40 } else { 20_000 };
/// Commands, each of which waits for the other thread twice.
const ASKED: u32 = LOOKS / 20;
const NODES: usize = 16;
const WRITERS: usize = 3;
const START: u64 = 0x3_ffff_0000;
/// Of each visit of a child: its time, and what it moves.
const VISIT: u64 = 3;
const MOVED: Moved = Moved { out: 5, r#in: 7 };
/// Time between two visits, which is the root's.
const BETWEEN: u64 = 2;

/// A slot of few nodes, the first of which is the root; nodes are named by their number.
#[derive(Default)]
struct Slot {
    head: Head,
    nodes: [Node; NODES],
    stamps: [AtomicU32; NODES],
}

impl Slot {
    /// Its thread: visits children, of which there are more and more, until it is told to end.
    fn write(&self, stop: &AtomicBool) -> u64 {
        self.head.start.store(START, Relaxed);
        self.head.last.store(START, Relaxed);
        self.head.word.store(pack(0, START), Relaxed);
        self.head.nodes.store(1, Relaxed);
        self.head.go_live(1);
        let mut now = START;
        let mut visits = 0;
        while !stop.load(Relaxed) {
            let child = 1 + visits as usize % (NODES - 1);
            if visits < NODES as u64 - 1 {
                self.nodes[child].site.store(site(child), Relaxed);
                self.head.publish_nodes(child as u32 + 1);
            }
            now += BETWEEN;
            slot::begin(&self.head, &self.nodes[0], &self.stamps[0], child as u32, now);
            now += VISIT;
            slot::end(&self.head, &self.nodes[child], &self.stamps[child], 0, now, MOVED);
            visits += 1;
        }
        self.head.end.store(now, Relaxed);
        self.head.set_dead();
        visits
    }

    /// Its reader, at any moment: whole nodes, and no more time in them than has passed.
    fn look(&self, watch: &mut SlotReadState) {
        if self.head.life() == 0 {
            return;
        }
        watch.unchanged(&self.head);
        let count = self.head.published_nodes() as usize;
        let mut time = self.nodes[0].exclusive.load(Relaxed);
        for (number, node) in self.nodes.iter().enumerate().take(count).skip(1) {
            assert_eq!(node.site.load(Relaxed), site(number), "a node was told before its key");
            let stamp = stamped(&self.stamps[number]);
            let read = node.read();
            assert!(stamp == 0 || read.is_none_or(|read| read.visits > 0), "its stamp was earlier");
            if let Some(read) = read {
                let moved = (read.moved.out, read.moved.r#in);
                let whole = (MOVED.out * read.visits, MOVED.r#in * read.visits);
                assert_eq!((read.exclusive, moved), (VISIT * read.visits, whole), "torn");
            }
            time += node.exclusive.load(Relaxed);
        }
        let open = watch.open(&self.head, START + time);
        assert!(time <= open.since - START, "{time} in the nodes, {} passed", open.since - START);
        assert!((open.node as usize) < NODES);
    }

    /// What is left once its thread ended: each visit, once.
    fn check(&self, visits: u64) {
        assert!(self.head.is_dead());
        let read: Vec<_> =
            self.nodes.iter().map(|node| node.read().expect("none writes")).collect();
        assert_eq!(read.iter().map(|node| node.visits).sum::<u64>(), visits);
        assert_eq!(read.iter().map(|node| node.exclusive).sum::<u64>(), (BETWEEN + VISIT) * visits);
        assert_eq!(low(self.head.word.load(Relaxed)), low(self.head.end.load(Relaxed)));
    }
}

/// Ends the writers when the reader is through, or fails.
struct End<'stop>(&'stop AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

fn site(node: usize) -> u64 {
    node as u64 * 0x1_0001
}

#[test]
fn slots_are_read_while_their_threads_write() {
    let slots: [Slot; WRITERS] = Default::default();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers = slots.each_ref().map(|slot| scope.spawn(|| slot.write(&stop)));
        let end = End(&stop);
        let mut watches = [SlotReadState::default(); WRITERS];
        for _ in 0..LOOKS {
            slots.iter().zip(&mut watches).for_each(|(slot, watch)| slot.look(watch));
        }
        drop(end);
        for (slot, writer) in slots.iter().zip(writers) {
            slot.check(writer.join().expect("a writer asserts nothing"));
        }
    });
}

/// The two rings, and a patch record that goes with each command.
#[derive(Default)]
struct Desk {
    commands: CommandPage,
    replies: ReplyPage,
    record: PatchRecord,
}

impl Desk {
    /// The process's end: whether the record that a command names is whole and of this command.
    fn serve(&self) {
        loop {
            let Some((sequence, message)) = self.commands.receive(&self.replies) else {
                thread::yield_now();
                continue;
            };
            let Some(Command::Arm { first, .. }) = Command::decode(message) else { return };
            let count = u64::from(self.record.read() == patch(first));
            let answer = Answer { to: Some(sequence), reply: Reply::Armed { count } };
            while !self.replies.send(&self.commands, answer.encode()) {
                thread::yield_now();
            }
        }
    }

    /// The daemon's end: fills the record again only after the answer. Whether that was the right one.
    fn ask(&self, number: u32) -> bool {
        self.record.write(&patch(number));
        let command = Command::Arm { first: number, count: 1 };
        let sent = self.commands.send(&self.replies, command.encode());
        let message = loop {
            match self.replies.receive(&self.commands) {
                Some(message) => break message,
                None => thread::yield_now(),
            }
        };
        Answer::decode(message) == Some(Answer { to: sent, reply: Reply::Armed { count: 1 } })
    }
}

fn patch(number: u32) -> Patch {
    let word = u64::from(number);
    let code = StubCode([number as u8; whyperf_layout::patch::CODE]);
    Patch { entry: word, site: 3 * word, boundary_count: word, code, ..Patch::default() }
}

#[test]
fn commands_their_records_and_answers_belong_together() {
    let desk = Desk::default();
    let wrong = thread::scope(|scope| {
        scope.spawn(|| desk.serve());
        let wrong = (0..ASKED).find(|number| !desk.ask(*number));
        desk.commands.send(&desk.replies, Command::Detach { patience: 0 }.encode());
        wrong
    });
    assert_eq!(wrong, None, "a command came without its record, or an answer without its command");
}

#[test]
fn records_that_are_told_of_are_written() {
    let header = Header::default();
    let objects: Vec<ObjectRecord> = (0..LOOKS).map(|_| ObjectRecord::default()).collect();
    thread::scope(|scope| {
        scope.spawn(|| {
            header.version.store(1, Relaxed);
            header.publish();
            for (object, number) in objects.iter().zip(1..) {
                object.key.store(u64::from(number), Relaxed);
                object.rename(number);
                header.publish_objects(number);
            }
            header.leave(u64::from(LOOKS));
        });
        while header.state() != RegionState::Left {
            look(&header, &objects);
        }
        look(&header, &objects);
    });
    assert_eq!((header.published_objects(), header.end_ticks.load(Relaxed)), (LOOKS, LOOKS.into()));
}

fn look(header: &Header, objects: &[ObjectRecord]) {
    if header.published() == MAGIC {
        assert_eq!(header.version.load(Relaxed), 1, "it was told too early");
    }
    let known = header.published_objects();
    let last = known.checked_sub(1).map(|last| &objects[last as usize]);
    assert!(last.is_none_or(|last| last.key.load(Relaxed) == u64::from(known)));
    assert!(last.is_none_or(|last| last.name_at() == known));
}
