//! Checks the rules that no lint knows: edges between crates, places of `unsafe`, orderings with their models, references.

mod checkout;
mod circles;
mod edges;
mod orderings;
mod references;
mod unsafe_list;

use checkout::{Source, checkout};

/// Fails with every complaint on a line of its own.
fn refuse(complaints: &[String]) {
    assert!(complaints.is_empty(), "{} complaints:\n{}\n", complaints.len(), complaints.join("\n"));
}

fn is_silent(file: &Source) -> bool {
    file.path.ends_with(".rs") && !file.text.starts_with("//! ")
}

#[test]
fn every_rust_file_says_what_it_is_for() {
    let files = checkout();
    let silent = files.iter().filter(|file| is_silent(file)).map(|file| file.path.clone());
    refuse(&silent.collect::<Vec<_>>());
    assert!(is_silent(&Source::new("a.rs", "use std::fs;\n//! too late\n")));
}
