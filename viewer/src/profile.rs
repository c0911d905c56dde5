//! The callpath profile as a tree per thread, small enough for a page: names once, paths as numbers.

use std::collections::BTreeMap;

use serde::Serialize;
use whyperf_experiments::StoredProfileRow;

use crate::rows::MessagesRow;

/// Callpaths, and messages between ranks.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ProfileDocument {
    /// Raised whenever it changed.
    pub version: u64,
    /// The names of callpaths and places, each once.
    pub names: Vec<String>,
    /// A row for each callpath of each thread; of many rows the threads and processes are one.
    pub rows: Vec<CallpathRow>,
    /// Whether the processes were added up, because there were too many rows to tell them apart.
    pub is_summed: bool,
    /// By sender and receiver; none where they are not known.
    pub messages: Option<Vec<MessagesRow>>,
}

/// A callpath.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CallpathRow {
    /// Rank, or process id outside MPI; none where processes were added up.
    pub process: Option<u32>,
    /// Number of the thread in its process.
    pub thread: Option<u32>,
    /// From the outside in, as places in the list of names.
    pub path: Vec<u32>,
    /// Completed calls.
    pub calls: u64,
    /// Seconds in it and below it.
    pub inclusive_s: f64,
    /// Seconds in it alone.
    pub exclusive_s: f64,
    /// Bytes sent or written.
    pub sent: u64,
    /// Bytes received or read.
    pub received: u64,
    /// Where most of it was called, as a place in the list of names.
    pub source: Option<u32>,
    /// The share of the process's life in which it was counted, where that is not all.
    pub coverage: Option<f64>,
}

/// More rows than this are added up over processes.
const MOST_ROWS: usize = 20_000;
/// From this share on a row was counted all the time.
const WHOLE: f64 = 0.995;

impl ProfileDocument {
    /// The document of these rows.
    pub(crate) fn of(rows: &[StoredProfileRow], messages: Option<Vec<MessagesRow>>) -> Self {
        let mut names = Names::default();
        let mut all: Vec<CallpathRow> = rows.iter().map(|row| names.row(row)).collect();
        let is_summed = all.len() > MOST_ROWS;
        if is_summed {
            all = summed(all);
        }
        Self { version: 0, names: names.list, rows: all, is_summed, messages }
    }
}

#[derive(Default)]
struct Names {
    list: Vec<String>,
    known: BTreeMap<String, u32>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.known.get(name) {
            return *number;
        }
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(name.to_owned());
        self.known.insert(name.to_owned(), number);
        number
    }

    fn row(&mut self, row: &StoredProfileRow) -> CallpathRow {
        let short = |seconds: f64| (seconds * 1e6).round() / 1e6;
        CallpathRow {
            process: Some(row.process),
            thread: Some(row.thread),
            path: row.path.iter().map(|name| self.number(name)).collect(),
            calls: row.calls,
            inclusive_s: short(row.inclusive.as_secs_f64()),
            exclusive_s: short(row.exclusive.as_secs_f64()),
            sent: row.sent,
            received: row.received,
            source: row.source.as_deref().map(|source| self.number(source)),
            coverage: row.coverage.filter(|coverage| *coverage < WHOLE),
        }
    }
}

fn summed(rows: Vec<CallpathRow>) -> Vec<CallpathRow> {
    let mut sums: BTreeMap<Vec<u32>, CallpathRow> = BTreeMap::new();
    for row in rows {
        let sum = sums.entry(row.path.clone()).or_insert_with(|| CallpathRow {
            path: row.path.clone(),
            source: row.source,
            ..CallpathRow::default()
        });
        sum.calls = sum.calls.saturating_add(row.calls);
        sum.inclusive_s += row.inclusive_s;
        sum.exclusive_s += row.exclusive_s;
        sum.sent = sum.sent.saturating_add(row.sent);
        sum.received = sum.received.saturating_add(row.received);
        sum.coverage = row.coverage.into_iter().chain(sum.coverage).reduce(f64::min);
    }
    sums.into_values().collect()
}

#[cfg(test)]
mod tests {
    use whyperf_model::Nanos;

    use super::*;

    fn row(process: u32, path: &[&str]) -> StoredProfileRow {
        StoredProfileRow {
            process,
            thread: 0,
            path: path.iter().map(|name| (*name).to_owned()).collect(),
            calls: 2,
            inclusive: Nanos::from_millis(30),
            exclusive: Nanos::from_millis(10),
            sent: 1,
            received: 2,
            source: None,
            coverage: Some(1.0),
        }
    }

    #[test]
    fn names_stand_once_and_what_was_counted_throughout_says_nothing() {
        let told = ProfileDocument::of(&[row(0, &["main", "f"]), row(1, &["main"])], None);
        assert_eq!(told.names, ["main", "f"]);
        assert_eq!((&*told.rows[0].path, &*told.rows[1].path), (&[0, 1][..], &[0][..]));
        assert_eq!((told.rows[0].coverage, told.rows[0].inclusive_s), (None, 0.03));
    }

    #[test]
    fn of_too_many_rows_processes_are_added_up() {
        let rows: Vec<_> =
            (0..).map(|process| row(process, &["main"])).take(MOST_ROWS + 1).collect();
        let told = ProfileDocument::of(&rows, None);
        assert!(told.is_summed);
        let [all] = &told.rows[..] else { panic!("{} rows", told.rows.len()) };
        assert_eq!((all.process, all.calls), (None, 2 * (MOST_ROWS as u64 + 1)));
    }
}
