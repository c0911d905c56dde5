//! Functions are found in programs that were not built for it: by calls, by pointers, in libraries, in four languages, stripped
//! or not.

use std::env;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::launcher::Mpi;
use crate::report::{Bottleneck, Run, is_concluded, run_below_until, run_until, run_with, scratch};
use crate::shipped::Load;
use crate::{expectation, programs, shipped};

/// Follows calls; other work on the machine must not decide what counts as computing.
const OPTIONS: [&str; 5] =
    ["--no-store", "--code-search", "callgraph", "--threshold", "CPUbound=0.01"];

/// The function becomes the leading conclusion that names one.
fn is_found_as(words: &[String], function: &str) -> Run {
    is_found_below(None, words, function)
}

/// The same with whyperf run by this command, which becomes it.
fn is_found_below(above: Option<&str>, words: &[String], function: &str) -> Run {
    let named = format!("{function},");
    let _turn = shipped::turn(Load::Computes);
    // Where nobody may be sampled, threads are stopped to be looked at, and that is done seldom.
    let further = if above.is_some() { 3 * FURTHER } else { FURTHER };
    let run = run_below_until(above, &OPTIONS, words, further, |said| {
        is_concluded(said, "CPUbound", &[&named])
    });
    let found = run.bottlenecks();
    // Whoever starts the program or waits in its libraries is found before all below it is asked about, and so are single ranks: it
    // leads of its own module and of the same processes.
    let (module, _) = function.rsplit_once('/').expect("a function of a module");
    let of_cpu = found.iter().filter(|one| one.leaf && one.hypothesis == "CPUbound");
    // What is inside of `main` is everything, and was measured at another time.
    let of_module = of_cpu
        .filter(|one| one.focus.contains(&format!("<{module}/")) && !one.focus.contains("/main,"));
    let leaves: Vec<_> = of_module.collect();
    let is_leading = leaves.iter().any(|leaf| {
        let alike = |one: &&&Bottleneck| processes(&one.focus) == processes(&leaf.focus);
        let most = leaves.iter().filter(alike).map(|one| one.value).fold(0.0, f64::max);
        // It may be found before the calls that lead to it: then one of its callers is a leaf, too, and holds all that it has.
        // A run that ends soon after the conclusion has a hundred stack samples or two: twice what 95 of 100 are off by at most is not seen here.
        leaf.focus.contains(&named) && leaf.value + 2.0 * leaf.plus_minus >= NEARLY * most
    });
    assert!(is_leading, "{function} is not the leading conclusion; {}", run.shown());
    run
}

/// Of half a second in which other programs have most of the processors twenty stack samples are left, which say to ten points or so where a
/// thread ran.
const FURTHER: Duration = Duration::from_secs(1);

/// What a focus says after its function.
fn processes(focus: &str) -> Option<&str> {
    focus.split_once(',').map(|(_, rest)| rest)
}

fn program(name: &str) -> Vec<String> {
    let path = programs::with_code().join("code").join(name);
    vec![path.display().to_string(), LONG.to_owned()]
}

fn expected(source: &str) -> String {
    expectation::of(&format!("code/{source}")).function
}

/// Finds the function of a program in C, whoever built it and how: in one build, another one for each
/// program, or in all where `WHYPERF_TEST_EVERY_BUILD` is set.
fn is_found_in_every_build(name: &str, launch: &[String]) {
    let source = format!("{name}.c");
    let folder = programs::with_code().join("code");
    let turn = IN_C.iter().position(|one| *one == name).expect("it is listed");
    let is_wanted = |at: usize| at == turn % BUILDS.len() || env::var_os(EVERY_BUILD).is_some();
    for build in (0..BUILDS.len()).filter(|at| is_wanted(*at)).map(|at| BUILDS[at]) {
        let mut words = launch.to_vec();
        let path = folder.join(build).join(name);
        words.extend([path.display().to_string(), LONG.to_owned()]);
        is_found_as(&words, &called_in(build, &path, &expected(&source)));
    }
}

/// What a function is called where there is less to tell of it: by its object where nothing names its file, by its
/// address where nothing names it.
fn called_in(build: &str, program: &Path, expected: &str) -> String {
    let (_, function) = expected.rsplit_once('/').expect("a function of a module");
    let is_exported = expected.contains("grinding.c");
    let object = match program.file_name().and_then(|name| name.to_str()) {
        _ if is_exported => "libgrinding.so",
        Some(name) => name,
        None => panic!("{} has a name", program.display()),
    };
    if build.ends_with("debug") {
        expected.to_owned()
    } else if build.ends_with("stripped") && !is_exported {
        format!("/Code/{object}/{:#x}", address_of(function, program))
    } else {
        format!("/Code/{object}/{function}")
    }
}

