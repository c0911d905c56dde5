//! The observed cost of measuring, and the losses of a run.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use rustix::time::{ClockId, clock_gettime};
use whyperf_instrument::OutsideCost;
use whyperf_model::{Nanos, Scale};

use crate::compensation::Prices;
use crate::event_form::EventForm;
use crate::region::RegionMemory;
use crate::thread::{MeasuredThread, NodeGrowth, NodeState};

/// What measuring cost, as a share of the time of the process it cost most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ObservedCost {
    /// In the interval just past.
    pub now: f64,
    /// Of that, what events took.
    pub events_now: f64,
    /// What the functions that are on for pairs would take of what is left for them if none had to rest, at
    /// the highest price of a call: at the limit, all of it.
    pub answering: f64,
    /// Over the run.
    pub mean: f64,
    /// Over the worst second.
    pub max: f64,
    /// Processor time of the daemon itself so far.
    pub daemon: Nanos,
    /// What makes up the mean: in each interval, of the process that paid most.
    pub parts: ProcessCost,
    /// The time that it is a part of.
    pub lived: Nanos,
}

/// What a process paid, by what for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessCost {
    /// Its own events.
    pub events: Nanos,
    /// Of them, those of functions that are switched on.
    pub functions: Nanos,
    /// Calls of functions that keep a jump and are not switched on.
    pub at_rest: Nanos,
    /// Threads that stood still while their stacks were copied.
    pub pauses: Nanos,
    /// Samples that the kernel took of it, and reading it, where processors are busy.
    pub sampling: Nanos,
}

impl ProcessCost {
    /// All of it.
    #[must_use]
    pub fn all(&self) -> Nanos {
        self.events + self.at_rest + self.pauses + self.sampling
    }

    pub(crate) fn add_outside(&mut self, cost: OutsideCost) {
        self.pauses += cost.pauses;
        self.sampling += cost.samples;
        self.at_rest += cost.at_rest;
    }

    pub(crate) fn dearer(self, other: Self) -> Self {
        if other.all() > self.all() { other } else { self }
    }

    fn add(&mut self, other: Self) {
        self.events += other.events;
        self.functions += other.functions;
        self.at_rest += other.at_rest;
        self.pauses += other.pauses;
        self.sampling += other.sampling;
    }
}

/// What the measured processes had to skip, and what the daemon did not believe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunLosses {
    /// Threads that found no slot.
    pub threads: u64,
    /// Events that went to "other" because there was no room for a node.
    pub nodes: u64,
    /// Objects without a place of their own.
    pub objects: u64,
    /// Regions without a record.
    pub regions: u64,
    /// Names that were lost.
    pub strings: u64,
    /// Requests whose communicator and tag were lost.
    pub requests: u64,
    /// Events dropped because a signal handler came inside another event.
    pub dropped: u64,
    /// Ends without a begin, and begins closed by an outer end.
    pub anomalies: u64,
    /// Readings that could not be true.
    pub doubted: u64,
    /// Callpaths and names beyond the memory that the daemon has for a process.
    pub unread: u64,
}

impl RunLosses {
    pub(crate) fn read<'a>(
        region: &RegionMemory,
        threads: impl Iterator<Item = &'a MeasuredThread>,
    ) -> Self {
        let losses = &region.header().losses;
        let mut sum = Self {
            threads: losses.threads.load(Ordering::Relaxed),
            nodes: losses.nodes.load(Ordering::Relaxed),
            objects: losses.objects.load(Ordering::Relaxed),
            regions: losses.regions.load(Ordering::Relaxed),
            strings: losses.strings.load(Ordering::Relaxed),
            requests: losses.requests.load(Ordering::Relaxed),
            ..Self::default()
        };
        let mut last = 0;
        for thread in threads {
            sum.doubted += thread.doubted;
            sum.unread += thread.unread;
            last = last.max(thread.slot + 1);
        }
        for slot in (0..last).filter_map(|number| region.slot(number)) {
            sum.dropped = sum.dropped.saturating_add(slot.head.dropped.load(Ordering::Relaxed));
            sum.anomalies =
                sum.anomalies.saturating_add(slot.head.anomalies.load(Ordering::Relaxed));
        }
        sum
    }

    /// Adds another process's.
    pub(crate) fn add(&mut self, other: &Self) {
        for (ours, theirs) in [
            (&mut self.threads, other.threads),
            (&mut self.nodes, other.nodes),
            (&mut self.objects, other.objects),
            (&mut self.regions, other.regions),
            (&mut self.strings, other.strings),
            (&mut self.requests, other.requests),
            (&mut self.dropped, other.dropped),
            (&mut self.anomalies, other.anomalies),
            (&mut self.doubted, other.doubted),
            (&mut self.unread, other.unread),
        ] {
            *ours = ours.saturating_add(theirs);
        }
    }

    /// Whether anything was skipped at all.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// What the visits in `growth` cost a thread: those of functions, and all others. Work beside an event may hide a part of it; how much is not known of
