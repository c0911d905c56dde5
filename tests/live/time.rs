//! Checks that all time of all threads is reported in its right category, by programs that do random work and count their
//! own time.

use std::collections::BTreeMap;
use std::net::TcpListener;

use serde_json::Value;
use whyperf_model::{Hierarchy, Resource};

use crate::report::{Run, run_with, scratch};
use crate::shipped::Load;
use crate::{programs, shipped};

/// Ways in which time is spent.
const USES: usize = 9;

/// Shares by name.
type Shares = BTreeMap<String, f64>;

/// What a program says of itself: its number, and its shares.
fn known(run: &Run) -> (String, Shares) {
    let mut lines = run.stdout.lines().filter_map(|line| line.split_once(' '));
    let (_, process) = lines.next().expect("it says its number");
    let shares = lines.map(|(name, share)| (name.to_owned(), share.parse().expect("a share")));
    (process.to_owned(), shares.collect())
}

/// What the report says of a process, or of all.
fn told(time: &Value) -> Shares {
    let shares = time.as_object().expect("shares by name").iter();
    shares.map(|(name, share)| (name.clone(), share.as_f64().expect("a share"))).collect()
}

/// All time is told, and no more.
fn is_whole(shares: &Shares) -> bool {
    shares.len() == USES && (shares.values().sum::<f64>() - 1.0).abs() < 1e-4
}

fn is_mixed(seed: u32, threads: u32) {
    is_divided("mixed", &[&seed.to_string(), "3", &threads.to_string()]);
}

fn is_divided(program: &str, arguments: &[&str]) {
    let program = programs::plain().join("time").join(program).display().to_string();
    let mut words = vec![program];
    words.extend(arguments.iter().map(|&argument| argument.to_owned()));
    let _turn = shipped::turn(Load::Computes);
    let run = run_with(&["--no-store"], &words);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let (process, known) = known(&run);
    let of_process = run.list("time_by_process").iter().find(|one| one["process"] == *process);
    let of_it = told(&of_process.expect("it is told of")["time"]);
    assert!(is_whole(&of_it) && is_whole(&told(&run.report["time"])), "{of_it:?}");
    for (name, known) in &known {
        let is_near = (of_it[name] - known).abs() <= 0.05;
        assert!(is_near, "{name}: {known} of {words:?}, told {of_it:?}\n{}", run.stderr);
    }
}

#[test]
fn of_one_thread_that_does_everything() {
    [1, 3, 7].iter().for_each(|seed| is_mixed(*seed, 1));
}

#[test]
fn of_more_threads_than_processors() {
    [4, 5].iter().for_each(|seed| is_mixed(*seed, 6));
}

#[test]
fn of_memory_that_arrives_late() {
    is_divided("paging", &["3"]);
}

#[test]
fn of_own_code_that_runs_in_the_kernel_and_sleeps() {
    is_divided("in_kernel", &["3"]);
}

#[test]
fn of_threads_that_are_gone_before_anybody_looks() {
    is_divided("short_threads", &["3"]);
}

#[test]
fn of_many_threads_that_rest_where_nobody_sees_it() {
    is_divided("resting", &["60", "4"]);
}

#[test]
fn of_calls_that_wait_where_they_are_called() {
    let callers = [("usleep", "rest"), ("poll", "watch"), ("recv", "hear"), ("waitpid", "collect")];
    are_told_at_their_callers("waits", &callers);
}

#[test]
fn of_rings_of_the_kernel_where_they_are_waited_for() {
    let callers = [("__io_uring_get_cqe", "completes"), ("io_uring_submit_and_wait", "submits")];
    are_told_at_their_callers("rings", &callers);
}

