//! `whyperf metrics`: lists the metrics, which can be measured and which hypotheses can divide.

use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;
use whyperf_model::Metric;

use crate::output::delivery::{self, status};

/// A metric as it is printed.
#[derive(Debug, Serialize)]
struct PrintedMetric {
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
}

impl PrintedMetric {
    fn of(metric: Metric) -> Self {
        let definition = metric.definition();
        Self { name: definition.name, unit: definition.unit.symbol(), meaning: metric.meaning() }
    }
}

/// Prints all metrics, with their units as thresholds are written in them.
pub(crate) fn print(is_json: bool) -> Result<ExitCode> {
    let rows = Metric::ALL.map(PrintedMetric::of);
    if is_json {
        return Ok(status(delivery::print_json(&rows.as_slice())));
    }
    let lines = rows
        .map(|PrintedMetric { name, unit, meaning }| format!("{name:<17}{unit:<11}{meaning}\n"));
    Ok(status(delivery::print(&lines.concat())))
}

/// What `whyperf metrics --help` ends with.
pub(crate) const NOTES: &str = "\
`--measure METRIC FOCUS` measures one, its times in seconds. A hypothesis of a table divides one by another, as
in metric = \"io_bytes / io_ops\": then its threshold is in the one unit per the other, as in \"4096 B/ops\".";
