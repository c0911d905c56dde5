//! `whyperf exec`: what each process of a job calls to be measured; the first one on a machine watches for all.
//!
//! The processes agree without talking: the name of the run directory follows from facts that they share, and whoever
//! succeeds in creating it is the head. The head stays as the parent of its program; the others become theirs at once.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::process::ExitCode;

use crate::arguments::Launch as Request;

/// Becomes the program of the request, or watches the job and the program.
pub(crate) fn exec(request: &Request) -> anyhow::Result<ExitCode> {
    crate::run::run(request)
}

/// What tells this job from all others of this machine: its name from the launcher, or the parent that all its processes
/// share. A parent's number alone may come again, so the moment of its birth belongs to it.
fn job() -> String {
    let mut hasher = DefaultHasher::new();
    let named = NAMESPACES.iter().find_map(|variable| env::var_os(variable));
    match named {
        Some(name) => (name, env::var_os("PMIX_SERVER_TMPDIR")).hash(&mut hasher),
        None => {
            let parent = std::os::unix::process::parent_id();
            (parent, birth(parent)).hash(&mut hasher);
        }
    }
    format!("{:016x}", hasher.finish())
}

/// When a process began, in the kernel's own ticks.
fn birth(pid: u32) -> Option<u64> {
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything, so counting starts behind it.
    let fields = line.rsplit_once(')')?.1;
    fields.split_whitespace().nth(19)?.parse().ok()
}

/// Variables by which launchers name a job.
const NAMESPACES: [&str; 2] = ["PMIX_NAMESPACE", "FLUX_JOB_ID"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_job_is_the_same_for_everybody_in_it() {
        assert_eq!(job(), job());
        assert_eq!(job().len(), 16);
    }

    #[test]
    fn a_process_has_a_birth() {
        assert!(birth(std::process::id()).is_some_and(|ticks| ticks > 0));
        assert_eq!(birth(u32::MAX), None);
    }
}
