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

const PACKAGES: [Package; 10] = [
    Package { name: "openmpi-bin", evidence: "mpirun.openmpi" },
    Package { name: "libopenmpi-dev", evidence: "mpicc.openmpi" },
    Package { name: "mpich", evidence: "mpirun.mpich" },
    Package { name: "libmpich-dev", evidence: "mpicc.mpich" },
    Package { name: "gfortran", evidence: "gfortran" },
    Package { name: "python3-mpi4py", evidence: "/usr/lib/python3/dist-packages/mpi4py" },
    Package { name: "make", evidence: "make" },
    Package { name: "gcc", evidence: "gcc" },
    Package { name: "g++", evidence: "g++" },
    Package { name: "binutils", evidence: "objdump" },
];

/// Installs what is missing; does nothing, and needs no rights, when nothing is.
pub(crate) fn ensure() -> Result<()> {
    let missing = missing();
    if missing.is_empty() {
        eprintln!("packages: all {} are here", PACKAGES.len());
        return Ok(());
    }
    let list = missing.join(" ");
    eprintln!("packages: installing {list}");
    if !found("apt-get") {
        bail!("missing: {list}. There is no apt-get here: install them by this system's means");
    }
    apt_get(&["update"], &list)?;
    let mut words = vec!["install", "-y"];
    words.extend(&missing);
    apt_get(&words, &list)
}

fn missing() -> Vec<&'static str> {
    PACKAGES.iter().filter(|package| !found(package.evidence)).map(|package| package.name).collect()
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
