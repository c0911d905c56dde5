//! Refines a true node into more precise hypotheses and into parts, one expansion stage after the other.

use whyperf_model::{Hierarchy, Nanos};

use super::growth::Growth;
use crate::graph::Graph;
use crate::hypothesis::HypothesisId;
use crate::hypothesis::Refinement::{
    WhereAndWhy, WhereBeforeWhy, WhereOnly, WhyAndWhere, WhyBeforeWhere, WhyOnly,
};
use crate::node::{NodeId, RefinementAxis};
use crate::queue::Idea;
use crate::refine::{self, FEW, FIRST, FocusParts, LAST, Siblings};
use crate::settings::Order;
use crate::truth::Truth;

impl Growth {
    /// Refines a true node as far as it is time to.
    pub(super) fn deepen(&mut self, id: NodeId) {
        let refined = self.questions.node(id).refined;
        match refined.first {
            None => {
                if self.questions.may_refine(id, self.output.now()) {
                    self.refine_first(id);
                }
            }
            Some(_) if refined.last || !refined.wheres => self.refine_second(id),
            Some(_) => {
                let (questions, patience) = (&self.questions, self.questions.patience(id));
                let left = refine::first_stage(&questions.graph, id, patience, questions.row(id));
                if left == Truth::False && !self.awaits_callees(id) && !self.look_below_false(id) {
                    self.refine_last(id);
                }
            }
        }
    }

    /// Measures what a question is likely to be refined into before its own verdict comes.
    pub(super) fn lead(&mut self, id: NodeId) {
        if self.speculation.is_leading(id) {
            return;
        }
        if self.follows_calls(id) {
            self.speculation.lead(id);
            let code = self.questions.node(id).focus.part(Hierarchy::Code)[0].clone();
            self.descend(id, &code);
        } else if self.questions.may_lead(id, self.output.now()) {
            self.speculation.lead(id);
            self.refine_ahead(id);
        }
        self.speculate(id);
    }

    /// Measures what a leading question leads to, unless it was found false already.
    pub(super) fn speculate(&mut self, id: NodeId) {
        if !self.speculation.is_leading(id) {
            return;
        }
        for child in self.questions.ahead_of(id) {
            self.speculation.measure_ahead(child);
            if self.questions.node(child).truth == Truth::Unknown {
                self.enqueue(child, Idea::Where);
            }
        }
    }

    /// What a node will be refined into at once if it is true, while that is not told yet.
    pub(super) fn refine_ahead(&mut self, id: NodeId) {
        let order = self.questions.refinement(id);
        if matches!(order, WhyAndWhere | WhyOnly | WhyBeforeWhere) {
            self.link_whys(id);
        }
        if matches!(order, WhyAndWhere | WhereAndWhy | WhereOnly | WhereBeforeWhy) {
            FIRST.into_iter().for_each(|hierarchy| self.refine_along(id, hierarchy));
            if self.questions.is_indivisible(id) {
                self.refine_last_ahead(id);
            }
        }
        if order == WhereAndWhy {
            self.link_whys(id);
        }
    }

    /// The last stage of its parts, as far as they are few: of many most would be measured in vain.
    fn refine_last_ahead(&mut self, id: NodeId) {
        for hierarchy in LAST {
            if !self.questions.row(id).refines(hierarchy) {
                continue;
            }
            let parts = self.parts_along(id, hierarchy);
            if parts.foci.len() <= FEW {
                self.link_parts(id, hierarchy, parts);
            }
        }
    }

    /// Adds the more precise hypotheses of a node at the same focus.
    pub(super) fn refine_why(&mut self, id: NodeId) {
        self.questions.node_mut(id).refined.whys = true;
        self.link_whys(id);
    }

