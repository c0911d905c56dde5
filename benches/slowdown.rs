//! Measures how much longer programs take under whyperf, beside what whyperf says that it costs; it reports and does not judge.
//!
//! Each program does a fixed amount of work, alone and with whyperf in turns. A pair of neighbouring runs gives a ratio, and the ratios of
//! all pairs a mean with its interval of confidence (95 %, by Student's distribution of the logarithms): what else the machine does
//! changes slowly, so it is mostly the same in both runs of a pair. Of programs that do not poll the processor time is compared, too, which other
//! work beside them changes less than the time.
//!
//! A third run of each pair is one with `--verify-cost`, which finds out the same within itself, but for start and end. What it says is printed beside the
//! time that the pairs leave for all between: in how many runs the two are no farther apart than their intervals say, taken together.
//!
//! `cargo bench --bench slowdown`, or with `-- --pairs 20`, `-- NAME...` for some programs; with `-- --test` one short pair of each.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::Value;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

#[path = "../tests/building.rs"]
mod building;
#[path = "../tests/live/launcher.rs"]
mod launcher;
#[expect(dead_code, reason = "the live tests use all of it")]
#[path = "../tests/live/programs.rs"]
mod programs;
#[expect(dead_code, reason = "other benchmarks use the library")]
#[path = "../tests/release.rs"]
mod release;

use building::succeed;
use launcher::Mpi;

/// A program of the table.
struct Subject {
    name: &'static str,
    /// Whether its processor time says something: ranks that wait for messages poll.
    polls: bool,
    words: Vec<String>,
}

/// Seconds of one run: by the clock, and of processors.
#[derive(Clone, Copy)]
struct Took {
    time: f64,
    processors: f64,
}

