//! A run in full: by how much every kind of node grew in every thread, round by round, in bounded room.
//!
//! ```text
//!   rounds   |  1  |  2  |  3  |  4  | ...            at first those of the daemon, some 50 ms each
//!   fold     |     1     |     2     | ...            when they are too many, two become one: amounts add up, nothing is lost
//! ```
//! As long as nothing was folded a record gives back exactly the samples that the daemon gave. It takes some twelve bytes for each
//! thread, kind and round in which something grew: [`Record::MOST_ROUNDS`] rounds at most, and fewer where threads and kinds are so
//! many that there were more than [`Record::MOST_ENTRIES`] of them.

mod bytes;
mod span;

use std::collections::BTreeMap;

use whyperf_model::matching::{Kind, Seat, SeatId, Tally, Totals};
use whyperf_model::{Interval, Resource};

use self::span::Spans;

/// A run in full.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    pub(crate) rounds: Vec<Interval>,
    pub(crate) seats: Vec<Seat>,
    pub(crate) kinds: Vec<Kind>,
    /// When seats were taken.
    pub(crate) present: Spans,
    /// When processes did not report.
    pub(crate) silent: Spans,
    pub(crate) news: Vec<News>,
    /// What functions call, as far as somebody asked.
    pub(crate) callees: BTreeMap<Resource, Vec<Resource>>,
    /// By seat and number of the kind: the rounds in which it grew.
    pub(crate) series: BTreeMap<(SeatId, u32), Vec<Entry>>,
    entries: usize,
}

/// By how much something grew in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) round: u32,
    pub(crate) by: Totals,
}

/// A resource that came or went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct News {
    pub(crate) round: u32,
    pub(crate) resource: Resource,
    pub(crate) came: bool,
}

impl Record {
    /// Rounds that are kept apart at most.
    pub const MOST_ROUNDS: usize = 1000;
    /// Growths that are kept apart at most, unless rounds become too few to judge by.
    pub const MOST_ENTRIES: usize = 1 << 19;
    /// Rounds that are kept apart however large the record is.
    const FEW_ROUNDS: usize = 64;

    /// Adds a round, the next in time.
    pub fn add(&mut self, tally: &Tally) {
        let is_large = self.entries >= Self::MOST_ENTRIES && self.rounds.len() > Self::FEW_ROUNDS;
        if self.rounds.len() >= Self::MOST_ROUNDS || is_large {
            self.fold();
        }
        let round = u32::try_from(self.rounds.len()).unwrap_or(u32::MAX);
        self.rounds.push(tally.interval);
        self.seats.extend_from_slice(&tally.seats);
        self.kinds.extend_from_slice(&tally.kinds);
        tally.present.iter().for_each(|seat| self.present.mark(seat.0, round));
        tally.silent.iter().for_each(|process| self.silent.mark(*process, round));
        let came = tally.appeared.iter().map(|one| (one, true));
        let went = tally.retired.iter().map(|one| (one, false));
        self.news.extend(came.chain(went).map(|(one, came)| News {
            round,
            resource: one.clone(),
            came,
        }));
        for (of, callees) in &tally.callees {
            let known = self.callees.entry(of.clone()).or_default();
            for callee in callees {
                if !known.contains(callee) {
                    known.push(callee.clone());
                }
            }
        }
        for grown in &tally.grown {
            let series = self.series.entry((grown.seat, grown.kind.0)).or_default();
            self.entries += usize::from(merge(series, Entry { round, by: grown.by }));
        }
    }

    /// How long it is.
    #[must_use]
    pub fn length(&self) -> Interval {
        let first = self.rounds.first().copied().unwrap_or_default();
        let last = self.rounds.last().copied().unwrap_or_default();
        Interval::new(first.start, last.end)
    }

    /// How many rounds there are.
    #[must_use]
    pub const fn rounds(&self) -> usize {
        self.rounds.len()
    }

    /// Two rounds become one.
    fn fold(&mut self) {
        let pairs = self.rounds.chunks(2);
        self.rounds =
            pairs.map(|pair| Interval::new(pair[0].start, pair[pair.len() - 1].end)).collect();
        self.present.fold_any();
        self.silent.fold_all();
        self.news.iter_mut().for_each(|news| news.round /= 2);
        self.entries = 0;
        for series in self.series.values_mut() {
            let mut folded = Vec::with_capacity(series.len() / 2 + 1);
            for entry in series.drain(..) {
                merge(&mut folded, Entry { round: entry.round / 2, ..entry });
            }
            self.entries += folded.len();
            *series = folded;
        }
    }
}

/// Adds to a series; tells whether it became longer.
fn merge(series: &mut Vec<Entry>, entry: Entry) -> bool {
    match series.last_mut().filter(|last| last.round == entry.round) {
        Some(last) => {
            last.by.add(&entry.by);
            false
        }
        None => {
            series.push(entry);
            true
        }
    }
}
