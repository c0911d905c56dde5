//! Measures what a user asks for by name, and checks that the cost of measuring is subtracted.

use crate::launcher::Mpi;
use crate::report::{Run, run_with};
use crate::shipped::Load;
use crate::{programs, shipped};
use serde_json::Value;

fn interface_program(name: &str, options: &[&str]) -> Run {
    let program = programs::with_interface().join(name);
    let _turn = shipped::turn(Load::Computes);
    let run = run_with(options, &[program.display().to_string()]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    run
}

#[test]
fn pairs_by_name_are_answered_with_totals_and_notes() {
    let solve = "</Code/begin_end.c/solve>";
    let nothing = "</Code/begin_end.c/nothing>";
    let options = ["--measure", "calls", solve, "--measure", "wall", nothing];
    let run = interface_program("api/begin_end", &options);
    let [calls, wall] = run.list("measured") else { panic!("two were asked for") };
    assert_eq!(calls["metric"], "calls");
    assert_eq!(calls["focus"], "</Code/begin_end.c/solve,/Machine,/Process,/SyncObject>");
    let total = calls["total"].as_f64().expect("a number");
    assert!((total - 1000.0).abs() < 0.5, "its own, not those of step below: {calls}");
    assert!(calls["note"].is_null(), "{calls}");
    assert!(wall["note"].as_str().is_some_and(|note| note.contains("never seen")), "{wall}");
    assert!(run.stderr.contains("Measured"), "{}", run.stderr);
}

/// What became of a question about `work` of a program that knows how often it calls it.
#[derive(Debug)]
struct Count {
    known: f64,
    total: f64,
    /// Calls that were counted one by one.
    counted: f64,
    covered: f64,
    /// By how much the total may be off, where it is an estimate.
    plus_minus: Option<f64>,
    note: String,
}

impl Count {
    /// Of a life of `counted`, in which a call takes so many nanoseconds.
    fn of(life: &str, nanoseconds: &str) -> Self {
        Self::within(&[], life, nanoseconds)
    }

    /// The same, with words for the limit of the cost.
    fn within(limit: &[&str], life: &str, nanoseconds: &str) -> Self {
        let program = programs::with_code().join("code/counted").display().to_string();
        let words = [program, life.to_owned(), nanoseconds.to_owned()];
        Self::of_function("counted.c", "work", limit, &words)
    }

    /// Of a function of a program that says how often it calls it.
    fn of_function(file: &str, function: &str, limit: &[&str], words: &[String]) -> Self {
        let focus = format!("</Code/{file}/{function}>");
        let measure = ["--no-store", "--code-search", "none", "--measure", "calls", &focus];
        let _turn = shipped::turn(Load::Computes);
        let run = run_with(&[&measure, limit].concat(), words);
        assert_eq!(run.status, Some(0), "{}", run.stderr);
        let end = format!(" calls of {function}");
        let told = run.stderr.lines().filter_map(|line| line.strip_suffix(&end));
        let [calls] = run.list("measured") else { panic!("one was asked for") };
        Self {
            known: told.map(|calls| calls.parse::<f64>().expect("a number")).sum(),
            counted: run.total(function, "calls") as f64,
            total: calls["total"].as_f64().expect("a number"),
            plus_minus: calls["plus_minus"].as_f64(),
            covered: calls["covered_s"].as_f64().expect("a time"),
            note: calls["note"].as_str().unwrap_or_default().to_owned(),
        }
    }

    fn is_exact(&self) -> bool {
        self.note.is_empty() && (self.total - self.known).abs() < 0.5
    }

    /// Said to be a lower bound, and one, or said to be an estimate, from some of the calls that there were, of their size, and within what is told, or
    /// less where it is said to lack some. How close it comes depends on what else runs: `cargo bench --bench promises` tells it.
    fn is_honest(&self) -> bool {
        let is_bound = self.note.contains("lower bound") && self.total <= self.known;
        let lacks_some = self.note.contains("nothing of that is in the total");
        let is_near = (0.5..1.5).contains(&(self.total / self.known))
            || lacks_some && self.total < self.known;
        // That is 95 of 100; twice as much is all but sure.
        let off = self.total - self.known;
        let is_within = |error: f64| off <= 2.0 * error && (lacks_some || off >= -2.0 * error);
        let is_estimate = self.note.contains("too hot: covered")
            && is_near
            && self.plus_minus.is_some_and(is_within);
        let is_counted = self.counted > 0.0 && self.counted <= self.known;
        self.is_exact() || is_counted && (is_bound || is_estimate)
    }
}

/// How many are too many depends on what the start cost on this machine, unless the limit allows everything.
#[test]
fn calls_that_are_not_too_many_are_told_exactly() {
    for life in ["at-once", "mild", "late-fork", "later"] {
        let count = Count::within(&["--cost-limit", "99"], life, "40");
        assert!(count.is_exact(), "{life}: {count:?}");
    }
}

/// From some depth on its calls keep nothing on the program's stack.
#[test]
fn calls_of_a_deep_recursion_are_told_exactly() {
    let program = programs::plain().join("guests/deep_recursion").display().to_string();
    let (limit, words) = (["--cost-limit", "99"], [program, "1500".to_owned()]);
    let count = Count::of_function("deep_recursion.c", "visit", &limit, &words);
    assert!(count.is_exact() && count.total > 1000.0, "{count:?}");
}

#[test]
fn children_that_end_before_anybody_looks_are_counted() {
    let count = Count::within(&["--cost-limit", "99"], "short-forks", "40");
    assert!(count.is_exact(), "{count:?}");
}

/// It waits at its start for somebody who cannot come, and goes on: that is told.
#[test]
fn a_program_that_ends_before_anybody_can_look_makes_a_lower_bound() {
    let count = Count::within(&["--cost-limit", "99"], "unseen", "40");
    assert!(count.total > 0.0 && count.total < count.known, "{count:?}");
    assert!(count.note.contains("1 process ended before it was in place"), "{count:?}");
}

/// It goes on before anybody looks, too, and is too hot as soon as somebody does: what it did before is not estimated.
#[test]
fn what_is_too_hot_before_it_is_in_place_makes_a_lower_bound() {
    let count = Count::of("hot-unseen", "40");
    assert!(count.note.contains("not in place before"), "{count:?}");
    assert!(count.is_honest(), "{count:?}");
}

/// What it names was never there, and nobody could have seen it: both are told.
#[test]
fn a_name_that_nobody_knows_is_told_of_a_program_that_ends_too_early_as_well() {
    let program = programs::with_code().join("code/counted").display().to_string();
    let options = ["--no-store", "--code-search", "none", "--measure", "wall"];
    let options = [&options[..], &["</Code/counted.c/nothing>"]].concat();
    let _turn = shipped::turn(Load::Computes);
    let run = run_with(&options, &[program, "unseen".to_owned(), "40".to_owned()]);
    let [wall] = run.list("measured") else { panic!("one was asked for") };
    let note = wall["note"].as_str().expect("something is to be said");
    for part in
        ["/Code/counted.c/nothing was never seen in this run; ", "ended before it was in place"]
    {
        assert!(note.contains(part), "{wall}");
    }
}

/// How many of its calls are counted before they are too many is up to the machine. A burst that is lost is counted as none.
#[test]
fn a_burst_at_the_very_end_is_not_lost() {
    let count = Count::of("burst", "100");
    assert!(count.total > 0.0 && count.is_honest(), "{count:?}");
}

#[test]
fn what_is_too_hot_is_said_to_be_estimated_or_a_bound() {
    for life in ["hot", "quiet-hot", "hot-quiet", "threads", "hot-fork"] {
        let count = Count::of(life, "40");
        assert!(count.covered > 0.0 && !count.note.is_empty(), "{life}: {count:?}");
        assert!(count.is_honest(), "{life}: {count:?}");
    }
}

#[test]
fn nested_calls_are_told_without_what_measuring_them_costs() {
    let run = interface_program("api/nested", &["--cost-limit", "99"]);
    let words: Vec<&str> = run.stdout.split_whitespace().collect();
    let with: f64 = words[3].parse().expect("the program prints seconds");
    let nested = |row: &&Value| row["path"][0] == "outer" || row["path"][0] == "middle";
    let rows = run.list("profile").iter().filter(nested);
    let told: f64 = rows.map(|row| row["exclusive_s"].as_f64().expect("a time")).sum();
    let compensated = run.report["cost"]["compensated_s"].as_f64().expect("a time");
    // All of this is of one run, whatever that waited for: the rest of it is without regions.
    assert!(compensated > 0.0, "{}", run.shown());
    assert!(told > 0.0 && told < with, "told {told} s of {with} s; {}", run.shown());
    let visits = ["outer", "middle", "inner"].map(|name| run.total(name, "calls"));
    assert_eq!(visits, [2000, 200_000, 800_000], "{}", run.shown());
}

/// A thread that slept at some place ran less than its events say: what it ran belongs to where it did not sleep.
#[test]
fn running_time_is_told_of_the_function_that_ran() {
    let program = programs::with_code().join("code/sleeps_at_times").display().to_string();
    let code = |function: &str| format!("</Code/sleeps_at_times.c/{function}>");
    let [work, solve] = ["work", "solve"].map(code);
    let options =
        ["--no-store", "--no-search", "--measure", "cpu", &work, "--measure", "cpu", &solve];
    let _turn = shipped::turn(Load::Computes);
    let run = run_with(&options, &[program]);
    let known = run.stdout.split_whitespace().map(|word| word.parse().expect("seconds"));
    let [in_work, in_all]: [f64; 2] = known.collect::<Vec<_>>().try_into().expect("two numbers");
    let [work, solve] = run.list("measured") else { panic!("two were asked for") };
    let told = |pair: &Value| pair["total"].as_f64().expect("a number");
    let (work, solve) = (told(work), told(solve));
    assert!((0.75..1.1).contains(&(work / in_work)), "{work} of {in_work} s; {}", run.shown());
    assert!(work <= solve && solve < 1.1 * in_all, "{solve} of {in_all} s; {}", run.shown());
}

#[test]
fn a_communicator_is_told_by_how_it_was_made_and_who_is_in_it() {
    let mut words = Mpi::OpenMpi.launch(4);
    words.push(programs::with_code().join("code/cartesian").display().to_string());
    let barrier = |name: &str| format!("</SyncObject/Barrier/MPI_COMM_WORLD.{name}>");
    let names = ["cart_create#1%280-3%29", "split#2%280%2C2%29", "split#2%281%2C3%29"];
    let foci = names.map(barrier);
    let mut options = vec!["--no-store", "--no-search"];
    foci.iter().for_each(|focus| options.extend(["--measure", "sync_ops", focus]));
    let _turn = shipped::turn(Load::Fills);
    let run = run_with(&options, &words);
    let totals: Vec<_> = run.list("measured").iter().map(|one| one["total"].as_f64()).collect();
    assert_eq!(totals, [400.0, 200.0, 200.0].map(Some), "{}", run.shown());
}
