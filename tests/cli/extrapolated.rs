//! Traces are extrapolated to other machines: sweeps, rankings, crossovers, experiment files, and what a cure is worth.

use serde_json::Value;

use crate::command::{Folder, Said, say};

/// A folder with traces of text.
struct Traces(Folder);

impl Traces {
    fn new(name: &str) -> Self {
        Self(Folder::new(name))
    }

    /// Makes a trace, and says where it is.
    fn make(&self, name: &str, text: &str) -> String {
        let (written, trace) =
            (self.0.file(&format!("{name}.txt")), self.0.file(&format!("{name}.trace")));
        std::fs::write(&written, text).expect("writable");
        done(&["trace", "import", &written, "--output", &trace]);
        trace
    }

    /// A program whose work is divided among ranks, with a barrier that takes longer with each of them, or a fixed time.
    fn divided(&self, name: &str, ranks: u32, rest: &str) -> String {
        let text = format!(
            "whyperf trace 1\nname {name}\nranks {ranks}\nrank 0-{}\ncompute step {}us\n{rest}\nbarrier\n",
            ranks - 1,
            1000.0 / f64::from(ranks)
        );
        self.make(&format!("{name}{ranks}"), &text)
    }

    /// Extrapolates, and reads what was written as JSON.
    fn extrapolated(&self, words: &[&str]) -> Value {
        let file = self.0.file("results.json");
        let all = [&["extrapolate", "--json", &file], words].concat();
        done(&all);
        serde_json::from_slice(&std::fs::read(&file).expect("it is written")).expect("JSON")
    }
}

fn done(words: &[&str]) -> String {
    let said = say(words);
    assert_eq!(said.status, Some(0), "{words:?}: {said:?}");
    String::from_utf8_lossy(&said.stdout).into_owned()
}

fn refused(words: &[&str]) -> String {
    let said: Said = say(words);
    assert_eq!(said.status, Some(125), "{words:?}: {said:?}");
    said.stderr
}

fn numbers(runs: &Value, member: &str) -> Vec<f64> {
    let runs = runs["runs"].as_array().expect("runs");
    runs.iter().map(|run| run[member].as_f64().expect("a number")).collect()
}

#[test]
fn a_sweep_over_processors_takes_the_trace_of_as_many_ranks() {
    let traces = Traces::new("sweep");
    let all: Vec<String> = [1, 2, 4].map(|ranks| traces.divided("rows", ranks, "")).into();
    let mut words: Vec<&str> = all.iter().map(String::as_str).collect();
    words.extend(["--machine", "ideal", "--set", "processors=1..4*2"]);
    let results = traces.extrapolated(&words);
    assert_eq!(results["format"], "whyperf-extrapolation");
    assert_eq!(numbers(&results, "elapsed_s"), [1e-3, 5e-4, 2.5e-4]);
    assert_eq!(numbers(&results, "speedup"), [1.0, 2.0, 4.0]);
    assert_eq!(numbers(&results, "efficiency"), [1.0, 1.0, 1.0]);
    assert_eq!(results["runs"][2]["set"], serde_json::json!({ "processors": 4 }));
    let leading = &results["runs"][0]["leading"];
    assert_eq!(leading["hypothesis"], "CPUbound");
    assert_eq!(leading["focus"], "</Code/step,/Machine,/Process,/SyncObject>");
}

#[test]
fn more_processors_than_ranks_are_a_guess_with_an_error() {
    let traces = Traces::new("guess");
    let all: Vec<String> = [2, 4, 8, 16].map(|ranks| traces.divided("rows", ranks, "")).into();
    let mut words: Vec<&str> = all.iter().map(String::as_str).collect();
    words.extend(["--machine", "ideal", "--set", "processors=16,100"]);
    let results = traces.extrapolated(&words);
    let [known, guessed] = [0, 1].map(|at| &results["runs"][at]);
    assert_eq!((&known["guess"], &guessed["guess"]), (&false.into(), &true.into()));
    let elapsed = guessed["elapsed_s"].as_f64().expect("a number");
    assert!((elapsed - 1e-5).abs() < 1e-9, "{elapsed}");
    assert!(guessed["plus_minus_s"].as_f64().expect("a number") < 1e-9, "{guessed}");
}

