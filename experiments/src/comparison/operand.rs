//! An operand of a comparison: the trials of an experiment, one run, a part of one, or results that somebody stated.

use serde::Serialize;
use whyperf_consultant::NameMaps;
use whyperf_model::{Focus, Interval, Metric, Nanos, Resource, Time};

use crate::error::StoreError;
use crate::program_event::{
    PerformanceResults, ProgramEvent, SampledAmount, StatedResults, Trials,
};
use crate::run::{Phase, RunId, StoredVerdict};
use crate::run_results::RunResults;
use crate::store::Store;

/// Which part of a run an operand speaks of.
#[derive(Clone, Debug, PartialEq)]
pub enum RunPart {
    /// All of it.
    Whole,
    /// The phase of this number, or of this name.
    Phase(String),
    /// From one share of the run to another, 0 being its beginning and 1 its end.
    Shares(f64, f64),
    /// From one time to another.
    Times(Nanos, Nanos),
}

/// What is compared.
#[derive(Debug)]
pub struct Operand {
    name: String,
    source: OperandSource,
}

#[derive(Debug)]
enum OperandSource {
    Runs(Vec<OneTrial>),
    Stated(StatedResults),
}

/// One run of an operand.
#[derive(Debug)]
struct OneTrial {
    run: RunId,
    application: String,
    complete: bool,
    /// Seconds that the part of the run took that is compared.
    elapsed: f64,
    results: RunResults,
    verdicts: Vec<StoredVerdict>,
    phases: Vec<Phase>,
}

/// An operand, as a comparison names it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedRun {
    /// As the user named it.
    pub name: String,
    /// Its identifier in labels: 1, 2.
    pub label: u64,
    /// The runs that it is made of; none of stated results.
    pub runs: Vec<RunId>,
    /// How many trials that is.
    pub trials: usize,
}

impl Operand {
    /// Results that somebody stated.
    #[must_use]
    pub const fn stated(name: String, results: StatedResults) -> Self {
        Self { name, source: OperandSource::Stated(results) }
    }

    /// Runs of a store, as trials of the same; of each the same part.
    ///
    /// # Errors
    /// When the store cannot be read, or a run lacks what is compared.
    pub fn of_runs(
        store: &Store,
        name: String,
        runs: &[RunId],
        part: &RunPart,
    ) -> Result<Self, StoreError> {
        let trials = runs.iter().map(|run| OneTrial::read(store, run, part));
        Ok(Self { name, source: OperandSource::Runs(trials.collect::<Result<_, _>>()?) })
    }

    /// As the user named it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many trials it is made of.
    #[must_use]
    pub fn trials(&self) -> usize {
        match &self.source {
            OperandSource::Runs(trials) => trials.len(),
            OperandSource::Stated(results) => results.trials(),
        }
    }

    fn runs(&self) -> &[OneTrial] {
        match &self.source {
            OperandSource::Runs(trials) => trials,
            OperandSource::Stated(_) => &[],
        }
    }

    /// What its runs were made of, with the functions that only samples tell of.
    #[must_use]
    pub fn event(&self) -> ProgramEvent {
        match &self.source {
            OperandSource::Stated(results) => results.event(),
            OperandSource::Runs(trials) => {
                let results = trials.iter().map(|trial| &trial.results);
                let all =
                    results.flat_map(|one| one.event().resources().chain(one.sampled_functions()));
                ProgramEvent::new(all.cloned())
            }
        }
    }

    /// What more than half of its runs had: what one of many happened to see is no difference in structure.
    #[must_use]
    pub fn usual_event(&self) -> ProgramEvent {
        let all = self.event();
        let had = |resource: &Resource| {
            let runs = self.runs();
            let those = runs.iter().filter(|run| run.results.event().contains(resource)).count();
            those * 2 > runs.len() || runs.is_empty()
        };
        ProgramEvent::new(all.resources().filter(|resource| had(resource)).cloned())
    }

    /// The same in the names of another operand.
    #[must_use]
    pub fn renamed(mut self, maps: &NameMaps) -> Self {
        if let OperandSource::Runs(trials) = &mut self.source {
            trials.iter_mut().for_each(|trial| trial.rename(maps));
        }
        self
    }

    /// How long each trial took, in seconds.
    pub(super) fn walls(&self) -> Option<Trials> {
        let walls: Trials = self.runs().iter().map(|trial| trial.elapsed).collect();
        (!walls.values().is_empty()).then_some(walls)
    }

    pub(super) fn described(&self, label: u64) -> ComparedRun {
        let runs = self.runs().iter().map(|trial| trial.run.clone()).collect();
        ComparedRun { name: self.name.clone(), label, runs, trials: self.trials() }
    }

    /// The answers of each trial's search.
    pub(super) fn verdicts(&self) -> impl Iterator<Item = &[StoredVerdict]> {
        self.runs().iter().map(|trial| trial.verdicts.as_slice())
    }

    /// The names of phases that every trial has, in their order.
    pub(super) fn common_phases(&self) -> Vec<String> {
        let Some((first, others)) = self.runs().split_first() else { return Vec::new() };
        let has = |trial: &OneTrial, name: &str| trial.phases.iter().any(|one| one.name == name);
        let names = first.phases.iter().map(|phase| phase.name.clone());
        names.filter(|name| others.iter().all(|trial| has(trial, name))).collect()
    }

