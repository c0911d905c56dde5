//! Traces of runs: each event of the program is in them, wildcards name what they matched, and other programs read what is exported.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::launcher::Mpi;
use crate::report::{bounded, scratch};
use crate::shipped::{self, Load};
use crate::{needs, programs};

/// A folder with a run that was traced.
struct Traced(PathBuf);

impl Drop for Traced {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).expect("the scratch folder is ours");
    }
}

impl Traced {
    fn of(options: &[&str], words: &[String]) -> Self {
        let traced = Self(scratch());
        let run = bounded(&shipped::whyperf())
            .args(["run", "--no-search"])
            .args(options)
            .arg("--")
            .args(words)
            .current_dir(&traced.0)
            .output()
            .expect("the command was built");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        traced
    }

    fn say(&self, words: &[&str]) -> String {
        let said = bounded(&shipped::whyperf()).args(words).current_dir(&self.0).output();
        let said = said.expect("the command was built");
        assert!(said.status.success(), "{words:?}: {}", String::from_utf8_lossy(&said.stderr));
        String::from_utf8_lossy(&said.stdout).into_owned()
    }

    fn summary(&self) -> Value {
        let text = self.say(&["trace", "show", "latest", "--json"]);
        serde_json::from_str(&text).expect("JSON")
    }

    /// How many lines of the trace as text begin so.
    fn count(&self, word: &str) -> usize {
        let text = self.say(&["trace", "export", "latest"]);
        text.lines().filter(|line| line.trim_start().starts_with(word)).count()
    }

    /// It runs to its end on another machine.
    fn simulate(&self) {
        let text = self.say(&["what-if", "latest", "--machine", "ideal", "--json"]);
        let said: Value = serde_json::from_str(&text).expect("JSON");
        assert!(said["elapsed_s"].as_f64() > Some(0.0), "{said}");
    }
}

fn program(mpi: Mpi, ranks: usize, words: &[&str]) -> Vec<String> {
    let path = programs::built_for(mpi).join("extrapolation").join(words[0]);
    let mut all = mpi.launch(ranks);
    all.push(path.display().to_string());
    all.extend(words[1..].iter().map(|word| (*word).to_owned()));
    all
}

const RANKS: usize = 4;
const ROUNDS: usize = 50;

fn has_all_events(mpi: Mpi, options: &[&str]) {
    let traced = {
        let _turn = shipped::turn(Load::Fills);
        Traced::of(options, &program(mpi, RANKS, &["traced", &ROUNDS.to_string()]))
    };
    let each = RANKS * ROUNDS;
    assert_eq!(traced.summary()["ranks"], RANKS, "one a process");
    let counts = ["isend", "irecv", "recv", "wait", "allreduce"].map(|word| traced.count(word));
    // A send and a receive in one are a started send, a receive and a wait.
    assert_eq!(counts, [4 * each, 2 * each, 2 * each, 6 * each, each]);
    // Those of the rounds, of both communicators that are made, and of the end.
    assert_eq!(traced.count("barrier"), each + 3 * RANKS);
    assert_eq!(traced.count("irecv any") + traced.count("recv any"), 0, "all matches are known");
    traced.simulate();
}

#[test]
fn each_event_of_an_open_mpi_program_is_in_its_trace() {
    has_all_events(Mpi::OpenMpi, &["--trace"]);
}

#[test]
fn each_event_of_an_mpich_program_is_in_its_trace() {
    has_all_events(Mpi::Mpich, &["--trace"]);
}

#[test]
fn a_rank_that_another_program_started_is_the_program() {
    let traced = {
        let _turn = shipped::turn(Load::Fills);
        let mut words = program(Mpi::OpenMpi, 2, &["traced", "5"]);
        let path = words.len() - 2;
        words.insert(path, "linux64".to_owned());
        Traced::of(&["--trace"], &words)
    };
    assert_eq!(traced.count("allreduce"), 2 * 5);
}

#[test]
fn ranks_that_take_turns_have_the_same_events() {
    has_all_events(Mpi::OpenMpi, &["--serial"]);
}

#[test]
fn a_thread_that_polls_in_its_turn_loses_it() {
    let _turn = shipped::turn(Load::Fills);
    let path = programs::plain().join("extrapolation/traced_threads");
    let words = [path.display().to_string(), "2".into(), "5".into(), "polls".into()];
    let traced = Traced::of(&["--serial", "--serial-limit", "0.05"], &words);
    assert_eq!(traced.count("barrier"), 10);
}

#[test]
fn threads_are_ranks_that_meet_and_are_joined() {
    let traced = {
        let _turn = shipped::turn(Load::Fills);
        let path = programs::plain().join("extrapolation/traced_threads");
        Traced::of(&["--trace"], &[path.display().to_string(), "3".into(), "20".into()])
    };
    assert_eq!(traced.summary()["ranks"], 4);
    assert_eq!(traced.count("barrier"), 60);
    // Main starts three threads and joins them.
    assert_eq!([traced.count("send"), traced.count("recv")], [6, 6]);
    // What a thread computes before it calls anything is in the trace.
    let text = traced.say(&["trace", "export", "latest"]);
    let is_work = |line: &&str| !line.ends_with(" 0ns");
    let lines: Vec<&str> = text.lines().map(str::trim_start).filter(is_work).collect();
    let is_lost = |pair: &&[&str]| pair[0].starts_with("recv 0") && pair[1].starts_with("barrier");
    assert_eq!(lines.windows(2).filter(is_lost).count(), 0, "{text}");
    traced.simulate();
}

