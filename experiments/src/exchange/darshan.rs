//! What `darshan-parser` prints: counters of each file, by rank or of all ranks that share it.
//!
//! ```text
//!   POSIX   -1   9457796068806373448   POSIX_F_READ_TIME   0.25   /home/x/in.dat   /home   ext4
//! ```
//! A module's times of reading, writing and the rest become functions with the file below; operations are their calls, and bytes a metric.
//! Counters of rank -1 are sums over the ranks that share a file, and which rank has what part is not told: they stand at a process of their
//! own behind the last rank.

use std::collections::BTreeMap;
use std::path::Path;

use super::callpath_sums::CallpathSums;
use super::error::ExchangeError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile};

/// What counters of a module are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Amount {
    Time,
    Bytes,
    Calls,
}

/// The function that a counter is of, by its name without the module.
const COUNTERS: [(&str, &str, Amount); 30] = [
    ("F_READ_TIME", "read", Amount::Time),
    ("F_WRITE_TIME", "write", Amount::Time),
    ("F_META_TIME", "metadata", Amount::Time),
    ("BYTES_READ", "read", Amount::Bytes),
    ("BYTES_WRITTEN", "write", Amount::Bytes),
    ("READS", "read", Amount::Calls),
    ("WRITES", "write", Amount::Calls),
    ("INDEP_READS", "read", Amount::Calls),
    ("INDEP_WRITES", "write", Amount::Calls),
    ("COLL_READS", "read", Amount::Calls),
    ("COLL_WRITES", "write", Amount::Calls),
    ("SPLIT_READS", "read", Amount::Calls),
    ("SPLIT_WRITES", "write", Amount::Calls),
    ("NB_READS", "read", Amount::Calls),
    ("NB_WRITES", "write", Amount::Calls),
    ("OPENS", "metadata", Amount::Calls),
    ("INDEP_OPENS", "metadata", Amount::Calls),
    ("COLL_OPENS", "metadata", Amount::Calls),
    ("SEEKS", "metadata", Amount::Calls),
    ("STATS", "metadata", Amount::Calls),
    ("MMAPS", "metadata", Amount::Calls),
    ("FSYNCS", "metadata", Amount::Calls),
    ("FDSYNCS", "metadata", Amount::Calls),
    ("SYNCS", "metadata", Amount::Calls),
    ("FLUSHES", "metadata", Amount::Calls),
    ("VIEWS", "metadata", Amount::Calls),
    ("HINTS", "metadata", Amount::Calls),
    ("FDOPENS", "metadata", Amount::Calls),
    ("FILENOS", "metadata", Amount::Calls),
    ("DUPS", "metadata", Amount::Calls),
];

/// What the head of the text says: name and value of a line `# name: value`.
type Head = BTreeMap<String, String>;

/// Reads a text that came from `path`.
///
/// # Errors
/// At the first row that makes no sense, or where there is none.
pub fn darshan(path: &Path, text: &str) -> Result<ForeignProfile, ExchangeError> {
    let (mut head, mut sums) = (Head::new(), CallpathSums::default());
    let (mut left_out, mut shared, mut modules) =
        (BTreeMap::<String, u64>::new(), 0u64, Vec::new());
    for (line, words) in (1..).zip(text.lines()) {
        let wrong = |problem| ExchangeError::Line { path: path.to_owned(), line, problem };
        if let Some(fact) = words.strip_prefix('#') {
            let pair = fact.split_once(": ").or_else(|| fact.split_once(':'));
            head.extend(
                pair.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())),
            );
            continue;
        }
        // Sums over all files follow where they were asked for.
        if words.trim().is_empty() || words.starts_with("total_") {
            continue;
        }
        let row = row(words).map_err(wrong)?;
        // The module MPI-IO has counters MPIIO_READS.
        let own = row.counter.split_once('_').map(|(_, own)| own);
        let found = COUNTERS.iter().find(|(name, ..)| Some(*name) == own);
        let Some((_, function, amount)) = found else {
            *left_out.entry(row.module.to_owned()).or_default() += 1;
            continue;
        };
        let value: f64 = row.value.parse().map_err(|_| wrong("expected a number"))?;
        // What is not known is -1.
        if !value.is_finite() || value <= 0.0 {
            continue;
        }
        let process = match row.rank {
            Some(rank) => rank,
            None => {
                shared += u64::from(*amount == Amount::Time);
                processes(&head).ok_or_else(|| wrong("expected `# nprocs: N` above"))?
            }
        };
        if !modules.iter().any(|known| known == row.module) {
            modules.push(row.module.to_owned());
        }
        let names = [row.module, function, row.file].map(str::to_owned);
        match amount {
            Amount::Time => sums.add((process, 0, 0), &names, 0, value * 1e6),
            Amount::Bytes => sums.add((process, 0, 0), &names, 1, value),
            Amount::Calls => sums.called((process, 0, 0), &names, value),
        }
    }
    if sums.is_empty() {
        let what = "no counters of Darshan that tell of time, bytes or calls";
        return Err(ExchangeError::Nothing { path: path.to_owned(), what });
    }
    let mut threads = sums.threads(2);
    for thread in &mut threads {
        thread.metadata = head.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    }
    let metrics = ["TIME", "BYTES"].map(|name| ForeignMetric { name: name.to_owned() }).into();
    Ok(ForeignProfile { metrics, threads, notes: notes(&head, shared, &modules, &left_out) })
}

fn processes(head: &Head) -> Option<u32> {
    head.get("nprocs")?.parse().ok()
}

fn notes(
    head: &Head,
    shared: u64,
    modules: &[String],
    left_out: &BTreeMap<String, u64>,
) -> Vec<String> {
    let mut notes =
        vec!["Darshan tells of files alone: what else the program did is not known".to_owned()];
    if let (true, Some(process)) = (shared > 0, processes(head)) {
        notes.push(format!(
            "times of files that ranks share are sums over these ranks, and which rank has what part is not told: they stand at a process {process} of their own"
        ));
    }
    if modules.len() > 1 {
        let all = modules.join(", ");
        notes.push(format!(
            "modules lie above each other: a time of one may hold that of another ({all})"
        ));
    }
    if !left_out.is_empty() {
        let all = left_out.iter().map(|(module, rows)| format!("{rows} of {module}"));
        let all = all.collect::<Vec<_>>().join(", ");
        notes.push(format!("counters that are no times, bytes or calls are left out: {all}"));
    }
    notes
}

/// A row of the table.
struct CounterRow<'a> {
    module: &'a str,
    /// None of what ranks share.
    rank: Option<u32>,
    counter: &'a str,
    value: &'a str,
    file: &'a str,
}

/// Module, rank, record, counter, value, file, mount point and kind of file system, with tabs between them.
fn row(line: &str) -> Result<CounterRow<'_>, &'static str> {
    let words: Vec<&str> = line.split('\t').collect();
    let [module, rank, _, counter, value, file, ..] = &words[..] else {
        return Err(
            "expected module, rank, record, counter, value and file with tabs between them",
        );
    };
    let rank: i64 = rank.trim().parse().map_err(|_| "expected a rank, or -1")?;
    Ok(CounterRow {
        module: module.trim(),
        rank: u32::try_from(rank).ok(),
        counter: counter.trim(),
        value: value.trim(),
        file: file.trim(),
    })
}
