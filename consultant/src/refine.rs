//! Chooses the parts that a true node is refined into, and the expansion stage in which each is asked.
//!
//! ```text
//!   first stage     /Code  /SyncObject  /File       at once
//!   last stage      /Machine  /Process              when the first explains no more of it; at once in the classic order
//! ```
//! Where there is nothing for the first stage to ask about, the last comes at once if its parts are few.
//!
//! Most parallel programs run one code in many processes, which are then all alike: refining by process at each node would
//! multiply the graph by the number of processes and say the same of each. So processes come last, at the nodes that no
//! code, object or file explains further, or not to more than a threshold's worth; and processes that are all true with
//! about the same value are not followed (nor reported). The last stage leaves out a hierarchy with only one resource to
//! choose from, machines when each has one process, and machines where the focus names a process already: a part that is
//! the whole says nothing. Below a machine, only the processes that run on it are asked about. Paradyn refined along every
//! hierarchy at once, for each process apart, and the classic order does the same.

use whyperf_model::{Focus, Hierarchy, Nanos, Resource};

use crate::catalogue::ResourceCatalogue;
use crate::graph::Graph;
use crate::hypothesis::{Hypothesis, Operator};
use crate::node::{NodeId, PairNode, RefinementAxis};
use crate::truth::Truth;

/// Refined along at once.
pub(crate) const FIRST: [Hierarchy; 3] = [Hierarchy::Code, Hierarchy::SyncObject, Hierarchy::File];
/// Refined along when nothing else explains a node.
pub(crate) const LAST: [Hierarchy; 2] = [Hierarchy::Machine, Hierarchy::Process];

/// Values that differ by no more than this factor are alike.
pub(crate) const ALIKE: f64 = 1.5;
/// So few parts are followed even when they are alike, and may be measured ahead.
pub(crate) const FEW: usize = 8;

/// The parts of a focus along one hierarchy.
#[derive(Debug, Default)]
pub(crate) struct FocusParts {
    pub(crate) foci: Vec<Focus>,
    pub(crate) left_out: usize,
}

/// The parts of a focus along a hierarchy, at most `breadth` of them.
pub(crate) fn parts(
    catalogue: &ResourceCatalogue,
    focus: &Focus,
    hierarchy: Hierarchy,
    breadth: usize,
) -> FocusParts {
    let part = focus.part(hierarchy).iter();
    let mut children = match placed(catalogue, focus, hierarchy) {
        Some(placed) => placed,
        None if is_unplaced(focus, hierarchy) && catalogue.count(hierarchy) > breadth => {
            // Which of so many run on a machine is not known: most would be asked about in vain.
            return FocusParts::default();
        }
        None => part.flat_map(|resource| catalogue.children(resource)).collect(),
    };
    if LAST.contains(&hierarchy) && (children.len() < 2 || is_redundant(catalogue, hierarchy)) {
        return FocusParts::default();
    }
    let left_out = children.len().saturating_sub(breadth);
    children.truncate(breadth);
    FocusParts { foci: focus.magnify(hierarchy, &children), left_out }
}

/// What is known of who is where: the processes of the focus's machines, and no machine for a process, which is on one alone.
fn placed(
    catalogue: &ResourceCatalogue,
    focus: &Focus,
    hierarchy: Hierarchy,
) -> Option<Vec<Resource>> {
    match hierarchy {
        Hierarchy::Machine if !focus.is_root(Hierarchy::Process) => Some(Vec::new()),
        Hierarchy::Process if is_unplaced(focus, hierarchy) => {
            let mut there = catalogue.places.on(focus.part(Hierarchy::Machine))?;
            there.retain(|process| catalogue.is_known(process));
            Some(there)
        }
        _ => None,
    }
}

/// Whether the processes of some machines are meant.
fn is_unplaced(focus: &Focus, hierarchy: Hierarchy) -> bool {
    let names_none = focus.is_root(Hierarchy::Process);
    hierarchy == Hierarchy::Process && names_none && !focus.is_root(Hierarchy::Machine)
}

/// Whether each machine has one process: then the processes say it all.
fn is_redundant(catalogue: &ResourceCatalogue, hierarchy: Hierarchy) -> bool {
    let processes = catalogue.count(Hierarchy::Process);
    hierarchy == Hierarchy::Machine
        && match catalogue.places.count() {
            0 => catalogue.count(Hierarchy::Machine) == processes,
            _ => catalogue.places.is_one_each(processes),
        }
}

/// How many parts are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AlikeParts {
    /// Few enough to be followed all the same.
    Few,
    /// So many that they are not followed.
    Many,
}

