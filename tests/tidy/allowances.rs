//! A lint is silenced by `expect` with a reason, never by `allow`: an expectation that is met no more is told.

use crate::lexer::{line_of, words};
use crate::tree::Tree;
use crate::violation::{Violation, refuse};

fn violations(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in tree.rust() {
        let code = file.code();
        let allows = words(code).filter(|(at, word)| *word == "allow" && is_attribute(code, *at));
        let advice =
            "write `#[expect(lint, reason = \"..\")]`: it speaks up when it is needed no more";
        found.extend(allows.map(|(at, _)| Violation::new(&file.path, line_of(code, at), advice)));
    }
    found
}

/// Whether the word is called inside the brackets of an attribute.
fn is_attribute(code: &str, at: usize) -> bool {
    let before = &code[..at];
    let opening = before.rfind("#[").max(before.rfind("#!["));
    let inside = opening.is_some_and(|start| {
        let between = &before[start..];
        between.matches('[').count() > between.matches(']').count()
    });
    inside && code[at..].starts_with("allow(")
}

#[test]
fn no_lint_is_silenced_for_good() {
    refuse(&violations(&Tree::of_project()));
}

#[test]
fn allowances_are_seen() {
    let text = "#![allow(dead_code)]\n#[cfg_attr(x, allow(y))]\n#[expect(z, reason = \"allow(\")]\nfn allow() { allow() }\n";
    let lines: Vec<usize> =
        violations(&Tree::sample(&[("a.rs", text)])).iter().map(|v| v.line).collect();
    assert_eq!(lines, [1, 2]);
}
