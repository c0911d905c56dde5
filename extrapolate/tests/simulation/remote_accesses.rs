//! Reads and writes of the memory of others, under each policy by which their owners answer.

use whyperf_extrapolate::{
    Activity, Bytes, Event, LogGops, Machine, Rank, RemoteAccess, RemoteAccessModel, ServicePolicy,
    SimTime, SizeRange,
};

use crate::programs::{compute, get, recv, run, send};

/// Overheads of 10 and 20, a latency of 100, and 30 for finding the data; nothing a byte.
fn machine(service: ServicePolicy) -> Machine {
    let figures = SizeRange {
        latency: SimTime::nanos(100.0),
        send_overhead: SimTime::nanos(10.0),
        receive_overhead: SimTime::nanos(20.0),
        ..SizeRange::default()
    };
    let mut machine = Machine::ideal();
    machine.network.between = LogGops::of(figures, None);
    machine.processors.service = service;
    machine.remote_access =
        RemoteAccessModel { request: Bytes(16), header: Bytes(8), service: SimTime::nanos(30.0) };
    machine
}

const SERVICE: f64 = 20.0 + 30.0 + 10.0;

/// When the reader and the owner end, where the owner computes for 1000 and then waits for a message of the reader.
fn ends(service: ServicePolicy) -> [f64; 2] {
    let ranks = [vec![get(1, 8), send(1, 0)], vec![compute(1000.0), recv(0)]];
    let outcome = run(&machine(service), &ranks);
    assert!(outcome.complaints.is_empty(), "{:?}", outcome.complaints);
    [0, 1].map(|rank| outcome.ranks[rank].end.as_nanos())
}

#[test]
fn an_owner_that_waits_answers_at_once() {
    let ranks = [vec![get(1, 8)], vec![]];
    let outcome = run(&machine(ServicePolicy::NoInterrupt), &ranks);
    assert_eq!(outcome.elapsed.as_nanos(), 10.0 + 100.0 + SERVICE + 100.0 + 20.0);
}

#[test]
fn each_policy_answers_at_its_time() {
    let after = |start: f64| start + SERVICE + 100.0 + 20.0 + 10.0;
    let message = 100.0 + 20.0;
    // The request is there at 110.
    assert_eq!(ends(ServicePolicy::NoInterrupt), [after(1000.0), after(1000.0) + message]);
    assert_eq!(ends(ServicePolicy::Interrupt), [after(110.0), 1000.0 + SERVICE + 20.0]);
    let poll = ServicePolicy::Poll { chunk: SimTime::nanos(400.0), cost: SimTime::nanos(5.0) };
    // Looking three times takes 15, and the first look is at 400.
    assert_eq!(ends(poll), [after(400.0), 1015.0 + SERVICE + 20.0]);
}

#[test]
fn time_taken_by_requests_is_told_apart_from_computing() {
    let ranks = [vec![get(1, 8)], vec![compute(1000.0)]];
    let outcome = run(&machine(ServicePolicy::Interrupt), &ranks);
    let owner = outcome.ranks[1].total();
    assert_eq!(owner[Activity::Compute], SimTime::nanos(1000.0));
    assert_eq!(owner[Activity::Service], SimTime::nanos(SERVICE));
    assert_eq!(outcome.ranks[0].total()[Activity::RemoteAccess], outcome.ranks[0].end);
}

#[test]
fn an_owner_answers_one_request_after_the_other() {
    let readers = 5;
    let mut ranks = vec![vec![]];
    ranks.extend(vec![vec![get(0, 8)]; readers]);
    let outcome = run(&machine(ServicePolicy::NoInterrupt), &ranks);
    let formula = 10.0 + 100.0 + readers as f64 * SERVICE + 100.0 + 20.0;
    assert_eq!(outcome.elapsed.as_nanos(), formula);
}

#[test]
fn memory_of_the_same_processor_is_read_without_a_message() {
    let mut machine = machine(ServicePolicy::NoInterrupt);
    machine.processors.count = Some(1);
    let put = Event::Put(RemoteAccess { owner: Rank(0), bytes: Bytes(8) });
    let outcome = run(&machine, &[vec![compute(5.0)], vec![get(0, 8), put, compute(7.0)]]);
    assert_eq!((outcome.elapsed.as_nanos(), outcome.messages), (12.0, 0));
}
