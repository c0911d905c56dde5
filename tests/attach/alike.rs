//! Compares attaching with starting under whyperf: both find the same in a program.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::attached::Attached;
use crate::jobs::children;
use crate::launcher::Mpi;
use crate::report::{Run, is_concluded, run_until, run_with};
use crate::shipped::Load;
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
        let (code, object) = (name("/Code"), name("/SyncObject"));
        // That some ranks had fewer processors than others says nothing of a place in the program.
        let is_place = code != "/Code" || object != "/SyncObject";
        if is_place && places.len() < count {
            places.insert((one.hypothesis, code, object));
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

/// What leads to a place being told: a kind, and words of its focus.
type Awaited<'a> = (&'a str, &'a [&'a [&'a str]]);

fn is_said(said: &str, (hypothesis, places): Awaited<'_>) -> bool {
    places.iter().all(|words| is_concluded(said, hypothesis, words))
}

/// Starts it by itself, and attaches until all that is awaited is told, then once more.
fn attached(
    words: &[String],
    program: &Path,
    options: &[&str],
    awaited: Awaited<'_>,
) -> (Target, Run) {
    let ranks = if words[0] == program.display().to_string() { 1 } else { 4 };
    let target = Target::begin(Command::new(&words[0]).args(&words[1..]));
    while below(target.pid(), program) < ranks {
        std::thread::yield_now();
    }
    let pid = target.pid().to_string();
    let whole = [options, &["--all-of", &pid]].concat();
    let attached = Attached::until(&whole, |said| is_said(said, awaited));
    assert_eq!(attached.status, Some(0), "{}", attached.said);
    assert_eq!(attached.report["processes"], ranks, "{}", attached.said);
    // As long as it runs it can be attached to.
    if below(target.pid(), program) == ranks {
        let again = Attached::with(&["--duration", "0.5", "--all-of", &pid]);
        assert_eq!(again.report["processes"], ranks, "{}", again.said);
    }
    let Attached { status, said, report } = attached;
    (target, Run { stdout: String::new(), stderr: said, status, report })
}

/// The exchange, by both of its tags.
fn poisson_a(mpi: Mpi, size: [&str; 2]) {
    let program = programs::built_for(mpi).join("poisson/c/oned");
    let mut words = mpi.launch(4);
    words.push(program.display().to_string());
    words.extend(size.map(str::to_owned));
    let _turn = shipped::turn(Load::Fills);
    let started = run_with(&["--no-store"], &words);
    assert_eq!(started.status, Some(0), "{}", started.shown());
    let tags = ["/MPI_COMM_WORLD/3", "/MPI_COMM_WORLD/4"].map(|tag| ["/exchng1,", tag]);
    let awaited = (SYNC, &[&tags[0][..], &tags[1][..]][..]);
    let (target, attached) = attached(&words, &program, &[], awaited);
    assert_eq!(target.end(), (Some(0), started.stdout.clone()));
    let of = |run: &Run| leading(run, SYNC, 2);
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
    let words = [program.display().to_string(), LONG.to_owned()];
    let _turn = shipped::turn(Load::Computes);
    // Other work on the machine must not decide what counts as computing.
    let options = ["--code-search", "callgraph", "--threshold", "CPUbound=0.04"];
    let awaited: Awaited<'_> = (CPU, &[&["/part_42,"]]);
    let from_its_start = [&["--no-store"], &options[..]].concat();
    let is_enough = |said: &str| is_said(said, awaited);
    let started = run_until(&from_its_start, &words, Duration::ZERO, is_enough);
    let (target, attached) = attached(&words, &program, &options, awaited);
    drop(target);
    let of = |run: &Run| leading(run, CPU, 1);
    assert_eq!(of(&started), of(&attached), "{}\n{}", started.shown(), attached.shown());
    assert!(of(&attached).iter().all(|(_, code, _)| code.ends_with("/part_42")));
}

const SYNC: &str = "ExcessiveSyncWaitingTime";
const CPU: &str = "CPUbound";
/// Seconds after which nobody waits for a conclusion any more.
const LONG: &str = "120";