#[test]
fn fewer_processors_than_ranks_are_shared() {
    let traces = Traces::new("shared");
    let trace = traces.divided("rows", 4, "");
    let results = traces.extrapolated(&[&trace, "--machine", "ideal", "--set", "processors=1,2"]);
    assert_eq!(numbers(&results, "elapsed_s"), [1e-3, 5e-4]);
    assert_eq!(results["runs"][0]["leading"]["hypothesis"], "WaitingForProcessors");
}

#[test]
fn the_best_variant_changes_where_latency_grows() {
    let traces = Traces::new("crossover");
    let messages = "send +1 0\nrecv -1\nsend +1 0\nrecv -1";
    let talks = traces.divided("talks", 2, messages);
    let computes = traces.divided("computes", 2, "compute step 50us");
    let words = [&talks, &computes, "--machine", "ideal", "--set", "latency=10,20,30,40"];
    let results = traces.extrapolated(&words);
    assert_eq!(results["ranking"][0]["order"][0]["variant"], "talks");
    assert_eq!(results["ranking"][3]["order"][0]["variant"], "computes");
    let expected = serde_json::json!([{
        "parameter": "latency", "from": "20", "to": "30", "before": "talks", "after": "computes"
    }]);
    assert_eq!(results["crossovers"], expected);
    let text =
        done(&["extrapolate", &talks, &computes, "--machine", "ideal", "--set", "latency=20,30"]);
    assert!(text.contains("between latency=20 and 30: computes instead of talks"), "{text}");
}

#[test]
fn an_experiment_is_kept_and_run_again() {
    let traces = Traces::new("experiment");
    let trace = traces.divided("rows", 2, "");
    let file = traces.0.file("experiment.toml");
    let set = ["--set", "processors=1,2", "--set", "barrier=tree,linear"];
    let first = done(
        &[&["extrapolate", &trace, "--machine", "cm5", "--save-experiment", &file], &set[..]]
            .concat(),
    );
    assert_eq!(first.lines().filter(|line| line.contains("barrier=")).count(), 4, "{first}");
    assert_eq!(done(&["extrapolate", "--experiment", &file]), first);
    let other = done(&["extrapolate", "--experiment", &file, "--set", "barrier=tree"]);
    assert_eq!(other.lines().filter(|line| line.contains("barrier=")).count(), 1, "{other}");
}

#[test]
fn what_a_cure_is_worth() {
    let traces = Traces::new("cure");
    let uneven = "whyperf trace 1\nranks 2\nrank 0\ncompute early 10us\nbarrier\ncompute late 30us\nbarrier\n\
        rank 1\ncompute first 30us\nbarrier\ncompute late 20us\nbarrier\n";
    let trace = traces.make("uneven", uneven);
    let json = |words: &[&str]| -> Value {
        let all = [&["what-if", &trace, "--machine", "ideal", "--json"], words].concat();
        serde_json::from_str(&done(&all)).expect("JSON")
    };
    let saved = |value: &Value, change: &str| {
        let changes = value["changes"].as_array().expect("changes");
        let found = changes
            .iter()
            .find(|one| one["change"].as_str().is_some_and(|name| name.contains(change)));
        (found.expect("it is there")["saved_s"].as_f64().expect("a number") * 1e9).round()
    };
    let all = json(&[]);
    assert_eq!(all["elapsed_s"].as_f64().map(|s| (s * 1e9).round()), Some(60_000.0));
    // Without the barrier in the middle, 40 and 50 us: 10 of the 60 are saved, though 30 are waited in barriers.
    assert_eq!(saved(&all, "no barriers"), 10_000.0);
    assert_eq!(saved(&all, "first computes in no time"), 20_000.0);
    let half = json(&["--region", "late=0.5x"]);
    assert_eq!(saved(&half, "late"), 15_000.0);
    let focus = "</Code/early,/Machine,/Process,/SyncObject/Barrier>";
    // Rank 1 calls the same barrier from a region of another name, and is without it, too.
    assert_eq!(saved(&json(&["--no-wait", focus]), "without"), 10_000.0);
    let focus = "</Code/first,/Machine,/Process/1,/SyncObject/Barrier/MPI_COMM_WORLD>";
    assert_eq!(saved(&json(&["--no-wait", focus]), "without"), 10_000.0);
}

/// A message that rank 1 waits for.
const LATE: &str = "whyperf trace 1\nranks 2\nrank 0\ncompute work 10us\nsend 1 8\nrank 1\ncompute work 2us\nrecv 0\ncompute work 5us\n";

