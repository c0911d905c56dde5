//! Runs one search over the whole run, and beside it one over the current phase.
//!
//! ```text
//!   global   ├──────────────────────────────────────────►
//!   current  ├── start ──┤── solve ───────┤── output ───►      each begins with nothing concluded
//! ```
//!
//! Both see the same data source and share one cost limit: code that either has just switched on counts against both, and
//! they take turns at the rest. A phase begins when the program or the user says so; the one before it ends then, and its
//! report is kept.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use whyperf_model::{Interval, Pair, Resource, Time};

use crate::data_source::Event;
use crate::directive::{Directive, DirectiveRefusal, DirectivesInForce};
use crate::hypothesis::{Hypotheses, HypothesisId};
use crate::report::SearchResult;
use crate::request::{MeasurementId, Request};
use crate::run_amount::RunAmount;
use crate::search::{Question, Search};
use crate::settings::Settings;
use crate::step::Step;

/// The searches of a run.
#[derive(Debug)]
pub struct Searches {
    plan: (Hypotheses, Settings, DirectivesInForce),
    global: Search,
    current: Option<Current>,
    past: Vec<Past>,
    known: KnownProgram,
    routes: Routes,
    /// What is still to be stopped of a phase that is over.
    stops: VecDeque<Request>,
    now: Time,
    is_paused: bool,
    /// Which of the two is served first.
    first: SearchScope,
}

/// A phase that is over, or as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Past {
    /// How it was called.
    pub name: String,
    /// When it was.
    pub interval: Interval,
    /// What was found in it.
    pub report: SearchResult,
    /// All that was asked in it.
    pub questions: Vec<Question>,
}

#[derive(Debug)]
struct Current {
    name: String,
    began: Time,
    search: Search,
}

/// Which of the two searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SearchScope {
    /// The one over the whole run.
    Global,
    /// The one over the current phase.
    Current,
}

/// What a new phase must be told of the data source.
#[derive(Debug, Default)]
struct KnownProgram {
    resources: BTreeSet<Resource>,
    asked: BTreeSet<Resource>,
    callees: BTreeMap<Resource, Vec<Resource>>,
    rates: BTreeMap<Resource, f64>,
    machines: BTreeMap<Resource, Resource>,
}

/// Each search numbers its measurements by itself; the data source knows them by other numbers.
#[derive(Debug, Default)]
struct Routes {
    next: u32,
    inward: BTreeMap<MeasurementId, (SearchScope, MeasurementId)>,
    outward: BTreeMap<(SearchScope, MeasurementId), MeasurementId>,
}

impl Searches {
    /// More phases than this are not told apart: the last one goes on to the end.
    pub const MOST_PHASES: usize = 100;

    /// A run without a phase yet.
    #[must_use]
    pub fn new(hypotheses: Hypotheses, settings: Settings, in_force: DirectivesInForce) -> Self {
        let global =
            Search::with_directives(hypotheses.clone(), settings.clone(), in_force.clone());
        Self {
            plan: (hypotheses, settings, in_force),
            global,
            current: None,
            past: Vec::new(),
            known: KnownProgram::default(),
            routes: Routes::default(),
            stops: VecDeque::new(),
            now: Time::ZERO,
            is_paused: false,
            first: SearchScope::Global,
        }
    }

    /// Ends the current phase, if there is one, and begins another. When there were [`Searches::MOST_PHASES`] it does nothing: a
    /// program that announces each of its steps is not taken apart into all of them.
    pub fn begin(&mut self, now: Time, name: &str) {
        if self.is_full() {
            return;
        }
        self.finish(now);
        let (hypotheses, settings, in_force) = self.plan.clone();
        let mut search = Search::with_directives(hypotheses, settings, in_force);
        self.known.tell(now, &mut search);
        if self.is_paused {
            search.pause(now);
        }
        self.current = Some(Current { name: name.to_owned(), began: now, search });
    }

