//! Attaches to processes that carry the library, where the call `ptrace` is forbidden: they do not notice it.

use std::fs;
use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread;

use whyperf_layout::attach_request::{RequestNumber, SIGNAL};

use crate::attached::Attached;
use crate::jobs::{Ring, children, is_told_right};
use crate::launcher::Mpi;
use crate::shipped::Load;
use crate::target::{Target, build};
use crate::{release, shipped};

/// A command that starts with the library, but nowhere to write to.
pub(crate) fn carrying(program: &str) -> Command {
    let mut command = Command::new("env");
    command.arg(format!("LD_PRELOAD={}", release::library().display())).arg(program);
    command
}

/// A whyperf that has the right to trace, but not the call: filters of containers have it so.
fn untracing() -> Command {
    forbidden("tracing")
}

/// A whyperf that is forbidden something.
pub(crate) fn forbidden(what: &str) -> Command {
    static FORBID: OnceLock<PathBuf> = OnceLock::new();
    let mut command = Command::new(FORBID.get_or_init(|| build("forbid.c", "forbid", "gcc", &[])));
    command.arg(what).arg(shipped::whyperf());
    command
}

fn without_tracing(words: &[&str]) -> Attached {
    Attached::by(untracing(), words)
}

fn requested(pid: u32, seconds: &str) -> Attached {
    let attached = without_tracing(&["--duration", seconds, &pid.to_string()]);
    assert_eq!(attached.status, Some(0), "{}", attached.said);
    assert_eq!(attached.report["processes"], 1, "{}", attached.said);
    attached
}

pub(crate) fn carrier() -> &'static str {
    static CARRIER: OnceLock<String> = OnceLock::new();
    CARRIER.get_or_init(|| build("carrier.c", "carrier", "gcc", &[]).display().to_string())
}

fn sees_reads(pid: u32) {
    let attached = requested(pid, "2");
    let reads = attached.calls("load_block", "read");
    assert!(reads >= 20, "{reads} reads: {}", attached.said);
}

pub(crate) fn ends_well(target: Target) {
    assert_eq!(target.end(), (Some(0), "0 wrong\n".to_owned()));
}

#[test]
fn who_does_not_carry_it_is_refused() {
    let target = Target::start(&mut Command::new(carrier()));
    let attached = without_tracing(&["--duration", "1", &target.pid().to_string()]);
    assert_eq!(attached.status, Some(125), "{}", attached.said);
    assert!(attached.said.contains("does not allow to attach"), "{}", attached.said);
    ends_well(target);
}

#[test]
fn the_process_is_told_what_measuring_may_cost() {
    let headers = format!("-I{}/include", env!("CARGO_MANIFEST_DIR"));
    let program = build("hot_region.c", "hot-region", "gcc", &[&headers]).display().to_string();
    // Its events take a part of the time that is more than the one limit and less than the other. It looks at that itself, unless the daemon, which looks
    // by the clock, was first.
    for (limit, recorded) in [("99", LOOK + 1000..=LOOK + 1000), ("0.1", 0..=LOOK - 1)] {
        let target = Target::start(&mut carrying(&program));
        let pid = target.pid().to_string();
        let attached = without_tracing(&["--cost-limit", limit, "--code-search", "none", &pid]);
        assert_eq!(attached.status, Some(0), "{}", attached.said);
        let (status, told) = target.end();
        let visits = told.strip_suffix(&format!(" of {}\n", LOOK + 1000));
        let visits: u64 = visits.and_then(|number| number.parse().ok()).expect("it tells them");
        assert!(
            status == Some(0) && recorded.contains(&visits),
            "{limit} %: {visits} recorded; {}",
            attached.said
        );
    }
}

/// Visits of a region between two looks at what they cost.
const LOOK: u64 = 1 << 20;

#[test]
fn who_carries_it_is_watched_again_and_again() {
    let target = Target::start(&mut carrying(carrier()));
    for _ in 0..3 {
        sees_reads(target.pid());
        // Nobody is left behind.
        while threads(target.pid()) > 1 {
            thread::yield_now();
        }
    }
    ends_well(target);
}

