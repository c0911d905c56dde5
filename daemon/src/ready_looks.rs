//! Looks which ranks wait for nobody any more: they are in an operation of all with all that each of its ranks has entered.
//!
//! ```text
//!   rank 0   ███┤▒▒▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓├███████       ┤ ├  an MPI_Allreduce     █ anything else
//!   rank 1   ████████┤▒▒▒▒▒▒▒▒▒▓▓▓├██████████        ▒   somebody has not entered it
//!   rank 2   █████████████████┤▓▓▓▓▓▓▓▓▓▓├███        ▓   all have: what is missing is the way of the data, or a processor
//!                                 │
//!                                 look: how often each rank has entered one, and whether it is in one now
//! ```
//! Each pass is a random moment of the program. So of the looks that find a rank waiting, the part that finds it ready is the part of its waiting
//! in which it is. The kernel tells for how long it had no processor in its calls, and that is the most that is taken to be lost
//! (`model/src/matching/processor_loss.rs`).
//!
//! * The n-th `MPI_Allreduce` of a rank on a communicator is the n-th of all its ranks.
//! * A look counts where the rank is in the same call when all others were read: it was in it all the while.
//! * A rank that has completed such an operation is in one whose ranks are all known: each of them has entered the one before.
//! * Nothing is told of a job of which a rank is elsewhere, or was not measured from the start of MPI on, or has calls that were not counted.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use ahash::AHashMap;
use whyperf_layout::{SlotReadState, geometry};
use whyperf_model::CategorySet;
use whyperf_model::matching::ResourceId;

use crate::clock::Moment;
use crate::process::Process;
use crate::rank_readiness::{CountedVisits, RankReadiness};
use crate::region::ThreadSlot;
use crate::shared_state::SharedState;

/// What a look tells of a rank that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finding {
    /// All ranks have entered what it is in.
    Ready,
    /// It may wait for others.
    Waiting,
    /// What it is in cannot be what others count under the same name.
    Contradiction(ResourceId),
}

/// Tries to read a rank between two of its events.
const TRIES: u32 = 4;
/// An operation that is called at more places than these is not looked at.
const MOST_NODES: usize = 32;

/// Looks at the ranks of all jobs in which somebody lacked a processor since the look before.
pub(crate) fn look(processes: &mut [Process], now: Moment, state: &SharedState) {
    let mut jobs: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, process) in processes.iter().enumerate() {
        if process.efficiency.is_at_work() {
            jobs.entry(process.efficiency.effort.job).or_default().push(at);
        }
    }
    for ranks in jobs.into_values() {
        for at in &ranks {
            processes[*at].see_uncounted();
        }
        for (at, finding) in findings(&ranks, processes, now, state) {
            match finding {
                Finding::Ready => processes[at].readiness.count(1.0),
                Finding::Waiting => processes[at].readiness.count(0.0),
                Finding::Contradiction(operation) => {
                    ranks.iter().for_each(|at| processes[*at].readiness.exclude(operation));
                }
            }
        }
    }
}

impl Process {
    /// Looks whether calls of its first thread were not counted.
    fn see_uncounted(&mut self) {
        let (Some(region), Some(first)) = (self.stage.region(), self.threads.first()) else {
            return;
        };
        let missed = region.slot(first.thread.slot).is_some_and(|slot| {
            [&slot.head.dropped, &slot.head.overflowed, &slot.head.anomalies]
                .into_iter()
                .any(|count| count.load(Ordering::Relaxed) != 0)
        });
        let is_off = |node: &usize| {
            let region = first.thread.nodes.get(*node).map(|node| node.region);
            region.and_then(|region| self.catalogue.tables.region(region)).is_some_and(|it| it.off)
        };
        if missed || self.paused || self.readiness.nodes.values().flatten().any(is_off) {
            self.readiness.visits = CountedVisits::Part;
        }
    }
}

/// What a look tells of those ranks of a job that wait.
fn findings(
    ranks: &[usize],
    processes: &[Process],
    now: Moment,
    state: &SharedState,
) -> Vec<(usize, Finding)> {
    let lacks =
        |at: &usize| processes[*at].threads.first().is_some_and(|it| it.lacked_a_processor());
    if !ranks.iter().any(lacks) {
        return Vec::new();
    }
    let looked_at = ranks.iter().map(|at| LookedAt::of(*at, ranks.len(), processes, now, state));
    let Some(mut looked_at) = looked_at.collect::<Option<Vec<_>>>() else { return Vec::new() };
    let mut meetings: AHashMap<ResourceId, Option<Meeting>> = AHashMap::new();
    for operation in looked_at.iter().filter_map(|rank| rank.operation) {
        meetings.entry(operation).or_insert_with(|| Meeting::of(operation, &looked_at));
    }
    let waiting = looked_at.iter_mut().filter(|rank| rank.is_waiting);
    let still = waiting.filter_map(|rank| rank.state.unchanged(rank.slot.head).then_some(&*rank));
    let found = still.filter_map(|rank| {
        let finding = match rank.operation {
            None => Finding::Waiting,
            Some(operation) => meetings.get(&operation)?.as_ref()?.finding(rank.process, operation),
        };
        Some((rank.process, finding))
    });
    found.collect()
}

