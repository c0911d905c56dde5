//! Runs that go wrong: the program behaves as without whyperf, and what was measured is reported.

use crate::launcher::Mpi;
use crate::report::{bounded, run, scratch};
use crate::shipped::Load;
use crate::{programs, shipped};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write as _};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// What a program does without us.
fn bare(words: &[String]) -> Output {
    let mut command = bounded(Path::new(&words[0]));
    command.args(&words[1..]).output().expect("the program starts")
}

/// The exit status a shell would show.
fn shell_status(output: &Output) -> Option<i32> {
    output.status.code().or_else(|| output.status.signal().map(|signal| 128 + signal))
}

fn behaves_the_same(words: &[String]) -> crate::report::Run {
    let _turn = shipped::turn(Load::Waits);
    let without = bare(words);
    let with = run(words);
    assert_eq!(with.status, shell_status(&without), "{words:?}\n{}", with.stderr);
    let printed = String::from_utf8_lossy(&without.stdout);
    assert_eq!(nameless(&with.stdout), nameless(&printed), "{words:?}");
    with
}

/// A job of which ranks die by a signal. Which of them the launcher names, and with which signal,
/// is its luck: one of them, or one that it killed itself.
fn fails_in_a_job(name: &str, printed: &str) -> crate::report::Run {
    let _turn = shipped::turn(Load::Waits);
    let run = run(&mpi_guest(Mpi::Mpich, 2, name, &[]));
    assert_ne!(run.status, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains(printed), "{}", run.stdout);
    run
}

/// What was printed, without the process id that a launcher names when a rank dies, and in an
/// order of its own: the lines of different ranks come as they come.
fn nameless(printed: &str) -> String {
    let lines = printed.lines().map(|line| line.split_once(" PID ").map_or(line, |(head, _)| head));
    let mut lines: Vec<_> = lines.collect();
    lines.sort_unstable();
    lines.join("\n")
}

fn mpi_guest(mpi: Mpi, ranks: usize, name: &str, arguments: &[&str]) -> Vec<String> {
    let mut words = mpi.launch(ranks);
    words.push(programs::built_for(mpi).join("guests").join(name).display().to_string());
    words.extend(arguments.iter().map(|word| (*word).to_owned()));
    words
}

fn plain_guest(name: &str, arguments: &[&str]) -> Vec<String> {
    let mut words = vec![programs::plain().join("guests").join(name).display().to_string()];
    words.extend(arguments.iter().map(|word| (*word).to_owned()));
    words
}

#[test]
fn a_crash_stays_a_crash() {
    let run = behaves_the_same(&plain_guest("crash", &[]));
    assert_eq!(run.status, Some(139));
}

#[test]
fn a_crash_in_a_job_is_reported() {
    let run = fails_in_a_job("crash_mpi", "crash: traffic done");
    assert_eq!(run.report["processes"], 2, "{}", run.stderr);
}

#[test]
fn an_abort_in_a_job_is_reported() {
    let run = fails_in_a_job("abort", "abort: last sum");
    assert_eq!(run.report["processes"], 2, "{}", run.stderr);
}

#[test]
fn an_exit_in_the_middle_is_reported() {
    let _turn = shipped::turn(Load::Waits);
    let run = run(&mpi_guest(Mpi::OpenMpi, 2, "exit_in_mpi", &[]));
    assert_ne!(run.status, Some(0));
    assert_eq!(run.report["processes"], 2, "{}", run.stderr);
}

/// Its sums hold results, counts, statuses and error classes; they do not depend on the MPI.
fn every_kind_of_call_is_as_without_us(mpi: Mpi) {
    let file = scratch().join("file").display().to_string();
    let run = behaves_the_same(&mpi_guest(mpi, 2, "mpi_kinds", &[&file]));
    assert_eq!(run.stdout.lines().filter(|line| line.contains("sum")).count(), 2, "{}", run.stdout);
    assert_eq!(run.report["losses"]["objects"], 0, "{}", run.stderr);
}

#[test]
fn every_kind_of_call_under_open_mpi_is_as_without_us() {
    every_kind_of_call_is_as_without_us(Mpi::OpenMpi);
}

#[test]
fn every_kind_of_call_under_mpich_is_as_without_us() {
    every_kind_of_call_is_as_without_us(Mpi::Mpich);
}

#[test]
fn ten_thousand_tags_lose_nothing_but_names() {
    let run = behaves_the_same(&mpi_guest(Mpi::OpenMpi, 2, "many_tags", &[]));
    let losses = &run.report["losses"];
    assert!(losses["objects"].as_u64().is_some_and(|lost| lost > 0), "{losses}");
    assert_eq!(run.total("MPI_Send", "calls"), 20_000, "{}", run.shown());
}

