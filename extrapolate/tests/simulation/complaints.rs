//! Traces with something wrong in them are simulated as far as they go, and what is wrong is named.

use whyperf_extrapolate::{Barrier, CollectiveKind, CommId, Event, Expected, Machine, SimTime};

use crate::programs::{collective, compute, irecv, machine, recv, run, send, wait};

fn said(machine: &Machine, ranks: &[Vec<Event>]) -> Vec<String> {
    run(machine, ranks).complaints.iter().map(ToString::to_string).collect()
}

#[test]
fn a_deadlock_is_named_with_its_cycle() {
    let ranks = [vec![compute(9.0), recv(2)], vec![recv(0)], vec![recv(1)], vec![recv(0)]];
    let outcome = run(&machine(None), &ranks);
    assert!(!outcome.is_complete());
    assert_eq!(outcome.elapsed, SimTime::nanos(9.0));
    assert_eq!(
        said(&machine(None), &ranks),
        ["deadlock: rank 0 waits in main for a message from rank 2 with tag 0; \
          rank 2 waits in main for a message from rank 1 with tag 0; \
          rank 1 waits in main for a message from rank 0 with tag 0; none of them can go on"]
    );
}

#[test]
fn two_long_sends_at_each_other_are_a_deadlock_and_short_ones_are_not() {
    let ranks = [vec![send(1, 9000), recv(1)], vec![send(0, 9000), recv(0)]];
    assert_eq!(said(&machine(None), &ranks), [""; 0]);
    let [only] = &said(&machine(Some(8192)), &ranks)[..] else { panic!("one deadlock") };
    assert!(only.contains("rank 0 waits in main for rank 1 to receive its message"), "{only}");
}

#[test]
fn what_never_comes_is_said_once_with_all_that_wait_behind_it() {
    let ranks = [vec![], vec![recv(0)], vec![recv(1)], vec![recv(2)]];
    assert_eq!(
        said(&machine(None), &ranks),
        [
            "rank 1 waits in main for a message from rank 0 with tag 0, which never comes; 2 more wait behind it"
        ]
    );
}

#[test]
fn messages_that_nobody_receives_are_counted() {
    let ranks = [vec![send(1, 8), send(1, 8)], vec![recv(0)]];
    let said = said(&machine(None), &ranks);
    assert_eq!(
        said,
        ["1 messages were sent and never received, such as one from rank 0 to rank 1 with tag 0"]
    );
}

#[test]
fn a_member_that_does_not_come_to_a_barrier_is_named() {
    let barrier = Event::Barrier(CommId::WORLD);
    for kind in [Barrier::default(), Barrier::Tree] {
        let mut machine = machine(None);
        machine.barrier = kind;
        let [only] = &said(&machine, &[vec![barrier], vec![barrier], vec![]])[..] else {
            panic!("one complaint")
        };
        assert!(only.contains("rank 2") && only.contains("communicator 0"), "{only}");
    }
}

#[test]
fn members_that_call_different_things_are_told() {
    let ranks =
        [vec![collective(CollectiveKind::Reduce, 8)], vec![collective(CollectiveKind::Scan, 8)]];
    let said = said(&machine(None), &ranks);
    assert_eq!(
        said.first().map(String::as_str),
        Some("call 1 of communicator 0 is a reduce for its first caller and a scan for rank 1")
    );
}

#[test]
fn events_that_name_what_is_not_there_are_left_out() {
    let stranger = Event::Recv(Expected { comm: CommId(7), ..crate::programs::expected(0) });
    let barrier = Event::Barrier(CommId(8));
    let ranks = [vec![send(9, 1), stranger, barrier, wait(3), irecv(4, 1), compute(5.0)]];
    let outcome = run(&machine(None), &ranks);
    assert_eq!(outcome.elapsed, SimTime::nanos(5.0));
    assert_eq!(outcome.complaints.len(), 5, "{:?}", outcome.complaints);
}

#[test]
fn a_thousand_complaints_are_counted_and_a_hundred_kept() {
    let outcome = run(&machine(None), &[vec![wait(1); 1000]]);
    assert_eq!((outcome.complaints.len(), outcome.more_complaints), (100, 900));
}
