//! Keeps simulated runs in the store, as runs like any other: `show`, `diagnose` and directives work on them.

use std::path::Path;
use std::time::SystemTime;

use anyhow::Result;
use whyperf_experiments::{Ending, NewRun, Recorder, RunId, SimulatedRun, Topic, TraceFile};
use whyperf_extrapolate::{Machine, SimTime, simulate};

use crate::extrapolation::extrapolated::ExtrapolatedRun;

/// Simulates a run once more, which takes so long, and keeps what its ranks did.
pub(crate) fn keep(
    store: &Path,
    trace: &Path,
    machine: &Machine,
    run: &ExtrapolatedRun,
) -> Result<RunId> {
    let file = TraceFile::open(trace)?;
    let machine = run.setting.applied(machine);
    let mut simulated = SimulatedRun::new(SimTime::nanos(run.elapsed_s * 1e9));
    let outcome = simulate(file.head(), file.all_ranks(), &machine, &mut simulated);
    file.sound()?;
    let progress = simulated.progress(file.head(), &machine, &outcome);
    let setting = |name: &str, value: String| (Topic::Setting, name.to_owned(), value);
    let mut facts = vec![
        setting("simulated on", machine.name.clone()),
        setting("trace", trace.display().to_string()),
    ];
    facts.extend(run.setting.0.iter().map(|(name, value)| setting(name, value.to_string())));
    let command = ["whyperf", "extrapolate"].map(str::to_owned).into_iter();
    let recorder = Recorder::begin(
        store,
        &NewRun {
            application: run.variant.clone(),
            experiment: machine.name.clone(),
            trial: run.setting.to_string(),
            started: SystemTime::now(),
            command: command.chain([trace.display().to_string()]).collect(),
            facts,
            directives: Vec::new(),
        },
    )?;
    let ending = Ending { elapsed: progress.elapsed, exit_status: Some(0) };
    Ok(recorder.finish(&progress, ending)?)
}
