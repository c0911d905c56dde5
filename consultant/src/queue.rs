//! The queue of questions that wait to be measured: it decides which question is asked next, whatever idea each came from.
//!
//! ```text
//!   information   least cost for what an answer is expected to tell (`consultant/src/search/priority.rs`) ── then as they came
//!   classic       5 more precise hypotheses, 10 parts                                  ── then as they came
//! ```
//!
//! A question that is too expensive for now is skipped and keeps its place. Questions that were found false before wait
//! apart, since they may take only a part of the room.

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

/// Which of those that wait may come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Eligible {
    /// All.
    All,
    /// Those that were never found false.
    Fresh,
}

/// Whether anything that waits fits, as far as it was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It was not tried since something changed that it may depend on.
    Unknown,
    /// Nothing that waits fits.
    Nothing,
}

/// Nodes that wait to be measured. Equals leave in the order in which they came, so that the search goes breadth first and the same
/// on each run.
#[derive(Debug)]
pub(crate) struct Queue {
    order: Order,
    arrivals: u64,
    fresh: BTreeSet<QueuePlace>,
    again: BTreeSet<QueuePlace>,
    waiting: BTreeSet<NodeId>,
    fit: Fit,
}

/// A place in the queue.
type QueuePlace = (u8, Rank, u64, NodeId);

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
            fit: Fit::Unknown,
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
        self.fit = Fit::Unknown;
    }

    /// Takes the next one out that is eligible and fits.
    pub(crate) fn pop(
        &mut self,
        eligible: Eligible,
        fits: impl Fn(NodeId) -> bool,
    ) -> Result<NodeId, Nothing> {
        let next = self.take(eligible, fits);
        self.fit = if next == Err(Nothing::Fits) { Fit::Nothing } else { Fit::Unknown };
        next
    }

    /// Whether anything fits, as far as it was tried.
    pub(crate) const fn fit(&self) -> Fit {
        self.fit
    }

    /// Something changed that may let fit what did not.
    pub(crate) const fn try_again(&mut self) {
        self.fit = Fit::Unknown;
    }

    fn take(
        &mut self,
        eligible: Eligible,
        fits: impl Fn(NodeId) -> bool,
    ) -> Result<NodeId, Nothing> {
        let may_repeat = eligible == Eligible::All && !self.again.is_empty();
        if self.fresh.is_empty() && !may_repeat {
            return Err(Nothing::Waits);
        }
        let first =
            |waiting: &BTreeSet<QueuePlace>| waiting.iter().find(|one| fits(one.3)).copied();
        let old = if may_repeat { first(&self.again) } else { None };
        let found = first(&self.fresh).into_iter().chain(old).min().ok_or(Nothing::Fits)?;
        if !self.fresh.remove(&found) {
            self.again.remove(&found);
        }
        self.waiting.remove(&found.3);
        Ok(found.3)
    }

    /// Takes a node out, whatever its place; tells whether it waited.
    pub(crate) fn remove(&mut self, node: NodeId) -> bool {
        if !self.waiting.remove(&node) {
            return false;
        }
        self.fresh.retain(|place| place.3 != node);
        self.again.retain(|place| place.3 != node);
        true
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
            let next = || queue.pop(Eligible::All, |_| true).ok();
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
            |eligible, fits: fn(NodeId) -> bool| queue.pop(eligible, fits).map(|node| node.0);
        assert_eq!(pop(Eligible::Fresh, |node| node != NodeId(3)), Ok(1));
        assert_eq!(pop(Eligible::All, |node| node != NodeId(3)), Ok(2));
        assert_eq!(pop(Eligible::All, |_| false), Err(Nothing::Fits));
        assert_eq!(pop(Eligible::Fresh, |_| true), Ok(3));
        assert_eq!(pop(Eligible::Fresh, |_| true), Ok(0));
        assert_eq!(pop(Eligible::Fresh, |_| true), Err(Nothing::Waits));
    }

    #[test]
    fn what_is_taken_out_does_not_come_out() {
        let mut queue = Queue::new(Order::Information);
        queue.push(Idea::Where, Rank::of(0.1, 1.0), NodeId(0));
        queue.push(Idea::Again, Rank::of(0.1, 1.0), NodeId(1));
        assert!(queue.remove(NodeId(0)) && !queue.remove(NodeId(0)) && queue.remove(NodeId(1)));
        assert_eq!((queue.len(), queue.pop(Eligible::All, |_| true)), (0, Err(Nothing::Waits)));
        queue.push(Idea::Where, Rank::of(0.1, 1.0), NodeId(0));
        assert_eq!(queue.len(), 1, "it may wait again");
    }

    #[test]
    fn what_does_not_fit_is_not_tried_until_something_changes() {
        let mut queue = Queue::new(Order::Information);
        assert_eq!(queue.pop(Eligible::All, |_| false), Err(Nothing::Waits));
        assert_eq!(queue.fit(), Fit::Unknown);
        queue.push(Idea::Where, Rank::of(0.1, 1.0), NodeId(0));
        assert_eq!(queue.pop(Eligible::All, |_| false), Err(Nothing::Fits));
        assert_eq!(queue.fit(), Fit::Nothing);
        queue.try_again();
        assert_eq!(queue.fit(), Fit::Unknown);
        assert_eq!(queue.pop(Eligible::All, |_| false), Err(Nothing::Fits));
        queue.push(Idea::Where, Rank::of(0.1, 1.0), NodeId(1));
        assert_eq!(queue.fit(), Fit::Unknown, "the new one may fit");
        assert_eq!(queue.pop(Eligible::All, |node| node == NodeId(1)), Ok(NodeId(1)));
    }
}
