//! Installs the Debian packages that building and testing need, where they are missing.

use std::env;
use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use rustix::fs::{FlockOperation, fcntl_lock};

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

const TESTS: [Package; 26] = [
    Package { name: "mpich", evidence: "mpirun.mpich" },
    Package { name: "libmpich-dev", evidence: "mpicc.mpich" },
    Package { name: "gfortran", evidence: "gfortran" },
    Package { name: "python3-mpi4py", evidence: "/usr/lib/python3/dist-packages/mpi4py" },
    Package { name: "g++", evidence: "g++" },
    Package { name: "binutils", evidence: "objdump" },
    Package { name: "dpkg", evidence: "dpkg-deb" },
    Package { name: "tcl", evidence: "tclsh" },
    Package { name: "clang-14", evidence: "clang-14" },
    Package { name: "musl-tools", evidence: "musl-gcc" },
    Package { name: "golang-go", evidence: "go" },
    Package { name: "strace", evidence: "strace" },
    Package { name: "git", evidence: "git" },
    Package { name: "xz-utils", evidence: "xz" },
    Package { name: "perl", evidence: "perl" },
    Package { name: "procps", evidence: "ps" },
    Package { name: "util-linux", evidence: "setpriv" },
    Package { name: "bsdutils", evidence: "script" },
    Package { name: "mount", evidence: "mount" },
    Package { name: "libc6-dbg", evidence: "/usr/share/doc/libc6-dbg" },
    Package { name: "otf2-tools", evidence: "otf2-print" },
    Package { name: "npm", evidence: "npm" },
    Package { name: "python3-venv", evidence: "/usr/share/doc/python3-venv" },
    Package { name: "chromium", evidence: "chromium" },
    Package { name: "postgresql", evidence: "/usr/share/doc/postgresql" },
    Package { name: "openssl", evidence: "openssl" },
];

/// Installs what the demo needs.
pub(crate) fn ensure_demo() -> Result<()> {
    ensure(&DEMO.iter().collect::<Vec<_>>())
}

/// Installs what the tests need, which is more.
pub(crate) fn ensure_all() -> Result<()> {
    ensure(&DEMO.iter().chain(&TESTS).collect::<Vec<_>>())
}

/// Does nothing, and needs no rights, when nothing is missing.
fn ensure(wanted: &[&Package]) -> Result<()> {
    let list = missing(wanted);
    if list.is_empty() {
        eprintln!("packages: nothing is missing");
        return Ok(());
    }
    eprintln!("packages: installing {}", list.join(" "));
    if !found("apt-get") {
        bail!(
            "missing: {}. There is no apt-get here: install them by this system's means",
            list.join(" ")
        );
    }
    // Without lists, or with old ones, nothing is found, and a list that cannot be had may not be needed.
    let updated = apt_get(&["update"]);
    let together = apt_get(&[&["install"], &list[..]].concat());
    // One that there is not keeps the others from being installed.
    let alone = |name: &&str| apt_get(&["install", *name]);
    let errors: Vec<_> = if together.is_ok() {
        Vec::new()
    } else {
        list.iter().map(alone).filter_map(Result::err).collect()
    };
    let left = missing(wanted);
    if left.is_empty() {
        return Ok(());
    }
    let reasons = updated.err().into_iter().chain(errors).map(|error| format!("{error:#}"));
    let reasons: Vec<_> = reasons.collect();
    bail!(
        "not installed: {} (as root: apt-get install {}); {}",
        left.join(" "),
        left.join(" "),
        reasons.join("; ")
    )
}

fn missing(wanted: &[&Package]) -> Vec<&'static str> {
    wanted.iter().filter(|package| !found(package.evidence)).map(|package| package.name).collect()
}

fn found(evidence: &str) -> bool {
    if evidence.starts_with('/') {
        return Path::new(evidence).exists();
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(evidence).is_file())
}

/// Calls the package manager, once no other process uses it.
fn apt_get(words: &[&str]) -> Result<()> {
    let mut command = if is_root() {
        await_lists()?;
        Command::new("apt-get")
    } else if found("sudo") {
        let mut sudo = Command::new("sudo");
        sudo.args(["--non-interactive", "--preserve-env=DEBIAN_FRONTEND", "apt-get"]);
        sudo
    } else {
        bail!("only root may install packages");
    };
    command.args(["-o", "DPkg::Lock::Timeout=600", "--yes"]).args(words);
    succeed(command.env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Waits for whoever fetches lists of packages: the manager itself gives up at once.
fn await_lists() -> Result<()> {
    let Ok(lock) = File::options().write(true).open("/var/lib/apt/lists/lock") else {
        return Ok(());
    };
    if fcntl_lock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        eprintln!("packages: waiting for somebody else who uses the package manager");
        fcntl_lock(&lock, FlockOperation::LockExclusive)
            .context("waiting for lists of packages")?;
    }
    Ok(())
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
