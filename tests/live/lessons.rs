//! Runs programs that other tools are known to measure wrongly: each must come out right here.

use crate::launcher::Mpi;
use crate::report::{Run, run};
use crate::shipped::Load;
use crate::{programs, shipped};

fn interface_program(path: &str) -> Run {
    let program = programs::with_interface().join(path);
    let _turn = shipped::turn(Load::Waits);
    let run = run(&[program.display().to_string()]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    run
}

#[test]
fn first_events_in_threads_before_main_are_all_counted() {
    for _ in 0..15 {
        let run = interface_program("guests/first_event_in_thread");
        assert_eq!(run.stdout, "first_event_in_thread: sums 499500 499500\n");
        assert_eq!(run.total("early", "calls"), 2000, "{}", run.stderr);
    }
}

#[test]
fn an_end_without_a_begin_stops_nothing_and_is_said() {
    let run = interface_program("guests/unbalanced");
    assert_eq!(run.stdout, "unbalanced: done\n");
    assert_eq!(run.total("first", "calls"), 100, "{}", run.stderr);
    assert!(run.stderr.contains("begin"), "nothing tells of the anomalies:\n{}", run.stderr);
}

#[test]
fn a_counter_below_a_thousand_regions_is_exact() {
    let run = interface_program("guests/deep_counter");
    assert_eq!(run.stdout, "deep_counter: sum 500500\n");
    assert_eq!(run.total("level", "calls"), 1000, "{}", run.stderr);
    assert_eq!(run.total("cells", "calls"), 250, "{}", run.stderr);
    assert_eq!(run.total("cells", "bytes"), 31_125, "{}", run.stderr);
}

#[test]
fn a_serial_program_is_named_and_measured_without_any_mpi() {
    let run = interface_program("api/begin_end");
    let rows = run.list("profile");
    assert!(!rows.is_empty(), "{}", run.stderr);
    assert!(rows.iter().all(|row| row["process"].as_u64().is_some_and(|pid| pid > 0)));
}

#[test]
fn calls_of_mpi_are_never_left_out_however_many_and_none_is_added() {
    let mut words = Mpi::Mpich.launch(2);
    let program = programs::built_for(Mpi::Mpich).join("guests/many_calls");
    words.push(program.display().to_string());
    let _turn = shipped::turn(Load::Waits);
    let run = run(&words);
    assert_eq!(run.total("MPI_Iprobe", "calls"), 600_000, "{}", run.stderr);
    assert_eq!(run.total("MPI_Barrier", "calls"), 0, "{}", run.stderr);
}
