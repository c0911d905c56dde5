//! What was counted at callpaths of threads, as timers: one for each path, and one for each that paths lead through.

use std::collections::BTreeMap;

use crate::foreign_profile::{ForeignThread, Timer, TimerValue};

/// Node, context and thread.
pub(super) type ThreadPlace = (u32, u32, u32);

/// Sums by thread and callpath.
#[derive(Debug, Default)]
pub(super) struct CallpathSums {
    threads: BTreeMap<ThreadPlace, BTreeMap<Vec<String>, PathSum>>,
}

#[derive(Clone, Debug, Default)]
struct PathSum {
    calls: f64,
    /// What was counted in it alone, by metric.
    exclusive: Vec<f64>,
}

impl CallpathSums {
    /// A path was called so often.
    pub(super) fn called(&mut self, place: ThreadPlace, path: &[String], calls: f64) {
        if let Some(sum) = self.of(place, path) {
            sum.calls += calls;
        }
    }

    /// So much of a metric was counted at the end of a path alone.
    pub(super) fn add(&mut self, place: ThreadPlace, path: &[String], metric: usize, amount: f64) {
        if let Some(PathSum { exclusive, .. }) = self.of(place, path) {
            if exclusive.len() <= metric {
                exclusive.resize(metric + 1, 0.0);
            }
            exclusive[metric] += amount;
        }
    }

    fn of(&mut self, place: ThreadPlace, path: &[String]) -> Option<&mut PathSum> {
        if path.is_empty() {
            return None;
        }
        let paths = self.threads.entry(place).or_default();
        if !paths.contains_key(path) {
            paths.insert(path.to_vec(), PathSum::default());
        }
        paths.get_mut(path)
    }

    /// Whether nothing was counted.
    pub(super) fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// A timer for each path, by thread, with so many metrics.
    pub(super) fn threads(self, metrics: usize) -> Vec<ForeignThread> {
        let threads = self.threads.into_iter();
        threads.map(|(place, paths)| thread(place, &paths, metrics)).collect()
    }
}

fn thread(
    (node, context, thread): ThreadPlace,
    paths: &BTreeMap<Vec<String>, PathSum>,
    metrics: usize,
) -> ForeignThread {
    let mut sums: BTreeMap<&[String], (f64, Vec<TimerValue>)> = BTreeMap::new();
    let nothing = || (0.0, vec![TimerValue::default(); metrics]);
    for (path, counted) in paths {
        let own = sums.entry(path).or_insert_with(nothing);
        own.0 += counted.calls;
        own.1.iter_mut().zip(&counted.exclusive).for_each(|(sum, own)| sum.exclusive += own);
        for depth in 1..=path.len() {
            let above = &mut sums.entry(&path[..depth]).or_insert_with(nothing).1;
            above.iter_mut().zip(&counted.exclusive).for_each(|(sum, own)| sum.inclusive += own);
        }
    }
    let mut subcalls: BTreeMap<&[String], f64> = BTreeMap::new();
    for (path, (calls, _)) in sums.iter().filter(|(path, _)| path.len() > 1) {
        *subcalls.entry(&path[..path.len() - 1]).or_default() += calls;
    }
    let timer = |(path, (calls, values)): (&[String], (f64, Vec<TimerValue>))| Timer {
        name: path.join(Timer::ARROW),
        // Also those of one name: they are not the sum of all paths that end so.
        groups: vec![Timer::CALLPATH.to_owned()],
        calls,
        subcalls: subcalls.get(path).copied().unwrap_or_default(),
        values,
    };
    let timers = sums.into_iter().map(timer).collect();
    ForeignThread { node, context, thread, timers, ..ForeignThread::default() }
}