fn threads(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/task")).expect("the program runs").count()
}

#[test]
fn the_child_of_one_that_carries_it_is_watched() {
    let target = Target::start(carrying(carrier()).arg("forked"));
    let child = children(target.pid())[0];
    sees_reads(child);
    sees_reads(child);
    ends_well(target);
}

#[test]
fn who_got_it_late_and_was_left_is_asked_by_nobody() {
    // It would not notice that the program cancels a thread or becomes another one.
    let target = Target::start(&mut Command::new(carrier()));
    for _ in 0..2 {
        let attached = Attached::to(target.pid(), "1");
        assert!(attached.calls("load_block", "read") > 0, "{}", attached.said);
        let attached = without_tracing(&["--duration", "1", &target.pid().to_string()]);
        assert_eq!(attached.status, Some(125), "{}", attached.said);
        assert!(!handles(target.pid(), SIGNAL));
    }
    ends_well(target);
}

fn handles(pid: u32, signal: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the program runs");
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = u64::from_str_radix(caught.expect("the kernel tells").trim(), 16);
    caught.expect("a number") >> (signal - 1) & 1 != 0
}

#[test]
fn who_was_killed_is_followed_without_tracing() {
    let target = Target::start(&mut carrying(carrier()));
    let pid = target.pid();
    let mut first = Command::new(shipped::whyperf());
    let first = first.args(["attach", "-q", "--no-store", &pid.to_string()]);
    let mut first = first.spawn().expect("whyperf starts");
    let has_region = || {
        let maps = fs::read_to_string(format!("/proc/{pid}/maps")).expect("the program runs");
        maps.contains(".region")
    };
    while !has_region() {
        assert!(first.try_wait().expect("it is ours").is_none(), "it stays until the program ends");
        thread::yield_now();
    }
    first.kill().expect("it is ours");
    first.wait().expect("it is ours");
    sees_reads(pid);
    ends_well(target);
    let swept = Command::new(shipped::whyperf()).arg("clean").output().expect("whyperf starts");
    assert!(swept.status.success());
}

#[test]
fn the_c_library_takes_the_signal_when_it_needs_it() {
    let target = Target::start(carrying(carrier()).arg("cancelled"));
    // Nobody listens any more: a thread is borrowed.
    let attached = Attached::to(target.pid(), "2");
    assert!(attached.calls("load_block", "read") > 0, "{}", attached.said);
    let attached = without_tracing(&["--duration", "1", &target.pid().to_string()]);
    assert_eq!(attached.status, Some(125), "{}", attached.said);
    ends_well(target);
}

#[test]
fn nobody_is_asked_whose_signal_the_c_library_took() {
    let target = Target::start(carrying(carrier()).arg("cancelled-rests"));
    // Its handler would do nothing with the request, and would cut the program's call short.
    let attached = without_tracing(&["--duration", "1", &target.pid().to_string()]);
    assert_eq!(attached.status, Some(125), "{}", attached.said);
    ends_well(target);
}

#[test]
fn a_wait_is_not_cut_short() {
    let program = build("waits.c", "waits-requested", "gcc", &[]).display().to_string();
    let ways = [
        "epoll",
        "nanosleep",
        "futex",
        "poll",
        "select",
        "sigtimedwait",
        "recv",
        "semop",
        "pause",
        "sigsuspend",
    ];
    let watch = |way: &str| {
        let target = Target::start(carrying(&program).arg(way));
        // Until it waits; then twice.
        let state = || fs::read_to_string(format!("/proc/{}/stat", target.pid()));
        while !state().is_ok_and(|stat| stat.contains(") S ")) {
            thread::yield_now();
        }
        requested(target.pid(), "0.05");
        requested(target.pid(), "0.05");
        assert_eq!(target.end(), (Some(0), format!("{way} undisturbed\n")));
    };
    thread::scope(|scope| ways.iter().for_each(|way| drop(scope.spawn(|| watch(way)))));
}

