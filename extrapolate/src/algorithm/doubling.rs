//! Exchanges at doubling distances: after k rounds a member knows of 2^k.

use crate::algorithm::{Member, Step, part};
use crate::identity::Bytes;
use crate::time::SimTime;

/// Combined at all: each exchange has all the data.
pub(super) fn allreduce(member: Member, number: u32) -> Option<Step> {
    let bytes = member.bytes;
    folded(member, number, bytes, |place, rounds, number| {
        let round = part(number, 2 * rounds).ok()?;
        let partner = place ^ (1 << (round / 2));
        Some(exchange_or_combine(round, partner, bytes))
    })
}

/// A round is an exchange and a step that combines what came.
pub(super) fn exchange_or_combine(number: u32, partner: u32, bytes: Bytes) -> Step {
    if number % 2 == 1 { Step::Combine(bytes) } else { Step::Exchange(partner, partner, bytes) }
}

/// An algorithm of 2^rounds members for any number of them: those too many hand their data to a neighbour first, and get `back` at the end.
///
/// `steps` has a place among the 2^rounds, the rounds and the number of a step, and names partners by such places.
pub(super) fn folded(
    member: Member,
    number: u32,
    back: Bytes,
    steps: impl Fn(u32, u32, u32) -> Option<Step>,
) -> Option<Step> {
    let (size, place, bytes) = (member.size, member.place, member.bytes);
    let rounds = size.checked_ilog2()?;
    let extra = size - (1 << rounds);
    let is_paired = place < 2 * extra;
    if is_paired && place.is_multiple_of(2) {
        return match number {
            0 => Some(Step::Send(place + 1, bytes)),
            1 => Some(Step::Receive(place + 1)),
            _ => None,
        };
    }
    let number = match part(number, 2 * u32::from(is_paired)) {
        Ok(0) => return Some(Step::Receive(place - 1)),
        Ok(_) => return Some(Step::Combine(bytes)),
        Err(number) => number,
    };
    let virtual_place = if is_paired { place / 2 } else { place - extra };
    let real = |one: u32| if one < extra { 2 * one + 1 } else { one + extra };
    match steps(virtual_place, rounds, number) {
        Some(Step::Exchange(to, from, bytes)) => Some(Step::Exchange(real(to), real(from), bytes)),
        Some(step) => Some(step),
        // The step after the last one.
        None if is_paired
            && (number == 0 || steps(virtual_place, rounds, number - 1).is_some()) =>
        {
            Some(Step::Send(place - 1, back))
        }
        None => None,
    }
}

/// All parts at all, for any number of members (Bruck and others, *Efficient algorithms for all-to-all communications*).
pub(super) fn allgather(member: Member, number: u32) -> Option<Step> {
    let distance = distance(member, number)?;
    let parts = distance.min(member.size - distance);
    let bytes = member.bytes.times(u64::from(parts));
    Some(Step::Exchange(member.behind(distance), member.ahead(distance), bytes))
}

/// A part from each to each, in rounds that move all parts whose distance has a bit (Bruck and others).
pub(super) fn alltoall(member: Member, number: u32) -> Option<Step> {
    let distance = distance(member, number)?;
    let moves = (0..member.size).filter(|other| other & distance != 0).count();
    let bytes = member.bytes.times(moves as u64);
    Some(Step::Exchange(member.ahead(distance), member.behind(distance), bytes))
}

/// A barrier: each tells the one at a doubling distance that all before it are there.
pub(super) fn dissemination(member: Member, number: u32) -> Option<Step> {
    let distance = distance(member, number)?;
    Some(Step::Exchange(member.ahead(distance), member.behind(distance), member.bytes))
}

/// Combined of all up to a member's own (Hillis and Steele, *Data parallel algorithms*).
pub(super) fn scan(member: Member, number: u32) -> Option<Step> {
    // Sends and receives of a round that has only one of the two are steps of their own; each round is two steps.
    let distance = distance(member, number / 2)?;
    let (gives, takes) = (member.place + distance < member.size, member.place >= distance);
    match (number % 2, gives, takes) {
        (0, true, true) => {
            Some(Step::Exchange(member.place + distance, member.place - distance, member.bytes))
        }
        (0, true, false) => Some(Step::Send(member.place + distance, member.bytes)),
        (0, false, true) => Some(Step::Receive(member.place - distance)),
        (1, _, true) => Some(Step::Combine(member.bytes)),
        _ => Some(Step::Delay(SimTime::ZERO)),
    }
}

/// The distance of a round; none when it is beyond all.
fn distance(member: Member, round: u32) -> Option<u32> {
    1_u32.checked_shl(round).filter(|distance| *distance < member.size)
}