/// A rank at the moment of a look.
struct LookedAt<'a> {
    process: usize,
    slot: ThreadSlot<'a>,
    clock: u64,
    readiness: &'a RankReadiness,
    state: SlotReadState,
    is_waiting: bool,
    /// What it is in, if it is in an operation of all with all.
    operation: Option<ResourceId>,
}

impl<'a> LookedAt<'a> {
    /// `None` where its visits say nothing about those of others.
    fn of(
        at: usize,
        ranks: usize,
        processes: &'a [Process],
        now: Moment,
        shared: &SharedState,
    ) -> Option<Self> {
        let process = &processes[at];
        let readiness = Some(&process.readiness).filter(|it| it.visits == CountedVisits::All)?;
        let region = process.stage.region()?;
        let is_whole = region.header().world_size.load(Ordering::Relaxed) as usize == ranks;
        let first = process.threads.first().filter(|first| is_whole && first.is_alive())?;
        let slot = region.slot(first.thread.slot)?;
        let nodes = &first.thread.nodes;
        // A call at a new place may have been one of those that are counted.
        if slot.head.published_nodes() as usize != nodes.len() {
            return None;
        }
        let clock = process.ticks(now);
        let mut state = SlotReadState::default();
        state.unchanged(slot.head);
        let node = geometry::node_index(state.open(slot.head, clock).node)?;
        let category = shared.classes.category(nodes.get(node)?.class);
        let is_waiting = CategorySet::MESSAGE.contains(category);
        let operation = if is_waiting { readiness.operation(node) } else { None };
        Some(Self { process: at, slot, clock, readiness, state, is_waiting, operation })
    }

    /// How often it has entered the operation of these nodes; `None` where it was in between every time.
    fn entered(&self, nodes: &[usize]) -> Option<u64> {
        let mut state = SlotReadState::default();
        (0..TRIES).find_map(|_| {
            state.unchanged(self.slot.head);
            let visits = nodes.iter().map(|node| Some(self.slot.nodes.get(*node)?.read()?.visits));
            let visits = visits.sum::<Option<u64>>()?;
            let open = geometry::node_index(state.open(self.slot.head, self.clock).node);
            let is_inside = open.is_some_and(|open| nodes.contains(&open));
            state.unchanged(self.slot.head).then_some(visits + u64::from(is_inside))
        })
    }
}

/// How often each rank that is known to call an operation has entered it.
#[derive(Debug)]
struct Meeting(BTreeMap<usize, u64>);

impl Meeting {
    fn of(operation: ResourceId, ranks: &[LookedAt<'_>]) -> Option<Self> {
        let members =
            ranks.iter().filter_map(|rank| Some((rank, rank.readiness.nodes.get(&operation)?)));
        let entered = members.map(|(rank, nodes)| {
            let few = Some(nodes).filter(|nodes| nodes.len() <= MOST_NODES)?;
            Some((rank.process, rank.entered(few)?))
        });
        entered.collect::<Option<_>>().map(Self)
    }

    /// Of a rank that is in the operation.
    fn finding(&self, process: usize, operation: ResourceId) -> Finding {
        let own = self.0.get(&process).copied().unwrap_or(0);
        let least = self.0.values().min().copied().unwrap_or(0);
        let most = self.0.values().max().copied().unwrap_or(0);
        if own < 2 {
            Finding::Waiting
        } else if most > own + 1 || least + 1 < own {
            // It has completed one less than it has entered, and nobody can complete the one that it is in before others have entered it.
            Finding::Contradiction(operation)
        } else if least >= own {
            Finding::Ready
        } else {
            Finding::Waiting
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whyperf_model::Resource;
    use whyperf_model::matching::Resources;

    fn sum() -> ResourceId {
        let named = Resource::parse("/SyncObject/Collective/Allreduce/MPI_COMM_WORLD");
        Resources::default().id(&named.expect("well formed"))
    }

    fn finding(entered: &[u64], rank: usize) -> Finding {
        Meeting(entered.iter().copied().enumerate().collect()).finding(rank, sum())
    }

    #[test]
    fn who_is_in_what_all_have_entered_is_ready() {
        assert_eq!(finding(&[7, 7, 7], 1), Finding::Ready);
        assert_eq!(finding(&[8, 7, 8], 1), Finding::Ready, "others are in the next one");
        assert_eq!(finding(&[8, 7, 8], 0), Finding::Waiting, "for the one that is not");
        assert_eq!(finding(&[7, 6, 7], 2), Finding::Waiting);
    }

    #[test]
    fn nothing_is_said_of_a_first_one_and_of_others_of_the_same_name() {
        // Another rank may be one that is not known yet.
        assert_eq!(finding(&[1, 1], 0), Finding::Waiting);
        assert_eq!(finding(&[2, 4], 0), Finding::Contradiction(sum()));
        assert_eq!(finding(&[4, 2], 0), Finding::Contradiction(sum()));
    }
}