/// Where a function of a stripped program is, by the copy of it that was not.
fn address_of(function: &str, program: &Path) -> u64 {
    let named = program.with_extension("named");
    let output = Command::new("nm").arg(&named).output().expect("binutils are installed");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find(|line| line.split(' ').next_back() == Some(function));
    let line = line.unwrap_or_else(|| panic!("{function} is in {}", named.display()));
    let address = line.split(' ').next().unwrap_or_default();
    u64::from_str_radix(address, 16).expect("nm writes hexadecimal numbers")
}

#[test]
fn one_of_a_hundred() {
    is_found_in_every_build("hot_procedure", &[]);
}

#[test]
fn recursion_counts_once() {
    is_found_in_every_build("recursion", &[]);
}

#[test]
fn at_the_end_of_a_long_chain_of_calls() {
    is_found_in_every_build("deep_chain", &[]);
}

#[test]
fn at_the_end_of_a_long_chain_where_nobody_may_be_sampled() {
    let above = programs::with_code().join("code/without_samples");
    let words = program("gcc_debug/deep_chain");
    is_found_below(above.to_str(), &words, &expected("deep_chain.c"));
}

#[test]
fn through_a_pointer_only() {
    is_found_in_every_build("pointer_only", &[]);
}

#[test]
fn in_a_shared_library() {
    is_found_in_every_build("in_library", &[]);
}

#[test]
fn called_once_before_anybody_could_watch() {
    is_found_in_every_build("called_once", &[]);
}

#[test]
fn in_all_ranks_alike() {
    is_found_in_every_build("diffuse_procedure", &Mpi::OpenMpi.launch(4));
}

#[test]
fn a_virtual_method() {
    is_found_as(&program("hot_method"), "/Code/hot_method.cpp/Mill::grind");
}

#[test]
fn an_instance_of_a_template() {
    is_found_as(&program("hot_template"), "/Code/hot_template.cpp/Field%3Cdouble%3E::relax%3C3%3E");
}

#[test]
fn a_procedure_of_a_fortran_module() {
    is_found_as(&program("hot_module"), "/Code/hot_module.f90/mill::grind");
}

#[test]
fn a_function_of_a_crate() {
    is_found_as(&program("hot_crate"), &expected("hot_crate.rs"));
}

#[test]
fn a_method_of_a_trait_object() {
    let function = "%3Chot_trait::Mill%20as%20hot_trait::Tool%3E::turn";
    is_found_as(&program("hot_trait"), &format!("/Code/hot_trait.rs/{function}"));
}

#[test]
fn in_threads_of_the_language() {
    is_found_as(&program("in_threads"), &expected("in_threads.cpp"));
}

#[test]
fn the_function_that_threads_begin_with() {
    is_found_as(&program("thread_body"), &expected("thread_body.c"));
}

#[test]
fn a_function_of_a_thread_that_outlives_the_first() {
    is_found_as(&program("main_leaves"), &expected("main_leaves.c"));
}

#[test]
fn below_a_region_of_the_program() {
    let run = is_found_as(&program("in_region"), &expected("in_region.c"));
    let found = run.bottlenecks_of("CPUbound");
    let region = found.iter().find(|one| one.focus.contains("/Code/in_region.c/assembly,"));
    assert!(region.is_some_and(|region| !region.leaf), "a region holds what it calls: {found:?}");
}

#[test]
fn by_module_and_then_by_function() {
    let _turn = shipped::turn(Load::Computes);
    let options = ["--no-store", "--code-search", "module", "--threshold", "CPUbound=0.02"];
    let method = "/Code/hot_method.cpp/Mill::grind,";
    let is_found = |said: &str| is_concluded(said, "CPUbound", &[method]);
    let run = run_until(&options, &program("hot_method"), Duration::from_secs(1), is_found);
    let found = run.bottlenecks_of("CPUbound");
    let is_true = |code: &str| found.iter().any(|one| one.focus.starts_with(&format!("<{code},")));
    assert!(is_true("/Code/hot_method.cpp"), "{}", run.shown());
    assert!(is_true("/Code/hot_method.cpp/Mill::grind"), "{}", run.shown());
    assert!(!is_true("/Code/hot_method.cpp/Sieve::grind"), "{}", run.shown());
}

