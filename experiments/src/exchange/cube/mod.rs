//! A Cube 4 report, as Score-P, Scalasca and HPCToolkit's neighbours write it: an archive with a description in XML and a file of values for each
//! metric.
//!
//! ```text
//!   anchor.xml    metrics, regions, the tree of callpaths, ranks and threads
//!   N.index       which callpaths metric N has values of: numbers in the order of the tree
//!   N.data        their values, a row for each callpath, a column for each thread
//! ```
//! Rows of an exclusive metric are numbered as one goes down into the tree; of an inclusive one all children of a callpath come before
//! their own children. Metrics that are neither are derived by formulas, and are left out.

mod archive;
mod description;
mod values;

use std::path::Path;

use super::callpath_sums::CallpathSums;
use super::error::ExchangeError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile};
use archive::Archive;
use description::{CubeMetric, Description, MetricKind};

/// Reads a file `.cubex`.
///
/// # Errors
/// When it cannot be read, is no such archive, or holds values that do not belong to its description.
pub fn cube(path: &Path) -> Result<ForeignProfile, ExchangeError> {
    let refused = |what| ExchangeError::Nothing { path: path.to_owned(), what };
    let archive = Archive::read(path)?;
    let anchor = archive.file("anchor.xml").ok_or_else(|| refused("no anchor.xml of Cube"))?;
    let anchor =
        std::str::from_utf8(&anchor).map_err(|_| refused("an anchor.xml that is no text"))?;
    let description = Description::parse(anchor).map_err(refused)?;
    let (mut sums, mut metrics) = (CallpathSums::default(), Vec::new());
    let mut notes = Vec::new();
    for metric in &description.metrics {
        let rows = match values::rows(&archive, metric, &description) {
            Ok(Some(rows)) => rows,
            Ok(None) => continue,
            Err(what) => return Err(refused(what)),
        };
        if metric.name == "visits" {
            add(&description, &exclusive(&description, metric, rows), |place, path, value| {
                sums.called(place, path, value);
            });
            continue;
        }
        let number = metrics.len();
        let is_time = metric.name == "time" && metric.unit == "sec";
        let scale = if is_time { 1e6 } else { 1.0 };
        metrics.push(ForeignMetric {
            name: if is_time { "TIME".into() } else { metric.name.clone() },
        });
        add(&description, &exclusive(&description, metric, rows), |place, path, value| {
            sums.add(place, path, number, value * scale);
        });
    }
    if sums.is_empty() {
        return Err(refused("no values of Cube"));
    }
    if description.left_out > 0 {
        notes.push(format!(
            "{} metrics are derived or no sums, and are left out",
            description.left_out
        ));
    }
    let mut threads = sums.threads(metrics.len());
    for thread in &mut threads {
        let host =
            description.locations.iter().find(|one| one.place == (thread.node, 0, thread.thread));
        thread.metadata.extend(host.map(|one| ("Hostname".to_owned(), one.host.clone())));
    }
    Ok(ForeignProfile { metrics, threads, notes })
}

/// By callpath in the order of the tree: a value for each thread.
type Rows = Vec<Option<Vec<f64>>>;

/// What each callpath has itself: of an inclusive metric what it has more than all just below it.
fn exclusive(description: &Description, metric: &CubeMetric, rows: Rows) -> Rows {
    if metric.kind == MetricKind::Exclusive {
        return rows;
    }
    let mut own = rows.clone();
    for (at, row) in rows.iter().enumerate() {
        let (Some(row), Some(parent)) = (row, description.callpaths[at].parent) else { continue };
        let above = own[parent].get_or_insert_with(|| vec![0.0; row.len()]);
        above.iter_mut().zip(row).for_each(|(above, value)| *above -= value);
    }
    own
}

fn add(
    description: &Description,
    rows: &Rows,
    mut take: impl FnMut(super::callpath_sums::ThreadPlace, &[String], f64),
) {
    for (at, row) in rows.iter().enumerate() {
        let Some(row) = row else { continue };
        let path = description.path(at);
        for (location, value) in description.locations.iter().zip(row) {
            if *value != 0.0 {
                take(location.place, &path, *value);
            }
        }
    }
}
