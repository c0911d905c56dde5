//! `whyperf completions`: what a shell completes after `whyperf`, from the description of the command line.

use std::process::ExitCode;

use anyhow::Result;
use clap::Command;
use clap_complete::Shell;

use crate::output::delivery::{self, status};

/// Prints the script of a shell.
pub(crate) fn completions(shell: Shell, mut command: Command) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "whyperf", &mut script);
    Ok(status(delivery::print(&String::from_utf8(script)?)))
}
