//! Each wrong use is refused with what was attempted and what to try, before anything runs.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::command::{Folder, say, whyperf};

fn is_refused(words: &[&str], status: i32, parts: &[&str]) {
    let said = say(words);
    assert_eq!(said.status, Some(status), "{said:?}");
    assert!(said.stdout.is_empty(), "{said:?}");
    for part in parts {
        assert!(said.stderr.contains(part), "{part:?} is not in: {}", said.stderr);
    }
}

#[test]
fn unknown_options_and_verbs() {
    is_refused(&["run", "--bogus", "--", "true"], 2, &["--bogus", "--help"]);
    is_refused(&["rum", "--", "true"], 2, &["rum", "run"]);
    is_refused(&["exec", "--bogus"], 2, &["--bogus"]);
    is_refused(&["doctor", "--bogus"], 2, &["--bogus"]);
}

#[test]
fn a_missing_command() {
    is_refused(&["run"], 2, &["COMMAND", "whyperf run [OPTIONS] -- COMMAND"]);
    is_refused(&["run", "--quiet", "--"], 2, &["COMMAND"]);
    is_refused(&["exec"], 2, &["COMMAND"]);
}

#[test]
fn values_that_make_no_sense() {
    is_refused(&["run", "--cost-limit", "much", "--", "true"], 2, &["much", "percentage"]);
    is_refused(&["run", "--cost-limit", "0", "--", "true"], 2, &["above 0"]);
    is_refused(&["run", "--threshold", "CPUbound", "--", "true"], 2, &["HYPOTHESIS=VALUE"]);
    is_refused(&["run", "--threshold", "CPUbound=x", "--", "true"], 2, &["no number"]);
    let wanted = ["CPUbound=30: 3000 %", "write CPUbound=30% or CPUbound=0.3"];
    is_refused(&["run", "--threshold", "CPUbound=30", "--", "true"], 2, &wanted);
    is_refused(&["run", "--threshold", "TooManySmallIOOps=30%", "--", "true"], 2, &["512 B/ops"]);
    is_refused(&["run", "--threshold", "Nonsense=0.1", "--", "true"], 2, &["Nonsense", "CPUbound"]);
    is_refused(&["run", "--sample", "0", "--", "true"], 2, &["--sample"]);
    is_refused(&["run", "--profile", "-1", "--", "true"], 2, &["-1"]);
}

#[test]
fn pairs_that_cannot_be_measured() {
    let measure = |metric, focus, parts: &[&str]| {
        is_refused(&["run", "--measure", metric, focus, "--", "echo", "ran"], 2, parts);
    };
    measure("call", "</Code>", &["'call'", "no such metric", "calls"]);
    measure("calls", "Code/f", &["'Code/f'", "column 1", "</Code/app.c/work"]);
    measure("calls", "</Cod/f>", &["'Cod' is no hierarchy"]);
    is_refused(&["exec", "--measure", "calls", "</Code", "--", "true"], 2, &["ends with '>'"]);
    is_refused(&["run", "--measure", "calls"], 2, &["--measure"]);
}

#[test]
fn a_variable_is_checked_like_its_option() {
    let refused = whyperf().args(["run", "--", "true"]).env("WHYPERF_SAMPLE", "often").output();
    let refused = refused.expect("the command was built");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("often"));
}

#[test]
fn an_empty_variable_is_as_if_unset() {
    let variables =
        ["SAMPLE", "COST_LIMIT", "THRESHOLD", "CALLPATH_DEPTH", "PROFILE", "JSON", "QUIET"];
    let mut command = whyperf();
    command.args(["run", "--", "sh", "-c", "exit 4"]);
    for variable in variables {
        command.env(format!("WHYPERF_{variable}"), "");
    }
    let said = command.output().expect("the command was built");
    let words = String::from_utf8_lossy(&said.stderr);
    assert_eq!(said.status.code(), Some(4), "{words}");
    assert!(words.contains("exit status 4") && !words.contains("cannot"), "{words}");
}

#[test]
fn a_command_that_is_not_found() {
    for verb in ["run", "exec"] {
        is_refused(&[verb, "--", "no-such-program"], 127, &["no-such-program", "PATH", "./"]);
        is_refused(&[verb, "--", "./no-such-program"], 127, &["./no-such-program", "no such file"]);
    }
}

#[test]
fn a_command_without_a_name() {
    for verb in ["run", "exec"] {
        is_refused(&[verb, "--", ""], 127, &["empty name"]);
    }
}

#[test]
fn a_cause_is_said_once() {
    let mut command = whyperf();
    command.args(["run", "-q", "--", "true"]).env("WHYPERF_SHM_DIR", "/there/is/none");
    let said = command.output().expect("the command was built");
    let words = String::from_utf8_lossy(&said.stderr);
    assert_eq!(words.matches("No such file or directory").count(), 1, "{words}");
}

#[test]
fn a_command_that_is_not_executable() {
    let folder = Folder::new("not-executable");
    let file = folder.file("data");
    fs::write(&file, "text").expect("the folder is ours");
    is_refused(&["run", "--", &file], 126, &["not executable", "chmod +x"]);
    is_refused(&["run", "--", &folder.file(".")], 126, &["folder"]);
}

#[test]
fn an_executable_that_is_nothing_the_system_knows() {
    let folder = Folder::new("broken-elf");
    let file = folder.file("broken");
    fs::write(&file, b"\x7fELF and then nothing").expect("the folder is ours");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("the file is ours");
    is_refused(&["run", "--", &file], 126, &["cannot run", "broken"]);
}

#[test]
fn a_script_without_interpreter_runs_as_in_a_shell() {
    let folder = Folder::new("bare-script");
    let file = folder.file("script");
    fs::write(&file, "echo \"$1\"; exit 4\n").expect("the folder is ours");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("the file is ours");
    let said = say(&["run", "-q", "--", &file, "word"]);
    assert_eq!((said.status, said.stdout.as_slice()), (Some(4), b"word\n".as_slice()), "{said:?}");
}

#[test]
fn a_library_that_is_not_there_stops_no_program() {
    let said = whyperf()
        .args(["run", "--", "sh", "-c", "echo done; exit 5"])
        .env("WHYPERF_LIBRARY", "/there/is/none.so")
        .output()
        .expect("the command was built");
    assert_eq!(said.status.code(), Some(5));
    assert_eq!(said.stdout, b"done\n");
    let words = String::from_utf8_lossy(&said.stderr);
    assert!(words.contains("cannot measure") && words.contains("/there/is/none.so"), "{words}");
}
