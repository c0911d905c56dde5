//! Reads the files of a folder, thread by thread: files of several metrics come together, and what a name is called is looked at once.

use std::collections::btree_map;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::file::{self, TauFile, TimerLine};
use super::folder::{Place, TauFolder};
use crate::exchange::error::ExchangeError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile};
use crate::numbered_thread::{NumberedThread, NumberedTimer};
use crate::profile_names::ProfileNames;

/// Reads the threads of a folder. All that it needs room for is one of them.
pub(crate) struct TauReader<'a> {
    metrics: &'a [ForeignMetric],
    threads: btree_map::Iter<'a, Place, Vec<(usize, PathBuf)>>,
    thread: NumberedThread,
    places: TimerPlaces,
    bytes: Vec<u8>,
}

/// The whole of a folder. `told` hears how many of how many threads are read.
///
/// # Errors
/// When a file cannot be read or makes no sense, or there is none.
pub fn tau_files(
    folder: &Path,
    mut told: impl FnMut(usize, usize),
) -> Result<ForeignProfile, ExchangeError> {
    let folder = TauFolder::open(folder)?;
    let mut profile =
        ForeignProfile { metrics: folder.metrics().to_vec(), ..ForeignProfile::default() };
    let (mut reader, mut names) = (TauReader::new(&folder), ProfileNames::default());
    while let Some(thread) = reader.next(&mut names, &mut profile.notes)? {
        profile.threads.extend(thread.named(&names));
        told(profile.threads.len(), folder.thread_count());
    }
    Ok(profile)
}

impl TauFolder {
    /// Reads all files, and counts the timers of all threads.
    ///
    /// # Errors
    /// When a file cannot be read or makes no sense.
    pub fn count_timers(&self) -> Result<usize, ExchangeError> {
        let (mut reader, mut names) = (TauReader::new(self), ProfileNames::default());
        let mut count = 0;
        while let Some(thread) = reader.next(&mut names, &mut Vec::new())? {
            count += thread.timers.len();
        }
        Ok(count)
    }
}

/// The places of a thread's timers by the numbers of their names.
#[derive(Default)]
struct TimerPlaces {
    /// Which thread a place is of, counted from 1, and the place.
    places: Vec<(u32, Option<usize>)>,
    latest: u32,
}

impl<'a> TauReader<'a> {
    /// Of a folder, from its first thread on.
    pub(crate) fn new(folder: &'a TauFolder) -> Self {
        Self {
            metrics: &folder.metrics,
            threads: folder.threads.iter(),
            thread: NumberedThread::default(),
            places: TimerPlaces::default(),
            bytes: Vec::new(),
        }
    }

    /// The next thread; what is odd about it is added to the notes.
    ///
    /// # Errors
    /// When a file cannot be read or makes no sense.
    pub(crate) fn next(
        &mut self,
        names: &mut ProfileNames,
        notes: &mut Vec<String>,
    ) -> Result<Option<&NumberedThread>, ExchangeError> {
        let Some((place, files)) = self.threads.next() else { return Ok(None) };
        let (node, context, number) = *place;
        self.thread.begin(*place);
        self.places.latest += 1;
        for (metric, path) in files {
            let own = self.add(*metric, path, names)?;
            let known = &self.metrics[*metric].name;
            if *known != own {
                notes.push(format!(
                    "profile.{node}.{context}.{number} is of {own} among files of {known}"
                ));
            }
        }
        let (timers, count) = (&mut self.thread.timers, self.metrics.len());
        let lacking = timers.iter().filter(|timer| timer.told < count).count();
        if lacking > 0 {
            notes.push(format!("{lacking} timers of thread {number} of node {node} lack metrics"));
            timers.iter_mut().for_each(|timer| timer.told = count);
        }
        Ok(Some(&self.thread))
    }

    /// Adds a file of the metric of this position; answers what metric it says it is of.
    fn add(
        &mut self,
        metric: usize,
        path: &Path,
        names: &mut ProfileNames,
    ) -> Result<String, ExchangeError> {
        let Self { metrics, thread, places, bytes, .. } = self;
        read(path, bytes)
            .map_err(|source| ExchangeError::Read { path: path.to_owned(), source })?;
        // Names may be in any alphabet; mostly there is nothing to be replaced.
        let text = String::from_utf8_lossy(bytes);
        let before = thread.timers.len();
        let file = TauFile::read(path, &text, |line| {
            let name = names.written_timer(line.name, file::name);
            let place = places.place_mut(name);
            match *place {
                Some(at) => add_again(thread, (at, metric), &line, at >= before),
                None => {
                    let groups = names.written_groups(line.groups, file::groups);
                    let TimerLine { calls, subcalls, value, .. } = line;
                    let told = metric + 1;
                    let timer =
                        NumberedTimer { name, groups, calls, subcalls, told, ..Default::default() };
                    let at = thread.push(timer, metrics.len());
                    *thread.value_mut(at, metric) = value;
                    *place = Some(at);
                }
            }
        })?;
        // Events and metadata stand in the files of each metric alike.
        if thread.events.is_empty() {
            thread.events = file.events;
        }
        if thread.metadata.is_empty() {
            thread.metadata = file.metadata;
        }
        Ok(file.metric)
    }
}

impl TimerPlaces {
    /// The place of the timer of this name in the thread that is read.
    fn place_mut(&mut self, name: u32) -> &mut Option<usize> {
        let at = name as usize;
        if self.places.len() <= at {
            self.places.resize(at + 1, (0, None));
        }
        let (thread, place) = &mut self.places[at];
        if *thread != self.latest {
            (*thread, *place) = (self.latest, None);
        }
        place
    }
}

/// Adds what a line says of a timer that was there, at a place and of a metric: another metric, or the same function again, of which all is added.
fn add_again(
    thread: &mut NumberedThread,
    (at, metric): (usize, usize),
    line: &TimerLine<'_>,
    is_of_this_file: bool,
) {
    let timer = &mut thread.timers[at];
    if is_of_this_file {
        timer.calls += line.calls;
        timer.subcalls += line.subcalls;
    }
    timer.told = timer.told.max(metric + 1);
    let value = thread.value_mut(at, metric);
    value.exclusive += line.value.exclusive;
    value.inclusive += line.value.inclusive;
}

/// Reads a file into bytes that were another's.
fn read(path: &Path, bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes.clear();
    File::open(path)?.read_to_end(bytes).map(drop)
}
