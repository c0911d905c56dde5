//! The pairs that are being measured: what each asks for, its amount so far, its histogram.

use whyperf_model::{
    CategorySet, Focus, Hierarchy, Histogram, Interval, Metric, Nanos, Pair, Quantity, Sample,
};

use crate::callpath::Class;
use crate::resources::{Part, Resources};

/// A pair that is being measured. Never used again after it was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairId(pub(crate) u32);

/// A metric at a focus, in numbers.
#[derive(Debug)]
pub(crate) struct Active {
    pub(crate) pair: Pair,
    pub(crate) group: u32,
    pub(crate) quantity: Quantity,
    categories: CategorySet,
    what: [Part; 3],
    /// What came in since the last sample.
    pub(crate) amount: i64,
    pub(crate) histogram: Histogram,
}

/// What nodes of one class grew by, over the threads of one group.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) time: Nanos,
    pub(crate) running: Nanos,
    pub(crate) visits: u64,
    pub(crate) sent: u64,
    pub(crate) received: u64,
}

impl Totals {
    pub(crate) fn add(&mut self, other: &Self) {
        self.time += other.time;
        self.running += other.running;
        self.visits = self.visits.saturating_add(other.visits);
        self.sent = self.sent.saturating_add(other.sent);
        self.received = self.received.saturating_add(other.received);
    }

    fn quantity(&self, quantity: Quantity) -> i64 {
        let amount = match quantity {
            Quantity::Time => self.time.0,
            Quantity::RunningTime => self.running.0,
            Quantity::Visits => self.visits,
            Quantity::BytesOut => self.sent,
            Quantity::BytesIn => self.received,
            Quantity::Bytes => self.sent.saturating_add(self.received),
            Quantity::Processes | Quantity::Cost => 0,
        };
        i64::try_from(amount).unwrap_or(i64::MAX)
    }
}

impl Active {
    pub(crate) fn new(
        metric: Metric,
        focus: &Focus,
        group: u32,
        histogram: Histogram,
        resources: &mut Resources,
    ) -> Self {
        let definition = metric.definition();
        let what = [Hierarchy::Code, Hierarchy::SyncObject, Hierarchy::File]
            .map(|hierarchy| Part::of(focus, hierarchy, resources));
        Self {
            pair: Pair::new(metric, focus.clone()),
            group,
            quantity: definition.quantity,
            categories: definition.categories,
            what,
            amount: 0,
            histogram,
        }
    }

    pub(crate) fn matches(&self, class: &Class) -> bool {
        let [code, objects @ ..] = &self.what;
        // Time in a function is also that in what it calls; its calls are its own alone.
        let is_call = self.pair.metric == Metric::Calls;
        let lineage = if is_call { &class.own_lineage } else { &class.lineage };
        self.categories.contains(class.traits.category)
            && code.admits(lineage)
            && objects.iter().all(|part| part.admits(&class.lineage))
    }

    pub(crate) fn take(&mut self, totals: &Totals) {
        self.amount = self.amount.saturating_add(totals.quantity(self.quantity));
    }

    /// Ends an interval: what came in becomes a sample, unless nobody was there to report.
    pub(crate) fn close(
        &mut self,
        interval: Interval,
        reported: u32,
        expected: u32,
    ) -> Option<Sample> {
        if interval.is_empty() {
            // No time passed: what came in belongs to the next interval that has some.
            return None;
        }
        let amount = std::mem::take(&mut self.amount);
        if reported == 0 {
            return None;
        }
        self.histogram.add(interval, amount);
        Some(Sample { interval, amount, reported, expected })
    }
}