    /// Whether no further phase can begin.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.past.len() >= Self::MOST_PHASES
    }

    /// Ends the current phase, and stops what is measured for it alone.
    pub fn finish(&mut self, now: Time) {
        let Some(mut current) = self.current.take() else { return };
        current.search.handle_end(now);
        while let Some(request) = current.search.poll_request() {
            self.stops.extend(self.routes.outward(SearchScope::Current, request));
        }
        self.routes.forget(SearchScope::Current);
        self.past.push(current.until(now));
    }

    /// Stops judging and asking, in both searches.
    pub fn pause(&mut self, now: Time) {
        self.is_paused = true;
        for scope in self.order() {
            self.serve(scope, |search| search.pause(now));
        }
    }

    /// Both go on where they were.
    pub fn unpause(&mut self, now: Time) {
        self.is_paused = false;
        for scope in self.order() {
            self.serve(scope, |search| search.unpause(now));
        }
    }

    /// Compares a hypothesis with another threshold from now on, in this phase and all that follow.
    pub fn set_threshold(&mut self, now: Time, hypothesis: HypothesisId, threshold: f64) {
        self.plan.0.set_threshold(hypothesis, threshold);
        for scope in self.order() {
            self.serve(scope, |search| search.set_threshold(now, hypothesis, threshold));
        }
    }

    /// Follows a priority or a prune from now on, in this phase and all that follow.
    ///
    /// # Errors
    /// When it is another directive, or asks what a prune forbids; then nothing changes.
    pub fn direct(&mut self, now: Time, directive: &Directive) -> Result<(), DirectiveRefusal> {
        let (hypotheses, _, in_force) = &mut self.plan;
        in_force.take(directive, hypotheses)?;
        for scope in self.order() {
            self.serve(scope, |search| search.direct(now, directive)).transpose()?;
        }
        Ok(())
    }

    /// Whether they are paused.
    #[must_use]
    pub const fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Takes in whatever a data source has to tell.
    pub fn handle(&mut self, event: Event) {
        self.now = self.now.max(event.time());
        self.known.learn(&event);
        self.first = self.first.other();
        match event {
            Event::Sample(id, _)
            | Event::Refusal(_, id, _)
            | Event::TooHot(_, id, _)
            | Event::Sampled(_, id, _) => {
                let Some((scope, inner)) = self.routes.inward.get(&id).copied() else { return };
                let event = renumbered(event, inner);
                self.serve(scope, |search| search.handle(event));
            }
            Event::Phase(now, name) => self.begin(now, &name),
            event => {
                let end = matches!(event, Event::End(_)).then_some(self.now);
                if let Some(now) = end {
                    self.finish(now);
                }
                for scope in self.order() {
                    self.serve(scope, |search| search.handle(event.clone()));
                }
            }
        }
    }

    /// The next thing the data source is asked to do.
    pub fn poll_request(&mut self) -> Option<Request> {
        if let Some(stop) = self.stops.pop_front() {
            return Some(stop);
        }
        for scope in self.order() {
            while let Some(request) = self.serve(scope, Search::poll_request).flatten() {
                match request {
                    Request::Callees { of } if !self.known.asked.insert(of.clone()) => {
                        self.answer(scope, &of);
                    }
                    request => return self.routes.outward(scope, request),
                }
            }
        }
        None
    }

    /// The next step that was taken, and by which search.
    pub fn poll_step(&mut self) -> Option<(SearchScope, Step)> {
        let global = self.global.poll_step().map(|step| (SearchScope::Global, step));
        let mut current = || self.current.as_mut()?.search.poll_step();
        global.or_else(|| current().map(|step| (SearchScope::Current, step)))
    }

    /// The run is over: from now on the values of the search over the whole run are those of the whole run, as far as the data source
    /// knows what their pairs came to.
    pub fn take_run_amounts(&mut self, over_run: impl FnMut(&Pair) -> Option<RunAmount>) {
        self.global.take_run_amounts(over_run);
    }

    /// The search over the whole run.
    #[must_use]
    pub const fn global(&self) -> &Search {
        &self.global
    }

    /// As far as the data source has told.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// How the current phase is called, when it began, and the search over it.
    #[must_use]
    pub fn current(&self) -> Option<(&str, Time, &Search)> {
        let current = self.current.as_ref()?;
        Some((current.name.as_str(), current.began, &current.search))
    }

    /// The phases that are over, in the order of time.
    #[must_use]
    pub fn past(&self) -> &[Past] {
        &self.past
    }

    /// The phases without the first so many, the current one as it stands among them.
    #[must_use]
    pub fn after(&self, first: usize) -> Vec<Past> {
        let current = self.current.as_ref().map(|current| current.until(self.now));
        self.past.iter().skip(first).cloned().chain(current).collect()
    }

    /// Lets a search act, knowing what the other has just switched on.
    fn serve<T>(&mut self, scope: SearchScope, act: impl FnOnce(&mut Search) -> T) -> Option<T> {
        let current = self.current.as_mut().map(|current| &mut current.search);
        let (search, other) = match scope {
            SearchScope::Global => (&mut self.global, current),
            SearchScope::Current => (current?, Some(&mut self.global)),
        };
        search.count_elsewhere(other.map_or(0.0, |other| other.pending_cost()));
        Some(act(search))
    }

    /// Answers what the data source was asked before.
    fn answer(&mut self, scope: SearchScope, of: &Resource) {
        let now = self.now;
        if let Some(callees) = self.known.callees.get(of).cloned() {
            self.serve(scope, |search| search.handle_callees(now, of, &callees));
        }
    }

    const fn order(&self) -> [SearchScope; 2] {
        [self.first, self.first.other()]
    }
}

