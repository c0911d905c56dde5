//! Programs whose functions the compiler made known: by calls of hooks, of a profiler's counters, or by room for patches.
//!
//! Their output, and the profile that they write themselves, are the same as without whyperf, and each of their functions
//! can be measured by name.

use crate::building::succeed;
use crate::report::{run_with, scratch};
use crate::shipped::Load;
use crate::{needs, programs, shipped};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Ways to build, with the names of the compiler.
type Way = (&'static [&'static str], &'static str);

const GCC: &[&str] = &["gcc"];
const CLANG: &[&str] = &["clang", "clang-14", "clang-15", "clang-16"];

const HOOKS: [Way; 4] = [
    (GCC, "-O2 -finstrument-functions"),
    (GCC, "-O0 -finstrument-functions -fno-pie -no-pie"),
    (CLANG, "-O2 -finstrument-functions"),
    (CLANG, "-O2 -finstrument-functions-after-inlining"),
];
const COUNTERS: [Way; 4] = [
    (GCC, "-O2 -pg"),
    (GCC, "-O2 -pg -mfentry"),
    (GCC, "-O2 -pg -fno-pie -no-pie"),
    (CLANG, "-O2 -pg"),
];
const ROOM: [Way; 5] = [
    (GCC, "-O2 -fpatchable-function-entry=5"),
    (GCC, "-O2 -fpatchable-function-entry=10,5"),
    (GCC, "-O2 -pg -mfentry -mnop-mcount -fno-pie -no-pie"),
    (CLANG, "-O2 -fpatchable-function-entry=5"),
    (CLANG, "-O2 -fxray-instrument -fxray-instruction-threshold=1"),
];

const ROUNDS: usize = 1000;

#[test]
fn functions_that_call_hooks_are_measured_by_name() {
    HOOKS.iter().for_each(is_counted);
}

#[test]
fn functions_that_count_themselves_are_measured_and_their_profile_is_the_same() {
    COUNTERS.iter().for_each(is_counted);
}

#[test]
fn functions_with_room_for_patches_are_measured_by_name() {
    ROOM.iter().for_each(is_counted);
}

/// Its neighbours are counted, one by one, and what it did is theirs.
#[test]
fn a_function_that_a_filter_leaves_out_is_not_counted() {
    for way in [&HOOKS[0], &ROOM[0], &(GCC, "-O2")] {
        let folder = scratch();
        let Some(program) = build(way, &folder) else { return };
        let filter = folder.join("filter").display().to_string();
        let text = "BEGIN_EXCLUDE_LIST\nunsigned long fold(#\nEND_EXCLUDE_LIST\n";
        std::fs::write(&filter, text).expect("the scratch folder is ours");
        let module = "</Code/told_by_compiler.c>";
        let options = ["--no-store", "--code-search", "none", "--cost-limit", "99"];
        let asked = ["--filter", &filter, "--measure", "calls", module];
        let words = [program.display().to_string(), ROUNDS.to_string()];
        let _turn = shipped::turn(Load::Computes);
        let run = run_with(&[&options[..], &asked].concat(), &words);
        let calls = |name| run.total(name, "calls");
        let left_out = run.report["filter"]["left_out"].as_u64();
        let sentence = format!("The filter {filter} left out 1 of the program's ");
        assert!(
            (calls("mix"), calls("fold"), left_out) == (6 * ROUNDS as u64, 0, Some(1))
                && run.stderr.contains(&sentence),
            "{way:?}: {}",
            run.stderr
        );
        std::fs::remove_dir_all(&folder).expect("the scratch folder is ours");
    }
}

/// Builds the program so, and compares what it does by itself with what it does measured.
fn is_counted(way: &Way) {
    let folder = scratch();
    let Some(program) = build(way, &folder) else { return };
    let path = program.display().to_string();
    let profile = |name: &str| format!("GMON_OUT_PREFIX={}", folder.join(name).display());
    let _turn = shipped::turn(Load::Computes);
    // Their table takes one call at a time, and forgets one that comes from another thread meanwhile.
    let writes = way.1.contains("-pg") && !way.1.contains("-mnop-mcount");
    let (threads, last) = if writes { (1, "alone") } else { (2, "") };
    let mut words = vec!["env".to_owned(), profile("measured"), path, ROUNDS.to_string()];
    words.extend((!last.is_empty()).then(|| last.to_owned()));
    let mut alone = Command::new("env");
    let alone = alone.arg(profile("alone")).args(&words[2..]).output().expect("the program starts");
    let focus = |name: &str| format!("</Code/told_by_compiler.c/{name}>");
    // How many calls are too many depends on what the start cost on this machine, unless the limit allows everything.
    let options = ["--no-store", "--code-search", "none", "--cost-limit", "99"];
    let mut options = options.map(str::to_owned).to_vec();
    for name in ["mix", "fold"] {
        options.extend(["--measure".to_owned(), "calls".to_owned(), focus(name)]);
    }
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let run = run_with(&options, &words);
    assert_eq!(run.status, Some(0), "{way:?}: {}", run.stderr);
    assert_eq!(run.stdout.as_bytes(), alone.stdout, "{way:?}");
    let [mix, fold] = run.list("measured") else { panic!("two were asked for") };
    for (one, each) in [(mix, 3), (fold, 1)] {
        let calls = (threads * each * ROUNDS) as f64;
        let found = one["total"].as_f64().expect("a number");
        let is_exact = one["note"].is_null() && (found - calls).abs() < 0.5;
        assert!(is_exact, "{way:?}: {one}\n{}", run.stderr);
    }
    let (before, after) = (arcs(&folder, "alone"), arcs(&folder, "measured"));
    assert_eq!(before, after, "{way:?}: the profile that the program writes");
    assert_eq!(before.is_empty(), !writes, "{way:?}");
    std::fs::remove_dir_all(&folder).expect("the scratch folder is ours");
}

fn build((names, options): &Way, folder: &Path) -> Option<PathBuf> {
    let compiler = needs::one_of(names)?;
    let program = folder.join("told_by_compiler");
    let source = programs::sources().join("code/told_by_compiler.c");
    let mut command = Command::new(compiler);
    command.args(options.split(' ')).args(["-g", "-pthread", "-o"]).arg(&program).arg(source);
    succeed(&mut command);
    Some(program)
}

/// The calls in the profile that a program wrote: caller, callee, how often.
fn arcs(folder: &Path, prefix: &str) -> Vec<(u64, u64, u32)> {
    const HEADER: usize = 20;
    const HISTOGRAM: usize = 40;
    const ARC: usize = 20;
    let is_ours = |name: &Path| {
        let name = name.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(&format!("{prefix}.")))
    };
    let files = std::fs::read_dir(folder).expect("the scratch folder is there").map(|entry| {
        let entry = entry.expect("an entry can be read");
        entry.path()
    });
    let Some(path) = files.into_iter().find(|path| is_ours(path)) else { return Vec::new() };
    let bytes = std::fs::read(path).expect("the profile can be read");
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight"));
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"));
    let (mut at, mut found) = (HEADER, Vec::new());
    while let Some(tag) = bytes.get(at) {
        at += 1;
        if *tag == 0 {
            at += HISTOGRAM + 2 * number(at + 16) as usize;
        } else {
            found.push((word(at), word(at + 8), number(at + 16)));
            at += ARC;
        }
    }
    found.sort_unstable();
    found
}
