//! The programs with one known bottleneck each: it leads the report, and nothing false is said.

use crate::launcher::Mpi;
use crate::report::{Run, run};
use crate::{expectation, programs, shipped};

/// A program, its ranks (0: no MPI), and the hypotheses that may be true beside the expected one.
struct Case {
    name: &'static str,
    ranks: usize,
    also: &'static [&'static str],
}

const SYNC: &str = "ExcessiveSyncWaitingTime";
const SMALL: &str = "TooManySmallIOOps";
const CPU: &str = "CPUbound";

fn measured(case: &Case, mpi: Mpi) -> Run {
    let folder = if case.ranks == 0 { programs::plain() } else { programs::built_for(mpi) };
    let mut words = if case.ranks == 0 { Vec::new() } else { mpi.launch(case.ranks) };
    words.push(folder.join("bottleneck").join(case.name).display().to_string());
    words.push("6".to_owned());
    let _alone = shipped::machine();
    run(&words)
}

fn is_diagnosed(name: &'static str, ranks: usize, also: &'static [&'static str]) {
    let case = Case { name, ranks, also };
    let expected = expectation::of(&format!("bottleneck/{name}.c"));
    let before = stalled();
    let run = measured(&case, Mpi::OpenMpi);
    assert_eq!(run.status, Some(0), "{}", run.shown());
    let found = run.bottlenecks();
    let elapsed = run.report["elapsed_s"].as_f64().expect("a time");
    if expected.hypothesis == CPU && found.is_empty() && stalled() - before > 0.5 * elapsed {
        // Waiting for a processor is not computing: that nothing was found is true here.
        println!("{name}: other work had the processors, only what is false was looked for");
        return;
    }
    let leading = found.first().unwrap_or_else(|| panic!("nothing found:\n{}", run.shown()));
    assert_eq!(leading.hypothesis, expected.hypothesis, "{}", run.shown());
    for one in &found {
        assert!(
            one.hypothesis == expected.hypothesis || case.also.contains(&one.hypothesis.as_str()),
            "{} is not true of {name}:\n{}",
            one.hypothesis,
            run.shown()
        );
    }
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

/// Seconds that some thread of the machine has waited for a processor so far; 0 where the kernel
/// does not say.
fn stalled() -> f64 {
    let text = std::fs::read_to_string("/proc/pressure/cpu").unwrap_or_default();
    let total = text.lines().next().and_then(|line| line.split_once("total="));
    total.and_then(|(_, micros)| micros.trim().parse::<f64>().ok()).unwrap_or(0.0) / 1e6
}

#[test]
fn late_sender() {
    is_diagnosed("late_sender", 2, &[CPU]);
}

#[test]
fn wait_at_barrier() {
    is_diagnosed("wait_at_barrier", 4, &[CPU]);
}

#[test]
fn load_imbalance() {
    is_diagnosed("load_imbalance", 4, &[CPU]);
}

#[test]
fn many_small_messages() {
    is_diagnosed("many_small_messages", 2, &[]);
}

#[test]
fn one_big_message() {
    is_diagnosed("one_big_message", 2, &[CPU]);
}

#[test]
fn random_barrier() {
    is_diagnosed("random_barrier", 4, &[CPU]);
}

#[test]
fn lock_contention() {
    is_diagnosed("lock_contention", 0, &[CPU]);
}

#[test]
fn starved_consumer() {
    is_diagnosed("starved_consumer", 0, &[CPU]);
}

#[test]
fn small_io() {
    is_diagnosed("small_io", 0, &[SMALL, CPU]);
}

#[test]
fn io_on_one_rank() {
    is_diagnosed("io_on_one_rank", 2, &[SYNC]);
}

#[test]
fn compute_only() {
    is_diagnosed("compute_only", 2, &[]);
}

#[test]
fn compute_threads() {
    is_diagnosed("compute_threads", 0, &[]);
}
