//! Counters and gauges of the program: what they came to so far, by callpath and thread.

use std::collections::BTreeMap;

use ahash::AHashMap;
use whyperf_layout::{Gauge, Moved, UserEventPart};
use whyperf_model::{UserEventKind, UserEventRow, UserEventTotals};

use crate::daemon::Daemon;
use crate::process::Process;
use crate::profile::{Paths, View, is_user_event, number};
use crate::thread::{MeasuredThread, NodeCounters};

type RowKey = (String, UserEventKind, u32, u32, Vec<String>);

impl Daemon {
    /// All counters and gauges so far, sorted by name, process, thread and path.
    #[must_use]
    pub fn user_events(&self) -> Vec<UserEventRow> {
        let mut rows: BTreeMap<RowKey, UserEventTotals> = BTreeMap::new();
        for process in self.processes.iter().filter(|process| has_any(process)) {
            for watched in &process.threads {
                add_thread(process, &watched.thread, &mut rows);
            }
        }
        let row = |((name, kind, process, thread, path), totals)| UserEventRow {
            name,
            kind,
            process,
            thread,
            path,
            totals,
        };
        rows.into_iter().map(row).collect()
    }
}

/// Most programs have none: then no path is made.
fn has_any(process: &Process) -> bool {
    let mut nodes = process.threads.iter().flat_map(|watched| &watched.thread.nodes);
    nodes.any(|node| is_user_event(process, node))
}

fn add_thread(
    process: &Process,
    thread: &MeasuredThread,
    rows: &mut BTreeMap<RowKey, UserEventTotals>,
) {
    let Paths { texts, of } = Paths::of(process, thread, View::Full);
    let mut parts: AHashMap<(u32, u32, UserEventPart), NodeCounters> = AHashMap::new();
    for node in &thread.nodes {
        if let Some(part) = UserEventPart::at_site(node.site) {
            parts.insert((node.parent, node.region, part), node.counters);
        }
    }
    for node in thread.nodes.iter().filter(|node| is_user_event(process, node)) {
        let part = |part| parts.get(&(node.parent, node.region, part));
        let (kind, totals) = match UserEventPart::at_site(node.site) {
            Some(UserEventPart::Added) => (UserEventKind::Counter, sum(&node.counters)),
            Some(UserEventPart::Set) => (
                UserEventKind::Gauge,
                UserEventTotals {
                    extremes: part(UserEventPart::Extremes)
                        .map(|counters| Gauge::extremes(words(counters))),
                    squares: part(UserEventPart::Squares)
                        .map(|counters| Gauge::squares(words(counters))),
                    ..sum(&node.counters)
                },
            ),
            _ => continue,
        };
        let Some(name) = process.catalogue.region_name(node.region) else { continue };
        if totals.count == 0 {
            continue;
        }
        let path = texts[of[node.parent as usize]].clone();
        rows.entry((name, kind, number(process), thread.number, path))
            .and_modify(|known| *known = known.with(&totals))
            .or_insert(totals);
    }
}

const fn words(counters: &NodeCounters) -> Moved {
    Moved { out: counters.sent, r#in: counters.received }
}

fn sum(counters: &NodeCounters) -> UserEventTotals {
    let sum = i128::from(counters.sent) - i128::from(counters.received);
    let (extremes, squares) = (None, None);
    UserEventTotals { count: counters.visits, sum: i64::try_from(sum).ok(), extremes, squares }
}
