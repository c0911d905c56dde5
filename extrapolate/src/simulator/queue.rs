//! What happens next: the earliest of all that is known to happen.
//!
//! At one time, messages come before ranks, those that set out first before others, and lower ranks before higher ones: the order never depends on anything else.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::identity::Rank;
use crate::time::SimTime;

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Happening {
    /// The data of an announced message leaves.
    Transfer(u64),
    /// A request is at its owner.
    Request(u64),
    /// The answer to a request leaves.
    Reply(u64),
    /// A rank goes on.
    Rank(Rank),
}

impl Happening {
    const fn order(self) -> u64 {
        match self {
            Self::Transfer(number) => number,
            Self::Request(number) => 1 << KIND | number,
            Self::Reply(number) => 2 << KIND | number,
            Self::Rank(rank) => 3 << KIND | rank.0 as u64,
        }
    }

    const fn of_order(order: u64) -> Self {
        let number = order & ((1 << KIND) - 1);
        match order >> KIND {
            0 => Self::Transfer(number),
            1 => Self::Request(number),
            2 => Self::Reply(number),
            _ => Self::Rank(Rank((number & u32::MAX as u64) as u32)),
        }
    }
}

/// The bits of a number; the kind is above them.
const KIND: u32 = 62;

/// All that is known to happen.
#[derive(Debug, Default)]
pub(super) struct EventQueue {
    heap: BinaryHeap<Reverse<(u64, u64)>>,
}

impl EventQueue {
    pub(super) fn push(&mut self, time: SimTime, happening: Happening) {
        self.heap.push(Reverse((time.key(), happening.order())));
    }

    pub(super) fn pop(&mut self) -> Option<(SimTime, Happening)> {
        let Reverse((time, order)) = self.heap.pop()?;
        Some((SimTime::of_key(time), Happening::of_order(order)))
    }

    /// Whether this would come before all that is here.
    pub(super) fn is_first(&self, time: SimTime, happening: Happening) -> bool {
        let here = self.heap.peek();
        here.is_none_or(|Reverse(first)| (time.key(), happening.order()) < *first)
    }
}

#[cfg(test)]
mod tests {
    use super::{EventQueue, Happening};
    use crate::identity::Rank;
    use crate::time::SimTime;

    #[test]
    fn the_earliest_comes_first_and_messages_before_ranks() {
        let mut queue = EventQueue::default();
        let all = [
            (2.0, Happening::Rank(Rank(0))),
            (1.0, Happening::Rank(Rank(2))),
            (1.0, Happening::Rank(Rank(1))),
            (1.0, Happening::Reply(7)),
            (1.0, Happening::Request(9)),
            (1.0, Happening::Transfer(1 << 40)),
        ];
        all.iter().for_each(|(time, what)| queue.push(SimTime::nanos(*time), *what));
        assert!(queue.is_first(SimTime::ZERO, Happening::Rank(Rank(5))));
        assert!(!queue.is_first(SimTime::nanos(1.0), Happening::Rank(Rank(0))));
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(_, what)| what).collect();
        assert_eq!(order, all.iter().rev().map(|(_, what)| *what).collect::<Vec<_>>());
    }
}
