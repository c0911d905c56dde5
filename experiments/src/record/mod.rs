//! The record of a run: by how much every kind of node grew in every thread, pass by pass, in bounded room.
//!
//! ```text
//!   passes   |  1  |  2  |  3  |  4  | ...            at first those of the daemon, some 50 ms each
//!   fold     |     1     |     2     | ...            when they are too many, two become one: amounts add up, no amount is lost
//! ```
//! As long as nothing was folded a record gives back exactly the samples that the daemon gave. It takes some twelve bytes for each
//! thread, kind and pass in which something grew: [`Record::MOST_PASSES`] passes at most, and fewer where threads and kinds are so
//! many that there were more than [`Record::MOST_ENTRIES`] of them.

mod bytes;
mod jobs;
mod kind_sums;
mod lock_waits;
mod names;
mod parts;
mod pass_events;
mod span;

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::matching::{IntervalRecord, Kind, Line, Location, LocationId, Totals, Worked};
use whyperf_model::{Interval, Nanos, Pair, Resource, Time};

pub use self::bytes::RecordError;
pub(crate) use self::kind_sums::{GrownKinds, KindSums, RunShape};
use self::lock_waits::LockWaits;
pub(crate) use self::parts::part_bytes;
pub(crate) use self::pass_events::PassEvents;
use self::span::Spans;

/// The thread that tests know of a rank, whose numbers are the same.
#[cfg(test)]
pub(crate) fn first_thread(rank: u32) -> Location {
    let resource = |path: &str| Resource::parse(path).expect("well formed");
    Location {
        number: rank,
        rank: Some(rank),
        thread: resource(&format!("/Process/{rank}/0")),
        process: resource(&format!("/Process/{rank}")),
        machine: resource("/Machine/a"),
    }
}

/// A run in full.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    pub(crate) passes: Vec<Interval>,
    pub(crate) locations: Vec<Location>,
    pub(crate) kinds: Vec<Kind>,
    /// When locations were taken.
    pub(crate) present: Spans,
    /// When processes did not report.
    pub(crate) silent: Spans,
    /// When first threads of ranks were between `MPI_Init` and `MPI_Finalize`, by location; older records do not say it.
    pub(crate) at_work: Option<Spans>,
    /// Threads of which the system does not say how much they ran, by location; older records do not say it.
    pub(crate) untold: BTreeSet<u32>,
    /// How much of a pass was the end of MPI, by location.
    pub(crate) endings: PassEvents<(u32, Nanos)>,
    /// On which machine processes run.
    pub(crate) placed: PassEvents<(Resource, Resource)>,
    /// What came, and what went.
    pub(crate) news: PassEvents<News>,
    /// How often functions are called per second.
    pub(crate) prices: PassEvents<(Resource, f64)>,
    /// What is measured in windows from then on, and the share of the time that they cover.
    pub(crate) hot: PassEvents<(Pair, f64)>,
    /// Phases that begin at the end of a pass.
    pub(crate) phases: PassEvents<String>,
    /// What functions call, as far as a search asked.
    pub(crate) callees: BTreeMap<Resource, Vec<Resource>>,
    /// By location and number of the kind: the passes in which it grew.
    pub(crate) series: BTreeMap<(LocationId, u32), Vec<PassAmount>>,
    /// Because of whom threads waited for locks; older records do not say it.
    pub(crate) lock_waits: LockWaits,
    /// By rank: the code in which it computed longer than the others; older records do not say it.
    pub(crate) codes_of_excess: BTreeMap<Resource, Resource>,
    /// Where in the source all that grew was called.
    pub(crate) lines: Vec<Line>,
    entries: usize,
}

/// By how much something grew in a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PassAmount {
    pub(crate) pass: u32,
    pub(crate) by: Totals,
}

/// A resource that came or went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct News {
    pub(crate) resource: Resource,
    pub(crate) came: bool,
}

impl Record {
    /// A record has at most so many passes.
    pub const MOST_PASSES: usize = 1000;
    /// A record has at most so many growths, unless passes become too few to judge by.
    pub const MOST_ENTRIES: usize = 1 << 19;
    /// A record has so many passes however large it is.
    const FEW_PASSES: usize = 64;

