//! The search itself: takes events, and gives requests and steps.
//!
//! ```text
//!   Search            events in, requests and steps out; searching, paused or over
//!     │ owns and calls
//!   Testing           starts and stops nodes, follows verdicts        testing, rest, throttle, progress
//!     ├──► Evidence   pairs in use, undecided nodes; streams and e-processes weigh samples
//!     └──► Growth     asks, links and refines questions               growth, code, refinement, discovery
//!           ├──► Questions          graph, hypotheses, settings
//!           ├──► Queue              what waits, by rank (`priority` makes the rank)
//!           ├──► CostControl        limit, prices, what is switched on, what may rest
//!           ├──► DirectedQuestions  prunes, priorities, what is still awaited
//!           ├──► Program            resources, calls and rates that the data source told
//!           ├──► Speculation        what is measured before its caller is true
//!           ├──► SingleRoots        which processes or hosts are asked from the beginning
//!           └──► Output             time, steps, requests
//! ```
//!
//! A type calls only what stands below it: the parts under `Growth` know nothing of each other but what is passed to them,
//! and answer only by what they return. `Questions` and `CostControl` are passed a `Program`, `CostControl` and `priority`
//! are passed `Questions`. Only `Testing` measures a node, and only `Growth` adds one.

mod code;
mod control;
mod cost_control;
mod directed;
mod discovery;
mod evidence;
mod growth;
mod history;
#[cfg(test)]
mod invariants;
mod measurements;
mod output;
mod priority;
mod program;
mod progress;
mod questions;
mod refinement;
mod rest;
mod single_roots;
mod speculation;
mod testing;
mod throttle;

pub use history::Question;

use std::collections::BTreeMap;

use whyperf_model::{Hierarchy, Nanos, Pair, Resource, Sample, Time};

use self::growth::Growth;
use self::testing::Testing;
use crate::data_source::Event;
use crate::directive::DirectivesInForce;
use crate::hypothesis::Hypotheses;
use crate::report::{self, DirectiveOutcome, QuestionCounts, SearchResult};
use crate::request::{MeasurementId, Request};
use crate::run_amount::RunAmount;
use crate::settings::Settings;
use crate::step::Step;

/// A search for the reasons why a program is slow. It knows no clock: time comes with the events.
#[derive(Debug)]
pub struct Search {
    activity: SearchState,
    testing: Testing,
}

/// Whether a search goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchState {
    /// It judges and asks.
    Searching,
    /// Events are taken in, but nothing is judged or asked.
    Paused,
    /// The run is over; no event changes anything.
    Over,
}

/// A search in a few numbers, for a status line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Status {
    /// Pairs of metric and focus being measured.
    pub measured: usize,
    /// Nodes that wait to be measured.
    pub waiting: usize,
    /// What measuring costs the slowest process, as observed lately.
    pub cost: f64,
    /// Whether the cost holds the search back.
    pub is_held_back: bool,
    /// What was found so far.
    pub counts: QuestionCounts,
}

impl Search {
    /// A search that begins with the top-level hypotheses at the whole program.
    #[must_use]
    pub fn new(hypotheses: Hypotheses, settings: Settings) -> Self {
        Self::with_directives(hypotheses, settings, DirectivesInForce::default())
    }

    /// The same, led by directives.
    #[must_use]
    pub fn with_directives(
        hypotheses: Hypotheses,
        settings: Settings,
        in_force: DirectivesInForce,
    ) -> Self {
        let growth = Growth::new(hypotheses, settings.clone(), in_force);
        Self { activity: SearchState::Searching, testing: Testing::new(growth, &settings) }
    }

    /// Takes in whatever a data source has to tell.
    pub fn handle(&mut self, event: Event) {
        match event {
            Event::Resource(now, resource) => self.handle_resource(now, &resource),
            Event::Retired(now, resource) => self.handle_resource_retired(now, &resource),
            Event::Placed(_, process, machine) => self.handle_placed(&process, &machine),
            Event::Sample(id, sample) => self.handle_sample(id, &sample),
            Event::Cost(now, fraction) => self.handle_cost(now, fraction),
            Event::Refusal(now, id, reason) => self.handle_refusal(now, id, &reason),
            Event::TooHot(now, id, coverage) => self.handle_too_hot(now, id, coverage),
            Event::Sampled(now, id, period) => self.handle_sampled(now, id, period),
            Event::Callees(now, of, callees) => self.handle_callees(now, &of, &callees),
            Event::Price(now, of, rate) => self.handle_price(now, &of, rate),
            // A caller that searches phases separately creates one `Search` for each.
            Event::Phase(..) => {}
            Event::End(now) => self.handle_end(now),
        }
    }

    /// Something new can be asked about: it and its ancestors join all nodes that were refined there already.
    pub fn handle_resource(&mut self, now: Time, resource: &Resource) {
        self.act(now, |testing| testing.growth.add_resource(resource));
    }

    /// Something is gone. What was found there stays found; what was open stays unknown.
    pub fn handle_resource_retired(&mut self, now: Time, resource: &Resource) {
        self.act(now, |testing| testing.retire(resource));
    }

    /// A process runs on a machine. It is told before the process comes, and changes no question that was asked.
    pub fn handle_placed(&mut self, process: &Resource, machine: &Resource) {
        self.testing.growth.program.catalogue.places.place(process, machine);
    }

