//! Functions are found in programs that were not built for it: by calls, by pointers, in libraries, in four languages, stripped
//! or not.

use crate::launcher::Mpi;
use crate::report::{Run, run_with};
use crate::{expectation, programs, shipped};

/// Follows calls; other work on the machine must not decide what counts as computing.
const OPTIONS: [&str; 5] =
    ["--no-store", "--code-search", "callgraph", "--threshold", "CPUbound=0.04"];

fn searched(words: &[String]) -> Run {
    let _alone = shipped::machine();
    let run = run_with(&OPTIONS, words);
    assert_eq!(run.status, Some(0), "{}", run.shown());
    run
}

/// The first of a few tries in which the function is the leading conclusion that names one.
fn is_found_as(words: &[String], function: &str) {
    let mut shown = String::new();
    for _ in 0..TRIES {
        let run = searched(words);
        let found = run.bottlenecks();
        let of_cpu = found.iter().filter(|one| one.hypothesis == "CPUbound");
        let leaf = of_cpu.filter(|one| one.leaf).max_by(|a, b| a.value.total_cmp(&b.value));
        if leaf.is_some_and(|leaf| leaf.focus.contains(&format!("{function},"))) {
            assert!(leaf.is_some_and(|leaf| leaf.found < 10.0), "{}", run.shown());
            return;
        }
        shown = run.shown();
    }
    panic!("{function} is not the leading conclusion:\n{shown}");
}

fn program(name: &str) -> Vec<String> {
    lasting(name, SECONDS)
}

fn lasting(name: &str, seconds: &str) -> Vec<String> {
    let path = programs::with_code().join("code").join(name);
    vec![path.display().to_string(), seconds.to_owned()]
}

fn expected(source: &str) -> String {
    expectation::of(&format!("code/{source}")).function
}

#[test]
fn one_of_a_hundred() {
    for name in ["hot_procedure", "hot_procedure_nodebug", "hot_procedure_fixed"] {
        let function = expected("hot_procedure.c");
        // Without debug information the module is the program.
        let bare = format!("/Code/{name}/part_42");
        is_found_as(&program(name), if name.ends_with("nodebug") { &bare } else { &function });
    }
}

#[test]
fn one_of_a_hundred_without_names() {
    is_found_as(&program("hot_procedure_stripped"), "/Code/hot_procedure_stripped/0x1a40");
}

#[test]
fn recursion_counts_once() {
    is_found_as(&program("recursion"), &expected("recursion.c"));
}

#[test]
fn at_the_end_of_a_long_chain_of_calls() {
    // A level takes about half a second.
    is_found_as(&lasting("deep_chain", "10"), &expected("deep_chain.c"));
}

#[test]
fn through_a_pointer_only() {
    is_found_as(&program("pointer_only"), &expected("pointer_only.c"));
}

#[test]
fn in_a_shared_library() {
    is_found_as(&program("in_library"), &expected("in_library.c"));
}

#[test]
fn a_virtual_method() {
    is_found_as(&program("hot_method"), "/Code/hot_method.cpp/Mill::grind");
}

#[test]
fn a_procedure_of_a_fortran_module() {
    is_found_as(&program("hot_module"), "/Code/hot_module.f90/mill::grind");
}

#[test]
fn in_all_ranks_alike() {
    let mut words = Mpi::OpenMpi.launch(4);
    words.extend(program("diffuse_procedure"));
    is_found_as(&words, &expected("diffuse_procedure.c"));
}

#[test]
fn a_function_by_name_is_counted_and_its_neighbours_are_not() {
    let _alone = shipped::machine();
    let focus = expected("hot_procedure.c");
    let options = ["--no-store", "--measure", "calls", &format!("<{focus}>")];
    let run = run_with(&options, &program("hot_procedure"));
    let [calls] = run.list("measured") else { panic!("one was asked for") };
    assert!(calls["total"].as_f64().is_some_and(|total| total > 100.0), "{calls}");
    assert!(calls["note"].is_null(), "{calls}");
    let named = |row: &&serde_json::Value| row["path"].to_string().contains("part_");
    let rows: Vec<_> = run.list("profile").iter().filter(named).collect();
    assert_eq!(rows.len(), 1, "only what was asked for is switched on: {rows:?}");
}

/// Long enough for each step of the way on a busy machine.
const SECONDS: &str = "7";
const TRIES: usize = 3;
