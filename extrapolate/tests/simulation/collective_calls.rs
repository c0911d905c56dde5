//! Collective calls of n ranks that come at once: each algorithm against its closed form.

use whyperf_extrapolate::{Algorithm, CollectiveKind, Machine, SimTime};

use crate::formulas::{apart, assert_close, one_message, port, sent_down};
use crate::programs::{choose, collective, elapsed, machine};

/// What combining a byte takes, where it takes time.
const COMBINE: f64 = 0.25;

/// How long a call of all ranks takes with an algorithm.
fn takes(kind: CollectiveKind, algorithm: Algorithm, ranks: u32, bytes: u64) -> f64 {
    let mut machine = machine(None);
    machine.collectives.combine_per_byte = SimTime::nanos(COMBINE);
    taken_on(machine, (kind, algorithm), ranks, bytes)
}

fn taken_on(
    mut machine: Machine,
    (kind, algorithm): (CollectiveKind, Algorithm),
    ranks: u32,
    bytes: u64,
) -> f64 {
    choose(&mut machine, kind, algorithm);
    elapsed(&machine, &vec![vec![collective(kind, bytes)]; ranks as usize])
}

/// A message, and combining what came.
fn combined(bytes: u64) -> f64 {
    one_message(bytes) + COMBINE * bytes as f64
}

/// The sum of a formula over sizes.
fn sum(formula: fn(u64) -> f64, sizes: impl IntoIterator<Item = u64>) -> f64 {
    sizes.into_iter().map(formula).sum()
}

/// A part, two of them, four, and so on for so many rounds.
fn doubled(part: u64, rounds: u32) -> impl Iterator<Item = u64> {
    (0..rounds).map(move |round| part << round)
}

/// Half of all, a quarter, and so on for so many rounds.
fn halved(bytes: u64, rounds: u32) -> impl Iterator<Item = u64> + Clone {
    (1..=rounds).map(move |round| bytes >> round)
}

#[test]
fn a_broadcast_is_a_binomial_tree() {
    for ranks in [2, 3, 8, 13, 64, 1000] {
        for bytes in [1, 5000] {
            let found = takes(CollectiveKind::Broadcast, Algorithm::Binomial, ranks, bytes);
            assert_close(found, sent_down(0, ranks, 0.0, bytes));
        }
    }
}

#[test]
fn a_root_sends_to_one_after_the_other() {
    for kind in [CollectiveKind::Broadcast, CollectiveKind::Scatter] {
        for (ranks, bytes) in [(2, 1), (7, 1), (7, 5000), (100, 5000)] {
            let formula = f64::from(ranks - 2) * apart(bytes) + one_message(bytes);
            assert_close(takes(kind, Algorithm::Linear, ranks, bytes), formula);
        }
    }
}

#[test]
fn a_root_takes_from_one_after_the_other_as_its_port_has_them() {
    for ranks in [2, 7, 100] {
        let formula = one_message(64_000) + f64::from(ranks - 2) * port(64_000);
        let found = takes(CollectiveKind::Gather, Algorithm::Linear, ranks, 64_000);
        assert_close(found, formula);
        let reduce = (CollectiveKind::Reduce, Algorithm::Linear);
        assert_close(taken_on(machine(None), reduce, ranks, 64_000), formula);
    }
}

#[test]
fn a_root_that_combines_is_slower_than_its_port() {
    let figures = crate::programs::figures();
    let copied = crate::formulas::copied(64_000) + figures.receive_overhead.as_nanos();
    for ranks in [2, 7, 100] {
        let each = copied + COMBINE * 64_000.0;
        let found = takes(CollectiveKind::Reduce, Algorithm::Linear, ranks, 64_000);
        assert_close(found, combined(64_000) + f64::from(ranks - 2) * each);
    }
}

#[test]
fn a_tree_moves_twice_as_many_parts_a_round() {
    for rounds in [1, 3, 8] {
        let formula = sum(one_message, doubled(1000, rounds));
        for kind in [CollectiveKind::Scatter, CollectiveKind::Gather] {
            assert_close(takes(kind, Algorithm::Binomial, 1 << rounds, 1000), formula);
        }
    }
}

#[test]
fn a_tree_combines_on_its_way_up() {
    for rounds in [1, 3, 8] {
        let (ranks, up) = (1 << rounds, f64::from(rounds) * combined(5000));
        let reduced = takes(CollectiveKind::Reduce, Algorithm::Binomial, ranks, 5000);
        assert_close(reduced, up);
        let known = takes(CollectiveKind::Allreduce, Algorithm::Binomial, ranks, 5000);
        assert_close(known, up + f64::from(rounds) * one_message(5000));
    }
}

#[test]
fn long_broadcasts_and_reductions_go_in_parts() {
    for (ranks, rounds) in [(2, 1), (8, 3), (32, 5)] {
        let (part, others) = (8000, f64::from(ranks - 1));
        let bytes = part * u64::from(ranks);
        let tree = sum(one_message, doubled(part, rounds));
        let sent = takes(CollectiveKind::Broadcast, Algorithm::Parts, ranks, bytes);
        assert_close(sent, tree + others * one_message(part));
        let reduced = takes(CollectiveKind::Reduce, Algorithm::Parts, ranks, bytes);
        assert_close(reduced, others * combined(part) + tree);
    }
}

