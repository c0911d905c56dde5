//! Programs of unusual kinds run under `whyperf run` as they do without, and what cannot be measured is said.

use std::process::Command;

use crate::command::{Folder, Said, say};
use crate::needs;

/// Builds a program in C; `None` where this compiler may be missing.
fn built(folder: &Folder, compiler: &[&str], text: &str) -> Option<String> {
    let (source, program) = (folder.file("program.c"), folder.file("program"));
    std::fs::write(&source, text).expect("the folder is ours");
    if !needs::program(compiler[0]) {
        return None;
    }
    let mut command = Command::new(compiler[0]);
    let done = command.args(&compiler[1..]).args(["-o", &program, &source]).output();
    let output = done.expect("it was found");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

const SANITIZED: &[&str] = &["gcc", "-fsanitize=address"];
const MUSL: &[&str] = &["musl-gcc"];
const QUIET: &str = "int main(void) { return 8; }\n";
const FAULTY: &str = "#include <stdlib.h>\nint main(int n, char **w) { (void)w; char *p = malloc(1); return p[n]; }\n";

#[test]
fn a_program_with_an_address_sanitizer_starts() {
    let folder = Folder::new("sanitized");
    let Some(program) = built(&folder, SANITIZED, QUIET) else { return };
    for words in [vec![program.as_str()], vec!["timeout", "9", &program]] {
        let said = say(&[&["run", "--"], words.as_slice()].concat());
        assert_eq!(said.status, Some(8), "{said:?}");
        assert!(!said.stderr.contains("Sanitizer") && !said.stderr.contains("ASan"), "{said:?}");
    }
}

#[test]
fn an_address_sanitizer_still_finds_what_it_is_for() {
    let folder = Folder::new("sanitized-fault");
    let Some(program) = built(&folder, SANITIZED, FAULTY) else { return };
    for words in [vec![program.as_str()], vec!["timeout", "9", &program]] {
        let said = say(&[&["run", "--quiet", "--"], words.as_slice()].concat());
        assert!(said.stderr.contains("heap-buffer-overflow"), "{said:?}");
    }
}

#[test]
fn a_program_of_another_c_library_runs_and_is_named_as_what_it_is() {
    let folder = Folder::new("musl");
    let Some(program) = built(&folder, MUSL, QUIET) else { return };
    for words in [vec![program.as_str()], vec!["timeout", "9", &program]] {
        let said: Said = say(&[&["run", "--"], words.as_slice()].concat());
        assert_eq!(said.status, Some(8), "{said:?}");
        assert!(said.stderr.contains("another C library"), "{said:?}");
        assert!(!said.stderr.contains("Error loading"), "{said:?}");
    }
}