fn main() {
    let words: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    let is_test = words.iter().any(|word| word == "--test");
    let asked = words.iter().position(|word| word == "--pairs");
    let asked = asked.and_then(|at| words.get(at + 1)?.parse::<usize>().ok());
    let pairs = asked.unwrap_or(if is_test { 1 } else { 6 });
    let is_wanted = |subject: &Subject| {
        let named = words.iter().any(|word| SUBJECTS.contains(&word.as_str()));
        !named || words.iter().any(|word| word == subject.name)
    };
    let folder = env::temp_dir().join(format!("whyperf-slowdown-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("the temporary folder can be written");
    println!(
        "| program | alone | with whyperf | longer by | processor time | reported cost | by its own check | agree |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    // Seven seconds and more: the check within a run takes the first for itself, and wants six pairs of stretches.
    let size = if is_test { 0.02 } else { 2.2 };
    for subject in subjects(&folder, size).iter().filter(|subject| is_wanted(subject)) {
        compare(subject, pairs, &folder);
    }
    fs::remove_dir_all(&folder).expect("the folder is ours");
}

fn compare(subject: &Subject, pairs: usize, folder: &Path) {
    let report = folder.join("report.json");
    let whyperf = release::folder().join("whyperf");
    // The first run of a program reads its code; the table is about the second.
    run(with(&whyperf, &[], &report, subject), folder);
    let (mut alone, mut watched, mut costs, mut checks) = (vec![], vec![], vec![], vec![]);
    for _ in 0..pairs {
        let mut bare = Command::new(&subject.words[0]);
        bare.args(&subject.words[1..]);
        alone.push(run(bare, folder));
        watched.push(run(with(&whyperf, &[], &report, subject), folder));
        costs.push(cost_of(&report));
        run(with(&whyperf, &["--verify-cost"], &report, subject), folder);
        checks.push(cost_of(&report));
    }
    let mean = |all: &[Took]| all.iter().map(|took| took.time).sum::<f64>() / all.len() as f64;
    let logs = |of: fn(&Took) -> f64| -> Vec<f64> {
        let pairs = watched.iter().zip(&alone);
        pairs.map(|(with, alone)| (of(with) / of(alone)).ln()).collect()
    };
    let processors =
        if subject.polls { "-".to_owned() } else { percent(&logs(|took| took.processors)) };
    let total = |cost: &Value| cost["total"].as_f64().unwrap_or(f64::NAN);
    let between = watched.iter().zip(&alone).zip(&costs).map(|((with, alone), cost)| {
        let around =
            cost["start_s"].as_f64().unwrap_or(0.0) + cost["end_s"].as_f64().unwrap_or(0.0);
        ((with.time - around) / alone.time).ln()
    });
    let (own, agree) = checked(&checks, &between.collect::<Vec<f64>>());
    println!(
        "| {} | {:.2} s | {:.2} s | {} | {processors} | {:.2} % | {own} | {agree} |",
        subject.name,
        mean(&alone),
        mean(&watched),
        percent(&logs(|took| took.time)),
        100.0 * costs.iter().map(total).sum::<f64>() / costs.len() as f64,
    );
}

/// What the runs' own checks say, and in how many of them that is what pairs say, whose logarithms of ratios are `between`.
fn checked(checks: &[Value], between: &[f64]) -> (String, String) {
    let number = |cost: &Value, name: &str| cost["checked"][name].as_f64();
    let known: Vec<(f64, f64)> = checks
        .iter()
        .filter_map(|cost| number(cost, "slower").zip(number(cost, "plus_minus")))
        .collect();
    let Some((middle, error)) = estimate(between) else {
        return ("-".to_owned(), "-".to_owned());
    };
    let told =
        |(slower, error): &(f64, f64)| format!("{:.1} ± {:.1}", 100.0 * slower, 100.0 * error);
    let agrees = |(slower, own): &&(f64, f64)| (slower - middle).abs() <= own.hypot(error);
    let count = known.iter().filter(agrees).count();
    let by = checks.iter().find_map(|cost| cost["checked"]["by"].as_str()).unwrap_or("nothing");
    let all: Vec<String> = known.iter().map(told).collect();
    (format!("{} % by {by}", all.join(", ")), format!("{count} of {}", known.len()))
}

fn with(whyperf: &Path, options: &[&str], report: &Path, subject: &Subject) -> Command {
    let mut command = Command::new(whyperf);
    command.args(["run", "--quiet"]).args(options).arg("--json").arg(report);
    command.arg("--").args(&subject.words);
    command
}

fn run(mut command: Command, folder: &Path) -> Took {
    let (begin, before) = (Instant::now(), processors());
    let shown = format!("{command:?}");
    let status = command.current_dir(folder).stdout(Stdio::null()).status();
    let status = status.unwrap_or_else(|error| panic!("{shown}: {error}"));
    assert!(status.success(), "{shown}: {status}");
    Took { time: begin.elapsed().as_secs_f64(), processors: processors() - before }
}

/// Seconds of processors that children took which were waited for.
fn processors() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").expect("the system has it");
    let fields = text.rsplit_once(") ").map_or("", |(_, fields)| fields);
    let of_children = fields.split(' ').skip(13).take(2);
    of_children.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS
}

/// What a run says that it cost.
fn cost_of(report: &Path) -> Value {
    let text = fs::read_to_string(report).expect("whyperf writes its report");
    let report: Value = serde_json::from_str(&text).expect("it is JSON");
    report["cost"].clone()
}

/// `1.20 % ± 0.40 %`, of the logarithms of ratios.
fn percent(logs: &[f64]) -> String {
    match estimate(logs) {
        Some((more, error)) => format!("{:.1} % ± {:.1} %", 100.0 * more, 100.0 * error),
        None => format!("{:.1} %", 100.0 * (logs.iter().sum::<f64>().exp() - 1.0)),
    }
}

/// By how much more one is than the other, and the interval of that; `None` of one pair.
fn estimate(logs: &[f64]) -> Option<(f64, f64)> {
    if logs.len() < 2 {
        return None;
    }
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let variance = logs.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let quantile = StudentsT::new(0.0, 1.0, count - 1.0).ok()?.inverse_cdf(0.975);
    Some((mean.exp() - 1.0, quantile * (variance / count).sqrt()))
}

fn subjects(folder: &Path, size: f64) -> Vec<Subject> {
    let work = folder.join("work");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/slowdown_work.c");
    let mut compile = Command::new("gcc");
    succeed(compile.args(["-O2", "-g", "-pthread"]).arg(source).arg("-o").arg(&work));
    let work = |kind: &str, steps: f64| {
        vec![work.display().to_string(), kind.to_owned(), count(steps * size)]
    };
    let mpi = |mpi: Mpi, ranks: usize, iterations: f64| {
        let program = programs::built_for(mpi).join("poisson/c/oned");
        let mut words = mpi.launch(ranks);
        words.extend([program.display().to_string(), "600".to_owned()]);
        words.push(count(iterations * size));
        words
    };
    let shell = |script: String| vec!["sh".to_owned(), "-c".to_owned(), script];
    let one = |name, polls, words| Subject { name, polls, words };
    vec![
        one("computing", false, work("computing", 5000.0)),
        one("threads", false, work("threads", 5000.0)),
        one("barriers", false, work("barriers", 4000.0)),
        one("locks", false, work("locks", 9000.0)),
        one("writes", false, work("writes", 5000.0)),
        one("leaf", false, work("leaf", 3000.0)),
        one("warm", false, work("warm", 5000.0)),
        one("python", false, python(size)),
        one("make", false, shell(make(folder, size))),
        one("openmpi", true, mpi(Mpi::OpenMpi, 4, 16_000.0)),
        one("mpich", true, mpi(Mpi::Mpich, 2, 12_000.0)),
        one("short", true, mpi(Mpi::OpenMpi, 2, 1500.0)),
    ]
}

fn python(size: f64) -> Vec<String> {
    let script = format!("sum(at * at for at in range({}))", count(50_000_000.0 * size));
    vec!["python3".to_owned(), "-c".to_owned(), script]
}

/// A job of many short processes: a shell that runs a command again and again, and compilers side by side.
fn make(folder: &Path, size: f64) -> String {
    let source = folder.join("one.c");
    let text: String = (0..200)
        .map(|at| {
            format!(
                "int f{at}(int x) {{ for (int i = 0; i < {at}; i++) x = x * 31 + i; return x; }}\n"
            )
        })
        .collect();
    fs::write(&source, text).expect("the folder is ours");
    let source = source.display();
    format!(
        "seq {} | xargs -P 2 -n 1 sh -c 'cc -O2 -c {source} -o /dev/null; true'",
        count(60.0 * size)
    )
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "amounts of work")]
fn count(amount: f64) -> String {
    (amount.max(1.0) as u64).to_string()
}

/// Names of programs.
const SUBJECTS: [&str; 12] = [
    "computing",
    "threads",
    "barriers",
    "locks",
    "writes",
    "leaf",
    "warm",
    "python",
    "make",
    "openmpi",
    "mpich",
    "short",
];
/// Ticks of the system a second, in which it tells processor time.
const TICKS: f64 = 100.0;
