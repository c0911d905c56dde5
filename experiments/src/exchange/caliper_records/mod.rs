//! Caliper's `.cali`: records of a tree that holds names and values alike, and of snapshots that refer to it.
//!
//! ```text
//!   __rec=node,id=20,attr=8,data=function,parent=19     an attribute: 8 is "name"; its kind and unit stand above it
//!   __rec=node,id=155,attr=20,data=main,parent=28       a node: the function is main, and what 28 says holds, too
//!   __rec=ctx,ref=155,attr=111,data=0.025121            a snapshot: at main, attribute 111 is 0.025121
//! ```
//! Sums that are inclusive alone become exclusive by what is below. Caliper before 2.0 measured microseconds, and since 2.2 seconds: so much is
//! known of a time without a unit, if the file tells its version.

mod metadata_tree;

use std::collections::BTreeMap;
use std::path::Path;

use super::callpath_sums::{CallpathSums, ThreadPlace};
use super::error::ExchangeError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile};
use metadata_tree::{Attribute, MetadataTree, fields};

/// Attributes that tell the rank.
const RANKS: [&str; 3] = ["mpi.rank", "rank", "mpi_rank"];
/// Names of metrics that begin so are of several ranks, and no sums.
const NO_SUMS: [&str; 4] = ["min#", "max#", "avg#", "avg."];

/// A metric of the file.
struct RecordedMetric {
    name: String,
    /// Microseconds in one of its units; none of what is no time.
    micros: Option<f64>,
    is_inclusive: bool,
    /// By thread and callpath.
    values: BTreeMap<(ThreadPlace, Vec<String>), f64>,
}

/// Reads a text that came from `path`.
///
/// # Errors
/// At the first line that is no record, or refers to what was not told, or where there are no values.
pub fn caliper_records(path: &Path, text: &str) -> Result<ForeignProfile, ExchangeError> {
    let mut tree = MetadataTree::default();
    let mut metrics: BTreeMap<u64, RecordedMetric> = BTreeMap::new();
    let (mut outside, mut ranks) = (0u64, false);
    for (line, words) in (1..).zip(text.lines()).filter(|(_, words)| !words.trim().is_empty()) {
        let wrong = |problem| ExchangeError::Line { path: path.to_owned(), line, problem };
        let record = fields(words).ok_or_else(|| wrong("expected fields of a record"))?;
        match record.get("__rec").and_then(|kind| kind.first()).map(String::as_str) {
            Some("node") => tree.add(&record).map_err(wrong)?,
            Some("ctx") => {
                let snapshot = tree.snapshot(&record).map_err(wrong)?;
                let rank = RANKS.iter().find_map(|name| snapshot.number(&tree, name));
                ranks |= rank.is_some();
                let names = snapshot.callpath(&tree);
                outside += u64::from(names.is_empty());
                if !names.is_empty() {
                    let rank = rank.map_or(0, |rank| rank as u32);
                    add(&mut metrics, &tree, &snapshot.values, ((rank, 0, 0), names));
                }
            }
            Some("globals") => tree.globals(&record).map_err(wrong)?,
            _ => return Err(wrong("expected a record: node, ctx or globals")),
        }
    }
    let version = tree.version();
    let mut notes = vec!["Caliper's snapshots tell no calls".to_owned()];
    if !ranks {
        notes.push("of which rank a snapshot is, no attribute tells".into());
    }
    if outside > 0 {
        notes.push(format!("{outside} snapshots are in no region, and are left out"));
    }
    let profile = profile(metrics.into_values().collect(), version, notes);
    let what = "no values of Caliper in a region";
    let mut profile =
        profile.ok_or_else(|| ExchangeError::Nothing { path: path.to_owned(), what })?;
    if let Some(first) = profile.threads.first_mut() {
        first.metadata = tree.facts();
    }
    Ok(profile)
}

fn add(
    metrics: &mut BTreeMap<u64, RecordedMetric>,
    tree: &MetadataTree,
    values: &[(u64, String)],
    key: (ThreadPlace, Vec<String>),
) {
    for (number, text) in values {
        let Some(attribute) = tree.attribute(*number) else { continue };
        let Some(value) = text.parse::<f64>().ok().filter(|value| value.is_finite()) else {
            continue;
        };
        if is_metric(&attribute) {
            let metric = metrics.entry(*number).or_insert_with(|| RecordedMetric {
                name: attribute.name.to_owned(),
                micros: attribute.micros(),
                is_inclusive: attribute.name.contains("inclusive#"),
                values: BTreeMap::new(),
            });
            *metric.values.entry(key.clone()).or_default() += value;
        }
    }
}

fn is_metric(attribute: &Attribute<'_>) -> bool {
    attribute.is_value()
        && !attribute.is_hidden()
        && !RANKS.contains(&attribute.name)
        && !NO_SUMS.iter().any(|word| attribute.name.starts_with(word))
}

/// What a metric is of, however it was summed up.
fn base(name: &str) -> String {
    name.replace("inclusive#", "").replace("sum#", "")
}

fn is_duration(name: &str) -> bool {
    base(name).starts_with("time.duration") || base(name).starts_with("time.inclusive.duration")
}

/// `None` where there are no values.
fn profile(
    metrics: Vec<RecordedMetric>,
    version: Option<[u32; 2]>,
    mut notes: Vec<String>,
) -> Option<ForeignProfile> {
    let exclusive: Vec<String> =
        metrics.iter().filter(|one| !one.is_inclusive).map(|one| base(&one.name)).collect();
    let (mut sums, mut names) = (CallpathSums::default(), Vec::<String>::new());
    for mut metric in metrics {
        if metric.is_inclusive && exclusive.contains(&base(&metric.name)) {
            continue;
        }
        if metric.micros.is_none() && is_duration(&metric.name) {
            metric.micros = version.and_then(micros);
        }
        let number = names.len();
        let is_time = metric.micros.is_some() && !names.iter().any(|name| name == "TIME");
        if metric.is_inclusive {
            notes.push(format!("{} is inclusive: what is below was taken away", metric.name));
        }
        if is_duration(&metric.name) && metric.micros.is_none() {
            notes.push(format!("the unit of {} is not told, so it is no time", metric.name));
        }
        let values = if metric.is_inclusive { own(metric.values) } else { metric.values };
        for ((place, path), value) in values {
            sums.add(place, &path, number, value * metric.micros.unwrap_or(1.0));
        }
        names.push(if is_time { "TIME".to_owned() } else { metric.name });
    }
    if sums.is_empty() {
        return None;
    }
    let threads = sums.threads(names.len());
    let metrics = names.into_iter().map(|name| ForeignMetric { name }).collect();
    Some(ForeignProfile { metrics, threads, notes })
}

/// Microseconds in the unit of a version's times.
fn micros(version: [u32; 2]) -> Option<f64> {
    match version {
        [0 | 1, _] => Some(1.0),
        [2, 0 | 1] => None,
        _ => Some(1e6),
    }
}

/// By callpath: what it has more than all just below it.
fn own(
    inclusive: BTreeMap<(ThreadPlace, Vec<String>), f64>,
) -> BTreeMap<(ThreadPlace, Vec<String>), f64> {
    let mut own = inclusive.clone();
    for ((place, path), value) in inclusive {
        let above = path.split_last().map(|(_, above)| above.to_vec()).unwrap_or_default();
        if let Some(above) = own.get_mut(&(place, above)) {
            *above -= value;
        }
    }
    // Values of six digits are rounded: what is left of nothing is nothing.
    own.values_mut().for_each(|value| *value = value.max(0.0));
    own
}
