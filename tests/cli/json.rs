//! The report as JSON: its members, and what happens when it cannot be written.

use std::process::Command;

use serde_json::Value;

use crate::command::{Folder, say, whyperf};

const MEMBERS: [&str; 33] = [
    "answer",
    "format",
    "version",
    "command",
    "exit_status",
    "elapsed_s",
    "processes",
    "threads",
    "hosts",
    "processors",
    "placement",
    "time",
    "time_by_process",
    "unmeasured",
    "cost",
    "losses",
    "messages",
    "switched_off",
    "refusals",
    "search",
    "bottlenecks",
    "hot_code",
    "not_sampled",
    "measured",
    "counters",
    "user_events",
    "metadata",
    "undecided",
    "phases",
    "profile",
    "run",
    "directives_used",
    "efficiency",
];

fn names(value: &Value) -> Vec<&str> {
    let members = value.as_object().expect("an object");
    members.keys().map(String::as_str).collect()
}

fn sorted<'a>(members: &[&'a str]) -> Vec<&'a str> {
    let mut members = members.to_vec();
    members.sort_unstable();
    members
}

fn report_of(name: &str, words: &[&str]) -> Value {
    let folder = Folder::new(name);
    let path = folder.file("report.json");
    let said = say(&[&["run", "-q", "--json", &path, "--"], words].concat());
    let text = std::fs::read_to_string(&path);
    let text = text.unwrap_or_else(|error| panic!("no report: {error}; {said:?}"));
    serde_json::from_str(&text).expect("a report is JSON")
}

/// A program that computes for this long in all.
fn computing(seconds: &str) -> String {
    format!("import time\nwhile time.process_time() < {seconds}: pass")
}

#[test]
fn a_process_that_is_not_measured_is_named() {
    let script = computing("3");
    let report = report_of("unmeasured", &["env", "-i", "/usr/bin/python3", "-c", &script]);
    let [one] = &report["unmeasured"].as_array().expect("a list")[..] else { panic!("{report}") };
    let program = one["program"].as_str().expect("a name");
    assert!(program.starts_with("python3"), "{one}");
    assert_eq!(one["processes"], 1);
    assert!(one["cpu_s"].as_f64().is_some_and(|seconds| seconds > 0.0), "{one}");
    assert!(one["reason"].as_str().is_some_and(|reason| reason.contains("LD_PRELOAD")), "{one}");
    let report = report_of("measured", &["python3", "-c", &computing("1")]);
    assert_eq!(report["unmeasured"], serde_json::json!([]));
}

#[test]
fn every_report_has_the_same_members() {
    let report = report_of("members", &["sh", "-c", "exit 3"]);
    assert_eq!(names(&report), sorted(&MEMBERS));
    assert_eq!(report["format"], "whyperf-report");
    assert_eq!(report["version"], 2);
    assert_eq!(report["command"], serde_json::json!(["sh", "-c", "exit 3"]));
    assert_eq!(report["exit_status"], 3);
    assert_eq!(report["answer"], "Nothing was measured.");
    assert!(report["elapsed_s"].as_f64().is_some_and(|seconds| seconds > 0.0));
    let parts = ["analysis", "at_rest", "events", "pauses", "sampling"];
    let other = ["compensated_s", "end_s", "limit", "max", "mean", "own", "start_s", "total"];
    assert_eq!(names(&report["cost"]), sorted(&[&other[..], &parts].concat()));
    let cost = |name: &str| report["cost"][name].as_f64().expect("a number");
    let around = (cost("start_s") + cost("end_s"))
        / report["elapsed_s"].as_f64().expect("a time").max(cost("start_s") + cost("end_s"));
    let sum = parts.iter().map(|name| cost(name)).sum::<f64>() + around;
    assert!((cost("total") - sum).abs() < 1e-4, "the parts are the whole: {}", report["cost"]);
    assert_eq!(report["cost"]["limit"], 0.05);
    assert_eq!(names(&report["losses"]), ["nodes", "objects"]);
    assert_eq!(names(&report["search"]), ["pairs_tested", "pairs_true", "pairs_unknown"]);
}

#[test]
fn a_program_that_reads_and_writes_has_a_profile() {
    let script = "import os\nfor _ in range(50):\n  open('/dev/null', 'wb').write(b'x' * 100000)\n";
    // By its full name, for a version manager's shim would run other programs first.
    let report = report_of("profile", &["/usr/bin/python3", "-c", script]);
    assert_eq!(report["processes"], 1, "{report}");
    let rows = report["profile"].as_array().expect("a list");
    // A program that has ended before it was looked at has no callers, only calls.
    let is_write =
        |row: &&Value| row["path"].as_array().and_then(|path| path.last()) == Some(&"write".into());
    let row = rows.iter().find(is_write).unwrap_or_else(|| panic!("python writes: {report}"));
    let expected = [
        "bytes",
        "bytes_received",
        "bytes_sent",
        "calls",
        "exclusive_s",
        "inclusive_s",
        "path",
        "process",
        "thread",
    ];
    assert_eq!(names(row), expected);
    assert_eq!(row["calls"], 50, "{row}");
    assert_eq!(row["bytes"], 5_000_000, "{row}");
}

#[test]
fn a_place_that_cannot_be_written_is_said_and_the_status_is_still_the_program_s() {
    let path = "/there/is/no/folder/report.json";
    let said = say(&["run", "--json", path, "--", "sh", "-c", "echo out; exit 4"]);
    assert_eq!((said.status, said.stdout.as_slice()), (Some(4), b"out\n".as_slice()), "{said:?}");
    assert!(said.stderr.matches(path).count() >= 2, "before and after the run: {said:?}");
}

#[test]
fn a_full_disk_is_said_and_the_status_is_still_the_program_s() {
    let said = say(&["run", "--json", "/dev/full", "--", "sh", "-c", "exit 4"]);
    assert_eq!(said.status, Some(4), "{said:?}");
    assert!(said.stderr.contains("/dev/full") && said.stderr.contains("space"), "{said:?}");
}

#[test]
fn an_old_report_is_replaced_as_a_whole_and_nothing_is_left_beside_it() {
    let folder = Folder::new("replaced");
    let path = folder.file("report.json");
    std::fs::write(&path, "x".repeat(100_000)).expect("the folder is ours");
    assert_eq!(say(&["run", "-q", "--json", &path, "--", "true"]).status, Some(0));
    let text = std::fs::read_to_string(&path).expect("a report");
    assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
    assert_eq!(std::fs::read_dir(&folder.0).expect("the folder is ours").count(), 1);
}

#[test]
fn the_variable_is_the_option_s_twin() {
    let folder = Folder::new("twin");
    let path = folder.file("report.json");
    let mut command: Command = whyperf();
    let status =
        command.args(["run", "--", "true"]).env("WHYPERF_JSON", &path).env("WHYPERF_QUIET", "1");
    let said = status.output().expect("the command was built");
    assert!(said.stderr.is_empty(), "{}", String::from_utf8_lossy(&said.stderr));
    assert!(std::path::Path::new(&path).exists());
}
