//! Takes a profile of another tool into a run of a store, a few threads at a time.
//!
//! ```text
//!   reader: files ─► a thread ─► a part of the run      a part ahead of      writer: the store, a transaction each
//! ```
//! What is in memory at once is each name, some hundred bytes for each thread, the thread that is read, and the parts: one that is filled, one that
//! waits and one that is written. A larger profile of the same program needs no more.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::error::ExchangeError;
use super::imported_run::ImportedRun;
use super::tau::{TauFolder, TauReader};
use crate::error::StoreError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile};
use crate::import_recorder::ImportRecorder;
use crate::imported_part::ImportedPart;
use crate::numbered_thread::NumberedThread;
use crate::profile_names::ProfileNames;
use crate::recorder::Progress;
use crate::run::RunId;

/// So many parts may wait for the writer.
const WAITING: usize = 1;
/// So many oddities are told; what is odd in each of many threads is mostly the same.
const NOTES: usize = 1000;

/// What is taken in.
#[derive(Debug)]
pub enum ForeignSource {
    /// A profile that was read as a whole.
    Whole(ForeignProfile),
    /// Files of TAU, which are read one after the other.
    Tau(TauFolder),
}

/// What was taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedProfile {
    /// The run that it is now.
    pub run: RunId,
    /// How many threads it has.
    pub threads: u64,
    /// How many callpaths these have.
    pub callpaths: u64,
    /// What was odd about it, and what the store has no room for.
    pub notes: Vec<String>,
}

/// Why nothing was taken in.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It cannot be read.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    /// It cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What the reader tells the writer.
enum Message {
    /// Some threads, and how many threads there were so far.
    Part(Box<ImportedPart>, u64),
    /// The last threads, what holds of all, and what is odd.
    Last(Box<ImportedPart>, Box<Progress>, Vec<String>),
    /// It makes no sense from here on.
    Failed(ExchangeError),
}

/// The writer is gone: there is nothing more to do.
struct Gone;

/// Writes what is read into the run that was begun. `told` hears how many of how many threads are kept. Where something goes wrong there is no run.
///
/// # Errors
/// When it cannot be read, makes no sense, or cannot be kept.
pub fn import_threads(
    source: ForeignSource,
    recorder: ImportRecorder,
    told: impl FnMut(u64, u64),
) -> Result<ImportedProfile, ImportError> {
    let (sender, receiver) = sync_channel(WAITING);
    thread::scope(|scope| {
        let all = match &source {
            ForeignSource::Whole(profile) => profile.threads.len() as u64,
            ForeignSource::Tau(folder) => folder.thread_count() as u64,
        };
        let source = &source;
        scope.spawn(move || read(source, &sender));
        write(recorder, receiver, all, told)
    })
}

/// Reads all threads.
fn read(source: &ForeignSource, sender: &SyncSender<Message>) {
    let done = match source {
        ForeignSource::Whole(profile) => {
            let reading = Reading::new(&profile.metrics, profile.notes.clone(), sender);
            read_whole(profile, reading);
            Ok(())
        }
        ForeignSource::Tau(folder) => {
            read_tau(folder, Reading::new(folder.metrics(), Vec::new(), sender))
        }
    };
    if let Err(error) = done {
        // A writer that is gone has its own error to tell.
        let _ = sender.send(Message::Failed(error));
    }
}

fn read_whole(profile: &ForeignProfile, mut reading: Reading<'_>) {
    let (mut numbered, mut names) = (NumberedThread::default(), ProfileNames::default());
    for thread in &profile.threads {
        numbered.copy(thread, &mut names);
        if let Err(Gone) = reading.add(&numbered, &names) {
            return;
        }
    }
    reading.finish();
}

fn read_tau(folder: &TauFolder, mut reading: Reading<'_>) -> Result<(), ExchangeError> {
    let (mut reader, mut names) = (TauReader::new(folder), ProfileNames::default());
    while let Some(thread) = reader.next(&mut names, &mut reading.notes)? {
        if let Err(Gone) = reading.add(thread, &names) {
            return Ok(());
        }
    }
    reading.finish();
    Ok(())
}

/// What was read, as far as the writer does not have it yet.
struct Reading<'a> {
    run: ImportedRun,
    part: ImportedPart,
    threads: u64,
    notes: Vec<String>,
    /// So many notes are left out.
    left_out: usize,
    sender: &'a SyncSender<Message>,
}

impl<'a> Reading<'a> {
    fn new(metrics: &[ForeignMetric], notes: Vec<String>, sender: &'a SyncSender<Message>) -> Self {
        let (run, part) = (ImportedRun::new(metrics), ImportedPart::default());
        Self { run, part, threads: 0, notes, left_out: 0, sender }
    }

    /// Takes in a thread; what waits is written first if it is enough.
    fn add(&mut self, thread: &NumberedThread, names: &ProfileNames) -> Result<(), Gone> {
        if self.run.fills(&self.part) {
            let mut part = Box::new(std::mem::take(&mut self.part));
            self.run.close(&mut part);
            self.sender.send(Message::Part(part, self.threads)).map_err(|_| Gone)?;
        }
        self.run.add(thread, names, &mut self.part);
        self.threads += 1;
        self.left_out += self.notes.len().saturating_sub(NOTES);
        self.notes.truncate(NOTES);
        Ok(())
    }

    fn finish(mut self) {
        if self.left_out > 0 {
            self.notes.push(format!("{} more of this kind are not told", self.left_out));
        }
        let (mut whole, notes) = self.run.finish(self.notes);
        self.part.foreign = whole.foreign.take().unwrap_or_default();
        let last = Message::Last(Box::new(self.part), Box::new(whole), notes);
        // A writer that is gone has its own error to tell.
        let _ = self.sender.send(last);
    }
}

/// A reader that waits for room goes on, and finds the writer gone, as soon as this is over.
fn write(
    mut recorder: ImportRecorder,
    receiver: Receiver<Message>,
    all: u64,
    told: impl FnMut(u64, u64),
) -> Result<ImportedProfile, ImportError> {
    let done = write_all(&mut recorder, &receiver, all, told);
    if let Err(error) = done {
        // What went wrong first is what is told; nobody sees what cannot be taken out.
        let _ = recorder.discard();
        return Err(error);
    }
    done
}

fn write_all(
    recorder: &mut ImportRecorder,
    receiver: &Receiver<Message>,
    all: u64,
    mut told: impl FnMut(u64, u64),
) -> Result<ImportedProfile, ImportError> {
    let mut callpaths = 0;
    loop {
        match receiver.recv().expect("the reader says how it ended") {
            Message::Part(part, threads) => {
                callpaths += part.rows.len() as u64;
                recorder.add(&part)?;
                told(threads, all);
            }
            Message::Last(part, whole, notes) => {
                callpaths += part.rows.len() as u64;
                let run = recorder.finish(&part, &whole)?;
                return Ok(ImportedProfile { run, threads: whole.counts[1], callpaths, notes });
            }
            Message::Failed(error) => return Err(error.into()),
        }
    }
}
