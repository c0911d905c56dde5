//! The model and the consultant do no I/O, read no clock, start no thread and depend on no order but their own.

use crate::lexer::{line_of, words};
use crate::tree::Tree;
use crate::violation::{Violation, refuse};

const PURE: [&str; 2] = ["model/src/", "consultant/src/"];

/// Names that pure code does not say, with what to do instead.
const IMPURE: [(&str, &str); 11] = [
    ("Instant", "time is an argument"),
    ("SystemTime", "time is an argument"),
    ("fs", "files belong to the command and the experiments"),
    ("net", "links belong to the daemon"),
    ("env", "settings are arguments"),
    ("thread", "threads belong to the daemon and the command"),
    ("HashMap", "its order changes from run to run: use BTreeMap"),
    ("HashSet", "its order changes from run to run: use BTreeSet"),
    ("rand", "randomness is an argument"),
    ("println", "return a value: the command prints"),
    ("eprintln", "return a value: the command prints"),
];

fn violations(tree: &Tree) -> Vec<Violation> {
    let pure = tree.rust().filter(|file| PURE.iter().any(|folder| file.path.starts_with(folder)));
    let mut found = Vec::new();
    for file in pure {
        let code = file.code();
        for (at, word) in words(code) {
            let Some((_, instead)) = IMPURE.iter().find(|(name, _)| *name == word) else {
                continue;
            };
            let line = line_of(code, at);
            if is_path(code, at, word) && !file.tests_at(line) {
                found.push(Violation::new(
                    &file.path,
                    line,
                    format!("`{word}` in pure code: {instead}"),
                ));
            }
        }
    }
    found
}

/// A lower-case name counts as a part of a path or as a macro only: `thread` may well be a variable.
fn is_path(code: &str, at: usize, word: &str) -> bool {
    let after = &code[at + word.len()..];
    word.starts_with(char::is_uppercase) || code[..at].ends_with("std::") || after.starts_with('!')
}

#[test]
fn pure_parts_stay_pure() {
    refuse(&violations(&Tree::of_project()));
}

#[test]
fn a_clock_a_file_and_a_hash_order_are_seen() {
    let text = "//! x\nuse std::time::Instant;\nuse std::fs;\nfn f(thread: u8) { let m = HashMap::new(); println!(\"fs\") }\n";
    let tree = Tree::sample(&[("model/src/a.rs", text), ("daemon/src/a.rs", text)]);
    let lines: Vec<usize> = violations(&tree).iter().map(|v| v.line).collect();
    assert_eq!(lines, [2, 3, 4, 4]);
}
