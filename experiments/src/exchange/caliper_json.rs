//! Caliper's `json-split`: rows of values, and a tree of nodes that rows refer to.
//!
//! A column of values is a metric, but for the rank and what is inclusive: that follows from the others. Caliper's `time.duration` is microseconds
//! where its column says nothing else.

use std::path::Path;

use serde_json::Value;

use super::callpath_sums::CallpathSums;
use super::error::ExchangeError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile};

/// Columns of nodes that are callpaths, the best first.
const PATHS: [&str; 7] = [
    "path",
    "region",
    "source.function#callpath.address",
    "function",
    "annotation",
    "nested",
    "name",
];

/// Columns that tell the rank.
const RANKS: [&str; 3] = ["mpi.rank", "rank", "mpi_rank"];

/// A column of values.
struct ValueColumn {
    at: usize,
    metric: ForeignMetric,
    scale: f64,
}

/// Reads a text that came from `path`.
///
/// # Errors
/// Where it is no such JSON, has no callpaths, or a row names a node that is not there.
pub fn caliper_json(path: &Path, text: &str) -> Result<ForeignProfile, ExchangeError> {
    let refused = |what| ExchangeError::Nothing { path: path.to_owned(), what };
    let file: Value = serde_json::from_str(text).map_err(|_| refused("no JSON"))?;
    let columns = strings(&file["columns"]).ok_or_else(|| refused("no columns of Caliper"))?;
    let nodes = file["nodes"].as_array().ok_or_else(|| refused("no nodes of Caliper"))?;
    let place = |names: &[&str]| {
        names.iter().find_map(|name| columns.iter().position(|column| column == name))
    };
    let at_path = place(&PATHS).ok_or_else(|| refused("no column of callpaths"))?;
    let at_rank = place(&RANKS);
    let values = value_columns(&file, &columns, at_rank);
    let mut sums = CallpathSums::default();
    for row in file["data"].as_array().ok_or_else(|| refused("no rows of Caliper"))? {
        let Some(node) = row[at_path].as_u64() else { continue };
        let names = callpath(nodes, node).ok_or_else(|| refused("a node that is not there"))?;
        let rank = at_rank.and_then(|at| row[at].as_u64()).unwrap_or_default();
        let place = (u32::try_from(rank).unwrap_or(u32::MAX), 0, 0);
        for (number, column) in values.iter().enumerate() {
            if let Some(value) = row[column.at].as_f64() {
                sums.add(place, &names, number, value * column.scale);
            }
        }
    }
    if sums.is_empty() {
        return Err(refused("no row with a callpath"));
    }
    let metrics = values.into_iter().map(|column| column.metric).collect::<Vec<_>>();
    let mut notes = vec!["Caliper's profile tells no calls".to_owned()];
    if at_rank.is_none() {
        notes.push("of which rank a row is, no column tells".into());
    }
    let threads = sums.threads(metrics.len());
    Ok(ForeignProfile { metrics, threads, notes })
}

fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|one| one.as_str().map(str::to_owned)).collect()
}

fn value_columns(file: &Value, columns: &[String], at_rank: Option<usize>) -> Vec<ValueColumn> {
    let mut has_time = false;
    let column = |(at, name): (usize, &String)| {
        let about = &file["column_metadata"][at];
        let is_value = about["is_value"].as_bool().unwrap_or(false) && Some(at) != at_rank;
        if !is_value || name.contains("inclusive") {
            return None;
        }
        let unit = ["attribute.unit", "unit"].into_iter().find_map(|member| about[member].as_str());
        let seconds = ["sec", "s"].into_iter().any(|word| unit == Some(word));
        let scale = match (unit, name.ends_with("time.duration")) {
            _ if seconds => Some(1e6),
            (Some("usec" | "us"), _) | (None, true) => Some(1.0),
            (Some("nsec" | "ns"), _) => Some(1e-3),
            _ if name.ends_with("time.duration.ns") => Some(1e-3),
            _ => None,
        };
        let is_time = scale.is_some() && !has_time;
        has_time |= is_time;
        let metric = if is_time { "TIME" } else { name };
        let metric = ForeignMetric { name: metric.to_owned() };
        Some(ValueColumn { at, metric, scale: scale.unwrap_or(1.0) })
    };
    columns.iter().enumerate().filter_map(column).collect()
}

/// The labels on the way to a node, the outermost first; `None` where a parent is not there, or is itself below.
fn callpath(nodes: &[Value], node: u64) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut next = Some(node);
    while let Some(at) = next {
        let node = nodes.get(usize::try_from(at).ok()?)?;
        names.push(node["label"].as_str()?.to_owned());
        if names.len() > nodes.len() {
            return None;
        }
        next = node["parent"].as_u64();
    }
    names.reverse();
    Some(names)
}
