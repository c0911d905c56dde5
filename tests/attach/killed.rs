//! whyperf is killed in the midst of attaching: the thread that it held goes on where it was.

use std::fs;
use std::hint;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::attached::Attached;
use crate::target::{Target, build};
use crate::{needs, shipped};

/// Nothing in the program is other than it left it, and it can still be attached to.
fn is_unharmed(target: Target) {
    Attached::to(target.pid(), "0.2");
    let swept = Command::new(shipped::whyperf()).arg("clean").output().expect("whyperf starts");
    assert!(swept.status.success(), "{}", String::from_utf8_lossy(&swept.stdout));
    assert_eq!(target.end(), (Some(0), "0 0 0 0 0 0 wrong, done\n".to_owned()));
}

fn targets() -> [Target; 2] {
    let start = |words: &[&str]| {
        let program = build("steady.c", &format!("steady-{}", words.len()), "gcc", &[]);
        Target::start(Command::new(program).args(words))
    };
    [start(&[]), start(&["signals"])]
}

fn attaching(pid: u32) -> Vec<String> {
    let whyperf = shipped::whyperf().display().to_string();
    let words = ["attach", "-q", "--no-store", "--duration", "0.01"].map(str::to_owned);
    [vec![whyperf], words.to_vec(), vec![pid.to_string()]].concat()
}

/// Whether the system makes this process wait for that one's end of tracing it.
fn is_held(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status.lines().any(|line| line.starts_with("TracerPid:") && !line.ends_with("\t0"))
}

#[test]
fn at_random_moments() {
    for (seed, target) in (1_u64..).zip(targets()) {
        let mut state = seed;
        for _ in 0..50 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let words = attaching(target.pid());
            let mut command = Command::new(&words[0]);
            let quiet = command.args(&words[1..]).stderr(Stdio::null()).stdout(Stdio::null());
            let mut whyperf = quiet.spawn().expect("whyperf starts");
            while !is_held(target.pid()) && whyperf.try_wait().is_ok_and(|ended| ended.is_none()) {
                hint::spin_loop();
            }
            let moment = Instant::now() + Duration::from_nanos((state >> 33) % 3_000_000);
            while Instant::now() < moment {
                hint::spin_loop();
            }
            let _ = whyperf.kill();
            whyperf.wait().expect("it is ours");
        }
        is_unharmed(target);
    }
}

/// At each single call by which a thread is held or its process written to.
#[test]
fn before_any_call() {
    if !needs::program("strace") {
        return;
    }
    for target in targets() {
        for call in ["ptrace", "pwrite64"] {
            // More than there are: then it is not killed.
            let killed = (1..MOST).take_while(|number| {
                let inject = format!("inject={call}:signal=KILL:when={number}");
                let mut strace = Command::new("strace");
                strace.args(["-f", "-qq", "-o", "/dev/null", "-e", &inject]);
                let status = strace.args(attaching(target.pid())).stderr(Stdio::null()).status();
                !status.expect("strace starts").success()
            });
            let killed = killed.count();
            assert!((FEWEST..MOST - 1).contains(&killed), "killed before {killed} times {call}");
        }
        is_unharmed(target);
    }
}

/// Calls of either kind that attaching needs at least, and never reaches.
const FEWEST: usize = 15;
const MOST: usize = 200;
