//! A program that is only described: in each phase every process repeats the same activities.
//!
//! ```text
//!   phase    |─────────────────────────────────────|
//!   period   |  A   |B|  A   |B|  A   |B|  A   |B|      A has 3/4 of the period, B the rest
//! ```
//!
//! How much of an activity falls into an interval is the difference of two running totals, so the amounts of adjoining intervals add up
//! exactly.

use whyperf_model::{
    Category, CategorySet, Comparison, Focus, FocusMembership, Hierarchy, Interval, Metric, Nanos,
    Quantity, Resource, Time,
};

/// Who does what when.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimulatedProgram {
    /// The processes, by rank.
    pub processes: Vec<SimulatedProcess>,
    /// What they do; phases of one process do not overlap.
    pub phases: Vec<SimulatedPhase>,
}

/// One process of one thread.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedProcess {
    /// Its resource.
    pub process: Resource,
    /// Where it runs.
    pub machine: Resource,
}

/// What some processes do for some time.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedPhase {
    /// When.
    pub interval: Interval,
    /// The ranks.
    pub ranks: Vec<usize>,
    /// After this long the activities begin again.
    pub period: Nanos,
    /// In this order.
    pub activities: Vec<SimulatedActivity>,
}

/// Time spent in one place.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedActivity {
    /// How much of each period, in thousandths.
    pub permille: u64,
    /// What kind of thing it is.
    pub category: Category,
    /// The code, object and file it counts for.
    pub resources: Vec<Resource>,
    /// Calls per second of the activity.
    pub calls_per_second: u64,
    /// Bytes that each call moves.
    pub bytes_per_call: u64,
}

/// What of a program counts for a pair: found once, read often.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    metric: Metric,
    activities: Vec<Selected>,
    /// How many processes match.
    pub processes: u32,
    /// Where processes are set side by side: what is known of them, and whether each is in the focus.
    sides: Option<(Comparison, Vec<FocusMembership>)>,
}

/// An activity of a phase, what share of the period is before it, and which ranks do it.
#[derive(Clone, Debug, PartialEq)]
struct Selected {
    phase: usize,
    nth: usize,
    before: u64,
    ranks: Vec<usize>,
}

impl SimulatedProgram {
    /// What counts for a metric at a focus.
    #[must_use]
    pub fn select(&self, metric: Metric, focus: &Focus) -> Selection {
        let inside: Vec<bool> = self.processes.iter().map(|one| one.is_in(focus)).collect();
        let processes = inside.iter().filter(|is| **is).count();
        let aggregation = metric.definition().aggregation;
        let compares = aggregation.compares();
        let counts = |rank: &&usize| inside.get(**rank).is_some_and(|is| *is || compares);
        let mut activities = Vec::new();
        for (at, phase) in self.phases.iter().enumerate() {
            let ranks: Vec<usize> = phase.ranks.iter().filter(counts).copied().collect();
            let mut before = 0;
            for (nth, activity) in phase.activities.iter().enumerate() {
                if !ranks.is_empty() && activity.counts(metric) && activity.is_in(focus) {
                    activities.push(Selected { phase: at, nth, before, ranks: ranks.clone() });
                }
                before += activity.permille;
            }
        }
        Selection {
            metric,
            activities,
            processes: u32::try_from(if compares { inside.len() } else { processes })
                .unwrap_or(u32::MAX),
            sides: compares.then(|| (Comparison::new(aggregation), memberships(&inside))),
        }
    }

    /// What a selection grows by over an interval; intervals follow each other.
    pub fn amount(&self, selection: &mut Selection, interval: Interval) -> i64 {
        let Selection { metric, activities, sides, .. } = selection;
        let mut amount = 0;
        for (at, Selected { phase, nth, before, ranks }) in activities.iter().enumerate() {
            let phase = &self.phases[*phase];
            let activity = &phase.activities[*nth];
            let until =
                |time: Time| activity.amount(*metric, phase.time_until(*before, activity, time));
            let each = until(interval.end) - until(interval.start);
            amount += ranks.len() as u64 * each;
            if let Some((comparison, inside)) = sides
                && each > 0
            {
                let object = self.object(activity, at);
                for rank in ranks {
                    let each = i64::try_from(each).unwrap_or(i64::MAX);
                    comparison.take((0, number(*rank)), inside[*rank], object, each);
                }
            }
        }
        let Some((comparison, inside)) = sides else {
            return i64::try_from(amount).unwrap_or(i64::MAX);
        };
        for (rank, membership) in inside.iter().enumerate() {
            comparison.watch((0, number(rank)), *membership);
        }
        comparison.close(|_| true)
    }

