//! All that is known of a run that is shown, each piece with the change that it came with.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use whyperf_consultant::Hypotheses;
use whyperf_experiments::{Fact, NewRun, ObjectRow, Topic};
use whyperf_model::{Nanos, Pair, Time};

use crate::change::{RunChange, SeriesPart};
use crate::document::{ChangeDocument, Progress, RunState};
use crate::known_bins::KnownBins;
use crate::profile::ProfileDocument;
use crate::rows::{HypothesisRow, LogRow, MessagesRow, PhaseRow, QuestionRow, ResourceRow};
use crate::series::Told;
use crate::stream::DataStream;

/// What is known of a run before it is known how it goes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunHead {
    /// Its name in the store.
    pub run: Option<String>,
    /// Of a diagnosis: the run that was gone through.
    pub diagnosis_of: Option<String>,
    /// What program it is, what is varied, and what this run is in it.
    pub names: [String; 3],
    /// When it began.
    pub started: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// What the user calls it.
    pub tags: Vec<String>,
    /// Settings and environment.
    pub facts: Vec<Fact>,
    /// Programs and libraries.
    pub objects: Vec<ObjectRow>,
    /// Directives that the search was given.
    pub directives: Vec<String>,
    /// The table of hypotheses.
    pub hypotheses: Vec<HypothesisRow>,
}

impl RunHead {
    /// That of a run that begins, with what it is searched by.
    #[must_use]
    pub fn of(run: &NewRun, started: String, table: &Hypotheses) -> Self {
        let fact = |(topic, name, value): &(Topic, String, String)| Fact {
            topic: topic.name().into_owned(),
            name: name.clone(),
            value: value.clone(),
        };
        Self {
            names: [&run.application, &run.experiment, &run.trial].map(Clone::clone),
            started,
            command: run.command.clone(),
            facts: run.facts.iter().map(fact).collect(),
            directives: run.directives.clone(),
            hypotheses: HypothesisRow::all(table),
            ..Self::default()
        }
    }
}

/// A piece and the change that it came with.
#[derive(Clone, Debug)]
struct Dated<T>(u64, T);

/// All of it.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) head: RunHead,
    pub(crate) is_complete: bool,
    /// The number of the last change.
    pub(crate) as_of: u64,
    pub(crate) progress: Progress,
    /// Up to when series are known.
    until: Time,
    report: Option<Dated<Value>>,
    pub(crate) profile: ProfileDocument,
    /// By phase and number.
    questions: BTreeMap<(u32, u64), Dated<QuestionRow>>,
    log: Vec<Dated<LogRow>>,
    phases: BTreeMap<u32, Dated<PhaseRow>>,
    resources: BTreeMap<String, Dated<ResourceRow>>,
    hypotheses: Vec<Dated<HypothesisRow>>,
    directives: Vec<Dated<String>>,
    series: BTreeMap<Pair, Dated<BTreeMap<u32, KnownBins>>>,
    streams: Vec<DataStream>,
}

impl Content {
    /// Nothing but the head.
    pub(crate) fn new(head: RunHead, state: RunState) -> Self {
        let progress = Progress {
            state,
            elapsed_s: 0.0,
            exit_status: None,
            measured: None,
            waiting: None,
            cost: None,
        };
        Self {
            is_complete: false,
            as_of: 0,
            progress,
            until: Time::ZERO,
            report: None,
            profile: ProfileDocument::default(),
            questions: BTreeMap::new(),
            log: Vec::new(),
            phases: BTreeMap::new(),
            resources: BTreeMap::new(),
            hypotheses: head.hypotheses.iter().cloned().map(|row| Dated(0, row)).collect(),
            directives: head.directives.iter().cloned().map(|line| Dated(0, line)).collect(),
            head,
            series: BTreeMap::new(),
            streams: Vec::new(),
        }
    }

