//! A record as bytes: each name once, passes and growths by their distance from the one before.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use whyperf_model::matching::{Line, Location, LocationId, Totals};
use whyperf_model::{Category, Interval, Nanos, Pair, Resource, Time};

use super::lock_waits::{LockWaits, StoredLockWait};
use super::names::{NumberedResources, Numbers, StoredKind};
use super::span::{Span, Spans};
use super::{News, PassAmount, Record};

/// The first byte of a record. It is raised when bytes mean something else: each version has what those before had, and more.
const VERSION: u8 = 5;
const FOURTH: u8 = 4;
const THIRD: u8 = 3;
const SECOND: u8 = 2;
const FIRST: u8 = 1;

/// Why stored bytes are not read as a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// A newer whyperf wrote them.
    #[error(
        "has version {found} and this whyperf knows versions up to {VERSION}: use a newer whyperf"
    )]
    Newer {
        /// Their version.
        found: u8,
    },
    /// A newer whyperf knows more categories.
    #[error("holds category {0}, which this whyperf does not know: use a newer whyperf")]
    Category(u32),
    /// They were cut or changed.
    #[error("makes no sense: it is damaged")]
    Damaged,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    names: Vec<Resource>,
    /// Where the first pass begins, and how long each is.
    start: u64,
    lengths: Vec<u64>,
    locations: Vec<StoredLocation>,
    kinds: Vec<StoredKind>,
    present: Spans,
    silent: Spans,
    news: Vec<(u32, u32, bool)>,
    callees: Vec<(u32, Vec<u32>)>,
    series: Vec<StoredSeries>,
}

/// What follows [`Stored`] since the second version.
#[derive(Default, Serialize, Deserialize)]
struct More {
    names: Vec<Resource>,
    placed: Vec<(u32, u32, u32)>,
    phases: Vec<(u32, String)>,
    prices: Vec<(u32, u32, f64)>,
    hot: Vec<(u32, Pair, f64)>,
    kinds: Vec<StoredKind>,
    positions: Vec<String>,
    lines: Vec<StoredLine>,
}

/// What follows [`More`] since the third version. The first records of that version end before `endings`.
#[derive(Default, Serialize, Deserialize)]
struct WorkSection {
    at_work: Option<Spans>,
    endings: Vec<(u32, (u32, Nanos))>,
}

/// What follows [`WorkSection`] since the fourth version.
#[derive(Default, Serialize, Deserialize)]
struct CauseSection {
    names: Vec<Resource>,
    lock_waits: Vec<StoredLockWait>,
    codes_of_excess: Vec<(u32, u32)>,
}

#[derive(Serialize, Deserialize)]
struct StoredLine {
    /// Thread, machine and code.
    names: [u32; 3],
    kind: u32,
    position: u32,
    time: u64,
}

#[derive(Serialize, Deserialize)]
struct StoredLocation {
    number: u32,
    rank: Option<u32>,
    names: [u32; 3],
}

#[derive(Serialize, Deserialize)]
struct StoredSeries {
    location: u32,
    kind: u32,
    /// Passes since the entry before, and by how much it grew.
    entries: Vec<(u32, Totals)>,
}

