//! A stored run as one that is shown.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use whyperf_consultant::Hypotheses;
use whyperf_experiments::{Access, Phase, RunId, Store, StoreError, Summary};
use whyperf_model::MessageTable;

use crate::change::RunChange;
use crate::content::{Content, RunHead};
use crate::document::RunState;
use crate::error::ViewError;
use crate::rows::HypothesisRow;
use crate::stored_series::StoredSeries;
use crate::viewed_run::ViewedRun;

impl ViewedRun {
    /// A run of the store of this file, with the table of hypotheses for what it was searched by.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn stored(path: &Path, run: &RunId, table: &Hypotheses) -> Result<Self, ViewError> {
        let store = Store::open(path, Access::Read)?;
        let summary = store.summary(run)?;
        let (mut head, change) = (head(&store, &summary, table)?, all(&store, &summary)?);
        // A threshold may have been moved while the run went on: its questions know the last one.
        let asked = change.questions.iter().flat_map(|(_, verdicts, _)| verdicts);
        let last: BTreeMap<_, _> = asked.map(|one| (&*one.hypothesis, one.threshold)).collect();
        for row in &mut head.hypotheses {
            row.threshold = last.get(&*row.name).copied().unwrap_or(row.threshold);
        }
        let mut content = Content::new(head, RunState::Over);
        content.apply(change);
        content.is_complete = summary.complete;
        // What is not handed over is read in the store, and so are these: they are named, so that a page can offer them.
        content.offer(store.pairs(run)?);
        Ok(Self::known(content, StoredSeries::new(path, run)))
    }
}

fn head(store: &Store, summary: &Summary, table: &Hypotheses) -> Result<RunHead, ViewError> {
    let run = &summary.id;
    let names = [&*summary.application, &*summary.experiment, &*summary.trial];
    Ok(RunHead {
        run: Some(run.to_string()),
        diagnosis_of: summary.source.as_ref().map(ToString::to_string),
        names: names.map(str::to_owned),
        started: summary.started.clone(),
        command: summary.command.to_vec(),
        tags: summary.tags.clone(),
        facts: store.facts(run)?,
        objects: store.objects(run)?,
        directives: store.directives(run)?,
        hypotheses: HypothesisRow::all(table),
    })
}

/// All that a run was, as one change.
fn all(store: &Store, summary: &Summary) -> Result<RunChange, ViewError> {
    let run = &summary.id;
    let phases = store.phases(run)?;
    let mut questions = vec![(0, store.verdicts(run)?, store.edges(run)?)];
    for Phase { number, .. } in &phases {
        questions.push((*number, store.verdicts_in(run, *number)?, store.edges_in(run, *number)?));
    }
    let report = store.report(run)?.map(|report| serde_json::from_str(&report.json));
    let bad = |reason| ViewError::BadReport { run: run.to_string(), reason };
    let elapsed = Duration::try_from_secs_f64(summary.elapsed_s).unwrap_or_default();
    Ok(RunChange {
        exit_status: summary.exit_status,
        questions,
        steps: store.steps(run)?,
        phases,
        resources: store.resources(run)?,
        report: report.transpose().map_err(bad)?,
        profile: Some((store.profile(run)?, messages(store, run)?)),
        ..RunChange::new(RunState::Over, elapsed)
    })
}

/// Messages that cannot be read do not keep the rest of the run from being shown.
fn messages(store: &Store, run: &RunId) -> Result<Option<MessageTable>, StoreError> {
    match store.messages(run) {
        Ok(series) => Ok(series.map(|series| series.whole())),
        Err(StoreError::BadMessages { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
