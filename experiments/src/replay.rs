//! A stored run as a data source: its record is read pass by pass, and pairs are answered by the matcher that
//! answered them when it was live.
//!
//! Nothing is measured, so nothing costs. A function that was never switched on cannot be measured any more: a pair at a
//! function is known as far as that very pair was measured, and refused otherwise.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use whyperf_consultant::{DataSource, Event, MeasurementId, RunAmount};
use whyperf_model::matching::{
    Active, AwaitedThread, CausedWait, ClassId, Classes, Line, LocationId, Matcher, OneProcess,
    PairId, RankDelay, Resources, RunTotals, ThreadPlace, Totals, WaitCauses, WaitingRank,
};
use whyperf_model::{
    Category, Counter, Effort, Hierarchy, Histogram, Interval, Nanos, Pair, Quantity, Resource,
    Sample, Time, TimeDivision,
};

use crate::message_series::MessageSeries;
use crate::record::{News, PassEvents, Record};
use crate::running_sums::RunningSums;

/// A stored run in virtual time.
#[derive(Debug)]
pub struct Replay {
    record: Record,
    /// Histograms of pairs that name functions.
    histograms: BTreeMap<Pair, RunningSums>,
    /// What was measured as a function: its time is known only while it was switched on.
    functions: BTreeSet<Resource>,
    classes: Classes,
    resources: Resources,
    matcher: Matcher,
    /// By kind: its class.
    of_kind: Vec<ClassId>,
    /// By location: its groups, as of a version of the matcher.
    groups: Vec<(Option<u64>, Vec<u32>)>,
    /// By pass: what grew, by process and location.
    grown: Vec<Vec<(LocationId, u32, Totals)>>,
    /// By pass: what was waited for locks, and because of whom.
    held: Vec<Vec<HeldLock>>,
    /// What grew in all of the run, added up once it is over.
    run_totals: Option<RunTotals>,
    running: BTreeMap<MeasurementId, ReplaySource>,
    asked: VecDeque<Resource>,
    /// Because of whom ranks and threads waited until now.
    wait_causes: WaitCauses,
    /// What each process did as a rank until now, by its number.
    efforts: BTreeMap<u32, Effort>,
    /// The pass in which each process began to work as a rank; older records do not say it.
    begins: Option<BTreeMap<u32, u32>>,
    pass: usize,
    now: Time,
    is_over: bool,
    events: VecDeque<Event>,
}

/// Where the samples of a measurement come from.
#[derive(Debug)]
enum ReplaySource {
    /// What is in the record.
    Sum(PairId),
    /// What was measured of that very pair.
    Histogram(Pair),
}

/// A thread waited for a lock because of whoever held it.
#[derive(Debug)]
struct HeldLock {
    place: ThreadPlace,
    class: ClassId,
    holder: AwaitedThread,
    waited: Nanos,
}

/// How many processes could report for a group, and how many did.
#[derive(Clone, Copy, Debug, Default)]
struct ProcessReports {
    expected: u32,
    reported: u32,
}

impl Replay {
    /// The data source of a record, with the histograms of what was measured beside it.
    pub fn new(record: Record, histograms: impl IntoIterator<Item = (Pair, Histogram)>) -> Self {
        let (mut classes, mut resources) = (Classes::default(), Resources::default());
        let of_kind = record.kinds.iter().map(|kind| kind.class(&mut classes, &mut resources));
        let of_kind: Vec<ClassId> = of_kind.collect();
        let held = held(&record, &of_kind, &mut resources);
        let mut grown = vec![Vec::new(); record.passes.len()];
        for ((location, kind), series) in &record.series {
            for entry in series {
                grown[entry.pass as usize].push((*location, *kind, entry.by));
            }
        }
        for pass in &mut grown {
            pass.sort_by_key(|(location, ..)| record.locations[location.0 as usize].number);
        }
        let histograms = histograms.into_iter().filter(|(pair, _)| Self::needs_histogram(pair));
        Self {
            histograms: histograms
                .map(|(pair, histogram)| (pair, RunningSums::new(&histogram)))
                .collect(),
            functions: functions(&record),
            groups: vec![(None, Vec::new()); record.locations.len()],
            wait_causes: WaitCauses::default(),
            efforts: record.idle_efforts(),
            begins: record.begins(),
            record,
            classes,
            resources,
            matcher: Matcher::default(),
            of_kind,
            grown,
            held,
            run_totals: None,
            running: BTreeMap::new(),
            asked: VecDeque::new(),
            pass: 0,
            now: Time::ZERO,
            is_over: false,
            events: VecDeque::new(),
        }
    }

