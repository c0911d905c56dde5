//! A run on more processors than there are ranks in any trace, guessed from how runs on fewer grow.
//!
//! Each trace is simulated with a processor for each rank. Computing, communication, barriers, and what ranks that end early leave of the
//! run are quantities of a rank, each with a model of its own; their sum is the time of the run.

use anyhow::{Context as _, Result};
use whyperf_extrapolate::{Edit, Machine, ScalingModel};

use crate::extrapolation::extrapolated::{ExtrapolatedRun, Guess};
use crate::extrapolation::sweep::Setting;
use crate::extrapolation::variants::VariantTrace;

/// Guesses a run from traces by their numbers of ranks.
pub(crate) fn guess(
    traces: &[VariantTrace],
    processors: u32,
    variant: &str,
    machine: &Machine,
    setting: &Setting,
) -> Result<ExtrapolatedRun> {
    let others = setting.others();
    let simulated = |VariantTrace { ranks, path, .. }: &VariantTrace| {
        let mut machine = others.applied(machine);
        machine.processors.count = Some(*ranks);
        let nothing = Setting::default();
        ExtrapolatedRun::simulate(path, variant, &machine, &nothing, &Edit::default())
    };
    let runs = traces.iter().map(simulated).collect::<Result<Vec<_>>>()?;
    let complaints: Vec<String> = runs.iter().flat_map(|run| run.complaints.clone()).collect();
    let fitted = |of: fn(&ExtrapolatedRun) -> f64| {
        let point = |run: &ExtrapolatedRun| {
            let ranks = f64::from(run.ranks);
            (ranks, of(run) / ranks)
        };
        let points: Vec<(f64, f64)> = runs.iter().map(point).collect();
        ScalingModel::fit(&points).context("too few runs to guess from")
    };
    let parts = [
        fitted(|run| run.compute_s)?,
        fitted(|run| run.communication_s)?,
        fitted(|run| run.barrier_s)?,
        fitted(|run| (run.elapsed_s * f64::from(run.ranks) - run.total_s()).max(0.0))?,
    ];
    let count = f64::from(processors);
    let [compute_s, communication_s, barrier_s, ended_s] =
        parts.each_ref().map(|part| part.at(count));
    // Errors of parts are taken as independent.
    let squares = parts.iter().map(|part| part.plus_minus(count).powi(2));
    let plus_minus_s = squares.sum::<f64>().sqrt();
    let last = runs.last().and_then(|run| run.leading.clone());
    Ok(ExtrapolatedRun {
        variant: variant.to_owned(),
        setting: setting.clone(),
        ranks: processors,
        processors,
        elapsed_s: compute_s + communication_s + barrier_s + ended_s,
        compute_s: compute_s * count,
        communication_s: communication_s * count,
        barrier_s: barrier_s * count,
        processor_wait_s: 0.0,
        leading: last,
        guess: Some(Guess { plus_minus_s }),
        is_complete: runs.iter().all(|run| run.is_complete),
        complaints,
    })
}
