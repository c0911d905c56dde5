//! Random traces that run to their end: steps of pairs of ranks and of all ranks, written down in one order for all.

use proptest::collection::vec;
use proptest::prelude::*;
use whyperf_extrapolate::{CollectiveKind, CommId, Event};

use crate::programs::{collective, compute, irecv, isend, recv, send, wait};

/// One thing that happens in a program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ProgramStep {
    /// A rank computes.
    Compute(u32, f64),
    /// A message by blocking calls.
    Blocking(u32, u32, u64),
    /// A message by calls that later waits complete.
    Open(u32, u32, u64),
    /// A rank waits for all that it has open.
    WaitAll(u32),
    /// All send from the first rank to all.
    Broadcast(u64),
    /// All send a part to each.
    Alltoall(u64),
    /// All meet.
    Barrier,
}

/// Steps of a program of up to eight ranks.
pub(crate) fn programs() -> impl Strategy<Value = (u32, Vec<ProgramStep>)> {
    (2_u32..9).prop_flat_map(|ranks| {
        let rank = 0..ranks;
        let pair = (rank.clone(), 1..ranks).prop_map(move |(one, by)| (one, (one + by) % ranks));
        let bytes = prop_oneof![Just(0_u64), 1..100_u64, 100..50_000_u64];
        let step = prop_oneof![
            4 => (rank.clone(), 1.0..20_000.0).prop_map(|(one, nanos)| ProgramStep::Compute(one, nanos)),
            3 => (pair.clone(), bytes.clone()).prop_map(|((a, b), s)| ProgramStep::Blocking(a, b, s)),
            3 => (pair, bytes.clone()).prop_map(|((a, b), s)| ProgramStep::Open(a, b, s)),
            2 => rank.prop_map(ProgramStep::WaitAll),
            1 => bytes.clone().prop_map(ProgramStep::Broadcast),
            1 => bytes.prop_map(ProgramStep::Alltoall),
            1 => Just(ProgramStep::Barrier),
        ];
        (Just(ranks), vec(step, 0..60))
    })
}

/// The events of each rank.
pub(crate) fn events(ranks: u32, steps: &[ProgramStep]) -> Vec<Vec<Event>> {
    let mut all = vec![Vec::new(); ranks as usize];
    let mut open: Vec<Vec<u32>> = vec![Vec::new(); ranks as usize];
    let mut next = 0;
    let last = (0..ranks).map(ProgramStep::WaitAll);
    for step in steps.iter().copied().chain(last) {
        match step {
            ProgramStep::Compute(rank, nanos) => all[rank as usize].push(compute(nanos)),
            ProgramStep::Blocking(from, to, bytes) => {
                all[from as usize].push(send(to, bytes));
                all[to as usize].push(recv(from));
            }
            ProgramStep::Open(from, to, bytes) => {
                next += 1;
                all[from as usize].push(isend(to, bytes, next));
                all[to as usize].push(irecv(from, next));
                open[from as usize].push(next);
                open[to as usize].push(next);
            }
            ProgramStep::WaitAll(rank) => {
                let waits = open[rank as usize].drain(..).map(wait);
                all[rank as usize].extend(waits);
            }
            ProgramStep::Broadcast(bytes) => {
                push(&mut all, collective(CollectiveKind::Broadcast, bytes));
            }
            ProgramStep::Alltoall(bytes) => {
                push(&mut all, collective(CollectiveKind::Alltoall, bytes));
            }
            ProgramStep::Barrier => push(&mut all, Event::Barrier(CommId::WORLD)),
        }
    }
    all
}

fn push(all: &mut [Vec<Event>], event: Event) {
    all.iter_mut().for_each(|events| events.push(event));
}
