//! The totals of all pairs that a user named: sums of one contribution for each function in each process.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::matching::{Matcher, PairId};
use whyperf_model::{Aggregation, Category, Focus, Hierarchy, Metric, Nanos, Unit};

use crate::contribution::{AmountKind, Contribution, FunctionInterval};
use crate::instrumenter::Instrumenter;
use crate::modules::FunctionKey;
use crate::status::PairStatus;

/// What a pair came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairTotal {
    /// What was counted, and what is estimated for times that were not covered.
    pub total: f64,
    /// For how long some process was measured for it.
    pub covered: Nanos,
    /// The share that windows covered of the time in which functions were too hot.
    pub heat: Option<f64>,
    /// What it rests on where it is an estimate.
    pub basis: Basis,
    /// Of a time in which functions were too hot nothing is known.
    pub has_gap: bool,
    /// How long a process ran at most before its functions were in place.
    pub late: Nanos,
    /// Processes that ended before.
    pub lost: usize,
}

/// A process in an interval.
#[derive(Clone, Copy, Debug)]
pub struct ProcessInterval<'a> {
    /// Its number.
    pub number: u32,
    /// The groups that its threads are in.
    pub groups: &'a [u32],
    /// How long the interval is.
    pub length: Nanos,
    /// It waits at its start for functions to be in place.
    pub is_held: bool,
}

impl PairTotal {
    /// What keeps it from being exact, in words; empty when nothing does.
    #[must_use]
    pub fn limits(self) -> String {
        let mut all = Vec::new();
        if let Some(share) = self.heat {
            let share = 100.0 * share;
            let how = self.how();
            all.push(format!(
                "too hot: covered {share:.2} % of the time, the total is an estimate{how}"
            ));
        }
        if self.has_gap {
            all.push("lower bound: it was called too often at the end of a process".to_owned());
        }
        if self.late > LATE {
            let late = self.late.as_secs_f64();
            all.push(format!("lower bound: not in place before {late:.2} s of a process"));
        }
        if self.lost > 0 {
            let (lost, who) = (self.lost, if self.lost == 1 { "process" } else { "processes" });
            all.push(format!("lower bound: {lost} {who} ended before it was in place"));
        }
        all.join("; ")
    }

    /// How what was not covered was estimated, and how well that can be.
    fn how(self) -> String {
        match self.basis {
            Basis::Samples(time) => {
                let time = time.as_secs_f64();
                format!(", by where its threads were found in {time:.2} s of running")
            }
            Basis::Windows => String::new(),
            Basis::ShortCalls => ", and calls this short take longer while they are counted: there were up to twice as many"
                .to_owned(),
            Basis::Times => ", and as threads may not be sampled here, of calls of a few nanoseconds a rough one".to_owned(),
        }
    }
}

/// What an estimate rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Basis {
    /// What windows showed, as it was.
    #[default]
    Windows,
    /// Calls of so few nanoseconds that counting them makes them longer.
    ShortCalls,
    /// Times of calls in windows, though samples would tell more.
    Times,
    /// Where threads were found in so much running time.
    Samples(Nanos),
}

/// Nothing is called as early as that.
const LATE: Nanos = Nanos(1_000_000);

#[derive(Debug, Default)]
struct NamedPair {
    contributions: BTreeMap<(u32, FunctionKey), Contribution>,
    /// Processes that waited until the functions were in place.
    from_the_start: BTreeSet<u32>,
    /// What came in where no function of the pair was known.
    other: f64,
    /// Covered in the passes before, and in this one by the function that was covered longest.
    covered: Nanos,
    now: Nanos,
    lost: usize,
}

/// The pairs that a user named, with what they came to so far.
#[derive(Debug, Default)]
pub(crate) struct NamedPairs(BTreeMap<PairId, NamedPair>);

impl NamedPairs {
    pub(crate) fn close_pass(&mut self) {
        for entry in self.0.values_mut() {
            entry.covered += std::mem::take(&mut entry.now);
        }
    }
}

