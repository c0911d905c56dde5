//! Compares the causes of waits with the programs' own traces: for which rank, or holder of a lock, the others wait.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::launcher::Mpi;
use crate::report::{Run, run, run_with};
use crate::shipped::Load;
use crate::{programs, shipped};

fn measured(ranks: usize, pattern: &str) -> Run {
    let _turn = shipped::turn(Load::Fills);
    let mut words = Mpi::OpenMpi.launch(ranks);
    let program = programs::built_for(Mpi::OpenMpi).join("efficiency/planted");
    words.extend([program.display().to_string(), pattern.to_owned(), "8".to_owned()]);
    let run = run(&words);
    assert_eq!(run.status, Some(0), "{}", run.shown());
    run
}

/// The same of a program whose threads wait for locks.
fn measured_locks(pattern: &str) -> Run {
    measured_threads("time/lock_holders", pattern)
}

fn measured_threads(program: &str, pattern: &str) -> Run {
    let _turn = shipped::turn(Load::Fills);
    let program = programs::plain().join(program).display().to_string();
    let run = run(&[program, pattern.to_owned(), "8".to_owned()]);
    assert_eq!(run.status, Some(0), "{}", run.shown());
    run
}

/// A process, or a thread by its number alone, and what it did meanwhile.
type Who = (String, String);

/// What the program itself says, by its trace.
fn planted(run: &Run) -> BTreeMap<Who, f64> {
    let lines = run.stderr.lines().filter_map(|line| line.strip_prefix("planted: "));
    let told = lines.map(|line| {
        let [who, number, did, share] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let who = if who == "rank" { format!("/Process/{number}") } else { number.to_owned() };
        ((who, did.to_owned()), share.parse().expect("a share"))
    });
    told.collect()
}

/// The causes of what all ranks wait.
fn causes(run: &Run) -> Vec<(Who, f64)> {
    let all = run.report["bottlenecks"].as_array().expect("a list");
    let is_waiting = |one: &&Value| one["hypothesis"] == "ExcessiveSyncWaitingTime";
    let Some(first) = all.iter().find(is_waiting) else { return Vec::new() };
    let causes = first["causes"].as_array().expect("a list").iter();
    let told = causes.map(|cause| {
        let [focus, state] = ["focus", "state"].map(|member| cause[member].as_str());
        let focus = focus.expect("a focus");
        let parts = focus.trim_matches(['<', '>']).split(',');
        // None where all ranks lack processors.
        let process = parts.into_iter().find(|part| part.starts_with("/Process/"));
        let who = match process.map(|process| process.split('/').collect::<Vec<_>>()).as_deref() {
            None => "all".to_owned(),
            Some(["", "Process", _, thread]) => (*thread).to_owned(),
            Some(parts) => parts.join("/"),
        };
        let who = (who, state.expect("a state").to_owned());
        (who, cause["share"].as_f64().expect("a share"))
    });
    told.collect()
}

fn by_process<'a>(all: impl IntoIterator<Item = (&'a Who, &'a f64)>) -> BTreeMap<&'a str, f64> {
    let mut sums = BTreeMap::new();
    for ((process, _), share) in all {
        *sums.entry(process.as_str()).or_default() += share;
    }
    sums
}

/// The part of the time in calls of MPI that was spent in those that begin and end it: the program cannot know who is late there.
fn at_the_ends(run: &Run) -> f64 {
    let rows = run.report["profile"].as_array().expect("a list").iter();
    let mut spent = [0.0; 2];
    for row in rows {
        let path = row["path"].as_array().and_then(|path| path.last()?.as_str());
        let Some(call) = path.and_then(|name| name.strip_prefix("MPI_")) else { continue };
        let is_end = ["Init", "Finalize"].iter().any(|end| call.starts_with(end));
        spent[usize::from(is_end)] += row["inclusive_s"].as_f64().expect("a time");
    }
    let [between, ends] = spent;
    if ends > 0.0 { ends / (between + ends) } else { 0.0 }
}