    /// Takes in a change.
    pub(crate) fn apply(&mut self, change: RunChange) {
        self.as_of += 1;
        let now = self.as_of;
        self.progress(&change);
        if change.run.is_some() {
            self.head.run = change.run;
        }
        for (phase, verdicts, edges) in change.questions {
            let named = (phase > 0).then_some(phase);
            for row in QuestionRow::all(named, verdicts, &edges) {
                self.question(phase, row);
            }
        }
        for (phase, numbers) in change.measured {
            self.measured_now(phase, &numbers);
        }
        if change.state == RunState::Over {
            let phases: BTreeSet<u32> = self.questions.keys().map(|(phase, _)| *phase).collect();
            phases.into_iter().for_each(|phase| self.measured_now(phase, &[]));
        }
        self.log.extend(change.steps.iter().map(|step| Dated(now, LogRow::from(step))));
        for phase in &change.phases {
            self.phases.insert(phase.number, Dated(now, PhaseRow::from(phase)));
        }
        for span in &change.resources {
            self.resource(ResourceRow::from(span));
        }
        if let Some(table) = change.hypotheses {
            self.hypotheses = table.into_iter().map(|row| Dated(now, row)).collect();
        }
        self.directives.extend(change.directives.into_iter().map(|line| Dated(now, line)));
        change.series.into_iter().for_each(|part| self.measured(part));
        if let Some(report) = change.report {
            self.report = Some(Dated(now, report));
        }
        if let Some((rows, messages)) = change.profile {
            let messages = messages.as_ref().map(MessagesRow::all);
            let version = self.profile.version + 1;
            self.profile = ProfileDocument { version, ..ProfileDocument::of(&rows, messages) };
        }
    }

    fn progress(&mut self, change: &RunChange) {
        let [measured, waiting] = change.counts;
        let goes_on = change.state != RunState::Over;
        self.is_complete |= !goes_on;
        let nanos = u64::try_from(change.elapsed.as_nanos()).unwrap_or(u64::MAX);
        self.until = Time(Nanos(nanos));
        self.progress = Progress {
            state: change.state,
            elapsed_s: change.elapsed.as_secs_f64(),
            exit_status: change.exit_status,
            measured: goes_on.then_some(measured),
            waiting: goes_on.then_some(waiting),
            cost: goes_on.then_some(change.cost),
        };
    }

    /// A question is told with all that led to it, or with none where that is known already.
    fn question(&mut self, phase: u32, row: QuestionRow) {
        let key = (phase, row.verdict.number);
        let known = self.questions.remove(&key).map(|Dated(_, known)| known);
        let active = known.as_ref().is_some_and(|known| known.active);
        let parents = match known {
            Some(known) if row.parents.is_empty() => known.parents,
            _ => row.parents,
        };
        self.questions.insert(key, Dated(self.as_of, QuestionRow { active, parents, ..row }));
    }

    /// Takes note of which questions of a phase are measured now; those that began or ended to be changed.
    fn measured_now(&mut self, phase: u32, numbers: &[u64]) {
        let now = self.as_of;
        for ((_, number), Dated(came, row)) in
            self.questions.range_mut((phase, 0)..=(phase, u64::MAX))
        {
            let active = numbers.binary_search(number).is_ok();
            if row.active != active {
                (row.active, *came) = (active, now);
            }
        }
    }

    /// What is told again is known with its first moment, and may have gone.
    fn resource(&mut self, row: ResourceRow) {
        let now = self.as_of;
        match self.resources.get_mut(&row.name) {
            None => _ = self.resources.insert(row.name.clone(), Dated(now, row)),
            Some(known) if row.retired_s.is_some() => {
                known.0 = now;
                known.1.retired_s = row.retired_s;
            }
            Some(_) => {}
        }
    }

    /// How much of a series is told.
    pub(crate) fn told(&self) -> Told {
        match self.progress.state {
            RunState::Over => Told::ToItsEnd(self.until),
            RunState::Searching | RunState::Paused => Told::Until(self.until),
        }
    }

    /// Names pairs that can be had over time.
    pub(crate) fn offer(&mut self, pairs: Vec<Pair>) {
        let now = self.as_of;
        self.series.extend(pairs.into_iter().map(|pair| (pair, Dated(now, BTreeMap::new()))));
    }

