//! What the threads of a run together came to, by kind: enough for what is asked of all threads over all of the run.
//!
//! ```text
//!   shape   1 | names | resources | kinds       what there was: mostly the same in runs of one program
//!   sums    1 | when the run was | a sum for each kind
//! ```
//! Kinds are sorted by name, so that runs which met them in another order have the same shape.

use serde::{Deserialize, Serialize};
use whyperf_model::matching::{Grown, Kind, Totals};
use whyperf_model::{Hierarchy, Interval, Nanos, Resource, Time};

use super::Record;
use super::names::{NumberedResources, Numbers, StoredKind};
use crate::program_event::ProgramEvent;

/// The first byte of either.
const VERSION: u8 = 1;

/// What a run was made of, without its threads and machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunShape {
    pub(crate) event: ProgramEvent,
    pub(crate) kinds: Vec<Kind>,
}

/// What all threads of a run came to, by the position of the kind in its shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KindSums {
    pub(crate) interval: Interval,
    pub(crate) by_kind: Vec<Totals>,
}

/// What grew of each kind, by the number of the kind in a record.
#[derive(Clone, Debug, Default)]
pub(crate) struct GrownKinds(Vec<Totals>);

#[derive(Serialize, Deserialize)]
struct StoredShape {
    names: Vec<Resource>,
    resources: Vec<u32>,
    kinds: Vec<StoredKind>,
}

#[derive(Serialize, Deserialize)]
struct StoredSums {
    began: u64,
    ended: u64,
    by_kind: Vec<Totals>,
}

impl RunShape {
    /// As bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut names = Numbers::default();
        let resources = self.event.resources().map(|one| names.number(one)).collect();
        let kinds = self.kinds.iter().map(|kind| names.kind(kind)).collect();
        let stored = StoredShape { names: names.list, resources, kinds };
        postcard::to_extend(&stored, vec![VERSION]).unwrap_or_default()
    }

    /// Of its bytes; `None` where they make no sense, or a newer whyperf wrote them.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let stored: StoredShape = postcard::from_bytes(bytes.strip_prefix(&[VERSION])?).ok()?;
        let known = NumberedResources(&stored.names);
        let kinds = stored.kinds.iter().map(|kind| known.kind(kind)).collect::<Option<_>>()?;
        Some(Self { event: ProgramEvent::new(known.all(&stored.resources)?), kinds })
    }

    /// What tells shapes apart: FNV-1a of 128 bits of their bytes.
    pub(crate) fn digest(bytes: &[u8]) -> [u8; 16] {
        let step = |hash: u128, byte: &u8| (hash ^ u128::from(*byte)).wrapping_mul(FNV_PRIME);
        bytes.iter().fold(FNV_OFFSET, step).to_le_bytes()
    }
}

const FNV_OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const FNV_PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

impl KindSums {
    /// As bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let Interval { start, end } = self.interval;
        let by_kind = self.by_kind.clone();
        let stored = StoredSums { began: start.0.0, ended: end.0.0, by_kind };
        postcard::to_extend(&stored, vec![VERSION]).unwrap_or_default()
    }

    /// Of its bytes; `None` where they make no sense, or a newer whyperf wrote them.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let stored: StoredSums = postcard::from_bytes(bytes.strip_prefix(&[VERSION])?).ok()?;
        let interval = Interval::new(Time(Nanos(stored.began)), Time(Nanos(stored.ended)));
        Some(Self { interval, by_kind: stored.by_kind })
    }
}

impl GrownKinds {
    /// Nodes of kinds grew.
    pub(crate) fn add(&mut self, grown: &[Grown]) {
        grown.iter().for_each(|one| self.grew(one.kind.0, &one.by));
    }

    fn grew(&mut self, kind: u32, by: &Totals) {
        let at = kind as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, Totals::default());
        }
        self.0[at].add(by);
    }
}

impl Record {
    /// One that has these kinds, and no time yet.
    pub(crate) fn of_kinds(kinds: Vec<Kind>) -> Self {
        Self { kinds, ..Self::default() }
    }

    /// What grew of each kind over all of the run.
    pub(crate) fn grown_kinds(&self) -> GrownKinds {
        let mut grown = GrownKinds::default();
        for ((_, kind), series) in &self.series {
            series.iter().for_each(|entry| grown.grew(*kind, &entry.by));
        }
        grown
    }

