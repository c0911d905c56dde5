//! The search itself: told of events, asked for requests and steps.

mod code;
mod control;
mod growth;
mod history;
#[cfg(test)]
mod invariants;
mod price;
mod priority;
mod progress;
mod single_roots;
mod speculation;
mod throttle;

pub use history::Question;
use speculation::Speculation;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use whyperf_model::{Focus, Resource, Sample, Time};

use crate::calls::Calls;
use crate::catalogue::Catalogue;
use crate::cost::{Admission, Budget};
use crate::data_source::Event;
use crate::directive::DirectivesInForce;
use crate::graph::Graph;
use crate::hypothesis::{Hypotheses, HypothesisId};
use crate::measurements::Measurements;
use crate::node::NodeId;
use crate::queue::Queue;
use crate::report::{self, Counts, Guided, Report};
use crate::request::{MeasurementId, Request};
use crate::settings::Settings;
use crate::step::{Happening, Step, Subject};
use crate::stream::Side;
use crate::truth::Truth;

/// A search for the reasons why a program is slow. It knows no clock: time comes with the events.
#[derive(Debug)]
pub struct Search {
    settings: Settings,
    hypotheses: Hypotheses,
    now: Time,
    is_over: bool,
    is_paused: bool,
    in_force: DirectivesInForce,
    /// Questions of directives that name what is not there yet.
    awaited: Vec<(HypothesisId, Focus)>,
    /// Questions that directives forbade.
    pruned: BTreeSet<(HypothesisId, Focus)>,
    catalogue: Catalogue,
    calls: Calls,
    graph: Graph,
    queue: Queue,
    budget: Budget,
    measurements: Measurements,
    /// Measured, and waiting for a verdict.
    undecided: BTreeSet<NodeId>,
    /// How many nodes each function is measured for: what is switched on costs nothing more.
    switched: BTreeMap<Resource, usize>,
    /// When a function was last left to rest.
    rested: Time,
    /// Nothing that waits is affordable; what may change that takes this back.
    is_blocked: bool,
    speculation: Speculation,
    /// Whether each host is asked from the beginning.
    has_host_roots: bool,
    steps: VecDeque<Step>,
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
    pub counts: Counts,
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
        let budget = Budget::new(settings.cost_limit);
        let queue = Queue::new(settings.order);
        let mut search = Self {
            settings,
            hypotheses,
            now: Time::ZERO,
            is_over: false,
            is_paused: false,
            in_force,
            awaited: Vec::new(),
            pruned: BTreeSet::new(),
            catalogue: Catalogue::default(),
            calls: Calls::default(),
            graph: Graph::default(),
            queue,
            budget,
            measurements: Measurements::default(),
            undecided: BTreeSet::new(),
            switched: BTreeMap::new(),
            rested: Time::ZERO,
            is_blocked: false,
            speculation: Speculation::default(),
            has_host_roots: false,
            steps: VecDeque::new(),
        };
        search.plant();
        search
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
            Event::Callees(now, of, callees) => self.handle_callees(now, &of, &callees),
            Event::Price(now, of, rate) => self.handle_price(now, &of, rate),
            // A caller that searches phases separately creates one `Search` for each.
            Event::Phase(..) => {}
            Event::End(now) => self.handle_end(now),
        }
    }

    /// Something new can be asked about: it and its ancestors join all nodes that were refined there already.
    pub fn handle_resource(&mut self, now: Time, resource: &Resource) {
        if self.is_over {
            return;
        }
        self.advance(now);
        for news in self.catalogue.add(resource) {
            self.discover(&news);
        }
        self.awaken();
        self.fill();
    }

    /// Something is gone. What was found there stays found; what was open stays unknown.
    pub fn handle_resource_retired(&mut self, now: Time, resource: &Resource) {
        if self.is_over {
            return;
        }
        self.advance(now);
        self.catalogue.retire(resource);
        for id in self.graph.ids() {
            let part = self.graph.node(id).focus.part(resource.hierarchy());
            if part.iter().all(|named| resource.contains(named)) {
                self.close(id);
            }
        }
        self.fill();
    }

    /// A process runs on a machine. It is told before the process comes, and changes no question that was asked.
    pub fn handle_placed(&mut self, process: &Resource, machine: &Resource) {
        self.catalogue.places.place(process, machine);
    }

    /// A pair grew. Samples of a measurement that was stopped are ignored.
    pub fn handle_sample(&mut self, id: MeasurementId, sample: &Sample) {
        if self.is_over {
            return;
        }
        self.advance(sample.interval.end);
        if self.is_paused {
            return;
        }
        for user in self.measurements.users(id) {
            self.observe(user, id, sample);
        }
        self.fill();
    }

    /// Measuring took this fraction of the time of the process that paid most, over the last interval.
    pub fn handle_cost(&mut self, now: Time, fraction: f64) {
        if self.is_over {
            return;
        }
        self.advance(now);
        let admission = self.budget.observe(now, fraction);
        let cost = self.budget.observed();
        match admission {
            Admission::Unchanged => {}
            Admission::Resumed => self.tell(Happening::Resumed { cost }),
            Admission::HeldBack => {
                let (limit, waiting) = (self.budget.limit(), self.queue.len());
                self.tell(Happening::HeldBack { cost, limit, waiting });
            }
        }
        self.put_back();
        self.rest();
        self.is_blocked = false;
        self.fill();
    }

    /// A pair cannot be measured. The nodes that need it are given up.
    pub fn handle_refusal(&mut self, now: Time, id: MeasurementId, reason: &str) {
        if self.is_over {
            return;
        }
        self.advance(now);
        for user in self.measurements.users(id) {
            let subject = self.subject(user);
            self.close(user);
            let looked_through = self.look_through(user);
            let reason = reason.to_owned();
            self.graph.node_mut(user).explain(reason.clone());
            self.tell(Happening::Refused { subject, reason, looked_through });
        }
        self.fill();
    }

    /// The run is over: what is true must hold for all of its life, and what could not be concluded stays unknown.
    pub fn handle_end(&mut self, now: Time) {
        if self.is_over {
            return;
        }
        self.now = self.now.max(now);
        for id in self.graph.ids() {
            self.look_back(id);
        }
        for id in self.graph.ids() {
            self.stop(id);
        }
        self.queue.clear();
        self.is_over = true;
        self.tell(Happening::Ended);
    }

    /// The next thing the data source is asked to do; ask after each event, until there is none.
    pub fn poll_request(&mut self) -> Option<Request> {
        self.fill();
        self.measurements.poll()
    }

    /// The next step that was taken.
    pub fn poll_step(&mut self) -> Option<Step> {
        self.steps.pop_front()
    }

    /// The search in a few numbers.
    #[must_use]
    pub fn status(&self) -> Status {
        Status {
            measured: self.measurements.len(),
            waiting: self.queue.len(),
            cost: self.budget.observed(),
            is_held_back: !self.budget.admits(),
            counts: Counts::of(&self.graph),
        }
    }

    /// What was found so far, or at all once the run is over.
    #[must_use]
    pub fn report(&self) -> Report {
        let guided = Guided {
            used: self.in_force.used() - self.awaited.len(),
            waiting: self.awaited.iter().map(|question| self.subject_of(question)).collect(),
            pruned: self.pruned.iter().map(|question| self.subject_of(question)).collect(),
        };
        report::report(&self.graph, &self.hypotheses, guided)
    }

    /// The hypotheses it works with.
    #[must_use]
    pub const fn hypotheses(&self) -> &Hypotheses {
        &self.hypotheses
    }

    /// Brings a sample to a node that uses it, as numerator, as denominator, or as both.
    fn observe(&mut self, user: NodeId, id: MeasurementId, sample: &Sample) {
        let node = self.graph.node_mut(user);
        let Some(measuring) = node.measuring() else { return };
        let (numerator, denominator) = (measuring.numerator, measuring.denominator);
        if id == numerator {
            node.stream.push(Side::Numerator, sample);
        }
        if id == denominator {
            node.stream.push(Side::Denominator, sample);
        }
        while let Some(seen) = self.graph.node_mut(user).stream.poll() {
            match self.graph.node_mut(user).judge.observe(seen) {
                Some(ground) => self.conclude(user, ground),
                None => self.look_ahead(user),
            }
        }
    }

    fn tell(&mut self, happening: Happening) {
        self.steps.push_back(Step { time: self.now, happening });
    }

    fn subject(&self, id: NodeId) -> Subject {
        let node = self.graph.node(id);
        let hypothesis = self.hypotheses.row(node.hypothesis).name.clone();
        Subject { hypothesis, focus: node.focus.clone() }
    }

    fn subject_of(&self, (hypothesis, focus): &(HypothesisId, Focus)) -> Subject {
        let hypothesis = self.hypotheses.row(*hypothesis).name.clone();
        Subject { hypothesis, focus: focus.clone() }
    }

    fn truth_of(&self, hypothesis: HypothesisId, focus: &Focus) -> Truth {
        let found = self.graph.find(hypothesis, focus);
        found.map_or(Truth::Unknown, |id| self.graph.node(id).truth)
    }
}
