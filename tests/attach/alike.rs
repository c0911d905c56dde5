//! What is found by attaching to a program that runs is what is found when it is started under whyperf.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::attached::Attached;
use crate::jobs::children;
use crate::launcher::Mpi;
use crate::report::{Run, run_with};
use crate::target::Target;
use crate::{programs, shipped};

/// What kind of time is lost, in which function, at what.
type Place = (String, String, String);

/// The leading conclusions of a kind that nothing narrower was found below, whichever processes they
/// hold for: as many as were asked for.
fn leading(run: &Run, hypothesis: &str, count: usize) -> BTreeSet<Place> {
    let mut found: Vec<_> = run.bottlenecks().into_iter().filter(|one| one.leaf).collect();
    // What is inside of `main` is everything.
    found.retain(|one| one.hypothesis == hypothesis && !one.focus.contains("/main,"));
    found.sort_by(|one, other| other.value.total_cmp(&one.value));
    let mut places = BTreeSet::new();
    for one in found {
        let parts: Vec<&str> = one.focus.trim_matches(['<', '>']).split(',').collect();
        let named = |start: &str| parts.iter().find(|part| part.starts_with(start));
        let name = |start: &str| named(start).copied().unwrap_or_default().to_owned();
        if places.len() < count {
            places.insert((one.hypothesis, name("/Code"), name("/SyncObject")));
        }
    }
    places
}

/// Processes below that run the program.
fn below(pid: u32, program: &Path) -> usize {
    let runs = fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|path| path == program);
    let of_children = children(pid).into_iter().map(|child| below(child, program));
    usize::from(runs) + of_children.sum::<usize>()
}

/// Starts it by itself, attaches for some seconds, and compares with what is found from its start.
fn are_alike(words: &[String], program: &Path, options: &[&str]) -> (Run, Run) {
    let ranks = if words[0] == program.display().to_string() { 1 } else { 4 };
    let started = run_with(&[&["--no-store"], options].concat(), words);
    assert_eq!(started.status, Some(0), "{}", started.shown());

    let target = Target::begin(Command::new(&words[0]).args(&words[1..]));
    while below(target.pid(), program) < ranks {
        std::thread::yield_now();
    }
    let pid = target.pid().to_string();
    let attached = Attached::with(&[options, &["--duration", "7", "--all-of", &pid]].concat());
    assert_eq!(attached.status, Some(0), "{}", attached.said);
    assert_eq!(attached.report["processes"], ranks, "{}", attached.said);
    // As long as it runs it can be attached to.
    if below(target.pid(), program) == ranks {
        let again = Attached::with(&["--duration", "0.5", "--all-of", &pid]);
        assert_eq!(again.report["processes"], ranks, "{}", again.said);
    }
    assert_eq!(target.end(), (Some(0), started.stdout.clone()));
    let Attached { status, said, report } = attached;
    (started, Run { stdout: String::new(), stderr: said, status, report })
}

/// The exchange, by both of its tags.
fn poisson_a(mpi: Mpi, size: [&str; 2]) {
    let program = programs::built_for(mpi).join("poisson/c/oned");
    let mut words = mpi.launch(4);
    words.push(program.display().to_string());
    words.extend(size.map(str::to_owned));
    let _alone = shipped::machine();
    let (started, attached) = are_alike(&words, &program, &[]);
    let of = |run: &Run| leading(run, "ExcessiveSyncWaitingTime", 2);
    assert_eq!(of(&started), of(&attached), "{}\n{}", started.shown(), attached.shown());
    let exchanges = of(&attached).iter().all(|(_, code, _)| code.ends_with("/exchng1"));
    assert!(exchanges, "{:?}\n{}", of(&attached), attached.shown());
}

#[test]
fn poisson_a_by_open_mpi() {
    poisson_a(Mpi::OpenMpi, ["1024", "5000"]);
}

#[test]
fn poisson_a_by_mpich() {
    poisson_a(Mpi::Mpich, ["600", "350"]);
}

#[test]
fn one_function_of_a_hundred() {
    let program = programs::with_code().join("code/gcc_plain/hot_procedure");
    let words = [program.display().to_string(), "10".to_owned()];
    let _alone = shipped::machine();
    // Other work on the machine must not decide what counts as computing.
    let options = ["--code-search", "callgraph", "--threshold", "CPUbound=0.04"];
    let (started, attached) = are_alike(&words, &program, &options);
    let of = |run: &Run| leading(run, "CPUbound", 1);
    assert_eq!(of(&started), of(&attached), "{}\n{}", started.shown(), attached.shown());
    assert!(of(&attached).iter().all(|(_, code, _)| code.ends_with("/part_42")));
}