/// What is told of each process is what the program knows, within ten points. A rank may have had no processor while it did what it is the cause
/// by: then that is told of it. One that was woken and had none itself waits on, and nobody is the cause of that: so much less may be told. On a busy
/// machine ranks begin and end far from each other, too.
fn are_as_planted(run: &Run) -> Vec<(Who, f64)> {
    let delayed = run.report["time"]["processor"].as_f64().expect("a share");
    let allowed = 0.1 + delayed + at_the_ends(run);
    let (planted, told) = (planted(run), causes(run));
    let told_by = by_process(told.iter().map(|(who, share)| (who, share)));
    for (process, share) in by_process(&planted) {
        let told = told_by.get(process).copied().unwrap_or(0.0);
        let is_near = told < share + 0.1 && told > share - allowed;
        assert!(is_near, "{process}: {told} for {share}\n{}", run.shown());
    }
    told
}

/// The same, and this is the first cause.
fn is_caused_by(run: &Run, process: &str, state: &str) {
    let told = are_as_planted(run);
    let own = told.iter().find(|((_, state), _)| state != "processor");
    let ((first, did), _) = own.unwrap_or_else(|| panic!("no cause: {}", run.shown()));
    assert_eq!((first.as_str(), did.as_str()), (process, state), "{}", run.shown());
    assert!(run.stderr.contains("because"), "{}", run.stderr);
}

/// In what way most is waited for the first cause, of a rank or the holder of a lock.
fn is_in_the_way(run: &Run, pattern: &str) {
    let all = run.report["bottlenecks"].as_array().expect("a list").iter();
    let causes = all.filter_map(|one| one["causes"].as_array()).flatten();
    let first = causes.into_iter().find(|cause| cause["state"] != "processor");
    let first = first.unwrap_or_else(|| panic!("no cause: {}", run.shown()));
    assert_eq!(first["pattern"], pattern, "{}", run.shown());
}

#[test]
fn a_rank_that_computes_longer_is_the_cause_and_so_is_its_code() {
    let run = measured(2, "slow");
    is_caused_by(&run, "/Process/0", "computing");
    is_in_the_way(&run, "wait at barrier");
    let all = run.report["bottlenecks"].as_array().expect("a list");
    let causes = all.iter().filter_map(|one| one["causes"].as_array()).flatten();
    let mut computing = causes.filter(|cause| cause["state"] == "computing");
    let is_named = |cause: &Value| {
        cause["focus"].as_str().is_some_and(|focus| focus.contains("planted.c/slow_part"))
    };
    assert!(computing.any(is_named), "{}", run.shown());
}

/// Causes of what is read and written, by process and by what it does.
fn pipe_causes(run: &Run) -> BTreeMap<Who, f64> {
    let all = run.report["bottlenecks"].as_array().expect("a list").iter();
    let is_at_pipe = |one: &&Value| {
        one["hypothesis"] == "ExcessiveIOBlockingTime"
            && one["focus"].as_str().is_some_and(|focus| focus.ends_with("/File/pipe>"))
    };
    let first = all.into_iter().find(is_at_pipe).unwrap_or_else(|| panic!("{}", run.shown()));
    let mut told = BTreeMap::new();
    for cause in first["causes"].as_array().expect("a list") {
        assert_eq!(cause["by"], "other end", "{}", run.shown());
        let [focus, state] = ["focus", "state"].map(|member| cause[member].as_str());
        let mut process = focus.expect("a focus").split(&[',', '>']);
        let process = process.find_map(|part| part.strip_prefix("/Process/"));
        let pid = process.expect("a process").split('/').next().unwrap_or_default();
        let share = cause["share"].as_f64().expect("a share");
        *told.entry((pid.to_owned(), state.expect("a state").to_owned())).or_default() += share;
    }
    told
}

#[test]
fn messages_in_the_wrong_order_are_told() {
    let run = measured(3, "order");
    is_caused_by(&run, "/Process/1", "computing");
    is_in_the_way(&run, "late sender, wrong order");
}

#[test]
fn who_waits_at_a_pipe_waits_for_what_is_done_at_its_other_end() {
    for pattern in ["producer", "asleep", "writer", "consumer", "pipeline"] {
        let run = measured_threads("time/pipe_causes", pattern);
        let (planted, told) = (planted(&run), pipe_causes(&run));
        let ((pid, does), _) = planted.first_key_value().expect("it says so");
        let of_it = |state: &str| told.get(&(pid.clone(), state.to_owned())).copied();
        // It may have had no processor meanwhile, which is told then; of what is told nearly all is right.
        let share = of_it(does).unwrap_or(0.0);
        let all = share + of_it("processor").unwrap_or(0.0);
        let any: f64 = told.values().sum();
        let is_right = any > 0.8 && share > 0.1 * any && all > 0.9 * any;
        assert!(is_right, "{pattern}: {told:?}\n{}", run.shown());
    }
}

