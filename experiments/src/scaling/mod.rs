//! One program with different numbers of processes: how well it scales, what keeps it from that, and what will hurt with more.
//!
//! ```text
//!   runs ──► by process count, of each the mean of its trials ──► speed-up, efficiency, serial fraction        scaled_runs.rs
//!                                                             ──► factors of efficiency                        scaling_factors.rs
//!                                                             ──► for each callpath: seconds a process by p    callpath_times.rs
//!                                                                 ──► a model of its growth, and what it says of more   growth_model.rs
//! ```

mod callpath_times;
mod growth_model;
mod scaled_runs;
mod scaling_factors;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::error::StoreError;
use crate::history::Fact;
use crate::run::RunId;
use crate::store::Store;
use callpath_times::CallpathTimes;
pub use growth_model::{GrowthModel, GrowthTerm, Prediction};
pub use scaled_runs::{ScaledRuns, WorkPerRun};
pub use scaling_factors::ScalingFactors;

/// What is to be predicted, and what stays the same when processes are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalingSettings {
    /// What processes are added for.
    pub work: WorkPerRun,
    /// For how many processes to predict; none: eight times the most that were measured.
    pub at: Option<u32>,
}

/// How a program scales. Serialized, it is what `whyperf scale --json` writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scaling {
    /// `whyperf-scaling`.
    pub format: &'static str,
    /// 1; members are only ever added.
    pub version: u32,
    /// What processes were added for.
    pub work: WorkPerRun,
    /// By process count, the least first: it is what the others are compared with.
    pub points: Vec<ScaledRuns>,
    /// For how many processes the models speak.
    pub at: u32,
    /// How long the run takes.
    pub wall: Option<ModelledTime>,
    /// The callpaths, that one first which will lose most.
    pub callpaths: Vec<ModelledTime>,
    /// What is missing, and why.
    pub notes: Vec<String>,
}

/// A time by process count, and what its model says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelledTime {
    /// Of what: a function, or a call with its caller.
    pub name: String,
    /// Seconds at each process count, in the order of the points; of a callpath for each process.
    pub seconds: Vec<f64>,
    /// The model, in seconds, as text.
    pub model: String,
    /// The coefficients of the model's terms, with the exponent of the process count and of its binary logarithm.
    pub terms: Vec<(f64, f64, i32)>,
    /// The mean relative error of what the model predicts for measurements that it was not fitted to.
    pub error: f64,
    /// Seconds that it says, and the least and the most that models say which fit about as well.
    pub predicted: [f64; 3],
    /// Seconds that it takes more than if it scaled from the largest measured count on as one wishes.
    pub loss: f64,
}

impl Store {
    /// How a program scales, by runs with different numbers of processes.
    ///
    /// # Errors
    /// When the store cannot be read, or the runs have all the same number of processes.
    pub fn scaling(
        &self,
        runs: &[RunId],
        settings: ScalingSettings,
    ) -> Result<Scaling, StoreError> {
        let mut notes = Vec::new();
        let by_count = self.by_process_count(runs, &mut notes)?;
        let counts: Vec<u32> = by_count.keys().copied().collect();
        let (Some(first), Some(last)) = (counts.first(), counts.last()) else {
            return Err(StoreError::OneProcessCount { path: self.shown().to_owned() });
        };
        if first == last {
            return Err(StoreError::OneProcessCount { path: self.shown().to_owned() });
        }
        let mut points: Vec<ScaledRuns> = Vec::new();
        let mut times = CallpathTimes::default();
        for (count, runs) in &by_count {
            points.push(ScaledRuns::read(self, *count, runs, settings.work, points.first())?);
            times.read(self, *count, runs)?;
        }
        let at = settings.at.unwrap_or_else(|| last.saturating_mul(AHEAD));
        if counts.len() < ENOUGH {
            notes.push(format!(
                "models of {} process counts are guesses: {ENOUGH} and more make them sure",
                counts.len()
            ));
        }
        notes.extend(self.crowding(&by_count)?);
        let view = ScalingView { counts: &counts, at, work: settings.work };
        let walls = points.iter().map(|point| point.wall_s).collect();
        let wall = view.modelled("wall".to_owned(), walls);
        let mut callpaths = view.all(&times);
        callpaths.sort_by(|one, other| other.loss.total_cmp(&one.loss));
        if callpaths.is_empty() && counts.len() >= GrowthModel::FEWEST {
            notes.push("no callpath is known of all process counts, so none is modelled".into());
        }
        Ok(Scaling {
            format: "whyperf-scaling",
            version: 1,
            work: settings.work,
            points,
            at,
            wall,
            callpaths,
            notes,
        })
    }

