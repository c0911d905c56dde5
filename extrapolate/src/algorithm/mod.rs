//! Collective algorithms as steps of one member: what it sends and receives, one step after the other.
//!
//! A step is computed from its number, so that an algorithm of thousands of steps takes no memory. Places are ranks in the
//! communicator.

mod binomial;
mod doubling;
mod halving;
mod linear;
mod rotation;

use crate::event::CollectiveKind;
use crate::identity::Bytes;
use crate::machine::{Algorithm, LinearBarrier};
use crate::time::SimTime;

pub(crate) use linear::LinearMeeting;

/// One member of a collective call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Its rank in the communicator.
    pub(crate) place: u32,
    /// How many there are.
    pub(crate) size: u32,
    /// The place of the root.
    pub(crate) root: u32,
    /// What the call says of bytes.
    pub(crate) bytes: Bytes,
}

impl Member {
    /// Its place when the root is the first one.
    fn relative(self) -> u32 {
        (self.place + self.size - self.root) % self.size
    }

    /// The place of a relative one.
    fn absolute(self, relative: u32) -> u32 {
        shifted(relative, self.root, self.size)
    }

    /// The place so far after this one, around.
    fn ahead(self, distance: u32) -> u32 {
        shifted(self.place, distance, self.size)
    }

    /// The place so far before this one, around.
    fn behind(self, distance: u32) -> u32 {
        shifted(self.place, self.size - distance % self.size, self.size)
    }
}

fn shifted(place: u32, by: u32, size: u32) -> u32 {
    u32::try_from((u64::from(place) + u64::from(by)) % u64::from(size.max(1))).unwrap_or(0)
}

/// One thing that a member does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step {
    /// A message to a place.
    Send(u32, Bytes),
    /// A message from a place.
    Receive(u32),
    /// A message from whichever place.
    ReceiveAny,
    /// A message to the first and one from the second place, at once.
    Exchange(u32, u32, Bytes),
    /// Combines so many bytes of two contributions.
    Combine(Bytes),
    /// Takes so long.
    Delay(SimTime),
}

/// What a member of a collective call or barrier has to do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Schedule {
    Collective(CollectiveKind, Algorithm),
    TreeBarrier,
    DisseminationBarrier,
    LinearBarrier(LinearBarrier),
}

impl Schedule {
    /// The step of this number; none when it is done.
    pub(crate) fn step(self, member: Member, number: u32) -> Option<Step> {
        match self {
            Self::Collective(kind, algorithm) => collective(kind, algorithm, member, number),
            Self::TreeBarrier => binomial::up_and_down(member, number),
            Self::DisseminationBarrier => doubling::dissemination(member, number),
            Self::LinearBarrier(barrier) => LinearMeeting(barrier).step(member, number),
        }
    }
}

fn collective(
    kind: CollectiveKind,
    algorithm: Algorithm,
    member: Member,
    number: u32,
) -> Option<Step> {
    use CollectiveKind as Kind;
    match (kind, algorithm) {
        (Kind::Broadcast | Kind::Scatter, Algorithm::Linear) => linear::from_root(member, number),
        (Kind::Reduce, Algorithm::Linear) => linear::combined_at_root(member, number),
        (Kind::Gather, Algorithm::Linear) => linear::to_root(member, number),
        (Kind::Scan, Algorithm::Linear) => linear::along(member, number),
        (Kind::Broadcast, Algorithm::Parts) => halving::broadcast(member, number),
        (Kind::Reduce, Algorithm::Parts) => halving::reduce(member, number),
        (Kind::Broadcast, _) => binomial::broadcast(member, number),
        (Kind::Reduce, _) => binomial::reduce(member, number),
        (Kind::Gather, _) => binomial::gather(member, number),
        (Kind::Scatter, _) => binomial::scatter(member, number),
        (Kind::Allreduce, Algorithm::RecursiveHalving) => halving::allreduce(member, number),
        (Kind::ReduceScatter, Algorithm::RecursiveHalving) => {
            halving::reduce_scatter(member, number)
        }
        (Kind::Alltoall, Algorithm::RecursiveDoubling) => doubling::alltoall(member, number),
        (Kind::Allreduce, Algorithm::Ring) => rotation::allreduce(member, number),
        (Kind::Allreduce, Algorithm::Binomial) => binomial::up_and_down(member, number),
        (Kind::Allreduce, _) => doubling::allreduce(member, number),
        (Kind::Allgather, Algorithm::Ring) => rotation::allgather(member, number),
        (Kind::Allgather, _) => doubling::allgather(member, number),
        (Kind::Alltoall, _) => rotation::alltoall(member, number),
        (Kind::ReduceScatter, _) => rotation::reduce_scatter(member, number),
        (Kind::Scan, _) => doubling::scan(member, number),
    }
}

/// The step among those of one kind, and else the number of the step after them.
fn part(number: u32, count: u32) -> Result<u32, u32> {
    if number < count { Ok(number) } else { Err(number - count) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Member, Schedule, Step};
    use crate::event::CollectiveKind;
    use crate::identity::Bytes;
    use crate::machine::Algorithm;

    /// The messages of all members, as sender, receiver and bytes, those that were sent and those that were waited for.
    fn messages(schedule: Schedule, size: u32, root: u32) -> [BTreeMap<(u32, u32), u32>; 2] {
        let (mut sent, mut awaited) = (BTreeMap::new(), BTreeMap::new());
        for place in 0..size {
            let member = Member { place, size, root, bytes: Bytes(1000) };
            let mut number = 0;
            while let Some(step) = schedule.step(member, number) {
                if let Step::Send(to, _) | Step::Exchange(to, ..) = step {
                    *sent.entry((place, to)).or_default() += 1;
                }
                if let Step::Receive(from) | Step::Exchange(_, from, _) = step {
                    *awaited.entry((from, place)).or_default() += 1;
                }
                number += 1;
                assert!(number < 10_000, "{schedule:?} of {size} does not end");
            }
        }
        [sent, awaited]
    }

    #[test]
    fn every_message_of_every_algorithm_has_its_receive() {
        let barriers = [Schedule::TreeBarrier, Schedule::DisseminationBarrier];
        let kinds = CollectiveKind::ALL.into_iter().flat_map(|kind| {
            let does = move |algorithm: &Algorithm| algorithm.does(kind);
            let all = Algorithm::ALL.into_iter().filter(does);
            all.map(move |algorithm| Schedule::Collective(kind, algorithm))
        });
        for schedule in kinds.chain(barriers) {
            for size in 1..=17 {
                for root in [0, size / 2, size - 1] {
                    let [sent, awaited] = messages(schedule, size, root);
                    assert_eq!(sent, awaited, "{schedule:?} of {size} at {root}");
                }
            }
        }
    }
}
