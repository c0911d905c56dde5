//! Runs that were kept are diagnosed: with what was found live, with other thresholds, and where nothing was asked while they ran.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::launcher::Mpi;
use crate::report::{bounded, is_by_other_work, scratch};
use crate::shipped::Load;
use crate::{expectation, programs, shipped};

/// A folder with a store, and what is done in it.
pub(crate) struct Place(pub(crate) PathBuf);

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Place {
    pub(crate) fn say(&self, words: &[&str]) -> Output {
        let mut command = bounded(&shipped::whyperf());
        command.args(words).env_remove("WHYPERF_NO_STORE").current_dir(&self.0);
        command.output().expect("the command was built")
    }

    /// The report that a verb writes.
    pub(crate) fn report(&self, verb: &[&str], rest: &[String]) -> Value {
        let file = self.0.join("report.json").display().to_string();
        let mut words = verb.to_vec();
        words.extend(["--json", &file]);
        words.extend(rest.iter().map(String::as_str));
        let said = self.say(&words);
        let text = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.status.success(), "{words:?}: {text}");
        let json = fs::read(&file).expect("the report was written");
        serde_json::from_slice(&json).expect("a report is JSON")
    }
}

/// What a report says holds, whatever else runs on the machine: hypothesis and focus, and how far beyond the threshold.
fn found(report: &Value) -> Vec<(String, f64)> {
    let list = report["bottlenecks"].as_array().expect("a list").iter();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let number = |value: &Value| value.as_f64().expect("a number");
    let list = list.filter(|one| !is_by_other_work(&text(&one["hypothesis"])));
    list.map(|one| {
        let name = format!("{} {}", text(&one["hypothesis"]), text(&one["focus"]));
        (name, number(&one["value"]) / number(&one["threshold"]))
    })
    .collect()
}

fn is_diagnosed_as_it_was_live(words: &[String], leading: Option<&str>) {
    let _turn = shipped::turn(Load::Computes);
    let place = Place(scratch());
    let rest = [&["--".to_owned()], words].concat();
    let live = place.report(&["run", "-q"], &rest);
    let run = live["run"].as_str().expect("the run was kept").to_owned();
    let diagnosed = place.report(&["diagnose", &run], &[]);
    let first = |report: &Value| found(report).first().map(|(name, _)| name.clone());
    assert_eq!(first(&diagnosed), first(&live), "{:#?}\n{:#?}", found(&live), found(&diagnosed));
    if let Some(hypothesis) = leading {
        assert!(
            first(&live).is_some_and(|name| name.starts_with(hypothesis)),
            "{:?}",
            found(&live)
        );
    }
    // What is well beyond its threshold is found in either.
    let names: Vec<String> = found(&diagnosed).into_iter().map(|(name, _)| name).collect();
    let clear = found(&live).into_iter().filter(|(name, margin)| {
        *margin > 1.5 && name.starts_with("Excessive") && !name.contains("/Code/")
    });
    for (name, margin) in clear {
        assert!(names.contains(&name), "{name}, {margin:.1} times its threshold:\n{names:#?}");
    }
    causes_agree(&live, &diagnosed);
    for member in ["time", "time_by_process", "processors"] {
        assert_eq!(live[member], diagnosed[member], "{member}");
    }
    other_thresholds(&place, &run, &diagnosed);
    lessons(&place, &diagnosed);
}

/// Because of whom ranks and threads wait is told as it was: who, what it did meanwhile and where, and how much of the waiting it was.
fn causes_agree(live: &Value, diagnosed: &Value) {
    let causes = |report: &Value| -> Vec<(String, String, f64)> {
        let all = report["bottlenecks"].as_array().expect("a list").iter();
        let first = all.filter_map(|one| one["causes"].as_array()).find(|all| !all.is_empty());
        let told = first.into_iter().flatten().map(|cause| {
            let text = |member: &str| cause[member].as_str().expect("text").to_owned();
            (text("state"), text("focus"), cause["share"].as_f64().expect("a share"))
        });
        told.collect()
    };
    let (was, is) = (causes(live), causes(diagnosed));
    assert_eq!(was.len(), is.len(), "{was:?} {is:?}");
    for (was, is) in was.iter().zip(&is) {
        assert_eq!((&was.0, &was.1), (&is.0, &is.1));
        assert!((was.2 - is.2).abs() < 1e-3, "{was:?} {is:?}");
    }
}

/// With a threshold that nothing passes the same run has no such bottleneck.
fn other_thresholds(place: &Place, run: &str, diagnosed: &Value) {
    let again = place.report(&["diagnose", run], &[]);
    assert_eq!(again.to_string(), diagnosed.to_string(), "two diagnoses differ");
    let table = place.say(&["hypotheses"]);
    let table = String::from_utf8(table.stdout).expect("text");
    let names = table.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    let high: Vec<String> = names
        .map(|name| format!("{name}={}", if name.starts_with("TooManySmall") { "0" } else { "1" }))
        .collect();
    let strict = place.report(&["diagnose", run, "--threshold", &high.join(",")], &[]);
    assert_eq!(found(&strict), [], "nothing takes more than all of the time");
    assert_ne!(strict["run"], diagnosed["run"], "another diagnosis has another name");
    let runs: Value = serde_json::from_slice(&place.say(&["runs", "--json"]).stdout).expect("JSON");
    assert_eq!(runs.as_array().map(Vec::len), Some(3), "the run and two diagnoses: {runs}");
}

