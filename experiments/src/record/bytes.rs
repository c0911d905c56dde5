//! A record as bytes: each name once, rounds and growths by their distance from the one before.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use whyperf_model::matching::{Kind, Seat, SeatId, Totals};
use whyperf_model::{Category, Interval, Nanos, Resource, Time};

use super::span::{Span, Spans};
use super::{Entry, News, Record};

/// Raised when bytes mean something else.
const VERSION: u8 = 1;

#[derive(Serialize, Deserialize)]
struct Stored {
    names: Vec<Resource>,
    /// Where the first round begins, and how long each is.
    start: u64,
    lengths: Vec<u64>,
    seats: Vec<StoredSeat>,
    kinds: Vec<StoredKind>,
    present: Spans,
    silent: Spans,
    news: Vec<(u32, u32, bool)>,
    callees: Vec<(u32, Vec<u32>)>,
    series: Vec<StoredSeries>,
}

#[derive(Serialize, Deserialize)]
struct StoredSeat {
    number: u32,
    rank: Option<u32>,
    names: [u32; 3],
}

#[derive(Serialize, Deserialize)]
struct StoredKind {
    category: Category,
    code: Vec<u32>,
    object: Option<u32>,
    own: Option<u32>,
}

#[derive(Serialize, Deserialize)]
struct StoredSeries {
    seat: u32,
    kind: u32,
    /// Rounds since the entry before, and by how much it grew.
    entries: Vec<(u32, Totals)>,
}

impl Record {
    /// As bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut names = Names::default();
        let seats = self.seats.iter().map(|seat| {
            let [thread, process, machine] =
                [&seat.thread, &seat.process, &seat.machine].map(|name| names.number(name));
            StoredSeat { number: seat.number, rank: seat.rank, names: [thread, process, machine] }
        });
        let seats = seats.collect();
        let kinds = self.kinds.iter().map(|kind| names.kind(kind)).collect();
        let news = self.news.iter();
        let news = news.map(|news| (news.round, names.number(&news.resource), news.came)).collect();
        let callees = self.callees.iter().map(|(of, callees)| {
            (names.number(of), callees.iter().map(|one| names.number(one)).collect())
        });
        let callees = callees.collect();
        let stored = Stored {
            names: names.list,
            start: self.rounds.first().map_or(0, |first| first.start.0.0),
            lengths: self.rounds.iter().map(|round| round.length().0).collect(),
            seats,
            kinds,
            present: self.present.clone(),
            silent: self.silent.clone(),
            news,
            callees,
            series: self.series.iter().map(|(key, entries)| stored(*key, entries)).collect(),
        };
        postcard::to_extend(&stored, vec![VERSION]).unwrap_or_default()
    }

    /// The record of some bytes; `None` where they make no sense.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let (VERSION, bytes) = bytes.split_first().map(|(version, rest)| (*version, rest))? else {
            return None;
        };
        let stored: Stored = postcard::from_bytes(bytes).ok()?;
        let name = |number: &u32| stored.names.get(*number as usize).cloned();
        let all = |numbers: &[u32]| numbers.iter().map(name).collect::<Option<Vec<_>>>();
        let optional = |number: &Option<u32>| match number {
            Some(number) => name(number).map(Some),
            None => Some(None),
        };
        let rounds = rounds(stored.start, &stored.lengths);
        let seat = |StoredSeat { number, rank, names: [thread, process, machine] }: &StoredSeat| {
            let (thread, process, machine) = (name(thread)?, name(process)?, name(machine)?);
            Some(Seat { number: *number, rank: *rank, thread, process, machine })
        };
        let kind = |kind: &StoredKind| {
            let (category, code) = (kind.category, all(&kind.code)?);
            Some(Kind {
                category,
                code,
                object: optional(&kind.object)?,
                own: optional(&kind.own)?,
            })
        };
        let news = |(round, number, came): &(u32, u32, bool)| {
            Some(News { round: *round, resource: name(number)?, came: *came })
        };
        let callees = |(of, callees): &(u32, Vec<u32>)| Some((name(of)?, all(callees)?));
        let mut record = Self {
            seats: stored.seats.iter().map(seat).collect::<Option<_>>()?,
            kinds: stored.kinds.iter().map(kind).collect::<Option<_>>()?,
            news: stored.news.iter().map(news).collect::<Option<_>>()?,
            callees: stored.callees.iter().map(callees).collect::<Option<_>>()?,
            rounds,
            present: stored.present,
            silent: stored.silent,
            ..Self::default()
        };
        for series in &stored.series {
            let entries = entries(&series.entries)?;
            record.entries += entries.len();
            record.series.insert((SeatId(series.seat), series.kind), entries);
        }
        record.is_sound().then_some(record)
    }

    /// Whether every number names something that is there.
    fn is_sound(&self) -> bool {
        let in_time = |round: u32| (round as usize) < self.rounds.len();
        let ordered = |span: &Span| span.first <= span.last && in_time(span.last);
        let spans = |spans: &Spans| spans.0.values().flatten().all(ordered);
        let series = |((seat, kind), entries): (&(SeatId, u32), &Vec<Entry>)| {
            (seat.0 as usize) < self.seats.len()
                && (*kind as usize) < self.kinds.len()
                && entries.last().is_none_or(|entry| in_time(entry.round))
        };
        let seated = self.present.0.keys().all(|seat| (*seat as usize) < self.seats.len());
        spans(&self.present)
            && spans(&self.silent)
            && seated
            && self.news.iter().all(|news| in_time(news.round))
            && self.series.iter().all(series)
    }
}

/// Names by number.
#[derive(Default)]
struct Names {
    list: Vec<Resource>,
    numbers: BTreeMap<Resource, u32>,
}

impl Names {
    fn number(&mut self, name: &Resource) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(name.clone());
        self.numbers.insert(name.clone(), number);
        number
    }

    fn kind(&mut self, kind: &Kind) -> StoredKind {
        StoredKind {
            category: kind.category,
            code: kind.code.iter().map(|one| self.number(one)).collect(),
            object: kind.object.as_ref().map(|one| self.number(one)),
            own: kind.own.as_ref().map(|one| self.number(one)),
        }
    }
}

fn stored((seat, kind): (SeatId, u32), entries: &[Entry]) -> StoredSeries {
    let mut before = 0;
    let gap = |entry: &Entry| {
        let gap = entry.round - std::mem::replace(&mut before, entry.round);
        (gap, entry.by)
    };
    StoredSeries { seat: seat.0, kind, entries: entries.iter().map(gap).collect() }
}

fn entries(stored: &[(u32, Totals)]) -> Option<Vec<Entry>> {
    let mut round = 0u32;
    let entry = |(gap, by): &(u32, Totals)| {
        round = round.checked_add(*gap)?;
        Some(Entry { round, by: *by })
    };
    stored.iter().map(entry).collect()
}

fn rounds(start: u64, lengths: &[u64]) -> Vec<Interval> {
    let mut start = Time(Nanos(start));
    let round = |length: &u64| {
        let begin = start;
        start = start + Nanos(*length);
        Interval::new(begin, start)
    };
    lengths.iter().map(round).collect()
}
