//! Every file of code opens with a comment that says what it is for.

use crate::tree::{Language, Source, Tree};
use crate::violation::{Violation, refuse};

fn violations(tree: &Tree) -> Vec<Violation> {
    let silent = tree.files.iter().filter(|file| !opens(file));
    let advice = "the file does not say what it is for: open it with one sentence in a comment";
    silent.map(|file| Violation::new(&file.path, 1, advice)).collect()
}

fn opens(file: &Source) -> bool {
    let first = file.text.lines().find(|line| !line.starts_with("#!/") && !line.trim().is_empty());
    let first = first.unwrap_or("").trim_start();
    let says = |starts: &[&str]| {
        starts.iter().any(|start| first.starts_with(start) && first.len() > start.len() + 5)
    };
    match file.language {
        Language::Rust => says(&["//! "]),
        Language::C => says(&["/* ", "/** ", "// ", "//! "]) || first.starts_with("/*"),
        // Column one of fixed-form Fortran may hold the comment's letter instead.
        Language::Fortran => says(&["! ", "!> ", "c ", "C ", "* "]),
        Language::Hash => says(&["# ", "\"\"\""]),
        Language::Markdown => first.starts_with('#'),
        Language::Toml | Language::Other => true,
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    refuse(&violations(&Tree::of_project()));
}

#[test]
fn silent_files_are_seen() {
    let tree = Tree::sample(&[
        ("a.rs", "//! Says what it is.\n"),
        ("b.rs", "use std::fs;\n"),
        ("c.c", "#include <mpi.h>\n"),
        ("d.f90", "program d\n"),
        ("e", "#!/bin/sh\nset -e\n"),
        ("f", "#!/bin/sh\n# Says what it is.\n"),
    ]);
    let files: Vec<String> = violations(&tree).into_iter().map(|v| v.file).collect();
    assert_eq!(files, ["b.rs", "c.c", "d.f90", "e"]);
}
