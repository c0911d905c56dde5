//! Messages by sender and receiver, of a program that counts its own.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::launcher::Mpi;
use crate::report::{Run, run};
use crate::shipped::Load;
use crate::{programs, shipped};

/// Sender and receiver; nobody where it is not told.
type Ranks = (Option<u64>, Option<u64>);

fn measured(mpi: Mpi, ranks: usize, seed: &str) -> Run {
    let _turn = shipped::turn(Load::Fills);
    let mut words = mpi.launch(ranks);
    let program = programs::built_for(mpi).join("efficiency/routes");
    words.extend([program.display().to_string(), seed.to_owned(), "300".to_owned()]);
    let run = run(&words);
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
    is_right(&measured(Mpi::OpenMpi, 4, "5"));
}

#[test]
fn between_ranks_of_mpich() {
    is_right(&measured(Mpi::Mpich, 3, "6"));
}
