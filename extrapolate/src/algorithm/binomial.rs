//! Binomial trees: the root of 2^k members reaches them all in k rounds.
//!
//! By relative places, the parent of v is v without its lowest bit, and its children are v + 2^i below that bit.

use crate::algorithm::{Member, Step, part};
use crate::identity::Bytes;

/// Down the tree, the same to all.
pub(super) fn broadcast(member: Member, number: u32) -> Option<Step> {
    down(member, number, |_| member.bytes)
}

/// Down the tree, to each child what is for it and those below it.
pub(super) fn scatter(member: Member, number: u32) -> Option<Step> {
    down(member, number, |child| below(member, child))
}

/// Up the tree, combined on the way.
pub(super) fn reduce(member: Member, number: u32) -> Option<Step> {
    let children = children(member);
    match part(number, 2 * children) {
        Ok(at) if at % 2 == 1 => Some(Step::Combine(member.bytes)),
        Ok(at) => Some(Step::Receive(member.absolute(child(member, at / 2)))),
        Err(0) => to_parent(member, member.bytes),
        Err(_) => None,
    }
}

/// Up the tree, from each child what it and those below it have.
pub(super) fn gather(member: Member, number: u32) -> Option<Step> {
    match part(number, children(member)) {
        Ok(at) => Some(Step::Receive(member.absolute(child(member, at)))),
        Err(0) => to_parent(member, below(member, member.relative())),
        Err(_) => None,
    }
}

/// Combined at the first member, and from there to all.
pub(super) fn up_and_down(member: Member, number: u32) -> Option<Step> {
    let first = Member { root: 0, ..member };
    let up = 2 * children(first) + u32::from(first.place > 0);
    match part(number, up) {
        Ok(at) => reduce(first, at),
        Err(at) => broadcast(first, at),
    }
}

/// How many steps a member has in `scatter` and in `gather`.
pub(super) fn steps(member: Member) -> u32 {
    children(member) + u32::from(member.relative() > 0)
}

fn down(member: Member, number: u32, bytes: impl Fn(u32) -> Bytes) -> Option<Step> {
    let relative = member.relative();
    let Err(at) = part(number, u32::from(relative > 0)) else {
        return Some(Step::Receive(member.absolute(relative & (relative - 1))));
    };
    // The farthest child first: it has most below it.
    let at = children(member).checked_sub(at + 1)?;
    let child = child(member, at);
    Some(Step::Send(member.absolute(child), bytes(child)))
}

fn to_parent(member: Member, bytes: Bytes) -> Option<Step> {
    let relative = member.relative();
    let parent = relative & relative.checked_sub(1)?;
    Some(Step::Send(member.absolute(parent), bytes))
}

/// How many children a member has.
fn children(member: Member) -> u32 {
    let relative = member.relative();
    let bits = if relative == 0 { 32 } else { relative.trailing_zeros() };
    (0..bits).take_while(|bit| relative + (1 << bit) < member.size).count().try_into().unwrap_or(0)
}

/// The relative place of a child, the nearest first.
fn child(member: Member, at: u32) -> u32 {
    member.relative() + (1 << at)
}

/// The parts of a relative place and all below it.
fn below(member: Member, relative: u32) -> Bytes {
    let most = 1 << relative.trailing_zeros().min(31);
    member.bytes.times(u64::from((member.size - relative).min(most)))
}
