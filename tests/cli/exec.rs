//! `whyperf exec` inside a launcher: one of its processes watches for all, and each runs its own program.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::command::{Folder, Said, whyperf};
use crate::needs;

/// Of two ranks the first one ends the watcher; both go on when it is gone.
const KILLS_THE_WATCHER: &str = r#"
if mkdir "$FOLDER/first" 2>/dev/null; then
    until read pid rest <"$WHYPERF_DIR/owner" && grep -q 'WHYPERF_WATCHED=[0-9]' "/proc/$pid/environ"; do :; done
    kill -KILL "$pid"
    while grep -q whyperf "/proc/$pid/comm" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$pid/status"; do :; done
    : >"$FOLDER/killed"
fi
until [ -e "$FOLDER/killed" ]; do sleep 0.01; done
cat /dev/null
echo out
"#;

#[test]
fn whoever_ends_the_watcher_ends_no_rank() {
    for launcher in LAUNCHERS {
        let folder = Folder::new("watcher");
        let script = format!("FOLDER={}\n{KILLS_THE_WATCHER}", folder.0.display());
        let path = folder.file("report.json");
        // What the watcher leaves behind goes with the folder.
        let shm = folder.0.join("shm");
        std::fs::create_dir(&shm).expect("the folder is ours");
        let Some(said) = two_in(launcher, &script, &path, Some(&shm)) else { continue };
        assert_eq!((said.status, &said.stdout[..]), (Some(0), &b"out\nout\n"[..]), "{said:?}");
        assert!(!Path::new(&path).exists(), "the watcher was to be ended");
    }
}

/// Runs two processes under a launcher; `None` where it may be missing.
fn two(launcher: &[&str], script: &str, report: &str) -> Option<Said> {
    two_in(launcher, script, report, None)
}

/// The same, measured below this folder.
fn two_in(launcher: &[&str], script: &str, report: &str, shm: Option<&Path>) -> Option<Said> {
    let shim = whyperf();
    if !needs::program(launcher[0]) {
        return None;
    }
    let mut command = Command::new(launcher[0]);
    for (name, value) in shim.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.args(&launcher[1..]).args(["-n", "2"]).arg(shim.get_program());
    command.args(["exec", "--json", report, "--", "sh", "-c", script]);
    // Open MPI refuses to run as root unless told twice.
    for variable in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] {
        command.env(variable, "1");
    }
    command.envs(shm.map(|shm| ("WHYPERF_SHM_DIR", shm)));
    Some(command.output().expect("it was found").into())
}

const LAUNCHERS: [&[&str]; 2] = [&["mpirun.openmpi", "--oversubscribe"], &["mpirun.mpich"]];

fn under_each(name: &str, script: &str, check: impl Fn(&Said, &Value)) {
    for launcher in LAUNCHERS {
        let folder = Folder::new(name);
        let path = folder.file("report.json");
        let Some(said) = two(launcher, script, &path) else { continue };
        // Where a rank fails the launcher may not wait for who watches: the report comes as a whole, a moment later.
        while !Path::new(&path).exists() {
            std::thread::yield_now();
        }
        let report = std::fs::read_to_string(&path);
        let report = report.unwrap_or_else(|error| panic!("no report: {error}; {said:?}"));
        check(&said, &serde_json::from_str(&report).expect("a report is JSON"));
    }
}

#[test]
fn one_report_speaks_of_all_processes() {
    // Neither ends before both have begun, so the head sees both.
    let meet = "touch $0.$$; while [ $(ls $0.* | wc -l) -lt 2 ]; do sleep 0.01; done; cat /etc/hostname >/dev/null";
    let place = Folder::new("meeting");
    let script = format!("exec sh -c '{meet}; cat /dev/null; echo out' {0}", place.file("x"));
    under_each("exec-all", &script, |said, report| {
        for old in std::fs::read_dir(&place.0).expect("the folder is ours").flatten() {
            std::fs::remove_file(old.path()).expect("the file is ours");
        }
        assert_eq!(said.status, Some(0), "{said:?}");
        assert_eq!(said.stdout, b"out\nout\n", "{said:?}");
        assert!(report["processes"].as_u64().is_some_and(|count| count >= 2), "{report}; {said:?}");
        assert_eq!(said.stderr.matches("Cost of measuring").count(), 1, "{said:?}");
    });
}

