//! A machine that is measured by a real MPI comes out as a file with all its figures.

use std::process::Command;

use serde_json::Value;

use crate::launcher::Mpi;
use crate::shipped::{Load, turn, whyperf};

fn measured(mpi: Mpi) {
    let _turn = turn(Load::Fills);
    let folder = std::env::temp_dir();
    let file = folder.join(format!("whyperf-measured-{}-{}.toml", mpi.name(), std::process::id()));
    let mut command = Command::new(whyperf());
    command.args(["machine", "measure", "--name", "measured"]);
    command.args(["--compiler", &format!("mpicc.{}", mpi.name())]);
    command.args(["--launcher", &mpi.launch(2).join(" ")]).arg("--output").arg(&file);
    let output = command.output().expect("the command was built");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut show = Command::new(whyperf());
    show.args(["machine", "show", "--json"]).arg(&file);
    let shown = show.output().expect("the command was built").stdout;
    let _ = std::fs::remove_file(&file);
    let shown: Value = serde_json::from_slice(&shown).expect("the file can be read");
    let figures = shown["figures"].as_array().expect("figures");
    let latencies = figures.iter().filter(|figure| figure["path"] == "network.range.latency");
    assert_eq!(latencies.count(), 9, "{shown}");
}

#[test]
fn with_open_mpi() {
    measured(Mpi::OpenMpi);
}

#[test]
fn with_mpich() {
    measured(Mpi::Mpich);
}
