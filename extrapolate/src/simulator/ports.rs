//! The ports and links of a machine, each of which carries one message at a time: when a message leaves, and when it is there.

use std::collections::BTreeMap;

use crate::identity::Bytes;
use crate::machine::{Interconnect, LogGops, Machine, Passage};
use crate::time::SimTime;

/// The times of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Flight {
    /// When its last byte leaves the sender's port.
    pub(super) left: SimTime,
    /// When the receiver's port begins to take it.
    pub(super) began: SimTime,
    /// When its last byte is there.
    pub(super) arrived: SimTime,
}

/// From when on each port and link is free.
#[derive(Debug)]
pub(super) struct Ports<'m> {
    machine: &'m Machine,
    /// Of each node, between nodes.
    nodes: Vec<Port>,
    /// Of each processor, inside its node.
    processors: Vec<Port>,
    links: BTreeMap<u64, SimTime>,
    /// The passages of the message at hand.
    route: Vec<Passage>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Port {
    sends: SimTime,
    receives: SimTime,
}

impl<'m> Ports<'m> {
    pub(super) fn new(machine: &'m Machine, processors: u32) -> Self {
        let nodes = machine.processors.node(processors.saturating_sub(1)) + 1;
        Self {
            machine,
            nodes: vec![Port::default(); nodes as usize],
            processors: vec![Port::default(); processors as usize],
            links: BTreeMap::new(),
            route: Vec::new(),
        }
    }

    fn is_inside(&self, from: u32, to: u32) -> bool {
        self.machine.processors.node(from) == self.machine.processors.node(to)
    }

    /// The figures of messages from one processor to another.
    pub(super) fn figures(&self, from: u32, to: u32) -> &'m LogGops {
        let network = &self.machine.network;
        match &network.inside {
            Some(inside) if self.is_inside(from, to) => inside,
            _ => &network.between,
        }
    }

    /// A message leaves one processor for another, which takes ports and links. Calls come in the order of time.
    pub(super) fn carry(&mut self, now: SimTime, [from, to]: [u32; 2], bytes: Bytes) -> Flight {
        let range = self.figures(from, to).range(bytes);
        let body = range.gap_per_byte * bytes.after_first();
        let taken = range.gap + body;
        let is_inside = self.is_inside(from, to);
        let node = |processor| self.machine.processors.node(processor);
        let places = if is_inside { [from, to] } else { [node(from), node(to)] };
        let [from_port, to_port] = places.map(|place| place as usize);
        let ports = if is_inside { &mut self.processors } else { &mut self.nodes };
        let head = now.max(ports[from_port].sends);
        ports[from_port].sends = head + taken;
        let mut at = head + range.latency;
        let (mut arriving, mut kept) = (body, taken);
        if !is_inside && self.machine.interconnect != Interconnect::Crossbar {
            at = self.pass(head, places, bytes) + range.latency;
            let per_byte = self.machine.interconnect.per_byte();
            arriving = body.max(per_byte * bytes.after_first());
            kept = range.gap + arriving;
        }
        let ports = if is_inside { &mut self.processors } else { &mut self.nodes };
        let began = at.max(ports[to_port].receives);
        ports[to_port].receives = began + kept;
        Flight { left: head + body, began, arrived: began + arriving }
    }

    /// When the head of a message is through all links between two nodes.
    fn pass(&mut self, head: SimTime, [from, to]: [u32; 2], bytes: Bytes) -> SimTime {
        let per_hop = self.machine.interconnect.per_hop();
        let taken = self.machine.interconnect.per_byte() * bytes.0 as f64;
        self.machine.interconnect.route(from, to, &mut self.route);
        let mut at = head;
        for passage in &self.route {
            let free = |number: u64| self.links.get(&number).copied().unwrap_or_default();
            let link = match *passage {
                Passage::Link(number) => number,
                Passage::AnyOf(first, count) => {
                    let all = first..first + u64::from(count);
                    all.min_by_key(|number| free(*number)).unwrap_or(first)
                }
            };
            let start = at.max(free(link));
            self.links.insert(link, start + taken);
            at = start + per_hop;
        }
        at
    }
}
