//! What any metric came to at any focus in an interval of a stored run, read from its record.
//!
//! ```text
//!   record       pass | pass | pass | pass         what grew in passes of the interval is added up, a pass at its border in part
//!   interval           [──────────────)
//!   histograms   ██ ▁▁ ██ ▁▁ ██                    of functions, which were switched on for a part of the time: their rate, over all of it
//! ```
//! A function counts as far as that very pair was measured, and so does what compares processes with each other. What was measured for too
//! small a part of the interval is not known. Of a function that was not switched on, stack samples tell the share of the running time, if
//! the run was sampled: that is its processor time, of the function itself, as an estimate from so many samples.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_consultant::NameMaps;
use whyperf_model::matching::{
    ClassId, Classes, Location, Resources, RunTotals, ThreadPlace, Totals,
};
use whyperf_model::{
    Category, Counter, Focus, Hierarchy, Histogram, Interval, Metric, Nanos, Pair, Quantity,
    Resource,
};

use crate::asked_totals::AskedTotals;
use crate::error::StoreError;
use crate::function_calls::FunctionCalls;
use crate::program_event::{PerformanceResults, ProgramEvent, SampledAmount};
use crate::record::{KindSums, PassAmount, Record, RunShape};
use crate::replay::Replay;
use crate::run::RunId;
use crate::sampled_shares::SampledShares;
use crate::store::Store;

/// A stored run, or an interval of it, as the operand of a comparison.
#[derive(Debug)]
pub struct RunResults {
    record: Record,
    histograms: BTreeMap<Pair, Histogram>,
    sampled: SampledShares,
    asked: AskedTotals,
    /// How often processes called functions, in the whole run.
    called: FunctionCalls,
    event: ProgramEvent,
    interval: Interval,
    classes: Classes,
    /// The classes of the record's kinds.
    of_kind: Vec<ClassId>,
    resources: Resources,
    /// The program's own regions, which are counted all the time.
    regions: BTreeSet<Resource>,
    totals: RunTotals,
}

impl Store {
    /// What metrics came to in a run, over all of it.
    ///
    /// # Errors
    /// When the store cannot be read, or holds no record of the run.
    pub fn run_results(&self, run: &RunId) -> Result<RunResults, StoreError> {
        let record = self.record(run)?;
        let mut histograms = BTreeMap::new();
        for pair in self.pairs(run)?.into_iter().filter(is_from_histogram) {
            if let Some(histogram) = self.histogram(run, &pair)? {
                histograms.insert(pair, histogram);
            }
        }
        let spans = self.resources(run)?.into_iter();
        let event = ProgramEvent::new(spans.filter_map(|span| span.name.parse().ok()));
        let mut results = RunResults::new(record, histograms, event);
        let report = self.report(run)?;
        let report = report.and_then(|report| serde_json::from_str(&report.json).ok());
        if let Some(report) = report {
            results.sampled = SampledShares::of(&report);
            results.asked = AskedTotals::of(&report);
        }
        let known = results.known_code();
        let is_uncounted = |one: &&Resource| {
            let is_function = one.hierarchy() == Hierarchy::Code && one.depth() > 1;
            is_function && !results.regions.contains(*one)
        };
        let uncounted = known.resources().filter(is_uncounted).map(Resource::label).collect();
        if self.has_callpaths_to(run, &uncounted)? {
            results.called = FunctionCalls::of(&self.profile(run)?, &known);
        }
        Ok(results)
    }
}

impl RunResults {
    fn new(record: Record, histograms: BTreeMap<Pair, Histogram>, event: ProgramEvent) -> Self {
        let is_region = |category| category == Category::User;
        let kinds = record.kinds.iter().filter(|kind| is_region(kind.category));
        let regions = kinds.filter_map(|kind| kind.own.clone()).collect();
        let interval = record.length();
        let mut results = Self {
            record,
            histograms,
            sampled: SampledShares::default(),
            asked: AskedTotals::default(),
            called: FunctionCalls::default(),
            event,
            interval,
            classes: Classes::default(),
            of_kind: Vec::new(),
            resources: Resources::default(),
            regions,
            totals: RunTotals::default(),
        };
        results.classify();
        results.add_up();
        results
    }

