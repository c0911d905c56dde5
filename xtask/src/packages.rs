//! Installs the Debian packages that building and testing need, where they are missing.

use std::env;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::workspace::succeed;

/// One package, and a file or program that is there when it is installed.
struct Package {
    name: &'static str,
    evidence: &'static str,
}

const DEMO: [Package; 4] = [
    Package { name: "openmpi-bin", evidence: "mpirun.openmpi" },
    Package { name: "libopenmpi-dev", evidence: "mpicc.openmpi" },
    Package { name: "make", evidence: "make" },
    Package { name: "gcc", evidence: "gcc" },
];

const TESTS: [Package; 7] = [
    Package { name: "mpich", evidence: "mpirun.mpich" },
    Package { name: "libmpich-dev", evidence: "mpicc.mpich" },
    Package { name: "gfortran", evidence: "gfortran" },
    Package { name: "python3-mpi4py", evidence: "/usr/lib/python3/dist-packages/mpi4py" },
    Package { name: "g++", evidence: "g++" },
    Package { name: "binutils", evidence: "objdump" },
    Package { name: "clang-14", evidence: "clang-14" },
];

/// Installs what the demo needs.
pub(crate) fn ensure_demo() -> Result<()> {
    ensure(missing(&DEMO))
}

/// Installs what the tests need, which is more.
pub(crate) fn ensure_all() -> Result<()> {
    ensure([missing(&DEMO), missing(&TESTS)].concat())
}

/// Does nothing, and needs no rights, when nothing is missing.
fn ensure(missing: Vec<&str>) -> Result<()> {
    if missing.is_empty() {
        eprintln!("packages: nothing is missing");
        return Ok(());
    }
    let list = missing.join(" ");
    eprintln!("packages: installing {list}");
    if !found("apt-get") {
        bail!("missing: {list}. There is no apt-get here: install them by this system's means");
    }
    apt_get(&["update"], &list)?;
    apt_get(&[vec!["install", "-y"], missing].concat(), &list)
}

fn missing(wanted: &[Package]) -> Vec<&'static str> {
    wanted.iter().filter(|package| !found(package.evidence)).map(|package| package.name).collect()
}

fn found(evidence: &str) -> bool {
    if evidence.starts_with('/') {
        return Path::new(evidence).exists();
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(evidence).is_file())
}

fn apt_get(words: &[&str], wanted: &str) -> Result<()> {
    let mut command = if is_root() {
        Command::new("apt-get")
    } else if found("sudo") {
        let mut sudo = Command::new("sudo");
        sudo.args(["--non-interactive", "--preserve-env=DEBIAN_FRONTEND", "apt-get"]);
        sudo
    } else {
        bail!("missing: {wanted}. Only root may install them: apt-get install {wanted}");
    };
    let run = succeed(command.env("DEBIAN_FRONTEND", "noninteractive").args(words));
    run.map_err(|error| {
        error.context(format!("installing {wanted} (as root: apt-get install {wanted})"))
    })
}

/// Whether this process is root: Open MPI's launcher wants to be told, and packages need it.
pub(crate) fn is_root() -> bool {
    Path::new("/proc/self").metadata().is_ok_and(|about| about.uid() == 0)
}

#[cfg(test)]
mod tests {
    use super::found;

    #[test]
    fn evidence_is_a_program_on_the_path_or_a_file() {
        assert!(found("sh"));
        assert!(found("/proc/self"));
        assert!(!found("no-such-program-here"));
        assert!(!found("/no/such/file"));
    }
}