    /// A pair grew. Samples of a measurement that was stopped are ignored.
    pub fn handle_sample(&mut self, id: MeasurementId, sample: &Sample) {
        if self.activity == SearchState::Paused {
            self.advance(sample.interval.end);
            return;
        }
        self.act(sample.interval.end, |testing| testing.observe(id, sample));
    }

    /// Measuring took this fraction of the time of the process that paid most, over the last interval.
    pub fn handle_cost(&mut self, now: Time, fraction: f64) {
        self.act(now, |testing| testing.charge(now, fraction));
    }

    /// A pair cannot be measured. The nodes that need it are given up.
    pub fn handle_refusal(&mut self, now: Time, id: MeasurementId, reason: &str) {
        self.act(now, |testing| testing.refuse(id, reason));
    }

    /// A pair is measured in windows from now on, which cover this share of the time. Nothing waits for its verdict.
    pub fn handle_too_hot(&mut self, now: Time, id: MeasurementId, coverage: f64) {
        if coverage > 0.0 && coverage <= 1.0 {
            self.act(now, |testing| testing.throttle(id, coverage));
        }
    }

    /// A pair cannot be counted: its amounts are estimates from now on, by stack samples that stand for so much running time each.
    pub fn handle_sampled(&mut self, now: Time, id: MeasurementId, period: Nanos) {
        self.act(now, |testing| testing.estimate(id, period));
    }

    /// A function calls these. Asked for once, it may be told again with more.
    pub fn handle_callees(&mut self, now: Time, of: &Resource, callees: &[Resource]) {
        if of.hierarchy() == Hierarchy::Code {
            self.act(now, |testing| testing.growth.learn_callees(of, callees));
        }
    }

    /// A function is called so often per second.
    pub fn handle_price(&mut self, now: Time, of: &Resource, rate: f64) {
        if self.activity != SearchState::Over {
            self.advance(now);
            self.testing.growth.learn_rate(of, rate);
        }
    }

    /// The run is over: what is true must hold for all of its life, and what could not be concluded stays unknown.
    pub fn handle_end(&mut self, now: Time) {
        if self.activity != SearchState::Over {
            self.testing.growth.output.advance(now);
            self.testing.end();
            self.activity = SearchState::Over;
        }
    }

    /// What is true gets the value that it has over all of the run, as far as it is known what its pairs came to. Each pair is asked for once.
    pub fn take_run_amounts(&mut self, mut over_run: impl FnMut(&Pair) -> Option<RunAmount>) {
        let mut known = BTreeMap::new();
        let amount = |pair: Pair| *known.entry(pair).or_insert_with_key(&mut over_run);
        self.testing.growth.questions.take_run_amounts(amount);
    }

    /// The next thing the data source is asked to do; ask after each event, until there is none.
    pub fn poll_request(&mut self) -> Option<Request> {
        self.fill();
        self.testing.growth.output.poll_request()
    }

    /// The next step that was taken.
    pub fn poll_step(&mut self) -> Option<Step> {
        self.testing.growth.output.poll_step()
    }

    /// The search in a few numbers.
    #[must_use]
    pub fn status(&self) -> Status {
        let Testing { growth, evidence } = &self.testing;
        Status {
            measured: evidence.measured_pairs(),
            waiting: growth.queue.len(),
            cost: growth.costs.budget().observed(),
            is_held_back: !growth.costs.budget().admits(),
            counts: QuestionCounts::of(&growth.questions.graph),
        }
    }

    /// What was found so far, or at all once the run is over.
    #[must_use]
    pub fn report(&self) -> SearchResult {
        let (questions, directed) = (&self.testing.growth.questions, &self.testing.growth.directed);
        let guided = DirectiveOutcome {
            used: directed.used(),
            waiting: directed.awaited().map(|one| questions.subject_of(one)).collect(),
            pruned: directed.pruned().map(|one| questions.subject_of(one)).collect(),
        };
        let error = questions.settings.error_true;
        report::report(&questions.graph, &questions.hypotheses, guided, error)
    }

    /// The hypotheses it works with.
    #[must_use]
    pub const fn hypotheses(&self) -> &Hypotheses {
        &self.testing.growth.questions.hypotheses
    }

    /// Every question so far, in the order of discovery: parents may come after their children.
    pub fn questions(&self) -> impl Iterator<Item = Question> + '_ {
        let growth = &self.testing.growth;
        let mut splits = growth.questions.splits();
        let question = move |id| {
            let (split, cost) = (splits.of(id), growth.observed_cost(id));
            history::question(&growth.questions, id, split, cost)
        };
        growth.questions.graph.ids().map(question)
    }

    /// What was switched on and is not observed yet.
    pub(crate) const fn pending_cost(&self) -> f64 {
        self.testing.growth.costs.budget().pending()
    }

    /// Another search under the same limit has this much pending.
    pub(crate) const fn count_elsewhere(&mut self, pending: f64) {
        self.testing.growth.costs.count_elsewhere(pending);
    }

    /// Takes in an event of this moment, unless the run is over, and starts what may start then.
    fn act(&mut self, now: Time, act: impl FnOnce(&mut Testing)) {
        if self.activity == SearchState::Over {
            return;
        }
        self.advance(now);
        act(&mut self.testing);
        self.fill();
    }

    /// Time goes on, once per moment: what waited for it happens.
    fn advance(&mut self, now: Time) {
        let goes_on = self.testing.growth.output.advance(now);
        if goes_on && self.activity == SearchState::Searching {
            self.testing.pass_time();
        }
    }

    fn fill(&mut self) {
        if self.activity == SearchState::Searching {
            self.testing.fill();
        }
    }
}
