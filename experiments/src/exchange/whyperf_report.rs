//! The report of a run as whyperf writes it with `--json`: of a run whose store is elsewhere, or gone.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::callpath_sums::{CallpathSums, ThreadPlace};
use super::error::ExchangeError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile, ForeignThread, UserEvent};

/// The versions that are known.
const VERSIONS: std::ops::RangeInclusive<u32> = 1..=2;
/// What is told of callpaths, in the order of values.
const METRICS: [&str; 3] = ["TIME", "BYTES_SENT", "BYTES_RECEIVED"];

#[derive(Deserialize)]
struct Report {
    format: String,
    version: u32,
    profile: Vec<ProfileRow>,
    #[serde(default)]
    user_events: Vec<Event>,
    #[serde(default)]
    metadata: Vec<Metadata>,
    #[serde(default)]
    goes_on: bool,
}

#[derive(Deserialize)]
struct ProfileRow {
    path: Vec<String>,
    process: u32,
    thread: u32,
    calls: u64,
    exclusive_s: f64,
    #[serde(default)]
    bytes_sent: u64,
    #[serde(default)]
    bytes_received: u64,
}

#[derive(Deserialize)]
struct Event {
    name: String,
    processes: Vec<EventOfProcess>,
}

#[derive(Deserialize)]
struct EventOfProcess {
    process: u32,
    count: u64,
    least: Option<f64>,
    most: Option<f64>,
    mean: Option<f64>,
    deviation: Option<f64>,
}

#[derive(Deserialize)]
struct Metadata {
    key: String,
    value: String,
    processes: Vec<u32>,
}

/// Reads a text that came from `path`.
///
/// # Errors
/// Where it is no report, one of a version that is not known, or one without a profile.
pub fn whyperf_report(path: &Path, text: &str) -> Result<ForeignProfile, ExchangeError> {
    let refused = |what| ExchangeError::Nothing { path: path.to_owned(), what };
    let report: Report =
        serde_json::from_str(text).map_err(|_| refused("no report of whyperf with a profile"))?;
    if report.format != "whyperf-report" {
        return Err(refused("no report of whyperf"));
    }
    if !VERSIONS.contains(&report.version) {
        return Err(refused("a report of a newer whyperf: use a newer whyperf"));
    }
    let mut threads = threads(&report.profile);
    if threads.is_empty() {
        return Err(refused("a report without a profile"));
    }
    let mut notes = vec![
        "a report tells no time over the run; its findings, messages, phases and machines are not taken in".to_owned(),
    ];
    if report.goes_on {
        notes.push("the run went on when the report was written".to_owned());
    }
    let counters = add_events(&mut threads, &report.user_events);
    if counters > 0 {
        notes.push(format!("{counters} counters are not taken in: of a profile's events the least and the most are known"));
    }
    add_metadata(&mut threads, &report.metadata);
    let metrics = METRICS.map(|name| ForeignMetric { name: name.to_owned() }).to_vec();
    Ok(ForeignProfile { metrics, threads, notes })
}

fn threads(rows: &[ProfileRow]) -> Vec<ForeignThread> {
    let mut sums = CallpathSums::default();
    for row in rows {
        let place: ThreadPlace = (row.process, 0, row.thread);
        #[expect(clippy::cast_precision_loss, reason = "a byte of a petabyte does not matter")]
        let [calls, sent, received] =
            [row.calls, row.bytes_sent, row.bytes_received].map(|count| count as f64);
        sums.called(place, &row.path, calls);
        for (metric, amount) in [row.exclusive_s * 1e6, sent, received].into_iter().enumerate() {
            sums.add(place, &row.path, metric, amount);
        }
    }
    sums.threads(METRICS.len())
}

/// The first thread of each process.
fn first_threads(threads: &mut [ForeignThread]) -> BTreeMap<u32, &mut ForeignThread> {
    // Threads are in the order of their numbers, so the first of a process comes last here.
    threads.iter_mut().rev().map(|thread| (thread.node, thread)).collect()
}