/// Of each of these calls, which are made by functions of their own, what the program says by its clock.
fn are_told_at_their_callers(program: &str, callers: &[(&str, &str)]) {
    let program = programs::plain().join("time").join(program).display().to_string();
    let _turn = shipped::turn(Load::Waits);
    let run = run_with(&["--no-store"], &[program, "40".to_owned()]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    for (line, (call, caller)) in run.stdout.lines().zip(callers) {
        let known = line.strip_prefix(call).expect("it says what it waited in").trim();
        let known: f64 = known.parse().expect("seconds");
        let is_there = |row: &&Value| row["path"] == serde_json::json!([caller, call]);
        let rows = run.list("profile").iter().filter(is_there);
        let told: f64 = rows.map(|row| row["exclusive_s"].as_f64().expect("seconds")).sum();
        assert!(
            (told - known).abs() <= 0.01 + 0.02 * known,
            "{call}: {told} s, {known} s are true"
        );
    }
    assert_eq!(run.stdout.lines().count(), callers.len());
}

/// Two ports that nobody uses.
fn free_ports() -> [u16; 2] {
    let bound = [(); 2].map(|()| TcpListener::bind(("127.0.0.1", 0)).expect("some port is free"));
    bound.map(|one| one.local_addr().expect("it is bound").port())
}

#[test]
fn of_sockets_by_who_is_at_the_other_end() {
    let program = programs::plain().join("time/peers").display().to_string();
    let _turn = shipped::turn(Load::Waits);
    let [own, other] = free_ports();
    let folder = scratch();
    let path = folder.join("socket").display().to_string();
    let peers =
        [format!("127.0.0.1 at :{own}"), format!("127.0.0.1:{other}"), format!("unix:{path}")];
    let sockets = Resource::root(Hierarchy::SyncObject).child("Socket");
    let peers = peers.map(|peer| sockets.child(&peer)).into_iter().chain([sockets.clone()]);
    let foci: Vec<String> = peers.map(|peer| format!("<{peer}>")).collect();
    let mut options = vec!["--no-store"];
    foci.iter().for_each(|focus| options.extend(["--measure", "blocked", focus]));
    let words = [program, own.to_string(), other.to_string(), path, "40".to_owned()];
    let run = run_with(&options, &words);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let known: Vec<f64> = run
        .stdout
        .lines()
        .map(|line| line.split_once(' ').expect("a name").1.parse().expect("seconds"))
        .collect();
    let told: Vec<f64> =
        run.list("measured").iter().map(|one| one["total"].as_f64().expect("seconds")).collect();
    let is_near = |told: f64, known: f64| (told - known).abs() <= 0.01 + 0.02 * known;
    assert_eq!((known.len(), told.len()), (4, 4), "{}", run.stderr);
    for (told, known) in told.iter().zip(&known).take(3) {
        assert!(is_near(*told, *known), "{told} s, {known} s are true:\n{}", run.stderr);
    }
    std::fs::remove_dir_all(folder).expect("it is ours");
    // The children that accept and send wait a little, too.
    assert!(told[3] >= known.iter().sum::<f64>() - 0.01, "{told:?} {known:?}");
}

/// What is told of a metric at a pipe, and there of the one who has its other end; and how long the program waited, by its own clock.
fn at_pipe(metric: &str, pipe: &str, words: &[&str]) -> [f64; 3] {
    let program = programs::plain().join("time/pipes").display().to_string();
    let _turn = shipped::turn(Load::Waits);
    let foci = [format!("<{pipe}>"), format!("<{pipe}/pipes>")];
    let mut options = vec!["--no-store"];
    foci.iter().for_each(|focus| options.extend(["--measure", metric, focus]));
    let words = std::iter::once(program).chain(words.iter().map(ToString::to_string));
    let run = run_with(&options, &words.collect::<Vec<_>>());
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let known = run.stdout.trim().strip_prefix("read ").expect("it says what it waited");
    let told = run.list("measured").iter().map(|one| one["total"].as_f64().expect("seconds"));
    let all = told.chain([known.parse().expect("seconds")]).collect::<Vec<_>>();
    all.try_into().expect("two were asked for")
}

/// The first quarter of a second goes by before it is known who is there.
#[test]
fn of_pipes_by_who_has_the_other_end() {
    let [all, of_peer, known] = at_pipe("io_wait", "/File/pipe", &["400"]);
    assert!((all - known).abs() <= 0.01 + 0.02 * known, "{all} s, {known} s are true");
    assert!(of_peer > 0.0 && of_peer <= all, "{of_peer} s of {all} s");
}

/// No event tells of it: looks find it.
#[test]
fn of_pipes_that_are_read_unseen_by_who_has_the_other_end() {
    let [all, of_peer, known] = at_pipe("blocked", "/SyncObject/Pipe", &["400", "unseen"]);
    assert!((all - known).abs() <= 0.2 * known, "{all} s, {known} s are true");
    assert!(of_peer > 0.0 && of_peer <= all, "{of_peer} s of {all} s");
}
