//! The pattern of a wait, told by the calls that wait: in what way the one that is waited for comes too late, or the one that waits too early.
//!
//! The names are those of Scalasca, which finds the patterns in traces.

use super::active::Totals;
use super::classes::Traits;
use super::resources::Resources;
use crate::Category;

/// In what way somebody waits for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaitPattern {
    /// A receiver waits for what is not sent yet.
    LateSender,
    /// The same, and another message, which it receives later, has long been there.
    WrongOrder,
    /// A sender waits for a receive that has not begun.
    LateReceiver,
    /// All wait for the last one at a barrier.
    WaitAtBarrier,
    /// All wait for the last one in an operation that all send to all in.
    WaitAtNxN,
    /// All wait for the root that sends to all of them.
    LateBroadcast,
    /// The root that all send to waits for the last of them.
    EarlyReduce,
    /// A rank waits for those before it in a prefix operation.
    EarlyScan,
    /// A thread waits for a lock that another one holds.
    LockContention,
}

impl WaitPattern {
    /// All of them, in the order of their variants.
    pub const ALL: [Self; 9] = [
        Self::LateSender,
        Self::WrongOrder,
        Self::LateReceiver,
        Self::WaitAtBarrier,
        Self::WaitAtNxN,
        Self::LateBroadcast,
        Self::EarlyReduce,
        Self::EarlyScan,
        Self::LockContention,
    ];

    /// Its name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LateSender => "late sender",
            Self::WrongOrder => "late sender, wrong order",
            Self::LateReceiver => "late receiver",
            Self::WaitAtBarrier => "wait at barrier",
            Self::WaitAtNxN => "wait at N x N",
            Self::LateBroadcast => "late broadcast",
            Self::EarlyReduce => "early reduce",
            Self::EarlyScan => "early scan",
            Self::LockContention => "lock contention",
        }
    }

    /// Of calls with these traits that moved so much; `None` where calls of that kind wait in several ways.
    pub(super) fn of(traits: &Traits, moved: &Totals, resources: &Resources) -> Option<Self> {
        match traits.category {
            Category::Receive => Some(Self::LateSender),
            Category::Send => Some(Self::LateReceiver),
            // What completes a transfer knows only its bytes.
            Category::Wait | Category::Post => match (moved.received, moved.sent) {
                (1.., 0) => Some(Self::LateSender),
                (0, 1..) => Some(Self::LateReceiver),
                _ => None,
            },
            Category::Barrier => Some(Self::WaitAtBarrier),
            Category::Collective => {
                let object = resources.resource(traits.object?);
                object.components().nth(2).and_then(Self::of_operation)
            }
            Category::Mutex | Category::RwLock => Some(Self::LockContention),
            _ => None,
        }
    }

    /// Of an operation of MPI, as in `/SyncObject/Collective/Bcast`.
    fn of_operation(name: &str) -> Option<Self> {
        match name {
            "Bcast" | "Scatter" | "Scatterv" => Some(Self::LateBroadcast),
            "Reduce" | "Gather" | "Gatherv" => Some(Self::EarlyReduce),
            "Scan" | "Exscan" => Some(Self::EarlyScan),
            "Allreduce"
            | "Allgather"
            | "Allgatherv"
            | "Alltoall"
            | "Alltoallv"
            | "Alltoallw"
            | "Reduce_scatter"
            | "Reduce_scatter_block" => Some(Self::WaitAtNxN),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Resource;

    #[test]
    fn calls_tell_in_what_way_they_wait() {
        let mut resources = Resources::default();
        let mut told = |category, object: &str, [sent, received]: [u64; 2]| {
            let object = Some(resources.id(&Resource::parse(object).expect("well formed")));
            let (code, functions, own) = (Vec::new(), Vec::new(), None);
            let traits = Traits { category, code, functions, object, own };
            let moved = Totals { sent, received, ..Totals::default() };
            WaitPattern::of(&traits, &moved, &resources)
        };
        let message = "/SyncObject/Message/MPI_COMM_WORLD/3";
        let collective = "/SyncObject/Collective";
        let of = |name: &str| format!("{collective}/{name}/MPI_COMM_WORLD");
        assert_eq!(told(Category::Receive, message, [0, 8]), Some(WaitPattern::LateSender));
        assert_eq!(told(Category::Send, message, [8, 0]), Some(WaitPattern::LateReceiver));
        assert_eq!(told(Category::Wait, message, [0, 8]), Some(WaitPattern::LateSender));
        assert_eq!(told(Category::Wait, message, [8, 8]), None, "for either");
        assert_eq!(told(Category::Exchange, message, [8, 8]), None);
        let bcast = told(Category::Collective, &of("Bcast"), [8, 0]);
        assert_eq!(bcast, Some(WaitPattern::LateBroadcast));
        let reduce = told(Category::Collective, &of("Reduce"), [0, 8]);
        assert_eq!(reduce, Some(WaitPattern::EarlyReduce));
        let all = told(Category::Collective, &of("Allreduce"), [8, 8]);
        assert_eq!(all, Some(WaitPattern::WaitAtNxN));
        assert_eq!(told(Category::Collective, collective, [8, 8]), None);
        assert_eq!(told(Category::Condition, "/SyncObject/CondVar", [0, 0]), None);
        let names: std::collections::BTreeSet<&str> =
            WaitPattern::ALL.into_iter().map(WaitPattern::name).collect();
        assert_eq!(names.len(), WaitPattern::ALL.len());
    }
}
