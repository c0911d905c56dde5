//! Bytes where they are easily counted wrong, each known to the byte.

use crate::launcher::Mpi;
use crate::report::{Run, run, run_with};
use crate::shipped::Load;
use crate::{programs, shipped};
use serde_json::Value;

const RANKS: usize = 3;

/// What the ranks send and receive in a call of one of the program's functions.
struct Known {
    place: [&'static str; 2],
    sent: [u64; RANKS],
    received: [u64; RANKS],
}

const fn known(place: [&'static str; 2], sent: [u64; RANKS], received: [u64; RANKS]) -> Known {
    Known { place, sent, received }
}

const ALWAYS: &[Known] = &[
    known(["in_place", "MPI_Reduce_scatter"], [24; RANKS], [4, 8, 12]),
    known(["in_place", "MPI_Reduce_scatter_block"], [60; RANKS], [20; RANKS]),
    known(["between_groups", "MPI_Reduce_scatter"], [16; RANKS], [16, 8, 8]),
    known(["between_groups", "MPI_Reduce_scatter_block"], [16; RANKS], [16, 8, 8]),
    known(["no_operation", "MPI_Get_accumulate"], [0; RANKS], [8; RANKS]),
    known(["one_element", "MPI_Fetch_and_op"], [8; RANKS], [8; RANKS]),
    known(["cancelled", "MPI_Wait"], [0; RANKS], [0; RANKS]),
    known(["at_the_edge", "MPI_Neighbor_allgather"], [12; RANKS], [12, 24, 12]),
    known(["at_the_edge", "MPI_Neighbor_alltoall"], [8, 16, 8], [8, 16, 8]),
    known(["at_the_edge", "MPI_Neighbor_alltoallv"], [8, 12, 4], [4, 12, 8]),
    known(["remembered_again", "MPI_Waitall"], [0; RANKS], [12_000; RANKS]),
];

/// Not asked of Open MPI, which sometimes waits for ever once one of several requests has failed.
const FAILED: &[Known] = &[known(["one_failed", "MPI_Waitall"], [0; RANKS], [400; RANKS])];

fn sum(run: &Run, rank: usize, place: [&str; 2], what: &str) -> u64 {
    let is_there = |row: &&Value| {
        let path = row["path"].as_array().map_or(&[][..], Vec::as_slice);
        row["process"] == rank && path.ends_with(&place.map(Value::from))
    };
    let rows: Vec<&Value> = run.list("profile").iter().filter(is_there).collect();
    assert!(!rows.is_empty(), "{place:?} on rank {rank} is missing: {}", run.stderr);
    rows.iter().map(|row| row[what].as_u64().expect("a number of bytes")).sum()
}

fn are_exact(mpi: Mpi, arguments: &[&str], lists: &[&[Known]]) {
    let mut words = mpi.launch(RANKS);
    words.push(programs::built_for(mpi).join("guests/mpi_bytes").display().to_string());
    words.extend(arguments.iter().map(|word| (*word).to_owned()));
    let run = {
        let _turn = shipped::turn(Load::Fills);
        run(&words)
    };
    assert_eq!(run.status, Some(0), "{}\n{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("mpi_bytes: done"), "{}", run.stdout);
    for Known { place, sent, received } in lists.iter().copied().flatten() {
        for rank in 0..RANKS {
            let found = ["bytes_sent", "bytes_received"].map(|what| sum(&run, rank, *place, what));
            assert_eq!(found, [sent[rank], received[rank]], "{place:?} on rank {rank}, {mpi:?}");
        }
    }
}

#[test]
fn bytes_of_open_mpi_are_exact() {
    are_exact(Mpi::OpenMpi, &[], &[ALWAYS]);
}

#[test]
fn bytes_of_mpich_are_exact() {
    are_exact(Mpi::Mpich, &["truncated"], &[ALWAYS, FAILED]);
}

/// The program counts by itself what each call of the C library moved.
#[test]
fn bytes_of_files_are_exact() {
    let program = programs::plain().join("guests/file_bytes").display().to_string();
    let run = {
        let _turn = shipped::turn(Load::Waits);
        run_with(&["--no-search"], &[program])
    };
    assert_eq!(run.status, Some(0), "{}\n{}", run.stdout, run.stderr);
    for line in run.stdout.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [call, known @ ..] = &words[..] else { panic!("{line}: not what the program prints") };
        let found = ["bytes_sent", "bytes_received"].map(|what| run.total(call, what).to_string());
        assert_eq!(found, known, "{call} {}", run.shown());
    }
    assert!(run.stdout.contains("getdelim"), "{}", run.stdout);
}
