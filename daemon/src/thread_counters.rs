//! The counters of one thread: opened when the thread is new, read in each pass, and divided by where the thread was.

use std::sync::Arc;

use whyperf_inject::{CounterSampling, Schedstat, ThreadCounter};
use whyperf_instrument::CounterSample;
use whyperf_model::matching::{ClassId, Totals, Traits};
use whyperf_model::{Counter, Nanos};

use crate::counted_event::event;
use crate::counted_state::CounterCoverage;
use crate::counter_account::{CounterAccount, Prospect, Share};
use crate::shared_state::SharedState;

/// The counters of a thread.
#[derive(Debug, Default)]
pub(crate) enum ThreadCounters {
    /// Not opened yet.
    #[default]
    New,
    /// As far as they could be.
    Open(Vec<OpenCounter>),
    /// The thread ended, and all was told.
    Closed,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct OpenCounter {
    counter: Counter,
    /// `None` where it could not be opened.
    source: Option<Arc<ThreadCounter>>,
    /// What the system had counted of the thread before.
    base: u64,
    account: CounterAccount,
    /// For how long the thread ran in the run before it was counted.
    uncounted: Nanos,
    /// Whether it counted all of the time so far.
    is_exact: bool,
}

/// What the system counted of a thread before it was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Earlier {
    /// It belongs to the run: the thread began in it.
    Counts,
    /// It was before the run.
    DoesNot,
}

impl ThreadCounters {
    /// Opens these counters of a thread, with so many samples a second of each; answers those of which samples are taken, and
    /// nothing when they were opened before.
    pub(crate) fn open(
        &mut self,
        counters: &[Counter],
        [pid, tid]: [u32; 2],
        frequency: u64,
        earlier: Earlier,
    ) -> Option<Vec<(Counter, Arc<ThreadCounter>)>> {
        let Self::New = self else { return None };
        let opened = counters.iter().filter_map(|counter| {
            let event = event(*counter)?;
            let source = ThreadCounter::open(event, [pid, tid], frequency).ok().map(Arc::new);
            let read = || source.as_ref()?.read();
            let before = match earlier {
                Earlier::Counts => event.since_birth(pid, tid),
                Earlier::DoesNot => None,
            };
            // It counts since a moment ago: what it has by now is in what the system says.
            let base = read().map(|read| before.unwrap_or(0).saturating_sub(read.count));
            let (base, account) = (base.unwrap_or(0), CounterAccount::new());
            let is_unseen = earlier == Earlier::Counts && before.is_none();
            let ran = is_unseen.then(|| Schedstat::of(pid, tid)).flatten();
            let uncounted = Nanos(ran.map_or(0, |counted| counted.ran));
            Some(OpenCounter {
                counter: *counter,
                source,
                base,
                account,
                uncounted,
                is_exact: true,
            })
        });
        let opened: Vec<OpenCounter> = opened.collect();
        let sampled = opened.iter().filter(|one| one.is_sampled());
        let sampled = sampled.filter_map(|one| Some((one.counter, one.source.clone()?)));
        let sampled = sampled.collect();
        *self = Self::Open(opened);
        Some(sampled)
    }

    /// Whether a counter counts this thread, or did to its end; and whether it is known where it was.
    pub(crate) fn coverage(&self, counter: Counter) -> CounterCoverage {
        match self {
            Self::New => CounterCoverage::None,
            Self::Closed => CounterCoverage::Placed,
            Self::Open(open) => {
                let of = open.iter().find(|one| one.counter == counter);
                match of.filter(|one| one.source.is_some()) {
                    None => CounterCoverage::None,
                    Some(one) if one.is_sampled() => CounterCoverage::Placed,
                    Some(_) => CounterCoverage::Counted,
                }
            }
        }
    }

