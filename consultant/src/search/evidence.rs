//! The evidence as it comes in: which pairs are measured for which nodes, and which of these nodes have no verdict yet.

use std::collections::BTreeSet;

use whyperf_model::{Nanos, Pair, Sample, Time};

use super::measurements::Measurements;
use super::output::Output;
use crate::judge::VerdictGround;
use crate::node::{Measuring, NodeId, PairNode};
use crate::queue::Eligible;
use crate::request::MeasurementId;
use crate::settings::Settings;
use crate::stream::{Stream, StreamSide};
use crate::truth::Truth;

/// Measurements in progress, and the nodes that wait for a verdict from them.
#[derive(Debug)]
pub(super) struct Evidence {
    measurements: Measurements,
    /// Measured, and waiting for a verdict.
    undecided: BTreeSet<NodeId>,
    active_limit: usize,
    /// How long the observations of a stream are at least.
    grain: Nanos,
}

/// What one more observation did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Weighed {
    /// The evidence turned, or suffices for the first time.
    Verdict(VerdictGround),
    /// The verdict, or that there is none, stays as it was.
    Unchanged,
}

impl Evidence {
    /// Nothing is measured.
    pub(super) fn new(settings: &Settings) -> Self {
        let (active_limit, grain) = (settings.active_limit, settings.grain);
        let (measurements, undecided) = (Measurements::default(), BTreeSet::new());
        Self { measurements, undecided, active_limit, grain }
    }

    /// Measures a node from now on.
    pub(super) fn begin(
        &mut self,
        id: NodeId,
        node: &mut PairNode,
        (above, below): (Pair, Pair),
        output: &mut Output,
    ) {
        let was_asked = node.asked > 0;
        let numerator = self.measurements.acquire(above, id, output.requests());
        let denominator = self.measurements.acquire(below, id, output.requests());
        let since = output.now();
        let measuring = Measuring { numerator, denominator, since, early: None };
        node.start(measuring, Stream::new(self.grain));
        if node.truth == Truth::True {
            return;
        }
        if was_asked {
            node.judge.ask_again();
        }
        self.undecided.insert(id);
    }

    /// Ends the state of being measured. What it returns is passed to [`Evidence::release`] when all that depends on the node is stopped.
    pub(super) fn end(&mut self, id: NodeId, node: &mut PairNode) -> Option<Measuring> {
        self.undecided.remove(&id);
        let measuring = node.stop()?;
        // A verdict that waited for a caller's is not kept without its evidence.
        if measuring.early.is_some() {
            node.judge.overrule(Truth::Unknown);
        }
        Some(measuring)
    }

    /// Gives up the pairs of a node; those that no other node uses are stopped.
    pub(super) fn release(&mut self, id: NodeId, measuring: &Measuring, output: &mut Output) {
        for pair in [measuring.numerator, measuring.denominator] {
            self.measurements.release(pair, id, output.requests());
        }
    }

    /// Brings a sample to a node that uses it, as numerator, as denominator, or as both.
    pub(super) fn deliver(node: &mut PairNode, id: MeasurementId, sample: &Sample) {
        let Some(measuring) = node.measuring() else { return };
        let (numerator, denominator) = (measuring.numerator, measuring.denominator);
        if id == numerator {
            node.stream.push(StreamSide::Numerator, sample);
        }
        if id == denominator {
            node.stream.push(StreamSide::Denominator, sample);
        }
    }

    /// Weighs the next observation of a node; none when it has no complete one.
    pub(super) fn weigh(node: &mut PairNode) -> Option<Weighed> {
        let seen = node.stream.poll()?;
        node.series.add(seen);
        let verdict = node.judge.observe(seen);
        Some(verdict.map_or(Weighed::Unchanged, Weighed::Verdict))
    }

    /// A node has its verdict, or does not wait for one any more.
    pub(super) fn decide(&mut self, id: NodeId) {
        self.undecided.remove(&id);
    }

    /// Whether one more undecided node may be measured.
    pub(super) fn has_place(&self) -> bool {
        self.undecided.len() < self.active_limit
    }

    /// What may take the next place: questions that were false before take at most half of all places.
    pub(super) fn eligible(&self) -> Eligible {
        let has_room = self.undecided.len() < self.active_limit / 2;
        if has_room { Eligible::All } else { Eligible::Fresh }
    }

    /// The nodes without a verdict, in the order of discovery.
    pub(super) fn undecided(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.undecided.iter().copied()
    }

    /// The nodes that use a measurement.
    pub(super) fn users(&self, id: MeasurementId) -> Vec<NodeId> {
        self.measurements.users(id)
    }

    /// How many pairs are measured.
    pub(super) fn measured_pairs(&self) -> usize {
        self.measurements.len()
    }