    /// A run with this shape, of which nothing is known before its sums.
    pub(crate) fn of_shape(shape: RunShape) -> Self {
        Self::new(Record::of_kinds(shape.kinds), BTreeMap::new(), shape.event)
    }

    /// Becomes another run with the same shape, by what its threads came to together.
    pub(crate) fn set_sums(&mut self, sums: &KindSums) {
        self.record.passes = vec![sums.interval];
        self.interval = sums.interval;
        let anywhere = self.anywhere();
        let by_class = self.of_kind.iter().copied().zip(sums.by_kind.iter().copied());
        self.totals = RunTotals::default();
        self.totals.grew(anywhere, &by_class.collect::<Vec<_>>());
    }

    /// Whether sums of all threads tell what a pair came to, in a run without stack samples.
    pub(crate) fn is_told_by_sums(&self, pair: &Pair) -> bool {
        let threads = [Hierarchy::Process, Hierarchy::Machine];
        threads.into_iter().all(|one| pair.focus.is_root(one))
            && (!is_from_histogram(pair) || self.names_regions(pair))
    }

    /// The same, of an interval of the run alone.
    #[must_use]
    pub fn within(mut self, interval: Interval) -> Self {
        self.interval = self.record.length().intersect(interval);
        self.add_up();
        self
    }

    /// What it speaks of.
    #[must_use]
    pub const fn interval(&self) -> Interval {
        self.interval
    }

    /// All of the run, of which the interval may be a part.
    #[must_use]
    pub fn length(&self) -> Interval {
        self.record.length()
    }

    /// What the run was made of.
    #[must_use]
    pub const fn event(&self) -> &ProgramEvent {
        &self.event
    }

    /// What metrics came to over the whole program in another interval; `None` where that is not known.
    pub(crate) fn whole_program_within(
        &mut self,
        metrics: &[Metric],
        interval: Interval,
    ) -> Vec<Option<f64>> {
        let other = (interval, self.whole_program_totals(interval));
        let own = (self.interval, std::mem::take(&mut self.totals));
        (self.interval, self.totals) = other;
        let whole = Focus::whole_program();
        let amounts = metrics.iter().map(|metric| self.amount(&Pair::new(*metric, whole.clone())));
        let amounts = amounts.collect();
        (self.interval, self.totals) = own;
        amounts
    }

    /// Names for processes that are no ranks, by the order in which they were seen: theirs are numbers of the system, other ones in each run.
    pub(crate) fn processes_by_order(&self) -> NameMaps {
        let mut all: Vec<&Location> = self.record.locations.iter().collect();
        all.sort_by_key(|location| location.number);
        let ranks: BTreeSet<&Resource> =
            all.iter().filter(|one| one.rank.is_some()).map(|one| &one.process).collect();
        let mut known = BTreeSet::new();
        let others = all.into_iter().map(|location| &location.process);
        let others = others.filter(|process| !ranks.contains(process) && known.insert(*process));
        let above = Resource::root(Hierarchy::Process);
        let named = |(number, process): (usize, &Resource)| {
            (process.clone(), above.child(&format!("p{}", number + 1)))
        };
        others.enumerate().map(named).collect()
    }

