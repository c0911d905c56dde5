//! Writes a run into the store while it goes on, on a thread of its own: a slow disk delays neither samples nor program.
//!
//! ```text
//!   watch ── what is new, every 2 s; histograms and profile less often ──► channel of one ──► recorder ──► store
//! ```
//! While the recorder is busy, what is new waits here and goes with the next. A run that ends within the first interval
//! is written at its end, so that a short program never sees the store appear beside its files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, SyncSender, TrySendError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use whyperf_consultant::{Searches, Step};
use whyperf_daemon::{Daemon, Live, PairId, ProcessMetadata, SamplingPass, View};
use whyperf_experiments::{
    Access, Ending, Measurement, NewRun, Progress, RunId, SafeRecorder, StepRow, Store, StoreError,
    StoredProfileRow, Topic, WrittenRun,
};
use whyperf_model::Time;

use crate::measuring::mapped_files::{self, MappedFiles};
use crate::measuring::real_time::RealTime;
use crate::measuring::told_questions::ToldQuestions;
use crate::output::report::{Report, ReportedMetadata};

/// A run being written.
#[derive(Debug)]
pub(crate) struct StoreWriter {
    store: PathBuf,
    sender: SyncSender<RecordingMessage>,
    writer: JoinHandle<Result<Option<WrittenRun>, StoreError>>,
    /// The run ends: a store that is not free is no longer waited for.
    is_ending: Arc<AtomicBool>,
    /// What is new and was not handed over yet.
    news: Progress,
    told: ToldQuestions,
    mapped: MappedFiles,
    /// Objects that were not handed over yet.
    found: Vec<PathBuf>,
    /// What measuring costs over time: no record tells of it.
    cost: Option<PairId>,
    /// Of the profile in the text of the report.
    rows: usize,
    /// As the store may know it: without secrets.
    command: Vec<String>,
    begin: Instant,
    next: Instant,
    next_bulk: Instant,
}

/// A run that was kept to its end.
#[derive(Debug)]
pub(crate) struct KeptRun {
    pub(crate) store: PathBuf,
    pub(crate) run: RunId,
    /// As the store may know it, and so many rows of the profile in the text of its report.
    command: Vec<String>,
    rows: usize,
    /// Why it is not where it was meant to be, and what to do about it.
    pub(crate) elsewhere: Option<String>,
}

impl KeptRun {
    /// Puts this report in the place of the one that was kept, which could not know what keeping it took.
    pub(crate) fn amend(&self, report: &Report) -> Result<(), StoreError> {
        let report = Report { command: self.command.clone(), run: None, ..report.clone() };
        let mut store = Store::open(&self.store, Access::Change)?;
        store.replace_report(&self.run, &report.stored(self.rows))
    }
}

/// What the writer is given.
#[derive(Debug)]
enum RecordingMessage {
    Progress(Box<Progress>, Vec<PathBuf>),
    Ending(Box<Progress>, Vec<PathBuf>, Ending),
}

/// Where a run goes on when the server that it was meant for cannot be reached.
const LOCAL_STORE: &str = "whyperf.db";

/// Between two writes of what is small.
const INTERVAL: Duration = Duration::from_secs(2);
/// Between two writes of histograms and profile: this part of the run's time so far, within bounds.
const BULK_PART: u32 = 20;
const BULK_BOUNDS: [Duration; 2] = [Duration::from_secs(4), Duration::from_secs(30)];

/// The measurement of what measuring costs; those of the search are numbered from 0.
const COST_PART: u32 = u32::MAX;

impl StoreWriter {
    /// Begins; nothing is written yet. The report will have so many rows of the profile in its text.
    pub(crate) fn begin(store: PathBuf, run: NewRun, rows: usize) -> std::io::Result<Self> {
        let (sender, entries) = mpsc::sync_channel(1);
        let recorder = SafeRecorder::new(&store, Path::new(LOCAL_STORE), run.clone());
        let is_ending = Arc::<AtomicBool>::default();
        let seen = Arc::clone(&is_ending);
        let command = run.command;
        let write = move || write(recorder, &entries, &seen);
        let writer = thread::Builder::new().name("whyperf-store".into()).spawn(write)?;
        let begin = Instant::now();
        let (news, told) = (Progress::default(), ToldQuestions::default());
        let mapped = MappedFiles::default();
        let next_bulk = begin + BULK_BOUNDS[0];
        Ok(Self {
            store,
            sender,
            writer,
            is_ending,
            news,
            told,
            mapped,
            found: Vec::new(),
            cost: None,
            rows,
            command,
            begin,
            next: begin + INTERVAL,
            next_bulk,
        })
    }