#[test]
fn a_thousand_threads_are_counted() {
    let run = behaves_the_same(&plain_guest("many_threads", &[]));
    let threads = run.report["threads"].as_u64().unwrap_or(0);
    assert!(threads >= 1000, "{threads} threads\n{}", run.stderr);
}

#[test]
fn a_program_without_descriptors_or_environment_goes_on() {
    behaves_the_same(&plain_guest("close_all", &[]));
    behaves_the_same(&plain_guest("clear_environment", &[]));
}

#[test]
fn a_static_program_is_named_as_such() {
    let run = behaves_the_same(&plain_guest("static_hello", &[]));
    assert!(run.stderr.contains("static"), "{}", run.stderr);
}

/// Starts a long run under the command and waits until its first line says that both ranks are on.
fn long_run(folder: &Path) -> Child {
    let words = mpi_guest(Mpi::Mpich, 2, "long_receive", &["4"]);
    Command::new(shipped::whyperf())
        .env("WHYPERF_NO_STORE", "1")
        .args(["run", "--json", "report.json", "--"])
        .args(words)
        .current_dir(folder)
        .env("WHYPERF_SHM_DIR", folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command was built")
}

/// The run directory, once a process writes in it.
fn run_directory(below: &Path) -> PathBuf {
    loop {
        let mut folders = vec![below.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.extension().is_some_and(|extension| extension == "region") {
                    return folder;
                }
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        std::thread::yield_now();
    }
}

#[test]
fn a_killed_whyperf_leaves_the_program_alone() {
    let _turn = shipped::turn(Load::Waits);
    let folder = scratch();
    let mut head = long_run(&folder);
    run_directory(&folder);
    head.kill().expect("it runs");
    let lines = BufReader::new(head.stdout.take().expect("piped")).lines();
    let printed: Vec<String> = lines.map_while(Result::ok).collect();
    assert!(printed.iter().any(|line| line.contains("received 42")), "{printed:?}");
    head.wait().expect("it was killed");
    let cleaned = Command::new(shipped::whyperf())
        .env("WHYPERF_NO_STORE", "1")
        .arg("clean")
        .env("WHYPERF_SHM_DIR", &folder)
        .output()
        .expect("the command was built");
    assert!(cleaned.status.success(), "{}", String::from_utf8_lossy(&cleaned.stderr));
    assert!(no_region_below(&folder), "something stayed behind in {}", folder.display());
    std::fs::remove_dir_all(&folder).expect("the scratch folder is ours");
}

/// There may be thousands of them, and nobody reads or removes what they would leave.
#[test]
fn programs_that_begin_after_whyperf_was_killed_leave_nothing() {
    let _turn = shipped::turn(Load::Waits);
    let folder = scratch();
    let mut whyperf = Command::new(shipped::whyperf());
    let script = "grep -q x /proc/self/stat; read line; grep -q x /proc/self/stat; echo went on";
    whyperf.args(["run", "--no-store", "--", "sh", "-c", script]).env("WHYPERF_SHM_DIR", &folder);
    whyperf.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut whyperf = whyperf.spawn().expect("the command was built");
    let directory = run_directory(&folder);
    whyperf.kill().expect("it runs");
    let says = whyperf.stdout.take().expect("piped");
    let mut hears = whyperf.stdin.take().expect("piped");
    whyperf.wait().expect("it was killed");
    let regions = || {
        let entries = std::fs::read_dir(&directory).expect("it stayed").flatten();
        let paths = entries.map(|entry| entry.path());
        let is_region = |path: &PathBuf| path.extension().is_some_and(|one| one == "region");
        paths.filter(is_region).collect::<BTreeSet<_>>()
    };
    let before = regions();
    hears.write_all(b"\n").expect("the shell reads");
    let said = std::io::read_to_string(says).expect("it writes text");
    assert_eq!(said, "went on\n");
    assert_eq!(regions(), before);
    std::fs::remove_dir_all(&folder).expect("the scratch folder is ours");
}

#[test]
fn a_deleted_run_directory_is_said_and_survived() {
    let _turn = shipped::turn(Load::Waits);
    let folder = scratch();
    let head = long_run(&folder);
    std::fs::remove_dir_all(run_directory(&folder)).expect("it is ours");
    let output = head.wait_with_output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("received 42"), "{said}");
    assert!(said.contains("run directory"), "{said}");
    assert!(folder.join("report.json").exists(), "{said}");
    std::fs::remove_dir_all(&folder).expect("the scratch folder is ours");
}

fn no_region_below(folder: &Path) -> bool {
    std::fs::read_dir(folder).into_iter().flatten().flatten().all(|entry| {
        let path = entry.path();
        if path.is_dir() {
            no_region_below(&path)
        } else {
            path.extension().is_none_or(|extension| extension != "region")
        }
    })
}
