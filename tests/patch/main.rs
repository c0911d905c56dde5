//! Functions instrumented while they run, in programs that leave them in every way there is.
//!
//! The programs play the daemon themselves: they find their functions by the compiler's list of
//! sites, plan the patches, and send commands through their own region. Each checks its visits, its
//! tree and its results; here it is checked that measuring changes nothing of what they print.

mod offsets;

use std::env;
use std::ffi::OsString;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use offsets::offsets;

#[test]
fn every_visit_of_plain_calls_is_counted_and_their_results_are_untouched() {
    check("calls.c", &[]);
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
fn windows_and_budgets_bound_what_a_hot_function_costs() {
    check("limits.c", &[]);
}

#[test]
fn sites_of_several_instructions_and_islands_come_and_go_under_four_threads() {
    check("several.c", &[]);
}

#[test]
fn nonsense_is_refused() {
    check("nonsense.c", &[]);
}

/// Builds a program, runs it without and with measuring, and compares.
fn check(source: &str, environment: &[(&str, OsString)]) {
    let folder = Folder::new(source);
    let program = build(source, &folder.0);
    let plain = run(&program, environment, None);
    let regions = folder.0.join("run");
    std::fs::DirBuilder::new().mode(0o700).create(&regions).expect("the folder is ours");
    let measured = run(&program, environment, Some(&regions));
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
    succeed(compile);
    let mut link = Command::new(compiler);
    link.args(["-no-pie", "-pthread"]).arg(&object).arg("-o").arg(&program);
    succeed(link);
    program
}

fn succeed(mut command: Command) {
    let output = command.output().expect("a compiler is installed");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{said}", output.status);
}

/// The shipped library: where `WHYPERF_TEST_BIN_DIR` says, else in the release folder beside this.
fn library() -> PathBuf {
    let beside = || {
        let test = env::current_exe().expect("a running program has a path");
        test.ancestors().nth(3).expect("tests lie in <target>/<profile>/deps").join("release")
    };
    let folder = env::var_os("WHYPERF_TEST_BIN_DIR").map_or_else(beside, PathBuf::from);
    let path = folder.join("libwhyperf.so");
    assert!(
        path.exists(),
        "{} is missing: cargo build --release -p whyperf-probes",
        path.display()
    );
    path
}

/// A private folder, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("whyperf-patch-{name}-{}", std::process::id()));
        std::fs::create_dir(&path).expect("the folder's name is new");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
