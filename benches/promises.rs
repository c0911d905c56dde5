//! Promises that only hold on a quiet machine, as figures: the worst second of cost at each limit, and how close estimates come.
//!
//! Nothing is judged. `cargo bench --bench promises`; with `-- --test` the first of each, to see that it runs.

use std::env;

#[expect(dead_code, reason = "the live tests use all of it")]
#[path = "../tests/live/launcher.rs"]
mod launcher;
#[expect(dead_code, reason = "the live tests use all of it")]
#[path = "../tests/live/programs.rs"]
mod programs;
#[expect(dead_code, reason = "other benchmarks use the library")]
#[path = "../tests/release.rs"]
mod release;
#[expect(dead_code, reason = "the live tests use all of it")]
#[path = "../tests/live/report.rs"]
mod report;
#[expect(dead_code, reason = "the live tests take turns")]
#[path = "../tests/live/shipped.rs"]
mod shipped;

use report::{Run, run_with};

fn main() {
    let count = if env::args().any(|argument| argument == "--test") { 1 } else { usize::MAX };
    println!("worst second and mean of cost, in percent, where so many are allowed");
    for name in COSTS.into_iter().take(count) {
        LIMITS.into_iter().take(count).for_each(|limit| cost(name, limit));
    }
    println!("calls of what is too hot, as told, of those that there were");
    LIVES.into_iter().take(count).for_each(calls);
    println!("calls and time of what takes a few nanoseconds, as told, of what they were");
    KINDS.into_iter().take(count).for_each(|(kind, function)| tiny(kind, function));
    println!("time of nested calls, as told, of what it is without regions");
    nested();
}

fn cost(name: &str, limit: &str) {
    let program = programs::of_cost().join("cost").join(name).display().to_string();
    let search = ["--no-store", "--code-search", "callgraph", "--threshold", "CPUbound=0.04"];
    let options = [&search[..], &["--cost-limit", limit]].concat();
    let run = run_with(&options, &[program, "4".to_owned()]);
    let percent = |name: &str| 100.0 * run.report["cost"][name].as_f64().unwrap_or(f64::NAN);
    println!("  {name:<16} {limit:>2}: {:6.2} {:6.2}", percent("max"), percent("mean"));
}

fn calls(life: &str) {
    let program = programs::with_code().join("code/counted").display().to_string();
    let words = [program, life.to_owned(), "40".to_owned()];
    let run = asked(&["calls"], "</Code/counted.c/work>", &words);
    let told = run.stderr.lines().filter_map(|line| line.strip_suffix(" calls of work"));
    let known: f64 = told.filter_map(|calls| calls.parse::<f64>().ok()).sum();
    println!("  {life:<16} {:6.3}", total(&run, 0) / known);
}

fn tiny(kind: &str, function: &str) {
    let program = programs::with_code().join("code/tiny").display().to_string();
    let words = [program, kind.to_owned(), "5".to_owned()];
    let run = asked(&["calls", "cpu"], &format!("</Code/tiny.c/{function}>"), &words);
    let known = run.stderr.lines().find_map(|line| {
        let (calls, rest) = line.split_once(" calls, ")?;
        let seconds = rest.strip_suffix(" s in them")?;
        Some((calls.parse::<f64>().ok()?, seconds.parse::<f64>().ok()?))
    });
    let (calls, time) = known.unwrap_or((f64::NAN, f64::NAN));
    println!("  {kind:<16} {:6.3} {:6.3}", total(&run, 0) / calls, total(&run, 1) / time);
}

fn nested() {
    let program = programs::with_interface().join("api/nested").display().to_string();
    let run = run_with(&["--no-store", "--cost-limit", "99"], &[program]);
    let words: Vec<&str> = run.stdout.split_whitespace().collect();
    let seconds = |at: usize| words.get(at).and_then(|word| word.parse::<f64>().ok());
    let (bare, with) = (seconds(1).unwrap_or(f64::NAN), seconds(3).unwrap_or(f64::NAN));
    let rows = run.list("profile").iter();
    let nested = rows.filter(|row| row["path"][0] == "outer" || row["path"][0] == "middle");
    let told: f64 = nested.filter_map(|row| row["exclusive_s"].as_f64()).sum();
    println!("  told {:.3}, with regions {:.3}", told / bare, with / bare);
}

/// Asks for these metrics at a focus, and for nothing else.
fn asked(metrics: &[&str], focus: &str, words: &[String]) -> Run {
    let mut options = vec!["--no-store", "--code-search", "none"];
    options.extend(metrics.iter().flat_map(|metric| ["--measure", metric, focus]));
    run_with(&options, words)
}

fn total(run: &Run, at: usize) -> f64 {
    run.list("measured").get(at).and_then(|one| one["total"].as_f64()).unwrap_or(f64::NAN)
}

const COSTS: [&str; 7] = [
    "tiny_leaf",
    "many_warm",
    "busy_threads",
    "hot_procedure",
    "recursion",
    "deep_chain",
    "many_names",
];
const LIMITS: [&str; 2] = ["5", "1"];
const LIVES: [&str; 5] = ["hot", "quiet-hot", "hot-quiet", "threads", "hot-fork"];
const KINDS: [(&str, &str); 4] =
    [("two", "two"), ("two-of-six", "two"), ("six", "six"), ("six-of-eight", "six")];
