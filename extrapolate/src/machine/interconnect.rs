//! The links between nodes: which ones a message takes. Each link carries one message at a time.
//!
//! A message takes its links one after the other, head first: it waits until a link is free, and takes it for its bytes times the
//! link's time a byte. Links are taken in the order in which messages leave their senders, and the slowest passage on the way, port or
//! link, says how long the last byte comes after the head:
//!
//! ```text
//!   head_0 = when the sender's port is free      head_i = max(head_(i-1), link i is free) + time a hop
//!   link i is free again at                      max(head_(i-1), link i is free) + s·(time a byte)
//!   there  = head_n + L + (s-1)·max(G, time a byte)
//! ```
//!
//! Sources: Dimemas for buses; for the trees and grids of switches, Dally and Towles, *Principles and Practices of Interconnection
//! Networks*: virtual cut-through with dimension-ordered routing, and buffers that are never full.

use crate::time::SimTime;

/// How nodes are connected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Interconnect {
    /// Each node to each other without sharing: contention is at the ports alone.
    #[default]
    Crossbar,
    /// So many messages at once between all nodes, as Dimemas has it; each takes a bus for its whole length.
    Buses {
        /// How many.
        count: u32,
        /// What a byte takes on one.
        per_byte: SimTime,
    },
    /// A tree of switches in which a message goes up only as far as it must.
    FatTree {
        /// How many nodes or switches are below a switch.
        arity: u32,
        /// How many links a switch has to the one above it.
        up_links: u32,
        /// What a byte takes on a link.
        per_byte: SimTime,
        /// What each link adds to the latency.
        per_hop: SimTime,
    },
    /// A grid whose ends are joined, routed along one dimension after the other. Nodes beyond it start again at its first one.
    Torus {
        /// The nodes along each dimension.
        sides: Vec<u32>,
        /// What a byte takes on a link.
        per_byte: SimTime,
        /// What each link adds to the latency.
        per_hop: SimTime,
    },
}

/// Something that carries one message at a time: a number that is the same for the same link.
pub(crate) type LinkNumber = u64;

/// What a message passes on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// This link.
    Link(LinkNumber),
    /// Whichever of these is free first: `count` links from the number on.
    AnyOf(LinkNumber, u32),
}

impl Interconnect {
    /// The time that a byte takes on a link; nothing where there are no links.
    #[must_use]
    pub const fn per_byte(&self) -> SimTime {
        match *self {
            Self::Crossbar => SimTime::ZERO,
            Self::Buses { per_byte, .. }
            | Self::FatTree { per_byte, .. }
            | Self::Torus { per_byte, .. } => per_byte,
        }
    }

    /// What a link adds to the latency.
    pub(crate) const fn per_hop(&self) -> SimTime {
        match *self {
            Self::Crossbar | Self::Buses { .. } => SimTime::ZERO,
            Self::FatTree { per_hop, .. } | Self::Torus { per_hop, .. } => per_hop,
        }
    }

    /// What a message passes between two nodes, in order.
    pub(crate) fn route(&self, from: u32, to: u32, passages: &mut Vec<Passage>) {
        passages.clear();
        match self {
            Self::Crossbar => {}
            Self::Buses { count, .. } => passages.push(Passage::AnyOf(0, (*count).max(1))),
            Self::FatTree { arity, up_links, .. } => {
                climb(*arity, *up_links, [from, to], passages);
            }
            Self::Torus { sides, .. } => walk(sides, [from, to], passages),
        }
    }
}

/// Up from one node to the switch above both, and down to the other.
fn climb(arity: u32, up_links: u32, [from, to]: [u32; 2], passages: &mut Vec<Passage>) {
    let (arity, up_links) = (arity.max(2), up_links.max(1));
    let link = |level: u64, below: u32, direction: u64| {
        Passage::AnyOf(level << 56 | direction << 55 | u64::from(below) << 16, up_links)
    };
    let (mut one, mut other) = (from / arity, to / arity);
    let mut level = 1;
    let mut down = Vec::new();
    while one != other {
        passages.push(link(level, one, 0));
        down.push(link(level, other, 1));
        (one, other, level) = (one / arity, other / arity, level + 1);
    }
    passages.extend(down.into_iter().rev());
}

/// Along one dimension after the other, the shorter way around.
fn walk(sides: &[u32], [from, to]: [u32; 2], passages: &mut Vec<Passage>) {
    let mut at = from;
    let mut stride = 1;
    for (dimension, side) in (0_u64..).zip(sides.iter().map(|side| (*side).max(1))) {
        let goal = to / stride % side;
        loop {
            let here = at / stride % side;
            if here == goal {
                break;
            }
            let ahead = (goal + side - here) % side;
            let (direction, next) = match ahead * 2 <= side {
                true => (0, (here + 1) % side),
                false => (1, (here + side - 1) % side),
            };
            passages.push(Passage::Link(u64::from(at) << 16 | dimension << 1 | direction));
            at = at - here * stride + next * stride;
        }
        stride = stride.saturating_mul(side);
    }
}

#[cfg(test)]
mod tests {
    use super::{Interconnect, Passage};
    use crate::time::SimTime;

    fn length(interconnect: &Interconnect, from: u32, to: u32) -> usize {
        let mut passages = Vec::new();
        interconnect.route(from, to, &mut passages);
        passages.len()
    }

    #[test]
    fn a_torus_goes_the_shorter_way_around() {
        let figures = SimTime::ZERO;
        let torus = Interconnect::Torus { sides: vec![8, 4], per_byte: figures, per_hop: figures };
        assert_eq!(length(&torus, 0, 7), 1);
        assert_eq!(length(&torus, 0, 4), 4);
        assert_eq!(length(&torus, 0, 8 * 3 + 6), 3);
    }

    #[test]
    fn a_tree_is_climbed_as_far_as_needed() {
        let figures = SimTime::ZERO;
        let tree =
            Interconnect::FatTree { arity: 4, up_links: 2, per_byte: figures, per_hop: figures };
        assert_eq!(length(&tree, 0, 3), 0);
        assert_eq!(length(&tree, 0, 4), 2);
        assert_eq!(length(&tree, 0, 63), 4);
        let (mut there, mut back) = (Vec::new(), Vec::new());
        tree.route(0, 4, &mut there);
        tree.route(4, 0, &mut back);
        assert!(there.iter().all(|passage: &Passage| !back.contains(passage)));
    }
}
