//! What is asked next: one stream of questions, whatever the idea of each came from.
//!
//! ```text
//!   information   least cost for what an answer is expected to tell (`consultant/src/search/priority.rs`) ── then as they came
//!   classic       5 more precise hypotheses, 10 parts                                  ── then as they came
//! ```
//!
//! What is too expensive for now is skipped and keeps its place. What was found false before waits apart, since it may take only a part
//! of the room.

use std::collections::BTreeSet;

use crate::node::NodeId;
use crate::settings::Order;

/// Where the idea came from to ask. The order of the variants is the classic order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Idea {
    /// A question asked whatever others say, or a more precise hypothesis at the same focus.
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
    /// Nothing waits that may be asked.
    Waits,
    /// None of those that wait fits.
    Fits,
}

/// Nodes that wait to be measured. Equals leave in the order in which they came, so that the search goes breadth first and the same
/// on each run.
#[derive(Debug)]
pub(crate) struct Queue {
    order: Order,
    arrivals: u64,
    fresh: BTreeSet<Place>,
    again: BTreeSet<Place>,
    waiting: BTreeSet<NodeId>,
}

/// A place in the queue.
type Place = (u8, Rank, u64, NodeId);

/// Cost by what it is expected to tell, in steps of a half power of two: lower first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(i32);

impl Rank {
    /// What takes a share of the time of `cost` to tell so many bits.
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    pub(crate) fn of(cost: f64, bits: f64) -> Self {
        Self(((cost / bits).log2() * 2.0).round() as i32)
    }
}

impl Idea {
    /// The key of this idea in the classic queue; what the classic search did not know comes after what it did.
    const fn key(self) -> u8 {
        match self {
            Self::Why => 5,
            Self::Where => 10,
            Self::Low => 15,
            Self::Again => 20,
        }
    }
}

impl Queue {
    /// With nothing in it.
    pub(crate) const fn new(order: Order) -> Self {
        Self {
            order,
            arrivals: 0,
            fresh: BTreeSet::new(),
            again: BTreeSet::new(),
            waiting: BTreeSet::new(),
        }
    }

    /// Adds a node that does not wait yet.
    pub(crate) fn push(&mut self, idea: Idea, rank: Rank, node: NodeId) {
        let is_new = self.waiting.insert(node);
        debug_assert!(is_new, "a node waits once");
        self.arrivals += 1;
        let place = match self.order {
            Order::Information => (0, rank, self.arrivals, node),
            Order::Classic => (idea.key(), Rank::default(), self.arrivals, node),
        };
        let waiting = if idea == Idea::Again { &mut self.again } else { &mut self.fresh };
        waiting.insert(place);
    }

    /// Takes the next one out that fits; of what was found false before only if `again` says so.
    pub(crate) fn pop(
        &mut self,
        again: bool,
        fits: impl Fn(NodeId) -> bool,
    ) -> Result<NodeId, Nothing> {
        let may_repeat = again && !self.again.is_empty();
        if self.fresh.is_empty() && !may_repeat {
            return Err(Nothing::Waits);
        }
        let first = |waiting: &BTreeSet<Place>| waiting.iter().find(|one| fits(one.3)).copied();
        let old = if may_repeat { first(&self.again) } else { None };
        let found = first(&self.fresh).into_iter().chain(old).min().ok_or(Nothing::Fits)?;
        if !self.fresh.remove(&found) {
            self.again.remove(&found);
        }
        self.waiting.remove(&found.3);
        Ok(found.3)
    }

    /// Whether a node waits.
    pub(crate) fn contains(&self, node: NodeId) -> bool {
        self.waiting.contains(&node)
    }

    /// How many wait that were never answered.
    pub(crate) fn fresh(&self) -> usize {
        self.fresh.len()
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.fresh.len() + self.again.len()
    }

    /// Nothing is asked any more.
    pub(crate) fn clear(&mut self) {
        self.fresh.clear();
        self.again.clear();
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_classic_order_is_by_key_and_then_as_they_came(kinds in proptest::collection::vec(0..4_usize, 0..50)) {
            let all = [Idea::Why, Idea::Where, Idea::Low, Idea::Again];
            let mut queue = Queue::new(Order::Classic);
            for (at, kind) in kinds.iter().enumerate() {
                queue.push(all[*kind], Rank::of(1.0, 1.0 + at as f64), NodeId(at));
            }
            let mut expected: Vec<usize> = (0..kinds.len()).collect();
            expected.sort_by_key(|at| kinds[*at]);
            let next = || queue.pop(true, |_| true).ok();
            let left: Vec<usize> = std::iter::from_fn(next).map(|node| node.0).collect();
            prop_assert_eq!(left, expected);
        }
    }

    #[test]
    fn cheap_and_telling_ones_go_first_whatever_they_are_and_what_does_not_fit_stays() {
        let mut queue = Queue::new(Order::Information);
        for (at, (idea, cost, bits)) in [
            (Idea::Why, 0.02, 1.0),
            (Idea::Where, 0.001, 0.2),
            (Idea::Again, 0.001, 0.1),
            (Idea::Low, 0.001, 1.5),
        ]
        .into_iter()
        .enumerate()
        {
            queue.push(idea, Rank::of(cost, bits), NodeId(at));
        }
        let mut pop =
            |again: bool, fits: fn(NodeId) -> bool| queue.pop(again, fits).map(|node| node.0);
        assert_eq!(pop(false, |node| node != NodeId(3)), Ok(1));
        assert_eq!(pop(true, |node| node != NodeId(3)), Ok(2));
        assert_eq!(pop(true, |_| false), Err(Nothing::Fits));
        assert_eq!(pop(false, |_| true), Ok(3));
        assert_eq!(pop(false, |_| true), Ok(0));
        assert_eq!(pop(false, |_| true), Err(Nothing::Waits));
    }
}
