//! Counters and gauges of the program's own in a report. They keep the unit that the program gave them: it may stand in the name, and is never
//! guessed.

use std::collections::BTreeMap;

use serde::Serialize;
use whyperf_model::{UserEventKind, UserEventRow, UserEventTotals};

use crate::output::terminal::{OutputStyle, plain, shortened};

/// A counter or a gauge, over all threads.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ReportedUserEvent {
    pub(crate) name: String,
    /// `counter` or `gauge`.
    pub(crate) kind: &'static str,
    #[serde(flatten)]
    pub(crate) all: ReportedAmounts,
    /// By process, in the order of their numbers.
    pub(crate) processes: Vec<OfProcess>,
    /// By callpath, from the outside in.
    pub(crate) callpaths: Vec<OfCallpath>,
}

/// What one came to. Of a counter the sum alone is told; `null` is what is not known.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ReportedAmounts {
    pub(crate) count: u64,
    pub(crate) sum: Option<i64>,
    pub(crate) least: Option<i64>,
    pub(crate) most: Option<i64>,
    pub(crate) mean: Option<f64>,
    pub(crate) deviation: Option<f64>,
}

/// The same, in a process.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct OfProcess {
    pub(crate) process: u32,
    #[serde(flatten)]
    pub(crate) amounts: ReportedAmounts,
}

/// The same, where the program told of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct OfCallpath {
    pub(crate) path: Vec<String>,
    #[serde(flatten)]
    pub(crate) amounts: ReportedAmounts,
}

impl ReportedAmounts {
    fn of(totals: &UserEventTotals, kind: UserEventKind) -> Self {
        let of_gauge = |value: Option<f64>| value.filter(|_| kind == UserEventKind::Gauge);
        Self {
            count: totals.count,
            sum: totals.sum,
            least: totals.extremes.map(|[least, _]| least),
            most: totals.extremes.map(|[_, most]| most),
            mean: of_gauge(totals.mean()),
            deviation: of_gauge(totals.deviation()),
        }
    }
}

/// Sums by what tells them apart.
struct Sums<Key>(BTreeMap<Key, UserEventTotals>);

impl<Key: Ord> Sums<Key> {
    fn add(&mut self, key: Key, totals: &UserEventTotals) {
        let known = self.0.entry(key).and_modify(|known| *known = known.with(totals));
        known.or_insert(*totals);
    }
}

/// Those of all threads together, by name.
pub(crate) fn summed(measured: &[UserEventRow]) -> Vec<ReportedUserEvent> {
    let mut groups: BTreeMap<(&str, UserEventKind), Vec<&UserEventRow>> = BTreeMap::new();
    for one in measured {
        groups.entry((&one.name, one.kind)).or_default().push(one);
    }
    groups.into_iter().map(|((name, kind), rows)| group(name, kind, &rows)).collect()
}

fn group(name: &str, kind: UserEventKind, rows: &[&UserEventRow]) -> ReportedUserEvent {
    let (mut all, mut processes, mut callpaths) =
        (Sums(BTreeMap::new()), Sums(BTreeMap::new()), Sums(BTreeMap::new()));
    for row in rows {
        all.add((), &row.totals);
        processes.add(row.process, &row.totals);
        callpaths.add(&row.path, &row.totals);
    }
    let amounts = |totals: &UserEventTotals| ReportedAmounts::of(totals, kind);
    ReportedUserEvent {
        name: name.to_owned(),
        kind: kind.name(),
        all: all.0.values().next().map(amounts).unwrap_or_default(),
        processes: { processes.0.iter() }
            .map(|(process, totals)| OfProcess { process: *process, amounts: amounts(totals) })
            .collect(),
        callpaths: { callpaths.0.iter() }
            .map(|(path, totals)| OfCallpath { path: path.to_vec(), amounts: amounts(totals) })
            .collect(),
    }
}

/// The table's lines; none without any.
pub(crate) fn lines(events: &[ReportedUserEvent], output_style: OutputStyle) -> Vec<String> {
    if events.is_empty() {
        return Vec::new();
    }
    let columns = output_style.width.saturating_sub(NUMBERS + 2).max(LEAST_NAME);
    let head = ["count", "sum", "least", "most", "mean", "deviation"];
    let row = |name: &str, cells: [String; 6]| {
        let name = shortened(&plain(name), columns, output_style);
        let gap = " ".repeat(columns - name.chars().count());
        let cells: String =
            cells.iter().zip(WIDTHS).map(|(cell, width)| format!("{cell:>width$}")).collect();
        format!("  {name}{gap}{cells}").trim_end().to_owned()
    };
    let titles = std::iter::once(row("", head.map(str::to_owned)));
    titles.chain(events.iter().map(|one| row(&one.name, cells(one)))).collect()
}

fn cells(event: &ReportedUserEvent) -> [String; 6] {
    let all = &event.all;
    let is_counter = event.kind == UserEventKind::Counter.name();
    let whole =
        |value: Option<i64>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
    let exact =
        |value: Option<f64>| value.map_or_else(|| "?".to_owned(), |value| format!("{value:.3}"));
    if is_counter {
        let nothing = [const { String::new() }; 4];
        let [least, most, mean, deviation] = nothing;
        return [all.count.to_string(), whole(all.sum), least, most, mean, deviation];
    }
    // The sum of values that were told is no amount of anything.
    [
        all.count.to_string(),
        String::new(),
        whole(all.least),
        whole(all.most),
        exact(all.mean),
        exact(all.deviation),
    ]
}

/// Columns of each number, of all, and of a name at least.
const WIDTHS: [usize; 6] = [12, 18, 14, 14, 16, 16];
const NUMBERS: usize = 90;
const LEAST_NAME: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(name: &str, kind: UserEventKind, process: u32, value: i64) -> UserEventRow {
        let is_gauge = kind == UserEventKind::Gauge;
        UserEventRow {
            name: name.to_owned(),
            kind,
            process,
            thread: 0,
            path: vec!["solve".to_owned()],
            totals: UserEventTotals {
                count: 1,
                sum: Some(value),
                extremes: is_gauge.then_some([value; 2]),
                squares: is_gauge.then_some(u128::from(value.unsigned_abs()).pow(2)),
            },
        }
    }

    #[test]
    fn a_counter_is_a_sum_and_a_gauge_has_a_mean() {
        let (counter, gauge) = (UserEventKind::Counter, UserEventKind::Gauge);
        let events = summed(&[
            measured("cells", counter, 0, -4),
            measured("cells", counter, 1, 6),
            measured("heap [KiB]", gauge, 0, 1),
            measured("heap [KiB]", gauge, 0, 5),
        ]);
        let text = serde_json::to_string(&events[0]).expect("plain data");
        let start = r#"{"name":"cells","kind":"counter","count":2,"sum":2,"least":null,"most":null,"mean":null,"deviation":null"#;
        assert!(text.starts_with(start), "{text}");
        assert_eq!((events[0].processes.len(), events[0].callpaths.len()), (2, 1));
        let words: Vec<Vec<String>> = lines(&events, OutputStyle::PLAIN)
            .iter()
            .map(|line| line.split_whitespace().map(str::to_owned).collect())
            .collect();
        assert_eq!(words[1], ["cells", "2", "2"]);
        assert_eq!(words[2], ["heap", "[KiB]", "2", "1", "5", "3.000", "2.000"]);
    }
}
