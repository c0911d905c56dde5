//! Programs that are never measured: the library in them decides so, and whoever attaches knows it before anything is loaded.

/// Address space that a process must be allowed for us to take some of it: ours could be what the program then lacks.
pub const LEAST_ADDRESS_SPACE: u64 = 1 << 30;

/// Launchers, shells and tools that only start other programs.
const BYSTANDERS: &[&[u8]] = &[
    b"bash",
    b"busybox",
    b"chrt",
    b"csh",
    b"dash",
    b"env",
    b"fish",
    b"flux",
    b"gdb",
    b"hydra_bstrap_proxy",
    b"hydra_pmi_proxy",
    b"ionice",
    b"jsrun",
    b"ksh",
    b"lldb",
    b"mpiexec",
    b"mpiexec.hydra",
    b"mpiexec.mpich",
    b"mpiexec.openmpi",
    b"mpirun",
    b"mpirun.mpich",
    b"mpirun.openmpi",
    b"nice",
    b"nohup",
    b"numactl",
    b"orted",
    b"orterun",
    b"prlimit",
    b"prte",
    b"prted",
    b"prterun",
    b"prun",
    b"setsid",
    b"sh",
    b"srun",
    b"ssh",
    b"stdbuf",
    b"strace",
    b"sudo",
    b"taskset",
    b"tcsh",
    b"time",
    b"timeout",
    b"valgrind",
    b"whyperf",
    b"xargs",
    b"zsh",
];

/// Whether the program at this path only starts others.
#[must_use]
pub fn is_bystander(program: &[u8]) -> bool {
    let name = program.rsplit(|byte| *byte == b'/').next().unwrap_or(program);
    BYSTANDERS.contains(&name)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn launchers_are_left_alone() {
        assert!(is_bystander(b"/usr/bin/mpirun"));
        assert!(is_bystander(b"sh"));
        assert!(!is_bystander(b"/home/me/solver"));
    }
}
