//! The efficiencies at the head of the report, of programs that know theirs.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::launcher::Mpi;
use crate::report::{Run, run};
use crate::shipped::Load;
use crate::{programs, shipped};

fn measured(ranks: usize, pattern: &str) -> Run {
    watched(&launched(ranks, &[&program(), pattern, "5"]))
}

fn program() -> String {
    programs::built_for(Mpi::OpenMpi).join("efficiency/known").display().to_string()
}

fn launched(ranks: usize, program: &[&str]) -> Vec<String> {
    let mut words = Mpi::OpenMpi.launch(ranks);
    words.extend(program.iter().map(|&word| word.to_owned()));
    words
}

fn watched(words: &[String]) -> Run {
    let _turn = shipped::turn(Load::Fills);
    let run = run(words);
    assert_eq!(run.status, Some(0), "{}", run.shown());
    run
}

/// A script that does one after the other.
fn script(jobs: &[Vec<String>]) -> Run {
    let lines: Vec<String> = jobs.iter().map(|words| words.join(" ")).collect();
    watched(&["sh", "-c", &lines.join("; ")].map(String::from))
}

/// What a rank itself says of its time, or of a phase of it.
#[derive(Debug)]
struct Told {
    ranks: String,
    phase: String,
    computed: f64,
    elapsed: f64,
}

impl Told {
    fn of(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.strip_prefix("known: ")?.split_whitespace().collect();
        let ["rank", _, "of", ranks, "in", phase, "computed", computed, "of", elapsed] = words[..]
        else {
            return None;
        };
        let [computed, elapsed] =
            [computed, elapsed].map(|number| number.parse().expect("seconds"));
        Some(Self { ranks: ranks.to_owned(), phase: phase.to_owned(), computed, elapsed })
    }
}

/// Load balance and communication as they follow from what the ranks say, each job for itself.
fn known(run: &Run, phase: &str) -> [f64; 2] {
    let mut jobs: BTreeMap<String, Vec<Told>> = BTreeMap::new();
    for told in run.stderr.lines().filter_map(Told::of).filter(|told| told.phase == phase) {
        jobs.entry(told.ranks.clone()).or_default().push(told);
    }
    let (mut computed, mut busiest, mut elapsed) = (0.0, 0.0, 0.0);
    for (ranks, told) in &jobs {
        assert_eq!(told.len().to_string(), *ranks, "each rank speaks once: {}", run.shown());
        let most = |of: fn(&Told) -> f64| told.iter().map(of).fold(0.0, f64::max);
        computed += told.iter().map(|one| one.computed).sum::<f64>();
        busiest += most(|one| one.computed) * told.len() as f64;
        elapsed += most(|one| one.elapsed) * told.len() as f64;
    }
    assert!(elapsed > 0.0, "no rank spoke: {}", run.shown());
    [computed / busiest, busiest / elapsed]
}

/// What is told is what the ranks say, within five points.
fn is_as_known(told: &Value, phase: &str, run: &Run) {
    let one = |name: &str| told[name].as_f64().unwrap_or_else(|| panic!("{name}: {told}"));
    let near = |told: f64, known: f64| (told - known).abs() <= 0.05;
    let [load_balance, communication] = known(run, phase);
    let is_right = near(one("load_balance"), load_balance)
        && near(one("communication"), communication)
        && near(one("parallel"), load_balance * communication)
        && near(one("input_output"), 1.0);
    assert!(
        is_right,
        "load balance {load_balance:.3} and communication {communication:.3} by the ranks, told: {told}; {}",
        run.shown()
    );
    assert!(run.stderr.contains("parallel efficiency"), "{}", run.stderr);
}

fn is_right(run: &Run) {
    is_as_known(&run.report["efficiency"], "0", run);
}

#[test]
fn uneven_work_is_a_loss_of_balance() {
    is_right(&measured(2, "uneven"));
}

#[test]
fn four_ranks_of_one_to_four_units() {
    is_right(&measured(4, "uneven"));
}

#[test]
fn taking_turns_is_a_loss_of_communication() {
    is_right(&measured(2, "turns"));
}

#[test]
fn each_phase_has_its_own() {
    let run = measured(2, "both");
    let named = |name: &str| {
        let named = run.list("phases").iter().find(|phase| phase["name"] == name);
        named.unwrap_or_else(|| panic!("no phase {name}:\n{}", run.stderr))
    };
    ["2", "3"].iter().for_each(|name| is_as_known(&named(name)["efficiency"], name, &run));
}

#[test]
fn one_rank_has_no_efficiency() {
    let run = measured(1, "uneven");
    assert!(run.report["efficiency"].is_null(), "{}", run.report["efficiency"]);
    assert!(!run.stderr.contains("parallel efficiency"), "{}", run.stderr);
}

#[test]
fn jobs_of_a_script_are_balanced_each_for_itself() {
    let job = |ranks, seconds| launched(ranks, &[&program(), "uneven", seconds]);
    let run = script(&[job(4, "5"), job(2, "2")]);
    is_right(&run);
}

#[test]
fn each_job_of_a_script_has_its_phases() {
    let job = || launched(2, &[&program(), "both", "2"]);
    let run = script(&[job(), job()]);
    let names: Vec<&Value> = run.list("phases").iter().map(|phase| &phase["name"]).collect();
    assert_eq!(names, ["2", "3", "2", "3"], "{}", run.stderr);
}

#[test]
fn what_wraps_the_program_of_a_rank_is_no_rank() {
    let inside = format!("cat /dev/null; {} uneven 5; cat /dev/null", program());
    is_right(&watched(&launched(2, &["sh", "-c", &inside])));
}
