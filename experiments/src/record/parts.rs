//! The growths of a record of one pass in parts of their own: an imported run has millions, which nobody holds at once while they are written.
//!
//! ```text
//!   record          all but its growths        as any other record
//!   record_part     1 | growth | growth | …    a part for some threads
//! ```

use serde::{Deserialize, Serialize};
use whyperf_model::matching::{Grown, LocationId, Totals};

use super::bytes::RecordError;
use super::{PassAmount, Record};

/// The first byte of a part.
const VERSION: u8 = 1;

#[derive(Serialize, Deserialize)]
struct StoredGrowth {
    location: u32,
    kind: u32,
    by: Totals,
}

/// The bytes of a part.
pub(crate) fn part_bytes(grown: &[Grown]) -> Vec<u8> {
    let stored = grown.iter().map(|one| StoredGrowth {
        location: one.location.0,
        kind: one.kind.0,
        by: one.by,
    });
    stored.fold(vec![VERSION], |bytes, growth| {
        postcard::to_extend(&growth, bytes).unwrap_or_default()
    })
}

impl Record {
    /// The record of its bytes and those of its parts.
    ///
    /// # Errors
    /// When they are damaged, or a newer whyperf wrote them.
    pub(crate) fn parse_with(bytes: &[u8], parts: &[Vec<u8>]) -> Result<Self, RecordError> {
        let mut record = Self::parse(bytes)?;
        let mut grown = Vec::new();
        for part in parts {
            let (version, growths) = part.split_first().ok_or(RecordError::Damaged)?;
            if *version > VERSION {
                return Err(RecordError::Newer { found: *version });
            }
            read_growths(growths, &mut grown).ok_or(RecordError::Damaged)?;
            record.add_growths(&mut grown);
        }
        if parts.is_empty() || record.is_sound() { Ok(record) } else { Err(RecordError::Damaged) }
    }

    /// Adds growths, of which none are left. Those of the first part, which mostly has all of them, become series without a search for each.
    fn add_growths(&mut self, grown: &mut Vec<StoredGrowth>) {
        self.entries += grown.len();
        let place = |one: &StoredGrowth| (LocationId(one.location), one.kind);
        let amount = |one: &StoredGrowth| PassAmount { pass: 0, by: one.by };
        if self.series.is_empty() {
            grown.sort_by_key(place);
            let same = grown.chunk_by(|one, other| place(one) == place(other));
            let series = same.map(|same| (place(&same[0]), same.iter().map(amount).collect()));
            self.series = series.collect();
            grown.clear();
        }
        for one in grown.drain(..) {
            let series = self.series.entry(place(&one)).or_default();
            // There is one pass, and room for four takes as much again as all the rest.
            series.reserve_exact(1);
            series.push(amount(&one));
        }
    }
}

fn read_growths(mut bytes: &[u8], grown: &mut Vec<StoredGrowth>) -> Option<()> {
    while !bytes.is_empty() {
        let (growth, rest) = postcard::take_from_bytes(bytes).ok()?;
        grown.push(growth);
        bytes = rest;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::first_thread;
    use whyperf_model::matching::{ClassId, IntervalRecord, Kind};
    use whyperf_model::{Category, Interval, Nanos, Time};

    fn interval_record() -> IntervalRecord {
        let kind = Kind { category: Category::User, code: Vec::new(), object: None, own: None };
        let by = Totals { time: Nanos(7), visits: 300, ..Totals::default() };
        let grown = |location| Grown { location: LocationId(location), kind: ClassId(0), by };
        IntervalRecord {
            interval: Interval::new(Time::ZERO, Time(Nanos(9))),
            locations: [0, 1].map(first_thread).to_vec(),
            kinds: vec![kind],
            grown: vec![grown(0), grown(1)],
            ..IntervalRecord::default()
        }
    }

    /// The same without growths, as bytes.
    fn head() -> Vec<u8> {
        let mut record = Record::default();
        record.add(&IntervalRecord { grown: Vec::new(), ..interval_record() });
        record.bytes()
    }

    #[test]
    fn parts_make_the_record_that_would_have_been_written_at_once() {
        let mut whole = Record::default();
        whole.add(&interval_record());
        let grown = interval_record().grown;
        let parts = [part_bytes(&grown[..1]), part_bytes(&grown[1..])];
        assert_eq!(Record::parse_with(&head(), &parts), Ok(whole));
    }

    #[test]
    fn parts_that_make_no_sense_are_refused() {
        let part = part_bytes(&interval_record().grown);
        let mut elsewhere = interval_record().grown;
        elsewhere[0].location = LocationId(2);
        let newer = [&[9], &part[1..]].concat();
        let told = [Vec::new(), part[..4].to_vec(), part_bytes(&elsewhere), newer]
            .map(|part| Record::parse_with(&head(), &[part]).err());
        let damaged = Some(RecordError::Damaged);
        assert_eq!(told, [damaged, damaged, damaged, Some(RecordError::Newer { found: 9 })]);
    }
}