    /// Adds a pass, the next in time.
    pub fn add(&mut self, interval_record: &IntervalRecord) {
        let is_large = self.entries >= Self::MOST_ENTRIES && self.passes.len() > Self::FEW_PASSES;
        if self.passes.len() >= Self::MOST_PASSES || is_large {
            self.fold();
        }
        let pass = u32::try_from(self.passes.len()).unwrap_or(u32::MAX);
        self.passes.push(interval_record.interval);
        self.locations.extend_from_slice(&interval_record.locations);
        self.kinds.extend_from_slice(&interval_record.kinds);
        interval_record.present.iter().for_each(|location| self.present.mark(location.0, pass));
        interval_record.silent.iter().for_each(|process| self.silent.mark(*process, pass));
        self.untold.extend(interval_record.untold.iter().map(|location| location.0));
        let at_work = self.at_work.get_or_insert_default();
        for Worked { location, ending } in &interval_record.at_work {
            at_work.mark(location.0, pass);
            if !ending.is_zero() {
                self.endings.push(pass, (location.0, *ending));
            }
        }
        let came = interval_record.appeared.iter().map(|one| (one, true));
        let went = interval_record.retired.iter().map(|one| (one, false));
        for (one, came) in came.chain(went) {
            self.news.push(pass, News { resource: one.clone(), came });
        }
        interval_record.placed.iter().for_each(|placed| self.placed.push(pass, placed.clone()));
        interval_record.hot.iter().for_each(|hot| self.hot.push(pass, hot.clone()));
        interval_record.prices.iter().for_each(|(of, rate)| self.price(pass, of, *rate));
        for (of, callees) in &interval_record.callees {
            let known = self.callees.entry(of.clone()).or_default();
            for callee in callees {
                if !known.contains(callee) {
                    known.push(callee.clone());
                }
            }
        }
        for grown in &interval_record.grown {
            let series = self.series.entry((grown.location, grown.kind.0)).or_default();
            self.entries += usize::from(merge(series, PassAmount { pass, by: grown.by }));
        }
        self.entries += self.lock_waits.add(pass, &interval_record.lock_waits);
    }

    /// A phase began at the end of the last pass that was over then.
    pub fn begin_phase(&mut self, now: Time, name: &str) {
        let pass = self.passes.partition_point(|pass| pass.end < now);
        let last = self.passes.len().saturating_sub(1);
        let pass = u32::try_from(pass.min(last)).unwrap_or(u32::MAX);
        self.phases.push(pass, name.to_owned());
    }

    /// Takes in where in the source all that grew so far was called.
    pub fn set_lines(&mut self, lines: &[Line]) {
        lines.clone_into(&mut self.lines);
    }

    /// Takes in the code in which ranks computed longer than the others so far.
    pub fn set_codes_of_excess(&mut self, codes: &BTreeMap<Resource, Resource>) {
        codes.clone_into(&mut self.codes_of_excess);
    }

    /// Rates are told again and again: one that is about as it was is not stored again.
    fn price(&mut self, pass: u32, of: &Resource, rate: f64) {
        let before = self.prices.iter().rev().find(|(known, _)| known == of);
        let is_as_it_was = |before: f64| rate <= before * STEADY && before <= rate * STEADY;
        if !before.is_some_and(|(_, before)| is_as_it_was(*before)) {
            self.prices.push(pass, (of.clone(), rate));
        }
    }

    /// How long it is.
    #[must_use]
    pub fn length(&self) -> Interval {
        let first = self.passes.first().copied().unwrap_or_default();
        let last = self.passes.last().copied().unwrap_or_default();
        Interval::new(first.start, last.end)
    }

    /// How many passes there are.
    #[must_use]
    pub const fn passes(&self) -> usize {
        self.passes.len()
    }

    /// Two passes become one.
    fn fold(&mut self) {
        let pairs = self.passes.chunks(2);
        self.passes =
            pairs.map(|pair| Interval::new(pair[0].start, pair[pair.len() - 1].end)).collect();
        self.present.fold_any();
        self.silent.fold_all();
        // Half a pass of `MPI_Init` is better left out than taken for work.
        self.at_work.iter_mut().for_each(Spans::fold_all);
        self.endings.fold();
        self.placed.fold();
        self.news.fold();
        self.prices.fold();
        self.hot.fold();
        self.phases.fold();
        self.entries = self.series.values_mut().map(fold_series).sum();
        self.entries += self.lock_waits.fold();
    }
}

/// Two passes of a series become one; tells how long it is now.
fn fold_series(series: &mut Vec<PassAmount>) -> usize {
    let mut folded = Vec::with_capacity(series.len() / 2 + 1);
    for entry in series.drain(..) {
        merge(&mut folded, PassAmount { pass: entry.pass / 2, ..entry });
    }
    *series = folded;
    series.len()
}

/// A rate within this factor of another is about the same.
const STEADY: f64 = 1.5;

/// Adds to a series; tells whether it became longer.
fn merge(series: &mut Vec<PassAmount>, entry: PassAmount) -> bool {
    match series.last_mut().filter(|last| last.pass == entry.pass) {
        Some(last) => {
            last.by.add(&entry.by);
            false
        }
        None => {
            if series.is_empty() {
                // An imported run has a million series of one pass each, and room for four takes as much again as all the rest.
                series.reserve_exact(1);
            }
            series.push(entry);
            true
        }
    }
}