#[test]
fn sums_by_doubling_exchange_all_in_each_round() {
    for rounds in [1, 4, 7] {
        let found =
            takes(CollectiveKind::Allreduce, Algorithm::RecursiveDoubling, 1 << rounds, 64_000);
        assert_close(found, f64::from(rounds) * combined(64_000));
    }
}

#[test]
fn sums_by_halving_exchange_ever_smaller_parts_and_back() {
    for rounds in [1, 4, 7] {
        let parts = halved(64_000, rounds);
        let found =
            takes(CollectiveKind::Allreduce, Algorithm::RecursiveHalving, 1 << rounds, 64_000);
        assert_close(found, sum(combined, parts.clone()) + sum(one_message, parts));
    }
}

#[test]
fn ranks_too_many_hand_their_data_to_a_neighbour_and_get_it_back() {
    // One less than a power of two: but for one, each of the others has a neighbour.
    for rounds in [2, 3, 5] {
        let (ranks, bytes) = ((2 << rounds) - 1, 64 * 7 * 15 * 63);
        let first = combined(bytes);
        let of = |kind, algorithm| takes(kind, algorithm, ranks, bytes);
        let doubled = of(CollectiveKind::Allreduce, Algorithm::RecursiveDoubling);
        assert_close(doubled, f64::from(rounds + 1) * first + one_message(bytes));
        let parts = halved(bytes, rounds);
        let (down, up) = (sum(combined, parts.clone()), sum(one_message, parts));
        let halved = of(CollectiveKind::Allreduce, Algorithm::RecursiveHalving);
        assert_close(halved, first + down + up + one_message(bytes));
        let own = bytes / u64::from(ranks);
        let scattered = of(CollectiveKind::ReduceScatter, Algorithm::RecursiveHalving);
        assert_close(scattered, first + down + one_message(own));
    }
}

#[test]
fn sums_by_a_ring_send_each_part_around_twice() {
    for ranks in [2, 5, 16] {
        let (part, rounds) = (4000, f64::from(ranks - 1));
        let bytes = part * u64::from(ranks);
        let found = takes(CollectiveKind::Allreduce, Algorithm::Ring, ranks, bytes);
        assert_close(found, rounds * combined(part) + rounds * one_message(part));
    }
}

#[test]
fn all_parts_are_known_to_all_after_one_time_around() {
    for ranks in [2, 5, 16] {
        let found = takes(CollectiveKind::Allgather, Algorithm::Ring, ranks, 1000);
        assert_close(found, f64::from(ranks - 1) * one_message(1000));
    }
}

#[test]
fn all_parts_are_known_to_all_after_as_many_rounds_as_n_has_bits() {
    for ranks in [2, 5, 13, 16] {
        let distances = (0..).map(|bit| 1 << bit).take_while(|distance| *distance < ranks);
        let parts = distances.map(|distance: u32| distance.min(ranks - distance));
        let found = takes(CollectiveKind::Allgather, Algorithm::RecursiveDoubling, ranks, 1000);
        assert_close(found, sum(one_message, parts.map(|parts| 1000 * u64::from(parts))));
    }
}

#[test]
fn all_to_all_by_pairs_takes_a_round_for_each_other_one() {
    for ranks in [2, 5, 12] {
        let found = takes(CollectiveKind::Alltoall, Algorithm::Pairwise, ranks, 1000);
        assert_close(found, f64::from(ranks - 1) * one_message(1000));
    }
}

#[test]
fn all_to_all_by_doubling_moves_the_parts_whose_distance_has_a_bit() {
    for ranks in [2_u32, 5, 13, 16] {
        let bits = (0..5).map(|bit| (0..ranks).filter(|other| other >> bit & 1 == 1).count());
        let sizes = bits.filter(|parts| *parts > 0).map(|parts| 100 * parts as u64);
        let found = takes(CollectiveKind::Alltoall, Algorithm::RecursiveDoubling, ranks, 100);
        assert_close(found, sum(one_message, sizes));
    }
}

#[test]
fn a_reduction_leaves_a_part_with_each() {
    let found = takes(CollectiveKind::ReduceScatter, Algorithm::RecursiveHalving, 8, 1600);
    assert_close(found, sum(combined, [800, 400, 200]));
    for ranks in [2, 5, 12] {
        let bytes = 1000 * u64::from(ranks);
        let found = takes(CollectiveKind::ReduceScatter, Algorithm::Pairwise, ranks, bytes);
        assert_close(found, f64::from(ranks - 1) * combined(1000));
    }
}

#[test]
fn a_scan_goes_along_all_or_over_doubling_distances() {
    for (ranks, rounds) in [(2, 1), (8, 3), (64, 6)] {
        let along = takes(CollectiveKind::Scan, Algorithm::Linear, ranks, 5000);
        assert_close(along, f64::from(ranks - 1) * combined(5000));
        let doubled = takes(CollectiveKind::Scan, Algorithm::RecursiveDoubling, ranks, 5000);
        assert_close(doubled, f64::from(rounds) * combined(5000));
    }
}
