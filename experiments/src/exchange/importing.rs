//! Takes a profile of another tool into a run of a store, a few threads at a time: so a large one needs no more room than what is kept of it.
//!
//! ```text
//!   reader: files ─► threads ─► callpaths      a few batches ahead of      writer: the store, a transaction each
//! ```

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::error::ExchangeError;
use super::imported_run::ImportedRun;
use super::tau::TauFolder;
use crate::error::StoreError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile, ForeignThread};
use crate::recorder::{Ending, Progress, Recorder};
use crate::run::RunId;

/// So many callpaths are written at once: each time the disk is waited for.
const BATCH: usize = 1 << 16;
/// So many batches may wait for the writer.
const WAITING: usize = 1;

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
    /// Callpaths of some threads, and how many threads there were so far.
    Part(Box<Progress>, u64),
    /// All that is left, and what is odd.
    Last(Box<Progress>, Vec<String>),
    /// It makes no sense from here on.
    Failed(ExchangeError),
}

/// Writes what is read into the run that was begun. `told` hears how many of how many threads are kept. Where something goes wrong the run is
/// taken out of the store again.
///
/// # Errors
/// When it cannot be read, makes no sense, or cannot be kept.
pub fn import_threads(
    source: ForeignSource,
    recorder: Recorder,
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

/// Reads all threads. The writer is gone where it does not take what it is told: then there is nothing more to do.
fn read(source: &ForeignSource, sender: &SyncSender<Message>) {
    let told = match source {
        ForeignSource::Whole(profile) => {
            let threads = profile.threads.iter().map(|thread| Ok((thread, Vec::new())));
            parts(&profile.metrics, threads, profile.notes.clone(), sender)
        }
        ForeignSource::Tau(folder) => parts(folder.metrics(), folder.threads(), Vec::new(), sender),
    };
    if let Err(error) = told {
        let _ = sender.send(Message::Failed(error));
    }
}

fn parts<T: std::borrow::Borrow<ForeignThread>>(
    metrics: &[ForeignMetric],
    threads: impl Iterator<Item = Result<(T, Vec<String>), ExchangeError>>,
    mut notes: Vec<String>,
    sender: &SyncSender<Message>,
) -> Result<(), ExchangeError> {
    let (mut run, mut waiting, mut count) = (ImportedRun::new(metrics), Progress::default(), 0);
    for thread in threads {
        let (thread, odd) = thread?;
        if waiting.profile.len() >= BATCH {
            let part = Message::Part(Box::new(std::mem::take(&mut waiting)), count);
            if sender.send(part).is_err() {
                return Ok(());
            }
        }
        let part = run.add(thread.borrow());
        waiting.profile.extend(part.profile);
        waiting.user_events.extend(part.user_events);
        notes.extend(odd);
        count += 1;
    }
    // The record is kept together with the last callpaths.
    let (mut last, notes) = run.finish(notes);
    (last.profile, last.user_events) = (waiting.profile, waiting.user_events);
    let _ = sender.send(Message::Last(Box::new(last), notes));
    Ok(())
}

/// A reader that waits for room goes on, and finds the writer gone, as soon as this is over.
fn write(
    mut recorder: Recorder,
    receiver: Receiver<Message>,
    all: u64,
    mut told: impl FnMut(u64, u64),
) -> Result<ImportedProfile, ImportError> {
    let mut callpaths = 0;
    loop {
        match receiver.recv().expect("the reader says how it ended") {
            Message::Part(part, threads) => {
                callpaths += part.profile.len() as u64;
                if let Err(error) = recorder.record(&part) {
                    let _ = recorder.discard();
                    return Err(error.into());
                }
                told(threads, all);
            }
            Message::Last(last, notes) => {
                callpaths += last.profile.len() as u64;
                let ending = Ending { elapsed: last.elapsed, exit_status: None };
                let threads = last.counts[1];
                let run = recorder.finish(&last, ending)?;
                return Ok(ImportedProfile { run, threads, callpaths, notes });
            }
            Message::Failed(error) => {
                recorder.discard()?;
                return Err(error.into());
            }
        }
    }
}
