//! The pairs that are measured for the nodes of a graph, each once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use whyperf_model::Pair;

use crate::node::NodeId;
use crate::request::{MeasurementId, Request};

/// The pairs being measured, each once, however many nodes use it.
#[derive(Debug, Default)]
pub(super) struct Measurements {
    next: u32,
    by_pair: BTreeMap<Pair, MeasurementId>,
    in_use: BTreeMap<MeasurementId, (Pair, BTreeSet<NodeId>)>,
}

impl Measurements {
    /// Measures a pair for a node.
    pub(super) fn acquire(
        &mut self,
        pair: Pair,
        node: NodeId,
        requests: &mut VecDeque<Request>,
    ) -> MeasurementId {
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
        requests.push_back(Request::Start { id, pair });
        id
    }

    /// A node uses it no longer; the last one stops it.
    pub(super) fn release(
        &mut self,
        id: MeasurementId,
        node: NodeId,
        requests: &mut VecDeque<Request>,
    ) {
        let Some((pair, users)) = self.in_use.get_mut(&id) else { return };
        users.remove(&node);
        if users.is_empty() {
            let pair = pair.clone();
            self.by_pair.remove(&pair);
            self.in_use.remove(&id);
            requests.push_back(Request::Stop { id });
        }
    }

    /// The nodes that use it.
    pub(super) fn users(&self, id: MeasurementId) -> Vec<NodeId> {
        self.in_use.get(&id).map(|(_, users)| users.iter().copied().collect()).unwrap_or_default()
    }

    /// How many pairs are measured.
    pub(super) fn len(&self) -> usize {
        self.in_use.len()
    }
}
