//! Subtracts the cost of events from the times that contain it.
//!
//! ```text
//!   caller  ────────┐out│                    │out┌────────   outside: charged to the caller's node
//!   callee              │in ─────────── in│                  inside:  charged to the callee's node
//!                       ▲ clock           ▲ clock
//!
//!   price of a visit    ▔▔▔╲                     most:  as calibrated around nothing
//!                           ╲▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁     least: as calibrated around work that waits for itself
//!                       ticks of the visit's own ──►
//! ```
//! Processors do events beside the work around them, so a pair around nothing costs several times what one around a hundred
//! ticks of work does. Both are calibrated in the process; which one counts depends on how long the node's visits are by
//! themselves, as they were when least disturbed. A node owes the inside part of each of its visits, its parent the outside
//! part. That debt is subtracted from the node's growth, so no amount that was reported before is taken back, and no growth
//! turns negative.
//!
//! A wrapped call has another price: what its wrapper does around the two events is measured in one of a thousand calls.

use std::sync::atomic::{AtomicU32, Ordering};

use whyperf_layout::Head;

use crate::event_form::EventForm;
use crate::thread::{NodeGrowth, NodeState};

/// What a visit costs, in 1/256 ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Price {
    pub(crate) inside: u64,
    pub(crate) outside: u64,
    /// Both parts where as much of them is hidden as can be.
    pub(crate) least: u64,
}

/// The prices of a thread, by what a visit is of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prices {
    function: Price,
    region: Price,
    call: Price,
}

impl Prices {
    /// As calibrated, and as measured since.
    pub(crate) fn of(head: &Head) -> Self {
        let region = Price::of_region(head);
        Self { function: Price::of_function(head), region, call: region.of_call(head) }
    }

    pub(crate) const fn each(&self, form: EventForm) -> Price {
        match form {
            EventForm::Function => self.function,
            EventForm::Region => self.region,
            EventForm::Call => self.call,
        }
    }
}

impl Price {
    /// As calibrated; nothing where the calibration was disturbed.
    fn of_region(head: &Head) -> Self {
        Self::calibrated([&head.inside, &head.outside, &head.hidden])
    }

    /// Of a wrapped call: what its wrapper does around its events was measured, or is as little as a region's. No work beside it hides any of it.
    fn of_call(self, head: &Head) -> Self {
        let [ticks, calls] =
            [&head.call_ticks, &head.measured_calls].map(|place| place.load(Ordering::Relaxed));
        let measured = (calls >= ENOUGH).then(|| (ticks << 8) / calls);
        let outside = measured.unwrap_or(self.outside).min(DEAREST);
        Self { inside: self.inside, outside, least: self.inside + outside }
    }

    /// Of a visit of a function that was patched.
    pub(crate) fn of_function(head: &Head) -> Self {
        Self::calibrated([&head.function_inside, &head.function_outside, &head.function_hidden])
    }

    fn calibrated(parts: [&AtomicU32; 3]) -> Self {
        let [inside, outside, least] = parts.map(|part| u64::from(part.load(Ordering::Relaxed)));
        if inside + outside > DEAREST {
            return Self::default();
        }
        Self { inside, outside, least: least.min(inside + outside) }
    }

    /// Both parts, where nothing is hidden.
    pub(crate) const fn most(self) -> u64 {
        self.inside + self.outside
    }

    /// The parts of a visit of a node.
    pub(crate) fn each(self, node: &NodeState) -> Self {
        let most = self.most();
        // What an empty body shows is a little more than was calibrated.
        let body = (u64::from(node.quickest) << 8).saturating_sub(self.inside + self.inside / 4);
        let price = most.saturating_sub(STEEP.saturating_mul(body)).max(self.least);
        if price == most {
            return self;
        }
        let part = |part: u64| (part * price).checked_div(most).unwrap_or(0);
        Self { inside: part(self.inside), outside: part(self.outside), least: self.least }
    }
}

/// So many measured calls tell what a call costs.
const ENOUGH: u64 = 8;
/// Ticks of an event that each tick of work of its own hides.
const STEEP: u64 = 2;
/// So many visits tell how long they are.
const MANY: u64 = 64;

/// Takes note of how long visits are by themselves.
pub(crate) fn see(nodes: &mut [NodeState], growth: &[NodeGrowth]) {
    for NodeGrowth { node, by } in growth {
        let node = &mut nodes[*node as usize];
        if by.visits >= MANY || (by.visits > 0 && node.quickest == u32::MAX) {
            let each = u32::try_from(by.time / by.visits).unwrap_or(u32::MAX - 1);
            node.quickest = node.quickest.min(each);
        }
    }
}

