//! `cargo xtask sanitize`: runs the tests under sanitizers and Miri, the shipped library under valgrind, and the fuzz
//! targets.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::workspace::Workspace;

mod fuzz;
mod nightly;
mod valgrind;

/// For how long a fuzz target runs, where nobody says.
const FUZZED: Duration = Duration::from_secs(60);

/// One way of looking for what tests alone do not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    Address,
    Thread,
    Miri,
    Valgrind,
    /// Each target for so long.
    Fuzz(Duration),
}

impl Check {
    const fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Thread => "thread",
            Self::Miri => "miri",
            Self::Valgrind => "valgrind",
            Self::Fuzz(_) => "fuzz",
        }
    }

    /// Answers what ran without anything being found.
    fn carry_out(self, workspace: &Workspace) -> Result<String> {
        match self {
            Self::Address => nightly::address(workspace),
            Self::Thread => nightly::thread(workspace),
            Self::Miri => nightly::miri(workspace),
            Self::Valgrind => valgrind::run(workspace),
            Self::Fuzz(each) => fuzz::run(workspace, each),
        }
    }
}

/// Runs what is asked for, all of it without a word, and says what ran, for how long, and what was found.
pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let checks = checks(words)?;
    let workspace = Workspace::find()?;
    let mut lines = Vec::new();
    let mut code = ExitCode::SUCCESS;
    for check in checks {
        println!("\n==== {} ====", check.name());
        let start = Instant::now();
        let outcome = check.carry_out(&workspace);
        let (verdict, said) = match outcome {
            Ok(ran) => ("ok", format!("{ran}: nothing found")),
            Err(error) => {
                code = ExitCode::FAILURE;
                ("FAILED", format!("{error:#}"))
            }
        };
        let took = start.elapsed().as_secs_f64();
        lines.push(format!("{verdict:<7} {:<9} {took:>7.1} s  {said}", check.name()));
    }
    println!("\n==== summary ====\n{}", lines.join("\n"));
    Ok(code)
}

fn checks(words: &[&str]) -> Result<Vec<Check>> {
    Ok(match words {
        [] => {
            vec![Check::Address, Check::Thread, Check::Miri, Check::Valgrind, Check::Fuzz(FUZZED)]
        }
        ["address"] => vec![Check::Address],
        ["thread"] => vec![Check::Thread],
        ["miri"] => vec![Check::Miri],
        ["valgrind"] => vec![Check::Valgrind],
        ["fuzz"] => vec![Check::Fuzz(FUZZED)],
        ["fuzz", seconds] => {
            let seconds = seconds.parse().ok().filter(|seconds| *seconds > 0);
            let seconds = seconds.with_context(|| {
                format!("`fuzz` takes the seconds of each target; got {}", words[1])
            })?;
            vec![Check::Fuzz(Duration::from_secs(seconds))]
        }
        _ => bail!(
            "`sanitize` takes nothing, address, thread, miri, valgrind, or fuzz [SECONDS]; got {}",
            words.join(" ")
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::{Check, FUZZED, checks};
    use std::time::Duration;

    #[test]
    fn without_a_word_all_of_them_and_with_one_that_alone() {
        assert_eq!(checks(&[]).expect("no word is wrong").len(), 5);
        assert_eq!(checks(&["miri"]).expect("there is one"), [Check::Miri]);
        assert_eq!(checks(&["fuzz"]).expect("there is one"), [Check::Fuzz(FUZZED)]);
        let ten_minutes = Check::Fuzz(Duration::from_secs(600));
        assert_eq!(checks(&["fuzz", "600"]).expect("a number"), [ten_minutes]);
        for wrong in [&["fuzz", "0"][..], &["fuzz", "long"], &["memory"], &["miri", "2"]] {
            assert!(checks(wrong).is_err(), "{wrong:?}");
        }
    }
}