    /// Gives its things the names that another run has for them.
    pub(crate) fn rename(&mut self, maps: &NameMaps) {
        let rename = |resource: &mut Resource| *resource = maps.renamed(resource);
        for location in &mut self.record.locations {
            let names = [&mut location.thread, &mut location.process, &mut location.machine];
            names.into_iter().for_each(rename);
        }
        for kind in &mut self.record.kinds {
            kind.code.iter_mut().chain(&mut kind.object).chain(&mut kind.own).for_each(rename);
        }
        let histograms = std::mem::take(&mut self.histograms).into_iter();
        self.histograms = histograms
            .map(|(pair, histogram)| (Pair::new(pair.metric, maps.focus(&pair.focus)), histogram))
            .collect();
        self.event = self.event.renamed(maps);
        self.sampled.rename(maps);
        self.asked.rename(maps);
        self.called.rename(maps);
        self.regions = self.regions.iter().map(|region| maps.renamed(region)).collect();
        (self.classes, self.resources) = (Classes::default(), Resources::default());
        self.classify();
        self.add_up();
    }

    /// Finds the classes of all kinds.
    fn classify(&mut self) {
        let Self { record, classes, resources, .. } = self;
        self.of_kind = record.kinds.iter().map(|kind| kind.class(classes, resources)).collect();
    }

    /// Adds up what grew in the interval.
    fn add_up(&mut self) {
        let Self { record, of_kind, resources, interval, .. } = self;
        let mut totals = RunTotals::default();
        let place = |location: u32, resources: &mut Resources| -> ThreadPlace {
            let location = &record.locations[location as usize];
            [&location.thread, &location.machine].map(|name| resources.id(name))
        };
        // What is of one location follows without a gap.
        let mut nodes: Vec<(ClassId, Totals)> = Vec::new();
        let mut series = record.series.iter().peekable();
        while let Some(((location, kind), entries)) = series.next() {
            let class = of_kind[*kind as usize];
            nodes.extend(grown(&record.passes, (class, entries), *interval));
            let is_last = series.peek().is_none_or(|((next, _), _)| next != location);
            if is_last || nodes.len() >= AT_ONCE {
                totals.grew(place(location.0, resources), &nodes);
                nodes.clear();
            }
        }
        for location in &record.untold {
            totals.is_untold(place(*location, resources));
        }
        totals.sum_up();
        self.totals = totals;
    }

    /// A place for what is asked of all threads alone.
    fn anywhere(&mut self) -> ThreadPlace {
        [Hierarchy::Process, Hierarchy::Machine].map(|one| self.resources.id(&Resource::root(one)))
    }

    /// What grew in an interval, wherever that was.
    fn whole_program_totals(&mut self, interval: Interval) -> RunTotals {
        let anywhere = self.anywhere();
        let mut totals = RunTotals::default();
        let mut nodes: Vec<(ClassId, Totals)> = Vec::new();
        for ((_, kind), entries) in &self.record.series {
            let class = self.of_kind[*kind as usize];
            nodes.clear();
            nodes.extend(grown(&self.record.passes, (class, entries), interval));
            totals.grew(anywhere, &nodes);
        }
        totals
    }

    /// What a pair came to in the interval, in the unit of its metric; `None` where that is not known.
    #[must_use]
    pub fn amount(&mut self, pair: &Pair) -> Option<f64> {
        let measured = self.measured(pair);
        measured.or_else(|| self.by_samples(pair).map(|sampled| sampled.amount))
    }