    /// The same, where it is known who exchanged messages with whom.
    #[must_use]
    pub fn with_messages(mut self, messages: &MessageSeries) -> Self {
        messages.grown().for_each(|growth| self.wait_causes.exchanged(growth));
        self
    }

    /// Whether a pair asks for the time of particular code: functions are known only as far as that very pair was measured.
    #[must_use]
    pub fn needs_histogram(pair: &Pair) -> bool {
        pair.metric.definition().asks_about_functions() && !pair.focus.is_root(Hierarchy::Code)
    }

    /// Seconds that all threads together were measured.
    #[must_use]
    pub fn thread_time(&self) -> f64 {
        let kinds = &self.record.kinds;
        let counts = |kind: u32| kinds[kind as usize].category != Category::Join;
        let series = self.record.series.iter().filter(|((_, kind), _)| counts(*kind));
        let times = series.flat_map(|(_, series)| series).map(|entry| entry.by.time.as_secs_f64());
        times.sum()
    }

    /// When it was.
    #[must_use]
    pub(crate) fn length(&self) -> Interval {
        self.record.length()
    }

    /// The longest time within which nothing is told apart.
    #[must_use]
    pub(crate) fn longest_pass(&self) -> Nanos {
        self.record.passes.iter().map(|pass| pass.length()).max().unwrap_or_default()
    }

    /// The same as one phase from beginning to end.
    #[must_use]
    pub fn without_phases(mut self) -> Self {
        self.record.phases = PassEvents::default();
        self
    }

    /// How the phases of the record are called.
    pub fn phases(&self) -> impl Iterator<Item = &str> {
        self.record.phases.iter().map(String::as_str)
    }

    /// The same with phases that begin where the caller wants one at the end of a pass, beside those of the record; where one of those
    /// begins it is the one. With the last pass the run is over.
    #[must_use]
    pub fn with_phases(mut self, mut begins: impl FnMut(Time) -> Option<String>) -> Self {
        let known = std::mem::take(&mut self.record.phases);
        let last = self.record.passes.len().saturating_sub(1);
        for (number, pass) in (0u32..).zip(&self.record.passes) {
            let wanted = begins(pass.end).filter(|_| (number as usize) < last);
            let mut recorded = known.of(number).cloned().peekable();
            let wanted = wanted.filter(|_| recorded.peek().is_none());
            recorded.chain(wanted).for_each(|name| self.record.phases.push(number, name));
        }
        self
    }

    /// The same as it was seen without watching any function: code is known where it calls a library, and is a region.
    #[must_use]
    pub fn without_functions(mut self) -> Self {
        let kinds = &self.record.kinds;
        let regions = kinds.iter().filter_map(|kind| kind.own.as_ref());
        let regions = regions.filter(|one| !self.functions.contains(*one));
        let code = kinds.iter().flat_map(|kind| &kind.code).chain(regions);
        let code: BTreeSet<Resource> = code.cloned().collect();
        let is_known = |one: &Resource| {
            one.hierarchy() != Hierarchy::Code || code.iter().any(|inside| one.contains(inside))
        };
        self.record.news.retain(|news| is_known(&news.resource));
        self.record.callees.clear();
        self.record.prices = PassEvents::default();
        self.record.hot = PassEvents::default();
        self.histograms.clear();
        self.functions.clear();
        self
    }