impl Record {
    /// As bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut names = Numbers::default();
        let locations = self.locations.iter().map(|location| {
            let [thread, process, machine] =
                [&location.thread, &location.process, &location.machine]
                    .map(|name| names.number(name));
            StoredLocation {
                number: location.number,
                rank: location.rank,
                names: [thread, process, machine],
            }
        });
        let locations = locations.collect();
        let kinds = self.kinds.iter().map(|kind| names.kind(kind)).collect();
        let news = self.news.dated();
        let news = news.map(|(pass, news)| (*pass, names.number(&news.resource), news.came));
        let news = news.collect();
        let callees = self.callees.iter().map(|(of, callees)| {
            (names.number(of), callees.iter().map(|one| names.number(one)).collect())
        });
        let callees = callees.collect();
        let stored = Stored {
            names: names.list,
            start: self.passes.first().map_or(0, |first| first.start.0.0),
            lengths: self.passes.iter().map(|pass| pass.length().0).collect(),
            locations,
            kinds,
            present: self.present.clone(),
            silent: self.silent.clone(),
            news,
            callees,
            series: self.series.iter().map(|(key, entries)| stored(*key, entries)).collect(),
        };
        let bytes = postcard::to_extend(&stored, vec![VERSION]).unwrap_or_default();
        let bytes = postcard::to_extend(&self.more(), bytes).unwrap_or_default();
        let endings = self.endings.dated().copied().collect();
        let work = WorkSection { at_work: self.at_work.clone(), endings };
        let bytes = postcard::to_extend(&work, bytes).unwrap_or_default();
        let bytes = postcard::to_extend(&self.causes(), bytes).unwrap_or_default();
        postcard::to_extend(&self.untold, bytes).unwrap_or_default()
    }

    fn causes(&self) -> CauseSection {
        let mut names = Numbers::default();
        let lock_waits = self.lock_waits.stored(&mut names);
        let codes = self.codes_of_excess.iter();
        let codes = codes.map(|(rank, code)| (names.number(rank), names.number(code)));
        let codes_of_excess = codes.collect();
        CauseSection { names: names.list, lock_waits, codes_of_excess }
    }

    fn more(&self) -> More {
        let (mut names, mut kinds, mut positions) =
            (Numbers::default(), Numbers::default(), Numbers::default());
        let placed = self.placed.dated().map(|(pass, (process, machine))| {
            (*pass, names.number(process), names.number(machine))
        });
        let placed = placed.collect();
        let prices = self.prices.dated();
        let prices = prices.map(|(pass, (of, rate))| (*pass, names.number(of), *rate)).collect();
        let lines = self.lines.iter().map(|line| StoredLine {
            names: [&line.who[0], &line.who[1], &line.code].map(|name| names.number(name)),
            kind: kinds.number(&*line.kind),
            position: positions.number(&line.position.to_string()),
            time: line.time,
        });
        let lines = lines.collect();
        let kinds = kinds.list.iter().map(|kind| names.kind(kind)).collect();
        More {
            names: names.list,
            placed,
            phases: self.phases.dated().cloned().collect(),
            prices,
            hot: self.hot.dated().map(|(at, (pair, share))| (*at, pair.clone(), *share)).collect(),
            kinds,
            positions: positions.list,
            lines,
        }
    }

    /// The record of some bytes.
    ///
    /// # Errors
    /// When they are damaged, or a newer whyperf wrote them.
    pub fn parse(bytes: &[u8]) -> Result<Self, RecordError> {
        let (version, bytes) = bytes.split_first().ok_or(RecordError::Damaged)?;
        if *version > VERSION {
            return Err(RecordError::Newer { found: *version });
        }
        let parts = Parts::of(*version, bytes).ok_or(RecordError::Damaged)?;
        let kinds = parts.stored.kinds.iter().chain(&parts.more.kinds);
        let mut categories = kinds.map(|kind| kind.category);
        if let Some(unknown) = categories.find(|number| Category::from_number(*number).is_none()) {
            return Err(RecordError::Category(unknown));
        }
        Self::of_parts(parts).ok_or(RecordError::Damaged)
    }

    fn of_parts(Parts { stored, more, work, causes, untold }: Parts) -> Option<Self> {
        let mut record = Self::of(&stored)?;
        record.add_more(more)?;
        record.at_work = work.at_work;
        record.endings = work.endings.into_iter().collect();
        record.add_causes(&causes)?;
        record.untold = untold;
        record.is_sound().then_some(record)
    }

    fn of(stored: &Stored) -> Option<Self> {
        let known = NumberedResources(&stored.names);
        let location = |StoredLocation { number, rank, names }: &StoredLocation| {
            let [thread, process, machine] = known.three(names)?;
            Some(Location { number: *number, rank: *rank, thread, process, machine })
        };
        let news = |(pass, number, came): &(u32, u32, bool)| {
            Some((*pass, News { resource: known.name(*number)?, came: *came }))
        };
        let callees =
            |(of, callees): &(u32, Vec<u32>)| Some((known.name(*of)?, known.all(callees)?));
        let mut record = Self {
            locations: stored.locations.iter().map(location).collect::<Option<_>>()?,
            kinds: stored.kinds.iter().map(|kind| known.kind(kind)).collect::<Option<_>>()?,
            news: stored.news.iter().map(news).collect::<Option<_>>()?,
            callees: stored.callees.iter().map(callees).collect::<Option<_>>()?,
            passes: passes(stored.start, &stored.lengths),
            present: stored.present.clone(),
            silent: stored.silent.clone(),
            ..Self::default()
        };
        for series in &stored.series {
            let entries = entries(&series.entries)?;
            record.entries += entries.len();
            record.series.insert((LocationId(series.location), series.kind), entries);
        }
        Some(record)
    }

    fn add_more(&mut self, more: More) -> Option<()> {
        let known = NumberedResources(&more.names);
        let placed = more.placed.iter().map(|(pass, process, machine)| {
            Some((*pass, (known.name(*process)?, known.name(*machine)?)))
        });
        self.placed = placed.collect::<Option<_>>()?;
        let prices = more.prices.iter();
        let prices = prices.map(|(pass, of, rate)| Some((*pass, (known.name(*of)?, *rate))));
        self.prices = prices.collect::<Option<_>>()?;
        self.hot = more.hot.into_iter().map(|(at, pair, share)| (at, (pair, share))).collect();
        self.phases = more.phases.into_iter().collect();
        let kinds: Option<Vec<_>> =
            more.kinds.iter().map(|kind| known.kind(kind).map(Arc::new)).collect();
        let kinds = kinds?;
        let positions: Vec<Arc<str>> =
            more.positions.into_iter().map(|position| position.into()).collect();
        let line = |line: &StoredLine| {
            let [thread, machine, code] = known.three(&line.names)?;
            let kind = kinds.get(line.kind as usize)?.clone();
            let position = positions.get(line.position as usize)?.clone();
            Some(Line { who: [thread, machine], kind, code, position, time: line.time })
        };
        self.lines = more.lines.iter().map(line).collect::<Option<_>>()?;
        Some(())
    }

    fn add_causes(&mut self, causes: &CauseSection) -> Option<()> {
        let known = NumberedResources(&causes.names);
        self.lock_waits = LockWaits::of(&causes.lock_waits, &known)?;
        self.entries += self.lock_waits.len();
        let codes = causes.codes_of_excess.iter();
        let codes = codes.map(|(rank, code)| Some((known.name(*rank)?, known.name(*code)?)));
        self.codes_of_excess = codes.collect::<Option<_>>()?;
        Some(())
    }

    /// Whether every number names something that is there.
    pub(super) fn is_sound(&self) -> bool {
        let in_time = |pass: u32| (pass as usize) < self.passes.len();
        let ordered = |span: &Span| span.first <= span.last && in_time(span.last);
        let spans = |spans: &Spans| spans.0.values().flatten().all(ordered);
        let series = |((location, kind), entries): (&(LocationId, u32), &Vec<PassAmount>)| {
            (location.0 as usize) < self.locations.len()
                && (*kind as usize) < self.kinds.len()
                && entries.last().is_none_or(|entry| in_time(entry.pass))
        };
        let locations = |spans: &Spans| {
            spans.0.keys().all(|location| (*location as usize) < self.locations.len())
        };
        spans(&self.present)
            && spans(&self.silent)
            && locations(&self.present)
            && self.untold.iter().all(|location| (*location as usize) < self.locations.len())
            && self.endings.is_sound(self.passes.len())
            && self.at_work.iter().all(|at_work| locations(at_work) && spans(at_work))
            && self.news.is_sound(self.passes.len())
            && self.placed.is_sound(self.passes.len())
            && self.phases.is_sound(self.passes.len())
            && self.prices.is_sound(self.passes.len())
            && self.prices.iter().all(|(_, rate)| rate.is_finite() && *rate >= 0.0)
            && self.hot.is_sound(self.passes.len())
            && self.hot.iter().all(|(_, share)| *share > 0.0 && *share <= 1.0)
            && self.series.iter().all(series)
            && self.lock_waits.is_sound(self)
    }
}

