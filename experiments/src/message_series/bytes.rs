//! Messages over time as bytes: each route once, its passes by their distance from the one before.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use whyperf_model::{Interval, MessageGrowth, MessageSide, MessageSums, Nanos, Route, Time};

use super::{MessagePass, MessageSeries};

/// The first byte. It is raised when bytes mean something else.
const VERSION: u8 = 1;

/// Why stored bytes are not read as messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageSeriesError {
    /// A newer whyperf wrote them.
    #[error(
        "have version {found} and this whyperf knows versions up to {VERSION}: use a newer whyperf"
    )]
    Newer {
        /// Their version.
        found: u8,
    },
    /// They were cut or changed.
    #[error("make no sense: they are damaged")]
    Damaged,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    /// Where the first pass begins, and how long each is.
    start: u64,
    lengths: Vec<u64>,
    routes: Vec<StoredRoute>,
}

#[derive(Serialize, Deserialize)]
struct StoredRoute {
    job: u32,
    from: Option<u32>,
    to: Option<u32>,
    /// What the sender saw, and what the receiver saw.
    sides: [Vec<StoredEntry>; 2],
}

/// Passes since the entry before, and what was seen.
#[derive(Serialize, Deserialize)]
struct StoredEntry {
    gap: u32,
    number: u64,
    bytes: u64,
    time: u64,
}

impl MessageSeries {
    /// As bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut routes: BTreeMap<Route, [PassGaps; 2]> = BTreeMap::new();
        for (number, pass) in (0u32..).zip(&self.passes) {
            for growth in &pass.grown {
                let sides = routes.entry(growth.route).or_default();
                sides[place(growth.side)].push(number, growth.by);
            }
        }
        let route = |(Route { job, from, to }, sides): (Route, [PassGaps; 2])| StoredRoute {
            job,
            from,
            to,
            sides: sides.map(|side| side.entries),
        };
        let first = self.passes.first();
        let stored = Stored {
            start: first.map_or(0, |first| first.interval.start.0.0),
            lengths: self.passes.iter().map(|pass| pass.interval.length().0).collect(),
            routes: routes.into_iter().map(route).collect(),
        };
        postcard::to_extend(&stored, vec![VERSION]).unwrap_or_default()
    }

    /// The messages of some bytes.
    ///
    /// # Errors
    /// When they are damaged, or a newer whyperf wrote them.
    pub fn parse(bytes: &[u8]) -> Result<Self, MessageSeriesError> {
        let (version, bytes) = bytes.split_first().ok_or(MessageSeriesError::Damaged)?;
        if *version > VERSION {
            return Err(MessageSeriesError::Newer { found: *version });
        }
        let stored = postcard::take_from_bytes(bytes).ok();
        let whole = stored.filter(|(_, rest)| *version == VERSION && rest.is_empty());
        let series = whole.and_then(|(stored, _)| Self::of(stored));
        series.ok_or(MessageSeriesError::Damaged)
    }

    fn of(stored: Stored) -> Option<Self> {
        let mut passes = passes(stored.start, &stored.lengths);
        if !stored.routes.is_sorted_by(|one, next| one.route() < next.route()) {
            return None;
        }
        for of in stored.routes {
            let route = of.route();
            for (side, entries) in SIDES.into_iter().zip(of.sides) {
                let mut next = 0u32;
                for StoredEntry { gap, number, bytes, time } in entries {
                    let at = next.checked_add(gap)?;
                    let by = MessageSums { number, bytes, time: Nanos(time) };
                    passes.get_mut(at as usize)?.grown.push(MessageGrowth { route, side, by });
                    next = at.checked_add(1)?;
                }
            }
        }
        let mut series = Self::default();
        passes.into_iter().for_each(|pass| series.push(pass));
        Some(series)
    }
}

impl StoredRoute {
    const fn route(&self) -> Route {
        Route { job: self.job, from: self.from, to: self.to }
    }
}

/// Entries of one side of a route, and the first pass that the next one may be of.
#[derive(Default)]
struct PassGaps {
    entries: Vec<StoredEntry>,
    next: u32,
}

impl PassGaps {
    fn push(&mut self, pass: u32, MessageSums { number, bytes, time }: MessageSums) {
        self.entries.push(StoredEntry { gap: pass - self.next, number, bytes, time: time.0 });
        self.next = pass + 1;
    }
}

/// In the order of their places.
const SIDES: [MessageSide; 2] = [MessageSide::Sender, MessageSide::Receiver];