    /// When the measurement of an undecided node began, this time.
    pub(super) fn since(node: &PairNode) -> Option<Time> {
        node.measuring().map(|measuring| measuring.since)
    }
}

#[cfg(test)]
mod tests {
    use whyperf_model::{Focus, Interval};

    use super::*;
    use crate::hypothesis::{Hypotheses, HypothesisId};
    use crate::judge::Judge;
    use crate::request::Request;

    struct Bench {
        evidence: Evidence,
        output: Output,
        pairs: (Pair, Pair),
    }

    fn bench(active_limit: usize) -> (Bench, impl Fn() -> PairNode) {
        let table = Hypotheses::built_in();
        let id = table.named("ExcessiveSyncWaitingTime").expect("it is in the table");
        let settings = Settings { active_limit, grain: Nanos::ZERO, ..Settings::default() };
        let pairs = table.row(id).pairs(&Focus::whole_program());
        let (evidence, output) = (Evidence::new(&settings), Output::default());
        let node = move || {
            let judge = Judge::new(table.row(id), &settings);
            let question = (HypothesisId(0), Focus::whole_program());
            PairNode::new(question, judge, Stream::new(Nanos::ZERO))
        };
        (Bench { evidence, output, pairs }, node)
    }

    impl Bench {
        fn begin(&mut self, id: usize, node: &mut PairNode) {
            self.evidence.begin(NodeId(id), node, self.pairs.clone(), &mut self.output);
        }

        fn requests(&mut self) -> Vec<Request> {
            std::iter::from_fn(|| self.output.poll_request()).collect()
        }
    }

    #[test]
    fn a_pair_is_measured_once_for_all_and_stopped_with_its_last_user() {
        let (mut bench, node) = bench(8);
        let (mut one, mut other) = (node(), node());
        bench.begin(1, &mut one);
        assert_eq!(bench.requests().len(), 2, "numerator and denominator");
        bench.begin(2, &mut other);
        assert_eq!(bench.requests(), []);
        assert_eq!(bench.evidence.measured_pairs(), 2);
        for (id, node, stopped) in [(1, &mut one, 0), (2, &mut other, 2)] {
            let measuring = bench.evidence.end(NodeId(id), node).expect("it is measured");
            bench.evidence.release(NodeId(id), &measuring, &mut bench.output);
            let stops = bench.requests();
            assert!(stops.iter().all(|request| matches!(request, Request::Stop { .. })));
            assert_eq!(stops.len(), stopped);
        }
        assert!(bench.evidence.end(NodeId(2), &mut other).is_none());
    }

    #[test]
    fn places_are_for_the_undecided_and_half_of_them_for_old_questions() {
        let (mut bench, node) = bench(4);
        let mut nodes: Vec<_> = (0..4).map(|_| node()).collect();
        let mut seen = Vec::new();
        for (id, node) in nodes.iter_mut().enumerate() {
            seen.push((bench.evidence.has_place(), bench.evidence.eligible()));
            bench.begin(id, node);
        }
        let (all, fresh) = ((true, Eligible::All), (true, Eligible::Fresh));
        assert_eq!(seen, [all, all, fresh, fresh]);
        assert!(!bench.evidence.has_place());
        bench.evidence.decide(NodeId(0));
        assert!(bench.evidence.has_place(), "what has its verdict takes no place");
        assert_eq!(bench.evidence.undecided().count(), 3);
    }

    #[test]
    fn samples_become_a_verdict_and_those_of_other_measurements_do_not_count() {
        let (mut bench, node) = bench(4);
        let mut node = node();
        bench.begin(0, &mut node);
        let measuring = node.measuring().expect("it is measured").clone();
        let mut verdict = None;
        for at in 0..40 {
            let start = Time::from_millis(at * 50);
            let interval = Interval::new(start, start + Nanos::from_millis(50));
            let sample = |amount| Sample::complete(interval, amount, 1);
            Evidence::deliver(&mut node, MeasurementId(99), &sample(1));
            Evidence::deliver(&mut node, measuring.numerator, &sample(900));
            assert_eq!(Evidence::weigh(&mut node), None, "its partner is missing");
            Evidence::deliver(&mut node, measuring.denominator, &sample(1000));
            if let Some(Weighed::Verdict(ground)) = Evidence::weigh(&mut node) {
                verdict = Some(ground.truth);
            }
        }
        assert_eq!(verdict, Some(Truth::True));
        bench.evidence.end(NodeId(0), &mut node);
        Evidence::deliver(
            &mut node,
            measuring.numerator,
            &Sample::complete(Interval::new(Time::from_secs(3), Time::from_secs(4)), 1, 1),
        );
        assert_eq!(Evidence::weigh(&mut node), None, "it is not measured any more");
    }
}
