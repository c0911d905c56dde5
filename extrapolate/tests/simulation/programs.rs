//! Short ways to write machines and the events of traces.

use whyperf_extrapolate::{
    Algorithm, AlgorithmChoice, Barrier, Bytes, Collective, CollectiveKind, CommId, Event,
    Expected, LogGops, Machine, Outcome, Rank, RegionId, RemoteAccess, RequestId, Sent, SimTime,
    SizeRange, Tag, TraceHead, simulate,
};

/// Figures with no simple ratio between any two.
pub(crate) fn figures() -> SizeRange {
    SizeRange {
        up_to: None,
        latency: SimTime::nanos(2503.7),
        send_overhead: SimTime::nanos(311.3),
        receive_overhead: SimTime::nanos(457.1),
        gap: SimTime::nanos(97.9),
        gap_per_byte: SimTime::nanos(0.173),
        overhead_per_byte: SimTime::nanos(0.019),
    }
}

pub(crate) fn machine(eager: Option<u64>) -> Machine {
    let mut machine = Machine::ideal();
    machine.network.between = LogGops::of(figures(), eager.map(Bytes));
    machine.barrier = Barrier::Tree;
    machine
}

/// Makes a kind use one algorithm for all sizes.
pub(crate) fn choose(machine: &mut Machine, kind: CollectiveKind, algorithm: Algorithm) {
    machine.collectives.choices.insert(kind, vec![AlgorithmChoice { up_to: None, algorithm }]);
}

pub(crate) fn compute(nanos: f64) -> Event {
    Event::Compute { region: RegionId(0), span: SimTime::nanos(nanos) }
}

pub(crate) fn sent(to: u32, bytes: u64) -> Sent {
    Sent { to: Rank(to), tag: Tag(0), comm: CommId::WORLD, bytes: Bytes(bytes) }
}

pub(crate) fn expected(from: u32) -> Expected {
    Expected { from: Some(Rank(from)), tag: Some(Tag(0)), comm: CommId::WORLD }
}

pub(crate) fn send(to: u32, bytes: u64) -> Event {
    Event::Send(sent(to, bytes))
}

pub(crate) fn recv(from: u32) -> Event {
    Event::Recv(expected(from))
}

pub(crate) fn isend(to: u32, bytes: u64, request: u32) -> Event {
    Event::Isend(sent(to, bytes), RequestId(request))
}

pub(crate) fn irecv(from: u32, request: u32) -> Event {
    Event::Irecv(expected(from), RequestId(request))
}

pub(crate) fn wait(request: u32) -> Event {
    Event::Wait(RequestId(request))
}

pub(crate) fn collective(kind: CollectiveKind, bytes: u64) -> Event {
    let (comm, root) = (CommId::WORLD, Rank(0));
    Event::Collective(Collective { kind, comm, root, bytes: Bytes(bytes) })
}

pub(crate) fn get(owner: u32, bytes: u64) -> Event {
    Event::Get(RemoteAccess { owner: Rank(owner), bytes: Bytes(bytes) })
}

/// A trace of as many ranks as there are lists, with the region `main`.
pub(crate) fn head_of(ranks: usize) -> TraceHead {
    let mut head = TraceHead::new(u32::try_from(ranks).expect("tests are small"));
    head.name_region("main");
    head
}

pub(crate) fn run(machine: &Machine, ranks: &[Vec<Event>]) -> Outcome {
    let streams = ranks.iter().map(|events| events.iter().copied()).collect();
    simulate(&head_of(ranks.len()), streams, machine, &mut ())
}

/// Simulates a trace that has nothing wrong with it, and says how long it took in nanoseconds.
pub(crate) fn elapsed(machine: &Machine, ranks: &[Vec<Event>]) -> f64 {
    let outcome = run(machine, ranks);
    assert!(outcome.complaints.is_empty(), "{:?}", outcome.complaints);
    outcome.elapsed.as_nanos()
}