    /// Tells objects apart: the number of the first activity at the same one, or `at` itself.
    fn object(&self, activity: &SimulatedActivity, at: usize) -> Option<u32> {
        let object = activity.object()?;
        let all = self.phases.iter().flat_map(|phase| &phase.activities);
        let first = all.enumerate().find(|(_, other)| other.object() == Some(object));
        Some(number(first.map_or(at, |(first, _)| first)))
    }

    /// What can be seen of it until a moment: processes that ran, and resources that were used.
    pub fn seen_until(&self, now: Time) -> impl Iterator<Item = Resource> + '_ {
        let begun = self.phases.iter().filter(move |phase| phase.interval.start < now);
        begun.flat_map(|phase| {
            let processes = phase.ranks.iter().filter_map(|rank| self.processes.get(*rank));
            let places = processes.flat_map(|one| [one.process.clone(), one.machine.clone()]);
            let used = phase.activities.iter().flat_map(|activity| activity.resources.clone());
            places.chain(used)
        })
    }
}

impl SimulatedProcess {
    pub(super) fn is_in(&self, focus: &Focus) -> bool {
        holds(focus, &self.process) && holds(focus, &self.machine)
    }
}

impl SimulatedPhase {
    /// How long an activity that starts after so many thousandths of each period went on until a moment.
    fn time_until(&self, before: u64, activity: &SimulatedActivity, time: Time) -> u64 {
        let elapsed = time.min(self.interval.end).since(self.interval.start).0;
        let period = self.period.0.max(1);
        let edge = |permille: u64| period * permille / 1000;
        let (start, end) = (edge(before), edge(before + activity.permille));
        let length = end - start;
        elapsed / period * length + (elapsed % period).saturating_sub(start).min(length)
    }
}

impl SimulatedActivity {
    fn object(&self) -> Option<&Resource> {
        self.resources.iter().find(|one| one.hierarchy() == Hierarchy::SyncObject)
    }

    /// Of what waits here only spin locks have a processor meanwhile.
    pub(super) fn counts(&self, metric: Metric) -> bool {
        let definition = metric.definition();
        let has_processor =
            CategorySet::COMPUTE.contains(self.category) || self.category == Category::Spin;
        let is_counted = definition.quantity != Quantity::RunningTime || has_processor;
        is_counted && definition.categories.contains(self.category)
    }

    /// Whether the focus selects it: where the focus says something, the activity must be there.
    pub(super) fn is_in(&self, focus: &Focus) -> bool {
        [Hierarchy::Code].into_iter().chain(Hierarchy::OBJECTS).all(|hierarchy| {
            let mut mine = self.resources.iter().filter(|one| one.hierarchy() == hierarchy);
            focus.is_root(hierarchy) || mine.any(|resource| holds(focus, resource))
        })
    }

    fn amount(&self, metric: Metric, time: u64) -> u64 {
        let calls = u128::from(time) * u128::from(self.calls_per_second) / 1_000_000_000;
        let calls = u64::try_from(calls).unwrap_or(u64::MAX);
        match metric.definition().quantity {
            Quantity::Time | Quantity::RunningTime | Quantity::Derived => time,
            Quantity::Visits | Quantity::Counted => calls,
            Quantity::Bytes | Quantity::BytesIn | Quantity::BytesOut | Quantity::Net => {
                calls.saturating_mul(self.bytes_per_call)
            }
            Quantity::Processes | Quantity::Cost => 0,
        }
    }
}

fn memberships(inside: &[bool]) -> Vec<FocusMembership> {
    let one = |is_inside: &bool| match is_inside {
        true => FocusMembership::Inside,
        false => FocusMembership::Outside,
    };
    inside.iter().map(one).collect()
}

fn number(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

fn holds(focus: &Focus, resource: &Resource) -> bool {
    focus.part(resource.hierarchy()).iter().any(|part| part.contains(resource))
}
