//! A run as OpenMetrics text, for Prometheus and what reads it.
//!
//! What can be added up over processes is a counter, whose name ends in `_total`; what cannot is a gauge.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use whyperf_model::{UserEventKind, UserEventTotals};

use super::ExportedRun;

impl ExportedRun {
    /// The text, to its mark of the end.
    #[must_use]
    pub fn open_metrics(&self) -> String {
        let run = format!(
            "run=\"{}\",application=\"{}\",experiment=\"{}\"",
            self.summary.id,
            label(&self.summary.application),
            label(&self.summary.experiment)
        );
        let mut text = String::new();
        family(&mut text, "whyperf_run_seconds", "gauge", "seconds", "How long the run took.");
        let _ = writeln!(text, "whyperf_run_seconds{{{run}}} {}", self.summary.elapsed_s);
        // By process and function: calls, nanoseconds, bytes out and in.
        let mut functions: BTreeMap<(u32, &str), [u64; 4]> = BTreeMap::new();
        for row in &self.rows {
            let name = row.path.last().map_or("", String::as_str);
            let sums = functions.entry((row.process, name)).or_default();
            for (sum, more) in
                sums.iter_mut().zip([row.calls, row.exclusive.0, row.sent, row.received])
            {
                *sum = sum.saturating_add(more);
            }
        }
        for (at, (name, unit, help)) in FAMILIES.into_iter().enumerate() {
            family(&mut text, name, "counter", unit, help);
            for ((process, function), sums) in &functions {
                let value = if unit == "seconds" { sums[at] as f64 / 1e9 } else { sums[at] as f64 };
                let function = label(function);
                let _ = writeln!(
                    text,
                    "{name}_total{{{run},process=\"{process}\",function=\"{function}\"}} {value}"
                );
            }
        }
        family(
            &mut text,
            "whyperf_bottleneck_ratio",
            "gauge",
            "ratio",
            "What the search found true, with its value.",
        );
        for verdict in self.verdicts.iter().filter(|one| one.truth == "true" && !one.is_alike()) {
            let Some(value) = verdict.value.filter(|value| value.is_finite()) else { continue };
            let (hypothesis, focus) = (label(&verdict.hypothesis), label(&verdict.focus));
            let _ = writeln!(
                text,
                "whyperf_bottleneck_ratio{{{run},hypothesis=\"{hypothesis}\",focus=\"{focus}\"}} {value}"
            );
        }
        self.user_events(&run, &mut text);
        text + "# EOF\n"
    }

    /// Counters and gauges of the program's own, by process. Their unit is not known, so their names have none.
    fn user_events(&self, run: &str, text: &mut String) {
        let mut sums: BTreeMap<(UserEventKind, &str, u32), UserEventTotals> = BTreeMap::new();
        for one in &self.user_events {
            let key = (one.kind, one.name.as_str(), one.process);
            let known = sums.entry(key).and_modify(|known| *known = known.with(&one.totals));
            known.or_insert(one.totals);
        }
        for EventFamily { kind, name, help, told } in EVENT_FAMILIES {
            let all = sums.iter().filter(|((of, _, _), _)| *of == kind);
            let known = all.filter_map(|(key, totals)| Some((key, told(totals)?)));
            let lines: Vec<String> = known
                .map(|((_, event, process), value)| {
                    let event = label(event);
                    format!("{name}{{{run},process=\"{process}\",name=\"{event}\"}} {value}\n")
                })
                .collect();
            if !lines.is_empty() {
                family(text, name, "gauge", "", help);
                text.extend(lines);
            }
        }
    }
}

/// What is told of a counter or gauge of the program's own.
struct EventFamily {
    kind: UserEventKind,
    name: &'static str,
    help: &'static str,
    told: fn(&UserEventTotals) -> Option<f64>,
}

const EVENT_FAMILIES: [EventFamily; 6] = [
    // What a program adds may be less than nothing, which a counter of OpenMetrics must not be.
    of(
        UserEventKind::Counter,
        "whyperf_user_counter",
        "What a counter of the program came to.",
        |one| one.sum.map(|sum| sum as f64),
    ),
    of(UserEventKind::Gauge, "whyperf_user_gauge_sets", "How often a gauge was set.", |one| {
        Some(one.count as f64)
    }),
    of(UserEventKind::Gauge, "whyperf_user_gauge_least", "The least value of a gauge.", |one| {
        one.extremes.map(|[least, _]| least as f64)
    }),
    of(UserEventKind::Gauge, "whyperf_user_gauge_most", "The largest value of a gauge.", |one| {
        one.extremes.map(|[_, most]| most as f64)
    }),
    of(
        UserEventKind::Gauge,
        "whyperf_user_gauge_mean",
        "The mean of a gauge.",
        UserEventTotals::mean,
    ),
    of(
        UserEventKind::Gauge,
        "whyperf_user_gauge_deviation",
        "The standard deviation of a gauge.",
        UserEventTotals::deviation,
    ),
];

const fn of(
    kind: UserEventKind,
    name: &'static str,
    help: &'static str,
    told: fn(&UserEventTotals) -> Option<f64>,
) -> EventFamily {
    EventFamily { kind, name, help, told }
}

/// Families of counters, in the order of their sums.
const FAMILIES: [(&str, &str, &str); 4] = [
    ("whyperf_calls", "", "Calls that ended."),
    ("whyperf_function_seconds", "seconds", "Time in a function alone."),
    ("whyperf_sent_bytes", "bytes", "Bytes sent or written."),
    ("whyperf_received_bytes", "bytes", "Bytes received or read."),
];

fn family(text: &mut String, name: &str, kind: &str, unit: &str, help: &str) {
    let _ = writeln!(text, "# TYPE {name} {kind}");
    if !unit.is_empty() {
        let _ = writeln!(text, "# UNIT {name} {unit}");
    }
    let _ = writeln!(text, "# HELP {name} {help}");
}

/// A value of a label, with what would end it escaped.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
