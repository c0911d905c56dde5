//! All processes of a job on this node, found from any one of them or from its launcher.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::stat::Stat;
use crate::threads;

/// The processes of the job around `pid`, by number: everything below its launcher that computes.
pub fn job_of(pid: u32) -> Vec<u32> {
    let family = ProcessTree::now();
    let top = family.launcher_above(pid).unwrap_or(pid);
    let mut found = Vec::new();
    family.collect(top, &mut found);
    found.retain(|pid| !is_launcher(&program_name(*pid)) && !is_shell(&program_name(*pid)));
    found.sort_unstable();
    found
}

/// The ranks that run on this node, of whatever job: their processes and numbers, as launchers announced them. Whoever may not read the
/// environment of a process does not see it.
#[must_use]
pub fn running_ranks() -> Vec<(u32, u32)> {
    let family = ProcessTree::now();
    let names_rank = |pid: u32| u32::try_from(threads::rank(pid).0).ok();
    let computes = |pid: u32| !is_launcher(&program_name(pid)) && !is_shell(&program_name(pid));
    let announced = family.parents.keys().filter_map(|pid| Some((*pid, names_rank(*pid)?)));
    let ranks: BTreeMap<u32, u32> = announced.filter(|(pid, _)| computes(*pid)).collect();
    // What a rank starts has its environment.
    let is_child = |pid: &u32, rank: &u32| {
        family.parents.get(pid).is_some_and(|parent| ranks.get(parent) == Some(rank))
    };
    ranks
        .iter()
        .filter(|(pid, rank)| !is_child(pid, rank))
        .map(|(pid, rank)| (*pid, *rank))
        .collect()
}

/// Everything below these processes, and they themselves as far as they run, each once.
pub(crate) fn descendants(of: &BTreeSet<u32>) -> BTreeSet<u32> {
    let family = ProcessTree::now();
    let mut found = Vec::new();
    of.iter().for_each(|pid| family.collect(*pid, &mut found));
    found.into_iter().collect()
}

/// Who was started by whom.
struct ProcessTree {
    parents: BTreeMap<u32, u32>,
}

impl ProcessTree {
    fn now() -> Self {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        Self { parents: numbers.filter_map(|pid| Some((pid, parent(pid)?))).collect() }
    }

    /// The nearest launcher of the process or above it that starts programs on this node.
    fn launcher_above(&self, pid: u32) -> Option<u32> {
        let mut at = pid;
        loop {
            if is_launcher(&program_name(at)) {
                return Some(at);
            }
            at = self.parents.get(&at).copied().filter(|parent| *parent > 1)?;
        }
    }

    fn collect(&self, pid: u32, found: &mut Vec<u32>) {
        found.push(pid);
        for (child, _) in self.parents.iter().filter(|(_, parent)| **parent == pid) {
            self.collect(*child, found);
        }
    }
}

fn parent(pid: u32) -> Option<u32> {
    // One that only waits to be collected belongs to nothing any more.
    Stat::of(pid).filter(Stat::is_alive).map(|stat| stat.parent)
}

/// The file name of a process's program; empty where the system does not tell it.
#[must_use]
pub fn program_name(pid: u32) -> String {
    let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
    program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn is_launcher(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    LAUNCHERS.contains(&stem)
}

fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// Programs that start the processes of a job on a node.
const LAUNCHERS: [&str; 15] = [
    "mpirun",
    "mpiexec",
    "orterun",
    "orted",
    "prterun",
    "prted",
    "prte",
    "prun",
    "hydra_pmi_proxy",
    "hydra_bstrap_proxy",
    "srun",
    "slurmstepd",
    "jsrun",
    "aprun",
    "flux",
];
/// Programs that only start others.
const SHELLS: [&str; 18] = [
    "sh", "bash", "dash", "zsh", "csh", "tcsh", "ksh", "fish", "busybox", "env", "timeout", "time",
    "nice", "nohup", "numactl", "taskset", "setsid", "stdbuf",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_what_its_launcher_started() {
        let family =
            ProcessTree { parents: [(10, 5), (11, 10), (12, 10), (13, 11), (20, 5)].into() };
        let mut found = Vec::new();
        family.collect(10, &mut found);
        found.sort_unstable();
        assert_eq!(found, [10, 11, 12, 13]);
    }

    #[test]
    fn launchers_are_told_by_their_names() {
        assert!(is_launcher("mpirun.openmpi") && is_launcher("hydra_pmi_proxy"));
        assert!(!is_launcher("solver") && !is_launcher(""));
    }
}
