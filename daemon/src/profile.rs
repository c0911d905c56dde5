//! The callpath profile: the counters of every node, by whole paths or two levels, ended threads included.

use std::collections::BTreeMap;

use ahash::AHashMap;
use whyperf_model::{Category, Nanos, Scale};

use crate::daemon::Daemon;
use crate::process::Process;
use crate::thread::{MeasuredThread, NodeState};

/// How much of a path a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// All of it.
    Full,
    /// The caller, and what it called.
    TwoLevel,
}

/// One line of the profile.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileRow {
    /// From the outside in: functions that called, regions that were called.
    pub path: Vec<String>,
    /// What the last of them is.
    pub category: Category,
    /// Rank, or process id outside MPI.
    pub process: u32,
    /// Number of the thread in its process.
    pub thread: u32,
    /// Completed calls.
    pub calls: u64,
    /// Time in it and in all below it.
    pub inclusive: Nanos,
    /// Time in it alone.
    pub exclusive: Nanos,
    /// Bytes sent or written.
    pub bytes: u64,
    /// Bytes received or read.
    pub received: u64,
    /// `oned.c:88`, of the call that took most time.
    pub source: Option<String>,
    /// The share of the process's life in which it was counted: less than 1 where a function on the path was switched on late,
    /// off early, or only in windows.
    pub coverage: f64,
}

#[derive(Debug)]
struct NodeSum {
    category: Category,
    calls: u64,
    inclusive: u64,
    exclusive: u64,
    bytes: u64,
    received: u64,
    source: Option<String>,
    longest: u64,
    coverage: f64,
}

impl NodeSum {
    const fn new(category: Category) -> Self {
        let (calls, inclusive, exclusive, bytes, received) = (0, 0, 0, 0, 0);
        let (source, longest, coverage) = (None, 0, 1.0);
        Self { category, calls, inclusive, exclusive, bytes, received, source, longest, coverage }
    }

    /// Takes in what another process that is called the same has.
    fn add(&mut self, other: Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.inclusive = self.inclusive.saturating_add(other.inclusive);
        self.exclusive = self.exclusive.saturating_add(other.exclusive);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.received = self.received.saturating_add(other.received);
        self.coverage = self.coverage.min(other.coverage);
        if self.source.is_none() || other.longest > self.longest {
            self.source = other.source;
            self.longest = other.longest;
        }
    }
}

type RowKey = (u32, u32, Vec<String>);

impl Daemon {
    /// The profile so far, sorted by process, thread and path.
    #[must_use]
    pub fn profile(&self, view: View) -> Vec<ProfileRow> {
        let mut rows: BTreeMap<RowKey, NodeSum> = BTreeMap::new();
        for process in &self.processes {
            for watched in &process.threads {
                add_thread(process, &watched.thread, view, &mut rows);
            }
        }
        let scale = |process: u32| {
            let found = self.processes.iter().find(|candidate| process == number(candidate));
            found.map_or(Scale::NANOSECONDS, |process| process.scale(self.scale()))
        };
        let row = |((process, thread, path), sum): (RowKey, NodeSum)| ProfileRow {
            path,
            process,
            thread,
            category: sum.category,
            calls: sum.calls,
            inclusive: Nanos(scale(process).nanos(sum.inclusive)),
            exclusive: Nanos(scale(process).nanos(sum.exclusive)),
            bytes: sum.bytes,
            received: sum.received,
            source: sum.source,
            coverage: sum.coverage,
        };
        rows.into_iter().map(row).collect()
    }
}

impl Daemon {
    /// How often each of the program's own regions was called so far, in all threads; much cheaper than a profile.
    #[must_use]
    pub fn calls(&self) -> BTreeMap<String, u64> {
        let mut sums = BTreeMap::new();
        for process in &self.processes {
            let mut visits: AHashMap<u32, u64> = AHashMap::new();
            for node in process.threads.iter().flat_map(|watched| &watched.thread.nodes) {
                let sum = visits.entry(node.region).or_default();
                *sum = sum.saturating_add(node.counters.visits);
            }
            for (region, visits) in visits {
                let found = process.catalogue.tables.region(region);
                let is_own = found.is_some_and(|found| found.category == Category::User);
                if let Some(name) = process.catalogue.region_name(region).filter(|_| is_own) {
                    *sums.entry(name).or_default() += visits;
                }
            }
        }
        sums
    }
}

/// Rank, or process id outside MPI.
pub(crate) fn number(process: &Process) -> u32 {
    process.rank.unwrap_or(process.pid)
}

