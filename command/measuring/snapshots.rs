//! Snapshots of the profile while a run goes on: what callpaths, counters and gauges came to by then, each kept as a run of its own.
//!
//! ```text
//!   run         ocean            / scaling             / 4 ranks
//!   snapshots   ocean snapshots  / scaling, 4 ranks    / 10.0 s, 20.0 s, ...
//! ```
//! They are another application, so that whoever learns from runs, or asks about all of them, does not take parts of a run for runs. One thread writes each, and none is taken
//! while the one before is still being written.

use std::path::PathBuf;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use whyperf_daemon::{Daemon, View};
use whyperf_experiments::{Ending, NewRun, Progress, Recorder, StoreError};

use crate::measuring::recording::{metadata_facts, profile_row};

/// The snapshots of a run.
#[derive(Debug)]
pub(crate) struct Snapshots {
    store: PathBuf,
    /// The run that they are of.
    run: NewRun,
    begin: Instant,
    every: Duration,
    next: Option<Instant>,
    writer: Option<JoinHandle<Result<(), StoreError>>>,
    kept: u32,
    /// Those that could not be written, and why the last one could not.
    lost: u32,
    why: Option<String>,
    /// Those that were due while another one was still being written.
    late: u32,
}

/// A run of months must not fill a disk.
const MOST: u32 = 10_000;

impl Snapshots {
    /// Of a run that begins, one each such time.
    pub(crate) fn of(store: PathBuf, run: &NewRun, every: Duration) -> Self {
        let begin = Instant::now();
        Self {
            store,
            run: run.clone(),
            begin,
            every,
            next: begin.checked_add(every),
            writer: None,
            kept: 0,
            lost: 0,
            why: None,
            late: 0,
        }
    }

    /// Takes one if it is time.
    pub(crate) fn take_if_due(&mut self, daemon: &Daemon) {
        let now = Instant::now();
        if self.next.is_none_or(|next| now < next) {
            return;
        }
        // What came too late is not made up for.
        self.next = now.checked_add(self.every);
        if self.writer.as_ref().is_some_and(|writer| !writer.is_finished()) {
            self.late += 1;
            return;
        }
        self.settle();
        if self.kept + self.lost >= MOST {
            self.next = None;
            return;
        }
        let elapsed = now - self.begin;
        let (store, run, progress) =
            (self.store.clone(), self.named(elapsed), taken(daemon, elapsed));
        let write = move || {
            let recorder = Recorder::begin(&store, &run)?;
            recorder.finish(&progress, Ending { elapsed, exit_status: None }).map(|_| ())
        };
        match thread::Builder::new().name("whyperf-shot".into()).spawn(write) {
            Ok(writer) => self.writer = Some(writer),
            Err(error) => self.lose(error.to_string()),
        }
    }

    /// Waits for the last one; what is to be told of them.
    pub(crate) fn finish(mut self) -> Vec<String> {
        self.settle();
        let Self { run, kept, lost, late, why, .. } = &self;
        let (application, experiment, _) = names(run, Duration::ZERO);
        let mut told = vec![match kept {
            0 => "No snapshot of the profile was kept: the run was too short for one.".to_owned(),
            kept => format!(
                "Snapshots of the profile that are kept: {kept}, as trials of experiment '{experiment}' of application '{application}'."
            ),
        }];
        if *kept == 0 && *lost > 0 {
            told.clear();
        }
        told.extend(
            why.as_ref().map(|why| format!("Snapshots that could not be kept: {lost}; {why}.")),
        );
        if *late > 0 {
            told.push(format!(
                "Snapshots that were left out, for the one before was not written yet: {late}."
            ));
        }
        told
    }

    fn named(&self, elapsed: Duration) -> NewRun {
        let (application, experiment, trial) = names(&self.run, elapsed);
        // The run itself stays the latest one.
        let started = self.run.started.checked_sub(Duration::from_nanos(1));
        let started = started.unwrap_or(self.run.started);
        NewRun { application, experiment, trial, started, ..self.run.clone() }
    }

    fn settle(&mut self) {
        let Some(writer) = self.writer.take() else { return };
        match writer.join() {
            Ok(Ok(())) => self.kept += 1,
            Ok(Err(error)) => self.lose(error.to_string()),
            Err(_) => self.lose("writing one failed".to_owned()),
        }
    }

    fn lose(&mut self, why: String) {
        self.lost += 1;
        self.why = Some(why);
    }
}

/// Application, experiment and trial of a snapshot.
fn names(run: &NewRun, elapsed: Duration) -> (String, String, String) {
    (
        format!("{} snapshots", run.application),
        format!("{}, {}", run.experiment, run.trial),
        format!("{:.1} s", elapsed.as_secs_f64()),
    )
}

fn taken(daemon: &Daemon, elapsed: Duration) -> Progress {
    let (counts, cost) = (daemon.counts(), daemon.cost());
    Progress {
        elapsed,
        counts: [counts.processes, counts.threads, counts.hosts].map(|count| count as u64),
        cost: [cost.mean, cost.max],
        profile: daemon.profile(View::Full).into_iter().map(profile_row).collect(),
        user_events: daemon.user_events(),
        facts: metadata_facts(counts.processes, &daemon.program_metadata()),
        ..Progress::default()
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn run() -> NewRun {
        NewRun {
            application: "ocean".into(),
            experiment: "scaling".into(),
            trial: "4 ranks".into(),
            started: SystemTime::UNIX_EPOCH + Duration::from_secs(9),
            command: Vec::new(),
            facts: Vec::new(),
            directives: Vec::new(),
        }
    }

    #[test]
    fn a_snapshot_is_a_trial_of_its_own_and_no_later_than_its_run() {
        let snapshots = Snapshots::of("s.db".into(), &run(), Duration::from_secs(10));
        let named = snapshots.named(Duration::from_millis(10_040));
        assert_eq!(
            [named.application.as_str(), &named.experiment, &named.trial],
            ["ocean snapshots", "scaling, 4 ranks", "10.0 s"]
        );
        assert!(named.started < run().started);
    }

    #[test]
    fn what_became_of_them_is_told() {
        let told = |kept, lost, why: Option<&str>, late| {
            let all = Snapshots::of("s.db".into(), &run(), Duration::from_secs(10));
            Snapshots { kept, lost, why: why.map(str::to_owned), late, ..all }.finish()
        };
        assert!(told(0, 0, None, 0)[0].contains("too short"));
        assert!(told(3, 0, None, 0)[0].starts_with("Snapshots of the profile that are kept: 3,"));
        assert_eq!(
            told(0, 2, Some("no space"), 0),
            ["Snapshots that could not be kept: 2; no space."]
        );
        assert_eq!(told(1, 0, None, 4).len(), 2);
    }
}
