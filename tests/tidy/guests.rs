//! What runs inside the measured process has no standard library, no allocator and hardly a dependency.

use crate::lexer::{line_of, words};
use crate::manifest::manifests;
use crate::tree::Tree;
use crate::violation::{Violation, refuse};

/// Each guest with the outside packages it may link, always and under `cfg(loom)`.
const GUESTS: [(&str, &[&str], &[&str]); 3] = [
    ("layout", &[], &["loom"]),
    ("runtime", &["libc", "crossbeam-utils", "once_cell"], &["loom"]),
    ("probes", &["libc"], &[]),
];

fn violations(tree: &Tree) -> Vec<Violation> {
    let mut found = outside_packages(tree);
    for (folder, ..) in GUESTS {
        let root = format!("{folder}/src/lib.rs");
        match tree.file(&root) {
            Some(file) if file.code().contains("no_std") => {}
            Some(_) => {
                found.push(Violation::new(&root, 0, "a guest's crate starts with `#![no_std]`"))
            }
            None => found.push(Violation::new(&root, 0, "the crate of a guest is missing")),
        }
    }
    let guests = tree.rust().filter(|file| {
        GUESTS.iter().any(|(folder, ..)| file.path.starts_with(&format!("{folder}/src/")))
    });
    for file in guests {
        let alloc = words(file.code()).filter(|(_, word)| *word == "alloc");
        for line in
            alloc.map(|(at, _)| line_of(file.code(), at)).filter(|line| !file.tests_at(*line))
        {
            found.push(Violation::new(
                &file.path,
                line,
                "a guest never allocates: use memory reserved beforehand",
            ));
        }
    }
    found
}

fn outside_packages(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for manifest in manifests(tree) {
        let Some((_, always, loom)) = GUESTS.iter().find(|guest| guest.0 == manifest.folder) else {
            continue;
        };
        for dependency in &manifest.dependencies {
            let allowed = if dependency.condition == "cfg(loom)" { *loom } else { *always };
            let name = dependency.name.as_str();
            if !name.starts_with("whyperf-") && !allowed.contains(&name) {
                let advice = format!(
                    "`{name}` would run inside the measured program: do without it, or argue for it in docs/decisions"
                );
                found.push(Violation::new(&manifest.file.path, dependency.line, advice));
            }
        }
    }
    found
}

#[test]
fn guests_bring_nothing_along() {
    refuse(&violations(&Tree::of_project()));
}

#[test]
fn a_guest_that_allocates_or_brings_a_package_is_seen() {
    let tree = Tree::sample(&[
        (
            "layout/src/lib.rs",
            "//! x\n#![no_std]\nextern crate alloc;\n#[cfg(test)]\nmod t {\n use alloc::vec;\n}\n",
        ),
        (
            "layout/Cargo.toml",
            "[dependencies]\nserde = \"1\"\n[target.'cfg(loom)'.dependencies]\nloom = \"1\"\n",
        ),
        ("runtime/src/lib.rs", "//! x\n"),
        ("probes/src/lib.rs", "#![no_std]\n"),
    ]);
    let found: Vec<(String, usize)> =
        violations(&tree).into_iter().map(|v| (v.file, v.line)).collect();
    let expected = [("layout/Cargo.toml", 2), ("runtime/src/lib.rs", 0), ("layout/src/lib.rs", 3)];
    assert_eq!(found, expected.map(|(file, line)| (file.to_owned(), line)));
}
