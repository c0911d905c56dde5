//! The search history graph as it stands: every question, its answer, and what led to it.

use std::borrow::Cow;

use whyperf_model::{Focus, Hierarchy, Time};

use super::questions::Questions;
use crate::node::{NodeId, RefinementAxis};
use crate::split::Split;
use crate::step::Origin;
use crate::truth::Truth;

/// One question of a search, as stores keep it and drawings show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Its number, in the order of discovery.
    pub number: usize,
    /// What is asked.
    pub hypothesis: Cow<'static, str>,
    /// Of which part.
    pub focus: Focus,
    /// The answer as it stands.
    pub truth: Truth,
    /// The value over all of the run, where it is true and the run is over, or over all the time it was measured; none when it never was.
    pub value: Option<f64>,
    /// What it says of processes and machines.
    pub split: Split,
    /// What it is compared with.
    pub threshold: f64,
    /// The share of the slowest process's time that its functions take while they are on, as far as its calls were counted.
    pub cost: f64,
    /// One less the chance that the evidence is luck; 0 while there is none.
    pub confidence: f64,
    /// How often it was asked.
    pub asked: u32,
    /// Whether what it compares is measured now.
    pub is_measured: bool,
    /// Where the idea came from to ask.
    pub origin: Origin,
    /// When it became true.
    pub found: Option<Time>,
    /// The questions that led to it, and along which axis: `why`, or the name of a hierarchy.
    pub parents: Vec<(usize, &'static str)>,
}

/// A node as it stands, with what it says of processes, and the cost that was observed of it.
pub(super) fn question(questions: &Questions, id: NodeId, split: Split, cost: f64) -> Question {
    let (node, row) = (questions.node(id), questions.row(id));
    let axis = |parent: NodeId| match questions.node(parent).children.get(&id) {
        Some(RefinementAxis::Where(hierarchy)) => Hierarchy::name(*hierarchy),
        _ => "why",
    };
    Question {
        number: id.0,
        hypothesis: row.name.clone(),
        focus: node.focus.clone(),
        truth: node.truth,
        value: node.value().map(|(value, _)| value),
        split,
        threshold: row.threshold,
        cost,
        confidence: node.found.map_or(0.0, |(_, ground)| ground.confidence),
        asked: node.asked,
        is_measured: node.is_measured(),
        origin: node.origin,
        found: node.found.map(|(time, _)| time),
        parents: node.parents.iter().map(|parent| (parent.0, axis(*parent))).collect(),
    }
}
