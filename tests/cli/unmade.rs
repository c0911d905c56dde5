//! Processes that could make no file in the run directory are counted and named, and run as they would have.

use serde_json::Value;

use crate::command::{Folder, apart, whyperf};

/// Who was not measured, how often, and why.
fn unmeasured(folder: &Folder) -> Vec<(String, u64, String)> {
    let report = std::fs::read(folder.0.join("report.json")).expect("it was written");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    let all = report["unmeasured"].as_array().expect("a list");
    let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    let facts =
        |one| (text(one, "program"), one["processes"].as_u64().unwrap_or(0), text(one, "reason"));
    all.iter().map(facts).collect()
}

#[test]
fn processes_for_which_the_run_directory_has_no_room_are_named() {
    let folder = Folder::new("full-run-directory");
    std::fs::write(folder.0.join("input"), "some text\n").expect("writable");
    // The shell fills it itself: what another process had there would be free again when that is over.
    let script = "export WHYPERF_SHM_DIR=$PWD/small
        \"$W\" run --no-store --json report.json -- sh -c 'printf %900000s x >small/rest
            cat input; cat input; exit 5' || echo \"status $?\"";
    let Some(said) = apart(&folder, script) else { return };
    let text = String::from_utf8_lossy(&said.stdout);
    assert_eq!(text, "some text\nsome text\nstatus 5\n", "{}", said.stderr);
    let found = unmeasured(&folder);
    let [(program, 2, reason)] = &found[..] else { panic!("{found:?}") };
    assert!(program == "cat" && reason.contains("WHYPERF_SHM_DIR"), "{found:?}");
    assert!(said.stderr.contains("(cat) is not measured: the file system"), "{}", said.stderr);
}

#[test]
fn processes_that_limits_leave_no_room_are_named() {
    let folder = Folder::new("limited-regions");
    std::fs::write(folder.0.join("input"), "some text\n").expect("writable");
    for (limit, named) in [("-f 1", "ulimit -f"), ("-v 500000", "ulimit -v")] {
        let script = format!("ulimit {limit}; cat input; exit 6");
        let mut command = whyperf();
        command.args(["run", "--json", "report.json", "--", "bash", "-c", &script]);
        let output = command.current_dir(&folder.0).output().expect("the command was built");
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(6), &b"some text\n"[..]));
        let found = unmeasured(&folder);
        let [(program, 1, reason)] = &found[..] else { panic!("{limit}: {found:?}") };
        assert!(program == "cat" && reason.contains(named), "{found:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("the program did nothing"), "{said}");
    }
}
