//! What the pairs came to that a user asked for by name, as the report of the run tells: no question of a search was asked about them.

use std::collections::BTreeMap;

use serde_json::Value;
use whyperf_consultant::NameMaps;
use whyperf_model::{Focus, Metric, Pair, Unit};

/// Totals of the whole run, in the units of their metrics.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AskedTotals(BTreeMap<Pair, f64>);

impl AskedTotals {
    /// What a report says in its `measured`. A total that is a lower bound, or of which something is missing, is not known.
    pub(crate) fn of(report: &Value) -> Self {
        let rows = report["measured"].as_array().map(Vec::as_slice).unwrap_or_default();
        let row = |row: &Value| {
            let metric: Metric = row["metric"].as_str()?.parse().ok()?;
            let focus: Focus = row["focus"].as_str()?.parse().ok()?;
            let is_whole = row["note"].is_null() || row["plus_minus"].is_number();
            let total = row["total"].as_f64().filter(|_| is_whole)?;
            Some((Pair::new(metric, focus), total * scale(metric.definition().unit)?))
        };
        Self(rows.iter().filter_map(row).collect())
    }

    /// What a pair came to; none of one that was not asked for.
    pub(crate) fn total(&self, pair: &Pair) -> Option<f64> {
        self.0.get(pair).copied()
    }

    /// Gives foci the names that another run has for them.
    pub(crate) fn rename(&mut self, maps: &NameMaps) {
        let totals = std::mem::take(&mut self.0).into_iter();
        let renamed =
            |(pair, total): (Pair, f64)| (Pair::new(pair.metric, maps.focus(&pair.focus)), total);
        self.0 = totals.map(renamed).collect();
    }
}

/// By what the report divided; none of what is no amount over a run.
const fn scale(unit: Unit) -> Option<f64> {
    match unit {
        Unit::Nanoseconds => Some(1e9),
        Unit::Operations | Unit::Bytes | Unit::Events => Some(1.0),
        Unit::Processes | Unit::OfProgram => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_known_as_far_as_they_are_whole() {
        let report = serde_json::json!({"measured": [
            {"metric": "cpu", "focus": "</Code/a.c/f>", "total": 2.5, "note": null},
            {"metric": "calls", "focus": "</Code/a.c/f>", "total": 7.0, "plus_minus": 1.0, "note": "too hot"},
            {"metric": "calls", "focus": "</Code/a.c/g>", "total": 7.0, "note": "lower bound"},
            {"metric": "calls", "focus": "</Code/a.c/h>", "total": null, "note": null},
        ]});
        let totals = AskedTotals::of(&report);
        let of = |metric, function: &str| {
            let focus = format!("</Code/a.c/{function}>").parse().expect("well formed");
            totals.total(&Pair::new(metric, focus))
        };
        assert_eq!([of(Metric::Cpu, "f"), of(Metric::Calls, "f")], [Some(2.5e9), Some(7.0)]);
        assert_eq!([of(Metric::Calls, "g"), of(Metric::Calls, "h")], [None, None]);
    }
}
