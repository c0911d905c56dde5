//! The accounts of all pairs that a user named: one for each function in each process.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::matching::{Matcher, PairId};
use whyperf_model::{Aggregation, Category, Focus, Hierarchy, Metric, Nanos, Unit};

use crate::account::{Account, Kind, Spell};
use crate::instrumenter::Instrumenter;
use crate::modules::FunctionKey;
use crate::standing::Standing;

/// What a pair came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    /// What was counted, and what is estimated for times that were not covered.
    pub total: f64,
    /// For how long somebody was measured for it.
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
pub struct Seat<'a> {
    /// Its number.
    pub number: u32,
    /// The groups that its threads are in.
    pub groups: &'a [u32],
    /// How long the interval is.
    pub length: Nanos,
    /// It waits at its start for functions to be in place.
    pub is_held: bool,
}

impl Sum {
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
struct Entry {
    accounts: BTreeMap<(u32, FunctionKey), Account>,
    /// Processes that waited until the functions were in place.
    from_the_start: BTreeSet<u32>,
    /// What came in where no function of the pair was known.
    other: f64,
    /// In rounds before, and in this one by whoever was covered longest.
    covered: Nanos,
    now: Nanos,
    lost: usize,
}

/// What the pairs came to so far.
#[derive(Debug, Default)]
pub(crate) struct Ledger(BTreeMap<PairId, Entry>);

impl Ledger {
    pub(crate) fn close_round(&mut self) {
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
        let is_hot = |armory: &crate::armory::Armory| {
            armory.sites.values().any(|site| site.window.is_some() || !site.spell.is_plain())
        };
        !self.by_name.is_empty() || self.armories.get(&process).is_some_and(is_hot)
    }

    /// Takes down what a process's interval brought, and makes what windows showed of it stand for
    /// all of it.
    pub fn account(&mut self, before: &[(PairId, i64)], seat: Seat<'_>, matcher: &mut Matcher) {
        for (pair, before) in before {
            let Some(active) = matcher.get_mut(*pair) else { continue };
            if seat.is_held && self.by_name.contains(pair) {
                self.ledger.0.entry(*pair).or_default().from_the_start.insert(seat.number);
            }
            if !seat.groups.contains(&active.group) {
                continue;
            }
            let spells = self.spells_of(*pair, seat.number);
            let brought = active.amount - before;
            let kind = kind(active.pair.metric, &active.pair.focus);
            let parts = split(brought, &spells, active.pair.metric);
            let scaled: f64 =
                parts.iter().zip(&spells).map(|(part, (_, spell))| spell.scaled(*part, kind)).sum();
            if !spells.is_empty() {
                #[expect(clippy::cast_possible_truncation, reason = "an estimate")]
                let scaled = scaled.round() as i64;
                active.amount = before.saturating_add(scaled);
            }
            if self.by_name.contains(pair) {
                // Before its functions are found nothing is covered.
                let waits =
                    spells.is_empty() && self.standing(*pair, seat.number) == Standing::Pending;
                let length = if waits { Nanos::ZERO } else { seat.length };
                let seat = Seat { length, ..seat };
                let entry = self.ledger.0.entry(*pair).or_default();
                entry.take(seat, brought, &spells, &Parts { kind, amounts: parts });
            }
        }
    }

    /// A process that ended had functions that pairs need, and none of them was in place.
    pub(crate) fn note_lost(&mut self, process: u32) {
        let is_hot = self.armories.get(&process).is_some_and(|armory| !armory.hot.is_empty());
        if self.forked_children.contains(&process) && !is_hot {
            return;
        }
        let needs = self.needs.keys().filter(|pair| self.by_name.contains(pair));
        let lost: Vec<PairId> = needs
            .filter(|pair| {
                self.standing(**pair, process) == Standing::Pending
                    && self.spells_of(**pair, process).iter().all(|(_, spell)| spell.is_blank())
            })
            .copied()
            .collect();
        for pair in lost {
            self.ledger.0.entry(pair).or_default().lost += 1;
        }
    }

    /// Whether a user named pairs that need functions.
    pub fn is_asked_by_name(&self) -> bool {
        self.by_name.iter().any(|pair| self.needs.contains_key(pair))
    }