    /// The shape of a run that had these resources, and its sums.
    pub(crate) fn summed(
        &self,
        grown: &GrownKinds,
        resources: impl IntoIterator<Item = Resource>,
    ) -> (RunShape, KindSums) {
        let is_of_threads =
            |one: &Resource| [Hierarchy::Process, Hierarchy::Machine].contains(&one.hierarchy());
        let event = ProgramEvent::new(resources.into_iter().filter(|one| !is_of_threads(one)));
        let mut kinds: Vec<(&Kind, Totals)> = (0..)
            .zip(&self.kinds)
            .map(|(at, kind): (usize, _)| (kind, grown.0.get(at).copied().unwrap_or_default()))
            .collect();
        let name = |kind: &Kind| (kind.category.number(), kind.code.clone(), kind.object.clone());
        kinds.sort_by_cached_key(|(kind, _)| (name(kind), kind.own.clone()));
        let (kinds, by_kind) = kinds.into_iter().map(|(kind, sum)| (kind.clone(), sum)).unzip();
        (RunShape { event, kinds }, KindSums { interval: self.length(), by_kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::first_thread;
    use whyperf_model::Category;
    use whyperf_model::matching::{ClassId, IntervalRecord, LocationId};

    fn resource(path: &str) -> Resource {
        Resource::parse(path).expect("well formed")
    }

    /// A record of two threads, which met these functions.
    fn record(functions: &[(&str, u64)]) -> Record {
        let kind = |(name, _): &(&str, u64)| {
            let own = Some(resource(&format!("/Code/a.c/{name}")));
            Kind {
                category: Category::User,
                code: own.iter().cloned().collect(),
                object: None,
                own,
            }
        };
        let grown = |location| {
            let of = move |(kind, (_, visits)): (u32, &(&str, u64))| Grown {
                location: LocationId(location),
                kind: ClassId(kind),
                by: Totals { visits: *visits, ..Totals::default() },
            };
            (0..).zip(functions).map(of)
        };
        let mut record = Record::default();
        record.add(&IntervalRecord {
            interval: Interval::new(Time(Nanos(3)), Time(Nanos(9))),
            locations: [0, 1].map(first_thread).to_vec(),
            kinds: functions.iter().map(kind).collect(),
            grown: grown(0).chain(grown(1)).collect(),
            ..IntervalRecord::default()
        });
        record
    }

    fn summed(record: &Record) -> (RunShape, KindSums) {
        let resources = ["/Code/a.c/f", "/Code/a.c/g", "/Process/0/0", "/Machine/a"];
        record.summed(&record.grown_kinds(), resources.map(resource))
    }

    #[test]
    fn runs_that_met_the_same_in_another_order_have_one_shape() {
        let one = summed(&record(&[("f", 1), ("g", 20)]));
        let other = summed(&record(&[("g", 300), ("f", 4000)]));
        let [digest, same] = [&one, &other].map(|(shape, _)| RunShape::digest(&shape.bytes()));
        assert_eq!((digest, &one.0), (same, &other.0));
        let visits =
            |sums: &KindSums| sums.by_kind.iter().map(|sum| sum.visits).collect::<Vec<_>>();
        assert_eq!([visits(&one.1), visits(&other.1)], [[2, 40], [8000, 600]]);
        let names: Vec<&str> = one.0.event.resources().map(Resource::path).collect();
        assert_eq!(names, ["/Code", "/Code/a.c", "/Code/a.c/f", "/Code/a.c/g"]);
    }

    #[test]
    fn both_come_back_and_bytes_that_make_no_sense_are_refused() {
        let (shape, sums) = summed(&record(&[("f", 1), ("g", 20)]));
        let bytes = [shape.bytes(), sums.bytes()];
        assert_eq!(RunShape::parse(&bytes[0]), Some(shape));
        assert_eq!(KindSums::parse(&bytes[1]), Some(sums));
        for cut in 0..bytes[0].len() {
            assert_eq!(RunShape::parse(&bytes[0][..cut]), None);
        }
        assert_eq!(KindSums::parse(&[&[9], &bytes[1][1..]].concat()), None, "a newer one");
    }
}
