//! Answers a question: the runs it is about, one after the other, and a row for each value.

use serde::Serialize;

use super::condition::Field;
use super::grammar::{Query, QuerySource};
use super::run_answer::{RunAnswer, values_of};
use super::summed_runs::SumAnswers;
use crate::comparison::Operand;
use crate::error::StoreError;
use crate::history::History;
use crate::run::{RunId, Summary};
use crate::selector::Selector;
use crate::store::Store;

/// One value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueryRow {
    /// Of which run.
    pub run: RunId,
    /// Its application.
    pub application: String,
    /// Its experiment.
    pub experiment: String,
    /// What it is in it.
    pub trial: String,
    /// How many processes it had.
    pub ranks: u32,
    /// What was asked for.
    pub metric: &'static str,
    /// Where: one focus, or those of a cluster.
    pub foci: Vec<String>,
    /// How much, in the unit; of a cluster the mean. None where that is not known.
    pub value: Option<f64>,
    /// The unit of the value.
    pub unit: &'static str,
}

/// All values, and the runs of which nothing can be said.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Answers {
    /// The values, run by run, the oldest first.
    pub rows: Vec<QueryRow>,
    /// Runs that were asked for and cannot answer, each with the reason.
    pub without: Vec<(RunId, String)>,
}

impl Store {
    /// The values that a question asks for.
    ///
    /// # Errors
    /// When the store cannot be read, or a run that is named is not there.
    pub fn answers(&self, query: &Query) -> Result<Answers, StoreError> {
        let mut answers = Answers::default();
        let mut met = Vec::new();
        for summary in self.asked_runs(query)? {
            if self.meets(&summary, query)? {
                met.push(summary);
            }
        }
        let mut by_sums = SumAnswers::new(query);
        for runs in met.chunks(SumAnswers::AT_ONCE) {
            let summed = by_sums.read(self, runs)?;
            for summary in runs {
                let told = summed.get(&summary.id).and_then(|run| by_sums.tell(run));
                match told {
                    Some(told) => answers.add(summary, told),
                    None => self.ask(query, summary, &mut answers)?,
                }
            }
        }
        Ok(answers)
    }

    /// Runs by what names them, each once, the oldest first.
    fn asked_runs(&self, query: &Query) -> Result<Vec<Summary>, StoreError> {
        let mut found: Vec<Summary> = Vec::new();
        let is_measured = |summary: &Summary| summary.source.is_none();
        if query.sources.is_empty() {
            found.extend(self.runs(&History::default())?.into_iter().filter(is_measured));
        }
        for source in &query.sources {
            match source {
                QuerySource::Application(name) => {
                    let history = History { application: Some(name.clone()), ..History::default() };
                    found.extend(self.runs(&history)?.into_iter().filter(is_measured));
                }
                QuerySource::Experiment(name) => {
                    for run in self.trials(name)? {
                        found.push(self.summary(&run)?);
                    }
                }
                QuerySource::Run(name) => {
                    let selector = name.parse().unwrap_or_else(|_| Selector::Named(name.clone()));
                    found.push(self.summary(&self.find(&selector)?)?);
                }
            }
        }
        found.sort_by(|one, other| one.started.cmp(&other.started).then(one.id.cmp(&other.id)));
        found.dedup_by(|one, other| one.id == other.id);
        Ok(found)
    }

    fn meets(&self, summary: &Summary, query: &Query) -> Result<bool, StoreError> {
        for condition in &query.conditions {
            let values = self.values(summary, &condition.field)?;
            if !condition.holds(&values) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn values(&self, summary: &Summary, field: &Field) -> Result<Vec<String>, StoreError> {
        let extent = || self.extent(&summary.id);
        Ok(match field {
            Field::Ranks => vec![extent()?.processes.to_string()],
            Field::Threads => vec![extent()?.threads.to_string()],
            Field::Hosts => vec![extent()?.hosts.to_string()],
            Field::Elapsed => vec![summary.elapsed_s.to_string()],
            Field::Started => vec![summary.started.clone()],
            Field::Trial => vec![summary.trial.clone()],
            Field::Experiment => vec![summary.experiment.to_string()],
            Field::Application => vec![summary.application.to_string()],
            Field::Tag => summary.tags.clone(),
            Field::Status => summary.exit_status.iter().map(ToString::to_string).collect(),
            Field::Fact(name) => {
                let facts = self.facts(&summary.id)?.into_iter();
                facts.filter(|fact| fact.name == *name).map(|fact| fact.value).collect()
            }
        })
    }

    /// Adds the values of one run, which is read as a whole.
    fn ask(
        &self,
        query: &Query,
        summary: &Summary,
        answers: &mut Answers,
    ) -> Result<(), StoreError> {
        let run = [summary.id.clone()];
        let mut operand = match Operand::of_runs(self, String::new(), &run, &query.part) {
            Ok(operand) => operand,
            // One of many runs that has no record, or no such phase, does not keep the others from answering.
            Err(
                error @ (StoreError::NoRecord { .. }
                | StoreError::BadRecord { .. }
                | StoreError::NoPart { .. }),
            ) => {
                answers.without.push((summary.id.clone(), error.to_string()));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let focus = query.focus.of(&operand.event());
        let values = focus.map(|focus| values_of(query, &mut operand, &focus));
        let ranks = self.extent(&summary.id)?.processes;
        answers.add(summary, RunAnswer { ranks, values });
        Ok(())
    }
}

impl Answers {
    fn add(&mut self, summary: &Summary, RunAnswer { ranks, values }: RunAnswer) {
        let Some(values) = values else {
            let reason = "it has nothing that the focus names".to_owned();
            self.without.push((summary.id.clone(), reason));
            return;
        };
        for (metric, values) in values {
            self.rows.extend(values.into_iter().map(|(foci, value)| QueryRow {
                run: summary.id.clone(),
                application: summary.application.to_string(),
                experiment: summary.experiment.to_string(),
                trial: summary.trial.clone(),
                ranks,
                metric: metric.name(),
                foci: foci.iter().map(ToString::to_string).collect(),
                value,
                unit: metric.definition().unit.symbol(),
            }));
        }
    }
}
