//! What is asked next: first by priority, then what tells most for its cost, then in the order in which it came.
//!
//! What costs nothing comes first. What is too expensive for now is skipped and keeps its place.

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
    /// What a directive says is not worth it.
    Low,
    /// Something that was found false before.
    Again,
}

/// Why nothing came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nothing {
    /// Nothing urgent enough waits.
    Waits,
    /// None of those that wait fits.
    Fits,
}

/// Nodes that wait to be measured. Equal priorities leave in the order in which they came, so that the search goes breadth
/// first and the same on each run.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    arrivals: u64,
    waiting: BTreeSet<Place>,
}

/// A place in the queue.
type Place = (Priority, Rank, u64, NodeId);

/// Cost by what it promises to tell, in powers of two: lower first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(u32);

impl Rank {
    /// What takes a share of the time of `cost` to tell about `promise`.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    pub(crate) fn of(cost: f64, promise: f64) -> Self {
        let nanos = (cost / promise.max(1e-3) * 1e9) as u64;
        Self(nanos.checked_ilog2().map_or(0, |log| log + 1))
    }
}

impl Queue {
    /// Adds a node.
    pub(crate) fn push(&mut self, priority: Priority, rank: Rank, node: NodeId) {
        self.arrivals += 1;
        self.waiting.insert((priority, rank, self.arrivals, node));
    }

    /// Takes the next one out that fits, unless only less urgent ones than `least` wait.
    pub(crate) fn pop(
        &mut self,
        least: Priority,
        fits: impl Fn(NodeId) -> bool,
    ) -> Result<NodeId, Nothing> {
        let mut urgent = self.waiting.iter().take_while(|(priority, ..)| *priority <= least);
        let mut skipped = false;
        let found = urgent.find(|(.., node)| {
            let is_fit = fits(*node);
            skipped |= !is_fit;
            is_fit
        });
        let place = *found.ok_or(if skipped { Nothing::Fits } else { Nothing::Waits })?;
        self.waiting.remove(&place);
        Ok(place.3)
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
                queue.push(all[*kind], Rank::default(), NodeId(at));
            }
            let mut expected: Vec<usize> = (0..kinds.len()).collect();
            expected.sort_by_key(|at| kinds[*at]);
            let next = || queue.pop(Priority::Again, |_| true).ok();
            let left: Vec<usize> = std::iter::from_fn(next).map(|node| node.0).collect();
            prop_assert_eq!(left, expected);
        }
    }

    #[test]
    fn cheap_and_promising_ones_go_first_and_what_does_not_fit_stays() {
        let mut queue = Queue::default();
        for (at, (cost, promise)) in
            [(0.02, 0.5), (0.001, 0.1), (0.0, 0.1), (0.001, 0.9)].into_iter().enumerate()
        {
            queue.push(Priority::Where, Rank::of(cost, promise), NodeId(at));
        }
        let mut pop =
            |fits: fn(NodeId) -> bool| queue.pop(Priority::Where, fits).map(|node| node.0);
        assert_eq!(pop(|_| true), Ok(2));
        assert_eq!(pop(|node| node != NodeId(3)), Ok(1));
        assert_eq!(pop(|_| true), Ok(3));
        assert_eq!(pop(|_| false), Err(Nothing::Fits));
        assert_eq!(pop(|_| true), Ok(0));
        assert_eq!(pop(|_| true), Err(Nothing::Waits));
    }
}
