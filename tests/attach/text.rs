//! Checks that a process that was left has the code of its files again, also where functions were instrumented.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::process::Command;

use crate::attached::Attached;
use crate::shipped::Load;
use crate::target::{Target, build};
use crate::{programs, shipped};

/// The places in memory where a process's code is not what its file has.
pub(crate) fn differences(pid: u32) -> (usize, Vec<String>) {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).expect("the program runs");
    let memory = File::open(format!("/proc/{pid}/mem")).expect("it is our child");
    let number = |text: &str| u64::from_str_radix(text, 16).expect("the kernel wrote it");
    let (mut compared, mut found) = (0, Vec::new());
    for line in maps.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(path) = words.get(5).filter(|path| path.starts_with('/')) else { continue };
        if !words[1].contains('x') {
            continue;
        }
        let (start, end) = words[0].split_once('-').expect("a range comes first");
        let length = usize::try_from(number(end) - number(start)).expect("it is in memory");
        let (mut kept, mut there) = (vec![0; length], vec![0; length]);
        let file = File::open(path).expect("it is mapped");
        let read = file.read_at(&mut kept, number(words[2])).expect("it can be read");
        memory.read_exact_at(&mut there, number(start)).expect("code can be read");
        let places = kept[..read].iter().zip(&there).enumerate();
        let odd = places.filter(|(_, (one, other))| one != other).map(|(at, _)| at);
        found.extend(odd.map(|at| format!("{path} at {:#x}", number(words[2]) + at as u64)));
        compared += read;
    }
    (compared, found)
}

#[test]
fn code_is_as_before_once_nobody_watches() {
    let program = programs::with_code().join("code/hot_procedure");
    let _turn = shipped::turn(Load::Computes);
    let target = Target::begin(Command::new(program).arg("12"));
    let pid = target.pid().to_string();
    let options = ["--code-search", "callgraph", "--threshold", "CPUbound=0.04"];
    let asked = ["--measure", "calls", "</Code/hot_procedure.c/part_42>"];
    for _ in 0..2 {
        let words = [&options[..], &asked, &["--duration", "3", &pid]].concat();
        let attached = Attached::with(&words);
        assert_eq!(attached.status, Some(0), "{}", attached.said);
        let calls = attached.report["measured"][0]["total"].as_f64();
        assert!(calls.is_some_and(|calls| calls > 0.0), "it was not on: {}", attached.said);
        let (compared, found) = differences(target.pid());
        assert!(compared > 1 << 20, "the C library alone is larger: {compared}");
        assert!(found.is_empty(), "{found:?}");
    }
    assert_eq!(target.end().0, Some(0));
}

#[test]
fn code_is_as_before_when_the_program_gives_up_system_calls() {
    let program = build("gives_up.c", "gives_up", "gcc", &["-g"]);
    let _turn = shipped::turn(Load::Computes);
    let target = Target::start(&mut Command::new(program));
    let pid = target.pid().to_string();
    let attached = Attached::with(&["--measure", "calls", "</Code/gives_up.c/part>", &pid]);
    assert_eq!(attached.status, Some(0), "{}", attached.said);
    let (_, found) = differences(target.pid());
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(target.end(), (Some(0), "as before\n".to_owned()), "{}", attached.said);
}