fn add_thread(
    process: &Process,
    thread: &MeasuredThread,
    view: View,
    rows: &mut BTreeMap<RowKey, NodeSum>,
) {
    let inclusive = inclusive_times(thread);
    let Paths { texts, of: paths } = Paths::of(process, thread, view);
    let outermost = outermost(thread, &paths);
    let coverage = coverage(process, thread);
    let mut sums: Vec<Option<NodeSum>> = texts.iter().map(|_| None).collect();
    for (index, node) in thread.nodes.iter().enumerate() {
        let is_call =
            region_name(process, thread, index).is_some() && !is_user_event(process, node);
        if !is_call || (node.net_time() == 0 && node.counters.visits == 0) {
            continue;
        }
        let region = process.catalogue.tables.region(node.region);
        let category = region.map_or(Category::Other, |region| region.category);
        let sum = sums[paths[index]].get_or_insert_with(|| NodeSum::new(category));
        sum.calls = sum.calls.saturating_add(node.counters.visits);
        sum.exclusive = sum.exclusive.saturating_add(node.net_time());
        sum.bytes = sum.bytes.saturating_add(node.counters.sent);
        sum.received = sum.received.saturating_add(node.counters.received);
        sum.coverage = sum.coverage.min(coverage[index]);
        if outermost[index] {
            sum.inclusive = sum.inclusive.saturating_add(inclusive[index]);
        }
        let place = process.catalogue.place(node.site).and_then(|place| place.position());
        if place.is_some() && (sum.source.is_none() || inclusive[index] > sum.longest) {
            sum.source = place;
            sum.longest = inclusive[index];
        }
    }
    for (path, sum) in texts.into_iter().zip(sums) {
        if let Some(sum) = sum {
            rows.entry((number(process), thread.number, path))
                .or_insert_with(|| NodeSum::new(sum.category))
                .add(sum);
        }
    }
}

/// Which nodes have no node of the same path number around them: of a call inside another of the
/// same kind the outer one already holds the time. One walk over the tree, however deep it is.
fn outermost(thread: &MeasuredThread, paths: &[usize]) -> Vec<bool> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); paths.len()];
    let mut steps = Vec::new();
    for (index, node) in thread.nodes.iter().enumerate() {
        match node.parent as usize {
            0 => steps.push((index, true)),
            parent => children[parent].push(index),
        }
    }
    let mut open = vec![0u32; paths.len()];
    let mut outermost = vec![false; paths.len()];
    while let Some((index, enters)) = steps.pop() {
        let open = &mut open[paths[index]];
        if !enters {
            *open -= 1;
            continue;
        }
        outermost[index] = *open == 0;
        *open += 1;
        steps.push((index, false));
        steps.extend(children[index].iter().map(|child| (*child, true)));
    }
    outermost
}

/// Parents come before their children, so one way back over the nodes adds all up.
fn inclusive_times(thread: &MeasuredThread) -> Vec<u64> {
    let mut times: Vec<u64> = thread.nodes.iter().map(NodeState::net_time).collect();
    for index in (1..times.len()).rev() {
        let parent = thread.nodes[index].parent as usize;
        times[parent] = times[parent].saturating_add(times[index]);
    }
    times
}

/// By node the share of the process's life in which it was counted: of a function that in which all functions around it were, too.
/// Calls into libraries are always counted, whatever is switched on around them.
fn coverage(process: &Process, thread: &MeasuredThread) -> Vec<f64> {
    let life = process.born..process.served;
    let region = |number| process.catalogue.tables.region(number);
    let mut shares: Vec<f64> = Vec::with_capacity(thread.nodes.len());
    for node in &thread.nodes {
        let own = region(node.region).map_or(1.0, |region| region.coverage(&life));
        let around = shares.get(node.parent as usize).copied().unwrap_or(1.0);
        shares.push(own.min(around));
    }
    for (share, node) in shares.iter_mut().zip(&thread.nodes) {
        if region(node.region).is_none_or(|region| region.category != Category::Function) {
            *share = 1.0;
        }
    }
    shares
}

/// Names that a path shows at most: the innermost ones. Recursion can go deeper than any reader.
const LONGEST: usize = 64;

/// The paths of a thread's nodes, each text once.
#[derive(Default)]
pub(crate) struct Paths {
    pub(crate) texts: Vec<Vec<String>>,
    /// By node: the number of its path.
    pub(crate) of: Vec<usize>,
}

impl Paths {
    /// Parents come before their children, so each path is its parent's and a name or two.
    pub(crate) fn of(process: &Process, thread: &MeasuredThread, view: View) -> Self {
        let most = if view == View::TwoLevel { 2 } else { LONGEST };
        let mut paths = Self::default();
        let mut numbers: AHashMap<Vec<String>, usize> = AHashMap::new();
        for (index, node) in thread.nodes.iter().enumerate() {
            let above = match node.parent as usize {
                0 => Vec::new(),
                parent => paths.texts[paths.of[parent]].clone(),
            };
            let path = extended(above, process, thread, index, most);
            let number = *numbers.entry(path).or_insert_with_key(|path| {
                paths.texts.push(path.clone());
                paths.texts.len() - 1
            });
            paths.of.push(number);
        }
        paths
    }
}

/// The path one node further in. Nodes without a name add nothing.
fn extended(
    mut path: Vec<String>,
    process: &Process,
    thread: &MeasuredThread,
    index: usize,
    most: usize,
) -> Vec<String> {
    let Some(own) = region_name(process, thread, index) else { return path };
    for name in caller(process, thread, index).into_iter().chain([own]) {
        // A function that calls from inside its own region is one thing, not two.
        if path.last() != Some(&name) {
            path.push(name);
        }
    }
    path.drain(..path.len().saturating_sub(most));
    path
}

/// Whether a node is no call: a value that the program told.
pub(crate) fn is_user_event(process: &Process, node: &NodeState) -> bool {
    let region = process.catalogue.tables.region(node.region);
    region.is_some_and(|region| region.category == Category::UserCounter)
}

fn region_name(process: &Process, thread: &MeasuredThread, index: usize) -> Option<String> {
    process.catalogue.region_name(thread.nodes[index].region)
}

fn caller(process: &Process, thread: &MeasuredThread, index: usize) -> Option<String> {
    Some(process.catalogue.place(thread.nodes[index].site)?.caller())
}