/// Takes the cost of the visits in `growth` off its times; `price` is that of a visit of a region.
pub(crate) fn apply(
    nodes: &mut [NodeState],
    growth: &mut [NodeGrowth],
    price: impl Fn(&NodeState) -> Price,
) {
    let price = |node: &NodeState| price(node).each(node);
    for growth in growth.iter().filter(|growth| growth.by.visits > 0) {
        let node = growth.node as usize;
        let (price, parent) = (price(&nodes[node]), nodes[node].parent as usize);
        owe(nodes, node, growth.by.visits, price.inside);
        owe(nodes, parent, growth.by.visits, price.outside);
    }
    pay(nodes, growth);
    // A call from inside the function itself, or from below it, was charged there and not to the
    // parent: what the parent cannot pay is the node's own.
    for growth in growth.iter().filter(|growth| growth.by.visits > 0) {
        let node = growth.node as usize;
        let parent = nodes[node].parent as usize;
        let owed = nodes[parent].owed;
        if owed == 0 {
            continue;
        }
        let most = growth.by.visits.saturating_mul(price(&nodes[node]).outside);
        let left = owed.min(most);
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

fn pay(nodes: &mut [NodeState], growth: &mut [NodeGrowth]) {
    for growth in growth {
        let node = &mut nodes[growth.node as usize];
        let paid = (node.owed >> 8).min(growth.by.time);
        node.owed -= paid << 8;
        node.paid = node.paid.wrapping_add(paid);
        growth.by.time -= paid;
    }
}

/// No event pair costs more than 4096 ticks; a calibration that says so was disturbed.
const DEAREST: u64 = 4096 << 8;
/// Carried to the next pass at most, in 1/256 ticks: visits whose time was told before they ended.
const CARRIED: u64 = 4 * DEAREST;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::NodeCounters;

    const PRICE: Price = Price { inside: 20 << 8, outside: 30 << 8, least: 10 << 8 };

    #[test]
    fn a_wrapped_call_costs_what_was_measured_whatever_it_does_inside() {
        let head = Head::default();
        head.inside.store(20 << 8, Ordering::Relaxed);
        head.outside.store(30 << 8, Ordering::Relaxed);
        head.hidden.store(10 << 8, Ordering::Relaxed);
        let mut long = NodeState::example(0);
        long.quickest = 5000;
        let most = |form| Prices::of(&head).each(form).each(&long).most() >> 8;
        assert_eq!([EventForm::Region, EventForm::Call].map(most), [10, 50]);
        head.call_ticks.store(100 * ENOUGH, Ordering::Relaxed);
        head.measured_calls.store(ENOUGH, Ordering::Relaxed);
        assert_eq!([EventForm::Region, EventForm::Call].map(most), [10, 120]);
    }

    fn nodes(parents: &[u32]) -> Vec<NodeState> {
        parents.iter().map(|parent| NodeState::example(*parent)).collect()
    }

    fn grew(node: u32, time: u64, visits: u64) -> NodeGrowth {
        NodeGrowth { node, by: NodeCounters { time, visits, ..NodeCounters::default() } }
    }

    fn times(growth: &[NodeGrowth]) -> Vec<u64> {
        growth.iter().map(|growth| growth.by.time).collect()
    }

    #[test]
    fn the_callee_pays_inside_and_the_caller_outside() {
        let mut nodes = nodes(&[0, 0, 0, 1, 3]);
        nodes.iter_mut().for_each(|node| node.quickest = 20);
        let mut growth = [grew(1, 1000, 0), grew(3, 500, 2), grew(4, 250, 10)];
        apply(&mut nodes, &mut growth, |_| PRICE);
        assert_eq!(times(&growth), [1000 - 60, 500 - 40 - 300, 250 - 200]);
    }

    #[test]
    fn what_cannot_be_paid_yet_is_paid_later_and_never_turns_negative() {
        let mut nodes = nodes(&[0, 0, 0, 1]);
        nodes[3].quickest = 20;
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
        nodes[3].quickest = 20;
        let mut growth = [grew(3, 10_000, 100)];
        apply(&mut nodes, &mut growth, |_| PRICE);
        assert_eq!(times(&growth), [10_000 - 100 * 50]);
        let mut later = [grew(1, 1000, 0)];
        apply(&mut nodes, &mut later, |_| PRICE);
        assert_eq!(times(&later), [1000]);
    }

    #[test]
    fn longer_visits_hide_a_part_of_their_events_and_the_least_remains() {
        let mut nodes = nodes(&[0, 0, 0, 1]);
        see(&mut nodes, &[grew(3, 35 * 100, 100)]);
        assert_eq!(PRICE.each(&nodes[3]).most(), 30 << 8);
        see(&mut nodes, &[grew(3, 5000 * 100, 100)]);
        assert_eq!(nodes[3].quickest, 35, "as when least disturbed");
        nodes[3].quickest = u32::MAX;
        let mut growth = [grew(1, 5000, 0), grew(3, 5000 * 10, 10)];
        see(&mut nodes, &growth);
        apply(&mut nodes, &mut growth, |_| PRICE);
        assert_eq!(times(&growth), [5000 - 60, 50_000 - 40]);
    }
}
