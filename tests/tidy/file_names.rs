//! A file is named after what it holds: names that hold anything are refused.

use crate::tree::Tree;
use crate::violation::{Violation, refuse};

const EMPTY_WORDS: [&str; 12] = [
    "util", "common", "helper", "misc", "manager", "type", "base", "shared", "handler", "stuff",
    "tool", "core",
];

fn violations(tree: &Tree) -> Vec<Violation> {
    let named = tree.files.iter().filter_map(|file| {
        let word = file.path.split('/').find_map(empty_word)?;
        let advice =
            format!("`{word}` says nothing: a noun is missing, find it and name the file after it");
        Some(Violation::new(&file.path, 0, advice))
    });
    named.collect()
}

fn empty_word(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    EMPTY_WORDS.into_iter().find(|word| stem == *word || stem.strip_suffix('s') == Some(word))
}

#[test]
fn names_say_something() {
    refuse(&violations(&Tree::of_project()));
}

#[test]
fn empty_names_are_seen() {
    let tree = Tree::sample(&[
        ("a/utils/b.rs", ""),
        ("a/Common.rs", ""),
        ("a/type_size.rs", ""),
        ("a/types.h", ""),
    ]);
    let files: Vec<String> = violations(&tree).into_iter().map(|v| v.file).collect();
    assert_eq!(files, ["a/utils/b.rs", "a/Common.rs", "a/types.h"]);
}
