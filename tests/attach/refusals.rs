//! Tries to attach to processes that cannot be attached to: each is refused with a reason, and goes on as if nothing had
//! been tried.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::attached::Attached;
use crate::copied::copied;
use crate::jobs::program_of;
use crate::target::{Target, build};
use crate::{needs, release, shipped};

/// Refused for a reason that has these words in it; then the program ends as it should.
fn is_refused(target: Target, reason: &str) {
    let attached = Attached::with(&["--duration", "1", &target.pid().to_string()]);
    assert_eq!(attached.status, Some(125), "{}", attached.said);
    assert!(attached.said.contains(reason), "{reason}: {}", attached.said);
    assert_eq!(target.end(), (Some(0), "done\n".to_owned()));
}

#[test]
fn a_static_program() {
    let program = build("hello.c", "hello-static", "gcc", &["-static"]);
    is_refused(Target::start(&mut Command::new(program)), "statically linked");
}

#[test]
fn a_program_with_musl() {
    if !needs::program("musl-gcc") {
        return;
    }
    let program = build("hello.c", "hello-musl", "musl-gcc", &[]);
    is_refused(Target::start(&mut Command::new(program)), "musl");
}

#[test]
fn a_program_of_32_bits() {
    let options = ["-m32", "-nostdlib", "-static", "-no-pie"];
    let program = build("narrow.S", "narrow", "gcc", &options);
    let runs = Command::new(&program).stdin(Stdio::null()).output().is_ok();
    if !needs::is_met("programs-of-32-bits", runs) {
        return;
    }
    is_refused(Target::start(&mut Command::new(program)), "32-bit");
}

#[test]
fn a_program_in_go() {
    if !needs::program("go") {
        return;
    }
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/attach/targets/hello.go");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("go");
    let program = folder.join("hello");
    let mut go = Command::new("go");
    go.args(["build", "-o"]).arg(&program).arg(source).current_dir("/");
    go.env("GOCACHE", &folder).env("GO111MODULE", "off").env("CGO_ENABLED", "0");
    let output = go.output().expect("it was found");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    is_refused(Target::start(&mut Command::new(program)), "Go without the C library");
}

#[test]
fn a_program_in_a_sandbox() {
    let program = build("odd.c", "odd-sandboxed", "gcc", &[]);
    is_refused(Target::start(Command::new(program).arg("sandboxed")), "seccomp");
}

#[test]
fn a_program_with_thread_sanitizer() {
    let options = ["-fsanitize=thread"];
    let program = build("odd.c", "odd-thread-sanitizer", "gcc", &options);
    is_refused(Target::start(&mut Command::new(program)), "ThreadSanitizer");
}

#[test]
fn a_shell_before_anything_is_loaded_into_it() {
    let mut shell = Command::new("bash");
    shell.args(["-c", "read line; exit 7"]).stdin(Stdio::piped());
    let mut shell = shell.spawn().expect("bash is installed");
    let place = |name: &str| format!("/proc/{}/{name}", shell.id());
    while !std::fs::read_link(place("exe")).is_ok_and(|program| program.ends_with("bash")) {
        std::thread::yield_now();
    }
    let attached = Attached::with(&[&shell.id().to_string()]);
    assert_eq!(attached.status, Some(125), "{}", attached.said);
    assert!(attached.said.contains("it only starts others"), "{}", attached.said);
    let maps = std::fs::read_to_string(place("maps")).expect("it runs");
    assert!(!maps.contains("libwhyperf"), "{maps}");
    drop(shell.stdin.take());
    assert_eq!(shell.wait().expect("it is ours").code(), Some(7));
}

#[test]
fn a_program_with_little_address_space() {
    let program = build("hello.c", "hello-little", "gcc", &[]);
    let mut limited = Command::new("prlimit");
    is_refused(Target::start(limited.arg("--as=500000000").arg(program)), "ulimit -v");
}

#[test]
fn a_program_that_is_traced() {
    let program = build("odd.c", "odd-traced", "gcc", &[]);
    is_refused(Target::start(Command::new(program).arg("traced")), "is traced by process");
}

#[test]
fn whyperf_itself() {
    let command = format!("exec {} attach $$", shipped::whyperf().display());
    let output = Command::new("sh").args(["-c", &command]).output().expect("there is a shell");
    assert_eq!(output.status.code(), Some(125));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is whyperf itself"));
}

#[test]
fn what_ended_and_was_not_collected() {
    let mut child = Command::new("true").spawn().expect("every system has `true`");
    let pid = child.id().to_string();
    while !std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| stat.contains(") Z "))
    {
        std::thread::yield_now();
    }
    let attached = Attached::with(&[&pid]);
    child.wait().expect("it is ours");
    assert_eq!(attached.status, Some(125), "{}", attached.said);
    assert!(attached.said.contains("has ended"), "{}", attached.said);
}