    /// What each of these metrics came to over the whole program in a part of each trial.
    pub(super) fn in_part(&mut self, metrics: &[Metric], part: &RunPart) -> Vec<Trials> {
        let OperandSource::Runs(trials) = &mut self.source else {
            return vec![Trials::default(); metrics.len()];
        };
        let amounts = |trial: &mut OneTrial| {
            let interval = trial.interval(part)?;
            Some(trial.results.whole_program_within(metrics, interval))
        };
        let by_trial: Vec<Vec<Option<f64>>> = trials.iter_mut().filter_map(amounts).collect();
        let of = |position: usize| by_trial.iter().filter_map(|trial| trial[position]).collect();
        (0..metrics.len()).map(of).collect()
    }

    /// Seconds that a part of each trial took.
    pub(super) fn seconds_of(&self, part: &RunPart) -> Trials {
        let of = |trial: &OneTrial| Some(trial.interval(part)?.length().as_secs_f64());
        self.runs().iter().filter_map(of).collect()
    }
}

impl Operand {
    /// What each trial answers.
    fn of_trials<T>(
        &mut self,
        ask: impl Fn(&mut dyn PerformanceResults) -> Vec<Option<T>>,
    ) -> Vec<Option<T>> {
        match &mut self.source {
            OperandSource::Stated(results) => ask(results),
            OperandSource::Runs(trials) => {
                trials.iter_mut().flat_map(|trial| ask(&mut trial.results)).collect()
            }
        }
    }
}

impl PerformanceResults for Operand {
    fn by_trial(&mut self, metric: Metric, focus: &Focus) -> Vec<Option<f64>> {
        self.of_trials(|results| results.by_trial(metric, focus))
    }

    fn sampled_by_trial(&mut self, metric: Metric, focus: &Focus) -> Vec<Option<SampledAmount>> {
        self.of_trials(|results| results.sampled_by_trial(metric, focus))
    }
}

impl OneTrial {
    fn read(store: &Store, run: &RunId, part: &RunPart) -> Result<Self, StoreError> {
        let summary = store.summary(run)?;
        let mut trial = Self {
            run: run.clone(),
            application: summary.application.to_string(),
            complete: summary.complete,
            elapsed: summary.elapsed_s,
            results: store.run_results(run)?,
            verdicts: store.verdicts(run)?,
            phases: store.phases(run)?,
        };
        let by_order = trial.results.processes_by_order();
        if !by_order.is_empty() {
            trial.rename(&by_order);
        }
        if *part == RunPart::Whole {
            return Ok(trial);
        }
        let no_part = || StoreError::NoPart { run: run.clone() };
        let interval = trial.interval(part).ok_or_else(no_part)?;
        if let RunPart::Phase(name) = part {
            let phase = trial.phases.iter().find(|phase| phase.is_called(name));
            trial.verdicts =
                phase.map_or(Ok(Vec::new()), |phase| store.verdicts_in(run, phase.number))?;
        }
        trial.elapsed = interval.length().as_secs_f64();
        trial.results = trial.results.within(interval);
        Ok(trial)
    }

    fn rename(&mut self, maps: &NameMaps) {
        self.results.rename(maps);
        for verdict in &mut self.verdicts {
            if let Ok(focus) = verdict.focus.parse::<Focus>() {
                verdict.focus = maps.focus(&focus).to_string();
            }
        }
    }

    /// When in the run a part was; none where it has no such, or it has no length.
    fn interval(&self, part: &RunPart) -> Option<Interval> {
        let all = self.results.length();
        let at = |share: f64| Time(all.start.0 + all.length().scaled(share.clamp(0.0, 1.0)));
        let interval = match part {
            RunPart::Whole => all,
            RunPart::Phase(name) => {
                let phase = self.phases.iter().find(|phase| phase.is_called(name))?;
                Interval::new(phase.began, phase.ended)
            }
            RunPart::Shares(from, to) => Interval::new(at(*from), at(*to)),
            RunPart::Times(from, to) => Interval::new(Time(*from), Time(*to)),
        };
        let known = interval.intersect(all);
        (!known.is_empty()).then_some(known)
    }
}

/// What makes the comparison less than it might be.
pub(super) fn notes(a: &Operand, b: &Operand) -> Vec<String> {
    let mut notes = Vec::new();
    for operand in [a, b] {
        for trial in operand.runs().iter().filter(|trial| !trial.complete) {
            notes.push(format!("run {} of {} was not seen to its end", trial.run, operand.name));
        }
    }
    let application = |operand: &Operand| Some(operand.runs().first()?.application.clone());
    if let (Some(of_a), Some(of_b)) = (application(a), application(b))
        && of_a != of_b
    {
        notes.push(format!("they are runs of different programs, {of_a} and {of_b}"));
    }
    if a.trials() < 2 || b.trials() < 2 {
        notes.push(
            "with one trial on a side nothing is known of chance: two on each tell the spread"
                .into(),
        );
    }
    notes
}