    /// Where in the source all that was measured was called.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.record.lines
    }

    /// What each process did as a rank until now, in the order in which they were found, as the daemon tells it; `None` of an
    /// older record, which does not say it.
    #[must_use]
    pub fn efforts(&self) -> Option<Vec<Effort>> {
        self.record.at_work.as_ref().map(|_| self.efforts.values().copied().collect())
    }

    /// Why ranks and threads waited, for each of these pairs of waiting: parts of what they came to, the largest first. Older records do
    /// not say who was at work, or who held locks, and so nothing of this.
    #[must_use]
    pub fn wait_causes(&mut self, pairs: &[Pair]) -> Vec<Vec<CausedWait>> {
        let totals = self.run_totals.take().unwrap_or_else(|| self.totals());
        let Self { wait_causes, classes, resources, record, .. } = self;
        let causes = |pair| wait_causes.shares(pair, &totals, classes, resources);
        let mut told: Vec<Vec<CausedWait>> = pairs.iter().map(causes).collect();
        told.iter_mut().flatten().for_each(|cause| cause.locate(&record.codes_of_excess));
        self.run_totals = Some(totals);
        told
    }

    /// How the threads of each process spent their time, by its name.
    #[must_use]
    pub fn time_divisions(&mut self) -> BTreeMap<String, TimeDivision> {
        let totals = self.run_totals.take().unwrap_or_else(|| self.totals());
        let divisions = totals.divisions(&self.classes, &self.resources).into_iter();
        let name = |process| self.resources.resource(process).name().to_owned();
        let named = divisions.map(|(process, division)| (name(process), division)).collect();
        self.run_totals = Some(totals);
        named
    }

    /// Where a pair's samples come from; why there are none.
    fn source(&mut self, pair: &Pair) -> Result<ReplaySource, &'static str> {
        if pair.metric.definition().quantity == Quantity::Cost {
            return Err("what measuring cost is not kept");
        }
        if !self.was_counted(pair) {
            return Err("it was not counted in that run");
        }
        if !self.was_derived(pair) {
            return Err(
                "it was not derived in that run: it had no ranks, or was measured by an older whyperf",
            );
        }
        if Self::needs_histogram(pair) {
            if self.histograms.contains_key(pair) {
                return Ok(ReplaySource::Histogram(pair.clone()));
            }
            // Functions are known only while they were switched on.
            if !self.names_regions(pair) {
                return Err("it was not measured in that run");
            }
        }
        if !self.names_known_code(pair) {
            return Err("no code of that name was seen in that run");
        }
        let Self { matcher, classes, resources, .. } = self;
        let (metric, focus) = (pair.metric, &pair.focus);
        // No pair has this histogram: it is the smallest there is.
        let histogram = Histogram::new(2, Histogram::DEFAULT_WIDTH);
        let id = matcher.start((metric, focus), classes, resources, |group, resources| {
            Active::new(metric, focus, group, histogram, resources)
        });
        Ok(ReplaySource::Sum(id))
    }

    /// Whether what the kernel or the processor counts was counted: where it was, there is a kind for it, whatever came of it.
    fn was_counted(&self, pair: &Pair) -> bool {
        let counted = Counter::of(pair.metric).map(Counter::category);
        let has = |category| self.record.kinds.iter().any(|kind| kind.category == category);
        counted.is_none_or(has)
    }

    /// Whether what is derived from what all ranks did was so in the run: where it was, there are kinds for it, whatever came of it.
    fn was_derived(&self, pair: &Pair) -> bool {
        let definition = pair.metric.definition();
        let mut kinds = self.record.kinds.iter();
        definition.quantity != Quantity::Derived
            || kinds.any(|kind| definition.categories.contains(kind.category))
    }

    /// Whether all code that a pair names is regions of the program's own, which need not be switched on.
    fn names_regions(&self, pair: &Pair) -> bool {
        let regions = self.record.kinds.iter().filter(|kind| kind.category == Category::User);
        let is_region = |code| regions.clone().any(|kind| kind.own.as_ref() == Some(code));
        pair.focus.part(Hierarchy::Code).iter().all(is_region)
    }

    /// Whether anything of the code that a pair names was seen: a name that was mistyped is no code that took no time.
    fn names_known_code(&self, pair: &Pair) -> bool {
        let code = pair.focus.part(Hierarchy::Code);
        let is_within = |seen: &Resource| code.iter().any(|code| code.contains(seen));
        let mut kinds = self.record.kinds.iter();
        pair.focus.is_root(Hierarchy::Code)
            || kinds.any(|kind| kind.code.iter().chain(&kind.own).any(is_within))
            || self.functions.iter().any(is_within)
    }

    /// All that grew in the record.
    fn totals(&mut self) -> RunTotals {
        let Self { record, resources, of_kind, .. } = self;
        let mut totals = RunTotals::default();
        for ((location, kind), series) in &record.series {
            let location = &record.locations[location.0 as usize];
            let place = [&location.thread, &location.machine].map(|name| resources.id(name));
            let class = of_kind[*kind as usize];
            let nodes: Vec<_> = series.iter().map(|entry| (class, entry.by)).collect();
            totals.grew(place, &nodes);
        }
        for location in &record.untold {
            let location = &record.locations[*location as usize];
            totals.is_untold([&location.thread, &location.machine].map(|name| resources.id(name)));
        }
        totals
    }

    /// One pass of the record.
    fn step(&mut self) {
        let Some(interval) = self.record.passes.get(self.pass).copied() else {
            self.is_over = true;
            self.events.push_back(Event::End(self.now));
            return;
        };
        self.now = interval.end;
        let gone = self.tell_resources();
        self.tell_callees();
        self.tell_of_functions();
        let reports = self.count();
        self.matcher.settle(&self.classes);
        if !interval.is_empty() {
            self.events.push_back(Event::Cost(self.now, 0.0));
        }
        self.tell_samples(interval, &reports);
        self.events.extend(gone.into_iter().map(|gone| Event::Retired(interval.end, gone)));
        let pass = u32::try_from(self.pass).unwrap_or(u32::MAX);
        let phases = self.record.phases.of(pass);
        self.events.extend(phases.map(|name| Event::Phase(interval.end, name.clone())));
        self.pass += 1;
    }

    /// Where processes run and what came in this pass is told; what went is for the end of it.
    fn tell_resources(&mut self) -> Vec<Resource> {
        let Self { record, events, now, .. } = self;
        let pass = u32::try_from(self.pass).unwrap_or(u32::MAX);
        for (process, machine) in record.placed.of(pass) {
            events.push_back(Event::Placed(*now, process.clone(), machine.clone()));
        }
        let mut gone = Vec::new();
        for News { resource, came } in record.news.of(pass) {
            if *came {
                events.push_back(Event::Resource(*now, resource.clone()));
            } else {
                gone.push(resource.clone());
            }
        }
        gone
    }

    /// What became too hot in this pass, and how often functions were called.
    fn tell_of_functions(&mut self) {
        let Self { record, running, events, now, .. } = self;
        let pass = u32::try_from(self.pass).unwrap_or(u32::MAX);
        for (hot, share) in record.hot.of(pass) {
            for (id, source) in running.iter() {
                if matches!(source, ReplaySource::Histogram(pair) if pair == hot) {
                    events.push_back(Event::TooHot(*now, *id, *share));
                }
            }
        }
        for (of, rate) in record.prices.of(pass) {
            events.push_back(Event::Price(*now, of.clone(), *rate));
        }
    }

    /// Whether a pair was measured in windows by now, and the share of the time that they covered.
    fn coverage(&self, pair: &Pair) -> Option<f64> {
        let until_now = self.record.hot.dated().filter(|(at, _)| (*at as usize) < self.pass);
        let mut of_this = until_now.filter(|(_, (hot, _))| hot == pair);
        of_this.next().map(|(_, (_, share))| *share)
    }

    /// All that was ever learned of a function's callees is told at once.
    fn tell_callees(&mut self) {
        for of in std::mem::take(&mut self.asked) {
            let callees = self.record.callees.get(&of).cloned().unwrap_or_default();
            self.events.push_back(Event::Callees(self.now, of, callees));
        }
    }

    /// Hands what grew to the matcher, and counts who was there for each group.
    fn count(&mut self) -> Vec<ProcessReports> {
        let pass = u32::try_from(self.pass).unwrap_or(u32::MAX);
        let mut groups_of: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for location in 0..self.record.locations.len() {
            let number = u32::try_from(location).unwrap_or(u32::MAX);
            if self.record.present.holds(number, pass) {
                self.find_groups(location);
                let process = self.record.locations[location].number;
                groups_of.entry(process).or_default().extend(&self.groups[location].1);
            }
        }
        let mut reports = vec![ProcessReports::default(); self.matcher.group_count()];
        for (process, groups) in groups_of {
            self.take_process(process);
            let has_reported = !self.record.silent.holds(process, pass);
            for group in groups {
                let of_group = &mut reports[group as usize];
                of_group.expected += 1;
                of_group.reported += u32::from(has_reported);
            }
        }
        self.end_work(pass);
        self.wait_causes.close();
        for HeldLock { place, class, holder, waited } in &self.held[self.pass] {
            self.wait_causes.held(*place, *class, holder, *waited, &self.classes);
        }
        reports
    }

    /// What was the end of MPI does not count as a rank's work.
    fn end_work(&mut self, pass: u32) {
        let Self { record, efforts, .. } = self;
        let is_at_work = |location: u32| {
            record.at_work.as_ref().is_some_and(|at_work| at_work.holds(location, pass))
        };
        for (location, ending) in
            record.endings.of(pass).filter(|(location, _)| is_at_work(*location))
        {
            let of = record
                .locations
                .get(*location as usize)
                .and_then(|location| efforts.get_mut(&location.number));
            of.into_iter().for_each(|effort| effort.elapsed = effort.elapsed - *ending);
        }
    }

    /// Hands what one process grew by to the matcher.
    fn take_process(&mut self, number: u32) {
        let pass = u32::try_from(self.pass).unwrap_or(u32::MAX);
        let Self {
            record,
            grown,
            groups,
            matcher,
            classes,
            resources,
            efforts,
            begins,
            wait_causes,
            ..
        } = self;
        let mut worked: BTreeMap<LocationId, Vec<(ClassId, Totals)>> = BTreeMap::new();
        let grown = &grown[self.pass];
        let of = |grown: &(LocationId, u32, Totals)| &record.locations[grown.0.0 as usize];
        let from = grown.partition_point(|grown| of(grown).number < number);
        let mut rank = None;
        let mut lineage = Vec::new();
        for grown in grown[from..].iter().take_while(|grown| of(grown).number == number) {
            let (location, kind, by) = grown;
            matcher.grew(&groups[location.0 as usize].1, self.of_kind[*kind as usize], by);
            if record.at_work.as_ref().is_some_and(|at_work| at_work.holds(location.0, pass)) {
                let effort = efforts.entry(number).or_default();
                effort.add(record.kinds[*kind as usize].category, by.time);
                worked.entry(*location).or_default().push((self.of_kind[*kind as usize], *by));
            }
            let location = of(grown);
            rank = location.rank;
            lineage =
                [&location.process, &location.machine].map(|name| resources.id(name)).to_vec();
        }
        lineage.sort_unstable();
        let has_begun =
            |begins: &BTreeMap<u32, u32>| begins.get(&number).is_some_and(|at| *at <= pass);
        let is_rank = rank.is_some() && begins.as_ref().is_none_or(has_begun);
        let job = efforts.get(&number).map_or(0, |effort| effort.job);
        for (location, nodes) in worked {
            let is_untold = record.untold.contains(&location.0);
            let location = &record.locations[location.0 as usize];
            let all = [&location.process, &location.thread, &location.machine];
            let [process, thread, machine] = all.map(|name| resources.id(name));
            let rank = WaitingRank {
                job,
                rank: location.rank,
                number,
                process,
                place: [thread, machine],
                is_untold,
                delay: RankDelay::Recorded,
                // What came of it is recorded.
                ready: 0.0,
            };
            wait_causes.took(rank, &nodes, classes, resources);
        }
        let process = OneProcess { number, job, lineage: &lineage };
        matcher.settle_apart(classes, is_rank.then_some(&process));
    }

    fn find_groups(&mut self, location: usize) {
        let version = Some(self.matcher.version());
        let (known, groups) = &mut self.groups[location];
        if *known == version {
            return;
        }
        let of = &self.record.locations[location];
        let mut lineage =
            [&of.thread, &of.process, &of.machine].map(|name| self.resources.id(name));
        lineage.sort_unstable();
        *groups = self.matcher.groups_of(&lineage);
        *known = version;
    }

    fn tell_samples(&mut self, interval: Interval, reports: &[ProcessReports]) {
        let mut sums: BTreeMap<PairId, Sample> = BTreeMap::new();
        for (id, pair) in self.matcher.active() {
            let of = reports.get(pair.group as usize).copied().unwrap_or_default();
            if pair.quantity == Quantity::Processes {
                pair.amount = pair.pair.metric.held(of.reported, interval);
            }
            if let Some(sample) = pair.close(interval, of.reported, of.expected) {
                sums.insert(id, sample);
            }
        }
        for (id, source) in &self.running {
            let sample = match source {
                ReplaySource::Sum(pair) => sums.get(pair).copied(),
                ReplaySource::Histogram(pair) => {
                    self.histograms.get(pair).and_then(|sums| sums.sample(interval))
                }
            };
            self.events.extend(sample.map(|sample| Event::Sample(*id, sample)));
        }
    }
}