impl Instrumenter {
    /// The pairs that functions have to be on for, and their amounts by now.
    pub fn amounts(&self, matcher: &Matcher) -> Vec<(PairId, i64)> {
        let amount = |pair: &PairId| Some((*pair, matcher.get(*pair)?.amount));
        self.needs.keys().filter_map(amount).collect()
    }

    /// Whether what a process brings has to be told apart from what others do.
    pub fn tells_apart(&self, process: u32) -> bool {
        let is_hot = |patch_table: &crate::patch_table::PatchTable| {
            patch_table
                .sites
                .values()
                .any(|site| site.window.is_some() || !site.interval.is_plain())
        };
        !self.by_name.is_empty() || self.patch_tables.get(&process).is_some_and(is_hot)
    }

    /// Records what a process's interval brought, and makes what windows showed of it stand for
    /// all of it.
    pub fn record_interval(
        &mut self,
        before: &[(PairId, i64)],
        process: ProcessInterval<'_>,
        matcher: &mut Matcher,
    ) {
        for (pair, before) in before {
            let Some(active) = matcher.get_mut(*pair) else { continue };
            if process.is_held && self.by_name.contains(pair) {
                self.named_pairs.0.entry(*pair).or_default().from_the_start.insert(process.number);
            }
            if !process.groups.contains(&active.group) {
                continue;
            }
            let intervals = self.intervals_of(*pair, process.number);
            let brought = active.amount - before;
            let kind = kind(active.pair.metric, &active.pair.focus);
            let parts = split(brought, &intervals, active.pair.metric);
            let scaled: f64 = parts
                .iter()
                .zip(&intervals)
                .map(|(part, (_, interval))| interval.scaled(*part, kind))
                .sum();
            if !intervals.is_empty() {
                #[expect(clippy::cast_possible_truncation, reason = "an estimate")]
                let scaled = scaled.round() as i64;
                active.amount = before.saturating_add(scaled);
            }
            if self.by_name.contains(pair) {
                // Before its functions are found nothing is covered.
                let waits = intervals.is_empty()
                    && self.status(*pair, process.number) == PairStatus::Pending;
                let length = if waits { Nanos::ZERO } else { process.length };
                let process = ProcessInterval { length, ..process };
                let entry = self.named_pairs.0.entry(*pair).or_default();
                entry.take(process, brought, &intervals, &Parts { kind, amounts: parts });
            }
        }
    }

    /// A process that ended had functions that pairs need, and none of them was in place.
    pub(crate) fn note_lost(&mut self, process: u32) {
        let is_hot =
            self.patch_tables.get(&process).is_some_and(|patch_table| !patch_table.hot.is_empty());
        if self.forked_children.contains(&process) && !is_hot {
            return;
        }
        let needs = self.needs.keys().filter(|pair| self.by_name.contains(pair));
        let lost: Vec<PairId> = needs
            .filter(|pair| {
                self.status(**pair, process) == PairStatus::Pending
                    && self
                        .intervals_of(**pair, process)
                        .iter()
                        .all(|(_, interval)| interval.is_blank())
            })
            .copied()
            .collect();
        for pair in lost {
            self.named_pairs.0.entry(pair).or_default().lost += 1;
        }
    }

    /// Whether a user named pairs that need functions.
    pub fn is_asked_by_name(&self) -> bool {
        self.by_name.iter().any(|pair| self.needs.contains_key(pair))
    }

    /// What a pair that a user named came to; `None` for one that needs no function.
    pub fn sum(&self, pair: PairId) -> Option<PairTotal> {
        if !self.by_name.contains(&pair) || !self.needs.contains_key(&pair) {
            return None;
        }
        let Some(entry) = self.named_pairs.0.get(&pair) else { return Some(PairTotal::default()) };
        let all = || entry.contributions.values();
        let hot: f64 = all().map(|contribution| contribution.hot.as_secs_f64()).sum();
        let windows: f64 = all().map(|contribution| contribution.in_windows.as_secs_f64()).sum();
        Some(PairTotal {
            total: entry.other + all().map(Contribution::total).sum::<f64>(),
            covered: entry.covered,
            heat: (hot > 0.0).then(|| windows / hot),
            basis: basis(&entry.contributions),
            has_gap: all().any(Contribution::is_lower_bound),
            late: all().map(|contribution| contribution.late).max().unwrap_or_default(),
            lost: entry.lost,
        })
    }

