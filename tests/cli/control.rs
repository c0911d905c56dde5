//! Controls a running search by signals: pauses it, resumes it, begins a phase, and has it report.

use std::fs::File;

use serde_json::Value;

use crate::command::{Folder, whyperf};

/// The program is whyperf's child: it sends a signal, and waits until whyperf has said what that did.
const PROGRAM: &str = "\
    tell() {
        kill -$1 $PPID
        n=0
        until grep -q \"$2\" said; do n=$((n + 1)); [ $n -lt 5000 ] || exit 9; done
    }
    tell 35 'the search pauses'
    tell 35 'the search goes on'
    tell 36 'phase #1 begins'
    tell 36 'phase #2 begins'";

#[test]
fn signals_pause_the_search_and_begin_phases_and_the_program_gets_none() {
    let Folder(folder) = &Folder::new("control");
    let said = folder.join("said");
    let status = whyperf()
        .args(["run", "--no-store", "--json", "report.json", "--", "dash", "-c", PROGRAM])
        .stderr(File::create(&said).expect("writable"))
        .current_dir(folder)
        .status()
        .expect("the command was built");
    let text = std::fs::read_to_string(&said).expect("it was just written");
    assert_eq!(status.code(), Some(0), "{text}");
    let report = std::fs::read(folder.join("report.json")).expect("the report was written");
    let report: Value = serde_json::from_slice(&report).expect("it is JSON");
    let phases = report["phases"].as_array().expect("a list");
    let names: Vec<&str> = phases.iter().filter_map(|phase| phase["name"].as_str()).collect();
    assert_eq!(names, ["#1", "#2"], "{text}");
}

/// Waits for a command to succeed, a minute at most.
const AWAIT: &str = "await() {
        n=0
        until \"$@\" 2>/dev/null; do n=$((n + 1)); [ $n -lt 1200 ] || exit 9; sleep 0.05; done
    }
    ";

/// What is run goes on until a report of it says that it does, in a file and in the store, or gives up after a while.
fn reported(name: &str, options: &[&str], script: &str) -> (Option<i32>, Value) {
    let Folder(folder) = &Folder::new(name);
    let whyperf_itself = whyperf();
    let status = whyperf()
        .args(["run", "--json", "report.json"])
        .args(options)
        .args(["--", "dash", "-c", &format!("{AWAIT}{script}")])
        .env("W", whyperf_itself.get_program())
        .env_remove("WHYPERF_NO_STORE")
        .stderr(File::create(folder.join("said")).expect("writable"))
        .current_dir(folder)
        .status()
        .expect("the command was built");
    let report = std::fs::read(folder.join("report.json")).expect("the report was written");
    (status.code(), serde_json::from_slice(&report).expect("it is JSON"))
}

#[test]
fn a_signal_has_what_is_known_by_now_reported_and_the_end_is_reported_all_the_same() {
    let script = "kill -37 $PPID; await grep -q '\"goes_on\":true' report.json; exit 5";
    let (status, report) = reported("at-signal", &[], script);
    let members = [&report["exit_status"], &report["goes_on"]];
    assert_eq!((status, members), (Some(5), [&Value::from(5), &Value::Null]));
}

#[test]
fn a_report_every_so_often_is_that_of_a_run_that_goes_on() {
    let script = "await grep -q 'so far, and it goes on' said";
    assert_eq!(reported("every", &["--report-every", "0.2"], script).0, Some(0));
}

#[test]
fn the_store_has_the_report_of_a_run_that_goes_on() {
    let script = "shown() { LD_PRELOAD= \"$W\" show latest | grep -q 'so far, and it goes on'; }; await shown";
    assert_eq!(reported("show-running", &[], &format!("kill -37 $PPID; {script}")).0, Some(0));
}