#[test]
fn a_rank_that_fails_fails_the_job() {
    under_each("exec-fail", "exit 3", |said, _| assert_eq!(said.status, Some(3), "{said:?}"));
}

#[test]
fn what_the_program_returned_is_in_the_report_though_it_is_nobody_s_child_who_reports() {
    let folder = Folder::new("exec-status");
    let path = folder.file("report.json");
    let mut program = whyperf()
        .args(["exec", "--json", &path, "--", "sh", "-c", "exit 3"])
        // A job of its own: that of the others in this process has the same parent.
        .env("PMIX_NAMESPACE", &path)
        .stderr(Stdio::null())
        .current_dir(&folder.0)
        .spawn()
        .expect("the command was built");
    // It is not collected before, so that every kernel tells how it ended.
    while !Path::new(&path).exists() {
        std::thread::yield_now();
    }
    let report = std::fs::read(&path).expect("it was just written");
    let report: Value = serde_json::from_slice(&report).expect("a report is JSON");
    program.wait().expect("it is ours");
    assert_eq!(report["exit_status"], 3, "{report}");
}

/// Whoever started the job waits until nobody has its standard error any more, and no terminal reaches who watches.
#[test]
fn a_page_ends_with_the_job() {
    let folder = Folder::new("exec-page");
    let path = folder.file("report.json");
    let mut command = whyperf();
    command.args(["exec", "--view", "--json", &path, "--", "sh", "-c", "exit 0"]);
    command.env("PMIX_NAMESPACE", &path).current_dir(&folder.0);
    let said: Said = command.output().expect("the command was built").into();
    let is_told = |what| said.stderr.contains(what);
    assert!(is_told("http://127.0.0.1:") && is_told("and with it its page"), "{said:?}");
}

/// Keeps the watcher from doing anything before it may go on.
const SLOW_WATCHER: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((constructor)) static void wait(void)
{
    if (getenv("WHYPERF_WATCHED") && !strcmp(program_invocation_short_name, "whyperf"))
        while (access(getenv("GO"), F_OK))
            usleep(1000);
}
"#;

/// A program whose watcher does nothing before there is a file `go`: how it ended, and what was said once nobody has its standard error any more.
fn with_a_slow_watcher(folder: &Folder, script: &str, after: impl FnOnce(&str)) -> Said {
    let go = folder.file("go");
    std::fs::write(folder.0.join("slow.c"), SLOW_WATCHER).expect("the folder is ours");
    let mut compiler = Command::new("gcc");
    compiler.args(["-shared", "-fPIC", "-o", "slow.so", "slow.c"]).current_dir(&folder.0);
    assert!(compiler.status().is_ok_and(|status| status.success()));
    let path = folder.file("report.json");
    let mut command = whyperf();
    command.args(["exec", "--json", &path, "--", "sh", "-c", script]);
    command.env("PMIX_NAMESPACE", &path).env("GO", &go);
    command.env("LD_PRELOAD", folder.file("slow.so")).process_group(0).stderr(Stdio::piped());
    let mut program = command.spawn().expect("the command was built");
    program.wait().expect("it is ours");
    after(&go);
    // The watcher has it, too.
    let said = program.wait_with_output().expect("it was piped").into();
    assert!(Path::new(&path).exists(), "{said:?}");
    said
}

#[test]
fn whoever_ends_the_group_of_a_rank_at_once_does_not_end_the_report() {
    let folder = Folder::new("exec-group");
    let allow = |go: &str| std::fs::write(go, "").expect("the folder is ours");
    with_a_slow_watcher(&folder, "kill -KILL 0", allow);
}

#[test]
fn what_begins_before_the_watcher_does_is_measured() {
    let folder = Folder::new("exec-early");
    let said = with_a_slow_watcher(&folder, r#"cat /dev/null; : >"$GO""#, |_| {});
    let report = std::fs::read(folder.file("report.json")).expect("it was just written");
    let report: Value = serde_json::from_slice(&report).expect("a report is JSON");
    assert!(report["processes"].as_u64().is_some_and(|count| count > 0), "{report}; {said:?}");
}
