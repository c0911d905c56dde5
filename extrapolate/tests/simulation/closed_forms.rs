//! Programs whose time can be written down, to a part in 10^9.

use whyperf_extrapolate::{CommId, Event, Interconnect, Machine, SimTime};

use crate::formulas::{assert_close, one_message, port};
use crate::programs::{compute, elapsed, figures, irecv, isend, machine, recv, run, send, wait};

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
fn a_ping_pong_of_long_messages_asks_before_each_of_them() {
    let bytes = 100_000;
    let (mut ping, mut pong) = (Vec::new(), Vec::new());
    for _ in 0..1000 {
        ping.extend([send(1, bytes), recv(1)]);
        pong.extend([recv(0), send(0, bytes)]);
    }
    let handshake = 2.0 * figures().latency.as_nanos();
    let formula = 2000.0 * (handshake + one_message(bytes));
    assert_close(elapsed(&machine(Some(8192)), &[ping, pong]), formula);
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
    let formula = f64::from(count - 1) * port(bytes) + one_message(bytes);
    assert_close(elapsed(&machine(None), &[sender, receiver]), formula);
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

/// When the second of two messages is there that leave at the same time and share links; of one alone, with so many links more.
fn second_over(interconnect: Interconnect, [one, other]: [[u32; 2]; 2], links: u32) -> [f64; 2] {
    let mut machine = machine(None);
    machine.interconnect = interconnect;
    let mut all = vec![Vec::new(); 4];
    for [from, to] in [one, other] {
        all[from as usize] = vec![send(to, 1000)];
        all[to as usize] = vec![recv(from)];
    }
    // A link is slower than the ports: it says when the last byte is there.
    let slower = (LINK - figures().gap_per_byte.as_nanos()) * 999.0;
    let alone = one_message(1000) + slower + f64::from(links) * HOP;
    [elapsed(&machine, &all), 1000.0 * LINK + alone]
}

/// What a byte takes on a link, and what a link adds to the latency, in nanoseconds.
const LINK: f64 = 2.0;
const HOP: f64 = 111.3;

#[test]
fn a_link_up_a_tree_carries_one_message_at_a_time() {
    let (per_byte, per_hop) = (SimTime::nanos(LINK), SimTime::nanos(HOP));
    let tree = Interconnect::FatTree { arity: 2, up_links: 1, per_byte, per_hop };
    let [found, formula] = second_over(tree, [[0, 2], [1, 3]], 2);
    assert_close(found, formula);
}

#[test]
fn a_link_of_a_ring_carries_one_message_at_a_time() {
    let (per_byte, per_hop) = (SimTime::nanos(LINK), SimTime::nanos(HOP));
    let ring = Interconnect::Torus { sides: vec![4], per_byte, per_hop };
    // The first message takes the link that both share as its second one, and the other one two links after that.
    let [found, formula] = second_over(ring, [[0, 2], [1, 3]], 3);
    assert_close(found, formula);
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
