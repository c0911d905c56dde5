//! What threads waited for locks because of whoever held them, pass by pass.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use whyperf_model::matching::{LocationId, LockWait, Totals};
use whyperf_model::{Nanos, Resource, TimeUse};

use super::names::{NumberedResources, Numbers};
use super::{PassAmount, Record, fold_series, merge};

/// A thread waits for a lock because of what another one does that holds it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LockCause {
    /// Who waits, and in which kind of calls.
    pub(crate) location: LocationId,
    pub(crate) kind: u32,
    /// Who holds the lock, and where.
    pub(crate) holder: Resource,
    pub(crate) code: Option<Resource>,
    /// What that thread does.
    pub(crate) spent: TimeUse,
}

/// By cause: in which passes how much was waited.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LockWaits(BTreeMap<LockCause, Vec<PassAmount>>);

/// A cause, and in which passes how much was waited because of it, as bytes.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredLockWait {
    location: u32,
    kind: u32,
    holder: u32,
    code: Option<u32>,
    /// [`TimeUse::number`].
    spent: u8,
    /// Passes since the entry before, and the nanoseconds waited.
    entries: Vec<(u32, u64)>,
}

impl LockWaits {
    /// Adds what was waited in a pass; tells how many entries are new.
    pub(super) fn add(&mut self, pass: u32, waits: &[LockWait]) -> usize {
        let add = |wait: &LockWait| {
            let LockWait { location, kind, spent, time, .. } = *wait;
            let (holder, code) = (wait.holder.clone(), wait.code.clone());
            let cause = LockCause { location, kind: kind.0, holder, code, spent };
            merge(self.0.entry(cause).or_default(), waited(pass, time))
        };
        waits.iter().map(add).filter(|is_new| *is_new).count()
    }

    /// All of them: cause, pass, and how much was waited.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&LockCause, u32, Nanos)> {
        let series = self.0.iter();
        series.flat_map(|(cause, series)| {
            series.iter().map(move |entry| (cause, entry.pass, entry.by.time))
        })
    }

    /// Two passes become one; tells how many entries are left.
    pub(super) fn fold(&mut self) -> usize {
        self.0.values_mut().map(fold_series).sum()
    }

    pub(super) fn stored(&self, names: &mut Numbers<Resource>) -> Vec<StoredLockWait> {
        let stored = self.0.iter().map(|(cause, series)| {
            let mut before = 0;
            let gap = |entry: &PassAmount| {
                (entry.pass - std::mem::replace(&mut before, entry.pass), entry.by.time.0)
            };
            StoredLockWait {
                location: cause.location.0,
                kind: cause.kind,
                holder: names.number(&cause.holder),
                code: cause.code.as_ref().map(|code| names.number(code)),
                spent: cause.spent.number(),
                entries: series.iter().map(gap).collect(),
            }
        });
        stored.collect()
    }

    /// `None` where the bytes make no sense.
    pub(super) fn of(stored: &[StoredLockWait], known: &NumberedResources<'_>) -> Option<Self> {
        let series = stored.iter().map(|stored| {
            let cause = LockCause {
                location: LocationId(stored.location),
                kind: stored.kind,
                holder: known.name(stored.holder)?,
                code: known.optional(stored.code)?,
                spent: TimeUse::from_number(stored.spent)?,
            };
            let mut pass = 0u32;
            let entry = |(gap, time): &(u32, u64)| {
                pass = pass.checked_add(*gap)?;
                Some(waited(pass, Nanos(*time)))
            };
            Some((cause, stored.entries.iter().map(entry).collect::<Option<_>>()?))
        });
        series.collect::<Option<_>>().map(Self)
    }

    /// Whether every number names something that is in the record.
    pub(super) fn is_sound(&self, record: &Record) -> bool {
        self.iter().all(|(cause, pass, _)| {
            (cause.location.0 as usize) < record.locations.len()
                && (cause.kind as usize) < record.kinds.len()
                && (pass as usize) < record.passes.len()
        })
    }

    pub(super) fn len(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }
}

fn waited(pass: u32, time: Nanos) -> PassAmount {
    PassAmount { pass, by: Totals { time, ..Totals::default() } }
}

#[cfg(test)]
mod tests {
    use whyperf_model::matching::ClassId;

    use super::*;

    #[test]
    fn what_is_waited_folds_with_its_passes_and_is_read_as_it_was_written() {
        let holder = Resource::parse("/Process/7/2").expect("well formed");
        let wait = |spent, time| LockWait {
            location: LocationId(3),
            kind: ClassId(1),
            holder: holder.clone(),
            code: None,
            spent,
            time: Nanos(time),
        };
        let mut waits = LockWaits::default();
        let told = [wait(TimeUse::Io, 5), wait(TimeUse::Computing, 2), wait(TimeUse::Io, 1)];
        assert_eq!(waits.add(4, &told), 2);
        assert_eq!(waits.add(5, &told[..1]), 1);
        assert_eq!(waits.fold(), 2);
        let mut names = Numbers::default();
        let mut stored = waits.stored(&mut names);
        let known = NumberedResources(&names.list);
        let again = LockWaits::of(&stored, &known).expect("it was just written");
        assert_eq!(again, waits);
        let told: Vec<_> =
            again.iter().map(|(cause, pass, time)| (cause.spent, pass, time.0)).collect();
        assert_eq!(told, [(TimeUse::Computing, 2, 2), (TimeUse::Io, 2, 11)]);
        stored[0].code = Some(1);
        assert_eq!(LockWaits::of(&stored, &known), None, "there is no second name");
    }
}
