//! The pairs that are being measured: what each asks for, its amount so far, its histogram.

use serde::{Deserialize, Serialize};

use super::classes::{Class, ClassId, Classes};
use super::resources::{Part, ResourceId, Resources, ThreadPlace};
use crate::{
    Category, CategorySet, Comparison, Focus, FocusMembership, Hierarchy, Histogram, Interval,
    Metric, Nanos, Pair, Quantity, Sample,
};

/// A pair that is being measured. Never used again after it was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairId(pub u32);

/// A metric at a focus, in numbers: what counts for it.
#[derive(Debug)]
pub(super) struct Asked {
    pair: Pair,
    what: [Part; 4],
    who: [Part; 2],
    /// Whether functions that are watched for a pair hold what they call.
    holds_calls: bool,
}

/// A pair that is being measured, in numbers.
#[derive(Debug)]
pub struct Active {
    /// What was asked for.
    pub pair: Pair,
    /// Which processes and machines it speaks of.
    pub group: u32,
    /// The word of a node that counts.
    pub quantity: Quantity,
    asked: Asked,
    comparison: Option<Comparison>,
    /// What came in since the last sample.
    pub amount: i64,
    /// Its samples so far.
    pub histogram: Histogram,
}

/// What nodes of one class grew by, over the threads of one group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Exclusive time.
    pub time: Nanos,
    /// Of the time, what the operating system says the thread ran; in calls that wait, while others had no processor.
    pub running: Nanos,
    /// Calls that ended.
    pub visits: u64,
    /// Bytes sent or written; of counters and gauges, what was added; of what the kernel or the processor counts, and of what is derived, how much.
    pub sent: u64,
    /// Bytes received or read; of counters and gauges, what was taken away; of what is counted, one standard error squared where it is an estimate.
    pub received: u64,
}

impl Totals {
    /// So much was counted, with one standard error squared.
    #[must_use]
    pub fn counted(amount: u64, variance: u64) -> Self {
        Self { sent: amount, received: variance, ..Self::default() }
    }

    /// Adds what others grew by.
    pub fn add(&mut self, other: &Self) {
        self.time += other.time;
        self.running += other.running;
        self.visits = self.visits.saturating_add(other.visits);
        self.sent = self.sent.saturating_add(other.sent);
        self.received = self.received.saturating_add(other.received);
    }

    /// What was added, less what was taken away.
    fn net(&self) -> i64 {
        let sum = i128::from(self.sent) - i128::from(self.received);
        let limit = if sum < 0 { i64::MIN } else { i64::MAX };
        i64::try_from(sum).unwrap_or(limit)
    }

    pub(super) fn quantity(&self, quantity: Quantity) -> i64 {
        let amount = match quantity {
            Quantity::Time => self.time.0,
            Quantity::RunningTime => self.running.0,
            Quantity::Visits => self.visits,
            Quantity::BytesOut | Quantity::Counted | Quantity::Derived => self.sent,
            Quantity::BytesIn => self.received,
            Quantity::Net => return self.net(),
            Quantity::Bytes => self.sent.saturating_add(self.received),
            Quantity::Processes | Quantity::Cost => 0,
        };
        i64::try_from(amount).unwrap_or(i64::MAX)
    }
}

/// A process whose nodes were just read: its number, and its resource and machine with all above them, sorted.
#[derive(Clone, Copy, Debug)]
pub struct OneProcess<'a> {
    /// What tells it from others.
    pub number: u32,
    /// Whom it is compared with: those of the same job.
    pub job: u32,
    /// What it lies in.
    pub lineage: &'a [ResourceId],
}

impl Asked {
    pub(super) fn new(pair: Pair, resources: &mut Resources) -> Self {
        let mut part = |hierarchy| Part::of(&pair.focus, hierarchy, resources);
        let [object, file, event] = Hierarchy::OBJECTS.map(&mut part);
        let what = [part(Hierarchy::Code), object, file, event];
        let who = [Hierarchy::Process, Hierarchy::Machine].map(&mut part);
        let categories = pair.metric.definition().categories;
        // What the program itself tells is told by the function that is watched, too.
        let holds_calls = categories.contains(Category::Function)
            || !categories.is_disjoint(CategorySet::USER_EVENT);
        Self { pair, what, who, holds_calls }
    }

    /// Whether something with this sorted lineage (process, thread and machine) is in the focus.
    pub(super) fn includes(&self, lineage: &[ResourceId]) -> bool {
        self.who.iter().all(|part| part.admits(lineage))
    }