/// What the bytes of a record hold.
struct Parts {
    stored: Stored,
    more: More,
    work: WorkSection,
    causes: CauseSection,
    /// Since the fifth version.
    untold: BTreeSet<u32>,
}

impl Parts {
    /// What the bytes of a version hold, the version itself left out.
    fn of(version: u8, bytes: &[u8]) -> Option<Self> {
        let (stored, rest) = postcard::take_from_bytes(bytes).ok()?;
        let (more, work, causes, untold) = Default::default();
        let mut parts = Self { stored, more, work, causes, untold };
        if version < FIRST {
            return None;
        }
        if version == FIRST {
            return Some(parts);
        }
        let (more, rest) = postcard::take_from_bytes(rest).ok()?;
        parts.more = more;
        if version == SECOND {
            return Some(parts);
        }
        let (at_work, rest) = postcard::take_from_bytes(rest).ok()?;
        parts.work.at_work = at_work;
        if version == THIRD && rest.is_empty() {
            return Some(parts);
        }
        let (endings, rest) = postcard::take_from_bytes(rest).ok()?;
        parts.work.endings = endings;
        if version > THIRD {
            let (causes, rest) = postcard::take_from_bytes(rest).ok()?;
            parts.causes = causes;
            if version > FOURTH {
                parts.untold = postcard::from_bytes(rest).ok()?;
            }
        }
        Some(parts)
    }
}

fn stored((location, kind): (LocationId, u32), entries: &[PassAmount]) -> StoredSeries {
    let mut before = 0;
    let gap = |entry: &PassAmount| {
        let gap = entry.pass - std::mem::replace(&mut before, entry.pass);
        (gap, entry.by)
    };
    StoredSeries { location: location.0, kind, entries: entries.iter().map(gap).collect() }
}

fn entries(stored: &[(u32, Totals)]) -> Option<Vec<PassAmount>> {
    let mut pass = 0u32;
    let entry = |(gap, by): &(u32, Totals)| {
        pass = pass.checked_add(*gap)?;
        Some(PassAmount { pass, by: *by })
    };
    stored.iter().map(entry).collect()
}

fn passes(start: u64, lengths: &[u64]) -> Vec<Interval> {
    let mut start = Time(Nanos(start));
    let pass = |length: &u64| {
        let begin = start;
        start = start + Nanos(*length);
        Interval::new(begin, start)
    };
    lengths.iter().map(pass).collect()
}
