//! The verbs that run nothing, and `exec` outside a launcher.

use serde_json::Value;

use crate::command::{Folder, say, whyperf};

#[test]
fn help_and_version_go_to_standard_output() {
    for words in [&["--help"][..], &["run", "--help"], &["exec", "--help"], &["--version"]] {
        let said = say(words);
        assert_eq!(said.status, Some(0), "{said:?}");
        assert!(!said.stdout.is_empty() && said.stderr.is_empty(), "{said:?}");
    }
    let help = String::from_utf8(say(&["run", "--help"]).stdout).expect("text");
    for word in ["--json", "--quiet", "--cost-limit", "WHYPERF_COST_LIMIT", "Exit status", "Ctrl-C"]
    {
        assert!(help.contains(word), "{word} is not in: {help}");
    }
}

#[test]
fn each_verb_is_completed_and_has_a_page() {
    let help = String::from_utf8(say(&["--help"]).stdout).expect("text");
    let verbs = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let verbs = verbs.take_while(|line| !line.is_empty());
    let verbs: Vec<&str> = verbs.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(verbs.contains(&"run") && verbs.contains(&"manual"), "{help}");
    for shell in ["bash", "zsh", "fish"] {
        let script = String::from_utf8(say(&["completions", shell]).stdout).expect("text");
        let missing = verbs.iter().find(|verb| !script.contains(**verb));
        assert_eq!(missing, None, "{shell}: {script}");
    }
    let place = Folder::new("manual");
    let pages = place.file("man1");
    assert_eq!(say(&["manual", &pages]).status, Some(0));
    for verb in verbs.iter().filter(|verb| **verb != "help") {
        let page = std::fs::read_to_string(format!("{pages}/whyperf-{verb}.1")).expect("a page");
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
    }
    let run = std::fs::read_to_string(format!("{pages}/whyperf-run.1")).expect("a page");
    assert!(run.contains("cost\\-limit") && run.contains("Exit status"), "{run}");
}

#[test]
fn the_doctor_speaks_and_prints_json() {
    let text = String::from_utf8(say(&["doctor"]).stdout).expect("text");
    for subject in ["library", "shared memory", "clock", "cores", "launcher", "ptrace"] {
        assert!(text.contains(subject), "{subject} is not in: {text}");
    }
    let findings: Value = serde_json::from_slice(&say(&["doctor", "--json"]).stdout).expect("JSON");
    for finding in findings.as_array().expect("a list") {
        let state = finding["state"].as_str().expect("a state");
        assert!(["good", "limited", "missing"].contains(&state), "{finding}");
        assert!(state == "good" || finding["advice"].is_string(), "{finding}");
    }
}

#[test]
fn metrics_are_listed_with_unit_and_meaning() {
    let text = String::from_utf8(say(&["metrics"]).stdout).expect("text");
    let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    assert!(line("io_bytes ").contains(" B  "), "{text}");
    assert!(text.lines().all(|line| line.len() <= 112), "{text}");
    let listed: Value = serde_json::from_slice(&say(&["metrics", "--json"]).stdout).expect("JSON");
    let listed = listed.as_array().expect("a list");
    assert_eq!(listed.len(), text.lines().count());
    let keys: Vec<_> = listed[0].as_object().expect("a row").keys().collect();
    assert_eq!(keys, ["meaning", "name", "unit"]);
}

#[test]
fn a_missing_library_is_the_doctor_s_first_concern() {
    let said = whyperf().arg("doctor").env("WHYPERF_LIBRARY", "/there/is/none.so").output();
    let said = said.expect("the command was built");
    assert_eq!(said.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&said.stdout).contains("WHYPERF_LIBRARY"));
}

#[test]
fn cleaning_prints_what_was_removed() {
    assert_eq!(say(&["clean"]).status, Some(0));
    let cleaned: Value = serde_json::from_slice(&say(&["clean", "--json"]).stdout).expect("JSON");
    assert!(cleaned["removed"].is_array(), "{cleaned}");
}

#[test]
fn exec_without_a_launcher_is_a_run_whose_status_is_the_program_s() {
    let said = say(&["exec", "--", "sh", "-c", "echo out; exit 3"]);
    assert_eq!((said.status, said.stdout.as_slice()), (Some(3), b"out\n".as_slice()), "{said:?}");
    assert!(said.stderr.contains("sh -c 'echo out; exit 3'"), "{said:?}");
    // What started the program is told its status; others where they are quicker, or the kernel is new.
    let told = said.stderr.matches("exit status").count();
    assert_eq!(told, said.stderr.matches("exit status 3").count(), "{said:?}");
}

#[test]
fn a_full_device_is_said_and_shown_by_the_status() {
    for words in [&["doctor"][..], &["doctor", "--json"], &["clean"], &["clean", "--json"]] {
        let full = std::fs::File::create("/dev/full").expect("every system has it");
        let said = whyperf().args(words).stdout(full).output().expect("the command was built");
        let text = String::from_utf8_lossy(&said.stderr);
        assert_eq!(said.status.code(), Some(1), "{text}");
        assert!(text.contains("cannot write to standard output: No space left"), "{text}");
    }
}

#[test]
fn processor_counters_are_promised_only_where_there_are_some() {
    let findings: Value = serde_json::from_slice(&say(&["doctor", "--json"]).stdout).expect("JSON");
    let findings = findings.as_array().expect("a list");
    let found = findings.iter().find(|one| one["subject"] == "counters").expect("a finding");
    let found = found["found"].as_str().expect("text");
    assert!(found.contains("page-faults"), "every kernel counts them: {found}");
    let devices = std::path::Path::new("/sys/bus/event_source/devices");
    let has_some = ["cpu", "cpu_core"].into_iter().any(|unit| devices.join(unit).exists());
    assert!(has_some || !found.contains("instructions"), "{found}");
}