#[test]
fn how_many_ranks_share_how_many_processors_is_told() {
    let _turn = shipped::turn(Load::Fills);
    let program = programs::built_for(Mpi::Mpich).join("efficiency/planted");
    let planted = [program.display().to_string(), "balanced".to_owned(), "1".to_owned()];
    let bound: Vec<String> =
        "mpirun.mpich -bind-to user:0,0 -n 2".split(' ').map(str::to_owned).collect();
    let run = run(&[&bound[..], &planted].concat());
    let placement = &run.report["placement"];
    assert_eq!(placement["ranks"], 2, "{}", run.shown());
    assert_eq!(placement["ranks_per_processor"], 2.0, "{}", run.shown());
    assert_eq!(
        placement["bindings"],
        serde_json::json!([{"ranks": [0, 1], "processors": [0]}]),
        "{}",
        run.shown()
    );
    assert!(
        run.stderr.contains("2 ranks on 1 processor, 2 per processor, all bound to 0"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_rank_that_writes_is_the_cause() {
    is_caused_by(&measured(3, "writer"), "/Process/1", "io");
}

#[test]
fn a_root_that_comes_late_is_the_cause() {
    let run = measured(3, "root");
    is_caused_by(&run, "/Process/0", "blocked");
    is_in_the_way(&run, "late broadcast");
}

#[test]
fn a_chain_is_followed_to_where_it_begins() {
    let run = measured(3, "chain");
    is_caused_by(&run, "/Process/0", "blocked");
    is_in_the_way(&run, "late sender");
}

#[test]
fn a_rank_that_takes_no_part_is_not_the_cause() {
    let run = measured(3, "aside");
    is_caused_by(&run, "/Process/1", "blocked");
    is_in_the_way(&run, "late sender");
}

#[test]
fn pairs_of_ranks_that_never_meet_have_a_cause_each() {
    let told = are_as_planted(&measured(4, "pairs"));
    for process in ["/Process/0", "/Process/2"] {
        let share = by_process(told.iter().map(|(who, share)| (who, share))).get(process).copied();
        assert!(share.is_some_and(|share| share > 0.3), "{process}: {told:?}");
    }
}

#[test]
fn ranks_that_are_slow_in_turns_are_causes_in_turns() {
    let told = are_as_planted(&measured(2, "turns"));
    assert!(told.len() >= 2, "{told:?}");
}

#[test]
fn a_thread_that_computes_while_it_holds_a_lock_is_the_cause() {
    let run = measured_locks("long");
    is_caused_by(&run, "1", "computing");
    is_in_the_way(&run, "lock contention");
}

#[test]
fn a_thread_that_sleeps_while_it_holds_a_lock_is_the_cause() {
    is_caused_by(&measured_locks("sleeper"), "1", "blocked");
}

#[test]
fn a_thread_that_writes_while_it_holds_a_lock_is_the_cause() {
    is_caused_by(&measured_locks("writer"), "1", "io");
}

#[test]
fn a_chain_of_locks_is_followed_to_its_last_holder() {
    is_caused_by(&measured_locks("chain"), "2", "blocked");
}

#[test]
fn threads_that_hold_a_lock_in_turns_are_one_cause() {
    let run = measured_locks("equal");
    let told = causes(&run);
    let together: f64 =
        told.iter().filter(|((who, _), _)| who.starts_with('/')).map(|one| one.1).sum();
    assert!(together > 0.8, "{}", run.shown());
    assert!(run.stderr.contains("while it holds the lock and computes"), "{}", run.stderr);
    // Where they take it is known, for they have waited for it there.
    let all = run.report["bottlenecks"].as_array().expect("a list");
    let mut causes = all.iter().filter_map(|one| one["causes"].as_array()).flatten();
    let is_named = |cause: &Value| {
        cause["focus"].as_str().is_some_and(|focus| focus.contains("lock_holders.c/hold_short"))
    };
    assert!(causes.any(is_named), "{}", run.shown());
}

#[test]
fn the_thread_that_comes_last_to_a_barrier_is_the_cause() {
    for (pattern, state) in [("late", "computing"), ("asleep", "blocked"), ("writer", "io")] {
        let run = measured_threads("time/thread_causes", pattern);
        is_caused_by(&run, "1", state);
        assert!(run.stderr.contains("while it alone"), "{}", run.stderr);
    }
}

#[test]
fn who_alone_fills_a_queue_or_posts_a_semaphore_is_the_cause() {
    is_caused_by(&measured_threads("time/thread_causes", "producer"), "1", "blocked");
    is_caused_by(&measured_threads("time/thread_causes", "permits"), "1", "computing");
}

#[test]
fn balanced_ranks_have_no_cause_but_what_delayed_them() {
    let run = measured(2, "balanced");
    let told = causes(&run);
    // A busy machine wakes one rank later than the other, and the other waits: the program's trace has that, too.
    let (planted, known) = (planted(&run), told.iter().filter(|((_, did), _)| did != "processor"));
    let planted = by_process(&planted);
    for (process, share) in by_process(known.map(|(who, share)| (who, share))) {
        let most = planted.get(process).map_or(0.02, |planted| planted + 0.1);
        assert!(share < most, "{process}: {share}, not below {most}\n{}", run.shown());
    }
    assert!(!told.is_empty() || !run.stderr.contains("because"), "{}", run.stderr);
}

/// Ranks of one number in jobs after each other are different processes: what was found of one is told of no other.
#[test]
fn a_lack_of_processors_is_told_once_of_each_job() {
    let _turn = shipped::turn(Load::Fills);
    let mut job = Mpi::OpenMpi.launch(4);
    let program = programs::built_for(Mpi::OpenMpi).join("bottleneck/too_few_processors");
    job.extend([program.display().to_string(), "2".to_owned()]);
    let job = job.join(" ");
    // About a quarter of the time is waited: near the shipped threshold seven seconds may not tell.
    let sure = ["--threshold", "ExcessiveSyncWaitingTime=10%"];
    let words = ["sh", "-c", &format!("{job} && {job} && {job}")].map(str::to_owned);
    let run = run_with(&sure, &words);
    assert_eq!(run.status, Some(0), "{}", run.shown());
    let [saved, waited] = saved_of_waited(&run);
    assert!(saved <= waited, "{saved} of {waited}: {}", run.shown());
}

/// Eight ranks that do the same have a quarter of a processor each, and at any time one of them polls. Nobody waits for anything but processors.
#[test]
fn the_cause_of_many_ranks_on_two_processors_is_the_lack_of_more() {
    let _turn = shipped::turn(Load::Fills);
    let mut words = Mpi::OpenMpi.launch(8);
    let program = programs::built_for(Mpi::OpenMpi).join("efficiency/crowded");
    words.extend([program.display().to_string(), "8".to_owned()]);
    let run = run(&words);
    assert_eq!(run.status, Some(0), "{}", run.shown());
    let known = run.stderr.lines().find_map(|line| line.strip_prefix("crowded: "));
    let words: Vec<&str> = known.expect("the program says it").split(' ').collect();
    let [_, waited, _, ready] = words[..] else { panic!("{words:?}") };
    let [waited, ready] = [waited, ready].map(|text| text.parse::<f64>().expect("seconds"));
    let [told_saved, told_waited] = saved_of_waited(&run);
    // Who waits for a rank that is ready and has no processor waits for processors as well, and is in no sum.
    let (least, told) = (0.8 * ready / waited, told_saved / told_waited);
    assert!(told >= least && told <= 1.0, "{told}, at least {least}: {}", run.shown());
    let lack = causes(&run).into_iter().find(|(who, _)| *who == ("all".into(), "processor".into()));
    assert!(lack.is_some_and(|(_, share)| share >= least), "{}", run.shown());
    assert!(run.stderr.contains("because"), "{}", run.stderr);
}

/// Of the whole program: what enough processors would save of its waiting, and all of that.
fn saved_of_waited(run: &Run) -> [f64; 2] {
    let all = run.report["bottlenecks"].as_array().expect("a list");
    let value = |hypothesis: &str| {
        let whole = "</Code,/Machine,/Process,/SyncObject>";
        let one = all.iter().find(|one| one["hypothesis"] == hypothesis && one["focus"] == whole);
        one.and_then(|one| one["value"].as_f64()).unwrap_or_else(|| panic!("{}", run.shown()))
    };
    ["WaitsCausedByProcessors", "ExcessiveSyncWaitingTime"].map(value)
}
