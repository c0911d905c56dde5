//! `unsafe` appears only in the files named here, each with its reason.

use crate::lexer::{line_of, words};
use crate::tree::Tree;
use crate::violation::{Violation, refuse};

/// A path, or a folder with its trailing slash, and why it cannot do without.
const ALLOWED: &[(&str, &str)] = &[
    ("layout/src/", "views of shared memory by offset"),
    ("runtime/src/", "thread-local words, mapping of the region, C interface"),
    ("runtime/tests/process/", "forks, traps, limits, and the map of a region"),
    ("probes/src/", "wrappers of C functions"),
    ("inject/src/mapping.rs", "maps the region of a measured process"),
    ("tests/torture/region.rs", "maps the region of a tortured process"),
    ("benches/event.rs", "calls the shared object through its C interface"),
    ("inject/src/tracee.rs", "traces a thread of another process"),
    ("inject/src/summons.rs", "sends a signal with a value"),
    ("daemon/src/clock.rs", "reads the counter that ticks come from"),
    ("instrument/src/sampling/event.rs", "has the kernel sample a thread of another process"),
];

fn violations(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in tree.rust().filter(|file| !is_allowed(&file.path)) {
        for (at, _) in words(file.code()).filter(|(_, word)| *word == "unsafe") {
            let advice = "`unsafe` outside the list in tests/tidy/unsafe_list.rs: find the safe way, or add the file with its reason";
            found.push(Violation::new(&file.path, line_of(file.code(), at), advice));
        }
    }
    found
}

fn is_allowed(path: &str) -> bool {
    ALLOWED
        .iter()
        .any(|(allowed, _)| path == *allowed || allowed.ends_with('/') && path.starts_with(allowed))
}

#[test]
fn unsafe_stays_in_its_files() {
    refuse(&violations(&Tree::of_project()));
}

#[test]
fn unsafe_elsewhere_is_seen_and_the_word_in_text_is_not() {
    let text = "// unsafe\nlet a = \"unsafe\";\nunsafe { b() }\n";
    let tree = Tree::sample(&[("model/src/a.rs", text), ("layout/src/a.rs", text)]);
    let found: Vec<(String, usize)> =
        violations(&tree).into_iter().map(|v| (v.file, v.line)).collect();
    assert_eq!(found, [("model/src/a.rs".to_owned(), 3)]);
}
