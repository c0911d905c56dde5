//! Measures the cost of a wrapped MPI call, compared with the bare one: measured, measured and traced, switched off, and not measured at all.
//!
//! The same program runs in turn without the library and in each of these ways; for each kind of call the fastest run
//! counts, because every disturbance makes it slower. `cargo bench --bench mpi`; with `-- --test` one short round, to see
//! that it runs.

mod shipped;

use std::collections::BTreeMap;
use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};

use shipped::{in_memory, library};

/// Nanoseconds of one call, by its name.
type Costs = BTreeMap<String, f64>;

/// In which company the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Bare,
    Unmeasured,
    SwitchedOff,
    Measured,
    Traced,
}

const WAYS: [Way; 5] = [Way::Bare, Way::Unmeasured, Way::SwitchedOff, Way::Measured, Way::Traced];

/// How long to measure.
struct Effort {
    rounds: usize,
    calls: usize,
}

fn main() -> ExitCode {
    let is_tiny = env::args().any(|argument| argument == "--test");
    let effort = if is_tiny {
        Effort { rounds: 1, calls: 1_000 }
    } else {
        Effort { rounds: 60, calls: 50_000 }
    };
    let library = library();
    let folder = in_memory("mpi");
    let mut found = 0;
    for compiler in ["mpicc.openmpi", "mpicc.mpich"] {
        let program = folder.0.join(compiler.replace("mpicc.", "calls-"));
        if !is_built(compiler, &program) {
            eprintln!("mpi: no {compiler} here, so its MPI is left out");
            continue;
        }
        found += 1;
        report(compiler, &measure(&program, &library, &effort));
    }
    if found == 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn report(compiler: &str, costs: &[Costs]) {
    let [bare, rest @ ..] = costs else { return };
    println!(
        "{:<26} {:>8} {:>14} {:>14} {:>14} {:>14}",
        compiler, "bare", "unmeasured", "off", "measured", "traced"
    );
    for (call, plain) in bare {
        print!("{call:<26} {plain:>8.1}");
        for way in rest {
            let cost = way.get(call).copied().unwrap_or(f64::NAN);
            print!(" {:>+8.1} {:>4.2}x", cost - plain, cost / plain);
        }
        println!();
    }
}

/// The fastest of all rounds, for each way.
fn measure(program: &Path, library: &Path, effort: &Effort) -> Vec<Costs> {
    let mut best = vec![Costs::new(); WAYS.len()];
    for _ in 0..effort.rounds {
        for (way, best) in WAYS.iter().zip(&mut best) {
            for (call, cost) in run(*way, program, library, effort.calls) {
                let known = best.entry(call).or_insert(cost);
                *known = known.min(cost);
            }
        }
    }
    best
}

fn run(way: Way, program: &Path, library: &Path, calls: usize) -> Costs {
    let mut command = Command::new(program);
    command.arg(calls.to_string());
    if way != Way::Bare {
        command.env("LD_PRELOAD", library);
    }
    let is_kept = matches!(way, Way::SwitchedOff | Way::Measured | Way::Traced);
    let directory = is_kept.then(|| in_memory("mpi-regions"));
    if let Some(directory) = &directory {
        command.env("WHYPERF_DIR", &directory.0);
    }
    if way == Way::SwitchedOff {
        command.arg("off");
    }
    if way == Way::Traced {
        command.env("WHYPERF_TRACE", "1");
    }
    let output = command.output().expect("the program was just built");
    assert!(output.status.success(), "{way:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let costs = text.lines().filter_map(|line| line.split_once(' '));
    costs.filter_map(|(call, cost)| Some((call.to_owned(), cost.parse().ok()?))).collect()
}

fn is_built(compiler: &str, program: &Path) -> bool {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/mpi_calls.c");
    let built = Command::new(compiler)
        .args(["-O2", "-Wno-stringop-overflow"])
        .arg(source)
        .arg("-o")
        .arg(program)
        .status();
    built.is_ok_and(|status| status.success())
}
