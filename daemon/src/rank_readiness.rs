//! For how much of its waiting a rank was found to wait for nobody any more, and where it counts the operations that tell so.

use ahash::{AHashMap, AHashSet};
use whyperf_model::Category;
use whyperf_model::matching::{Classes, ResourceId, Resources};

use crate::tables::ProcessTables;
use crate::thread::NodeState;

/// Where a rank counts operations of all with all, and for how much of its waiting it was found ready.
#[derive(Debug, Default)]
pub(crate) struct RankReadiness {
    pub(crate) visits: CountedVisits,
    /// Nodes of its first thread, by operation and communicator.
    pub(crate) nodes: AHashMap<ResourceId, Vec<usize>>,
    /// Operations of which ranks count differently: communicators that only have a name in common.
    excluded: AHashSet<ResourceId>,
    /// Looks that found it waiting, and those that found it ready; the older, the less they count.
    waiting: f64,
    ready: f64,
}

/// Which of a rank's calls its nodes count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CountedVisits {
    /// It was not seen to start MPI.
    #[default]
    Unknown,
    /// All.
    All,
    /// Not all.
    Part,
}

/// What an older look counts, each time that a new one is made.
const KEPT: f64 = 15.0 / 16.0;
/// The calls with which a rank starts MPI.
const STARTS: [&str; 2] = ["MPI_Init", "MPI_Init_thread"];
/// Operations from which no rank returns before each rank has entered them, whatever it contributes.
const OF_ALL: [&str; 3] = ["Allreduce", "Allgather", "Alltoall"];
/// Each rank has one of its own, and so it has all that is made from it.
const OWN: &str = "MPI_COMM_SELF";

impl RankReadiness {
    /// The part of its waiting in which it waits for nobody, as far as looks tell.
    pub(crate) fn share(&self) -> f64 {
        if self.waiting > 0.0 { self.ready / self.waiting } else { 0.0 }
    }

    /// Learns of the nodes of its first thread from `from` on, which were just classified.
    pub(crate) fn learn(
        &mut self,
        nodes: &[NodeState],
        from: usize,
        tables: &ProcessTables,
        (classes, resources): (&Classes, &Resources),
    ) {
        if from == 0 {
            self.nodes.clear();
        }
        for (index, node) in nodes.iter().enumerate().skip(from) {
            let traits = &classes.get(node.class).traits;
            let is_start =
                || tables.region(node.region).is_some_and(|it| STARTS.contains(&it.name.as_str()));
            if self.visits == CountedVisits::Unknown
                && traits.category == Category::Setup
                && is_start()
            {
                self.visits = CountedVisits::All;
            }
            let operation = traits.object.filter(|object| {
                !traits.is_program() && is_of_all(traits.category, *object, resources)
            });
            if let Some(operation) = operation.filter(|object| !self.excluded.contains(object)) {
                self.nodes.entry(operation).or_default().push(index);
            }
        }
    }

    /// Looks no more at an operation that ranks count differently.
    pub(crate) fn exclude(&mut self, operation: ResourceId) {
        self.excluded.insert(operation);
        self.nodes.remove(&operation);
    }

    /// Takes in a look that found it waiting, and that it is ready, 1, or not, 0.
    pub(crate) fn count(&mut self, ready: f64) {
        self.waiting = self.waiting * KEPT + 1.0;
        self.ready = self.ready * KEPT + ready;
    }

    /// The operation that a node is.
    pub(crate) fn operation(&self, node: usize) -> Option<ResourceId> {
        let found = self.nodes.iter().find(|(_, nodes)| nodes.contains(&node));
        found.map(|(operation, _)| *operation)
    }
}

/// Whether no rank returns from a call on this object before each rank of a communicator, which they have in common, has entered it.
fn is_of_all(category: Category, object: ResourceId, resources: &Resources) -> bool {
    let mut names = resources.resource(object).components().skip(1);
    let is_known = match (category, names.next()) {
        (Category::Barrier, Some(_)) => true,
        (Category::Collective, Some(_)) => names.next().is_some_and(|name| OF_ALL.contains(&name)),
        _ => false,
    };
    is_known && names.next().is_some_and(|communicator| !communicator.starts_with(OWN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use whyperf_model::Resource;

    #[test]
    fn looks_count_the_less_the_older_they_are() {
        let mut looks = RankReadiness::default();
        assert_eq!(looks.share(), 0.0);
        (0..100).for_each(|_| looks.count(1.0));
        assert_eq!(looks.share(), 1.0);
        (0..100).for_each(|look| looks.count(f64::from(u8::from(look % 4 == 0))));
        assert!((looks.share() - 0.25).abs() < 0.05, "{}", looks.share());
    }

    #[test]
    fn only_what_waits_for_all_ranks_of_one_communicator_is_looked_at() {
        let mut resources = Resources::default();
        let mut told = |category, object: &str| {
            let object = resources.id(&Resource::parse(object).expect("well formed"));
            is_of_all(category, object, &resources)
        };
        let of = |name: &str, on: &str| format!("/SyncObject/Collective/{name}/{on}");
        let world = "MPI_COMM_WORLD";
        assert!(told(Category::Barrier, "/SyncObject/Barrier/MPI_COMM_WORLD"));
        assert!(told(Category::Collective, &of("Allreduce", world)));
        // What a rank has no part in it may leave at once.
        assert!(!told(Category::Collective, &of("Alltoallv", world)));
        assert!(!told(Category::Collective, &of("Bcast", world)));
        assert!(!told(Category::Collective, &of("Allreduce", "MPI_COMM_SELF.dup#1")));
        assert!(!told(Category::Receive, "/SyncObject/Message/MPI_COMM_WORLD/3"));
        assert!(!told(Category::Post, &of("Allreduce", world)), "it comes back at once");
    }
}