impl DataSource for Replay {
    fn start(&mut self, id: MeasurementId, pair: &Pair) {
        match self.source(pair) {
            Ok(source) => {
                let hot = matches!(source, ReplaySource::Histogram(_))
                    .then(|| self.coverage(pair))
                    .flatten();
                let hot = hot.map(|share| Event::TooHot(self.now, id, share));
                self.events.extend(hot);
                self.running.insert(id, source);
            }
            Err(why) => self.events.push_back(Event::Refusal(self.now, id, why.to_owned())),
        }
    }

    fn stop(&mut self, id: MeasurementId) {
        if let Some(ReplaySource::Sum(pair)) = self.running.remove(&id) {
            self.matcher.stop(pair);
        }
        let is_of = |event: &Event| match event {
            Event::Sample(of, _) | Event::TooHot(_, of, _) => *of == id,
            _ => false,
        };
        self.events.retain(|event| !is_of(event));
    }

    fn callees(&mut self, of: &Resource) {
        self.asked.push_back(of.clone());
    }

    fn over_run(&mut self, pair: &Pair) -> Option<RunAmount> {
        // Functions are known only while they were switched on.
        let is_unknown = Self::needs_histogram(pair) && !self.names_regions(pair);
        if !self.is_over || is_unknown || !self.was_counted(pair) {
            return None;
        }
        let totals = self.run_totals.take().unwrap_or_else(|| self.totals());
        let amount = totals.amount(pair, &self.classes, &mut self.resources);
        self.run_totals = Some(totals);
        Some(RunAmount { amount: amount?, error: 0, interval: Interval::new(Time::ZERO, self.now) })
    }

