//! ParaProf's packed profile (`.ppk`): all threads of a run in one compressed file of big-endian words.
//!
//! ```text
//!   "PPK" version lowest-version header-length   header: zero, metadata of the run, metadata of each thread
//!   names of metrics, groups, functions with their groups, user events
//!   each thread: node context thread, functions with calls and values, user events
//! ```
//! After ParaProf's `DataSourceExport.java`; least and most of user events stand in the other order than in TAU's text. A length that the file
//! cannot hold is refused before anything is made of it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::error::ExchangeError;
use super::unpacking::unpacked;
use crate::foreign_profile::{
    ForeignMetric, ForeignProfile, ForeignThread, Timer, TimerValue, UserEvent,
};

/// What the version of the form is that is written, and the newest that is read.
const VERSION: u32 = 2;

/// Reads a packed profile.
///
/// # Errors
/// When the file cannot be read, is of another form or version, or was cut.
pub fn packed_profile(path: &Path) -> Result<ForeignProfile, ExchangeError> {
    let failed = |source| ExchangeError::Read { path: path.to_owned(), source };
    let packed = std::fs::read(path).map_err(failed)?;
    let refused = |what| ExchangeError::Nothing { path: path.to_owned(), what };
    let bytes = unpacked(&packed).map_err(|error| refused(error.told()))?;
    let mut words = Words { rest: &bytes };
    words.profile().map_err(|problem| refused(problem.told()))
}

/// Metadata by node, context and thread.
type ThreadMetadata = BTreeMap<[u32; 3], Vec<(String, String)>>;

/// Why the words make no profile.
enum Problem {
    Cut,
    Form,
    Version,
}

impl Problem {
    const fn told(&self) -> &'static str {
        match self {
            Self::Cut => "a packed profile that was cut, or whose lengths make no sense",
            Self::Form => "no packed profile: it does not begin with PPK",
            Self::Version => "a packed profile of a later version",
        }
    }
}

/// What is left of the words.
struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], Problem> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Problem::Cut)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(Problem::Cut)?;
        self.rest = rest;
        Ok(*taken)
    }

    fn word(&mut self) -> Result<u32, Problem> {
        self.array().map(u32::from_be_bytes)
    }

    fn number(&mut self) -> Result<f64, Problem> {
        let number = self.array().map(f64::from_be_bytes)?;
        Ok(if number.is_finite() { number } else { 0.0 })
    }

    fn text(&mut self) -> Result<String, Problem> {
        let length = self.array().map(u16::from_be_bytes)?;
        Ok(String::from_utf8_lossy(self.take(usize::from(length))?).into_owned())
    }

    /// As many as the next word says, each of at least `least` bytes.
    fn list<T>(
        &mut self,
        least: usize,
        mut each: impl FnMut(&mut Self) -> Result<T, Problem>,
    ) -> Result<Vec<T>, Problem> {
        let count = self.word()? as usize;
        if count.checked_mul(least).is_none_or(|length| length > self.rest.len()) {
            return Err(Problem::Cut);
        }
        (0..count).map(|_| each(self)).collect()
    }

    fn pairs(&mut self) -> Result<Vec<(String, String)>, Problem> {
        self.list(4, |words| Ok((words.text()?, words.text()?)))
    }

    fn place(&mut self) -> Result<[u32; 3], Problem> {
        Ok([self.word()?, self.word()?, self.word()?])
    }

    fn profile(&mut self) -> Result<ForeignProfile, Problem> {
        if self.take(6)? != MAGIC {
            return Err(Problem::Form);
        }
        let (_, lowest) = (self.word()?, self.word()?);
        if lowest > VERSION {
            return Err(Problem::Version);
        }
        let length = self.word()? as usize;
        let metadata = Words { rest: self.take(length)? }.header()?;
        let metrics = self.list(2, |words| words.text().map(|name| ForeignMetric { name }))?;
        let groups = self.list(2, Self::text)?;
        let functions = self.list(6, |words| Ok((words.text()?, words.list(4, Self::word)?)))?;
        let events = self.list(2, Self::text)?;
        let named = Named { metrics: metrics.len(), groups, functions, events };
        let threads = self.list(20, |words| words.thread(&named, &metadata))?;
        Ok(ForeignProfile { metrics, threads, notes: Vec::new() })
    }

    /// Metadata by thread, that of the whole run first.
    fn header(&mut self) -> Result<ThreadMetadata, Problem> {
        let _ = self.word()?;
        let of_run = self.pairs()?;
        let threads = self.list(16, |words| Ok((words.place()?, words.pairs()?)))?;
        let with_run = |(place, own): ([u32; 3], Vec<(String, String)>)| {
            let known = |name: &String| own.iter().any(|(one, _)| one == name);
            let of_run = of_run.iter().filter(|(name, _)| !known(name)).cloned();
            (place, of_run.chain(own.clone()).collect())
        };
        Ok(threads.into_iter().map(with_run).collect())
    }

    fn thread(
        &mut self,
        named: &Named,
        metadata: &ThreadMetadata,
    ) -> Result<ForeignThread, Problem> {
        let place = self.place()?;
        let timers = self.list(20 + 16 * named.metrics, |words| words.timer(named))?;
        let events = self.list(40, |words| words.event(named))?;
        let [node, context, thread] = place;
        let metadata = metadata.get(&place).cloned().unwrap_or_default();
        Ok(ForeignThread { node, context, thread, timers, events, metadata })
    }

    fn timer(&mut self, named: &Named) -> Result<Timer, Problem> {
        let (name, groups) = named.functions.get(self.word()? as usize).ok_or(Problem::Cut)?;
        let (calls, subcalls) = (self.number()?, self.number()?);
        let value = |words: &mut Self| {
            Ok(TimerValue { exclusive: words.number()?, inclusive: words.number()? })
        };
        let values = (0..named.metrics).map(|_| value(self)).collect::<Result<_, Problem>>()?;
        let groups = groups.iter().filter_map(|group| named.groups.get(*group as usize).cloned());
        Ok(Timer { name: name.clone(), groups: groups.collect(), calls, subcalls, values })
    }

    fn event(&mut self, named: &Named) -> Result<UserEvent, Problem> {
        let name = named.events.get(self.word()? as usize).ok_or(Problem::Cut)?.clone();
        let count = f64::from(self.word()?);
        let (least, most) = (self.number()?, self.number()?);
        Ok(UserEvent { name, count, most, least, mean: self.number()?, squares: self.number()? })
    }
}