    /// The same as far as it was measured.
    fn measured(&mut self, pair: &Pair) -> Option<f64> {
        let definition = pair.metric.definition();
        if self.is_uncounted(pair) {
            return None;
        }
        let of_functions = is_from_histogram(pair);
        // Of functions only those are known that somebody looked at; one that samples led to need not be a resource of the run.
        if of_functions && !self.names_regions(pair) {
            let asked = self.of_all_run().then(|| self.asked.total(pair)).flatten();
            let known = asked.or_else(|| self.estimated_part(pair));
            return known.or_else(|| self.by_profile(pair));
        }
        if !self.event.is_valid(&pair.focus) {
            // What is not there does nothing.
            return Some(0.0);
        }
        if definition.quantity == Quantity::Cost {
            return None;
        }
        let amount = self.totals.amount(pair, &self.classes, &mut self.resources)?;
        #[expect(
            clippy::cast_precision_loss,
            reason = "a nanosecond of hundred days does not matter"
        )]
        Some(amount as f64)
    }

    /// Whether what the kernel or the processor counts was not counted, or what is derived from all ranks not derived.
    fn is_uncounted(&self, pair: &Pair) -> bool {
        let definition = pair.metric.definition();
        let mut kinds = self.record.kinds.iter();
        match Counter::of(pair.metric) {
            Some(counter) => kinds.all(|kind| kind.category != counter.category()),
            None if definition.quantity == Quantity::Derived => {
                kinds.all(|kind| !definition.categories.contains(kind.category))
            }
            None => false,
        }
    }

    fn names_regions(&self, pair: &Pair) -> bool {
        let code = pair.focus.part(Hierarchy::Code);
        !pair.metric.definition().aggregation.compares()
            && code.iter().all(|code| self.regions.contains(code) || self.holds_only_regions(code))
    }

    /// Whether all that is known below a module is regions.
    fn holds_only_regions(&self, code: &Resource) -> bool {
        let mut below = self.event.children(code).peekable();
        below.peek().is_some() && below.all(|one| self.regions.contains(one))
    }

    /// Functions that stack samples tell of.
    pub(crate) fn sampled_functions(&self) -> impl Iterator<Item = &Resource> {
        self.sampled.functions()
    }

    /// The processor time of a function itself, as its share of the samples.
    fn by_samples(&mut self, pair: &Pair) -> Option<SampledAmount> {
        if pair.metric != Metric::Cpu || self.sampled.samples() == 0.0 {
            return None;
        }
        let [function] = pair.focus.part(Hierarchy::Code) else { return None };
        let is_alone = pair.focus == Focus::whole_program().with(Hierarchy::Code, function.clone());
        // Samples are of the whole run.
        if !is_alone || !self.of_all_run() || function.depth() < 2 || self.names_regions(pair) {
            return None;
        }
        let share = self.sampled.share(function);
        let all = self.measured(&Pair::new(Metric::Cpu, Focus::whole_program()))?;
        Some(SampledAmount { amount: share * all, share, samples: self.sampled.samples() })
    }

    /// How often a process called a function that no pair of its own was measured for.
    fn by_profile(&self, pair: &Pair) -> Option<f64> {
        // The profile is one of the whole run.
        let is_known = pair.metric == Metric::Calls && self.of_all_run();
        is_known.then(|| self.called.amount(&pair.focus)).flatten()
    }

    /// Whether it speaks of the run from its beginning to its end.
    fn of_all_run(&self) -> bool {
        self.interval == self.record.length()
    }

    /// Its code and processes: also functions that samples led to, which need not be resources of the run.
    fn known_code(&self) -> ProgramEvent {
        let measured = self.histograms.keys().flat_map(|pair| pair.focus.part(Hierarchy::Code));
        let all = self.event.resources().chain(self.sampled.functions()).chain(measured);
        let counts = [Hierarchy::Code, Hierarchy::Process];
        ProgramEvent::new(all.filter(|one| counts.contains(&one.hierarchy())).cloned())
    }

    /// The rate while it was measured, over the whole interval; no more than the whole code came to where that is known.
    fn estimated_part(&mut self, pair: &Pair) -> Option<f64> {
        let estimated = self.estimated(pair)?;
        let all_code = pair.focus.with(Hierarchy::Code, Resource::root(Hierarchy::Code));
        // Of calls only those are counted that were made while their functions were switched on, so all of them together are no more than that.
        let is_part = !pair.metric.definition().aggregation.compares()
            && pair.metric != Metric::Calls
            && all_code != pair.focus;
        let whole = is_part.then(|| self.measured(&Pair::new(pair.metric, all_code))).flatten();
        Some(whole.map_or(estimated, |whole| estimated.min(whole)))
    }

    /// The rate while it was measured, over the whole interval.
    fn estimated(&self, pair: &Pair) -> Option<f64> {
        let reading = self.histograms.get(pair)?.reading(self.interval);
        let share = reading.covered.as_secs_f64() / self.interval.length().as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "it is a length of time")]
        let length = self.interval.length().0 as f64;
        reading.rate().filter(|_| share >= LEAST_COVERED).map(|rate| rate * length)
    }
}

