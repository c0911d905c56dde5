//! Every ordering stronger than relaxed names its partner and its mutant, and `docs/layout.md` names the model that notices it.
//!
//! That each model does notice is the work of `cargo xtask test --only mutants`.

use std::collections::{BTreeMap, BTreeSet};

use crate::checkout::{Source, checkout};
use crate::refuse;

const TABLE: &str = "docs/layout.md";
const STRONG: [&str; 4] = ["Acquire", "Release", "AcqRel", "SeqCst"];
/// An ordering and its tag stand in one statement: at most so many lines apart.
const NEAR: usize = 6;

fn complaints(files: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
    let mut mutants: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files.iter().filter(|file| file.is_shipped_rust()) {
        let lines: Vec<(usize, &str)> = file.shipped_lines().collect();
        for (index, (number, line)) in lines.iter().enumerate() {
            let near = lines[index.saturating_sub(NEAR)..=index].iter().rev();
            let mut of_function = near.take_while(|(_, line)| !line.contains("fn "));
            let has_partner = of_function.any(|(_, line)| line.contains("// SYNC "));
            if is_strong(line) && !has_partner {
                found.push(format!("{}:{number}: an ordering without SYNC partner", file.path));
            }
            if is_strong(line) && !line.contains("compiler_fence") && mutant(line).is_none() {
                found.push(format!("{}:{number}: an ordering that no mutant weakens", file.path));
            }
            if let Some(name) = tag(line) {
                *ends.entry(name).or_default() += 1;
            }
            if let Some(name) = mutant(line) {
                *mutants.entry(name).or_default() += 1;
            }
        }
    }
    let lonely = ends.iter().filter(|(_, count)| **count < 2);
    found.extend(lonely.map(|(name, _)| format!("SYNC {name} has one end only")));
    let twice = mutants.iter().filter(|(_, count)| **count > 1);
    found.extend(twice.map(|(name, _)| format!("mutant {name} weakens two orderings")));
    let ends = ends.into_keys().collect();
    found.extend(differences(&rows(files), &ends, &mutants.into_keys().collect(), &models(files)));
    found
}

/// A line of code that names a strong ordering; neither a comment nor an import.
fn is_strong(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or("");
    STRONG.iter().any(|name| code.contains(&format!("Ordering::{name}")))
}

/// The name in `// SYNC name with function`.
fn tag(line: &str) -> Option<&str> {
    let after = line.split_once("// SYNC ")?.1;
    after.split_once(" with ").map(|(name, _)| name)
}

/// The name in `or_relaxed("name", ...)` and `fence("name", ...)`.
fn mutant(line: &str) -> Option<&str> {
    let calls = ["or_relaxed(\"", "fence(\""];
    let after = calls.iter().find_map(|call| line.split_once(call))?.1;
    after.split_once('"').map(|(name, _)| name)
}

/// The functions of the loom program that are tests.
fn models(files: &[Source]) -> BTreeSet<&str> {
    let models = files.iter().filter(|file| file.path.starts_with("layout/tests/loom/"));
    let tests = models.flat_map(|file| file.text.split("#[test]\nfn ").skip(1));
    tests.filter_map(|test| test.split('(').next()).collect()
}

/// A line of the table: the name of the pair, its models and its mutants.
type Row<'a> = (&'a str, Vec<&'a str>, Vec<&'a str>);

fn rows(files: &[Source]) -> Vec<Row<'_>> {
    let text = files.iter().find(|file| file.path == TABLE).map_or("", |file| file.text.as_str());
    let section = text.split_once("\n## Orderings\n").map_or("", |(_, section)| section);
    let lines = section.lines().filter(|line| line.starts_with("| `"));
    let rows = lines.filter_map(|line| {
        let cells: Vec<&str> = line.trim_matches(['|', ' ']).split(" | ").collect();
        let [name, _, models, mutants] = cells[..] else { return None };
        Some((quoted(name).next()?, quoted(models).collect(), quoted(mutants).collect()))
    });
    rows.collect()
}

/// What stands between backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// What the table names that is not there, and what is there that the table does not name.
fn differences(
    rows: &[Row<'_>],
    ends: &BTreeSet<&str>,
    mutants: &BTreeSet<&str>,
    models: &BTreeSet<&str>,
) -> Vec<String> {
    let listed: BTreeSet<&str> = rows.iter().map(|(name, ..)| *name).collect();
    let named_models: BTreeSet<&str> = rows.iter().flat_map(|row| row.1.clone()).collect();
    let named_mutants: BTreeSet<&str> = rows.iter().flat_map(|row| row.2.clone()).collect();
    let mut found = Vec::new();
    let mut all = |wrong: Vec<&str>, what: &str| {
        found.extend(wrong.into_iter().map(|name| format!("{name}: {what}")));
    };
    all(ends.difference(&listed).copied().collect(), "no line of docs/layout.md has this SYNC");
    all(listed.difference(ends).copied().collect(), "no source has this SYNC");
    all(mutants.difference(&named_mutants).copied().collect(), "no line names this mutant");
    all(named_mutants.difference(mutants).copied().collect(), "no source has this mutant");
    all(named_models.difference(models).copied().collect(), "there is no such model");
    let bare = rows.iter().filter(|(_, models, mutants)| models.is_empty() != mutants.is_empty());
    all(bare.map(|(name, ..)| *name).collect(), "has a model or a mutant, but not both");
    found
}

#[test]
fn every_ordering_has_partner_mutant_and_model() {
    refuse(&complaints(&checkout()));
}

#[test]
fn an_ordering_without_partner_mutant_or_model_is_seen() {
    let good = "fn put() {\n a.store(1, or_relaxed(\"put\", Ordering::Release)); // SYNC word with take\n}\n\
                fn take() {\n // SYNC word with put\n fence(\"take\", Ordering::Acquire);\n}\n";
    let line = "| `word` | put before take | `is_whole` | `put`, `take` |";
    let model = "#[test]\nfn is_whole() {}\n";
    let count = |source: &str, line: &str, model: &str| {
        let files = [
            Source::new("layout/src/a.rs", source),
            Source::new(TABLE, &format!("# Bytes\n\n## Orderings\n{line}\n")),
            Source::new("layout/tests/loom/a.rs", model),
        ];
        complaints(&files).len()
    };
    assert_eq!(count(good, line, model), 0);
    assert_eq!(count(good, line, "fn is_whole() {}\n"), 1, "no model");
    assert_eq!(count(good, "", model), 3, "no line");
    assert_eq!(count(&good.replace("// SYNC word with put", ""), line, model), 2, "no partner");
    assert_eq!(count(&good.replace("fence(\"take\", ", "fence("), line, model), 2, "no mutant");
    assert_eq!(count(&good.replace("\"take\"", "\"put\""), line, model), 2, "a mutant twice");
}
