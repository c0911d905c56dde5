//! Tests that a search keeps its own promises, whatever a data source says and in whatever order.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::Index;
use whyperf_model::{Hierarchy, Interval, Nanos, Resource, Sample, Time};

use super::Search;
use super::testing::Testing;
use crate::hypothesis::Hypotheses;
use crate::node::NodeId;
use crate::request::{MeasurementId, Request};
use crate::settings::Settings;
use crate::step::Step;
use crate::truth::Truth;

/// What the data source does next.
#[derive(Clone, Debug)]
enum SourceAct {
    Appear(&'static str),
    Vanish(&'static str),
    /// All measurements get samples; the amounts of numerators are these shares of a thousand, in turn.
    Tick(Vec<i64>),
    Cost(u8),
    Refuse(Index),
    /// A function calls these, cycles and modules and all.
    Calls(&'static str, Vec<&'static str>),
    TooHot(Index, f64),
    Sampled(Index),
    Price(&'static str, f64),
    Stray(u32, i64),
}

const PATHS: [&str; 12] = [
    "/Code/a.c/f",
    "/Code/a.c/g",
    "/Code/b.c/h",
    "/Machine/n0",
    "/Machine/n1",
    "/Process/0",
    "/Process/1",
    "/Process/2",
    "/SyncObject/Message/world/1",
    "/SyncObject/Message/world/2",
    "/SyncObject/Barrier",
    "/File/data",
];

const CODE: [&str; 6] =
    ["/Code", "/Code/a.c/f", "/Code/a.c/g", "/Code/b.c/h", "/Code/b.c/i", "/Code/b.c"];

fn calls() -> impl Strategy<Value = SourceAct> {
    let function = prop::sample::select(CODE.to_vec());
    let callees = prop::collection::vec(function.clone(), 0..3);
    (function, callees).prop_map(|(of, callees)| SourceAct::Calls(of, callees))
}

fn act() -> impl Strategy<Value = SourceAct> {
    let path = prop::sample::select(PATHS.to_vec());
    let share = prop::sample::select(vec![-5, 0, 100, 200, 210, 600, 1000, 4000]);
    prop_oneof![
        4 => path.clone().prop_map(SourceAct::Appear),
        1 => path.prop_map(SourceAct::Vanish),
        6 => prop::collection::vec(share, 1..4).prop_map(SourceAct::Tick),
        1 => (0..10_u8).prop_map(SourceAct::Cost),
        1 => any::<Index>().prop_map(SourceAct::Refuse),
        4 => calls(),
        1 => any::<Index>().prop_map(SourceAct::Sampled),
        1 => (any::<Index>(), prop::sample::select(vec![0.5, 0.01, 0.0, 7.0]))
            .prop_map(|(index, coverage)| SourceAct::TooHot(index, coverage)),
        1 => (prop::sample::select(CODE.to_vec()), prop::sample::select(vec![1.0, 1e5, 1e9, f64::NAN]))
            .prop_map(|(function, rate)| SourceAct::Price(function, rate)),
        1 => (0..50_u32, any::<i64>()).prop_map(|(id, amount)| SourceAct::Stray(id, amount)),
    ]
}

/// A data source that does as it is told.
struct Player {
    search: Search,
    now: Time,
    running: BTreeMap<MeasurementId, bool>,
    steps: Vec<Step>,
    asked: Vec<Resource>,
}

impl Player {
    fn new() -> Self {
        let settings = Settings { active_limit: 40, ..Settings::default() };
        let search = Search::new(Hypotheses::built_in(), settings);
        Self {
            search,
            now: Time::ZERO,
            running: BTreeMap::new(),
            steps: Vec::new(),
            asked: Vec::new(),
        }
    }

    fn play(&mut self, act: &SourceAct) {
        let resource = |path: &str| Resource::parse(path).expect("the paths are resources");
        match act {
            SourceAct::Appear(path) => self.search.handle_resource(self.now, &resource(path)),
            SourceAct::Vanish(path) => {
                self.search.handle_resource_retired(self.now, &resource(path))
            }
            // Ten at a time, or verdicts would be too rare to matter.
            SourceAct::Tick(shares) => (0..10).for_each(|_| self.tick(shares)),
            SourceAct::Cost(percent) => {
                self.search.handle_cost(self.now, f64::from(*percent) / 100.0)
            }
            SourceAct::Refuse(index) => {
                if !self.running.is_empty() {
                    let at = index.index(self.running.len());
                    let id = *self.running.keys().nth(at).expect("an index within");
                    self.search.handle_refusal(self.now, id, "because");
                }
            }
            SourceAct::Calls(of, callees) => {
                let callees: Vec<_> = callees.iter().map(|path| resource(path)).collect();
                self.search.handle_callees(self.now, &resource(of), &callees);
            }
            SourceAct::TooHot(index, coverage) => {
                if !self.running.is_empty() {
                    let at = index.index(self.running.len());
                    let id = *self.running.keys().nth(at).expect("an index within");
                    self.search.handle_too_hot(self.now, id, *coverage);
                }
            }
            SourceAct::Sampled(index) => {
                if !self.running.is_empty() {
                    let at = index.index(self.running.len());
                    let id = *self.running.keys().nth(at).expect("an index within");
                    self.search.handle_sampled(self.now, id, Nanos::from_millis(6));
                }
            }
            SourceAct::Price(of, rate) => self.search.handle_price(self.now, &resource(of), *rate),
            SourceAct::Stray(id, amount) => {
                let sample = Sample::complete(Interval::new(self.now, self.now), *amount, 1);
                self.search.handle_sample(MeasurementId(*id), &sample);
            }
        }
        self.listen();
    }

    fn tick(&mut self, shares: &[i64]) {
        let interval = Interval::new(self.now, self.now + Nanos::from_millis(50));
        self.now = interval.end;
        let amounts = shares.iter().cycle();
        let running: Vec<_> = self.running.clone().into_iter().collect();
        for ((id, is_divisor), share) in running.into_iter().zip(amounts) {
            let amount = if is_divisor { 1000 } else { *share };
            self.search.handle_sample(id, &Sample::complete(interval, amount, 1));
        }
        self.listen();
    }

    fn listen(&mut self) {
        while let Some(request) = self.search.poll_request() {
            match request {
                Request::Start { id, pair } => {
                    let is_divisor = matches!(pair.metric.name(), "wall" | "io_ops");
                    assert!(self.running.insert(id, is_divisor).is_none(), "{id} started twice");
                }
                Request::Stop { id } => {
                    assert!(self.running.remove(&id).is_some(), "{id} stopped but never started");
                }
                Request::Callees { of } => self.asked.push(of),
            }
        }
        self.steps.extend(std::iter::from_fn(|| self.search.poll_step()));
        self.check();
    }

    fn check(&self) {
        let graph = &self.search.testing.growth.questions.graph;
        let Testing { growth, evidence } = &self.search.testing;
        let undecided: BTreeSet<NodeId> = evidence.undecided().collect();
        let mut measured = 0;
        for id in graph.ids() {
            let node = graph.node(id);
            let truths = node.parents.iter().map(|parent| graph.node(*parent).truth);
            let held = truths.filter(|truth| *truth == Truth::True).count();
            assert_eq!(node.true_parents, held, "{}", node.focus);
            assert!(node.truth != Truth::True || node.is_held(), "{} hangs in the air", node.focus);
            assert!(!node.is_measured() || !node.is_closed(), "{} is closed", node.focus);
            assert!(!undecided.contains(&id) || node.is_measured());
            measured += usize::from(node.is_measured());
            if let Some(measuring) = node.measuring() {
                for used in [measuring.numerator, measuring.denominator] {
                    assert!(self.running.contains_key(&used), "{used} is used and not running");
                    assert!(evidence.users(used).contains(&id), "{used} reaches no node");
                }
            }
            for parent in &node.parents {
                let above = &graph.node(*parent).focus;
                let code = node.focus.part(Hierarchy::Code).to_vec();
                let calling = above.with_set(Hierarchy::Code, code);
                assert!(calling.contains(&node.focus), "{above} leads to {}", node.focus);
            }
        }
        self.check_ground();
        assert!(growth.costs.uses() <= measured, "functions stay switched on");
        assert!(self.running.len() <= 2 * measured);
        assert!(undecided.len() <= growth.questions.settings.active_limit);
    }
}

impl Player {
    /// Each true node is held by true ones from a root on.
    fn check_ground(&self) {
        let graph = &self.search.testing.growth.questions.graph;
        let is_true = |id: &NodeId| graph.node(*id).truth == Truth::True;
        let mut pending: Vec<_> = graph.ids().filter(|id| graph.node(*id).root.is_root()).collect();
        let mut grounded: BTreeSet<NodeId> = pending.iter().copied().collect();
        while let Some(id) = pending.pop() {
            if is_true(&id) {
                let children = graph.node(id).children.keys();
                pending.extend(children.filter(|child| grounded.insert(**child)));
            }
        }
        let floating = graph.ids().filter(is_true).find(|id| !grounded.contains(id));
        assert_eq!(floating, None, "a true node is held by nothing that is");
    }
}

fn played(acts: &[SourceAct]) -> Player {
    let mut player = Player::new();
    player.listen();
    for act in acts {
        player.play(act);
    }
    player.search.handle_end(player.now);
    player.listen();
    player
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn truth_requests_and_counts_stay_consistent(acts in prop::collection::vec(act(), 0..60)) {
        let player = played(&acts);
        prop_assert!(player.running.is_empty(), "measured on after the end");
        let report = player.search.report();
        prop_assert!(report.bottlenecks.len() <= report.counts.found);
        for found in &report.bottlenecks {
            prop_assert!(found.error.is_none_or(|error| error >= 0.0), "{found:?}");
        }
        let again = played(&acts);
        prop_assert_eq!(&player.steps, &again.steps);
        prop_assert_eq!(report, again.search.report());
    }
}