const fn place(side: MessageSide) -> usize {
    match side {
        MessageSide::Sender => 0,
        MessageSide::Receiver => 1,
    }
}

fn passes(start: u64, lengths: &[u64]) -> Vec<MessagePass> {
    let mut start = Time(Nanos(start));
    let pass = |length: &u64| {
        let begin = start;
        start = start + Nanos(*length);
        MessagePass { interval: Interval::new(begin, start), grown: Vec::new() }
    };
    lengths.iter().map(pass).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Some messages of one side of a route; sums of all sizes, as zero and the largest are stored in other lengths.
    fn growth() -> impl Strategy<Value = MessageGrowth> {
        let rank = || proptest::option::of(0..5_u32);
        let sum = || prop_oneof![0..4_u64, any::<u64>()];
        let side = proptest::sample::select(SIDES.to_vec());
        let route = (0..2_u32, rank(), rank()).prop_map(|(job, from, to)| Route { job, from, to });
        (route, side, sum(), sum(), sum()).prop_map(|(route, side, number, bytes, time)| {
            MessageGrowth { route, side, by: MessageSums { number, bytes, time: Nanos(time) } }
        })
    }

    /// Passes without a gap between them, with a length and what came in each.
    fn series() -> impl Strategy<Value = MessageSeries> {
        let pass = || (0..1_000_u64, proptest::collection::vec(growth(), 0..8));
        (0..50_u64, proptest::collection::vec(pass(), 0..30)).prop_map(|(mut start, passes)| {
            let mut series = MessageSeries::default();
            for (length, grown) in passes {
                let interval = Interval::new(Time(Nanos(start)), Time(Nanos(start + length)));
                series.add(interval, &grown);
                start += length;
            }
            series
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(series in series()) {
            let bytes = series.bytes();
            // An empty series has no beginning.
            prop_assert_eq!(MessageSeries::parse(&bytes), Ok(series));
        }

        #[test]
        fn cut_bytes_are_refused(series in series(), part in 0.0..1.0_f64) {
            let bytes = series.bytes();
            let length = (bytes.len() as f64 * part) as usize;
            prop_assert_eq!(MessageSeries::parse(&bytes[..length]), Err(MessageSeriesError::Damaged));
        }

        #[test]
        fn changed_bytes_are_refused_or_mean_something_that_is_written_alike(
            series in series(),
            at in any::<proptest::sample::Index>(),
            by in 1..=u8::MAX,
        ) {
            let mut bytes = series.bytes();
            let at = at.index(bytes.len());
            bytes[at] ^= by;
            if let Ok(read) = MessageSeries::parse(&bytes) {
                prop_assert_eq!(MessageSeries::parse(&read.bytes()), Ok(read));
            }
        }
    }

    fn stored(gaps: &[u32], routes: &[u32]) -> Vec<u8> {
        let entry = |gap: &u32| StoredEntry { gap: *gap, number: 1, bytes: 8, time: 3 };
        let route = |from: &u32| StoredRoute {
            job: 0,
            from: Some(*from),
            to: None,
            sides: [gaps.iter().map(entry).collect(), Vec::new()],
        };
        let routes = routes.iter().map(route).collect();
        let stored = Stored { start: 0, lengths: vec![10; 4], routes };
        postcard::to_extend(&stored, vec![VERSION]).expect("plain data")
    }

    #[test]
    fn numbers_that_name_nothing_are_refused() {
        let is_read =
            |gaps: &[u32], routes: &[u32]| MessageSeries::parse(&stored(gaps, routes)).is_ok();
        assert!(is_read(&[0, 2], &[0, 1]));
        assert!(!is_read(&[0, 3], &[0, 1]), "there is no fifth pass");
        assert!(!is_read(&[u32::MAX, u32::MAX], &[0]));
        assert!(!is_read(&[0], &[1, 0]) && !is_read(&[0], &[1, 1]), "each route once, in order");
        let more = [stored(&[0], &[0]), vec![0]].concat();
        assert_eq!(MessageSeries::parse(&more), Err(MessageSeriesError::Damaged));
    }

    #[test]
    fn a_newer_version_is_named() {
        let newer = MessageSeries::parse(&[VERSION + 1, 0]);
        assert_eq!(newer, Err(MessageSeriesError::Newer { found: VERSION + 1 }));
        assert_eq!(MessageSeries::parse(&[0, 0]), Err(MessageSeriesError::Damaged));
    }
}
