//! `whyperf manual`: the pages for `man`, one for the command and one for each verb, from the description of the command line.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Command;

/// Writes the pages into a folder, which is made if need be.
pub(crate) fn manual(folder: &Path, command: Command) -> Result<ExitCode> {
    fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    clap_mangen::generate_to(command, folder)
        .with_context(|| format!("writing the pages into {}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