impl SearchScope {
    const fn other(self) -> Self {
        match self {
            Self::Global => Self::Current,
            Self::Current => Self::Global,
        }
    }
}

impl Current {
    fn until(&self, now: Time) -> Past {
        Past {
            name: self.name.clone(),
            interval: Interval::new(self.began, now),
            report: self.search.report(),
            questions: self.search.questions().collect(),
        }
    }
}

impl KnownProgram {
    fn learn(&mut self, event: &Event) {
        match event {
            Event::Resource(_, resource) => _ = self.resources.insert(resource.clone()),
            Event::Retired(_, gone) => self.forget(gone),
            Event::Callees(_, of, callees) => {
                self.callees.entry(of.clone()).or_default().extend(callees.iter().cloned());
            }
            Event::Placed(_, process, machine) => {
                self.machines.insert(process.clone(), machine.clone());
            }
            Event::Price(_, of, rate) => _ = self.rates.insert(of.clone(), *rate),
            _ => {}
        }
    }

    /// What is below a resource comes right after it.
    fn forget(&mut self, gone: &Resource) {
        let from_there = self.resources.range(gone..);
        let below: Vec<_> = from_there.take_while(|one| gone.contains(one)).cloned().collect();
        for one in below {
            self.resources.remove(&one);
        }
    }

    fn tell(&self, now: Time, search: &mut Search) {
        for (of, rate) in &self.rates {
            search.handle_price(now, of, *rate);
        }
        for (process, machine) in &self.machines {
            search.handle_placed(process, machine);
        }
        for resource in &self.resources {
            search.handle_resource(now, resource);
        }
    }
}

impl Routes {
    /// The same request under the number that the data source knows.
    fn outward(&mut self, scope: SearchScope, request: Request) -> Option<Request> {
        match request {
            Request::Start { id, pair } => {
                let outer = MeasurementId(self.next);
                self.next += 1;
                self.inward.insert(outer, (scope, id));
                self.outward.insert((scope, id), outer);
                Some(Request::Start { id: outer, pair })
            }
            Request::Stop { id } => {
                let id = self.outward.remove(&(scope, id))?;
                self.inward.remove(&id);
                Some(Request::Stop { id })
            }
            request @ Request::Callees { .. } => Some(request),
        }
    }

    fn forget(&mut self, scope: SearchScope) {
        self.inward.retain(|_, (of, _)| *of != scope);
        self.outward.retain(|(of, _), _| *of != scope);
    }
}

fn renumbered(event: Event, id: MeasurementId) -> Event {
    match event {
        Event::Sample(_, sample) => Event::Sample(id, sample),
        Event::Refusal(now, _, reason) => Event::Refusal(now, id, reason),
        Event::TooHot(now, _, coverage) => Event::TooHot(now, id, coverage),
        Event::Sampled(now, _, period) => Event::Sampled(now, id, period),
        event => event,
    }
}
