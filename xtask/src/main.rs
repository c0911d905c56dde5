//! The project's own chores: `cargo xtask demo` and `cargo xtask test`.

use std::process::ExitCode;

mod demo;
mod loom;
mod packages;
mod test;
mod workspace;

const USAGE: &str = "\
usage: cargo xtask <chore>

chores:
  demo                     build whyperf, run an MPI program under it, then compare with runs without it
  test                     everything: build, lints, formatting, unit and loom tests, contract and live tests
  test --quick             the same without the loom mutants and the live tests
  test --only STEP         one step alone
  test --list              the names of the steps
  packages                 install what building and testing need, where it is missing
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> anyhow::Result<ExitCode> {
    match words {
        ["demo"] => demo::run(),
        ["test", options @ ..] => test::run(options),
        ["packages"] => packages::ensure_all().map(|()| ExitCode::SUCCESS),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        [unknown, ..] => {
            eprint!("xtask: no chore is called `{unknown}`\n\n{USAGE}");
            Ok(ExitCode::from(2))
        }
    }
}
