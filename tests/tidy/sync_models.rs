//! Every ordering has a mutant, and `docs/layout.md` names the model that must notice it.
//!
//! ```text
//!   source: or_relaxed("open_store", Release) // SYNC open      each mutant stands once, beside its tag
//!      │                    │                        │
//!   table:  | `open` | promise | `model` | `open_store` |       and no line is left over
//!                                   │
//!   layout/tests/loom:           fn model()
//! ```
//! An ordering of the compiler alone has no model; its line links to the harness instead.

use std::collections::BTreeSet;

use crate::justification::stands_at;
use crate::lexer::line_of;
use crate::sync_tags::{pairs, sources, strong};
use crate::tree::{Source, Tree};
use crate::violation::{Violation, refuse};

const TABLE: &str = "docs/layout.md";
const MODELS: &str = "layout/tests/loom/";

/// One line of the table.
struct Row<'a> {
    line: usize,
    name: &'a str,
    models: BTreeSet<&'a str>,
    mutants: BTreeSet<&'a str>,
    is_linked: bool,
}

/// An ordering that can be weakened: where it is named, and by what.
struct Mutant<'a> {
    file: &'a Source,
    at: usize,
    name: &'a str,
}

fn violations(tree: &Tree) -> Vec<Violation> {
    let sources = sources(tree);
    let text = tree.file(TABLE).map_or("", |file| file.text.as_str());
    let rows = rows(text);
    let mutants: Vec<Mutant<'_>> = sources.iter().flat_map(|file| mutants(file)).collect();
    let mut found: Vec<Violation> = sources.iter().flat_map(|file| unweakened(file)).collect();
    found.extend(mutants.iter().filter_map(|mutant| unproved(mutant, &mutants, &rows)));
    let pairs = pairs(&sources);
    for (name, ends) in &pairs {
        if !rows.iter().any(|row| row.name == *name) {
            let advice = format!("SYNC {name} has no line in the tables of {TABLE}");
            found.push(Violation::new(&ends[0].file.path, ends[0].line, advice));
        }
    }
    for row in &rows {
        let mut wrong = missing(row, &mutants, tree);
        if !pairs.contains_key(row.name) {
            wrong.push(format!("no source has a SYNC {}: take the line away", row.name));
        }
        found.extend(wrong.into_iter().map(|advice| Violation::new(TABLE, row.line, advice)));
    }
    found
}

/// Lines whose first cell is a name and that have a cell each for promise, models and mutants.
fn rows(text: &str) -> Vec<Row<'_>> {
    let section = text.split_once("\n## Orderings\n").map_or("", |(_, rest)| rest);
    let before = text.len() - section.len();
    let lines = section.lines().enumerate().filter(|(_, line)| line.starts_with("| `"));
    let rows = lines.filter_map(|(number, line)| {
        let cells: Vec<&str> = line.trim_matches(['|', ' ']).split(" | ").collect();
        let [name, _, models, mutants] = cells[..] else { return None };
        let line = text[..before].lines().count() + number + 1;
        let is_linked = models.contains("](");
        let name = quoted(name).next()?;
        Some(Row {
            line,
            name,
            models: quoted(models).collect(),
            mutants: quoted(mutants).collect(),
            is_linked,
        })
    });
    rows.collect()
}

/// What stands between backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The calls that can be weakened, tests apart.
fn mutants(file: &Source) -> Vec<Mutant<'_>> {
    let mut found = Vec::new();
    for call in ["or_relaxed(", "fence("] {
        for (at, _) in file.code().match_indices(call) {
            let line = line_of(file.code(), at);
            // Both views have the same lines, not the same bytes.
            let column = at - file.code()[..at].rfind('\n').map_or(0, |end| end + 1);
            let text = file.text.lines().nth(line - 1).unwrap_or("");
            let name = text.get(column + call.len()..).and_then(|rest| rest.strip_prefix('"'));
            let name = name.and_then(|rest| rest.split_once('"'));
            if let Some((name, _)) = name.filter(|_| !file.tests_at(line)) {
                found.push(Mutant { file, at, name });
            }
        }
    }
    found
}

/// Orderings that nothing can weaken.
fn unweakened(file: &Source) -> Vec<Violation> {
    let code = file.code();
    let plain = strong(file).into_iter().filter(|at| {
        let before = code[..*at].trim_end_matches("Ordering::").trim_end();
        let call = before.trim_end_matches(',').trim_end_matches('"').trim_end();
        let has_name = call.len() < before.len() - 1;
        let can_be_weakened =
            has_name && (call.ends_with("or_relaxed(") || call.ends_with("fence("));
        !can_be_weakened && !before.ends_with("compiler_fence(")
    });
    let advice = "an ordering without mutant: write `or_relaxed(\"name\", ..)` or `fence(\"name\", ..)` of layout/src/sync.rs, and give it a model";
    plain.map(|at| Violation::new(&file.path, line_of(code, at), advice)).collect()
}

