//! What costs more leads: which branch of a report comes first where ranks alone would put one first that costs less.
//!
//! ```text
//!   by rank   WaitingForProcessors 16 %    ExcessiveSyncWaitingTime 57 %          all of it because of input and output
//!   by cost   ExcessiveSyncWaitingTime     WaitingForProcessors
//! ```
//! A rank says which finding changes once another one is mended: waits do where there are enough processors. They do not where it
//! is known why threads wait, and it is something else. So a branch comes before one of a lower rank if it clearly costs more by
//! reasons of its own. Where ranks wait for ranks that have no processor, or poll on those that others wait for, the lack of processors is why
//! they wait, and ranks stand.

use whyperf_model::{Focus, Metric};

use crate::graph::Graph;
use crate::hypothesis::{Hypotheses, HypothesisId};
use crate::node::NodeId;
use crate::truth::Truth;

/// Puts what costs more first, of branches that are sorted by their ranks.
pub(crate) fn by_cost(graph: &Graph, hypotheses: &Hypotheses, branches: &mut [NodeId]) {
    let costs = Costs { graph, hypotheses };
    let is_why =
        |id: &NodeId| matches!(costs.metric(*id), Metric::WaitByProcessors | Metric::Polled);
    let processors_are_why = branches.iter().any(is_why);
    for at in 1..branches.len() {
        let gives_way = |first: &NodeId| {
            let is_bound = processors_are_why && costs.metric(*first) == Metric::RunDelay;
            !is_bound && costs.gives_way(*first, branches[at])
        };
        if let Some(before) = branches[..at].iter().position(gives_way) {
            branches[before..=at].rotate_right(1);
        }
    }
}

/// What branches cost, as shares of the time.
#[derive(Clone, Copy)]
struct Costs<'a> {
    graph: &'a Graph,
    hypotheses: &'a Hypotheses,
}

impl Costs<'_> {
    /// Whether a branch is a kind of loss that comes after what clearly costs more. What is said of some processes is of their time alone, so it costs no
    /// more than that.
    fn gives_way(self, first: NodeId, other: NodeId) -> bool {
        let kind = self.metric(first);
        let is_loss = matches!(kind, Metric::RunDelay | Metric::IoWait | Metric::Paging);
        is_loss && self.own_cost(other, kind) > CLEARLY * self.value(first)
    }

    /// What a branch costs by itself, and not because of another kind of loss.
    fn own_cost(self, id: NodeId, other: Metric) -> f64 {
        if self.graph.node(id).focus != Focus::whole_program() {
            return 0.0;
        }
        match self.metric(id) {
            Metric::SyncWait => self.explained(other),
            Metric::IoWait | Metric::Paging | Metric::Blocked => self.value(id),
            _ => 0.0,
        }
    }

    /// What is waited for others because of what they do, but for the kind of loss that stands for itself.
    fn explained(self, other: Metric) -> f64 {
        let reasons = self.hypotheses.ids().filter(|id| match self.hypotheses.row(*id).numerator {
            Metric::WaitByComputing | Metric::WaitByBlocked => true,
            Metric::WaitByIo => other != Metric::IoWait,
            _ => false,
        });
        reasons.map(|reason| self.found(reason)).sum()
    }

    /// The value of what is true of the whole program.
    fn found(self, hypothesis: HypothesisId) -> f64 {
        let id = self.graph.find(hypothesis, &Focus::whole_program());
        let id = id.filter(|id| self.graph.node(*id).truth == Truth::True);
        id.map_or(0.0, |id| self.value(id))
    }

    fn value(self, id: NodeId) -> f64 {
        self.graph.node(id).value().map_or(0.0, |(value, _)| value)
    }

    fn metric(self, id: NodeId) -> Metric {
        self.hypotheses.row(self.graph.node(id).hypothesis).numerator
    }
}

/// What is larger by less may be larger by chance, or was measured in other parts of the run.
const CLEARLY: f64 = 1.25;