    /// Writes what measuring costs, too, which this pair measures.
    pub(crate) const fn keep_cost(&mut self, cost: PairId) {
        self.cost = Some(cost);
    }

    /// Takes note of what a sampling pass brought.
    pub(crate) fn note(&mut self, pass: &mut SamplingPass) {
        let end = pass.interval.end;
        self.news.interval_records.extend(pass.interval_record.take());
        pass.started.iter().for_each(|process| self.mapped.meet(process));
        self.news.appeared.extend(pass.appeared.iter().map(|new| (new.clone(), end)));
        self.news.retired.extend(pass.retired.iter().map(|gone| (gone.clone(), end)));
    }

    /// Takes note of a step of the search.
    pub(crate) fn step(&mut self, step: &Step) {
        self.news.steps.push(StepRow { time: step.time, text: step.happening.to_string() });
    }

    /// Takes note of something that is no step of the search.
    pub(crate) fn note_moment(&mut self, time: Time, what: &str) {
        self.news.steps.push(StepRow { time, text: what.to_owned() });
    }

    /// A phase began.
    pub(crate) fn note_phase(&mut self, time: Time, name: &str) {
        self.news.phases.push((time, name.to_owned()));
    }

    /// Whether what is large is written with the next that is handed over, and the report with it.
    pub(crate) fn wants_report(&self) -> bool {
        self.news.report.is_none() && self.next_bulk <= self.next
    }

    /// The report of the run as far as it is known.
    pub(crate) fn note_report(&mut self, report: &Report) {
        let command = self.command.clone();
        self.news.report = Some(Report { command, ..report.clone() }.stored(self.rows));
    }

    /// Hands over what is new, if it is time.
    pub(crate) fn write_if_due(&mut self, searches: &Searches, live: &mut Live<Daemon, RealTime>) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + INTERVAL;
        self.take_small(live.daemon(), searches);
        if now >= self.next_bulk {
            let [least, most] = BULK_BOUNDS;
            self.next_bulk = now + (self.begin.elapsed() / BULK_PART).clamp(least, most);
            self.take_bulk(live);
        }
        self.found.extend(self.mapped.take());
        let news = Box::new(std::mem::take(&mut self.news));
        let found = std::mem::take(&mut self.found);
        // Still busy with the last: it goes with the next. A writer that has given up says why at the end.
        if let Err(TrySendError::Full(RecordingMessage::Progress(news, found))) =
            self.sender.try_send(RecordingMessage::Progress(news, found))
        {
            (self.news, self.found) = (*news, found);
        }
    }

    /// Writes all that is left; what was kept, or why nothing could be.
    pub(crate) fn finish(
        mut self,
        searches: &Searches,
        live: &mut Live<Daemon, RealTime>,
        report: &Report,
    ) -> Result<KeptRun> {
        self.take_small(live.daemon(), searches);
        self.take_bulk(live);
        let daemon = live.daemon();
        // Those that were announced are in the store with their time already.
        self.news.appeared.extend(daemon.resources().map(|one| (one.clone(), daemon.now())));
        let ending = Ending { elapsed: self.begin.elapsed(), exit_status: report.exit_status };
        self.found.extend(self.mapped.take());
        self.note_report(report);
        self.news.facts = metadata_facts(report.processes, &live.daemon().program_metadata());
        let groups = live.daemon().region_groups().into_iter();
        self.news.facts.extend(groups.map(|(name, group)| (Topic::Group, name, group)));
        self.is_ending.store(true, Ordering::Relaxed);
        self.writer.thread().unpark();
        let _ = self.sender.send(RecordingMessage::Ending(Box::new(self.news), self.found, ending));
        drop(self.sender);
        let written = self.writer.join().map_err(|_| anyhow!("the writer failed"))??;
        let server = Store::shown_place(&self.store);
        let server = server.display();
        let WrittenRun { run, place, why } =
            written.ok_or_else(|| anyhow!("{server} was not written to its end"))?;
        let elsewhere = why.map(|why| {
            let local = place.display();
            format!("{why}; the run is kept in {local}: `whyperf store copy {local} {server}` copies it when the server can be reached")
        });
        Ok(KeptRun { store: place, run, command: self.command, rows: self.rows, elsewhere })
    }

    fn take_small(&mut self, daemon: &Daemon, searches: &Searches) {
        let counts = daemon.counts();
        let cost = daemon.cost();
        self.news.elapsed = self.begin.elapsed();
        self.news.counts =
            [counts.processes, counts.threads, counts.hosts].map(|count| count as u64);
        self.news.cost = [cost.mean, cost.max];
        let (whole, phases) = self.told.changes(searches);
        self.news.verdicts.extend(whole.verdicts);
        self.news.edges.extend(whole.edges);
        let phases = phases.into_iter().map(|(phase, asked)| (phase, asked.verdicts, asked.edges));
        self.news.searched.extend(phases);
    }

    fn take_bulk(&mut self, live: &mut Live<Daemon, RealTime>) {
        let taken = live.histograms().into_iter();
        let taken = taken.map(|(id, pair, histogram)| Measurement { pair, part: id.0, histogram });
        let mut taken: Vec<Measurement> = taken.collect();
        let daemon = live.daemon();
        taken.extend(self.cost.and_then(|pair| {
            let (named, histogram) = (daemon.pair(pair)?.clone(), daemon.histogram(pair)?.clone());
            Some(Measurement { pair: named, part: COST_PART, histogram })
        }));
        // Those that still wait here are older.
        let newer: BTreeSet<u32> = taken.iter().map(|one| one.part).collect();
        self.news.histograms.retain(|old| !newer.contains(&old.part));
        self.news.histograms.extend(taken);
        self.news.profile = daemon.profile(View::Full).into_iter().map(profile_row).collect();
        self.news.user_events = daemon.user_events();
        self.news.lines = daemon.lines();
        self.news.codes_of_excess = daemon.codes_of_excess();
    }
}

