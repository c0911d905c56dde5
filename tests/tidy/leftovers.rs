//! Nothing is left for later in the text: what is missing is said to the user or built.

use crate::lexer::{line_of, words};
use crate::tree::{Language, Tree};
use crate::violation::{Violation, refuse};

/// Written so that this file does not contain them.
const MARKS: [&str; 5] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("HA", "CK"),
    concat!("T", "BD"),
];

fn violations(tree: &Tree) -> Vec<Violation> {
    let ours = tree.files.iter().filter(|file| file.language != Language::Other);
    let mut found = Vec::new();
    for file in ours {
        for (at, mark) in words(&file.text).filter(|(_, word)| MARKS.contains(word)) {
            let advice =
                format!("`{mark}`: do it, or write down in docs what is not there and why");
            found.push(Violation::new(&file.path, line_of(&file.text, at), advice));
        }
        for (at, _) in
            file.text.match_indices("<!--").filter(|_| file.language == Language::Markdown)
        {
            let advice = "a place kept free: fill it";
            found.push(Violation::new(&file.path, line_of(&file.text, at), advice));
        }
    }
    found
}

#[test]
fn nothing_is_left_for_later() {
    refuse(&violations(&Tree::of_project()));
}

#[test]
fn marks_are_seen() {
    let text: String = MARKS.iter().map(|mark| format!("// {mark}: later\n")).collect();
    assert_eq!(violations(&Tree::sample(&[("a.rs", &text)])).len(), MARKS.len());
    let page = "# a\n<!-- picture -->\n";
    assert_eq!(violations(&Tree::sample(&[("a.md", page)]))[0].line, 2);
    assert!(violations(&Tree::sample(&[("a.rs", "// MPI_TODOS, todo\n")])).is_empty());
}
