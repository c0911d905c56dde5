//! Lists the questions that stayed undecided and may well be true, each with its value and the reason why there is no
//! verdict.
//!
//! ```text
//!            threshold ─┐
//!   false ◄─────── ▒▒▒▒▒│▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ ───────► true
//!                  └ listed if no verdict came
//! ```
//! Not every question without an answer matters: most are about a part of something false, or are known to have a small
//! value.

use std::borrow::Cow;

use serde::Serialize;
use whyperf_model::Focus;

use crate::graph::Graph;
use crate::hypothesis::{Hypotheses, Hypothesis, Normalizer, Operator};
use crate::node::{PairNode, divided};
use crate::truth::Truth;

/// A question that may well be true.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Undecided {
    /// What was asked.
    pub hypothesis: Cow<'static, str>,
    /// Of what.
    pub focus: Focus,
    /// The value over all of the run, where that is known, or else over the time in which it was measured.
    pub value: f64,
    /// By how much it may be off, with 95 of 100, where it is an estimate by stack samples.
    pub error: Option<f64>,
    /// What it is compared with.
    pub threshold: f64,
    /// The sign of the comparison that is true of a bad value.
    pub operator: char,
    /// Why there is no verdict, in a few words.
    pub reason: String,
}

/// Whether a question is still asked and has no answer. What names single processes is told by the question above it.
pub(crate) fn is_candidate(node: &PairNode) -> bool {
    node.truth == Truth::Unknown && node.is_held() && divided(&node.focus).is_none()
}

/// The undecided questions that may well be true, the one furthest beyond its threshold first.
pub(crate) fn undecided(graph: &Graph, hypotheses: &Hypotheses) -> Vec<Undecided> {
    let nodes = graph.ids().map(|id| graph.node(id)).filter(|node| is_candidate(node));
    let mut found: Vec<(f64, Undecided)> =
        nodes.filter_map(|node| told(node, hypotheses.row(node.hypothesis))).collect();
    found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    found.into_iter().map(|(_, undecided)| undecided).collect()
}

/// What is told of one, with how far beyond its threshold it is.
fn told(node: &PairNode, row: &Hypothesis) -> Option<(f64, Undecided)> {
    let (value, error) = match node.candidate {
        Some(run) => (node.judge.value_of(run), node.judge.error_of(run)),
        None => (node.judge.value()?, node.sampled.and_then(|period| node.judge.error_by(period))),
    };
    let beyond = match row.operator {
        Operator::Above => value / row.threshold,
        Operator::Below => row.threshold / value,
    };
    // A part of something that hardly is may be all of it.
    let is_share = row.normalizer == Normalizer::Processes;
    let is_serious = is_share && beyond.is_finite() && beyond >= NEARLY;
    let undecided = Undecided {
        hypothesis: row.name.clone(),
        focus: node.focus.clone(),
        value,
        error,
        threshold: row.threshold,
        operator: row.operator.symbol(),
        reason: reason(node)?,
    };
    is_serious.then_some((beyond, undecided))
}

/// Why there is no verdict. Of what is gone nothing is to be told.
fn reason(node: &PairNode) -> Option<String> {
    if node.is_closed() {
        return node.reason().map(str::to_owned);
    }
    if let Some(throttle) = node.throttle {
        return Some(format!(
            "it is called too often to be measured all the time, and {:.1} % of the time was not enough",
            100.0 * throttle.coverage
        ));
    }
    let reason = match (node.asked, node.retest) {
        (0, _) => "the run ended before it could be measured within the cost limit",
        (_, None) => "the run ended before the evidence was enough",
        (_, Some(_)) => "what was measured is too close to the threshold, or too uneven",
    };
    Some(reason.to_owned())
}

/// From this part of its threshold on a value may well be beyond it.
const NEARLY: f64 = 0.8;

#[cfg(test)]
mod tests {
    use whyperf_model::{Hierarchy, Interval, Nanos, Resource, Time};

    use super::*;
    use crate::judge::Judge;
    use crate::node::{Measuring, Root, Throttle};
    use crate::request::MeasurementId;
    use crate::run_amount::RunRatio;
    use crate::settings::Settings;
    use crate::stream::Stream;

    /// A question of the time that a function computes, which came to this over the run.
    fn node(value: f64, table: &Hypotheses) -> PairNode {
        let id = table.named("CPUbound").expect("it is shipped");
        let judge = Judge::new(table.row(id), &Settings::default());
        let focus = Focus::parse("</Code/a.c/leaf>").expect("well formed");
        let mut node = PairNode::new((id, focus), judge, Stream::new(Nanos::ZERO));
        let interval = Interval::new(Time::ZERO, Time::from_secs(5));
        let run = RunRatio { numerator: value, denominator: 1.0, error: 0.02, interval };
        (node.root, node.candidate) = (Root::Always, Some(run));
        node
    }

    fn reason_of(node: &PairNode, table: &Hypotheses) -> Option<String> {
        told(node, table.row(node.hypothesis)).map(|(_, told)| told.reason)
    }

    #[test]
    fn what_may_be_true_is_told_with_its_value_and_what_is_surely_less_is_not() {
        let table = Hypotheses::built_in();
        let threshold = table.row(node(0.0, &table).hypothesis).threshold;
        let (beyond, one) =
            told(&node(3.0 * threshold, &table), table.row(node(0.0, &table).hypothesis))
                .expect("it is far beyond");
        assert!((beyond - 3.0).abs() < 1e-9 && (one.value - 3.0 * threshold).abs() < 1e-9);
        assert!(one.error.is_some_and(|error| error > 0.02 && error < 0.05), "{:?}", one.error);
        for (part, is_told) in [(0.81, true), (0.79, false), (0.0, false)] {
            let found = reason_of(&node(part * threshold, &table), &table);
            assert_eq!(found.is_some(), is_told, "{part} of the threshold: {found:?}");
        }
    }

    #[test]
    fn the_reason_is_what_became_of_the_question() {
        let table = Hypotheses::built_in();
        let mut idle = node(0.9, &table);
        let said = |node: &PairNode| reason_of(node, &table).unwrap_or_default();
        assert!(said(&idle).contains("before it could be measured"));
        let [numerator, denominator] = [1, 2].map(MeasurementId);
        let measuring = Measuring { numerator, denominator, since: Time::ZERO, early: None };
        idle.start(measuring, Stream::new(Nanos::ZERO));
        assert!(said(&idle).contains("before the evidence was enough"));
        idle.retest = Some(Time::from_secs(9));
        assert!(said(&idle).contains("too close to the threshold"));
        idle.throttle = Some(Throttle { since: Time::ZERO, coverage: 0.002 });
        assert!(said(&idle).contains("called too often") && said(&idle).contains("0.2 %"));
        let _ = idle.stop();
        idle.close();
        assert_eq!(said(&idle), "", "of what is gone nothing is told");
        idle.explain("the compiler inlined it".to_owned());
        assert_eq!(said(&idle), "the compiler inlined it");
    }

    #[test]
    fn only_what_is_still_asked_of_all_processes_may_be_told() {
        let table = Hypotheses::built_in();
        let mut one = node(0.9, &table);
        assert!(is_candidate(&one));
        one.root = Root::No;
        assert!(!is_candidate(&one), "what led to it is false");
        one.true_parents = 1;
        assert!(is_candidate(&one));
        let process = Resource::root(Hierarchy::Process).child("0");
        let mut single = node(0.9, &table);
        single.focus = one.focus.with(Hierarchy::Process, process);
        assert!(!is_candidate(&single));
        one.truth = Truth::False;
        assert!(!is_candidate(&one));
    }
}
