//! Ends measurements in every way, after a time, by an interruption and by a killed daemon: the program goes on with its
//! own code.

use std::fs;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::jobs::{children, program_of};
use crate::shipped;
use crate::target::{Target, build};
use crate::text;

/// A function of `left.c` that is measured as long as somebody watches.
const MEASURED: [&str; 3] = ["--measure", "calls", "</Code/left.c/step>"];
/// No machine is so slow.
const PATIENCE: Duration = Duration::from_secs(60);

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "never {what}");
        thread::yield_now();
    }
}

fn is_patched(pid: u32) -> bool {
    !text::differences(pid).1.is_empty()
}

fn threads(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count)
}

/// For how long a process of one thread ran.
fn ran_for(pid: u32) -> Duration {
    let counted = fs::read_to_string(format!("/proc/{pid}/schedstat")).unwrap_or_default();
    let nanos = counted.split(' ').next().and_then(|ran| ran.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

/// Whether the kernel has stopped every thread: the signal to do so takes effect where each runs next.
fn is_stopped(pid: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).expect("the program is there");
    let state = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("stat"));
    threads.flatten().all(|thread| state(thread).is_ok_and(|stat| stat.contains(") T ")))
}

fn whyperf(words: &[&str]) -> Child {
    let mut command = Command::new(shipped::whyperf());
    command.args(words).stderr(Stdio::piped());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("whyperf starts")
}

fn attach(pid: u32, options: &[&str]) -> Child {
    let words = [&["attach", "-q", "--no-store"], &MEASURED[..], options, &[&pid.to_string()]];
    let whyperf = whyperf(&words.concat());
    // Not before there is an agent: to attach changes some code for a moment, too.
    until("patched", || has_agent(pid) && is_patched(pid));
    whyperf
}

fn has_agent(pid: u32) -> bool {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).expect("the program is there");
    let name = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("comm"));
    threads.flatten().any(|thread| name(thread).is_ok_and(|name| name == "whyperf\n"))
}

fn send(pid: u32, signal: rustix::process::Signal) {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    rustix::process::kill_process(pid.expect("a number"), signal).expect("it is ours");
}

/// Kills a daemon, which has no time to leave.
fn kill(mut daemon: Child) {
    daemon.kill().expect("it is ours");
    daemon.wait().expect("it is ours");
}

/// Removes what killed daemons left.
fn clean() {
    let cleaned = Command::new(shipped::whyperf()).arg("clean").output().expect("whyperf starts");
    assert!(cleaned.status.success());
}

fn target(name: &str) -> Target {
    Target::start(&mut Command::new(build("left.c", name, "gcc", &["-g"])))
}

const DONE: &str = "0 lost, done\n";

#[test]
fn the_daemon_is_killed() {
    let target = target("left-killed");
    kill(attach(target.pid(), &[]));
    until("restored", || !is_patched(target.pid()) && threads(target.pid()) == 1);
    assert_eq!(target.end(), (Some(0), DONE.to_owned()));
    clean();
}

#[test]
fn the_daemon_is_killed_and_the_program_changes_its_root() {
    let program = build("left.c", "left-root", "gcc", &["-g"]);
    let target = Target::start(Command::new(program).arg("root"));
    kill(attach(target.pid(), &[]));
    // It does so at once; the agent looks after its daemon now and then.
    assert_eq!(target.end(), (Some(0), DONE.to_owned()));
    clean();
}

#[test]
fn the_user_asks_whyperf_to_end() {
    let target = target("left-interrupted");
    let mut watcher = attach(target.pid(), &[]);
    send(watcher.id(), rustix::process::Signal::TERM);
    assert_eq!(watcher.wait().expect("it is ours").code(), Some(0));
    assert!(!is_patched(target.pid()));
    assert_eq!(target.end(), (Some(0), DONE.to_owned()));
}

#[test]
fn a_stopped_process_is_named_and_leaves_by_itself_when_it_goes_on() {
    let target = target("left-stopped");
    let mut watcher = attach(target.pid(), &["--leave-timeout", "0.5"]);
    send(target.pid(), rustix::process::Signal::STOP);
    until("stopped", || is_stopped(target.pid()));
    send(watcher.id(), rustix::process::Signal::TERM);
    let mut said = String::new();
    watcher.stderr.take().expect("it was piped").read_to_string(&mut said).expect("text");
    assert_eq!(watcher.wait().expect("it is ours").code(), Some(4), "{said}");
    assert!(said.contains(&format!("process {} did not answer", target.pid())), "{said}");
    send(target.pid(), rustix::process::Signal::CONT);
    until("restored", || !is_patched(target.pid()) && threads(target.pid()) == 1);
    assert_eq!(target.end(), (Some(0), DONE.to_owned()));
}

#[test]
fn a_copy_that_was_forked_and_only_computes_is_named_if_its_code_is_changed() {
    let program = build("left.c", "left-forked", "gcc", &["-g"]);
    let target = Target::start(Command::new(program).arg("fork"));
    let mut watcher = attach(target.pid(), &[]);
    send(target.pid(), rustix::process::Signal::USR1);
    until("forked", || !children(target.pid()).is_empty());
    let copy = children(target.pid())[0];
    // It is there before it has done what is due in a forked copy.
    until("computing", || ran_for(copy) > Duration::from_millis(20));
    send(watcher.id(), rustix::process::Signal::TERM);
    let mut said = String::new();
    watcher.stderr.take().expect("it was piped").read_to_string(&mut said).expect("text");
    assert!(!is_patched(target.pid()), "{said}");
    // Forked in the midst of a change it has its own code.
    let is_named = said.contains(&format!("process {copy} is a forked copy"));
    assert_eq!(is_named, is_patched(copy), "{said}");
    let status = watcher.wait().expect("it is ours").code();
    assert_eq!(status, Some(if is_named { 4 } else { 0 }), "{said}");
    assert_eq!(target.end(), (Some(0), DONE.to_owned()));
}

#[test]
fn the_time_of_a_run_is_over() {
    let program = build("left.c", "left-run", "gcc", &["-g"]).display().to_string();
    let run =
        [&["run", "--no-store"], &MEASURED[..], &["--duration", "2", "--", &program]].concat();
    let mut whyperf = whyperf(&run);
    let mut pid = None;
    until("started", || {
        pid = program_of(whyperf.id());
        pid.is_some_and(|pid| threads(pid) == 2)
    });
    let pid = pid.expect("it was just there");
    until("left", || threads(pid) == 1);
    assert!(!is_patched(pid));
    assert!(whyperf.try_wait().expect("it is ours").is_none(), "it waits for the program");
    drop(whyperf.stdin.take());
    let (mut said, mut printed) = (String::new(), String::new());
    whyperf.stderr.take().expect("it was piped").read_to_string(&mut said).expect("text");
    whyperf.stdout.take().expect("it was piped").read_to_string(&mut printed).expect("text");
    assert_eq!(whyperf.wait().expect("it is ours").code(), Some(0), "{said}");
    assert!(printed.ends_with(DONE), "{printed}");
    assert!(said.contains("as --duration says"), "{said}");
    assert!(said.contains("went on when the report was written"), "{said}");
}
