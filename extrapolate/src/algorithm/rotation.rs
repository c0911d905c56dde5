//! Parts that go around: rings, and each with each at growing distances.

use crate::algorithm::{Member, Step, part};

/// Combined at all: a part of the data at a time around once to be combined, and once to be known to all.
pub(super) fn allreduce(member: Member, number: u32) -> Option<Step> {
    let rounds = member.size - 1;
    let bytes = member.bytes.part(u64::from(member.size));
    let step = Step::Exchange(member.ahead(1), member.behind(1), bytes);
    match part(number, 2 * rounds) {
        Ok(at) if at % 2 == 1 => Some(Step::Combine(bytes)),
        Ok(_) => Some(step),
        Err(at) => (at < rounds).then_some(step),
    }
}

/// All parts at all: each part around once.
pub(super) fn allgather(member: Member, number: u32) -> Option<Step> {
    let step = Step::Exchange(member.ahead(1), member.behind(1), member.bytes);
    (number + 1 < member.size).then_some(step)
}

/// A part from each to each.
pub(super) fn alltoall(member: Member, number: u32) -> Option<Step> {
    let distance = number + 1;
    let step = || Step::Exchange(member.ahead(distance), member.behind(distance), member.bytes);
    (distance < member.size).then(step)
}

/// A part of the data from each to each, combined there.
pub(super) fn reduce_scatter(member: Member, number: u32) -> Option<Step> {
    let bytes = member.bytes.part(u64::from(member.size));
    let step = alltoall(Member { bytes, ..member }, number / 2)?;
    Some(if number % 2 == 1 { Step::Combine(bytes) } else { step })
}
