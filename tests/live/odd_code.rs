//! Code of odd origin: its file is deleted or replaced, it lies in memory only, or the program wrote it itself. Functions
//! that can be known are found, nothing else is reported, and the program does not notice.

use std::fs;

use crate::copied::copied;
use crate::report::{Run, run_with, scratch};
use crate::shipped::Load;
use crate::{programs, shipped};

fn odd(kind: &str) -> Run {
    let folder = scratch();
    let built = programs::with_code().join("code");
    // It deletes and replaces files: these are its own copies.
    let [program, library] = ["odd_code", "libgrinding.so"].map(|name| {
        copied(&built.join(name), &folder.join(name));
        folder.join(name).display().to_string()
    });
    let words = [program, kind.to_owned(), library, "7".to_owned()];
    let _turn = shipped::turn(Load::Computes);
    let options = ["--no-store", "--code-search", "callgraph", "--threshold", "CPUbound=0.02"];
    let run = run_with(&options, &words);
    fs::remove_dir_all(&folder).expect("the scratch folder is ours");
    assert_eq!(run.status, Some(0), "{}", run.shown());
    assert_eq!(run.stdout, format!("odd_code: {kind} 1\n"), "{}", run.shown());
    run
}

/// What the leading conclusion that names a function is about.
fn named(run: &Run) -> Option<String> {
    let mut leaves = run.bottlenecks();
    leaves.retain(|one| {
        one.hypothesis == "CPUbound" && one.leaf && !one.focus.starts_with("</Code,")
    });
    leaves.sort_by(|one, other| other.value.total_cmp(&one.value));
    let focus = leaves.first()?.focus.clone();
    Some(focus.trim_start_matches('<').split(',').next().unwrap_or_default().to_owned())
}

#[test]
fn a_program_whose_file_is_gone() {
    let run = odd("deleted");
    assert_eq!(named(&run).as_deref(), Some("/Code/odd_code.c/heavy"), "{}", run.shown());
}

/// What is left where the code has no name that anybody could know: that the program computes is told, and of functions nothing but
/// what is so.
fn computes_and_nothing_else_is_said(run: &Run, allowed: &[&str]) {
    let computing = run.bottlenecks();
    let computing = || computing.iter().filter(|one| one.hypothesis == "CPUbound");
    let whole = computing().find(|one| one.focus == "</Code,/Machine,/Process,/SyncObject>");
    assert!(whole.is_some_and(|whole| whole.value > 0.02), "{}", run.shown());
    for one in computing().filter(|one| !one.focus.starts_with("</Code,")) {
        let function = one.focus.trim_start_matches('<').split(',').next().unwrap_or_default();
        assert!(allowed.contains(&function), "{function}: {}", run.shown());
    }
}

#[test]
fn a_library_whose_name_something_else_has_by_now() {
    let run = odd("replaced");
    // The kernel holds the old file, which not everybody may read.
    let allowed = ["/Code/grinding.c/grinding_step", "/Code/odd_code.c/main"];
    computes_and_nothing_else_is_said(&run, &allowed);
    assert!(!run.stderr.contains("panic"), "{}", run.shown());
}

#[test]
fn a_library_in_memory_only() {
    let allowed = ["/Code/grinding.c/grinding_step", "/Code/odd_code.c/main"];
    computes_and_nothing_else_is_said(&odd("memory"), &allowed);
}

#[test]
fn code_that_the_program_writes_itself() {
    // It belongs to no function: its caller is the last one that can be named.
    computes_and_nothing_else_is_said(&odd("made"), &["/Code/odd_code.c/main"]);
}