/// Adds gauges to the first thread of each process; answers how many counters there are, which have no extremes.
fn add_events(threads: &mut [ForeignThread], events: &[Event]) -> usize {
    let mut of_process = first_threads(threads);
    let mut counters = 0;
    for Event { name, processes } in events {
        let mut is_gauge = false;
        for one in processes {
            let extremes = one.least.zip(one.most).zip(one.mean);
            let Some(((least, most), mean)) = extremes else { continue };
            is_gauge = true;
            #[expect(clippy::cast_precision_loss, reason = "nobody counts so far")]
            let count = one.count as f64;
            let deviation = one.deviation.unwrap_or_default();
            let squares = count * (mean.powi(2) + deviation.powi(2));
            if let Some(thread) = of_process.get_mut(&one.process) {
                thread.events.push(UserEvent {
                    name: name.clone(),
                    count,
                    most,
                    least,
                    mean,
                    squares,
                });
            }
        }
        counters += usize::from(!is_gauge);
    }
    counters
}

fn add_metadata(threads: &mut [ForeignThread], metadata: &[Metadata]) {
    let mut of_process = first_threads(threads);
    for Metadata { key, value, processes } in metadata {
        for process in processes {
            if let Some(thread) = of_process.get_mut(process) {
                thread.metadata.push((key.clone(), value.clone()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"{"format":"whyperf-report","version":2,"elapsed_s":3.0,"profile":[
        {"path":["main"],"process":0,"thread":0,"calls":1,"inclusive_s":3.0,"exclusive_s":1.0,"bytes":0,"bytes_sent":0,"bytes_received":0},
        {"path":["main","MPI_Send"],"process":0,"thread":0,"calls":4,"inclusive_s":2.0,"exclusive_s":2.0,"bytes":64,"bytes_sent":64,"bytes_received":0}],
        "user_events":[
        {"name":"residual","kind":"gauge","count":2,"sum":6,"processes":[{"process":0,"count":2,"sum":6,"least":2,"most":4,"mean":3.0,"deviation":1.0}],"callpaths":[]},
        {"name":"steps","kind":"counter","count":9,"sum":9,"processes":[{"process":0,"count":9,"sum":9,"least":null,"most":null,"mean":null,"deviation":null}],"callpaths":[]}],
        "metadata":[{"key":"grid","value":"600","processes":[0]}]}"#;

    fn read(text: &str) -> Result<ForeignProfile, ExchangeError> {
        whyperf_report(Path::new("report.json"), text)
    }

    #[test]
    fn callpaths_gauges_and_metadata_come_in() {
        let profile = read(REPORT).expect("well formed");
        let [ForeignThread { node: 0, thread: 0, timers, events, metadata, .. }] =
            &profile.threads[..]
        else {
            panic!("{profile:?}")
        };
        let told = timers.iter().map(|timer| {
            (&*timer.name, timer.calls, timer.values.iter().map(|value| value.inclusive).collect())
        });
        let told: Vec<(&str, f64, Vec<f64>)> = told.collect();
        let all =
            [("main", 1.0, vec![3e6, 64.0, 0.0]), ("main => MPI_Send", 4.0, vec![2e6, 64.0, 0.0])];
        assert_eq!(told, all);
        assert_eq!((events.len(), events[0].squares, events[0].deviation()), (1, 20.0, 1.0));
        assert_eq!(metadata[..], [("grid".to_owned(), "600".to_owned())]);
        assert!(profile.notes[1].starts_with("1 counters"), "{:?}", profile.notes);
    }

    #[test]
    fn a_report_of_the_first_version_comes_in() {
        let text = include_str!("../../../command/output/report/version-1.json");
        let profile = read(text).expect("it was written once");
        assert_eq!(profile.threads.len(), 4);
    }

    #[test]
    fn what_is_no_report_or_a_newer_one_is_refused() {
        let newer = REPORT.replace("\"version\":2", "\"version\":3");
        let empty = r#"{"format":"whyperf-report","version":2,"profile":[]}"#;
        for (text, what) in [
            ("{", "no report"),
            ("{\"format\":\"whyperf-comparison\",\"version\":1,\"profile\":[]}", "no report"),
            (&*newer, "newer"),
            (empty, "without a profile"),
        ] {
            let refused = read(text).expect_err("it is none").to_string();
            assert!(refused.contains(what), "{refused}");
        }
    }
}
