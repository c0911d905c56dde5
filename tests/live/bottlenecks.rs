//! The programs with one known bottleneck each: it leads the report, and nothing false is said.

use std::collections::BTreeSet;

use crate::launcher::Mpi;
use crate::report::{Run, run};
use crate::{expectation, programs, shipped};

const CPU: &str = "CPUbound";

/// Runs a program of so many ranks (0: no MPI) long enough for what needs several verdicts, one after the other.
fn measured(name: &str, ranks: usize) -> Run {
    let mpi = Mpi::OpenMpi;
    let folder = if ranks == 0 { programs::plain() } else { programs::built_for(mpi) };
    let mut words = if ranks == 0 { Vec::new() } else { mpi.launch(ranks) };
    words.push(folder.join("bottleneck").join(name).display().to_string());
    words.push("8".to_owned());
    let _alone = shipped::machine();
    run(&words)
}

fn is_diagnosed(name: &'static str, ranks: usize) {
    let expected = expectation::of(&format!("bottleneck/{name}.c"));
    let before = stalled();
    let run = measured(name, ranks);
    assert_eq!(run.status, Some(0), "{}", run.shown());
    let found = run.bottlenecks();
    let elapsed = run.report["elapsed_s"].as_f64().expect("a time");
    let is_starved = stalled() - before > 0.5 * elapsed;
    for one in &found {
        let known = [&expected.shows, &expected.may_show].into_iter().flatten();
        assert!(
            known.into_iter().any(|name| *name == one.hypothesis),
            "{} is not true of {name}:\n{}",
            one.hypothesis,
            run.shown()
        );
    }
    for hypothesis in &expected.shows {
        let is_found = found.iter().any(|one| one.hypothesis == *hypothesis);
        let is_excused = is_starved && NEED_PROCESSORS.contains(&hypothesis.as_str());
        assert!(is_found || is_excused, "{hypothesis} is not found:\n{}", run.shown());
    }
    if expected.hypothesis == CPU && found.is_empty() && is_starved {
        println!("{name}: other work had the processors, only what is false was looked for");
        return;
    }
    let leading = found.first().unwrap_or_else(|| panic!("nothing found:\n{}", run.shown()));
    assert_eq!(leading.hypothesis, expected.hypothesis, "{}", run.shown());
    // Time in the program's own functions has no place below the whole program until they are
    // measured themselves; waits and transfers have theirs by call site.
    if expected.hypothesis != CPU {
        let named = |part: &str| {
            part == "none"
                || found
                    .iter()
                    .any(|b| b.hypothesis == expected.hypothesis && b.focus.contains(part))
        };
        assert!(named(&expected.function), "{} is not named:\n{}", expected.function, run.shown());
        let object = expected.object.split("/<").next().unwrap_or(&expected.object);
        assert!(named(object), "{object} is not named:\n{}", run.shown());
    }
}

/// What is true of a program only while it gets processors: who waits for one computes less, and sends fewer messages.
const NEED_PROCESSORS: [&str; 3] = [CPU, "ExcessiveLoadImbalance", "TooManySmallMessages"];

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
    assert_eq!(shown, hypotheses, "programs and hypotheses that are true for them");
    assert_eq!(refuted, hypotheses, "programs and hypotheses that are false for them");
}

/// Seconds that some thread of the machine has waited for a processor so far; 0 where the kernel
/// does not say.
fn stalled() -> f64 {
    let text = std::fs::read_to_string("/proc/pressure/cpu").unwrap_or_default();
    let total = text.lines().next().and_then(|line| line.split_once("total="));
    total.and_then(|(_, micros)| micros.trim().parse::<f64>().ok()).unwrap_or(0.0) / 1e6
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
    late_sender 2,
    wait_at_barrier 4,
    load_imbalance 4,
    many_small_messages 2,
    one_big_message 2,
    random_barrier 4,
    slow_collective 2,
    lock_contention 0,
    starved_consumer 0,
    small_io 0,
    many_files 0,
    io_on_one_rank 2,
    io_on_all_ranks 2,
    compute_only 2,
    compute_threads 0,
}
