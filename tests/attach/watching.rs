//! Attaches to programs of one process, again and again: their work is seen, and nothing of it changes.

use std::fs;
use std::process::Command;
use std::thread;

use crate::attached::Attached;
use crate::target::{Target, build};
use crate::{release, shipped};

fn library_is_mapped(pid: u32) -> bool {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).expect("the program runs");
    maps.contains("libwhyperf.so")
}

fn region_is_mapped(pid: u32) -> bool {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).expect("the program runs");
    maps.contains(".region")
}

fn threads(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/task")).expect("the program runs").count()
}

#[test]
fn calls_are_seen_each_time_and_none_in_between() {
    // Slots that are sealed after loading, and slots that are filled at their first call.
    for (name, options) in [("steps-now", "-Wl,-z,now"), ("steps-lazy", "-Wl,-z,lazy")] {
        let program = build("steps.c", name, "gcc", &[options]);
        let target = Target::start(&mut Command::new(program));
        let pid = target.pid();
        for _ in 0..3 {
            let attached = Attached::to(pid, "1.5");
            let reads = attached.calls("load_block", "read");
            assert!(
                reads > 0 && reads.is_multiple_of(20) || reads > 20,
                "{reads} reads: {}",
                attached.said
            );
            assert!(attached.calls("load_block", "open") > 0, "{}", attached.said);
            assert!(library_is_mapped(pid));
        }
        // The agent ends by itself; nobody else was left behind.
        while threads(pid) > 1 {
            thread::yield_now();
        }
        let (status, text) = target.end();
        assert_eq!((status, text.as_str()), (Some(7), "0 wrong\n"), "{name}");
    }
}

#[test]
fn it_is_kept_by_the_name_of_the_program_and_learned_from() {
    let program = build("steps.c", "steps-kept", "gcc", &[]);
    let target = Target::start(&mut Command::new(program));
    let store = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("attach/kept.db");
    let _ = fs::remove_file(&store);
    let whyperf = |words: &[&str]| {
        let mut command = Command::new(shipped::whyperf());
        let output = command.args(words).arg("--store").arg(&store).output();
        let output = output.expect("whyperf starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output
    };
    let pid = target.pid().to_string();
    whyperf(&["attach", "--duration", "3", &pid]);
    let again = whyperf(&["attach", "--duration", "0.7", "--learn", &pid]);
    assert_eq!(target.end(), (Some(7), "0 wrong\n".to_owned()));
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(said.contains("learned from 1 run of steps-kept"), "{said}");
    let runs = whyperf(&["runs", "--json"]).stdout;
    let runs: serde_json::Value = serde_json::from_slice(&runs).expect("whyperf writes JSON");
    assert_eq!(runs[0]["application"], "steps-kept", "{runs}");
}

#[test]
fn a_wait_is_not_disturbed() {
    let program = build("waits.c", "waits", "gcc", &[]);
    let ways = ["epoll", "nanosleep", "futex", "poll", "select", "sigtimedwait", "recv", "semop"];
    let watch = |way: &str| {
        let target = Target::start(Command::new(&program).arg(way));
        Attached::to(target.pid(), "0.05");
        assert_eq!(target.end(), (Some(0), format!("{way} undisturbed\n")));
    };
    thread::scope(|scope| ways.iter().for_each(|way| drop(scope.spawn(|| watch(way)))));
}

#[test]
fn who_was_killed_is_followed_by_somebody_else() {
    let program = build("steps.c", "steps-left", "gcc", &[]);
    let target = Target::start(&mut Command::new(program));
    let pid = target.pid();
    let mut first = Command::new(shipped::whyperf());
    let mut first = first
        .args(["attach", "-q", "--no-store", &pid.to_string()])
        .spawn()
        .expect("whyperf starts");
    while !library_is_mapped(pid) || !region_is_mapped(pid) {
        assert!(first.try_wait().expect("it is ours").is_none(), "it stays until the program ends");
        thread::yield_now();
    }
    first.kill().expect("it is ours");
    first.wait().expect("it is ours");
    let attached = Attached::to(pid, "3");
    assert!(attached.calls("load_block", "read") > 0, "{}", attached.said);
    assert_eq!(target.end(), (Some(7), "0 wrong\n".to_owned()));
    let swept = Command::new(shipped::whyperf()).arg("clean").output().expect("whyperf starts");
    assert!(swept.status.success());
}

#[test]
fn a_program_that_carries_the_library_asleep_is_woken() {
    let program = build("steps.c", "steps-asleep", "gcc", &[]);
    let mut command = Command::new("env");
    let preload = format!("LD_PRELOAD={}", release::library().display());
    let target = Target::start(command.arg(preload).arg(program));
    let attached = Attached::to(target.pid(), "3");
    assert!(attached.calls("load_block", "read") > 0, "{}", attached.said);
    assert_eq!(target.end(), (Some(7), "0 wrong\n".to_owned()));
}

#[test]
fn python_is_a_program_like_others() {
    let script = "import select, sys\nprint('ready', flush=True)\n\
        while not select.select([sys.stdin], [], [], 0)[0]: open('/dev/zero', 'rb').read(100)\nprint('done')\n";
    let target = Target::start(Command::new("python3").args(["-c", script]));
    let attached = Attached::to(target.pid(), "3");
    let rows = attached.report["profile"].as_array().cloned().unwrap_or_default();
    assert!(rows.iter().any(|row| row["path"][1] == "read"), "{}", attached.said);
    assert_eq!(target.end(), (Some(0), "done\n".to_owned()));
}