/// So many growths of a thread are added up at once.
const AT_ONCE: usize = 1 << 12;

/// Of an interval at least this part must have been measured.
const LEAST_COVERED: f64 = 0.1;

/// Whether the record does not tell it.
fn is_from_histogram(pair: &Pair) -> bool {
    Replay::needs_histogram(pair) || pair.metric.definition().aggregation.compares()
}

/// What of the growths of a class belongs to an interval.
fn grown<'a>(
    passes: &'a [Interval],
    (class, entries): (ClassId, &'a [PassAmount]),
    interval: Interval,
) -> impl Iterator<Item = (ClassId, Totals)> + 'a {
    let within = move |entry: &PassAmount| part(entry.by, passes[entry.pass as usize], interval);
    entries.iter().filter_map(within).map(move |by| (class, by))
}

/// What of a growth belongs to an interval.
fn part(by: Totals, pass: Interval, interval: Interval) -> Option<Totals> {
    let within = pass.intersect(interval).length();
    if within == pass.length() {
        return Some(by);
    }
    let share = within.as_secs_f64() / pass.length().as_secs_f64();
    let scaled = |amount: u64| Nanos(amount).scaled(share).0;
    (!within.is_zero()).then(|| Totals {
        time: by.time.scaled(share),
        running: by.running.scaled(share),
        visits: scaled(by.visits),
        sent: scaled(by.sent),
        received: scaled(by.received),
    })
}

impl PerformanceResults for RunResults {
    fn by_trial(&mut self, metric: Metric, focus: &Focus) -> Vec<Option<f64>> {
        vec![self.measured(&Pair::new(metric, focus.clone()))]
    }

