//! A run as a profile of TAU's: the very one that was imported, or one made of callpaths.

use std::collections::BTreeMap;

use whyperf_model::{UserEventKind, UserEventTotals};

use super::ExportedRun;
use super::call_tree::CallTree;
use crate::foreign_profile::{
    ForeignMetric, ForeignProfile, ForeignThread, Timer, TimerValue, UserEvent,
};
use crate::run::Topic;

impl ExportedRun {
    /// What is written as TAU's files.
    #[must_use]
    pub fn tau(&self) -> ForeignProfile {
        if let Some(foreign) = &self.foreign {
            return foreign.clone();
        }
        let groups = self.facts.iter().filter(|fact| fact.topic == Topic::Group.name());
        let groups = groups.map(|fact| (fact.name.as_str(), fact.value.as_str())).collect();
        let threads = self.trees().into_iter().map(|tree| ForeignThread {
            events: self.events(&tree),
            metadata: self.metadata(tree.process),
            ..thread(&tree, &groups, self.summary.elapsed_s)
        });
        ForeignProfile {
            metrics: vec![ForeignMetric { name: "TIME".into() }],
            threads: threads.collect(),
            notes: Vec::new(),
        }
    }
}

impl ExportedRun {
    /// Machine and program, and what a process says of itself.
    fn metadata(&self, process: u32) -> Vec<(String, String)> {
        let is_told = |topic: &str| topic == "environment" || Topic::is_metadata_of(topic, process);
        let facts = self.facts.iter().filter(|fact| is_told(&fact.topic));
        facts.map(|fact| (fact.name.clone(), fact.value.clone())).collect()
    }

    /// The gauges of a thread, each for all callpaths and for each by itself. Of a counter no least and most are known.
    fn events(&self, tree: &CallTree<'_>) -> Vec<UserEvent> {
        let of_thread = self.user_events.iter().filter(|one| {
            (one.process, one.thread, one.kind) == (tree.process, tree.thread, UserEventKind::Gauge)
        });
        let mut events: BTreeMap<String, UserEventTotals> = BTreeMap::new();
        for one in of_thread {
            let context = format!("{} : {}", one.name, one.path.join(Timer::ARROW));
            for name in [one.name.clone(), context] {
                let sum = events.entry(name).and_modify(|known| *known = known.with(&one.totals));
                sum.or_insert(one.totals);
            }
        }
        events.iter().filter_map(|(name, totals)| event(name, totals)).collect()
    }
}

fn event(name: &str, totals: &UserEventTotals) -> Option<UserEvent> {
    let [least, most] = totals.extremes?;
    Some(UserEvent {
        name: name.to_owned(),
        count: totals.count as f64,
        most: most as f64,
        least: least as f64,
        mean: totals.mean()?,
        squares: totals.squares? as f64,
    })
}

/// A flat line for each name, and one for each callpath of several names; all below TAU's own root.
fn thread(tree: &CallTree<'_>, groups: &BTreeMap<&str, &str>, elapsed_s: f64) -> ForeignThread {
    let group = |name: &str| groups.get(name).copied().unwrap_or_else(|| group(name));
    let subcalls = tree.subcalls();
    let mut flat: BTreeMap<&str, Timer> = BTreeMap::new();
    let mut paths: Vec<Timer> = Vec::new();
    let mut outermost = (0.0, 0.0);
    for (at, node) in tree.nodes.iter().enumerate() {
        // Whole microseconds, as TAU's clock has them: some of its readers know no others.
        let [exclusive, inclusive] =
            [node.exclusive, node.inclusive].map(|nanos| (nanos as f64 / 1e3).round());
        let (calls, subcalls) = (node.calls as f64, subcalls[at] as f64);
        let way = tree.way(at);
        let is_inner =
            way[..way.len() - 1].iter().any(|above| tree.nodes[*above].name == node.name);
        let timer = flat.entry(node.name).or_insert_with(|| empty(node.name, group(node.name)));
        timer.calls += calls;
        timer.subcalls += subcalls;
        timer.values[0].exclusive += exclusive;
        // Of a recursion only the outermost counts.
        timer.values[0].inclusive += if is_inner { 0.0 } else { inclusive };
        if way.len() == 1 {
            outermost.0 += inclusive;
            outermost.1 += calls;
        }
        let names = way.iter().map(|at| tree.nodes[*at].name);
        let names: Vec<&str> = [ROOT].into_iter().chain(names).collect();
        let mut path = empty(&names.join(Timer::ARROW), Timer::CALLPATH);
        path.groups.push(group(node.name).to_owned());
        (path.calls, path.subcalls) = (calls, subcalls);
        path.values[0] = TimerValue { exclusive, inclusive };
        paths.push(path);
    }
    let mut root = empty(ROOT, "TAU_DEFAULT");
    let elapsed = (elapsed_s * 1e6).round().max(outermost.0);
    (root.calls, root.subcalls) = (1.0, outermost.1);
    root.values[0] = TimerValue { exclusive: elapsed - outermost.0, inclusive: elapsed };
    ForeignThread {
        node: tree.process,
        context: 0,
        thread: tree.thread,
        timers: [root].into_iter().chain(flat.into_values()).chain(paths).collect(),
        events: Vec::new(),
        metadata: Vec::new(),
    }
}

/// What stands above all in TAU's profiles.
const ROOT: &str = ".TAU application";

fn empty(name: &str, group: &str) -> Timer {
    let values = vec![TimerValue::default()];
    Timer { name: name.to_owned(), groups: vec![group.to_owned()], values, ..Timer::default() }
}

fn group(name: &str) -> &'static str {
    if name.starts_with("MPI_") { "MPI" } else { "TAU_USER" }
}