#[test]
fn a_program_whose_first_thread_has_ended() {
    let program = build("first_ends.c", "first_ends", "gcc", &[]);
    let target = Target::start(&mut Command::new(program));
    let stat = format!("/proc/{}/stat", target.pid());
    while !std::fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") Z ")) {
        std::thread::yield_now();
    }
    is_refused(target, "the first thread of process");
}

#[test]
fn a_thread_of_the_kernel() {
    let shown = std::fs::read_to_string("/proc/2/comm").is_ok_and(|name| name == "kthreadd\n");
    if !needs::is_met("threads-of-the-kernel", shown) {
        return;
    }
    let attached = Attached::with(&["2"]);
    assert_eq!(attached.status, Some(125), "{}", attached.said);
    let words = ["a thread of the kernel", "belongs to user 0"];
    assert!(words.iter().any(|words| attached.said.contains(words)), "{}", attached.said);
}

#[test]
fn a_stopped_program() {
    let program = build("hello.c", "hello-stopped", "gcc", &[]);
    let target = Target::start(&mut Command::new(program));
    let pid = target.pid().to_string();
    let signal = |name: &str| {
        assert!(Command::new("kill").args([name, &pid]).status().is_ok_and(|done| done.success()));
    };
    signal("-STOP");
    while !std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| stat.contains(") T "))
    {
        std::thread::yield_now();
    }
    let attached = Attached::with(&["--duration", "1", &pid]);
    signal("-CONT");
    assert_eq!(attached.status, Some(125), "{}", attached.said);
    assert!(
        attached.said.contains("is stopped") && attached.said.contains("kill -CONT"),
        "{}",
        attached.said
    );
    assert_eq!(target.end(), (Some(0), "done\n".to_owned()));
}

#[test]
fn a_number_of_nobody() {
    let mut child = Command::new("true").spawn().expect("every system has `true`");
    child.wait().expect("it is ours");
    let attached = Attached::with(&[&child.id().to_string()]);
    assert_eq!(attached.status, Some(125), "{}", attached.said);
    assert!(attached.said.contains("there is no process"), "{}", attached.said);
}

#[test]
fn words_that_make_no_sense() {
    for words in
        [&["--duration", "0", "1"][..], &["--duration", "x", "1"], &["-1"], &["seven"], &[]]
    {
        let attached = Attached::with(words);
        assert_eq!(attached.status, Some(2), "{words:?}: {}", attached.said);
    }
}

#[test]
fn a_program_of_another_user() {
    if !needs::is_met("root", rustix::process::geteuid().is_root()) {
        return;
    }
    let program = build("hello.c", "hello-other", "gcc", &[]);
    let target = Target::start(&mut Command::new(program));
    // A place that everybody reaches.
    let folder = std::env::temp_dir().join(format!("whyperf-other-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    for name in ["whyperf", "libwhyperf.so"] {
        copied(&release::folder().join(name), &folder.join(name));
    }
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
        .arg(folder.join("whyperf"));
    command.current_dir("/");
    let attached = Attached::by(command, &[&target.pid().to_string()]);
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!(attached.status, Some(125), "{}", attached.said);
    assert!(attached.said.contains("belongs to user 0"), "{}", attached.said);
    assert_eq!(target.end(), (Some(0), "done\n".to_owned()));
}

#[test]
fn a_program_of_somebody_with_fewer_rights() {
    if !needs::is_met("root", rustix::process::geteuid().is_root()) {
        return;
    }
    // A place that everybody reaches.
    let folder = std::env::temp_dir().join(format!("whyperf-nobody-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    let copy = folder.join("hello");
    copied(&build("hello.c", "hello-nobody", "gcc", &[]), &copy);
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]).arg(&copy);
    let target = Target::start(command.current_dir("/"));
    is_refused(target, "belongs to user 65534");
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn a_program_that_is_measured_already() {
    let program = build("hello.c", "hello-measured", "gcc", &[]);
    let mut command = Command::new(shipped::whyperf());
    let target = Target::start(command.args(["run", "-q", "--no-store", "--"]).arg(program));
    let parent = target.pid();
    let child = program_of(parent).expect("it said that it runs").to_string();
    let attached = Attached::with(&["--duration", "1", &child]);
    assert_eq!(attached.status, Some(125), "{}", attached.said);
    assert!(
        attached.said.contains(&format!("measured already, by process {parent}")),
        "{}",
        attached.said
    );
    assert_eq!(target.end(), (Some(0), "done\n".to_owned()));
}
