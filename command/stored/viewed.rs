//! Stored runs as they are shown, each with the hypotheses that it was searched by.

use anyhow::Result;
use whyperf_consultant::Hypotheses;
use whyperf_experiments::{RunId, Store};
use whyperf_viewer::ViewedRun;

/// These runs of a store.
pub(crate) fn all(store: &Store, runs: &[RunId]) -> Result<Vec<ViewedRun>> {
    runs.iter().map(|run| one(store, run)).collect()
}

/// A run of a store.
pub(crate) fn one(store: &Store, run: &RunId) -> Result<ViewedRun> {
    let facts = store.facts(run)?;
    let own = facts.iter().find(|fact| fact.name == "hypotheses");
    let mut table = Hypotheses::built_in();
    // What a later whyperf does not understand of them is shown by name alone.
    if let Some(own) = own
        && table.extend("the run's own hypotheses", &own.value).is_err()
    {
        table = Hypotheses::built_in();
    }
    if let Some(moved) = facts.iter().find(|fact| fact.name == "threshold") {
        set_thresholds(&moved.value, &mut table);
    }
    Ok(ViewedRun::stored(store.place(), run, &table)?)
}

/// Sets what a run was told of thresholds; what a later whyperf does not understand of it is left out.
fn set_thresholds(told: &str, table: &mut Hypotheses) {
    for (name, value) in told.split(',').filter_map(|each| each.split_once('=')) {
        if let Some(id) = table.named(name)
            && let Ok(value) = table.row(id).unit().read(value)
        {
            table.set_threshold(id, value);
        }
    }
}
