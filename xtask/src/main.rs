//! The project's own tasks: `cargo xtask demo`, `test`, `page`, `study`, `sanitize`, `package` and `packages`.

use std::process::ExitCode;

mod api;
mod demo;
mod fresh_root;
mod killed;
mod loom;
mod package;
mod packages;
mod page;
mod planted;
mod precedence;
mod predicted;
mod python;
mod python_environment;
mod random;
mod reduction;
mod sanitize;
mod sc97;
mod spread;
mod study;
mod test;
mod workspace;
mod written_on;

use crate::demo::DemoPage;
use crate::workspace::Workspace;

const USAGE: &str = "\
usage: cargo xtask <chore>

chores:
  demo                     build whyperf, run an MPI program under it, then compare with runs without it
  demo --view              the same, with the run in a browser while it goes on and until Ctrl-C
  test                     everything: build, lints, formatting, unit and loom tests, contract and live tests
  test --quick             in a few minutes what an edit is tried with: lints, unit tests, the command line, on the debug build
  test --only STEP         one step alone
  test --list              the names of the steps
  page                     build the page of the viewer anew, by npm: what is built is committed
  study sc99               repeat the experiments of the paper on historical directives; docs/studies/sc99.md
  study sc99 --quick       the same in a few minutes, to see that all works; the page goes to the target folder
  study sc99 --built       the same with the release build that is there
  study sc99 --only TABLE  one table alone; --runs N repeats, --hold SECONDS for classic verdicts, --grid POINTS
  study planted            builds with a planted regression, and how often a comparison names it first; --pairs N --trials N
                           --busy-shells N, --built
  study random             random programs that know their own truth, and what whyperf says of them; --kind KIND (c, inlined,
                           phases, threads, c++, fortran; else by turns), --programs N, --seed N, --seconds N, --built,
                           --keep (the files of all programs)
  study killed             each part of a measured job is killed, and what must hold afterwards is checked: --rounds N of each,
                           --part PART (run, watcher, attach, rank, launcher), --seed N, --built
  study fresh-root         the Debian package in a new system, and the demo there by an ordinary user; as root, by debootstrap; --built
  study predicted          runs of this machine, predicted from traces and run for real; --runs N, --built, --only PART
  study reduction          what measuring all functions costs, and what a rule saves of that; --runs N, --elements N, --built
  study sc97               the case studies of the paper on experiment management: a port, a history of tuning, 2 to 16 processes;
                           docs/studies/sc97.md; --trials N of each, --built
  sanitize                 all of what follows; what it ran, how long, and what was found
  sanitize address         the crates' tests under AddressSanitizer; `thread` and `miri` likewise
  sanitize valgrind        the release build's library under valgrind, in a program with threads
  sanitize fuzz SECONDS    each fuzz target for so long, 60 s without a number
  package                  whyperf as others install it, in target/package: a Debian package, a tarball that works wherever it is unpacked,
                           files for environment modules, Spack and containers; --built; --into FOLDER installs it there
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
        ["demo"] => demo::run(DemoPage::No),
        ["demo", "--view"] => demo::run(DemoPage::Served),
        ["test", options @ ..] => test::run(options),
        ["package", words @ ..] => package::run(words),
        ["page"] => page::build(&Workspace::find()?).map(|()| ExitCode::SUCCESS),
        ["study", "random", words @ ..] => random::run(words),
        ["study", "fresh-root", words @ ..] => fresh_root::run(words),
        ["study", "killed", words @ ..] => killed::run(words),
        ["study", "planted", words @ ..] => planted::run(words),
        ["study", "predicted", words @ ..] => predicted::run(words),
        ["study", "reduction", words @ ..] => reduction::run(words),
        ["study", "sc97", words @ ..] => sc97::run(words),
        ["study", words @ ..] => study::run(words),
        ["sanitize", words @ ..] => sanitize::run(words),
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
