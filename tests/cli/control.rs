//! Controls a running search by signals: pauses it, resumes it, and begins a phase.

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