    fn poll(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn advance(&mut self) -> bool {
        let goes_on = !self.is_over;
        if goes_on {
            self.step();
        }
        goes_on
    }
}

/// By pass: because of whom threads waited for locks.
fn held(record: &Record, of_kind: &[ClassId], resources: &mut Resources) -> Vec<Vec<HeldLock>> {
    let mut held: Vec<Vec<HeldLock>> = record.passes.iter().map(|_| Vec::new()).collect();
    for (cause, pass, waited) in record.lock_waits.iter() {
        let location = &record.locations[cause.location.0 as usize];
        let place = [&location.thread, &location.machine].map(|name| resources.id(name));
        let class = of_kind[cause.kind as usize];
        let code = cause.code.as_ref().map(|code| resources.id(code));
        let who = resources.id(&cause.holder);
        let holder = AwaitedThread { who, code, spent: vec![(cause.spent, 1.0)] };
        held[pass as usize].push(HeldLock { place, class, holder, waited });
    }
    held
}

/// What was measured or named as a function in a run.
fn functions(record: &Record) -> BTreeSet<Resource> {
    let regions: BTreeSet<&Resource> = record
        .kinds
        .iter()
        .filter(|kind| kind.category == Category::User)
        .filter_map(|kind| kind.own.as_ref())
        .collect();
    let named = record.callees.iter().flat_map(|(of, callees)| callees.iter().chain([of]));
    let all = record.kinds.iter().filter_map(|kind| kind.own.as_ref()).chain(named);
    all.filter(|one| !one.is_root() && !regions.contains(one)).cloned().collect()
}
