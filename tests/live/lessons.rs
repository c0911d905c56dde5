//! Runs programs that other tools are known to measure wrongly: each must come out right here.

use crate::launcher::Mpi;
use crate::report::{Run, run, run_with};
use crate::shipped::Load;
use crate::{programs, shipped};
use serde_json::Value;

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
    let [cells] = run.list("user_events") else { panic!("it has one: {}", run.stderr) };
    assert_eq!([&cells["count"], &cells["sum"]], [250, 31_125], "{cells}");
}

#[test]
fn counters_and_gauges_are_what_the_program_says_itself() {
    let run = interface_program("api/counter");
    let [cells, level] = run.list("user_events") else { panic!("two: {}", run.stderr) };
    let whole = |event: &Value, member: &str| event[member].as_i64().expect("a whole number");
    let exact = |member: &str| level[member].as_f64().expect("a number");
    let told = format!(
        "counter: {} sum {}; {} least {} most {} mean {:.6} variance {:.6}\n",
        whole(cells, "count"),
        whole(cells, "sum"),
        whole(level, "count"),
        whole(level, "least"),
        whole(level, "most"),
        exact("mean"),
        exact("deviation").powi(2),
    );
    assert_eq!(told, run.stdout);
    assert_eq!([&cells["name"], &level["name"]], ["cells", "level [m]"]);
    assert_eq!(cells["callpaths"][0]["path"], serde_json::json!(["solve"]));
    let is_told = |row: &Value| row["path"].to_string().contains("cells");
    assert!(!run.list("profile").iter().any(is_told), "a counter is no call");
}

#[test]
fn what_a_program_says_of_itself_is_told_with_what_found_no_room() {
    let run = interface_program("api/metadata");
    let said = run.list("metadata");
    let value = |key: &str| said.iter().find(|one| one["key"] == key).map(|one| &one["value"]);
    let odd = value("odd \u{1b}[31m<&\">\n").and_then(Value::as_str);
    let is_told = run.stderr.contains("  mesh = fine\n")
        && run.stderr.contains("100  values that the program said of itself beyond the room");
    assert!(
        said.len() == 128
            && value("mesh").is_some_and(|mesh| mesh == "fine")
            && odd == Some("a\tb</value>\\")
            && is_told
            && !run.stderr.contains("[31m<&\">\n"),
        "{said:?}\n{}",
        run.stderr
    );
}

#[test]
fn regions_are_measured_by_their_groups() {
    let program = programs::with_interface().join("api/groups").display().to_string();
    for (groups, visits) in
        [("io=off", [0, 300, 50]), ("*=off,work=on", [0, 300, 0]), ("none=off", [100, 300, 50])]
    {
        let run = run_with(&["--groups", groups], std::slice::from_ref(&program));
        let told = ["load", "solve", "plain"].map(|region| run.total(region, "calls"));
        assert_eq!(told, visits, "{groups}: {}", run.stderr);
    }
}

#[test]
fn counters_and_gauges_are_asked_for_by_name() {
    let program = programs::with_interface().join("api/counter").display().to_string();
    let pairs = [
        ("counter_sum", "</UserEvent/cells>"),
        ("counter_adds", "</Code/counter.c/solve,/UserEvent/cells>"),
        ("gauge_sum", "</UserEvent/level%20[m]>"),
        ("gauge_sets", "</Code/counter.c/solve>"),
    ];
    let options: Vec<&str> =
        pairs.iter().flat_map(|(metric, focus)| ["--measure", metric, focus]).collect();
    let run = run_with(&options, &[program]);
    let values: i64 = (0..1000).map(|i| 3 - i * i % 101).sum();
    let added: i64 = (0..1000).map(|i| i % 7 - 2).sum();
    let totals: Vec<_> = run.list("measured").iter().map(|one| one["total"].as_f64()).collect();
    assert_eq!(totals, [added as f64, 1000.0, values as f64, 0.0].map(Some), "{}", run.stderr);
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
