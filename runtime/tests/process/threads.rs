//! Threads: many, early, ending, and following each other in one slot.

use crate::measured::{only, own, run};
use crate::visit;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::{Barrier, mpsc};
use std::thread;
use whyperf_layout::{Command, Kind, Message, SlotReadState, SlotState};
use whyperf_runtime::{Region, agent_thread, load};

static WORK: Region = Region::new(c"work", Kind::User);
static SEND: Region = Region::new(c"send", Kind::Send);

#[test]
fn a_thousand_threads_have_a_slot_each() {
    let region = only(run(&[], || {
        let all = Barrier::new(1000);
        thread::scope(|scope| {
            let work = || {
                visit(&WORK, || visit(&WORK, || ()));
                all.wait();
            };
            let small = || thread::Builder::new().stack_size(64 << 10);
            let threads: Vec<_> =
                (0..1000).map(|_| small().spawn_scoped(scope, work).unwrap()).collect();
            // The end of the scope alone does not wait for the threads' destructors.
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        });
    }));
    let slots = region.slots();
    assert_eq!(slots.len(), 1000);
    for slot in slots {
        assert_eq!([slot.visits(&["work"]), slot.visits(&["work", "work"])], [1, 1]);
        assert_eq!(slot.head().state.load(Acquire), SlotState::Dead as u32);
        assert_eq!(slot.head().end.load(Relaxed), slot.head().last.load(Relaxed));
        slot.check_whole();
    }
    assert_eq!(region.header().losses.threads.load(Relaxed), 0);
}

#[test]
fn a_thread_older_than_the_library_records_from_its_first_event_on() {
    let region = only(run(&[], || {
        let (go, wait) = mpsc::channel::<()>();
        let early = thread::spawn(move || {
            wait.recv().unwrap();
            visit(&WORK, || ());
        });
        // SAFETY: it was attached before, so this reads nothing.
        unsafe { load::attach() };
        go.send(()).unwrap();
        early.join().unwrap();
    }));
    assert_eq!(region.slot().visits(&["work"]), 1);
}

#[test]
fn a_released_slot_serves_the_next_thread_and_only_then() {
    let region = only(run(&[], || {
        let one_thread = || thread::spawn(|| visit(&WORK, || ())).join().unwrap();
        one_thread();
        one_thread();
        let region = own();
        let release = |slot, generation| {
            tell(&region, Command::ReleaseSlot { slot, generation }.encode());
        };
        release(0, 7);
        release(1, 1);
        one_thread();
    }));
    let generations: Vec<u32> =
        region.slots().iter().map(|slot| slot.head().generation.load(Relaxed)).collect();
    assert_eq!(generations, [1, 2]);
    for slot in region.slots() {
        assert_eq!(slot.visits(&["work"]), 1);
        slot.check_whole();
    }
}

#[test]
fn a_slot_released_in_a_program_without_agent_is_used_again() {
    let region = only(run(&[], || {
        let one_thread = || thread::spawn(|| visit(&SEND, || ())).join().unwrap();
        let region = own_after(one_thread);
        for generation in 1..=200 {
            assert_eq!(region.header().agent.load(Relaxed), 0);
            let message = Command::ReleaseSlot { slot: 0, generation }.encode();
            assert!(region.commands().send(region.replies(), message).is_some());
            one_thread();
        }
    }));
    let slot = region.slot();
    assert_eq!((slot.head().generation.load(Relaxed), slot.visits(&["send"])), (201, 1));
    slot.check_whole();
}

#[test]
fn commands_are_left_to_the_agent_where_there_is_one() {
    let region = only(run(&[], || {
        let one_thread = || thread::spawn(|| visit(&WORK, || ())).join().unwrap();
        one_thread();
        let region = own();
        let away = agent_thread::send_away();
        let message = Command::ReleaseSlot { slot: 0, generation: 1 }.encode();
        assert!(region.commands().send(region.replies(), message).is_some());
        one_thread();
        assert_eq!(region.replies().commands_consumed.load(Relaxed), 0);
        agent_thread::call_back(away);
    }));
    assert_eq!(region.slots().len(), 2, "the second thread took the first one's slot");
}

fn own_after(deed: impl Fn()) -> crate::measured::Region {
    deed();
    own()
}

#[test]
fn threads_that_ended_take_no_address_space() {
    let region = only(run(&[], || {
        let one_thread = || thread::spawn(|| visit(&SEND, || ())).join().unwrap();
        one_thread();
        let before = address_space();
        for _ in 0..200 {
            one_thread();
        }
        let grown = address_space().saturating_sub(before);
        assert!(grown < 16 << 20, "{grown} bytes for 200 threads");
    }));
    assert_eq!(region.slots().len(), 201);
    for slot in region.slots() {
        assert_eq!(slot.visits(&["send"]), 1);
        slot.check_whole();
    }
}

/// Bytes mapped by this process.
fn address_space() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("every process has one");
    let pages: usize =
        text.split(' ').next().and_then(|word| word.parse().ok()).expect("a number of pages");
    pages * 4096
}

/// As the daemon: hands a command over and waits until it is carried out.
pub(crate) fn tell(region: &crate::measured::Region, message: Message) {
    assert!(region.commands().send(region.replies(), message).is_some());
    let word = region.commands().doorbell.as_ptr();
    // SAFETY: wakes whoever sleeps on a word of the mapped region.
    unsafe { libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAKE, i32::MAX) };
    let sent = region.commands().produced.load(Relaxed);
    while region.replies().commands_consumed.load(Acquire) != sent {
        thread::yield_now();
    }
    // A second command is consumed only after the first was carried out.
    let nothing = Command::Budget { visits: 0, interval: 0, whole: 0 }.encode();
    if message != nothing {
        tell(region, nothing);
    }
}

#[test]
fn a_reader_at_any_moment_sees_no_more_time_than_passed() {
    let region = only(run(&[], || {
        visit(&WORK, || ());
        let (send, ready) = mpsc::channel();
        let writer = thread::spawn(move || {
            visit(&WORK, || ());
            send.send(()).unwrap();
            for _ in 0..300_000 {
                visit(&WORK, || visit(&WORK, || ()));
            }
        });
        ready.recv().unwrap();
        let region = own();
        let slots = region.slots();
        let slot = &slots[1];
        let start = slot.head().start.load(Relaxed);
        while !writer.is_finished() {
            let time = slot.time();
            let open = SlotReadState::default().open(slot.head(), whyperf_runtime::clock::now());
            assert!(time <= open.since - start, "{time} of {}", open.since - start);
        }
        writer.join().unwrap();
    }));
    assert_eq!(region.slots()[1].visits(&["work", "work"]), 300_000);
}