pub(crate) fn send(pid: u32, value: u64) {
    static QUEUE: OnceLock<PathBuf> = OnceLock::new();
    let queue = QUEUE.get_or_init(|| build("queue.c", "queue", "gcc", &[]));
    let words = [pid.to_string(), SIGNAL.to_string(), value.to_string()];
    assert!(Command::new(queue).args(words).status().is_ok_and(|done| done.success()));
}

#[test]
fn what_others_send_ends_who_would_have_ended() {
    let defaults = build("defaults.c", "defaults", "gcc", &[]).display().to_string();
    for mut command in [Command::new(&defaults), carrying(&defaults)] {
        let command = command.arg(carrier()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let output = child.stdout.as_mut().expect("it was piped");
        output.read_exact(&mut [0; 6]).expect("it says that it is ready");
        send(child.id(), 7);
        assert_eq!(child.wait().expect("it is ours").signal(), Some(SIGNAL));
    }
}

#[test]
fn what_others_send_is_ignored_by_who_would_have_ignored_it() {
    // The C library has the children ignore it that it spawns.
    for mut command in [Command::new(carrier()), carrying(carrier())] {
        let target = Target::start(&mut command);
        send(target.pid(), 7);
        Attached::to(target.pid(), "0.2");
        ends_well(target);
    }
}

#[test]
fn a_request_whose_mailbox_is_empty_does_nothing() {
    let target = Target::start(&mut carrying(carrier()));
    send(target.pid(), RequestNumber::new(99_999).signal_value());
    sees_reads(target.pid());
    ends_well(target);
}

#[test]
fn a_program_finds_its_signals_as_they_were() {
    let python = "import signal\nfor n in range(1, 65):\n    try: print(n, signal.getsignal(n))\n    \
        except ValueError as e: print(n, e)\nprint(sorted(signal.valid_signals()))\n";
    let perl = "use POSIX; for my $n (1..64) { my $s = POSIX::SigAction->new; \
        my $r = POSIX::sigaction($n, undef, $s); \
        print \"$n \", defined $r ? $s->handler // 'none' : $! , \"\\n\" if $n != 9 && $n != 19; }";
    for words in [
        &["python3", "-c", python][..],
        &["perl", "-e", perl],
        &["bash", "-c", "trap -p; kill -l; trap '' USR1; trap -p"],
    ] {
        let said = |command: &mut Command| {
            let output = command.env_remove("WHYPERF_DIR").output().expect("it is installed");
            (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let alone = said(Command::new(words[0]).args(&words[1..]));
        assert!(!alone.1.is_empty(), "{words:?}");
        assert_eq!(alone, said(carrying(words[0]).args(&words[1..])));
    }
}

#[test]
fn python_takes_an_attach_request() {
    let script = "import select, sys\nprint('ready', flush=True)\n\
        while not select.select([sys.stdin], [], [], 0)[0]: open('/dev/zero', 'rb').read(100)\nprint('done')\n";
    let target = Target::start(carrying("python3").args(["-c", script]));
    let attached = requested(target.pid(), "1");
    let rows = attached.report["profile"].as_array().cloned().unwrap_or_default();
    assert!(rows.iter().any(|row| row["path"][1] == "read"), "{}", attached.said);
    assert_eq!(target.end(), (Some(0), "done\n".to_owned()));
}

fn is_job_watched(mpi: Mpi) {
    let _turn = shipped::turn(Load::Fills);
    let preload = format!("LD_PRELOAD={}", release::library().display());
    let ring = Ring::start(mpi, "ring-requested", &["env", &preload]);
    let words = ["--all-of", &ring.pid().to_string()];
    for _ in 0..2 {
        let are_waits_told = |said: &str| ring.are_waits_told(said);
        is_told_right(&Attached::by_until(untracing(), &words, are_waits_told));
    }
    ring.ends_right();
}

#[test]
fn a_job_of_open_mpi() {
    is_job_watched(Mpi::OpenMpi);
}

#[test]
fn a_job_of_mpich() {
    is_job_watched(Mpi::Mpich);
}