/// What numbers stand for.
struct Named {
    metrics: usize,
    groups: Vec<String>,
    functions: Vec<(String, Vec<u32>)>,
    events: Vec<String>,
}

/// How the words begin.
pub(super) const MAGIC: &[u8; 6] = b"\0P\0P\0K";

impl ForeignProfile {
    /// Writes it as a packed profile. Names of more than 65,535 bytes are cut there.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_packed(&self, path: &Path) -> Result<(), ExchangeError> {
        let failed = |source| ExchangeError::Write { path: path.to_owned(), source };
        let file = File::create(path).map_err(failed)?;
        let mut packer = GzEncoder::new(file, Compression::default());
        packer.write_all(&self.packed()).map_err(failed)?;
        packer.finish().and_then(|file| file.sync_all()).map_err(failed)
    }

    fn packed(&self) -> Vec<u8> {
        let mut packed = Packed::default();
        packed.0.extend_from_slice(MAGIC);
        packed.word(VERSION as usize);
        packed.word(1);
        let mut header = Packed::default();
        header.word(0);
        header.word(0);
        header.word(self.threads.len());
        for thread in &self.threads {
            header.place(thread);
            header.word(thread.metadata.len());
            for (name, value) in &thread.metadata {
                header.text(name);
                header.text(value);
            }
        }
        packed.word(header.0.len());
        packed.0.extend(header.0);
        packed.word(self.metrics.len());
        self.metrics.iter().for_each(|metric| packed.text(&metric.name));
        let names = Names::of(&self.threads);
        packed.names(&names);
        packed.word(self.threads.len());
        self.threads.iter().for_each(|thread| packed.thread(thread, &names));
        packed.0
    }
}

/// Each name once, with its number.
#[derive(Default)]
struct Names<'a> {
    groups: BTreeMap<&'a str, usize>,
    functions: BTreeMap<(&'a str, &'a [String]), usize>,
    events: BTreeMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    fn of(threads: &'a [ForeignThread]) -> Self {
        let mut names = Self::default();
        for thread in threads {
            for timer in &thread.timers {
                names.functions.insert((&timer.name, &timer.groups), 0);
                names.groups.extend(timer.groups.iter().map(|group| (group.as_str(), 0)));
            }
            names.events.extend(thread.events.iter().map(|event| (event.name.as_str(), 0)));
        }
        (0..).zip(names.groups.values_mut()).for_each(|(number, known)| *known = number);
        (0..).zip(names.functions.values_mut()).for_each(|(number, known)| *known = number);
        (0..).zip(names.events.values_mut()).for_each(|(number, known)| *known = number);
        names
    }
}

/// The words as they are written.
#[derive(Default)]
struct Packed(Vec<u8>);

impl Packed {
    fn word(&mut self, word: usize) {
        self.0.extend(u32::try_from(word).unwrap_or(u32::MAX).to_be_bytes());
    }

    fn number(&mut self, number: f64) {
        self.0.extend(number.to_be_bytes());
    }

    fn text(&mut self, text: &str) {
        let end = text.floor_char_boundary(usize::from(u16::MAX));
        let length = u16::try_from(end).unwrap_or(u16::MAX);
        self.0.extend(length.to_be_bytes());
        self.0.extend_from_slice(&text.as_bytes()[..end]);
    }

    fn place(&mut self, thread: &ForeignThread) {
        let place = [thread.node, thread.context, thread.thread];
        place.into_iter().for_each(|number| self.word(number as usize));
    }

    fn names(&mut self, names: &Names<'_>) {
        self.word(names.groups.len());
        names.groups.keys().for_each(|name| self.text(name));
        self.word(names.functions.len());
        for (name, groups) in names.functions.keys() {
            self.text(name);
            self.word(groups.len());
            for group in *groups {
                self.word(names.groups.get(group.as_str()).copied().unwrap_or_default());
            }
        }
        self.word(names.events.len());
        names.events.keys().for_each(|name| self.text(name));
    }

    fn thread(&mut self, thread: &ForeignThread, names: &Names<'_>) {
        self.place(thread);
        self.word(thread.timers.len());
        for timer in &thread.timers {
            let key = (timer.name.as_str(), timer.groups.as_slice());
            self.word(names.functions.get(&key).copied().unwrap_or_default());
            self.number(timer.calls);
            self.number(timer.subcalls);
            for value in &timer.values {
                self.number(value.exclusive);
                self.number(value.inclusive);
            }
        }
        self.word(thread.events.len());
        for event in &thread.events {
            self.word(names.events.get(event.name.as_str()).copied().unwrap_or_default());
            self.word(event.count as usize);
            let numbers = [event.least, event.most, event.mean, event.squares];
            numbers.into_iter().for_each(|number| self.number(number));
        }
    }
}