#[test]
fn a_message_that_is_there_when_it_is_wanted_saves_the_wait_for_it() {
    let traces = Traces::new("wanted");
    let trace = traces.make("late", LATE);
    let nanos = |value: &Value| (value.as_f64().expect("a number") * 1e9).round();
    let saved = |focus: &str| {
        let said = done(&["what-if", &trace, "--machine", "ideal", "--json", "--no-wait", focus]);
        let said: Value = serde_json::from_str(&said).expect("JSON");
        [nanos(&said["elapsed_s"]), nanos(&said["changes"][0]["saved_s"])]
    };
    let of_rank = "</Code,/Machine,/Process/1,/SyncObject/Message>";
    assert_eq!(saved(of_rank), [15_000.0, 5_000.0]);
    assert_eq!(saved("/SyncObject/Message/MPI_COMM_WORLD/0"), [15_000.0, 5_000.0]);
    assert_eq!(saved("/SyncObject/Message/MPI_COMM_WORLD/7"), [15_000.0, 0.0], "another tag");
}

#[test]
fn messages_that_nobody_received_are_told_and_hinder_nothing() {
    let traces = Traces::new("unreceived");
    let trace = traces.make("more", &LATE.replace("send 1 8", "send 1 8\nsend 1 8"));
    let said = say(&["what-if", &trace, "--machine", "ideal", "--region", "work=0.5x"]);
    assert_eq!(said.status, Some(0), "{said:?}");
    assert!(said.stderr.contains("1 messages were sent and never received"), "{said:?}");
}

#[test]
fn a_simulated_run_is_kept_and_diagnosed_like_any_other() {
    let traces = Traces::new("kept");
    // Rank 0 computes three times as long as the others, which wait for it at the barrier.
    let uneven = "whyperf trace 1\nname uneven\nranks 4\nrank 0\nrepeat 100\ncompute heavy 300ms\nbarrier\nend\n\
        rank 1-3\nrepeat 100\ncompute light 100ms\nbarrier\nend\n";
    let trace = traces.make("uneven", uneven);
    let store = traces.0.file("runs.db");
    done(&["extrapolate", &trace, "--machine", "cm5", "--keep", "--store", &store]);
    let json = |words: &[&str]| -> Value {
        let all = [words, &["--json", "--store", &store]].concat();
        serde_json::from_str(&done(&all)).expect("JSON")
    };
    let run = &json(&["runs"])[0];
    assert_eq!((&run["application"], &run["experiment"]), (&"uneven".into(), &"cm5".into()));
    assert!((run["elapsed_s"].as_f64().expect("a number") - 30.0).abs() < 0.1, "{run}");
    let report = traces.0.file("report.json");
    done(&["diagnose", "latest", "--store", &store, "--json", &report]);
    let report: Value =
        serde_json::from_slice(&std::fs::read(&report).expect("it is written")).expect("JSON");
    let found = |hypothesis: &str, part: &str| {
        let all = report["bottlenecks"].as_array().expect("bottlenecks");
        all.iter().any(|one| {
            one["hypothesis"] == hypothesis
                && one["focus"].as_str().is_some_and(|focus| focus.contains(part))
        })
    };
    assert!(found("ExcessiveSyncWaitingTime", "/SyncObject/Barrier"), "{report}");
    assert!(found("CPUbound", "/Code/heavy"), "{report}");
    let profile = json(&["show", "latest~1", "--profile"]);
    let calls = |path: &[&str]| -> u64 {
        let rows = profile.as_array().expect("rows").iter();
        rows.filter(|row| row["path"] == serde_json::json!(path))
            .filter_map(|row| row["calls"].as_u64())
            .sum()
    };
    assert_eq!((calls(&["heavy"]), calls(&["light", "barrier"])), (100, 300), "{profile}");
}

