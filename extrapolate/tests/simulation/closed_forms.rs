//! Programs whose time can be written down, to a part in 10^9.

use whyperf_extrapolate::{
    Algorithm, Barrier, Bytes, CollectiveKind, CommId, Event, Interconnect, LinearBarrier, Machine,
    MessageUse, SimTime,
};

use crate::programs::{
    choose, collective, compute, elapsed, figures, irecv, isend, machine, recv, run, send, wait,
};

fn assert_close(found: f64, formula: f64) {
    let error = (found - formula).abs() / formula.max(1.0);
    assert!(error < 1e-9, "simulated {found}, by the formula {formula}");
}

/// From the call of the send to the return of a receive that waits: o + L + (s-1)·max(G,O) + o.
fn one_message(bytes: u64) -> f64 {
    let range = figures();
    let body = range.gap_per_byte.as_nanos().max(range.overhead_per_byte.as_nanos());
    let ends = range.send_overhead + range.latency + range.receive_overhead;
    ends.as_nanos() + body * (bytes.saturating_sub(1)) as f64
}

#[test]
fn ping_pong_is_two_messages_a_round() {
    for bytes in [0, 1, 4096] {
        let (mut ping, mut pong) = (Vec::new(), Vec::new());
        for _ in 0..1000 {
            ping.extend([send(1, bytes), recv(1)]);
            pong.extend([recv(0), send(0, bytes)]);
        }
        // What the last sender still does for each byte is over before its message is there.
        assert_close(elapsed(&machine(None), &[ping, pong]), 2000.0 * one_message(bytes));
    }
}

#[test]
fn a_rendezvous_goes_there_and_back_before_its_data() {
    let bytes = 100_000;
    let range = figures();
    let ranks = [vec![send(1, bytes)], vec![recv(0)]];
    let handshake = 2.0 * range.latency.as_nanos();
    assert_close(elapsed(&machine(Some(8192)), &ranks), handshake + one_message(bytes));
    // With a receiver that comes late, only its answer is still to come.
    let late = [vec![send(1, bytes)], vec![compute(1e6), recv(0)]];
    let formula =
        1e6 + range.latency.as_nanos() + one_message(bytes) - range.send_overhead.as_nanos();
    assert_close(elapsed(&machine(Some(8192)), &late), formula);
}

#[test]
fn a_token_goes_around_a_ring() {
    for ranks in [2_u32, 7, 64] {
        let member = |rank: u32| {
            let (next, before) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
            match rank {
                0 => vec![send(next, 100), recv(before)],
                _ => vec![recv(before), compute(50.0), send(next, 100)],
            }
        };
        let all: Vec<Vec<Event>> = (0..ranks).map(member).collect();
        let formula = f64::from(ranks) * one_message(100) + f64::from(ranks - 1) * 50.0;
        assert_close(elapsed(&machine(None), &all), formula);
    }
}

#[test]
fn a_port_sends_messages_a_gap_apart() {
    let (count, bytes) = (100, 10_000);
    let requests = || 0..count;
    let sender = requests().map(|at| isend(1, bytes, at)).chain(requests().map(wait)).collect();
    let receiver = requests().map(|at| irecv(0, at)).chain(requests().map(wait)).collect();
    let range = figures();
    let port = range.gap.as_nanos() + range.gap_per_byte.as_nanos() * (bytes - 1) as f64;
    let formula = f64::from(count - 1) * port + one_message(bytes);
    assert_close(elapsed(&machine(None), &[sender, receiver]), formula);
}