    /// For how long it ran in the run before it was counted, by counters of which nothing says what they would have counted.
    pub(crate) fn uncounted(&self) -> impl Iterator<Item = (Counter, Nanos)> {
        let open = if let Self::Open(open) = self { open.as_slice() } else { &[] };
        let counted = open.iter().filter(|one| one.source.is_some());
        counted.map(|one| (one.counter, one.uncounted))
    }

    /// Counters that had to share the processor's, so that what they say is an estimate.
    pub(crate) fn scaled(&self) -> impl Iterator<Item = Counter> {
        let open = if let Self::Open(open) = self { open.as_slice() } else { &[] };
        open.iter().filter(|one| !one.is_exact).map(|one| one.counter)
    }

    /// What was counted since the pass before, by class.
    pub(crate) fn take(
        &mut self,
        samples: &[&CounterSample],
        prospect: Prospect,
        now: Nanos,
        state: &mut SharedState,
    ) -> Vec<(ClassId, Totals)> {
        let Self::Open(open) = self else { return Vec::new() };
        let told = open.iter_mut().flat_map(|one| one.take(samples, prospect, now, state));
        let told = told.collect();
        if prospect == Prospect::Ended {
            *self = Self::Closed;
        }
        told
    }
}

impl OpenCounter {
    fn is_sampled(&self) -> bool {
        let sampling = self.source.as_ref().map(|source| source.sampling());
        sampling == Some(CounterSampling::Stacks)
    }

    fn take(
        &mut self,
        samples: &[&CounterSample],
        prospect: Prospect,
        now: Nanos,
        state: &mut SharedState,
    ) -> Vec<(ClassId, Totals)> {
        let Some(reading) = self.source.as_ref().and_then(|source| source.read()) else {
            return Vec::new();
        };
        self.is_exact &= reading.is_exact();
        let counted = reading.scaled().map_or(0, |count| self.base.saturating_add(count));
        let prospect = if self.is_sampled() { prospect } else { Prospect::Ended };
        let is_own = |sample: &&&CounterSample| sample.counter == self.counter;
        let own: Vec<&CounterSample> = samples.iter().filter(is_own).copied().collect();
        let share = self.account.take(counted, &weights_of(&own), prospect, now);
        told(self.counter, &own, &share, state)
    }
}

fn weights_of(samples: &[&CounterSample]) -> Vec<u64> {
    samples.iter().map(|sample| sample.weight).collect()
}

/// What is told of a counter, by where its samples were.
fn told(
    counter: Counter,
    own: &[&CounterSample],
    share: &Share,
    state: &mut SharedState,
) -> Vec<(ClassId, Totals)> {
    let mut told = Vec::with_capacity(own.len() + 1);
    for (sample, amount) in own.iter().zip(&share.placed).filter(|(_, amount)| **amount > 0) {
        // A sample that stands for many might have been of another place.
        let variance = amount.saturating_mul(amount - 1);
        told.push((class(sample, state), Totals::counted(*amount, variance)));
        if !sample.is_whole {
            *state.counted.cut.entry(counter).or_default() += amount;
        }
    }
    if share.rest > 0 {
        told.push((state.unplaced(counter), Totals::counted(share.rest, 0)));
    }
    told
}

/// The class of what is counted where a sample was.
fn class(sample: &CounterSample, state: &mut SharedState) -> ClassId {
    let mut id = |code| state.resources.id(code);
    let own = sample.own.as_ref().map(&mut id);
    let mut code: Vec<_> = sample.functions.iter().map(&mut id).collect();
    code.sort_unstable();
    code.dedup();
    let (category, functions) = (sample.counter.category(), Vec::new());
    let traits = Traits { category, code, functions, object: None, own };
    if let Some(known) = state.classes.find(&traits) {
        return known;
    }
    if state.counted.stacks >= MOST_STACKS {
        return state.unplaced(sample.counter);
    }
    state.counted.stacks += 1;
    state.classes.intern(traits, &mut state.resources)
}

/// Different stacks that are kept apart; what more there are have no place.
const MOST_STACKS: usize = 20_000;