#[test]
fn in_a_parallel_loop() {
    let mut words = ["env", "OMP_WAIT_POLICY=passive"].map(str::to_owned).to_vec();
    words.extend(program("parallel_loop"));
    is_found_as(&words, &expected("parallel_loop.c"));
}

#[test]
fn kernels_of_parallel_solvers() {
    let folder = programs::with_code().join("code");
    for name in KERNELS {
        let mut words = Mpi::OpenMpi.launch(2);
        words.extend([folder.join(name).display().to_string(), LONG.to_owned()]);
        is_found_as(&words, &expected(&format!("{name}.f90")));
    }
}

#[test]
fn an_interpreted_program_goes_on_as_before() {
    let folder = programs::with_code().join("code");
    let script = programs::sources().join("code/interpreted.py");
    let library = folder.join("libgrinding.so");
    let words = ["/usr/bin/python3", &script.display().to_string(), &library.display().to_string()];
    let mut words: Vec<String> = words.map(str::to_owned).to_vec();
    words.push("4".to_owned());
    let _turn = shipped::turn(Load::Computes);
    let run = run_with(&OPTIONS, &words);
    assert_eq!(
        (run.status, &*run.stdout),
        (Some(0), "interpreted: True True\n"),
        "{}",
        run.shown()
    );
    assert!(run.bottlenecks().iter().any(|one| one.hypothesis == "CPUbound"), "{}", run.shown());
}

#[test]
fn a_function_by_name_is_counted_and_its_neighbours_are_not() {
    let _turn = shipped::turn(Load::Computes);
    let focus = format!("<{}>", expected("hot_procedure.c"));
    let options = ["--no-store", "--code-search", "none", "--measure", "calls", &focus];
    let mut words = program("hot_procedure");
    words[1] = "3".to_owned();
    let run = run_with(&options, &words);
    let [calls] = run.list("measured") else { panic!("one was asked for") };
    assert!(calls["total"].as_f64().is_some_and(|total| total > 0.0), "{calls}");
    assert!(calls["note"].is_null(), "{calls}");
    let named = |row: &&serde_json::Value| row["path"].to_string().contains("part_");
    let rows: Vec<_> = run.list("profile").iter().filter(named).collect();
    assert_eq!(rows.len(), 1, "only what was asked for is switched on: {rows:?}");
}

/// What it calls is found as if its callers called that.
#[test]
fn the_way_to_a_function_leads_through_one_that_a_filter_leaves_out() {
    let folder = scratch();
    let filter = folder.join("filter");
    let text = "SCOREP_REGION_NAMES_BEGIN\n EXCLUDE step\nSCOREP_REGION_NAMES_END\n";
    std::fs::write(&filter, text).expect("the scratch folder is ours");
    let filter = filter.display().to_string();
    let options = [&OPTIONS[..], &["--filter", &filter]].concat();
    let named = format!("{},", expected("hot_procedure.c"));
    let _turn = shipped::turn(Load::Computes);
    let run = run_until(&options, &program("hot_procedure"), FURTHER, |said| {
        is_concluded(said, "CPUbound", &[&named])
    });
    std::fs::remove_dir_all(&folder).expect("the scratch folder is ours");
    let found = run.bottlenecks();
    assert!(
        found.iter().any(|one| one.focus.contains(&named)) && !run.stderr.contains("/step,"),
        "{}\n{}",
        run.shown(),
        run.stderr
    );
}

/// Who builds the programs in C, and how much the result tells; each in one of the two ways of placing a program.
const BUILDS: [&str; 6] =
    ["gcc_debug", "gcc_plain", "gcc_stripped", "clang_debug", "clang_plain", "clang_stripped"];
const EVERY_BUILD: &str = "WHYPERF_TEST_EVERY_BUILD";
const IN_C: [&str; 7] = [
    "hot_procedure",
    "recursion",
    "deep_chain",
    "pointer_only",
    "in_library",
    "called_once",
    "diffuse_procedure",
];
/// In Fortran, each with messages.
const KERNELS: [&str; 3] = ["kernel_cg", "kernel_ep", "kernel_mg"];
/// Seconds after which nobody waits for a conclusion any more; until then a program is ended as soon as it came.
const LONG: &str = "120";
/// Of what its callers have, a function that takes the time has as much at least.
const NEARLY: f64 = 0.9;
