//! A large run that goes on and is simulated: what the server of its page costs, and a page to try in a browser.
//!
//! `cargo run --release -p whyperf-viewer --example crowd -- [PROCESSES [QUESTIONS [SECONDS]]]` prints the address of the page, then what
//! the server took each ten seconds.

use std::env;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use whyperf_experiments::{Edge, ResourceSpan, StoredVerdict};
use whyperf_model::{Bin, Focus, Hierarchy, Metric, Nanos, Pair, Resource, Time};
use whyperf_viewer::{
    AccessRules, RunChange, RunHead, RunState, SeriesPart, Shown, Token, ViewAddress, ViewServer,
    ViewedRun,
};

/// Of a bin at first. When there are so many bins they become twice as wide, as those of a run do.
const WIDTH: Nanos = Nanos::from_millis(50);
const MOST_BINS: u64 = 1000;
/// Each of them is measured in each process.
const METRICS: [Metric; 2] = [Metric::SyncWait, Metric::Cpu];
/// Pairs beside those, as a search has them.
const PAIRS: u32 = 300;

fn main() {
    let mut words = env::args().skip(1).map(|word| word.parse::<u64>().expect("a number"));
    let mut word = |otherwise| words.next().unwrap_or(otherwise);
    let (processes, questions, seconds) = (word(1000), word(20_000), word(60));
    let head = RunHead { command: vec!["simulated".into()], ..RunHead::default() };
    let run = Arc::new(ViewedRun::live(head));
    let shown = Shown { runs: vec![Arc::clone(&run)], commands: None };
    let rules = AccessRules { token: Token::of([0; 16]), hosts: Vec::new() };
    let address = ViewAddress::Tcp(([127, 0, 0, 1], 0).into());
    let server = ViewServer::start(shown, &address, rules).expect("a port is free");
    println!("{}", server.url());
    let pairs = pairs(processes);
    let begin = Instant::now();
    for second in 1..=seconds {
        let mut change = RunChange::new(RunState::Searching, Duration::from_secs(second));
        change.counts = [pairs.len(), 0];
        change.cost = 0.01;
        if second == 1 {
            change.resources = resources(processes);
        }
        change.questions =
            vec![(0, verdicts(questions, second, seconds), edges(questions, second, seconds))];
        change.series =
            pairs.iter().zip(0..).map(|(pair, part)| bins(pair, part, second)).collect();
        let started = Instant::now();
        run.apply(change);
        let took = started.elapsed();
        if second % 10 == 0 {
            let [cpu, memory] = used();
            let share = cpu / begin.elapsed().as_secs_f64();
            println!(
                "{second} s: this process took {:.1} % of a core with what simulates, {memory:.0} MB; the last change {:.1} ms",
                100.0 * share,
                took.as_secs_f64() * 1e3
            );
        }
        thread::sleep(Duration::from_secs(second).saturating_sub(begin.elapsed()));
    }
}

fn process(number: u64) -> Resource {
    Resource::parse(&format!("/Process/{number}")).expect("well formed")
}

fn pairs(processes: u64) -> Vec<Pair> {
    let whole = Focus::whole_program();
    let of = |number| whole.with(Hierarchy::Process, process(number));
    let each =
        (0..processes).flat_map(|number| METRICS.map(|metric| Pair::new(metric, of(number))));
    let code = |n| Resource::parse(&format!("/Code/a.c/f{n}")).expect("well formed");
    let rest =
        (0..PAIRS).map(|n| Pair::new(Metric::SyncWait, whole.with(Hierarchy::Code, code(n))));
    each.chain(rest).collect()
}

fn resources(processes: u64) -> Vec<ResourceSpan> {
    let span = |name: String| ResourceSpan { name, appeared: Time::ZERO, retired: None };
    let functions = (0..PAIRS).map(|n| span(format!("/Code/a.c/f{n}")));
    (0..processes).map(|number| span(process(number).to_string())).chain(functions).collect()
}

/// How many of the first bins one bin is after so many seconds.
fn folded(second: u64) -> u64 {
    let mut by = 1;
    while second * 20 / by > MOST_BINS {
        by *= 2;
    }
    by
}

/// One second of a pair, in bins that are told as they are complete.
fn bins(pair: &Pair, part: u32, second: u64) -> SeriesPart {
    let by = folded(second);
    let from = 20 * (second - 1) / folded(second - 1) / (by / folded(second - 1));
    let width = Nanos(WIDTH.0 * by);
    let bin = |n: u64| {
        let busy = (u64::from(part) * 7919 + n) % 50;
        Bin { amount: i128::from(busy * by * 1_000_000), covered: width, extremes: None }
    };
    let bins = (from..20 * second / by).map(bin).collect();
    SeriesPart { pair: pair.clone(), part, width, from: usize::try_from(from).expect("few"), bins }
}

/// Those that came in this second of as many, over all of them.
fn numbers(questions: u64, second: u64, seconds: u64) -> std::ops::Range<u64> {
    let until = |second| questions * second / seconds;
    until(second - 1)..until(second)
}

fn verdicts(questions: u64, second: u64, seconds: u64) -> Vec<StoredVerdict> {
    let whole = Focus::whole_program();
    numbers(questions, second, seconds)
        .map(|number| StoredVerdict {
            number,
            hypothesis: if number % 3 == 0 { "CPUbound" } else { "ExcessiveSyncWaitingTime" }
                .into(),
            focus: whole.with(Hierarchy::Process, process(number % 1000)).to_string(),
            truth: ["true", "false", "unknown"][usize::try_from(number % 3).unwrap_or(0)].into(),
            value: Some(0.3),
            threshold: 0.2,
            confidence: 0.99,
            asked: 1,
            found: Some(Time::from_secs(second)),
            cost: 0.0,
            origin: "search".into(),
            split: None,
        })
        .collect()
}

fn edges(questions: u64, second: u64, seconds: u64) -> Vec<Edge> {
    let edge = |child: u64| Edge { parent: child / 12, child, axis: "Process".into() };
    numbers(questions, second, seconds).filter(|child| *child > 0).map(edge).collect()
}

/// Seconds of processor time, and memory that is there, in MB.
fn used() -> [f64; 2] {
    let read =
        |name: &str| std::fs::read_to_string(format!("/proc/self/{name}")).unwrap_or_default();
    let stat = read("stat");
    let words: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split(' ').collect();
    let ticks = |at: usize| words.get(at).and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0);
    let status = read("status");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    let memory = resident.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    [(ticks(12) + ticks(13)) / 100.0, memory.unwrap_or(0.0) / 1024.0]
}
