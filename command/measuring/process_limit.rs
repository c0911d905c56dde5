//! The limit of a user's processes (`ulimit -u`), which counts threads of whyperf's too.

use std::fs;

use anyhow::{Result, bail};
use rustix::process::{Resource, geteuid, getrlimit, getuid};
use whyperf_inject::ProcessStatus;

/// Refuses to measure where hardly any process is left: whyperf's threads would take what the program needs.
pub(crate) fn check() -> Result<()> {
    let limit = getrlimit(Resource::Nproc).current;
    // The system holds nobody with the rights of root to it.
    let Some(limit) = limit.filter(|limit| *limit <= FEW && !geteuid().is_root()) else {
        return Ok(());
    };
    let free = limit.saturating_sub(used());
    if free < LEAST {
        bail!(
            "of the {limit} processes and threads that you may have (ulimit -u) {free} are free, and whyperf takes {OWN} of them"
        );
    }
    Ok(())
}

/// How many threads this user has.
fn used() -> u64 {
    let own = getuid().as_raw();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().into_string().ok());
    let threads = |pid: String| {
        let status = ProcessStatus::of(&pid)?;
        (status.real_user() == Some(own)).then(|| status.threads()).flatten()
    };
    numbers.filter_map(threads).map(u64::from).sum()
}

/// Where more are allowed they are not counted: that takes time, and what fails is answered all the same.
const FEW: u64 = 1024;
/// So many threads whyperf has at most, with the process that tells of signals.
const OWN: u64 = 9;
/// With fewer the program may be short of them.
const LEAST: u64 = 32;
