//! Instruments functions while they run, in programs that leave them in every possible way.
//!
//! The programs play the daemon themselves: they find their functions by the compiler's list of sites, plan the patches,
//! and send commands through their own region. Each checks its visits, its tree and its results; the tests here check that
//! measuring changes nothing of what they print.

#[path = "../building.rs"]
mod building;
#[path = "../folder.rs"]
mod folder;
#[expect(dead_code, reason = "its programs have other names where they are newer")]
#[path = "../needs.rs"]
mod needs;
mod offsets;
#[path = "../release.rs"]
mod release;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use building::succeed;
use folder::{Folder, make_private};
use offsets::offsets;
use release::library;

#[test]
fn every_visit_of_plain_calls_is_counted_and_their_results_are_untouched() {
    check("calls.c", &[]);
}

#[test]
fn arguments_on_the_stack_are_copied_along() {
    check("stacked.c", &[]);
}

#[test]
fn jumps_and_contexts_leave_functions_a_million_times() {
    check("departures.c", &[]);
}

#[test]
fn exceptions_and_the_ends_of_threads_cross_functions() {
    check("exceptions.cpp", &[]);
}

#[test]
fn processes_are_made_inside_functions() {
    check("processes.c", &[]);
}

/// `WHYPERF_TEST_SECONDS_OF_FLIPS` makes it longer.
#[test]
fn functions_are_switched_at_random_under_four_threads() {
    let seconds = env::var_os("WHYPERF_TEST_SECONDS_OF_FLIPS").unwrap_or_else(|| "2".into());
    check("flips.c", &[("SECONDS_OF_FLIPS", seconds)]);
}

#[test]
fn a_hot_function_is_switched_off_and_counted_in_windows() {
    check("limits.c", &[]);
}

#[test]
fn every_visit_is_counted_while_a_function_is_on_and_none_while_it_is_off() {
    check("overhead.c", &[]);
}

#[test]
fn sites_of_several_instructions_and_islands_come_and_go_under_four_threads() {
    check("several.c", &[]);
}

#[test]
fn nonsense_is_refused() {
    check("nonsense.c", &[]);
}

#[test]
fn functions_that_announce_their_calls_are_counted() {
    for options in ["-O2", "-O0", "-O2 -fPIE -pie", "-O3 -fno-omit-frame-pointer"] {
        announced("gcc", "announced.c", options);
    }
}

#[test]
fn exceptions_leave_functions_that_announce_their_calls() {
    announced("g++", "announced.cpp", "-O2");
    announced("g++", "announced.cpp", "-O0");
}

#[test]
fn announcements_of_clang_are_counted() {
    announced("clang", "announced.c", "-O2");
    announced("clang", "announced.c", "-O2 -finstrument-functions-after-inlining");
    announced("clang++", "announced.cpp", "-O2");
}

#[test]
fn a_library_announces_its_calls() {
    let folder = folder("announcing-library");
    let library = folder.0.join("libannounced.so");
    let Some(mut compile) = compiler("gcc", "announced.c") else { return };
    compile.args(["-O2", "-fPIC", "-shared", "-Dmain=in_library", "-finstrument-functions"]);
    compile.arg("-o").arg(&library);
    succeed(&mut compile);
    let (source, program) = (folder.0.join("main.c"), folder.0.join("program"));
    let text = "int in_library(void);\nint main(void) { return in_library(); }\n";
    std::fs::write(&source, text).expect("the folder is ours");
    let mut link = Command::new("gcc");
    link.arg(source).arg(&library).arg(format!("-Wl,-rpath,{}", folder.0.display()));
    link.arg("-o").arg(&program);
    succeed(&mut link);
    compare("announced.c of a library", &program, &folder, &[]);
}

/// Builds a program whose functions call at entry and exit, and checks it.
fn announced(name: &str, source: &str, options: &str) {
    let Some(mut compile) = compiler(name, source) else { return };
    let folder = folder(&format!("{name}-{source}"));
    let program = folder.0.join("program");
    compile.args(options.split(' '));
    if !options.contains("-finstrument-functions") {
        compile.arg("-finstrument-functions");
    }
    compile.args(["-pthread", "-o"]).arg(&program);
    succeed(&mut compile);
    compare(&format!("{source} by {name} {options}"), &program, &folder, &[]);
}

/// A compiler with what it has to be told of a source; `None` where it may be missing.
fn compiler(name: &str, source: &str) -> Option<Command> {
    let names = [name.to_owned(), format!("{name}-14"), format!("{name}-15"), format!("{name}-16")];
    let name = needs::one_of(&names.each_ref().map(String::as_str))?.to_owned();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/patch").join(source);
    let mut compile = Command::new(name);
    compile.args(["-D_GNU_SOURCE", "-g"]).args(offsets()).arg(path);
    Some(compile)
}

/// Builds a program, runs it without and with measuring, and compares.
fn check(source: &str, environment: &[(&str, OsString)]) {
    let folder = folder(source);
    let program = build(source, &folder.0);
    compare(source, &program, &folder, environment);
}

fn compare(source: &str, program: &Path, folder: &Folder, environment: &[(&str, OsString)]) {
    let plain = run(program, environment, None);
    let regions = folder.0.join("run");
    make_private(&regions);
    let measured = run(program, environment, Some(&regions));
    let said = String::from_utf8_lossy(&measured.stderr).into_owned();
    assert!(plain.status.success(), "{source} by itself: {}", plain.status);
    assert!(measured.status.success(), "{source}: {}\n{said}", measured.status);
    assert!(said.contains("measured\n"), "{source} was not measured:\n{said}");
    let text = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text(&measured), text(&plain), "{source}: what it prints");
}

fn run(program: &Path, environment: &[(&str, OsString)], regions: Option<&Path>) -> Output {
    let mut command = Command::new("timeout");
    command.arg("300").arg(program).env_remove("WHYPERF_DIR").env_remove("WHYPERF_COST_LIMIT");
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    if let Some(regions) = regions {
        let mut preload = OsString::from("LD_PRELOAD=");
        preload.push(library());
        let mut folder = OsString::from("WHYPERF_DIR=");
        folder.push(regions);
        // Not for `timeout` itself, which would be measured, too.
        command = Command::new("timeout");
        command.arg("300").arg("env").arg(preload).arg(folder);
        command.args(environment.iter().map(|(name, value)| {
            let mut pair = OsString::from(format!("{name}="));
            pair.push(value);
            pair
        }));
        command.arg(program);
    }
    command.output().expect("`timeout` runs")
}

fn build(source: &str, folder: &Path) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/patch").join(source);
    let program = folder.join("program");
    let compiler = if source.ends_with(".cpp") { "g++" } else { "gcc" };
    let object = folder.join("program.o");
    // Each function begins with one instruction of five bytes that does nothing.
    let sites = "-O2 -g -Wall -fno-pie -pg -mfentry -mnop-mcount -mrecord-mcount -D_GNU_SOURCE";
    let mut compile = Command::new(compiler);
    compile.args(sites.split(' ')).args(offsets()).arg("-c").arg(path).arg("-o").arg(&object);
    succeed(&mut compile);
    let mut link = Command::new(compiler);
    link.args(["-no-pie", "-pthread"]).arg(&object).arg("-o").arg(&program);
    succeed(&mut link);
    program
}

fn folder(name: &str) -> Folder {
    Folder::below(&env::temp_dir(), &format!("patch-{name}"))
}
