//! Reads where threads are when something is counted of them: the stacks that the kernel copied at some of the events, with
//! the names of functions.
//!
//! ```text
//!   counter of a thread ──► ring ──► every tick: stacks ──► functions ──► answer
//! ```

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use whyperf_inject::{CountedSnapshot, CountedSnapshots, ThreadCounter};
use whyperf_model::{Counter, Nanos, Resource};

use super::call_graph::CallGraph;
use super::known_code::KnownCode;
use super::stacks;
use crate::function_key::FunctionKey;
use crate::messages::{Counted, CounterSample, WorkerAnswer};
use crate::sample_price::STACK;

/// The counters of all processes whose samples are taken in.
#[derive(Debug, Default)]
pub(crate) struct Counting {
    processes: BTreeMap<u32, Counters>,
    taken: Option<Instant>,
    /// How functions are called that were met.
    names: BTreeMap<FunctionKey, Resource>,
}

/// Those of one process.
#[derive(Debug, Default)]
struct Counters {
    counters: Vec<Counter>,
    /// In the same order.
    sources: Vec<(u32, Arc<ThreadCounter>)>,
}

impl Counting {
    /// Takes in the samples of a counter from now on.
    pub(crate) fn begin(
        &mut self,
        process: u32,
        tid: u32,
        counter: Counter,
        source: Arc<ThreadCounter>,
    ) {
        let counters = self.processes.entry(process).or_default();
        counters.counters.push(counter);
        counters.sources.push((tid, source));
    }

    /// A process ended.
    pub(crate) fn forget(&mut self, process: u32) {
        self.processes.remove(&process);
    }

    /// How long nothing has to be taken in; `None` when nothing is counted.
    pub(crate) fn rest(&self) -> Option<Duration> {
        if self.processes.is_empty() {
            return None;
        }
        Some(self.taken.map_or(Duration::ZERO, |taken| TICK.saturating_sub(taken.elapsed())))
    }

    /// Takes in what came, if it is time to.
    pub(crate) fn take(
        &mut self,
        code: &mut KnownCode,
        graph: &mut CallGraph,
    ) -> Vec<WorkerAnswer> {
        if self.rest() != Some(Duration::ZERO) {
            return Vec::new();
        }
        self.taken = Some(Instant::now());
        let processes: Vec<u32> = self.processes.keys().copied().collect();
        let told = processes.into_iter().filter_map(|process| self.take_of(process, code, graph));
        told.collect()
    }

    fn take_of(
        &mut self,
        process: u32,
        code: &mut KnownCode,
        graph: &mut CallGraph,
    ) -> Option<WorkerAnswer> {
        let counters = self.processes.get_mut(&process)?;
        // Whoever counts holds the other end: when that is gone the thread has ended.
        let ended = |source: &Arc<ThreadCounter>| Arc::strong_count(source) == 1;
        let watched = code.processes.get_mut(&process)?;
        let CountedSnapshots { all, lost } =
            watched.stack_snapshots.take_counted(&counters.sources);
        let numbers = counters.counters.clone();
        let (counted, sources) =
            (mem::take(&mut counters.counters), mem::take(&mut counters.sources));
        let both = counted.into_iter().zip(sources);
        (counters.counters, counters.sources) =
            both.filter(|(_, (_, source))| !ended(source)).unzip();
        if all.is_empty() && lost == 0 {
            return None;
        }
        let cost = Nanos(STACK.0.saturating_mul(all.len() as u64));
        let sample = |seen| self.sample(process, seen, &numbers, code, graph);
        let samples = all.into_iter().map(sample).collect();
        Some(WorkerAnswer::Counted { process, counted: Counted { samples, lost, cost } })
    }

    fn sample(
        &mut self,
        process: u32,
        seen: CountedSnapshot,
        counters: &[Counter],
        code: &mut KnownCode,
        graph: &mut CallGraph,
    ) -> CounterSample {
        let CountedSnapshot { at, weight, snapshot } = seen;
        let (functions, own) = stacks::functions_on(code, graph, process, &snapshot);
        let mut name = |key: FunctionKey| {
            let module = code.modules.get(key.module);
            self.names.entry(key).or_insert_with(|| module.resource(key.function)).clone()
        };
        CounterSample {
            tid: snapshot.tid,
            counter: counters[at],
            weight,
            own: own.map(&mut name),
            functions: functions.into_iter().map(&mut name).collect(),
            is_whole: snapshot.is_whole,
        }
    }
}

/// How often samples are taken in: a ring holds more than come meanwhile.
const TICK: Duration = Duration::from_millis(20);