/// A diagnosis gives directives, as a search of the running program does.
fn lessons(place: &Place, diagnosed: &Value) {
    let id = diagnosed["run"].as_str().expect("the diagnosis was kept");
    let said = place.say(&["directives", "extract", id]);
    let text = String::from_utf8(said.stdout).expect("text");
    let leading = &found(diagnosed)[0].0;
    let (hypothesis, _) = leading.split_once(' ').expect("hypothesis and focus");
    assert!(text.contains(&format!("priority  high  {hypothesis}")), "{text}");
}

fn bottleneck(name: &str, ranks: usize) -> (Vec<String>, String) {
    let expected = expectation::of(&format!("bottleneck/{name}.c"));
    let mpi = Mpi::OpenMpi;
    let folder = if ranks == 0 { programs::plain() } else { programs::built_for(mpi) };
    let mut words = if ranks == 0 { Vec::new() } else { mpi.launch(ranks) };
    words.push(folder.join("bottleneck").join(name).display().to_string());
    words.push("6".to_owned());
    (words, expected.hypothesis)
}

#[test]
fn late_sender() {
    let (words, hypothesis) = bottleneck("late_sender", 2);
    is_diagnosed_as_it_was_live(&words, Some(&hypothesis));
}

#[test]
fn lock_contention() {
    let (words, hypothesis) = bottleneck("lock_contention", 0);
    is_diagnosed_as_it_was_live(&words, Some(&hypothesis));
}

#[test]
fn small_io() {
    let (words, hypothesis) = bottleneck("small_io", 0);
    is_diagnosed_as_it_was_live(&words, Some(&hypothesis));
}

#[test]
fn io_on_one_rank() {
    let (words, hypothesis) = bottleneck("io_on_one_rank", 2);
    is_diagnosed_as_it_was_live(&words, Some(&hypothesis));
}

#[test]
fn poisson() {
    let mpi = Mpi::OpenMpi;
    let program = programs::built_for(mpi).join("poisson/c/oned");
    let mut words = mpi.launch(4);
    words.extend([program.display().to_string(), "512".to_owned(), "15000".to_owned()]);
    is_diagnosed_as_it_was_live(&words, Some("ExcessiveSyncWaitingTime"));
}

/// Phases that were searched apart while the program ran are searched apart again, and lines of the source are told.
#[test]
fn phases() {
    let _turn = shipped::turn(Load::Computes);
    let place = Place(scratch());
    let mut rest = vec!["--".to_owned()];
    rest.extend(Mpi::OpenMpi.launch(4));
    let program = programs::built_for(Mpi::OpenMpi).join("api/two_phases");
    rest.extend([program.display().to_string(), "4".to_owned()]);
    let live = place.report(&["run", "-q", "--code-search", "none"], &rest);
    let diagnosed = place.report(&["diagnose", "latest"], &[]);
    let list = |report: &Value| report["phases"].as_array().expect("a list").clone();
    let moments = |phases: &[Value]| -> Vec<Value> {
        let keys = ["name", "begin_s", "end_s"];
        phases.iter().flat_map(|phase| keys.map(|key| phase[key].clone())).collect()
    };
    let (lived, again) = (list(&live), list(&diagnosed));
    assert_eq!(lived.len(), 2, "two phases were announced: {live}");
    assert_eq!(moments(&again), moments(&lived));
    efficiencies_agree(&live, &diagnosed);
    for (was, is) in lived.iter().zip(&again) {
        let names: Vec<String> = found(is).into_iter().map(|(name, _)| name).collect();
        let clear = found(was).into_iter().filter(|(_, margin)| *margin > 1.5);
        for (name, margin) in clear {
            assert!(names.contains(&name), "{name}, {margin:.1} times: {names:#?}");
        }
        let first = |phase: &Value| found(phase).first().map(|(name, _)| name.clone());
        assert_eq!(first(is), first(was), "{}", is["name"]);
    }
    let lines = |report: &Value| -> std::collections::BTreeMap<String, String> {
        let list = report["bottlenecks"].as_array().expect("a list").iter();
        let line = |one: &Value| {
            Some((
                format!("{}{}", one["hypothesis"], one["focus"]),
                one["source"].as_str()?.to_owned(),
            ))
        };
        list.filter_map(line).collect()
    };
    let (lived, again) = (lines(&live), lines(&diagnosed));
    let both = again.iter().filter(|(name, _)| lived.contains_key(*name));
    assert!(both.clone().count() > 0, "{lived:?} {again:?}");
    for (name, line) in both {
        assert_eq!(lived[name], *line, "{name}");
    }
    let whole = place.report(&["diagnose", "latest", "--no-phases"], &[]);
    assert_eq!(list(&whole), Vec::<Value>::new());
}