    /// Whether a thread and its machine are in the focus.
    pub(super) fn includes_thread(&self, place: ThreadPlace, resources: &Resources) -> bool {
        let is_in = |part: &Part| place.into_iter().any(|one| part.holds(one, resources));
        self.who.iter().all(is_in)
    }

    /// Whether any thread is in the focus.
    pub(super) fn is_of_all_threads(&self) -> bool {
        self.who.iter().all(|part| part.resources().is_empty())
    }

    /// The classes whose nodes count for it, in the order of their numbers: of those that lie in one of its parts, as all of them do.
    pub(super) fn matching(&self, classes: &Classes) -> Vec<ClassId> {
        let matches = |class: &ClassId| self.matches(classes.get(*class));
        let restricting = self.what.iter().map(Part::resources).filter(|part| !part.is_empty());
        let count = |part: &&[ResourceId]| -> usize {
            part.iter().map(|one| classes.inside(*one).len()).sum()
        };
        let Some(narrowest) = restricting.min_by_key(count) else {
            return classes.ids().filter(matches).collect();
        };
        let inside = narrowest.iter().flat_map(|one| classes.inside(*one));
        let mut found: Vec<ClassId> = inside.copied().filter(matches).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether nodes of a class count for it.
    ///
    /// Time in a function is also that in what it calls; its calls are its own alone. Waits have their place where they are called,
    /// whatever else is being watched meanwhile.
    pub(super) fn matches(&self, class: &Class) -> bool {
        let [code, objects @ ..] = &self.what;
        let lineage = match self.pair.metric {
            Metric::Calls => &class.own_lineage,
            _ if self.holds_calls => &class.lineage,
            _ => &class.standing_lineage,
        };
        class.traits.counts_for(self.pair.metric.definition())
            && code.admits(lineage)
            && objects.iter().all(|part| part.admits(&class.lineage))
    }
}

impl Active {
    /// A pair of a group, with an empty histogram.
    pub fn new(
        metric: Metric,
        focus: &Focus,
        group: u32,
        histogram: Histogram,
        resources: &mut Resources,
    ) -> Self {
        let definition = metric.definition();
        let pair = Pair::new(metric, focus.clone());
        Self {
            pair: pair.clone(),
            group,
            quantity: definition.quantity,
            asked: Asked::new(pair, resources),
            comparison: Some(definition.aggregation)
                .filter(|aggregation| aggregation.compares())
                .map(Comparison::new),
            amount: 0,
            histogram,
        }
    }

    /// The pair of a user, who has its functions watched all the time: waits inside of them count, too.
    #[must_use]
    pub fn by_name(mut self) -> Self {
        self.asked.holds_calls = true;
        self
    }

    /// Whether nodes of a class count for it.
    pub fn matches(&self, class: &Class) -> bool {
        self.asked.matches(class)
    }

    /// Nodes that count for it grew.
    pub fn take(&mut self, totals: &Totals) {
        self.amount = self.amount.saturating_add(totals.quantity(self.quantity));
    }

    /// Whether it sets processes side by side.
    pub(super) const fn compares(&self) -> bool {
        self.comparison.is_some()
    }

    /// A process is there, to be compared with others.
    pub(super) fn watch(&mut self, process: &OneProcess<'_>) {
        let membership = self.membership(process);
        if let Some(comparison) = &mut self.comparison {
            comparison.watch((process.job, process.number), membership);
        }
    }

    /// Nodes of one process that count for it grew.
    pub(super) fn take_apart(
        &mut self,
        process: &OneProcess<'_>,
        object: Option<ResourceId>,
        totals: &Totals,
    ) {
        let membership = self.membership(process);
        if let Some(comparison) = &mut self.comparison {
            let amount = totals.quantity(self.quantity);
            let peer = (process.job, process.number);
            comparison.take(peer, membership, object.map(|id| id.0), amount);
        }
    }

    fn membership(&self, process: &OneProcess<'_>) -> FocusMembership {
        let is_inside = self.asked.includes(process.lineage);
        if is_inside { FocusMembership::Inside } else { FocusMembership::Outside }
    }

    /// Sets what processes have side by side; `is_there` says which of them still are.
    pub(super) fn compare(&mut self, is_there: impl Fn(u32) -> bool) {
        if let Some(comparison) = &mut self.comparison {
            self.amount = self.amount.saturating_add(comparison.close(is_there));
        }
    }

    /// Ends an interval: what came in becomes a sample, unless no thread was there to report.
    pub fn close(&mut self, interval: Interval, reported: u32, expected: u32) -> Option<Sample> {
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