#[test]
fn what_has_no_room_is_counted_and_the_rest_ends_at_once() {
    let traced = {
        let _turn = shipped::turn(Load::Fills);
        let words = program(Mpi::OpenMpi, 2, &["traced", "500"]);
        Traced::of(&["--trace", "--trace-limit", "200K"], &words)
    };
    let summary = traced.summary();
    let missing = summary["facts"]["missing"].as_str().unwrap_or_default();
    assert!(missing.contains("the trace ends at"), "{summary}");
    assert!(traced.count("allreduce") < 1000);
}

/// What the tools of OTF2 itself say of an archive, in lines that begin so.
fn printed(anchor: &Path, word: &str) -> usize {
    let said = Command::new("otf2-print").arg(anchor).output().expect("otf2-tools are installed");
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success() && complaints.is_empty(), "{complaints}");
    text.lines().filter(|line| line.split_whitespace().next() == Some(word)).count()
}

#[test]
fn the_tools_of_otf2_read_what_is_exported_and_so_do_we() {
    if !needs::program("otf2-print") {
        return;
    }
    let traced = {
        let _turn = shipped::turn(Load::Fills);
        Traced::of(&["--trace"], &program(Mpi::OpenMpi, RANKS, &["traced", &ROUNDS.to_string()]))
    };
    let each = RANKS * ROUNDS;
    traced.say(&["trace", "export", "latest", "--format", "otf2", "--output", "run.otf2"]);
    let anchor = traced.0.join("run.otf2");
    let counts = ["MPI_ISEND", "MPI_IRECV", "MPI_RECV"].map(|word| printed(&anchor, word));
    assert_eq!(counts, [4 * each, 2 * each, 2 * each]);
    assert_eq!(printed(&anchor, "MPI_COLLECTIVE_END"), 2 * each + 3 * RANKS);
    traced.say(&["trace", "import", "run.otf2"]);
    let own = traced.say(&["what-if", "latest", "--machine", "laptop", "--json"]);
    let read = traced.say(&["what-if", "run.trace", "--machine", "laptop", "--json"]);
    let elapsed = |text: &str| -> f64 {
        let said: Value = serde_json::from_str(text).expect("JSON");
        said["elapsed_s"].as_f64().expect("a number")
    };
    let (own, read) = (elapsed(&own), elapsed(&read));
    // The archive has whole nanoseconds.
    assert!((own - read).abs() < 0.01 * own, "{own} against {read}");
}

/// What the bottlenecks of a run are worth, by hypothesis and focus; none where nothing is said. By its own report, and by that of a diagnosis of it.
fn worth(words: &[String]) -> [Vec<(String, Option<f64>)>; 2] {
    let folder = scratch();
    let run = {
        let _turn = shipped::turn(Load::Fills);
        let mut run = bounded(&shipped::whyperf());
        run.args(["run", "--trace", "--json", "run.json", "--"]).args(words);
        run.current_dir(&folder).output().expect("the command was built")
    };
    let mut diagnosis = bounded(&shipped::whyperf());
    diagnosis.args(["diagnose", "latest", "--json", "diagnosis.json"]).current_dir(&folder);
    let diagnosis = diagnosis.output().expect("the command was built");
    for said in [&run, &diagnosis] {
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    }
    let told = ["run.json", "diagnosis.json"].map(|name| {
        let text = std::fs::read(folder.join(name)).expect("it is written");
        serde_json::from_slice::<Value>(&text).expect("JSON")
    });
    std::fs::remove_dir_all(&folder).expect("the scratch folder is ours");
    let one = |one: &Value| {
        let [hypothesis, focus] =
            ["hypothesis", "focus"].map(|key| one[key].as_str().unwrap_or(""));
        (format!("{hypothesis} {focus}"), one["worth"]["saved_s"].as_f64())
    };
    told.map(|report| {
        report["bottlenecks"].as_array().expect("bottlenecks").iter().map(one).collect()
    })
}

#[test]
fn waits_of_a_function_and_a_tag_are_worth_what_they_hold_up() {
    let path = programs::built_for(Mpi::OpenMpi).join("bottleneck/late_sender");
    let mut words = Mpi::OpenMpi.launch(2);
    words.extend([path.display().to_string(), "4".into()]);
    let of_function = |(name, _): &&(String, Option<f64>)| {
        name.starts_with("ExcessiveSyncWaitingTime")
            && name.contains("/receive_block")
            && name.contains("/Message/")
    };
    for all in worth(&words) {
        let found: Vec<_> = all.iter().filter(of_function).collect();
        // The sender computes on and sleeps for as long: it is not held up, and hardly anything is saved.
        let is_known =
            |(_, worth): &&(String, Option<f64>)| worth.is_some_and(|saved| saved.abs() < 1.0);
        assert!(!found.is_empty() && found.iter().all(is_known), "{all:?}");
    }
}