    fn sampled_by_trial(&mut self, metric: Metric, focus: &Focus) -> Vec<Option<SampledAmount>> {
        vec![self.by_samples(&Pair::new(metric, focus.clone()))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::first_thread;
    use serde_json::json;
    use whyperf_model::Time;
    use whyperf_model::matching::{Grown, IntervalRecord, Kind, LocationId};

    #[test]
    fn a_measured_function_is_known_that_only_samples_led_to() {
        let second = |from: u64, to: u64| {
            Interval::new(Time(Nanos(from * 1_000_000_000)), Time(Nanos(to * 1_000_000_000)))
        };
        let [time, running] = [10, 4].map(Nanos::from_secs);
        let by = Totals { time, running, ..Totals::default() };
        let mut record = Record::default();
        record.add(&IntervalRecord {
            interval: second(0, 10),
            locations: vec![first_thread(0)],
            kinds: vec![Kind {
                category: Category::Other,
                code: Vec::new(),
                object: None,
                own: None,
            }],
            grown: vec![Grown { location: LocationId(0), kind: ClassId(0), by }],
            ..IntervalRecord::default()
        });
        let pair = Pair::new(Metric::Cpu, "</Code/m.c/f>".parse().expect("well formed"));
        let mut histogram = Histogram::new(10, Nanos(1_000_000_000));
        histogram.add(second(2, 4), 500_000_000);
        let histograms = [(pair.clone(), histogram)].into();
        let mut results = RunResults::new(record, histograms, ProgramEvent::default());
        let hot = json!([{"function": "/Code/m.c/f", "share": 0.4, "plus_minus": 0.1}]);
        results.sampled = SampledShares::of(&json!({ "hot_code": hot }));
        assert_eq!(
            results.amount(&pair),
            Some(2.5e9),
            "a quarter of the time in two of ten seconds"
        );
        results.histograms.values_mut().for_each(|one| one.add(second(2, 4), 1_000_000_000));
        assert_eq!(results.amount(&pair), Some(4e9), "no more than all code ran");
        let calls = Pair::new(Metric::Calls, pair.focus);
        let mut histogram = Histogram::new(10, Nanos(1_000_000_000));
        histogram.add(second(2, 4), 600);
        results.histograms.insert(calls.clone(), histogram);
        let whole = Pair::new(Metric::Calls, Focus::whole_program());
        assert_eq!(results.amount(&whole), Some(0.0), "what was counted");
        assert_eq!(results.amount(&calls), Some(3000.0), "six hundred in two of ten seconds");
    }

    #[test]
    fn processes_that_are_no_ranks_are_called_by_their_order() {
        let process = |number: u32, rank: Option<u32>, name: &str| {
            let process: Resource = format!("/Process/{name}").parse().expect("well formed");
            Location { number, rank, thread: process.clone(), process, ..first_thread(0) }
        };
        let locations = vec![
            process(3, None, "4090"),
            process(0, None, "4711"),
            process(1, Some(0), "0"),
            process(2, None, "4090"),
        ];
        let mut record = Record::default();
        record.locations = locations;
        let results = RunResults::new(record, BTreeMap::new(), ProgramEvent::default());
        let maps = results.processes_by_order();
        let told = ["4711", "4090/1", "0"].map(|name| {
            let process = format!("/Process/{name}").parse().expect("well formed");
            maps.renamed(&process).path().to_owned()
        });
        assert_eq!(told, ["/Process/p1", "/Process/p2/1", "/Process/0"]);
    }

    /// Two threads that compute and wait in three passes.
    fn recorded() -> Record {
        let kind = |category| Kind { category, code: Vec::new(), object: None, own: None };
        let mut record = Record::default();
        for pass in 0..3u64 {
            let grown = |(location, kind)| {
                let time = Nanos(7 + 100 * pass + u64::from(location * 10 + kind));
                let by = Totals { time, visits: pass, ..Totals::default() };
                Grown { location: LocationId(location), kind: ClassId(kind), by }
            };
            let is_first = pass == 0;
            record.add(&IntervalRecord {
                interval: Interval::new(Time(Nanos(pass * 1000)), Time(Nanos(pass * 1000 + 1000))),
                locations: if is_first { [0, 1].map(first_thread).to_vec() } else { Vec::new() },
                kinds: if is_first {
                    vec![kind(Category::Receive), kind(Category::Other)]
                } else {
                    Vec::new()
                },
                grown: [(0, 0), (0, 1), (1, 0), (1, 1)].map(grown).to_vec(),
                ..IntervalRecord::default()
            });
        }
        record
    }

    #[test]
    fn the_whole_program_in_another_interval_is_that_of_the_interval_alone() {
        let of = |interval| {
            let results = RunResults::new(recorded(), BTreeMap::new(), ProgramEvent::default());
            results.within(interval)
        };
        let metrics = [Metric::Wall, Metric::SyncWait, Metric::SyncOps, Metric::Instructions];
        let whole = Interval::new(Time::ZERO, Time(Nanos(3000)));
        for (from, to) in [(0, 3000), (0, 1000), (500, 2100), (1700, 1800), (2999, 3000)] {
            let interval = Interval::new(Time(Nanos(from)), Time(Nanos(to)));
            let mut results = of(whole);
            let before = metrics.map(|metric| results.results(metric, &Focus::whole_program()));
            let told = results.whole_program_within(&metrics, interval);
            let mut alone = of(interval);
            let amounts =
                metrics.map(|metric| alone.amount(&Pair::new(metric, Focus::whole_program())));
            assert_eq!(told, amounts, "{from} to {to}");
            let after = metrics.map(|metric| results.results(metric, &Focus::whole_program()));
            assert_eq!(before, after, "it speaks of its own interval again");
        }
    }
}
