//! The jobs of a record: which processes worked together as ranks, and since when.

use std::collections::BTreeMap;

use whyperf_model::{Effort, Jobs};

use super::Record;
use super::span::Span;

impl Record {
    /// What each process had done before it did anything, in the order in which they were found: nothing, but in which job.
    pub(crate) fn idle_efforts(&self) -> BTreeMap<u32, Effort> {
        let mut efforts: BTreeMap<u32, Effort> =
            self.locations.iter().map(|location| (location.number, Effort::default())).collect();
        let mut works: Vec<(Span, u32, u32)> = self.works().collect();
        works.sort_by_key(|(span, number, _)| (span.first, *number));
        let (mut jobs, mut ends) = (Jobs::default(), Vec::new());
        for (span, number, rank) in works {
            let left = ends.iter().filter(|(end, _)| *end < span.first);
            left.for_each(|(_, job)| jobs.leave(*job));
            let job = jobs.join(rank);
            ends.push((span.last, job));
            efforts.insert(number, Effort { job, ..Effort::default() });
        }
        efforts
    }

    /// The pass in which each process began to work as a rank.
    pub(crate) fn begins(&self) -> Option<BTreeMap<u32, u32>> {
        self.at_work.as_ref()?;
        Some(self.works().map(|(span, number, _)| (number, span.first)).collect())
    }

    /// From when to when a process worked, its number and its rank.
    fn works(&self) -> impl Iterator<Item = (Span, u32, u32)> {
        let each = self.at_work.iter().flat_map(|at_work| &at_work.0);
        let works = each.filter_map(|(location, spans)| {
            let location = &self.locations[*location as usize];
            let span = Span { first: spans.first()?.first, last: spans.last()?.last };
            Some((location.number, (span, location.rank?)))
        });
        let mut whole: BTreeMap<u32, (Span, u32)> = BTreeMap::new();
        for (number, (span, rank)) in works {
            let (known, _) = whole.entry(number).or_insert((span, rank));
            *known = Span { first: known.first.min(span.first), last: known.last.max(span.last) };
        }
        whole.into_iter().map(|(number, (span, rank))| (span, number, rank))
    }
}
