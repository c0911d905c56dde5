//! Outside tests nothing is unwrapped: `expect` states the invariant instead, or the error travels on.

use crate::lexer::line_of;
use crate::tree::Tree;
use crate::violation::{Violation, refuse};

fn violations(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in tree.rust() {
        let code = file.code();
        for (at, _) in code.match_indices(".unwrap()") {
            let line = line_of(code, at);
            if !file.tests_at(line) {
                let advice = "`unwrap` outside tests: pass the error on, or `expect` with the invariant that rules it out";
                found.push(Violation::new(&file.path, line, advice));
            }
        }
    }
    found
}

#[test]
fn nothing_is_unwrapped() {
    refuse(&violations(&Tree::of_project()));
}

#[test]
fn an_unwrap_is_seen_outside_tests_only() {
    let text = "fn f() { a.unwrap() }\n#[cfg(test)]\nmod tests {\n fn g() { a.unwrap() }\n}\n// b.unwrap()\n";
    let tree = Tree::sample(&[("a/src/a.rs", text), ("tests/live/a.rs", text)]);
    let found: Vec<(String, usize)> =
        violations(&tree).into_iter().map(|v| (v.file, v.line)).collect();
    assert_eq!(found, [("a/src/a.rs".to_owned(), 1)]);
}