    fn intervals_of(&self, pair: PairId, process: u32) -> Vec<(FunctionKey, FunctionInterval)> {
        let Some(patch_table) = self.patch_tables.get(&process) else { return Vec::new() };
        let needs = self.needs.get(&pair).into_iter().flatten();
        let keys = needs.filter_map(|code| self.found.get(code)).flat_map(|found| &found.functions);
        let sites = keys.filter_map(|key| Some((*key, patch_table.sites.get(key)?)));
        let sites = sites.filter(|(_, site)| site.is_measurable());
        sites.map(|(key, site)| (key, site.interval)).collect()
    }
}

impl NamedPair {
    fn take(
        &mut self,
        process: ProcessInterval<'_>,
        brought: i64,
        intervals: &[(FunctionKey, FunctionInterval)],
        parts: &Parts,
    ) {
        if intervals.is_empty() {
            self.other += precise(brought);
            self.now = self.now.max(process.length);
        }
        for ((key, interval), part) in intervals.iter().zip(&parts.amounts) {
            let contribution = self.contributions.entry((process.number, *key));
            self.now = self.now.max(interval.covered);
            let is_whole = self.from_the_start.contains(&process.number);
            let first = if is_whole { &FunctionInterval::default() } else { interval };
            contribution
                .or_insert_with(|| Contribution::since(parts.kind, first))
                .add(*part, interval);
        }
    }
}

fn basis(contributions: &BTreeMap<(u32, FunctionKey), Contribution>) -> Basis {
    let hot = || contributions.values().filter(|contribution| !contribution.hot.is_zero());
    let sampled =
        hot().try_fold(Nanos::ZERO, |sum, contribution| Some(sum + contribution.sampled_time()?));
    match sampled {
        Some(sampled) => Basis::Samples(sampled),
        None if hot().any(Contribution::is_time) => Basis::Times,
        None if hot().any(|contribution| contribution.has_short_calls) => Basis::ShortCalls,
        None => Basis::Windows,
    }
}

/// What each function brought of an amount.
struct Parts {
    kind: AmountKind,
    amounts: Vec<f64>,
}

/// Samples tell of running time, of all threads of a process together.
fn kind(metric: Metric, focus: &Focus) -> AmountKind {
    let definition = metric.definition();
    let is_time = definition.unit == Unit::Nanoseconds
        && definition.categories.contains(Category::Function)
        && definition.aggregation == Aggregation::Sum;
    let is_thread = focus.part(Hierarchy::Process).iter().any(|part| part.depth() > 1);
    let is_whole = !is_thread && focus.is_root(Hierarchy::SyncObject);
    if is_time && is_whole { AmountKind::Time } else { AmountKind::Events }
}

/// What each function brought of an amount: by calls where those are asked for, else by its own time.
fn split(amount: i64, intervals: &[(FunctionKey, FunctionInterval)], metric: Metric) -> Vec<f64> {
    let weight = |interval: &FunctionInterval| match metric {
        Metric::Calls => precise_unsigned(interval.visits),
        _ => precise_unsigned(interval.own),
    };
    let all: f64 = intervals.iter().map(|(_, interval)| weight(interval)).sum();
    let even = 1.0 / precise_unsigned(intervals.len().max(1) as u64);
    let share = |interval: &FunctionInterval| if all > 0.0 { weight(interval) / all } else { even };
    intervals.iter().map(|(_, interval)| precise(amount) * share(interval)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53")]
fn precise(amount: i64) -> f64 {
    amount as f64
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53")]
fn precise_unsigned(amount: u64) -> f64 {
    amount as f64
}