/// When the last one has it: every member sends to its children, the farthest first, an overhead apart.
fn broadcast_formula(ranks: u32, bytes: u64) -> f64 {
    fn reached(place: u32, ranks: u32, has: f64, costs: [f64; 2]) -> f64 {
        let bits = if place == 0 { 31 } else { place.trailing_zeros() };
        let children = (0..bits).rev().map(|bit| place + (1 << bit)).filter(|child| *child < ranks);
        let each = children.zip(0..).map(|(child, at)| {
            reached(child, ranks, has + f64::from(at) * costs[0] + costs[1], costs)
        });
        each.fold(has, f64::max)
    }
    let range = figures();
    let body = range.gap_per_byte.as_nanos() * (bytes.saturating_sub(1)) as f64;
    let port = range.gap.as_nanos() + body;
    let copy = range.overhead_per_byte.as_nanos() * (bytes.saturating_sub(1)) as f64;
    let apart = (range.send_overhead.as_nanos() + copy).max(port);
    reached(0, ranks, 0.0, [apart, one_message(bytes)])
}

#[test]
fn a_broadcast_is_a_binomial_tree() {
    let machine = machine(None);
    for ranks in [2, 3, 8, 13, 64, 1000] {
        for bytes in [1, 5000] {
            let all = vec![vec![collective(CollectiveKind::Broadcast, bytes)]; ranks as usize];
            assert_close(elapsed(&machine, &all), broadcast_formula(ranks, bytes));
        }
    }
}

/// An exchange of two that come at the same time: the own send first, then the other's message.
fn exchange(bytes: u64) -> f64 {
    one_message(bytes)
}

#[test]
fn a_barrier_of_n_takes_as_many_rounds_as_n_has_bits() {
    let mut machine = machine(None);
    machine.barrier = Barrier::Dissemination;
    for (ranks, rounds) in [(2, 1), (3, 2), (8, 3), (9, 4), (1024, 10)] {
        let all = vec![vec![compute(700.0), Event::Barrier(CommId::WORLD)]; ranks];
        assert_close(elapsed(&machine, &all), 700.0 + f64::from(rounds) * exchange(0));
    }
    machine.barrier = Barrier::Hardware { time: SimTime::micros(4.0) };
    let member = |rank| vec![compute(f64::from(rank)), Event::Barrier(CommId::WORLD)];
    let all: Vec<_> = (0..9).map(member).collect();
    assert_close(elapsed(&machine, &all), 8.0 + 4000.0);
}

#[test]
fn the_linear_barrier_by_messages_asks_and_answers_one_after_the_other() {
    let nanos = SimTime::nanos;
    let linear = LinearBarrier {
        entry: nanos(5000.0),
        exit: nanos(6000.0),
        check: nanos(2000.0),
        exit_check: nanos(3000.0),
        model: nanos(10_000.0),
        messages: MessageUse::Messages,
        size: Bytes(16),
    };
    let mut machine = machine(None);
    machine.barrier = Barrier::Linear(linear);
    let ranks = 9;
    let all = vec![vec![Event::Barrier(CommId::WORLD)]; ranks];
    let range = figures();
    let (slaves, overhead) = (ranks as f64 - 1.0, range.receive_overhead.as_nanos());
    let copy = range.overhead_per_byte.as_nanos() * 15.0;
    let per_send = range.send_overhead.as_nanos() + copy;
    // Slaves come at once: the master takes the first one when it is there, and every other one after a copy, an overhead and a check.
    let late = copy + overhead + 2000.0;
    let gathered = 5000.0 + one_message(16) + 2000.0 + (slaves - 1.0) * late;
    let last = gathered + 10_000.0 + (slaves - 1.0) * per_send + one_message(16);
    assert_close(elapsed(&machine, &all), last + 3000.0 + 6000.0);
}

