//! Checks that a process that was left is as it was before: compares everything that can be seen of it from outside.
//!
//! These differences are allowed: the library stays mapped, asleep, with memory of its own, and keeps the signal by which it
//! can be asked again, which the C library keeps for itself and no program sees.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::thread;

use crate::attached::Attached;
use crate::busy_shells::BusyShells;
use crate::target::{Target, build};
use crate::text;

/// Everything of a process that is to be as before.
#[derive(Debug, PartialEq, Eq)]
struct Picture {
    /// What its open descriptors lead to.
    descriptors: BTreeMap<String, String>,
    environment: Vec<u8>,
    timers: String,
    /// Of each thread: the signals that wait, are blocked, and are ignored.
    threads: BTreeMap<String, Vec<String>>,
    /// Of the first thread: `PR_SET_NO_NEW_PRIVS`, seccomp, and who traces it.
    restrictions: Vec<String>,
}

fn read(pid: u32, name: &str) -> Vec<u8> {
    fs::read(format!("/proc/{pid}/{name}")).expect("the program runs")
}

fn lines(status: &str, names: &[&str]) -> Vec<String> {
    let is_wanted = |line: &&str| names.iter().any(|name| line.starts_with(name));
    status.lines().filter(is_wanted).map(str::to_owned).collect()
}

fn names_in(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the program runs");
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    entries.flatten().map(name).collect()
}

impl Picture {
    fn of(pid: u32) -> Self {
        let descriptors = names_in(&format!("/proc/{pid}/fd")).into_iter().map(|number| {
            let target = fs::read_link(format!("/proc/{pid}/fd/{number}"));
            (number, target.expect("it is open").display().to_string())
        });
        let threads = names_in(&format!("/proc/{pid}/task")).into_iter().map(|thread| {
            let status = fs::read_to_string(format!("/proc/{pid}/task/{thread}/status"));
            let status = status.unwrap_or_default();
            let mut masks = lines(&status, &["SigPnd", "SigBlk"]);
            masks.push(format!("SigIgn {:#x}", mask(&status, "SigIgn") & !OF_THE_C_LIBRARY));
            (thread, masks)
        });
        let status = String::from_utf8(read(pid, "status")).expect("the kernel writes text");
        Self {
            descriptors: descriptors.collect(),
            environment: read(pid, "environ"),
            timers: String::from_utf8(read(pid, "timers")).expect("the kernel writes text"),
            threads: threads.collect(),
            restrictions: lines(&status, &["NoNewPrivs", "Seccomp", "TracerPid"]),
        }
    }
}

/// Signals 32 and 33, by which the C library cancels threads and changes their users. It ignores them in a program that it
/// has just started, and catches them from the first thread or the first cancellation on; programs cannot see either.
const OF_THE_C_LIBRARY: u64 = 0b11 << 31;

/// A set of signals, a bit for each.
fn mask(status: &str, name: &str) -> u64 {
    let line = lines(status, &[name]).concat();
    let mask = line.split_whitespace().last().expect("a mask");
    u64::from_str_radix(mask, 16).expect("the kernel wrote it")
}

/// The signals that are caught.
fn caught(pid: u32) -> u64 {
    let status = String::from_utf8(read(pid, "status")).expect("the kernel writes text");
    mask(&status, "SigCgt") & !OF_THE_C_LIBRARY
}

/// The mappings of files, each with its rights and its place.
fn mapped_files(pid: u32) -> Vec<String> {
    let maps = String::from_utf8(read(pid, "maps")).expect("paths are text");
    let is_file =
        |line: &&str| line.split_whitespace().nth(5).is_some_and(|it| it.starts_with('/'));
    maps.lines().filter(is_file).map(str::to_owned).collect()
}

/// Which mappings of files a process that was left may have besides its own.
fn may_stay(mapping: &str) -> bool {
    mapping.contains("libwhyperf.so") || mapping.contains(".region (deleted)")
}

/// Attaches, leaves, and compares.
fn compare(name: &str, target: &Target, function: &str) {
    let pid = target.pid();
    let (before, files, signals) = (Picture::of(pid), mapped_files(pid), caught(pid));
    let measured = format!("</Code/{function}>");
    let words = ["--duration", "0.7", "--measure", "calls", &measured, &pid.to_string()];
    let attached = Attached::with(&words);
    assert_eq!(attached.status, Some(0), "{name}: {}", attached.said);
    // The agent says that it goes, and then goes.
    while names_in(&format!("/proc/{pid}/task")).len() > before.threads.len() {
        thread::yield_now();
    }
    assert_eq!(Picture::of(pid), before, "{name}");
    let (_, changed) = text::differences(pid);
    assert!(changed.is_empty(), "{name}: {changed:?}");
    let now = mapped_files(pid);
    // What an earlier attachment left goes with the next one.
    let lost: Vec<_> =
        files.iter().filter(|mapping| !now.contains(mapping) && !may_stay(mapping)).collect();
    assert!(lost.is_empty(), "{name}: {lost:?}");
    let new: Vec<_> =
        now.iter().filter(|mapping| !files.contains(mapping) && !may_stay(mapping)).collect();
    assert!(new.is_empty(), "{name}: {new:?}");
    let changed = caught(pid) ^ signals;
    let odd: Vec<_> = (1..=64).filter(|n| changed >> (n - 1) & 1 == 1).collect();
    assert!(odd.is_empty(), "{name}: signals {odd:?}");
}

/// A program of each kind, with a function of it that is called often, if it has one that is known by name.
fn programs() -> Vec<(&'static str, Command, &'static str)> {
    let input = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/attach/targets/left_input.c");
    let c = build("left.c", "left-c", "gcc", &["-g"]);
    let mut with_trap = Command::new(&c);
    with_trap.arg("trap");
    let cpp = build("left.cpp", "left-cpp", "g++", &["-g"]);
    let fortran = build("left.f90", "left-fortran", "gfortran", &["-g", "-fopenmp", input]);
    let mut python = Command::new("python3");
    let script = "import select, sys\nprint('ready', flush=True)\n\
        while not select.select([sys.stdin], [], [], 0)[0]: sum(range(20000))\n\
        print('0 lost, done')\n";
    python.args(["-c", script]);
    vec![
        ("C", Command::new(&c), "left.c/step"),
        ("a handler of SIGTRAP", with_trap, "left.c/step"),
        ("C++", Command::new(cpp), "left.cpp/step"),
        ("Fortran", Command::new(fortran), "left.f90/parts::step"),
        ("Python", python, "libc.so.6/read"),
    ]
}

fn every_program_is_as_before(shells: usize) {
    let _shells = BusyShells::start(shells, || Command::new("sh"));
    for (name, mut program, function) in programs() {
        let target = Target::start(&mut program);
        (0..times()).for_each(|_| compare(name, &target, function));
        assert_eq!(target.end(), (Some(0), "0 lost, done\n".to_owned()), "{name}");
    }
}

/// How often each program is attached to: `WHYPERF_TEST_TIMES_LEFT`, or twice, so that the second time is one
/// after another.
fn times() -> usize {
    let given = std::env::var("WHYPERF_TEST_TIMES_LEFT").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(2)
}

#[test]
fn on_an_idle_machine() {
    every_program_is_as_before(0);
}

#[test]
fn beside_three_busy_shells() {
    every_program_is_as_before(3);
}
