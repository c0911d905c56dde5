//! Messages by sender and receiver, of a program that counts its own: in the report, in the store and in a diagnosis.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::diagnosed::Place;
use crate::launcher::Mpi;
use crate::report::{Run, run_with, scratch};
use crate::shipped::Load;
use crate::{programs, shipped};

/// Sender and receiver; nobody where it is not told.
type Ranks = (Option<u64>, Option<u64>);

fn routes(mpi: Mpi, ranks: usize, [seed, rounds]: [&str; 2]) -> Vec<String> {
    let mut words = mpi.launch(ranks);
    let program = programs::built_for(mpi).join("efficiency/routes");
    words.extend([program.display().to_string(), seed.to_owned(), rounds.to_owned()]);
    words
}

fn measured(mpi: Mpi, ranks: usize, seed: &str, options: &[&str]) -> Run {
    let _turn = shipped::turn(Load::Fills);
    let run = run_with(options, &routes(mpi, ranks, [seed, "300"]));
    assert_eq!(run.status, Some(0), "{}", run.shown());
    run
}

/// What the program says of itself, in lines with this word.
fn said(run: &Run, word: &str) -> Vec<Vec<f64>> {
    let lines = run.stderr.lines().filter_map(|line| line.strip_prefix("routes: "));
    let numbers = lines.filter_map(|line| line.strip_prefix(word));
    numbers
        .map(|line| line.split_whitespace().map(|word| word.parse().expect("a number")).collect())
        .collect()
}

fn rank(number: f64) -> Option<u64> {
    Some(number as u64)
}

fn told(run: &Run) -> BTreeMap<Ranks, &Value> {
    let rows = run.list("messages").iter();
    rows.map(|row| ((row["from"].as_u64(), row["to"].as_u64()), row)).collect()
}

fn is_right(run: &Run) {
    let told = told(run);
    let mut sent = BTreeMap::new();
    for line in said(run, "sent") {
        let [from, to, messages, bytes] = line[..] else { panic!("{line:?}") };
        sent.insert((rank(from), rank(to)), (messages as u64, bytes as u64));
    }
    let known = told.iter().filter(|((from, to), _)| from.is_some() && to.is_some());
    let counted = |row: &Value| (row["calls"].as_u64(), row["bytes"].as_u64());
    let counts: BTreeMap<Ranks, _> = known.map(|(ranks, row)| (*ranks, counted(row))).collect();
    let own: BTreeMap<Ranks, _> = sent
        .iter()
        .map(|(ranks, (messages, bytes))| (*ranks, (Some(*messages), Some(*bytes))))
        .collect();
    assert_eq!(counts, own, "{}", run.shown());
    let waited =
        said(run, "waited").into_iter().map(|line| ((rank(line[0]), rank(line[1])), line[2]));
    let together = said(run, "together").into_iter().map(|line| ((None, rank(line[0])), line[1]));
    let (mut all, mut all_told) = (0.0, 0.0);
    for (ranks, own) in waited.chain(together) {
        let told = told.get(&ranks).map_or(0.0, |row| row["waiting_s"].as_f64().expect("seconds"));
        // The program reads its clock before the call and after it.
        assert!(told <= 1.01 * own + 0.001, "{ranks:?}: {told} of {own}\n{}", run.shown());
        (all, all_told) = (all + own, all_told + told);
    }
    assert!(
        all_told > 0.5 * all,
        "{all_told} of {all}: a processor is seldom lost between clock and call"
    );
}

#[test]
fn between_ranks_of_open_mpi() {
    is_right(&measured(Mpi::OpenMpi, 4, "5", &[]));
}

#[test]
fn between_ranks_of_mpich() {
    is_right(&measured(Mpi::Mpich, 3, "6", &[]));
}

#[test]
fn of_a_run_that_is_not_kept() {
    is_right(&measured(Mpi::OpenMpi, 3, "8", &["--no-store"]));
}

/// What a report or a run that is shown says of each of its phases.
fn of_phases(report: &Value) -> Vec<&Value> {
    let phases = report["phases"].as_array().expect("a list");
    phases.iter().map(|phase| &phase["messages"]).collect()
}

fn waiting(rows: &Value) -> f64 {
    let rows = rows.as_array().expect("a list").iter();
    rows.map(|row| row["waiting_s"].as_f64().expect("seconds")).sum()
}

#[test]
fn kept_over_the_run_and_each_of_its_phases() {
    let _turn = shipped::turn(Load::Fills);
    let place = Place(scratch());
    let words = routes(Mpi::OpenMpi, 3, ["7", "2000"]);
    // However slow the machine is, the run is over before passes this long are so many that two become one.
    let options = ["run", "-q", "--sample", "1000", "--phase-every", "1"];
    let live = place.report(&options, &[&["--".to_owned()], &words[..]].concat());
    let run = live["run"].as_str().expect("the run was kept");
    let rows = |all: &Value| all.as_array().map_or(0, Vec::len);
    let phases = of_phases(&live);
    // Each rank sleeps for more than a second, so a phase begins before all is sent.
    assert!(phases.iter().any(|one| rows(one) > 0), "{live}");
    let waited: f64 = phases.iter().map(|one| waiting(one)).sum();
    assert!(waited > 0.0 && waited < waiting(&live["messages"]) + 0.001, "{live}");
    let diagnosed = place.report(&["diagnose", run], &[]);
    assert_eq!(diagnosed["messages"], live["messages"]);
    assert_eq!(of_phases(&diagnosed), phases);
    for run in [run, diagnosed["run"].as_str().expect("the diagnosis was kept")] {
        let json = |words: &[&str]| -> Value {
            serde_json::from_slice(&place.say(words).stdout).expect("JSON")
        };
        let shown = json(&["show", run, "--json"]);
        assert_eq!((&shown["messages"], of_phases(&shown)), (&live["messages"], phases.clone()));
        assert_eq!(json(&["show", run, "--messages", "--json"]), live["messages"]);
        let text = String::from_utf8(place.say(&["show", run]).stdout).expect("text");
        assert!(text.contains("\nMessages between ranks"), "{text}");
    }
}
