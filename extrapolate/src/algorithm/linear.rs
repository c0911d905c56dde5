//! One member with each other one in turn: collective calls, and ExtraP's barrier by messages.

use crate::algorithm::{Member, Step, part};
use crate::machine::LinearBarrier;

/// From the root to each other one.
pub(super) fn from_root(member: Member, number: u32) -> Option<Step> {
    match (member.relative(), number) {
        (0, _) if number + 1 < member.size => {
            Some(Step::Send(member.absolute(number + 1), member.bytes))
        }
        (1.., 0) => Some(Step::Receive(member.root)),
        _ => None,
    }
}

/// From each other one to the root.
pub(super) fn to_root(member: Member, number: u32) -> Option<Step> {
    match (member.relative(), number) {
        (0, _) if number + 1 < member.size => Some(Step::Receive(member.absolute(number + 1))),
        (1.., 0) => Some(Step::Send(member.root, member.bytes)),
        _ => None,
    }
}

/// The same, each combined with those before it.
pub(super) fn combined_at_root(member: Member, number: u32) -> Option<Step> {
    if member.relative() > 0 || number.is_multiple_of(2) {
        return to_root(member, number / 2).filter(|_| member.relative() == 0 || number == 0);
    }
    to_root(member, number / 2).map(|_| Step::Combine(member.bytes))
}

/// From the first one to the last, combined on the way.
pub(super) fn along(member: Member, number: u32) -> Option<Step> {
    let (is_first, is_last) = (member.place == 0, member.place + 1 == member.size);
    match number + 2 * u32::from(is_first) {
        0 => Some(Step::Receive(member.place - 1)),
        1 => Some(Step::Combine(member.bytes)),
        2 if !is_last => Some(Step::Send(member.place + 1, member.bytes)),
        _ => None,
    }
}

/// The barrier of a master and its slaves, by messages.
pub(crate) struct LinearMeeting(pub(crate) LinearBarrier);

impl LinearMeeting {
    pub(super) fn step(&self, member: Member, number: u32) -> Option<Step> {
        let Self(barrier) = self;
        if number == 0 {
            return Some(Step::Delay(barrier.entry));
        }
        if member.place > 0 {
            return match number {
                1 => Some(Step::Send(0, barrier.size)),
                2 => Some(Step::Receive(0)),
                3 => Some(Step::Delay(barrier.exit_check)),
                4 => Some(Step::Delay(barrier.exit)),
                _ => None,
            };
        }
        let slaves = member.size - 1;
        let rest = match part(number - 1, 2 * slaves) {
            Ok(at) if at % 2 == 0 => return Some(Step::ReceiveAny),
            Ok(_) => return Some(Step::Delay(barrier.check)),
            Err(rest) => rest,
        };
        match part(rest, 1 + slaves) {
            Ok(0) => Some(Step::Delay(barrier.model)),
            Ok(slave) => Some(Step::Send(slave, barrier.size)),
            Err(0) => Some(Step::Delay(barrier.exit)),
            Err(_) => None,
        }
    }
}
