//! The doctor on MPI: which launchers are in `PATH`, and of which version.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use super::Finding;
use crate::measuring::target;

/// One finding for each launcher, or one that says that there is none.
pub(super) fn all() -> Vec<Finding> {
    let mut seen = Vec::new();
    let mut findings = Vec::new();
    for name in NAMES {
        let Ok(file) = target::resolve(OsStr::new(name)) else { continue };
        // Several names may lead to one file: the first is what people type.
        let real = file.canonicalize().unwrap_or_else(|_| file.clone());
        if seen.contains(&real) {
            continue;
        }
        findings.push(Finding::good("launcher", format!("{name}: {}", version(&file))));
        seen.push(real);
    }
    if findings.is_empty() {
        findings.push(Finding::limited(
            "launcher",
            "no mpirun, mpiexec, srun or flux in PATH",
            "programs without MPI can be measured; for MPI load the module of your site or install one",
        ));
    }
    findings
}

/// The first line that says something about a version.
fn version(launcher: &std::path::Path) -> String {
    let asked = Command::new(launcher).arg("--version").stdin(Stdio::null()).output();
    let text = asked.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    let digits = |line: &&str| line.contains(|character: char| character.is_ascii_digit());
    let line = text.lines().map(str::trim).find(digits).unwrap_or("of unknown version");
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_mpich = text.contains("HYDRA");
    if is_mpich {
        format!("MPICH (Hydra) {}", words.last().unwrap_or(&""))
    } else {
        words.join(" ")
    }
}

const NAMES: [&str; 8] = [
    "mpirun",
    "mpiexec",
    "mpirun.openmpi",
    "mpirun.mpich",
    "mpiexec.hydra",
    "prterun",
    "srun",
    "flux",
];
