//! Communicators as all ranks agree on them: each process numbers its own.
//!
//! Two numbers are one communicator where they have the same members and are as manieth of those as each other: making one takes all of its members,
//! so they make those of the same members in the same order.

use std::collections::BTreeMap;

use whyperf_daemon::{NO_ONE, Traced};
use whyperf_extrapolate::{CommId, Rank, TraceHead};

/// The communicators of all processes.
#[derive(Debug, Default)]
pub(crate) struct Communicators {
    /// By process and its own number.
    known: BTreeMap<(usize, u32), CommId>,
}

/// Collects the members of communicators while the entries of a process go by.
#[derive(Debug, Default)]
pub(crate) struct MemberCollector {
    found: BTreeMap<(usize, u32), Vec<Rank>>,
    /// Whose members follow, and how many of them.
    open: Option<((usize, u32), usize)>,
}

impl MemberCollector {
    /// Takes in an entry of a process.
    pub(crate) fn see(&mut self, process: usize, said: &Traced) {
        match (said, self.open) {
            (Traced::Communicator { comm, members }, _) => {
                let most = usize::try_from(*members).unwrap_or(0).min(MOST);
                self.open = Some(((process, *comm), most));
                self.found.entry((process, *comm)).or_default();
            }
            (Traced::Members { ranks }, Some((key, size))) => {
                let list = self.found.entry(key).or_default();
                let room = size.saturating_sub(list.len());
                list.extend(
                    ranks.iter().take(room).filter(|rank| **rank < NO_ONE).map(|rank| Rank(*rank)),
                );
            }
            _ => {}
        }
    }

    /// All communicators, added to the head of a trace whose ranks are those of the world.
    pub(crate) fn told(self, head: &mut TraceHead) -> Communicators {
        let mut known = BTreeMap::new();
        let mut shared: BTreeMap<(Vec<Rank>, usize), CommId> = BTreeMap::new();
        shared.insert((head.all_ranks().collect(), 0), CommId::WORLD);
        let mut counts: BTreeMap<(usize, Vec<Rank>), usize> = BTreeMap::new();
        for ((process, number), members) in self.found {
            if members.is_empty() || members.iter().any(|rank| rank.0 >= head.ranks()) {
                continue;
            }
            let count = counts.entry((process, members.clone())).or_default();
            let key = (members, *count);
            *count += 1;
            let comm = match shared.get(&key) {
                Some(comm) => *comm,
                None => {
                    let comm = head.add_communicator(key.0.clone());
                    shared.insert(key, comm);
                    comm
                }
            };
            known.insert((process, number), comm);
        }
        Communicators { known }
    }
}

/// More members than any communicator has.
const MOST: usize = 1 << 24;

impl Communicators {
    /// The communicator of a process's number.
    pub(crate) fn of(&self, process: usize, number: u32) -> Option<CommId> {
        self.known.get(&(process, number)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_same_members_are_one_communicator_in_their_order() {
        let mut collector = MemberCollector::default();
        let mut say = |process: usize, comm: u32, ranks: &[u32]| {
            collector.see(process, &Traced::Communicator { comm, members: ranks.len() as u64 });
            for pair in ranks.chunks(2) {
                let ranks = [pair[0], pair.get(1).copied().unwrap_or(NO_ONE)];
                collector.see(process, &Traced::Members { ranks });
            }
        };
        say(0, 1, &[0, 1, 2]);
        say(0, 4, &[0, 2]);
        say(0, 9, &[0, 2]);
        say(2, 1, &[0, 1, 2]);
        say(2, 2, &[0, 2]);
        say(2, 3, &[0, 2]);
        let mut head = TraceHead::new(3);
        let all = collector.told(&mut head);
        let of = |process, number| all.of(process, number);
        assert_eq!([of(0, 1), of(2, 1)], [Some(CommId::WORLD); 2]);
        assert_eq!((of(0, 4), of(0, 9)), (of(2, 2), of(2, 3)));
        assert_ne!(of(0, 4), of(0, 9));
        assert_eq!(of(1, 1), None);
    }
}
