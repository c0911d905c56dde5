//! Nothing points to a file that is not there: links and paths in documents, documents named in comments.

use std::collections::BTreeSet;

use crate::checkout::{Source, checkout};
use crate::refuse;

/// Endings by which a word between backticks that has a slash is taken for a path of ours.
const ENDINGS: [&str; 10] =
    [".rs", ".md", ".c", ".h", ".f90", ".F90", ".toml", ".py", ".txt", ".sql"];

fn complaints(files: &[Source]) -> Vec<String> {
    let known: BTreeSet<&str> = files.iter().flat_map(|file| ends_of_folders(&file.path)).collect();
    let mut found = Vec::new();
    for file in files.iter().filter(|file| !file.path.starts_with("tests/tidy/")) {
        for (number, line) in file.text.lines().enumerate() {
            let targets = match file.path.ends_with(".md") {
                true => [links(line), paths(line)].concat(),
                false => documents(line),
            };
            let dead = targets.into_iter().filter(|target| !leads_somewhere(&known, file, target));
            found.extend(dead.map(|target| format!("{}:{}: {target}", file.path, number + 1)));
        }
    }
    found
}

/// The path itself and every folder above it.
fn ends_of_folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at]).chain([path])
}

/// Targets of `[text](target)`, but those with a scheme and those inside the page.
fn links(line: &str) -> Vec<&str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    let ours = targets.filter(|target| !target.contains(':') && !target.starts_with('#'));
    ours.filter_map(|target| target.split('#').next()).collect()
}

/// Paths between backticks.
fn paths(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).filter(|word| is_path(word)).collect()
}

fn is_path(word: &str) -> bool {
    word.contains('/')
        && !word.starts_with(['/', '.', '~'])
        && word.chars().all(is_plain)
        && (word.ends_with('/') || ENDINGS.iter().any(|ending| word.ends_with(ending)))
}

fn is_plain(letter: char) -> bool {
    letter.is_alphanumeric() || "/._-".contains(letter)
}

/// Documents that a comment names.
fn documents(line: &str) -> Vec<&str> {
    let starts = ["//", "/*", " *", "#", "!"];
    let comment =
        starts.iter().filter_map(|start| line.find(start)).min().map_or("", |at| &line[at..]);
    let words = comment.split(|letter| !is_plain(letter)).map(|word| word.trim_end_matches('.'));
    words.filter(|word| word.len() > 3 && word.ends_with(".md")).collect()
}

/// From the file's folder, or from one of the folders above it.
fn leads_somewhere(known: &BTreeSet<&str>, file: &Source, target: &str) -> bool {
    let folders = ends_of_folders(&file.path).chain([""]);
    folders.into_iter().any(|folder| known.contains(resolved(folder, target).as_str()))
}

fn resolved(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(target.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[test]
fn every_reference_leads_somewhere() {
    refuse(&complaints(&checkout()));
}

#[test]
fn dead_references_are_seen() {
    let page = "[a](b.md) [c](../x/d.rs#e) [f](#g) [h](https://i.j/k)\n`docs/b.md` `docs/l.md` `/tmp/m.md` `n.rs`\n[o](p.md)\n";
    let files = [
        Source::new("docs/a.md", page),
        Source::new("docs/b.md", "# b"),
        Source::new("x/d.rs", "//! See docs/b.md and docs/q.md.\nlet a = \"r.md\";\n"),
    ];
    assert_eq!(
        complaints(&files),
        ["docs/a.md:2: docs/l.md", "docs/a.md:3: p.md", "x/d.rs:1: docs/q.md"]
    );
}

#[test]
fn the_glossary_explains_each_word_once() {
    let files = checkout();
    let glossary = files.iter().find(|file| file.path == "docs/glossary.md").expect("it is there");
    let rows = glossary.text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    let words: Vec<&str> = rows.filter(|word| *word != "word").collect();
    assert!(words.len() > 100, "its tables have another form now: {}", words.len());
    let mut known = BTreeSet::new();
    let again: Vec<&&str> = words.iter().filter(|word| !known.insert(**word)).collect();
    assert!(again.is_empty(), "{again:?}");
}
