//! Limits of the system that leave whyperf no room: the program runs all the same, with its own exit status.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::command::{Folder, Said, whyperf};
use crate::copied::copied;
use crate::needs;

/// Runs a program by `whyperf run` below a command that sets limits.
fn limited(folder: &Folder, by: &[&str], program: &str) -> Said {
    let mut command = Command::new(by[0]);
    let mut plain = whyperf();
    let words = ["run", "--", "/bin/sh", "-c", program];
    for (name, value) in plain.args(words).get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let whyperf = folder.0.join("whyperf");
    let whyperf = if whyperf.exists() { whyperf } else { plain.get_program().into() };
    command.args(&by[1..]).arg(whyperf).args(words).current_dir("/");
    command.output().expect("it is installed").into()
}

fn has_run(said: &Said, limit: &str) {
    let text = String::from_utf8_lossy(&said.stdout);
    assert_eq!((said.status, &*text), (Some(7), "ran\n"), "{limit}: {}", said.stderr);
    assert!(!said.stderr.contains("defect"), "{limit}: {}", said.stderr);
}

#[test]
fn with_few_processes_allowed_the_program_runs() {
    if !needs::is_met("root", rustix::process::geteuid().is_root()) {
        return;
    }
    let folder = Folder::new("few-processes");
    let whyperf = whyperf();
    for name in ["whyperf", "libwhyperf.so"] {
        let file = std::path::Path::new(whyperf.get_program()).with_file_name(name);
        copied(&file, &folder.0.join(name));
    }
    for file in [&folder.0, &folder.0.join("whyperf"), &folder.0.join("libwhyperf.so")] {
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    // A user who has no other process.
    let user = ["setpriv", "--reuid=64321", "--regid=64321", "--clear-groups", "--", "prlimit"];
    for limit in [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 40] {
        let limit = format!("--nproc={limit}");
        let said = limited(&folder, &[&user[..], &[&limit, "--"]].concat(), "echo ran; exit 7");
        has_run(&said, &limit);
        let is_measured = !said.stderr.contains("cannot measure");
        assert_eq!(is_measured, limit == "--nproc=40", "{limit}: {}", said.stderr);
    }
    // What the program starts is its own matter: it gets as many as without whyperf.
    let program = "for one in 1 2 3 4; do sleep 0 & done; wait; echo ran; exit 7";
    let said = limited(&folder, &[&user[..], &["--nproc=8", "--"]].concat(), program);
    has_run(&said, "four at once");
}

#[test]
fn with_a_small_stack_the_program_runs() {
    let folder = Folder::new("small-stack");
    for kibibytes in [64, 32] {
        let limit = format!("--stack={}", kibibytes << 10);
        let program = format!("[ \"$(ulimit -s)\" = {kibibytes} ] && echo ran; exit 7");
        has_run(&limited(&folder, &["prlimit", &limit, "--"], &program), &limit);
    }
}

#[test]
fn with_few_descriptors_allowed_the_program_runs() {
    let folder = Folder::new("few-descriptors");
    for limit in [4, 6, 8, 10, 12, 16] {
        let limit = format!("--nofile={limit}");
        has_run(&limited(&folder, &["prlimit", &limit, "--"], "echo ran; exit 7"), &limit);
    }
}

#[test]
fn many_processes_are_measured_in_little_address_space() {
    // Each reads from a pipe that is closed when all have been met.
    let script = "ulimit -v 1500000; mkfifo pipe; n=0
        exec \"$W\" run --no-store --json report.json -- sh -c '
            exec 3<>pipe; n=0
            while [ $n -lt 40 ]; do cat <&3 >/dev/null & p=\"$p $!\" n=$((n + 1)); done
            until set -- \"$WHYPERF_DIR\"/*.region; n=$((n + 1)); [ $# -ge 40 -o $n -gt 100000 ]; do :; done
            exec 3<&-; kill $p; wait; exit 5'";
    let folder = Folder::new("address-space");
    let mut command = Command::new("bash");
    let plain = whyperf();
    command.args(["-c", script]).env("W", plain.get_program()).current_dir(&folder.0);
    let output = command.output().expect("bash is there");
    let said = String::from_utf8_lossy(&output.stderr);
    let report = std::fs::read(folder.0.join("report.json")).expect("it was written");
    let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
    let all = report["processes"].as_u64().is_some_and(|count| count >= 40);
    assert_eq!((output.status.code(), all), (Some(5), true), "{said}");
}
