//! Barriers of n ranks: each model against the formula in the head of `barrier.rs`.

use whyperf_extrapolate::{
    Barrier, Bytes, CommId, Event, LinearBarrier, Machine, MessageUse, SimTime,
};

use crate::formulas::{assert_close, children, copied, one_message, sent_down};
use crate::programs::{compute, elapsed, figures, machine, run};

fn with(barrier: Barrier) -> Machine {
    Machine { barrier, ..machine(None) }
}

/// A barrier to which each comes at its time.
fn ranks_that_come_at(arrivals: &[f64]) -> Vec<Vec<Event>> {
    let member = |at: &f64| vec![compute(*at), Event::Barrier(CommId::WORLD)];
    arrivals.iter().map(member).collect()
}

/// All come at once but one of them.
fn one_comes_late(ranks: u32, late: u32, at: f64) -> Vec<Vec<Event>> {
    let arrivals: Vec<f64> = (0..ranks).map(|rank| if rank == late { at } else { 0.0 }).collect();
    ranks_that_come_at(&arrivals)
}

/// When all below a place have come: it takes what its children say one after the other, the nearest first.
fn told_up(place: u32, ranks: u32) -> f64 {
    let range = figures();
    let (way, taken) =
        ((range.send_overhead + range.latency).as_nanos(), range.receive_overhead.as_nanos());
    let each = children(place, ranks).into_iter();
    each.fold(0.0, |there, child| there.max(told_up(child, ranks) + way) + taken)
}

#[test]
fn a_tree_is_gone_up_and_down() {
    let machine = with(Barrier::Tree);
    for ranks in [2, 3, 5, 8, 13, 64, 100, 1000] {
        let formula = 700.0 + told_up(0, ranks) + sent_down(0, ranks, 0.0, 0);
        assert_close(elapsed(&machine, &ranks_that_come_at(&vec![700.0; ranks as usize])), formula);
    }
}

#[test]
fn a_tree_of_2_to_the_k_is_as_many_messages_high() {
    let machine = with(Barrier::Tree);
    for rounds in 1..=10 {
        let all = ranks_that_come_at(&vec![0.0; 1 << rounds]);
        assert_close(elapsed(&machine, &all), 2.0 * f64::from(rounds) * one_message(0));
    }
}

#[test]
fn a_late_one_holds_up_those_above_it_in_a_tree() {
    let machine = with(Barrier::Tree);
    let (rounds, late) = (6, 1e6);
    for rank in 0..1_u32 << rounds {
        // Each one in its number is a message up, and each zero a message that was there before and has to be taken.
        let (ones, zeros) = (rank.count_ones(), rounds - rank.count_ones());
        let taken = f64::from(zeros) * figures().receive_overhead.as_nanos();
        let messages = f64::from(ones + rounds) * one_message(0);
        let all = one_comes_late(1 << rounds, rank, late);
        assert_close(elapsed(&machine, &all), late + taken + messages);
    }
}

#[test]
fn a_dissemination_takes_as_many_rounds_as_n_has_bits() {
    let machine = with(Barrier::Dissemination);
    for (ranks, rounds) in [(2, 1), (3, 2), (5, 3), (8, 3), (9, 4), (100, 7), (1024, 10)] {
        let all = ranks_that_come_at(&vec![700.0; ranks]);
        assert_close(elapsed(&machine, &all), 700.0 + f64::from(rounds) * one_message(0));
    }
}

#[test]
fn of_a_late_one_the_last_hears_over_as_many_messages_as_there_are_rounds() {
    let machine = with(Barrier::Dissemination);
    for rounds in 1..=8 {
        let all = one_comes_late(1 << rounds, (1 << rounds) / 3, 1e6);
        assert_close(elapsed(&machine, &all), 1e6 + f64::from(rounds) * one_message(0));
    }
}

#[test]
fn hardware_lets_all_go_so_long_after_the_last_one() {
    let machine = with(Barrier::Hardware { time: SimTime::micros(4.0) });
    for ranks in [1, 2, 9, 1000] {
        let arrivals: Vec<f64> = (0..ranks).map(f64::from).collect();
        let last = f64::from(ranks - 1);
        assert_close(elapsed(&machine, &ranks_that_come_at(&arrivals)), last + 4000.0);
    }
}

/// No parameter is a multiple of another one.
fn linear(messages: MessageUse) -> LinearBarrier {
    let nanos = SimTime::nanos;
    LinearBarrier {
        entry: nanos(5003.3),
        exit: nanos(6007.1),
        check: nanos(2011.7),
        exit_check: nanos(3019.9),
        model: nanos(10_037.3),
        messages,
        size: Bytes(16),
    }
}

/// The first look at `start` + k·`every` that sees what happens at `event`.
fn seen(start: f64, every: f64, event: f64) -> f64 {
    let mut looks = (1..).map(|look| start + f64::from(look) * every);
    looks.find(|look| *look >= event).expect("time goes on")
}

#[test]
fn in_the_linear_barrier_of_memory_master_and_slaves_look_in_turn() {
    let of = linear(MessageUse::None);
    let [entry, exit, check, exit_check, model] =
        [of.entry, of.exit, of.check, of.exit_check, of.model].map(SimTime::as_nanos);
    for ranks in [2_u32, 3, 8, 33] {
        let arrivals: Vec<f64> =
            (0..ranks).map(|rank| f64::from(rank * 7919 % 1000) * 13.7).collect();
        let there: Vec<f64> = arrivals.iter().map(|at| at + entry).collect();
        let last = there.iter().copied().fold(0.0, f64::max);
        let freed = seen(there[0], check, last) + model;
        let outcome = run(&with(Barrier::Linear(of)), &ranks_that_come_at(&arrivals));
        for (rank, (found, at)) in outcome.ranks.iter().zip(&there).enumerate() {
            let goes = if rank == 0 { freed } else { seen(*at, exit_check, freed) };
            assert_close(found.end.as_nanos(), goes + exit);
        }
    }
}

/// From when the master has heard of the last one until the last slave goes on.
fn answered(of: &LinearBarrier, slaves: f64) -> f64 {
    let each = figures().send_overhead.as_nanos() + copied(16);
    let rest = (of.model + of.exit_check + of.exit).as_nanos();
    rest + (slaves - 1.0) * each + one_message(16)
}

#[test]
fn the_linear_barrier_by_messages_asks_and_answers_one_after_the_other() {
    let of = linear(MessageUse::Messages);
    let machine = with(Barrier::Linear(of));
    let (entry, check) = (of.entry.as_nanos(), of.check.as_nanos());
    for ranks in [2, 3, 9, 40] {
        let slaves = ranks as f64 - 1.0;
        // Slaves come at once: the master takes the first one when it is there, and every other one after a copy, an overhead and a check.
        let each = copied(16) + figures().receive_overhead.as_nanos() + check;
        let gathered = entry + one_message(16) + check + (slaves - 1.0) * each;
        let all = ranks_that_come_at(&vec![0.0; ranks]);
        assert_close(elapsed(&machine, &all), gathered + answered(&of, slaves));
    }
}

#[test]
fn a_late_slave_is_the_last_that_the_master_takes() {
    let of = linear(MessageUse::Messages);
    let machine = with(Barrier::Linear(of));
    for late in [1, 4, 8] {
        let gathered = 1e6 + of.entry.as_nanos() + one_message(16) + of.check.as_nanos();
        let all = one_comes_late(9, late, 1e6);
        assert_close(elapsed(&machine, &all), gathered + answered(&of, 8.0));
    }
}
