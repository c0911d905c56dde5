//! Table 4: how many priorities the versions have in common.

use std::collections::BTreeMap;

use anyhow::Result;

use super::base_runs::BaseRuns;
use super::cells;
use super::directive_files::{self, PRIORITIES};
use super::verdict::Verdict;
use super::version::Version;

/// The versions that are compared, in the names of the last.
const SOURCES: [Version; 3] = [Version::A, Version::B, Version::C];
/// Which of them said it, one bit each, in the order of the paper's columns.
const COLUMNS: [u8; 7] = [0b001, 0b010, 0b100, 0b011, 0b101, 0b110, 0b111];
const PAPER: [(&str, [u32; 8]); 3] = [
    ("High", [16, 13, 3, 10, 10, 9, 46, 107]),
    ("Low", [32, 72, 24, 28, 20, 13, 92, 281]),
    ("Both", [48, 85, 27, 38, 30, 22, 138, 388]),
];

/// Who said each priority.
type PrioritySources = BTreeMap<String, u8>;

pub(super) fn study(base_runs: &mut BaseRuns<'_>) -> Result<String> {
    let mut text = "## Table 4: priorities in common\n\nPriorities that base runs of A, B and C gave, all in the names of C, by the versions that gave them.\n".to_owned();
    for verdict in base_runs.harness.options.verdicts() {
        let mut said = PrioritySources::new();
        for (nth, source) in SOURCES.into_iter().enumerate() {
            for line in priorities(base_runs, source, verdict)? {
                *said.entry(line).or_default() |= 1 << nth;
            }
        }
        let rows = ["High", "Low", "Both"].map(|level| (level, counts(&said, level)));
        text += &format!("\n### {}\n\n{}", verdict.name(), table_of(&rows));
    }
    Ok(text + "\n### The paper\n\n" + &table_of(&PAPER))
}

fn priorities(
    base_runs: &mut BaseRuns<'_>,
    source: Version,
    verdict: Verdict,
) -> Result<Vec<String>> {
    let own = directive_files::extracted(base_runs, (source, verdict), &[PRIORITIES])?;
    if source == Version::C {
        return directive_files::lines(base_runs, &own);
    }
    let map = directive_files::mapped(base_runs, (source, Version::C), verdict)?;
    let translated = directive_files::translated(base_runs, &own, &map)?;
    directive_files::lines(base_runs, &translated)
}

/// How many of a level each set of versions said, and all together.
fn counts(said: &PrioritySources, level: &str) -> [u32; 8] {
    let is_level = |line: &str| match level {
        "High" => line.contains(" high "),
        "Low" => line.contains(" low "),
        _ => true,
    };
    let of = |bits: u8| {
        let those = said.iter().filter(|(line, by)| **by == bits && is_level(line));
        u32::try_from(those.count()).unwrap_or(u32::MAX)
    };
    let each = COLUMNS.map(of);
    let [a, b, c, ab, ac, bc, abc] = each;
    [a, b, c, ab, ac, bc, abc, each.iter().sum()]
}

fn table_of(rows: &[(&str, [u32; 8])]) -> String {
    let names =
        ["priority", "A only", "B only", "C only", "A, B", "A, C", "B, C", "A, B, C", "all"];
    let line = |(name, counts): &(&str, [u32; 8])| {
        let cells = counts.map(|count| count.to_string());
        cells::row(&[&[(*name).to_owned()], &cells[..]].concat())
    };
    cells::head(&names) + &rows.iter().map(line).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_priority_counts_once_for_the_set_that_said_it() {
        let said = [
            ("priority  high  H  a", 0b111),
            ("priority  low  H  b", 0b010),
            ("priority  high  H  c", 0b010),
        ];
        let said = said.map(|(line, by)| (line.to_owned(), by)).into();
        assert_eq!(counts(&said, "High"), [0, 1, 0, 0, 0, 0, 1, 2]);
        assert_eq!(counts(&said, "Low"), [0, 1, 0, 0, 0, 0, 0, 1]);
        assert_eq!(counts(&said, "Both")[7], 3);
    }
}