#[test]
fn what_cannot_be_is_told() {
    let traces = Traces::new("refused");
    let trace = traces.divided("rows", 2, "allreduce 8");
    let on =
        |words: &[&str]| refused(&[&["extrapolate", &trace, "--machine", "cm5"], words].concat());
    assert!(on(&["--set", "speed=1"]).contains("there is no parameter 'speed'"));
    assert!(on(&["--set", "processors=4"]).contains("no trace with 4 ranks: the largest has 2"));
    assert!(on(&["--set", "latency=1..1000000"]).contains("say --most-runs 1000000"));
    assert!(on(&["--set", "gap=1", "--set", "gap=2"]).contains("gap is set twice"));
    assert!(on(&[&trace]).contains("is a second trace of 'rows' with 2 ranks"));
    let what =
        |words: &[&str]| refused(&[&["what-if", &trace, "--machine", "cm5"], words].concat());
    assert!(what(&["--region", "stop=2x"]).contains("its regions are step"));
    let of = |object: &str| what(&["--no-wait", object]);
    assert!(of("/SyncObject/Message/rows").contains("no communicator that is called 'rows'"));
    assert!(of("/SyncObject/Message/MPI_COMM_WORLD/many").contains("'many' is no tag"));
    let of_rank = |rank: u32| format!("</Code,/Machine,/Process/{rank},/SyncObject/Barrier>");
    assert!(what(&["--no-wait", &of_rank(2)]).contains("the trace has no rank '2'"));
    let of_both = "</Process/(0,2),/SyncObject/Barrier>";
    assert!(what(&["--no-wait", of_both]).contains("the trace has no rank '2'"));
    assert!(
        what(&["--no-wait", "/SyncObject/Collective/shout"]).contains("no collective call 'shout'")
    );
}

#[test]
fn a_trace_that_deadlocks_is_told_with_its_cycle() {
    let traces = Traces::new("deadlock");
    let trace = traces.make("stuck", "whyperf trace 1\nranks 2\nrank 0-1\nrecv +1\nsend +1 8\n");
    let said = say(&["extrapolate", &trace, "--machine", "cm5"]);
    assert_eq!(said.status, Some(1), "{said:?}");
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(text.contains("deadlock: rank 0 waits in"), "{text}");
}

#[test]
fn a_sweep_that_was_interrupted_goes_on_where_it_was() {
    let traces = Traces::new("resumed");
    let trace = traces.divided("work", 4, "");
    let journal = traces.0.file("sweep.runs");
    let sweep = [trace.as_str(), "--machine", "cm5", "--set", "latency=1..5"];
    let all = traces.extrapolated(&[&sweep[..], &["--resume", &journal]].concat());
    let written = std::fs::read_to_string(&journal).expect("it is written");
    assert_eq!(written.lines().count(), 5);
    // Of the last run nothing but its beginning was written, and of the first one something else.
    let cut = written.replacen("\"elapsed_s\":", "\"elapsed_s\":9", 1);
    std::fs::write(&journal, &cut[..cut.len() - 9]).expect("writable");
    let again = traces.extrapolated(&[&sweep[..], &["--resume", &journal]].concat());
    assert_ne!(again["runs"][0], all["runs"][0], "what is noted is not simulated again");
    let others = |results: &Value| results["runs"].as_array().expect("a list")[1..].to_vec();
    assert_eq!(others(&again), others(&all));
    assert_eq!(std::fs::read_to_string(&journal).expect("written").lines().count(), 5);
}

/// How many runs of a sweep of two were simulated, and not taken from the journal.
fn simulated_anew(traces: &Traces, trace: &str, machine: &str) -> usize {
    let journal = traces.0.file("sweep.runs");
    let count = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    let before = count();
    let sweep = ["--machine", machine, "--set", "latency=1,2", "--resume", &journal];
    traces.extrapolated(&[&[trace], &sweep[..]].concat());
    count() - before
}

#[test]
fn a_sweep_begins_anew_where_its_machine_or_trace_was_changed() {
    let traces = Traces::new("anew");
    let (first, other) = (traces.divided("work", 4, ""), traces.0.file("other.trace"));
    let machine = traces.0.file("mine.toml");
    let shown = done(&["machine", "show", "cm5", "--toml"]);
    let written = |text: &str| std::fs::write(&machine, text).expect("writable");
    written(&shown);
    assert_eq!(simulated_anew(&traces, &first, &machine), 2);
    written(&format!("# Only said in other words.\n{shown}"));
    assert_eq!(simulated_anew(&traces, &first, &machine), 0, "no figure was changed");
    let changed = shown.replacen("gap = 4", "gap = 5", 1);
    assert_ne!(changed, shown, "{shown}");
    written(&changed);
    assert_eq!(simulated_anew(&traces, &first, &machine), 2, "a figure was changed");
    written(&shown);
    assert_eq!(simulated_anew(&traces, &first, &machine), 0, "it is as it was");
    std::fs::rename(&first, &other).expect("it is there");
    traces.divided("work", 4, "allreduce 8");
    assert_eq!(simulated_anew(&traces, &first, &machine), 2, "the trace was changed");
    assert_eq!(simulated_anew(&traces, &other, &machine), 0, "it has another name alone");
}
