//! Exchanges at halving distances: after k rounds a member combines a part of 1/2^k of the data, and no byte is sent twice.
//!
//! Source: Rabenseifner, *Optimization of collective reduction operations*, as used by MPICH for long messages.

use crate::algorithm::doubling::{exchange_or_combine, folded};
use crate::algorithm::{Member, Step, binomial, part, rotation};
use crate::identity::Bytes;

/// Combined at all: each member combines a part, and then all parts are gathered in the reverse order.
pub(super) fn allreduce(member: Member, number: u32) -> Option<Step> {
    folded(member, number, member.bytes, |place, rounds, number| match part(number, 2 * rounds) {
        Ok(number) => Some(round(member, place, rounds, number)),
        Err(number) => {
            let at = part(number, rounds).ok()?;
            let bytes = member.bytes.part(1 << (rounds - at));
            let partner = place ^ (1 << at);
            Some(Step::Exchange(partner, partner, bytes))
        }
    })
}

/// A part of the combined data to each.
pub(super) fn reduce_scatter(member: Member, number: u32) -> Option<Step> {
    let own = member.bytes.part(u64::from(member.size));
    folded(member, number, own, |place, rounds, number| {
        let number = part(number, 2 * rounds).ok()?;
        Some(round(member, place, rounds, number))
    })
}

/// A round of the combining: the half of the data that the partner keeps goes to it.
fn round(member: Member, place: u32, rounds: u32, number: u32) -> Step {
    let at = number / 2;
    let bytes = member.bytes.part(2 << at);
    exchange_or_combine(number, place ^ (1 << (rounds - 1 - at)), bytes)
}

/// From the root to all: a part to each, and then each part to all.
pub(super) fn broadcast(member: Member, number: u32) -> Option<Step> {
    let parts = parts(member);
    match part(number, binomial::steps(parts)) {
        Ok(number) => binomial::scatter(parts, number),
        Err(number) => rotation::allgather(parts, number),
    }
}

/// Combined at the root: a part at each, and then all parts at the root.
pub(super) fn reduce(member: Member, number: u32) -> Option<Step> {
    match part(number, 2 * (member.size - 1)) {
        Ok(number) => rotation::reduce_scatter(member, number),
        Err(number) => binomial::gather(parts(member), number),
    }
}

/// The member of a call that moves one part for each.
fn parts(member: Member) -> Member {
    let bytes: Bytes = member.bytes.part(u64::from(member.size));
    Member { bytes, ..member }
}
