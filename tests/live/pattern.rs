//! A scripted communication pattern: calls and bytes are exactly those known beforehand, in every
//! language binding of both MPIs, from one and the same shared object.

use crate::launcher::Mpi;
use crate::report::run;
use crate::shipped::Load;
use crate::{programs, shipped};
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
struct Count {
    calls: u64,
    sent: u64,
    received: u64,
}

type Counts = BTreeMap<(u64, String), Count>;

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is a count"))
}

fn expected() -> Counts {
    let path = programs::sources().join("pattern/expected.json");
    let text = std::fs::read_to_string(path).expect("the pattern's numbers are in the tree");
    let known: Value = serde_json::from_str(&text).expect("and are JSON");
    let mut counts = Counts::new();
    for process in known["processes"].as_array().expect("a list of processes") {
        let rank = number(&process["process"]);
        for (name, one) in process["functions"].as_object().expect("functions by name") {
            let count = Count {
                calls: number(&one["calls"]),
                sent: number(&one["bytes_sent"]),
                received: number(&one["bytes_received"]),
            };
            counts.insert((rank, name.clone()), count);
        }
    }
    counts
}

/// The sum over all places a function was called from, as the report's profile has it.
fn measured(mpi: Mpi, program: &str) -> Counts {
    let mut words = mpi.launch(2);
    words.push(programs::built_for(mpi).join("pattern").join(program).display().to_string());
    let _turn = shipped::turn(Load::Waits);
    let run = run(&words);
    assert_eq!(run.status, Some(0), "{}", run.shown());
    let mut counts = Counts::new();
    for row in run.list("profile") {
        let callee = row["path"].as_array().and_then(|path| path.last());
        let name = callee.and_then(Value::as_str).expect("a path has a last region");
        let Some(rank) = row["process"].as_u64() else { continue };
        let count = counts.entry((rank, name.to_owned())).or_default();
        count.calls += number(&row["calls"]);
        count.sent += number(&row["bytes_sent"]);
        count.received += number(&row["bytes_received"]);
    }
    counts
}

fn is_counted_exactly(mpi: Mpi, program: &str) {
    let measured = measured(mpi, program);
    for ((rank, name), count) in expected() {
        let found = measured.get(&(rank, name.clone())).copied().unwrap_or_default();
        assert_eq!(found, count, "{name} on rank {rank} of {program} under {mpi:?}");
    }
}

macro_rules! combinations {
    ($($test:ident: $mpi:ident $program:literal;)*) => { $(
        #[test]
        fn $test() {
            is_counted_exactly(Mpi::$mpi, $program);
        }
    )* };
}

combinations! {
    open_mpi_c: OpenMpi "pattern";
    open_mpi_mpifh: OpenMpi "pattern_mpifh";
    open_mpi_use_mpi: OpenMpi "pattern_usempi";
    open_mpi_f08: OpenMpi "pattern_f08";
    mpich_c: Mpich "pattern";
    mpich_mpifh: Mpich "pattern_mpifh";
    mpich_use_mpi: Mpich "pattern_usempi";
    mpich_f08: Mpich "pattern_f08";
}