/// The head of a report, and that of each phase: how well ranks used their time.
fn efficiencies_agree(live: &Value, diagnosed: &Value) {
    let heads = |report: &Value| -> Vec<Value> {
        let phases = report["phases"].as_array().into_iter().flatten();
        [report].into_iter().chain(phases).map(|part| part["efficiency"].clone()).collect()
    };
    let (was, is) = (heads(live), heads(diagnosed));
    assert_eq!(was.len(), is.len());
    for (was, is) in was.iter().zip(&is) {
        for share in ["parallel", "load_balance", "communication", "input_output"] {
            let [was, is] = [was, is].map(|head| head[share].as_f64());
            let differ = was.zip(is).map(|(was, is)| (was - is).abs());
            assert!(differ.is_some_and(|differ| differ < 1e-6), "{share}: {was:?} and {is:?}");
        }
    }
}

/// What nobody asked while it ran is found all the same, and the store says what the run was made of.
#[test]
fn a_run_without_a_search() {
    let _turn = shipped::turn(Load::Computes);
    let place = Place(scratch());
    let (words, hypothesis) = bottleneck("late_sender", 2);
    let rest = [&["--".to_owned()], words.as_slice()].concat();
    let live = place.report(&["run", "-q", "--no-search"], &rest);
    assert_eq!((&live["search"]["pairs_tested"], found(&live)), (&0.into(), Vec::new()));
    let diagnosed = place.report(&["diagnose", "latest"], &[]);
    assert_eq!(diagnosed["diagnosis_of"], live["run"]);
    let names = found(&diagnosed);
    assert!(names.first().is_some_and(|(name, _)| name.starts_with(&hypothesis)), "{names:#?}");
    let tag = expectation::of("bottleneck/late_sender.c").object;
    let tag = tag.split("/<").next().unwrap_or(&tag).to_owned();
    assert!(names.iter().any(|(name, _)| name.contains(&tag)), "{names:#?}");
    let shown: Value =
        serde_json::from_slice(&place.say(&["show", "latest", "--json"]).stdout).expect("JSON");
    assert_eq!(shown["source"], live["run"]);
    let fact = |name: &str| {
        let facts = shown["facts"].as_array().expect("a list");
        facts.iter().find(|fact| fact["name"] == name).map(|fact| fact["value"].to_string())
    };
    assert!(fact("MPI").is_some_and(|mpi| mpi.contains("Open MPI")), "{shown:#}");
    assert!(fact("cpu").is_some() && fact("launcher").is_some());
    let objects = shown["objects"].as_array().expect("a list");
    let of = |part: &str| {
        objects.iter().find(|one| one["name"].as_str().is_some_and(|name| name.contains(part)))
    };
    let program = of("late_sender").expect("the program is an object");
    assert!(program["compiler"].as_str().is_some_and(|by| by.contains("GCC")), "{program}");
    assert!(program["build_id"].as_str().is_some_and(|id| id.len() >= 16), "{program}");
    assert!(of("libmpi").is_some() && of("libc.so").is_some(), "{objects:?}");
    let store = fs::metadata(Path::new(&place.0).join("whyperf.db")).expect("it was written");
    assert!(store.len() < 4 << 20, "{} bytes", store.len());
}

/// The dwell time of a classic verdict is twenty seconds; a run of six teaches that less would do, and is diagnosed so.
#[test]
fn a_hold_that_was_learned() {
    let _turn = shipped::turn(Load::Computes);
    let place = Place(scratch());
    let (words, hypothesis) = bottleneck("starved_consumer", 0);
    let rest = [&["--".to_owned()], words.as_slice()].concat();
    let live = place.report(&["run", "-q"], &rest);
    let run = live["run"].as_str().expect("the run was kept");
    place.say(&["directives", "extract", run, "--only", "hold", "-o", "hold.txt"]);
    let line = fs::read_to_string(place.0.join("hold.txt")).expect("it was written");
    let line = line.lines().nth(1).expect("what is steady needs no twenty seconds");
    assert!(line.starts_with("hold  "), "{line}");
    let classic = ["diagnose", run, "--verdict", "classic"];
    let files = ["--directives", "hold.txt"].map(str::to_owned);
    let is_found = |report: &Value| {
        let names = found(report);
        names.first().is_some_and(|(name, _)| name.starts_with(&hypothesis))
    };
    let unled = place.report(&classic, &[]);
    assert_eq!((found(&unled), &unled["directives_used"]), (Vec::new(), &0.into()));
    let led = place.report(&classic, &files);
    assert!(is_found(&led), "{line}:\n{:#?}", found(&led));
    assert_eq!(led["directives_used"], 1);
    let told = place.say(&[&classic[..], &["--directives", "hold.txt"]].concat());
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains(", as hold.txt:2:1 says."), "{told}");
    let long = [&classic[..], &["--hold", "20"]].concat();
    assert_eq!(found(&place.report(&long, &files)), [], "the command line wins");
    let sequential = place.report(&["diagnose", run], &files);
    assert_eq!(sequential["directives_used"], 0, "nothing is held there");
    let learned = place.report(&["run", "-q", "--verdict", "classic", "--learn"], &rest);
    assert!(is_found(&learned), "{:#?}", found(&learned));
}