fn write(
    mut recorder: SafeRecorder,
    entries: &mpsc::Receiver<RecordingMessage>,
    is_ending: &AtomicBool,
) -> Result<Option<WrittenRun>, StoreError> {
    for entry in entries {
        patient(is_ending, |_| recorder.begin())?;
        match entry {
            RecordingMessage::Progress(news, found) => {
                let news = described(*news, &found);
                patient(is_ending, |is_first| {
                    if is_first { recorder.record(&news) } else { recorder.record_again(&news) }
                })?;
            }
            RecordingMessage::Ending(news, found, ending) => {
                return recorder.finish(&described(*news, &found), ending).map(Some);
            }
        }
    }
    Ok(None)
}

/// Tries again while the run goes on, where another process has the store or the disk is full: neither stays so for ever.
fn patient<T>(
    is_ending: &AtomicBool,
    mut attempt: impl FnMut(bool) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let mut done = attempt(true);
    while let Err(StoreError::Busy { .. } | StoreError::Full { .. }) = done {
        if is_ending.load(Ordering::Relaxed) {
            break;
        }
        thread::park_timeout(INTERVAL);
        done = attempt(false);
    }
    done
}

/// The progress with the facts of the object files that were found. They are read here because no other thread waits for this one.
fn described(news: Progress, found: &[PathBuf]) -> Progress {
    let (objects, mut facts) = mapped_files::described(found);
    facts.extend_from_slice(&news.facts);
    Progress { objects, facts, ..news }
}

/// What processes say of themselves, as facts: of the run where all of so many say the same, else of each process.
pub(crate) fn metadata_facts(
    processes: usize,
    said: &[ProcessMetadata],
) -> Vec<(Topic, String, String)> {
    let mut facts = Vec::new();
    for ReportedMetadata { key, value, processes: by } in ReportedMetadata::all(said) {
        if by.len() == processes {
            facts.push((Topic::Metadata, key, value));
            continue;
        }
        let of = |process| (Topic::MetadataOf(process), key.clone(), value.clone());
        facts.extend(by.into_iter().map(of));
    }
    facts
}

/// A row of the profile as the store keeps it.
pub(crate) fn profile_row(row: whyperf_daemon::ProfileRow) -> StoredProfileRow {
    StoredProfileRow {
        process: row.process,
        thread: row.thread,
        path: row.path,
        calls: row.calls,
        inclusive: row.inclusive,
        exclusive: row.exclusive,
        sent: row.bytes,
        received: row.received,
        source: row.source,
        coverage: Some(row.coverage),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn busy<T>() -> Result<T, StoreError> {
        Err(StoreError::Busy { path: "whyperf.db".into() })
    }

    #[test]
    fn a_store_that_is_busy_is_tried_again_until_the_end() {
        let is_ending = AtomicBool::new(false);
        let mut tries = Vec::new();
        let done = patient(&is_ending, |is_first| {
            tries.push(is_first);
            // So that the next attempt does not wait.
            thread::current().unpark();
            if tries.len() < 3 { busy() } else { Ok(tries.len()) }
        });
        assert_eq!(done.ok(), Some(3));
        assert_eq!(tries, [true, false, false]);
        is_ending.store(true, Ordering::Relaxed);
        let mut tries = 0;
        let done = patient(&is_ending, |_| {
            tries += 1;
            busy::<()>()
        });
        assert!(matches!(done, Err(StoreError::Busy { .. })) && tries == 1);
    }
}
