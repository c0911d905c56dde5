//! The rules of the search, each with the scenario that shows it: `rules.txt` beside this file.
//!
//! A row holds when its scenario exists and expects a line with the words of the row. So a rule whose scenario changes its mind fails
//! here, and so does a scenario that stands for no rule.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

const MARK: &str = "\n----\n";

/// Rules that a table without them would have lost.
const PARTS: [&str; 13] = [
    "space",
    "hypotheses",
    "life",
    "evidence",
    "verdict",
    "truth",
    "order",
    "cost",
    "calls",
    "phases",
    "discovery",
    "directives",
    "never again",
];

struct Row<'a> {
    part: &'a str,
    rule: &'a str,
    place: &'a str,
    words: &'a str,
}

fn rows(text: &str) -> Vec<Row<'_>> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let row = |line| {
        let cells: Vec<&str> = str::split(line, '|').map(str::trim).collect();
        let [part, rule, place, words] = cells[..] else { panic!("a row has four cells: {line}") };
        Row { part, rule, place, words }
    };
    lines.map(row).collect()
}

fn tests() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// What a place says: the expectation of a scenario, or the text of a test.
fn said(place: &str) -> String {
    let is_scenario = !place.contains(".rs");
    let path = if is_scenario {
        tests().join("scenarios").join(format!("{place}.txt"))
    } else {
        tests().parent().expect("tests are in the crate").join(place)
    };
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    if !is_scenario {
        return text;
    }
    let (_, expected) = text.split_once(MARK).expect("a scenario has an expectation");
    expected.to_owned()
}

#[test]
fn each_rule_is_shown_by_its_scenario() {
    let table =
        fs::read_to_string(tests().join("rules.txt")).expect("the table is beside this file");
    let rows = rows(&table);
    for row in &rows {
        let said = said(row.place);
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_shown = said.lines().any(|line| squeezed(line).contains(row.words));
        assert!(is_shown, "{}: {} does not say \"{}\"", row.rule, row.place, row.words);
    }
    let parts: BTreeSet<&str> = rows.iter().map(|row| row.part).collect();
    assert_eq!(parts, BTreeSet::from(PARTS));
}

#[test]
fn each_scenario_stands_for_a_rule() {
    let table =
        fs::read_to_string(tests().join("rules.txt")).expect("the table is beside this file");
    let named: BTreeSet<String> = rows(&table).iter().map(|row| row.place.to_owned()).collect();
    let files = fs::read_dir(tests().join("scenarios")).expect("the scenarios are in the crate");
    let names = files.map(|file| file.expect("readable").path());
    let names = names.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned());
    let without: Vec<String> = names.filter(|name| !named.contains(name)).collect();
    assert!(without.is_empty(), "no rule in rules.txt names {without:?}");
}
