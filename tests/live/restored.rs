//! Checks that functions that are switched off have their original bytes again: a program compares its own code and that of
//! its libraries with the files, while it is searched and when there is nothing to search for.

use crate::building::succeed;
use crate::report::{run_with, scratch};
use crate::shipped::Load;
use crate::{programs, shipped};
use std::process::Command;

/// Seconds for which the program works at least, and for which it waits at most for its code to be changed, and then to be as in the files.
const LIFE: [&str; 2] = ["5", "60"];

#[test]
fn code_is_as_in_the_files_when_nothing_is_watched() {
    let folder = scratch();
    let program = folder.join("text_as_in_file");
    let source = programs::sources().join("code/text_as_in_file.c");
    succeed(Command::new("gcc").args(["-O2", "-g", "-o"]).arg(&program).arg(source));
    let mut words = vec![program.display().to_string()];
    words.extend(LIFE.map(str::to_owned));
    // What was true for all of its working life is false when that is less than this part of its life: well before the end of its rest.
    let options = ["--no-store", "--code-search", "callgraph", "--threshold", "CPUbound=0.15"];
    let _turn = shipped::turn(Load::Computes);
    let run = run_with(&options, &words);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout, "text_as_in_file: positive\n");
    let told = run.stderr.lines().find(|line| line.contains(" bytes differ, "));
    let told = told.unwrap_or_else(|| panic!("the program says what it saw: {}", run.stderr));
    assert!(!told.contains(", 0 at most"), "functions were switched on: {told}");
    assert!(told.starts_with("0 bytes differ"), "{told}");
    std::fs::remove_dir_all(&folder).expect("the scratch folder is ours");
}
