//! Writes a run onto a server, and goes on in a local file where that cannot be got at: a network loses no run.
//!
//! What was written so far is kept in memory as long as the run lasts, so that the file has the whole run, under the same id. A file has no
//! such second place, and nothing is kept for it.

use std::path::{Path, PathBuf};

use crate::error::StoreError;
use crate::recorder::{Ending, Progress, Recorder};
use crate::run::{NewRun, RunId};
use crate::store::Store;

/// Writes one run, wherever it can.
#[derive(Debug)]
pub struct SafeRecorder {
    run: NewRun,
    place: PathBuf,
    local: PathBuf,
    /// None before the first is written, and after the last.
    recorder: Option<Recorder>,
    /// What the server was given; none where there is no second place.
    so_far: Option<Box<Progress>>,
    why: Option<StoreError>,
}

/// A run that was written to its end.
#[derive(Debug)]
pub struct WrittenRun {
    /// Which.
    pub run: RunId,
    /// Where.
    pub place: PathBuf,
    /// Why it is not on the server that it was meant for.
    pub why: Option<StoreError>,
}

impl SafeRecorder {
    /// A run of that place, or of this file where the place is a server that cannot be got at. Nothing is written yet.
    #[must_use]
    pub fn new(place: &Path, local: &Path, run: NewRun) -> Self {
        let so_far = Store::is_server(place).then(Box::default);
        let (place, local) = (place.to_owned(), local.to_owned());
        Self { run, place, local, recorder: None, so_far, why: None }
    }

    /// Begins the run, if it has not begun.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub fn begin(&mut self) -> Result<(), StoreError> {
        if self.recorder.is_some() {
            return Ok(());
        }
        self.recorder = Some(match Recorder::begin(&self.place, &self.run) {
            Err(error) if self.so_far.is_some() && error.is_out_of_reach() => {
                self.give_up(error);
                Recorder::begin(&self.place, &self.run)?
            }
            begun => begun?,
        });
        Ok(())
    }

    /// Adds what is new, all or nothing.
    ///
    /// # Errors
    /// See [`StoreError`]; what was written before stays.
    pub fn record(&mut self, progress: &Progress) -> Result<(), StoreError> {
        self.begin()?;
        self.take_in(progress);
        self.record_again(progress)
    }

    /// Adds what could not be added just now: the same, and nothing else.
    ///
    /// # Errors
    /// See [`StoreError`]; what was written before stays.
    pub fn record_again(&mut self, progress: &Progress) -> Result<(), StoreError> {
        self.write(progress, Recorder::record_again)
    }

    /// Adds the last that is new, and calls the run complete.
    ///
    /// # Errors
    /// See [`StoreError`]; the run stays, incomplete.
    pub fn finish(mut self, progress: &Progress, ending: Ending) -> Result<WrittenRun, StoreError> {
        self.begin()?;
        self.take_in(progress);
        self.write(progress, |recorder, progress| recorder.finish_again(progress, ending))?;
        let Self { place, recorder, why, .. } = self;
        let run = recorder.map(|recorder| recorder.id().clone()).unwrap_or_else(RunId::new);
        Ok(WrittenRun { run, place, why })
    }

    fn take_in(&mut self, progress: &Progress) {
        if let Some(recorder) = &mut self.recorder {
            recorder.take_in(progress);
        }
        if let Some(so_far) = &mut self.so_far {
            so_far.follow(progress);
        }
    }

    /// Writes what is new; or, where the server went away, everything into the file.
    fn write(
        &mut self,
        progress: &Progress,
        write: impl Fn(&mut Recorder, &Progress) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let Some(mut recorder) = self.recorder.take() else { return Ok(()) };
        let done = write(&mut recorder, progress);
        match (done, self.so_far.take()) {
            (Err(error), Some(so_far)) if error.is_out_of_reach() => {
                self.give_up(error);
                let mut local = recorder.begin_again(&self.place, &self.run)?;
                let done = write(&mut local, &so_far);
                self.recorder = Some(local);
                done
            }
            (done, so_far) => {
                (self.recorder, self.so_far) = (Some(recorder), so_far);
                done
            }
        }
    }

    /// From now on it is the file.
    fn give_up(&mut self, error: StoreError) {
        self.why = Some(error);
        self.so_far = None;
        self.place.clone_from(&self.local);
    }
}

impl Progress {
    /// Adds what came after this, so that both together are one.
    fn follow(&mut self, next: &Self) {
        let next = next.clone();
        self.elapsed = next.elapsed;
        self.counts = next.counts;
        self.cost = next.cost;
        self.appeared.extend(next.appeared);
        self.retired.extend(next.retired);
        self.verdicts.retain(|old| next.verdicts.iter().all(|new| new.number != old.number));
        self.verdicts.extend(next.verdicts);
        self.edges.extend(next.edges);
        self.searched.extend(next.searched);
        self.steps.extend(next.steps);
        self.objects.extend(next.objects);
        self.facts.extend(next.facts);
        self.histograms.retain(|old| {
            !next.histograms.iter().any(|new| new.part == old.part && new.pair == old.pair)
        });
        self.histograms.extend(next.histograms);
        // They are told in full each time.
        if !next.profile.is_empty() {
            self.profile = next.profile;
            self.user_events = next.user_events;
        }
        self.report = next.report.or_else(|| self.report.take());
        self.foreign = next.foreign.or_else(|| self.foreign.take());
    }
}
