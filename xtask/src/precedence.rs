//! Lets a study go before all other work of the machine, so that it can be made where there is some.
//!
//! Niceness is not enough, for processors are divided among sessions first: a group of its own gets the greatest share that a group can have. A
//! real-time priority would hold others back altogether, and with them what a launcher or the kernel waits for.

use std::fs;
use std::path::PathBuf;
use std::process;

/// That of this process and all that it starts, until this value is gone.
pub(crate) struct Precedence {
    group: PathBuf,
}

impl Precedence {
    /// None where we may not, or where processors are not divided among such groups.
    pub(crate) fn take() -> Option<Self> {
        let group = PathBuf::from(format!("{GROUPS}/whyperf-study-{}", process::id()));
        fs::create_dir(&group).ok()?;
        let precedence = Self { group };
        fs::write(precedence.group.join("cpu.shares"), MOST_SHARES).ok()?;
        fs::write(precedence.group.join("tasks"), process::id().to_string()).ok()?;
        Some(precedence)
    }
}

impl Drop for Precedence {
    fn drop(&mut self) {
        // What it started is gone; what is not keeps the group, which does no harm.
        let _ = fs::write(format!("{GROUPS}/tasks"), process::id().to_string());
        let _ = fs::remove_dir(&self.group);
    }
}

const GROUPS: &str = "/sys/fs/cgroup/cpu";
/// 256 times those of a session.
const MOST_SHARES: &str = "262144";
