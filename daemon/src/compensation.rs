//! Takes the cost of events off the times that hold it.
//!
//! ```text
//!   caller  ────────┐out│                    │out┌────────   outside: charged to the caller's node
//!   callee              │in ─────────── in│                  inside:  charged to the callee's node
//!                       ▲ clock           ▲ clock
//! ```
//! Both parts are calibrated in the process. A node owes the inside part of each of its visits, its
//! parent the outside part. What is owed is paid out of what the node grew by, so nothing that was
//! told before is taken back and no growth turns negative.

use std::sync::atomic::Ordering;

use whyperf_layout::Head;

use crate::cost::DEAREST;
use crate::thread::{Growth, NodeState};

/// What a visit costs, in 1/256 ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Price {
    pub(crate) inside: u64,
    pub(crate) outside: u64,
}

impl Price {
    /// As calibrated; nothing where the calibration was disturbed.
    pub(crate) fn of(head: &Head) -> Self {
        let inside = u64::from(head.inside.load(Ordering::Relaxed));
        let outside = u64::from(head.outside.load(Ordering::Relaxed));
        if inside + outside > DEAREST {
            return Self::default();
        }
        Self { inside: seen(inside), outside: seen(outside) }
    }

    /// Of a visit of a patched function: its slot keeps more registers and makes two more jumps,
    /// which was measured to make events half as dear again.
    pub(crate) const fn of_function(self) -> Self {
        Self { inside: self.inside * 3 / 2, outside: self.outside * 3 / 2 }
    }
}

/// What a program pays of a calibrated cost: events are calibrated alone, beside other work a little
/// of them is hidden. Where that work mostly waits for its own results, more is hidden than this.
const fn seen(cost: u64) -> u64 {
    cost - cost / 16
}

/// Takes the cost of the visits in `growth` off its times; `price` is that of a visit of a region.
pub(crate) fn apply(
    nodes: &mut [NodeState],
    growth: &mut [Growth],
    price: impl Fn(&NodeState) -> Price,
) {
    for growth in growth.iter() {
        let node = growth.node as usize;
        let (price, parent) = (price(&nodes[node]), nodes[node].parent as usize);
        owe(nodes, node, growth.by.visits, price.inside);
        owe(nodes, parent, growth.by.visits, price.outside);
    }
    pay(nodes, growth);
    // A call from inside the function itself, or from below it, was charged there and not to the
    // parent: what the parent cannot pay is the node's own.
    for growth in growth.iter() {
        let node = growth.node as usize;
        let most = growth.by.visits.saturating_mul(price(&nodes[node]).outside);
        let parent = nodes[node].parent as usize;
        let left = nodes[parent].owed.min(most);
        nodes[parent].owed -= left;
        nodes[node].owed = nodes[node].owed.saturating_add(left);
    }
    pay(nodes, growth);
    for growth in growth {
        let node = &mut nodes[growth.node as usize];
        node.owed = node.owed.min(CARRIED);
    }
}

fn owe(nodes: &mut [NodeState], node: usize, visits: u64, each: u64) {
    let owed = &mut nodes[node].owed;
    *owed = owed.saturating_add(visits.saturating_mul(each));
}

fn pay(nodes: &mut [NodeState], growth: &mut [Growth]) {
    for growth in growth {
        let node = &mut nodes[growth.node as usize];
        let paid = (node.owed >> 8).min(growth.by.time);
        node.owed -= paid << 8;
        node.paid = node.paid.wrapping_add(paid);
        growth.by.time -= paid;
    }
}

/// Carried to the next pass at most, in 1/256 ticks: visits whose time was told before they ended.
const CARRIED: u64 = 4 * DEAREST;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::Counters;

    const PRICE: Price = Price { inside: 20 << 8, outside: 30 << 8 };

    fn nodes(parents: &[u32]) -> Vec<NodeState> {
        parents.iter().map(|parent| NodeState::example(*parent)).collect()
    }

    fn grew(node: u32, time: u64, visits: u64) -> Growth {
        Growth { node, by: Counters { time, visits, ..Counters::default() } }
    }

    fn times(growth: &[Growth]) -> Vec<u64> {
        growth.iter().map(|growth| growth.by.time).collect()
    }

    #[test]
    fn the_callee_pays_inside_and_the_caller_outside() {
        let mut nodes = nodes(&[0, 0, 0, 1, 3]);
        let mut growth = [grew(1, 1000, 0), grew(3, 500, 2), grew(4, 250, 10)];
        apply(&mut nodes, &mut growth, |_| PRICE);
        assert_eq!(times(&growth), [1000 - 60, 500 - 40 - 300, 250 - 200]);
    }

    #[test]
    fn what_cannot_be_paid_yet_is_paid_later_and_never_turns_negative() {
        let mut nodes = nodes(&[0, 0, 0, 1]);
        let mut first = [grew(1, 1000, 0), grew(3, 5, 1)];
        apply(&mut nodes, &mut first, |_| PRICE);
        assert_eq!(times(&first), [970, 0]);
        let mut second = [grew(3, 100, 0)];
        apply(&mut nodes, &mut second, |_| PRICE);
        assert_eq!(times(&second), [85]);
    }

    #[test]
    fn recursion_pays_for_itself() {
        let mut nodes = nodes(&[0, 0, 0, 1]);
        let mut growth = [grew(3, 10_000, 100)];
        apply(&mut nodes, &mut growth, |_| PRICE);
        assert_eq!(times(&growth), [10_000 - 100 * 50]);
        let mut later = [grew(1, 1000, 0)];
        apply(&mut nodes, &mut later, |_| PRICE);
        assert_eq!(times(&later), [1000]);
    }
}