/// most work, so it is not taken off here.
pub(crate) fn event_cost(
    nodes: &[NodeState],
    growth: &[NodeGrowth],
    prices: &Prices,
    form: impl Fn(&NodeState) -> EventForm,
    scale: Scale,
) -> [Nanos; 2] {
    let mut cost = [Nanos::ZERO; 2];
    for NodeGrowth { node, by } in growth.iter().filter(|growth| growth.by.visits > 0) {
        let form = form(&nodes[*node as usize]);
        let each = prices.each(form).most();
        cost[usize::from(form != EventForm::Function)] += match each {
            0 => Nanos(by.visits.saturating_mul(UNCALIBRATED)),
            _ => Nanos(scale.nanos(by.visits.saturating_mul(each) >> 8)),
        };
    }
    cost
}

/// Nanoseconds of an event pair where none was calibrated.
const UNCALIBRATED: u64 = 25;

/// What the intervals of the last second cost.
#[derive(Debug, Default)]
struct LastSecond {
    intervals: VecDeque<(Nanos, Nanos)>,
    spent: Nanos,
    length: Nanos,
}

impl LastSecond {
    fn add(&mut self, spent: Nanos, length: Nanos) {
        self.intervals.push_back((spent, length));
        self.spent += spent;
        self.length += length;
        while let Some((spent, length)) = self.intervals.front().copied()
            && self.length - length >= SECOND
        {
            self.spent = self.spent - spent;
            self.length = self.length - length;
            self.intervals.pop_front();
        }
    }

    /// Of a second or, where intervals are long, a little more; what was before the first interval cost nothing.
    fn share(&self) -> f64 {
        self.spent.as_secs_f64() / self.length.max(SECOND).as_secs_f64()
    }
}

const SECOND: Nanos = Nanos::from_secs(1);
/// The part of the limit that looking at processes may take.
const LOOKING: f64 = 0.3;
/// How much one pass counts.
const WEIGHT: f64 = 0.1;

/// Sums up the cost from pass to pass.
#[derive(Debug, Default)]
pub(crate) struct CostMeter {
    cost: ObservedCost,
    spent: Nanos,
    lived: Nanos,
    last: LastSecond,
    own_before: Option<Nanos>,
    /// Seconds that a pass took lately.
    own_lately: f64,
}

impl CostMeter {
    /// Processor time the daemon's thread took since the last call.
    pub(crate) fn own_share(&mut self) -> Nanos {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        let seconds = Nanos::from_secs(u64::try_from(time.tv_sec).unwrap_or(0));
        let now = seconds + Nanos(u64::try_from(time.tv_nsec).unwrap_or(0));
        let share = self.own_before.map_or(Nanos::ZERO, |before| now - before);
        self.own_before = Some(now);
        self.cost.daemon += share;
        self.own_lately += (share.as_secs_f64() - self.own_lately) * WEIGHT;
        share
    }

    /// How long a pass should speak of at least, so that looking does not take up the limit.
    pub(crate) fn least_interval(&self, limit: f64) -> Nanos {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded")]
        Nanos((self.own_lately / (limit * LOOKING).max(1e-6) * 1e9).min(1e9) as u64)
    }

    /// The dearest process of an interval, its share of the daemon included.
    pub(crate) fn interval(&mut self, paid: ProcessCost, answering: f64, length: Nanos) {
        if length.is_zero() {
            return;
        }
        let dearest = paid.all();
        self.cost.parts.add(paid);
        self.spent += dearest;
        self.lived += length;
        self.cost.lived = self.lived;
        self.cost.now = dearest.as_secs_f64() / length.as_secs_f64();
        self.cost.events_now = paid.events.as_secs_f64() / length.as_secs_f64();
        self.cost.answering = answering;
        self.cost.mean = self.spent.as_secs_f64() / self.lived.as_secs_f64();
        self.last.add(dearest, length);
        self.cost.max = self.cost.max.max(self.last.share());
    }

    pub(crate) const fn cost(&self) -> ObservedCost {
        self.cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_second_costs_no_less_than_the_mean() {
        for length in [30, 50, 333, 600, 700, 1500] {
            let mut meter = CostMeter::default();
            for _ in 0..40 {
                let length = Nanos::from_millis(length);
                let events = Nanos(length.0 / 20);
                meter.interval(ProcessCost { events, ..ProcessCost::default() }, 0.0, length);
            }
            let cost = meter.cost();
            assert_eq!(cost.parts.all(), Nanos(cost.lived.0 / 20));
            assert!((cost.mean - 0.05).abs() < 1e-6 && (cost.max - 0.05).abs() < 1e-6, "{cost:?}");
        }
    }
}