    /// Adds a stream; answers with its number. It takes the pictures of one before it, if it has none of its own.
    pub(crate) fn add_stream(&mut self, mut stream: DataStream) -> usize {
        if let Some(other) = self.streams.iter().find(|other| !other.declared().is_empty()) {
            stream.borrow_pictures(other.declared());
        }
        self.as_of += 1;
        self.streams.push(stream);
        self.streams.len() - 1
    }

    /// Takes lines of a stream, which came so many seconds after the beginning of the run.
    pub(crate) fn feed(&mut self, number: usize, lines: &[String], arrived: f64) {
        if let Some(stream) = self.streams.get_mut(number) {
            self.as_of += 1;
            lines.iter().for_each(|line| stream.feed(line, arrived));
        }
    }

    /// Takes note of what is wrong with a stream.
    pub(crate) fn complain_of(&mut self, number: usize, what: &str) {
        if let Some(stream) = self.streams.get_mut(number) {
            self.as_of += 1;
            stream.complain_of(what);
        }
    }

    /// The streams.
    pub(crate) fn streams(&self) -> &[DataStream] {
        &self.streams
    }

    /// The table of hypotheses as it is now, and all directives.
    pub(crate) fn lead(&self) -> (Vec<HypothesisRow>, Vec<String>) {
        let hypotheses = self.hypotheses.iter().map(|row| row.1.clone());
        (hypotheses.collect(), self.directives.iter().map(|line| line.1.clone()).collect())
    }

    /// The questions, those of the whole run first.
    pub(crate) fn questions(&self) -> Vec<QuestionRow> {
        newer(self.questions.values(), 0)
    }

    fn measured(&mut self, part: SeriesPart) {
        let SeriesPart { pair, part, width, from, bins } = part;
        let now = self.as_of;
        let parts = &mut self.series.entry(pair).or_insert_with(|| Dated(now, BTreeMap::new())).1;
        parts.entry(part).or_insert_with(|| KnownBins::new(width)).take(width, from, bins);
    }

    /// A pair over time; none where it was never handed over.
    pub(crate) fn known_bins(&self, pair: &Pair) -> Option<Cow<'_, KnownBins>> {
        let Dated(_, parts) = self.series.get(pair)?;
        // What was measured over the whole run says all; the rest was measured while the search asked for it.
        if let Some((_, whole)) = parts.range(SeriesPart::FIRST_WHOLE..).next_back() {
            return Some(Cow::Borrowed(whole));
        }
        let mut all = parts.values();
        let first = all.next().map(Cow::Borrowed)?;
        Some(all.fold(first, |mut one, other| {
            one.to_mut().merge(other.clone());
            one
        }))
    }

    /// What came since a change.
    pub(crate) fn since(&self, before: u64) -> ChangeDocument {
        let report = self.report.as_ref().filter(|report| report.0 > before);
        ChangeDocument {
            as_of: self.as_of,
            progress: self.progress.clone(),
            questions: newer(self.questions.values(), before),
            // The log only grows.
            log: newer(&self.log[self.log.partition_point(|line| line.0 <= before)..], before),
            phases: newer(self.phases.values(), before),
            resources: newer(self.resources.values(), before),
            hypotheses: newer(&self.hypotheses, before),
            directives: newer(&self.directives, before),
            pairs: self.pairs(before),
            report: report.map(|report| report.1.clone()),
            profile: self.profile.version,
            streams: self.streams.iter().map(DataStream::lines).collect(),
            run: self.head.run.clone(),
        }
    }

    /// Pairs that became known over time since a change.
    pub(crate) fn pairs(&self, before: u64) -> Vec<(String, String)> {
        let newer = self.series.iter().filter(|(_, parts)| parts.0 > before);
        newer.map(|(pair, _)| (pair.metric.to_string(), pair.focus.to_string())).collect()
    }
}

fn newer<'a, T: Clone + 'a>(all: impl IntoIterator<Item = &'a Dated<T>>, before: u64) -> Vec<T> {
    all.into_iter().filter(|one| one.0 > before).map(|one| one.1.clone()).collect()
}
