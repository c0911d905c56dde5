//! What is asked next: first by priority, then in the order in which it came.

use std::collections::BTreeSet;

use crate::graph::NodeId;

/// How soon something is asked. The order of the variants is the order of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Priority {
    /// The hypotheses at the whole program and at each process.
    Root,
    /// A more precise hypothesis at the same focus.
    Why,
    /// A part of a focus.
    Where,
    /// Something that was found false before.
    Again,
}

/// Nodes that wait to be measured. Equal priorities leave in the order in which they came, so that the search goes breadth
/// first and the same on each run.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    arrivals: u64,
    waiting: BTreeSet<(Priority, u64, NodeId)>,
}

impl Queue {
    /// Adds a node.
    pub(crate) fn push(&mut self, priority: Priority, node: NodeId) {
        self.arrivals += 1;
        self.waiting.insert((priority, self.arrivals, node));
    }

    /// Takes the next one out, unless only less urgent ones than `least` wait.
    pub(crate) fn pop(&mut self, least: Priority) -> Option<NodeId> {
        let (priority, _, _) = self.waiting.first()?;
        if *priority > least {
            return None;
        }
        self.waiting.pop_first().map(|(_, _, node)| node)
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Nobody is asked any more.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn equal_priorities_keep_their_order(kinds in proptest::collection::vec(0..4_usize, 0..50)) {
            let all = [Priority::Root, Priority::Why, Priority::Where, Priority::Again];
            let mut queue = Queue::default();
            for (at, kind) in kinds.iter().enumerate() {
                queue.push(all[*kind], NodeId(at));
            }
            let mut expected: Vec<usize> = (0..kinds.len()).collect();
            expected.sort_by_key(|at| kinds[*at]);
            let left: Vec<usize> = std::iter::from_fn(|| queue.pop(Priority::Again)).map(|node| node.0).collect();
            prop_assert_eq!(left, expected);
        }
    }
}