/// How the processes (or machines) beside a node compare with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Siblings {
    /// It is no part of anything along these hierarchies.
    None,
    /// Some are not decided yet.
    Undecided,
    /// All of them are true with about the same value.
    Alike(AlikeParts),
    /// They tell something from each other.
    Different,
}

/// Compares a node with the others that its parent was refined into along a hierarchy of the last stage; a root at a single
/// process or machine, which may have no parent, with the other such roots.
pub(crate) fn siblings(graph: &Graph, id: NodeId) -> Siblings {
    let node = graph.node(id);
    if LAST.into_iter().all(|hierarchy| node.focus.is_root(hierarchy)) {
        return Siblings::None;
    }
    let of_parent = node.parents.iter().find_map(|parent| {
        let children = &graph.node(*parent).children;
        let edge = *children.get(&id)?;
        let is_last = LAST.into_iter().any(|hierarchy| edge == RefinementAxis::Where(hierarchy));
        is_last.then(|| {
            children.iter().filter(|(_, other)| **other == edge).map(|(id, _)| *id).collect()
        })
    });
    let nodes: Vec<NodeId> = match of_parent {
        Some(nodes) => nodes,
        None if node.root.is_single() => graph.single_roots(node.hypothesis).collect(),
        None => return Siblings::None,
    };
    let truths = || nodes.iter().map(|id| graph.node(*id).truth);
    if truths().any(|truth| truth == Truth::False) {
        return Siblings::Different;
    }
    if truths().any(|truth| truth == Truth::Unknown) {
        return Siblings::Undecided;
    }
    let values = || nodes.iter().filter_map(|id| graph.node(*id).judge.value());
    let (low, high) = (values().fold(f64::MAX, f64::min), values().fold(0.0, f64::max));
    if high <= low * ALIKE {
        Siblings::Alike(if nodes.len() <= FEW { AlikeParts::Few } else { AlikeParts::Many })
    } else {
        Siblings::Different
    }
}

/// Whether the first stage left something true that explains the node, or something that is still open: measured for less than `patience`. What is
/// true of parts explains a node when they leave less than the threshold of its share along some hierarchy.
pub(crate) fn first_stage(graph: &Graph, id: NodeId, patience: Nanos, row: &Hypothesis) -> Truth {
    let is_part = |edge| FIRST.into_iter().any(|first| edge == RefinementAxis::Where(first));
    if left(graph, id, patience, is_part) == Truth::True && !leaves_much(graph, id, row) {
        return Truth::True;
    }
    let is_open = |child: NodeId| is_open(graph.node(child), patience);
    let mut parts = graph.node(id).children.iter().filter(|(_, edge)| is_part(**edge));
    if parts.any(|(child, _)| is_open(*child)) { Truth::Unknown } else { Truth::False }
}

/// Whether true parts along no hierarchy come near the value of the whole. A tag that one process waits for is a small share of all processes.
fn leaves_much(graph: &Graph, id: NodeId, row: &Hypothesis) -> bool {
    let node = graph.node(id);
    let Some(value) = node.judge.value().filter(|_| row.operator == Operator::Above) else {
        return false;
    };
    FIRST.into_iter().all(|hierarchy| {
        let along =
            node.children.iter().filter(|(_, edge)| **edge == RefinementAxis::Where(hierarchy));
        let parts = along.map(|(child, _)| graph.node(*child));
        let told = parts.filter(|part| part.truth == Truth::True);
        told.filter_map(|part| part.judge.value()).sum::<f64>() + row.threshold < value
    })
}

/// The same of all parts.
pub(crate) fn where_stages(graph: &Graph, id: NodeId, patience: Nanos) -> Truth {
    left(graph, id, patience, |edge| edge != RefinementAxis::Why)
}

/// The same of more precise hypotheses.
pub(crate) fn why_stage(graph: &Graph, id: NodeId, patience: Nanos) -> Truth {
    left(graph, id, patience, |edge| edge == RefinementAxis::Why)
}

fn left(
    graph: &Graph,
    id: NodeId,
    patience: Nanos,
    counts: impl Fn(RefinementAxis) -> bool,
) -> Truth {
    let children = graph.node(id).children.iter().filter(|(_, edge)| counts(**edge));
    let mut found = Truth::False;
    for (child, _) in children {
        let child = graph.node(*child);
        if child.truth == Truth::True {
            return Truth::True;
        }
        if is_open(child, patience) {
            found = Truth::Unknown;
        }
    }
    found
}

fn is_open(node: &PairNode, patience: Nanos) -> bool {
    node.truth == Truth::Unknown && node.is_awaited() && node.judge.time() < patience
}
