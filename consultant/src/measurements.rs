//! The pairs that are measured for the nodes of a graph, each once, and what is still to be requested.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use whyperf_model::{Pair, Resource};

use crate::node::NodeId;
use crate::request::{MeasurementId, Request};

/// The pairs being measured, each once, however many nodes use it.
#[derive(Debug, Default)]
pub(crate) struct Measurements {
    next: u32,
    by_pair: BTreeMap<Pair, MeasurementId>,
    in_use: BTreeMap<MeasurementId, (Pair, BTreeSet<NodeId>)>,
    requests: VecDeque<Request>,
}

impl Measurements {
    /// Measures a pair for a node.
    pub(crate) fn acquire(&mut self, pair: Pair, node: NodeId) -> MeasurementId {
        if let Some(id) = self.by_pair.get(&pair) {
            if let Some((_, users)) = self.in_use.get_mut(id) {
                users.insert(node);
            }
            return *id;
        }
        let id = MeasurementId(self.next);
        self.next += 1;
        self.by_pair.insert(pair.clone(), id);
        self.in_use.insert(id, (pair.clone(), BTreeSet::from([node])));
        self.requests.push_back(Request::Start { id, pair });
        id
    }

    /// A node uses it no longer; the last one stops it.
    pub(crate) fn release(&mut self, id: MeasurementId, node: NodeId) {
        let Some((pair, users)) = self.in_use.get_mut(&id) else { return };
        users.remove(&node);
        if users.is_empty() {
            let pair = pair.clone();
            self.by_pair.remove(&pair);
            self.in_use.remove(&id);
            self.requests.push_back(Request::Stop { id });
        }
    }

    /// Asks which functions a function calls.
    pub(crate) fn ask_callees(&mut self, of: Resource) {
        self.requests.push_back(Request::Callees { of });
    }

    /// The nodes that use it.
    pub(crate) fn users(&self, id: MeasurementId) -> Vec<NodeId> {
        self.in_use.get(&id).map(|(_, users)| users.iter().copied().collect()).unwrap_or_default()
    }

    /// How many pairs are measured.
    pub(crate) fn len(&self) -> usize {
        self.in_use.len()
    }

    /// The next thing to ask for.
    pub(crate) fn poll(&mut self) -> Option<Request> {
        self.requests.pop_front()
    }
}