    /// From which process count on there were fewer processors than processes.
    fn crowding(&self, by_count: &BTreeMap<u32, Vec<RunId>>) -> Result<Option<String>, StoreError> {
        for (processes, runs) in by_count {
            for run in runs {
                let facts = self.facts(run)?.into_iter();
                let value = |fact: Fact| fact.value.parse::<u32>().ok();
                let mut known = facts.filter(|one| one.name == "processors").filter_map(value);
                let Some(on_each) = known.next() else { continue };
                let processors = on_each.saturating_mul(self.extent(run)?.hosts.max(1));
                if processors < *processes {
                    return Ok(Some(format!(
                        "{processes} processes had {processors} processors: from there on they take turns, and their times are not those of more processors"
                    )));
                }
            }
        }
        Ok(None)
    }

    /// The runs by process count, without those that say nothing of how long the program takes.
    fn by_process_count(
        &self,
        runs: &[RunId],
        notes: &mut Vec<String>,
    ) -> Result<BTreeMap<u32, Vec<RunId>>, StoreError> {
        let mut by_count: BTreeMap<u32, Vec<RunId>> = BTreeMap::new();
        let mut application = None;
        for run in runs {
            let summary = self.summary(run)?;
            if summary.source.is_some() {
                notes.push(format!("{run} is left out: it is a diagnosis, which measured nothing"));
                continue;
            }
            if !summary.complete {
                notes.push(format!("run {run} is left out: it was not seen to its end"));
                continue;
            }
            if summary.exit_status.is_some_and(|status| status != 0) {
                notes.push(format!("run {run} is left out: its program failed"));
                continue;
            }
            let first = application.get_or_insert_with(|| summary.application.clone());
            if *first != summary.application {
                let other = &summary.application;
                notes.push(format!("they are runs of different programs, {first} and {other}"));
            }
            let processes = self.extent(run)?.processes;
            let of_count = by_count.entry(processes).or_default();
            if processes == 0 {
                notes.push(format!("run {run} is left out: no process of it is known"));
            } else if !of_count.contains(run) {
                of_count.push(run.clone());
            }
        }
        by_count.remove(&0);
        notes.dedup();
        Ok(by_count)
    }
}

/// How many times the most measured processes a prediction is made for, where nothing is said.
const AHEAD: u32 = 8;
/// From so many process counts on a model is told without a caution.
const ENOUGH: usize = 5;
/// What is below this share of the time at the largest count, now and predicted, is not modelled: it is noise.
const SHARE_OF_NOTE: f64 = 0.001;

/// For which counts there are values, and for which one is wanted.
struct ScalingView<'a> {
    counts: &'a [u32],
    at: u32,
    work: WorkPerRun,
}

impl ScalingView<'_> {
    /// Those callpaths that are known of all counts and that matter.
    fn all(&self, times: &CallpathTimes) -> Vec<ModelledTime> {
        let all = times.of_all(self.counts).into_iter();
        let all = all.filter_map(|(name, seconds)| self.modelled(name, seconds));
        let all: Vec<ModelledTime> = all.collect();
        let now: f64 = all.iter().filter_map(|one| one.seconds.last()).sum();
        let then: f64 = all.iter().map(|one| one.predicted[0]).sum();
        let matters = |one: &ModelledTime| {
            one.seconds.last().is_some_and(|seconds| *seconds >= SHARE_OF_NOTE * now)
                || one.predicted[0] >= SHARE_OF_NOTE * then
        };
        all.into_iter().filter(matters).collect()
    }

    fn modelled(&self, name: String, seconds: Vec<f64>) -> Option<ModelledTime> {
        let points: Vec<(u32, f64)> =
            self.counts.iter().copied().zip(seconds.iter().copied()).collect();
        let model = GrowthModel::of(&points)?;
        let Prediction { value, least, most } = model.at(self.at);
        let (largest, measured) = *points.last()?;
        let wished = match self.work {
            WorkPerRun::Same => measured * f64::from(largest) / f64::from(self.at),
            WorkPerRun::Grows => measured,
        };
        Some(ModelledTime {
            name,
            seconds,
            model: model.to_string(),
            terms: model.terms().map(|(by, term)| (by, term.exponent, term.logarithm)).collect(),
            error: model.error(),
            predicted: [value, least, most],
            loss: value - wished,
        })
    }
}