/// What is wrong with a mutant: it needs a name of its own, and a line whose SYNC it carries.
fn unproved(mutant: &Mutant<'_>, all: &[Mutant<'_>], rows: &[Row<'_>]) -> Option<Violation> {
    let name = mutant.name;
    let mut of_mutant = rows.iter().filter(|row| row.mutants.contains(name)).peekable();
    let advice = if all.iter().filter(|other| other.name == name).count() > 1 {
        format!("mutant {name} weakens two orderings: give each a name of its own")
    } else if of_mutant.peek().is_none() {
        format!("mutant {name} is in no line of {TABLE}: name the model that notices it")
    } else {
        let foreign = of_mutant.find(|row| {
            let tag = format!("SYNC {} with", row.name);
            !stands_at(mutant.file, mutant.at, &[&tag])
        })?;
        format!("mutant {name} is listed under {}, whose SYNC is not here", foreign.name)
    };
    let line = line_of(mutant.file.code(), mutant.at);
    Some(Violation::new(&mutant.file.path, line, advice))
}

/// What a line names that is not there.
fn missing(row: &Row<'_>, mutants: &[Mutant<'_>], tree: &Tree) -> Vec<String> {
    let mut wrong = Vec::new();
    for model in &row.models {
        let head = format!("#[test]\nfn {model}()");
        let mut files = tree.rust().filter(|file| file.path.starts_with(MODELS));
        if !files.any(|file| file.code().contains(&head)) {
            wrong.push(format!("there is no model {model} in {MODELS}"));
        }
    }
    for mutant in &row.mutants {
        if !mutants.iter().any(|known| known.name == *mutant) {
            wrong.push(format!("there is no mutant {mutant} in the sources"));
        }
    }
    let is_modelled = !row.models.is_empty() && !row.mutants.is_empty();
    let is_of_compiler = row.models.is_empty() && row.mutants.is_empty() && row.is_linked;
    if !is_modelled && !is_of_compiler {
        wrong.push(format!("SYNC {} needs models and mutants, or a harness", row.name));
    }
    wrong
}

#[test]
fn every_ordering_has_its_model() {
    refuse(&violations(&Tree::of_project()));
}

#[cfg(test)]
const GOOD: &str = "fn put() {\n // SYNC word with take\n a.store(1, or_relaxed(\"word_store\", Ordering::Release));\n}\n\
    fn take() {\n // SYNC word with put\n fence(\"word_load\", Ordering::Acquire);\n}\n";
#[cfg(test)]
const LINE: &str = "| `word` | put before take | `is_whole` | `word_store`, `word_load` |";
#[cfg(test)]
const MODEL: &str = "#[test]\nfn is_whole() {}\n";

#[cfg(test)]
fn complaints(source: &str, line: &str, model: &str) -> Vec<(String, usize)> {
    let table = format!("# Bytes\n\n## Orderings\n{line}\n");
    let tree = Tree::sample(&[
        ("layout/src/a.rs", source),
        (TABLE, &table),
        ("layout/tests/loom/a.rs", model),
    ]);
    violations(&tree).into_iter().map(|v| (v.file, v.line)).collect()
}

#[test]
fn an_ordering_without_line_model_or_mutant_is_seen() {
    let source = |line: usize| ("layout/src/a.rs".to_owned(), line);
    let table = |line: usize| (TABLE.to_owned(), line);
    assert_eq!(complaints(GOOD, LINE, MODEL), []);
    assert_eq!(complaints(GOOD, LINE, "fn is_whole() {}\n"), [table(4)]);
    assert_eq!(complaints(GOOD, "", MODEL), [source(3), source(7), source(2)]);
    let plain = GOOD.replace("or_relaxed(\"word_store\", Ordering::Release)", "Ordering::Release");
    assert_eq!(complaints(&plain, LINE, MODEL), [source(3), table(4)]);
    let twice = GOOD.replace("word_load", "word_store");
    assert_eq!(complaints(&twice, LINE, MODEL), [source(3), source(7), table(4)]);
    let other = GOOD.replace("SYNC word with take", "SYNC name with take");
    assert_eq!(complaints(&other, LINE, MODEL), [source(3), source(2)]);
    let unlisted = LINE.replace(", `word_load`", "");
    assert_eq!(complaints(GOOD, &unlisted, MODEL), [source(7)]);
    let unmodelled = "| `word` | put before take | none | none |";
    assert_eq!(complaints(GOOD, unmodelled, MODEL), [source(3), source(7), table(4)]);
}
