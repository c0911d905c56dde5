//! The steps that run real programs under real launchers; a test that fails there is tried once more, with nothing beside it.
//!
//! Others use the machine, too: one disturbed run is not a defect, two are. What failed the first time
//! is shown all the same.

use std::io::{BufRead as _, BufReader, Write as _, stdout};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::workspace::{PLACE, Workspace, succeed};

/// The test programs of this kind.
pub(crate) const PROGRAMS: [&str; 2] = ["attach", "live"];

pub(crate) fn check(workspace: &Workspace, program: &str) -> Result<()> {
    let all = ["test", "-p", "whyperf", "--test", program];
    let mut first = workspace.cargo(&all);
    let failed = failures(first.env(PLACE, workspace.release()))?;
    if failed.is_empty() {
        return Ok(());
    }
    println!("---- {program}: once more: {}", failed.join(", "));
    let mut second = workspace.cargo(&all);
    second.args(["--", "--test-threads=1", "--exact"]).args(failed);
    succeed(second.env(PLACE, workspace.release()))
}

/// Runs the tests, shows what they say, and answers the names of those that failed.
fn failures(command: &mut Command) -> Result<Vec<String>> {
    let mut tests = command.stdout(Stdio::piped()).spawn().context("starting the tests")?;
    let said = tests.stdout.take().context("their output is piped")?;
    let mut failed = Vec::new();
    for line in BufReader::new(said).lines() {
        let line = line.context("reading what the tests say")?;
        writeln!(stdout(), "{line}").context("showing what the tests say")?;
        failed.extend(failure(&line).map(str::to_owned));
    }
    let status = tests.wait().context("waiting for the tests")?;
    if !status.success() && failed.is_empty() {
        bail!("the tests ended with {status}, and none of them is named");
    }
    Ok(failed)
}

/// The test that this line says has failed.
fn failure(line: &str) -> Option<&str> {
    line.strip_prefix("test ")?.strip_suffix(" ... FAILED")
}

#[cfg(test)]
mod tests {
    use super::failure;

    #[test]
    fn the_lines_of_failures_are_told_from_others() {
        assert_eq!(failure("test poisson::a_in_c ... FAILED"), Some("poisson::a_in_c"));
        assert_eq!(failure("test poisson::a_in_c ... ok"), None);
        assert_eq!(failure("test result: FAILED. 1 passed; 1 failed"), None);
    }
}