#[test]
fn sums_by_doubling_by_halving_and_by_a_ring() {
    let (ranks, bytes) = (16, 64_000);
    let all = vec![vec![collective(CollectiveKind::Allreduce, bytes)]; ranks];
    let mut machine = machine(None);
    machine.collectives.combine_per_byte = SimTime::nanos(0.25);
    choose(&mut machine, CollectiveKind::Allreduce, Algorithm::RecursiveDoubling);
    let combined = 0.25 * bytes as f64;
    assert_close(elapsed(&machine, &all), 4.0 * (exchange(bytes) + combined));
    choose(&mut machine, CollectiveKind::Allreduce, Algorithm::RecursiveHalving);
    let halves = [2, 4, 8, 16].map(|parts| exchange(bytes / parts));
    assert_close(
        elapsed(&machine, &all),
        2.0 * halves.iter().sum::<f64>() + combined * 15.0 / 16.0,
    );
    choose(&mut machine, CollectiveKind::Allreduce, Algorithm::Ring);
    let (part, rounds) = (bytes / 16, 15.0);
    let formula = rounds * (exchange(part) + combined / 16.0) + rounds * exchange(part);
    assert_close(elapsed(&machine, &all), formula);
}

#[test]
fn all_to_all_by_pairs_takes_a_round_for_each_other_one() {
    for ranks in [2, 5, 12] {
        let all = vec![vec![collective(CollectiveKind::Alltoall, 1000)]; ranks];
        let rounds = ranks as f64 - 1.0;
        assert_close(elapsed(&machine(None), &all), rounds * exchange(1000));
    }
}

#[test]
fn all_to_all_by_doubling_moves_half_of_the_parts_in_each_round() {
    let mut machine = machine(None);
    choose(&mut machine, CollectiveKind::Alltoall, Algorithm::RecursiveDoubling);
    let all = vec![vec![collective(CollectiveKind::Alltoall, 100)]; 16];
    assert_close(elapsed(&machine, &all), 4.0 * exchange(800));
}

#[test]
fn a_reduction_by_halving_leaves_a_part_with_each() {
    let mut machine = machine(None);
    choose(&mut machine, CollectiveKind::ReduceScatter, Algorithm::RecursiveHalving);
    let all = vec![vec![collective(CollectiveKind::ReduceScatter, 1600)]; 8];
    let formula = exchange(800) + exchange(400) + exchange(200);
    assert_close(elapsed(&machine, &all), formula);
}

#[test]
fn one_bus_carries_one_message_at_a_time() {
    let per_byte = SimTime::nanos(2.0);
    let mut machine = machine(None);
    machine.interconnect = Interconnect::Buses { count: 1, per_byte };
    let pairs = |from: u32| [vec![send(from + 1, 1000)], vec![recv(from)]];
    let all: Vec<_> = (0..4).flat_map(|pair| pairs(2 * pair)).collect();
    // A bus is slower than the ports: it says when the last byte is there. The last of four waits for three messages to pass.
    let slower = (per_byte.as_nanos() - figures().gap_per_byte.as_nanos()) * 999.0;
    let one = one_message(1000) + slower;
    assert_close(elapsed(&machine, &all), 3.0 * 2000.0 + one);
    machine.interconnect = Interconnect::Buses { count: 4, per_byte };
    assert_close(elapsed(&machine, &all), one);
}

#[test]
fn ranks_of_one_processor_compute_one_after_the_other() {
    let mut machine = Machine::ideal();
    machine.processors.cpu_ratio = 0.5;
    machine.processors.count = Some(3);
    let all = vec![vec![compute(1000.0), Event::Barrier(CommId::WORLD), compute(100.0)]; 6];
    assert_close(elapsed(&machine, &all), 2.0 * 2.0 * 1100.0);
    let outcome = run(&machine, &all);
    assert_eq!(outcome.processors, 3);
}

#[test]
fn messages_inside_a_node_have_figures_of_their_own() {
    let mut machine = machine(None);
    machine.processors.per_node = 2;
    let inside = whyperf_extrapolate::SizeRange {
        latency: SimTime::nanos(100.0),
        ..whyperf_extrapolate::SizeRange::default()
    };
    machine.network.inside = Some(whyperf_extrapolate::LogGops::of(inside, None));
    assert_close(elapsed(&machine, &[vec![send(1, 8)], vec![recv(0)]]), 100.0);
    let apart = [vec![send(2, 8)], vec![], vec![recv(0)]];
    assert_close(elapsed(&machine, &apart), one_message(8));
}