    fn link_whys(&mut self, id: NodeId) {
        let node = self.questions.node(id);
        let (hypothesis, focus) = (node.hypothesis, node.focus.clone());
        let is_alone = self.program.has_one_process();
        let hypotheses = &self.questions.hypotheses;
        let is_asked = |finer: &HypothesisId| {
            let finer = hypotheses.row(*finer);
            finer.is_asked_at(&focus) && !(is_alone && finer.compares())
        };
        let below: Vec<_> = hypotheses.children(Some(hypothesis)).filter(is_asked).collect();
        let linked: Vec<_> = below
            .into_iter()
            .map(|finer| self.link(id, finer, focus.clone(), RefinementAxis::Why))
            .collect();
        self.tell_refined(id, None, &linked, 0);
    }

    /// Adds the parts of a node along one hierarchy.
    pub(super) fn refine_along(&mut self, id: NodeId, hierarchy: Hierarchy) {
        if !self.questions.row(id).refines(hierarchy) {
            return;
        }
        if hierarchy == Hierarchy::Code && self.follows_calls(id) {
            let code = self.questions.node(id).focus.part(hierarchy)[0].clone();
            self.descend(id, &code);
            return;
        }
        let parts = self.parts_along(id, hierarchy);
        self.link_parts(id, hierarchy, parts);
    }

    fn parts_along(&self, id: NodeId, hierarchy: Hierarchy) -> FocusParts {
        let breadth = self.questions.settings.breadth;
        let focus = &self.questions.node(id).focus;
        refine::parts(&self.program.catalogue, focus, hierarchy, breadth)
    }

    fn link_parts(&mut self, id: NodeId, hierarchy: Hierarchy, parts: FocusParts) {
        let hypothesis = self.questions.node(id).hypothesis;
        let edge = RefinementAxis::Where(hierarchy);
        let linked: Vec<_> =
            parts.foci.into_iter().map(|focus| self.link(id, hypothesis, focus, edge)).collect();
        self.tell_refined(id, Some(hierarchy), &linked, parts.left_out);
    }

    /// Adds the more precise hypotheses, and the first stage of its parts, in the order that the hypothesis asks for.
    fn refine_first(&mut self, id: NodeId) {
        self.questions.node_mut(id).refined.first = Some(self.output.now());
        let order = self.questions.refinement(id);
        if matches!(order, WhyAndWhere | WhyOnly | WhyBeforeWhere) {
            self.refine_why(id);
        }
        if matches!(order, WhyAndWhere | WhereAndWhy | WhereOnly | WhereBeforeWhy) {
            self.refine_where(id);
        }
        if order == WhereAndWhy {
            self.refine_why(id);
        }
        // What is like its neighbours is not worth being taken apart by machines and processes again.
        let is_alike = matches!(refine::siblings(&self.questions.graph, id), Siblings::Alike(_));
        if is_alike && self.questions.settings.order == Order::Information {
            self.questions.graph.note_last(id);
        }
    }

    /// Refines by what comes second, when the first gave nothing.
    fn refine_second(&mut self, id: NodeId) {
        let (refined, patience) = (self.questions.node(id).refined, self.questions.patience(id));
        let gave_nothing = |stage: fn(&Graph, NodeId, Nanos) -> Truth| {
            stage(&self.questions.graph, id, patience) == Truth::False
        };
        match self.questions.refinement(id) {
            WhyBeforeWhere if !refined.wheres && gave_nothing(refine::why_stage) => {
                self.refine_where(id);
            }
            WhereBeforeWhy
                if !refined.whys && refined.last && gave_nothing(refine::where_stages) =>
            {
                self.refine_why(id);
            }
            _ => {}
        }
    }

    /// The first stage of its parts.
    fn refine_where(&mut self, id: NodeId) {
        self.questions.node_mut(id).refined.wheres = true;
        for hierarchy in FIRST {
            self.refine_along(id, hierarchy);
        }
        if self.questions.settings.order == Order::Classic {
            self.refine_last(id);
        }
    }

    /// The last stage of its parts.
    fn refine_last(&mut self, id: NodeId) {
        self.questions.graph.note_last(id);
        for hierarchy in LAST {
            self.refine_along(id, hierarchy);
        }
    }
}
