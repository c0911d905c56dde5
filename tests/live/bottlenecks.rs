//! The programs with one known bottleneck each: it leads the report, and nothing false is said.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::expectation::Expectation;
use crate::launcher::Mpi;
use crate::report::{Run, is_by_other_work, is_concluded, run_until};
use crate::shipped::Load;
use crate::{expectation, programs, shipped};

const CPU: &str = "CPUbound";
const IMBALANCE: &str = "ExcessiveLoadImbalance";
const FLUSH: &str = "ExcessiveFlushTime";

/// Runs a program of so many ranks (0: no MPI) until all is said that is true of it.
fn measured(name: &str, ranks: usize, expected: &Expectation) -> Run {
    let mpi = Mpi::OpenMpi;
    let folder = if ranks == 0 { programs::plain() } else { programs::built_for(mpi) };
    let mut words = if ranks == 0 { Vec::new() } else { mpi.launch(ranks) };
    words.push(folder.join("bottleneck").join(name).display().to_string());
    words.push(LONG.to_owned());
    let shows = |name: &str| expected.shows.iter().any(|one| one == name);
    // Who waits for a processor does less of all else: how much of the time it is depends on what else runs.
    let mut options = Vec::new();
    if shows(IMBALANCE) {
        options.extend(["--threshold", "CPUbound=0.02,ExcessiveLoadImbalance=0.02"]);
    } else if shows(CPU) {
        options.extend(["--threshold", "CPUbound=0.02"]);
    } else if shows(FLUSH) {
        options.extend(["--threshold", "ExcessiveIOBlockingTime=0.02,ExcessiveFlushTime=0.02"]);
    }
    if shows(SMALL_MESSAGES[0]) {
        options.extend(["--hypotheses", AT_ANY_RATE]);
    }
    let load = if ranks > 2 || shows(CPU) { Load::Fills } else { Load::Computes };
    let _turn = shipped::turn(load);
    run_until(&options, &words, FURTHER, |said| {
        let shows = expected.shows.iter().all(|one| is_concluded(said, awaited(one), &[]));
        shows
            && places(expected).iter().all(|part| is_concluded(said, &expected.hypothesis, &[part]))
    })
}

/// The hypothesis that is waited for: how many messages there are in a second depends on what else runs.
fn awaited(hypothesis: &str) -> &str {
    let [built_in, at_any_rate] = SMALL_MESSAGES;
    if hypothesis == built_in { at_any_rate } else { hypothesis }
}

const SMALL_MESSAGES: [&str; 2] = ["TooManySmallMessages", "SmallMessagesAtAnyRate"];
const AT_ANY_RATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/live/at_any_rate.toml");

/// Names that must be in a focus of the leading hypothesis. Time in the program's own functions has no place below the whole program
/// until they are measured themselves; waits and transfers have theirs by call site.
fn places(expected: &Expectation) -> Vec<&str> {
    if expected.hypothesis == CPU {
        return Vec::new();
    }
    let object = expected.object.split("/<").next().unwrap_or(&expected.object);
    [expected.function.as_str(), object].into_iter().filter(|part| *part != "none").collect()
}

fn is_diagnosed(name: &'static str, ranks: usize) {
    let expected = expectation::of(&format!("bottleneck/{name}.c"));
    let run = measured(name, ranks, &expected);
    let mut found = run.bottlenecks();
    found.retain(|one| {
        !is_by_other_work(&one.hypothesis) || expected.shows.contains(&one.hypothesis)
    });
    for one in &found {
        let mut known = expected.shows.iter().chain(&expected.may_show);
        assert!(
            known.any(|name| [name.as_str(), awaited(name)].contains(&one.hypothesis.as_str())),
            "{} is not true of {name}:\n{}",
            one.hypothesis,
            run.shown()
        );
    }
    for hypothesis in &expected.shows {
        let is_found = found.iter().any(|one| one.hypothesis == awaited(hypothesis));
        assert!(is_found, "{hypothesis} is not found:\n{}", run.shown());
    }
    let leading = found.first().unwrap_or_else(|| panic!("nothing found:\n{}", run.shown()));
    assert_eq!(leading.hypothesis, expected.hypothesis, "{}", run.shown());
    for part in places(&expected) {
        let mut of_it = found.iter().filter(|one| one.hypothesis == expected.hypothesis);
        assert!(of_it.any(|one| one.focus.contains(part)), "{part} is not named:\n{}", run.shown());
    }
}

/// For so long what is false could be said, too.
const FURTHER: Duration = Duration::from_secs(2);
/// Seconds after which nobody waits for a conclusion any more; until then a program is ended as soon as all are there.
const LONG: &str = "120";

/// What only a machine can show: a quota, a busy host, processors that are idle while others are not.
const BY_MACHINE: [&str; 3] = ["PinnedTogether", "ThrottledByCgroup", "StolenByHost"];

/// A hypothesis that is added without programs fails here, and so does a program that says of itself what no table holds.
#[test]
fn every_hypothesis_has_a_program_it_is_true_for_and_one_it_is_false_for() {
    let table = std::process::Command::new(shipped::whyperf()).arg("hypotheses").output();
    let table = String::from_utf8(table.expect("the command was built").stdout).expect("text");
    let name = |line: &str| Some(line.strip_prefix("name = \"")?.strip_suffix('"')?.to_owned());
    let hypotheses: BTreeSet<String> = table.lines().filter_map(name).collect();
    assert!(hypotheses.len() >= 12, "{hypotheses:?}");
    let (mut shown, mut refuted) = (BTreeSet::new(), BTreeSet::new());
    for name in PROGRAMS {
        let expected = expectation::of(&format!("bottleneck/{name}.c"));
        let is_both = expected.shows.iter().any(|one| expected.refutes.contains(one));
        let is_open = expected.may_show.iter().any(|one| expected.refutes.contains(one));
        assert!(!is_both && !is_open, "{name} refutes what it may show");
        shown.extend(expected.shows);
        refuted.extend(expected.refutes);
    }
    let of_programs =
        hypotheses.iter().filter(|name| !BY_MACHINE.contains(&name.as_str())).cloned();
    let of_programs: BTreeSet<String> = of_programs.collect();
    assert_eq!(shown, of_programs, "programs and hypotheses that are true for them");
    assert_eq!(refuted, of_programs, "programs and hypotheses that are false for them");
}

/// One test for each program, and the list of all: the program and its ranks (0: no MPI).
macro_rules! programs {
    ($($name:ident $ranks:literal),* $(,)?) => {
        const PROGRAMS: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                is_diagnosed(stringify!($name), $ranks);
            }
        )*
    };
}

programs! {
    too_many_threads 0,
    crowded_out 0,
    sleeping 0,
    resting_unseen 0,
    paging 0,
    late_sender 2,
    wait_at_barrier 4,
    load_imbalance 4,
    many_small_messages 2,
    one_big_message 2,
    random_barrier 4,
    polling_ranks 4,
    too_few_processors 4,
    slow_collective 2,
    lock_contention 0,
    starved_consumer 0,
    idle_pool 0,
    listeners 0,
    idle_processes 0,
    small_io 0,
    many_files 0,
    flushed_records 0,
    flushed_unseen 0,
    io_on_one_rank 2,
    io_on_all_ranks 2,
    compute_only 2,
    compute_threads 0,
}