    /// What a pair that a user named came to; `None` for one that needs no function.
    pub fn sum(&self, pair: PairId) -> Option<Sum> {
        if !self.by_name.contains(&pair) || !self.needs.contains_key(&pair) {
            return None;
        }
        let Some(entry) = self.ledger.0.get(&pair) else { return Some(Sum::default()) };
        let all = || entry.accounts.values();
        let hot: f64 = all().map(|account| account.hot.as_secs_f64()).sum();
        let windows: f64 = all().map(|account| account.in_windows.as_secs_f64()).sum();
        Some(Sum {
            total: entry.other + all().map(Account::total).sum::<f64>(),
            covered: entry.covered,
            heat: (hot > 0.0).then(|| windows / hot),
            basis: basis(&entry.accounts),
            has_gap: all().any(Account::is_lower_bound),
            late: all().map(|account| account.late).max().unwrap_or_default(),
            lost: entry.lost,
        })
    }

    fn spells_of(&self, pair: PairId, process: u32) -> Vec<(FunctionKey, Spell)> {
        let Some(armory) = self.armories.get(&process) else { return Vec::new() };
        let needs = self.needs.get(&pair).into_iter().flatten();
        let keys = needs.filter_map(|code| self.found.get(code)).flat_map(|found| &found.functions);
        let sites = keys.filter_map(|key| Some((*key, armory.sites.get(key)?)));
        let sites = sites.filter(|(_, site)| site.is_measurable());
        sites.map(|(key, site)| (key, site.spell)).collect()
    }
}

impl Entry {
    fn take(
        &mut self,
        seat: Seat<'_>,
        brought: i64,
        spells: &[(FunctionKey, Spell)],
        parts: &Parts,
    ) {
        if spells.is_empty() {
            self.other += precise(brought);
            self.now = self.now.max(seat.length);
        }
        for ((key, spell), part) in spells.iter().zip(&parts.amounts) {
            let account = self.accounts.entry((seat.number, *key));
            self.now = self.now.max(spell.covered);
            let is_whole = self.from_the_start.contains(&seat.number);
            let first = if is_whole { &Spell::default() } else { spell };
            account.or_insert_with(|| Account::since(parts.kind, first)).add(*part, spell);
        }
    }
}

fn basis(accounts: &BTreeMap<(u32, FunctionKey), Account>) -> Basis {
    let hot = || accounts.values().filter(|account| !account.hot.is_zero());
    let sampled = hot().try_fold(Nanos::ZERO, |sum, account| Some(sum + account.sampled_time()?));
    match sampled {
        Some(sampled) => Basis::Samples(sampled),
        None if hot().any(Account::is_time) => Basis::Times,
        None if hot().any(|account| account.has_short_calls) => Basis::ShortCalls,
        None => Basis::Windows,
    }
}

/// What each function brought of an amount.
struct Parts {
    kind: Kind,
    amounts: Vec<f64>,
}

/// Samples tell of running time, of all threads of a process together.
fn kind(metric: Metric, focus: &Focus) -> Kind {
    let definition = metric.definition();
    let is_time = definition.unit == Unit::Nanoseconds
        && definition.categories.contains(Category::Function)
        && definition.aggregation == Aggregation::Sum;
    let is_thread = focus.part(Hierarchy::Process).iter().any(|part| part.depth() > 1);
    let is_whole = !is_thread && focus.is_root(Hierarchy::SyncObject);
    if is_time && is_whole { Kind::Time } else { Kind::Events }
}

/// What each function brought of an amount: by calls where those are asked for, else by its own time.
fn split(amount: i64, spells: &[(FunctionKey, Spell)], metric: Metric) -> Vec<f64> {
    let weight = |spell: &Spell| match metric {
        Metric::Calls => precise_unsigned(spell.visits),
        _ => precise_unsigned(spell.own),
    };
    let all: f64 = spells.iter().map(|(_, spell)| weight(spell)).sum();
    let even = 1.0 / precise_unsigned(spells.len().max(1) as u64);
    let share = |spell: &Spell| if all > 0.0 { weight(spell) / all } else { even };
    spells.iter().map(|(_, spell)| precise(amount) * share(spell)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53")]
fn precise(amount: i64) -> f64 {
    amount as f64
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53")]
fn precise_unsigned(amount: u64) -> f64 {
    amount as f64
}
