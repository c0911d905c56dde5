//! `whyperf machine measure`: measures messages on this machine, with the MPI that programs use here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::thread;
use std::time::SystemTime;

use anyhow::{Context as _, Result, bail};
use clap::Args;

use crate::extrapolation::measurement::{Measured, Measurement};
use crate::output::delivery::{self, status};

/// How to measure.
#[derive(Debug, Args)]
pub(crate) struct Measure {
    /// Call the machine so
    #[arg(long, value_name = "NAME", default_value = "here")]
    name: String,
    /// Write the machine file here instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Compile the measuring program with this
    #[arg(long, value_name = "COMMAND", default_value = "mpicc")]
    compiler: String,
    /// Start its two ranks with this
    #[arg(long, value_name = "COMMAND", default_value = "mpirun -n 2")]
    launcher: String,
}

pub(crate) const NOTES: &str = "\
A small MPI program is compiled and run with two ranks for some seconds; the machine should have nothing else to do.
With more than one node, name two of them in the launcher: --launcher 'mpirun -n 2 --host a,b'.";

/// Measures, and writes the file.
pub(crate) fn measure(request: &Measure) -> Result<ExitCode> {
    let printed = run_program(request)?;
    let Some(measurement) = Measurement::parse(&printed) else {
        bail!(
            "the measuring program ended before it was done; start it by hand to see why: {} PROGRAM",
            request.launcher
        );
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let processors = u32::try_from(processors).unwrap_or(1);
    let date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let measured = Measured {
        title: format!("{processors} processors of {}", host_name()),
        how: format!("whyperf machine measure, by '{}'", request.launcher),
        date: date.chars().take(10).collect(),
    };
    let text = measurement.file(&request.name, processors, measured).to_toml();
    let Some(path) = &request.output else {
        return Ok(status(delivery::print(&text)));
    };
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// What the measuring program printed.
fn run_program(request: &Measure) -> Result<String> {
    let folder = Folder::new().context("cannot make a folder for the measuring program")?;
    let source = folder.0.join("measure.c");
    let program = folder.0.join("measure");
    fs::write(&source, include_str!("measure.c"))
        .with_context(|| format!("cannot write {}", source.display()))?;
    let advice = "name the MPI compiler with --compiler";
    let mut compiler = command(&request.compiler)?;
    compiler.arg("-O2").arg("-o").arg(&program).arg(&source);
    finished(compiler.output(), &request.compiler, advice)?;
    let advice = "say with --launcher how two ranks are started here";
    let mut launcher = command(&request.launcher)?;
    let output = finished(launcher.arg(&program).output(), &request.launcher, advice)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn command(words: &str) -> Result<Command> {
    let mut words = words.split_whitespace();
    let program = words.next().context("a command has at least one word")?;
    let mut command = Command::new(program);
    command.args(words);
    Ok(command)
}

/// What a command said, if it succeeded.
fn finished(output: std::io::Result<Output>, command: &str, advice: &str) -> Result<Output> {
    let output = output.with_context(|| format!("cannot start '{command}': {advice}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    bail!("'{command}' failed ({}): {}; {advice}", output.status, last.trim());
}

fn host_name() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    if name.is_empty() { "this machine".to_owned() } else { name }
}

/// A new folder that goes away with the value.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let name = format!("whyperf-measure-{}", std::process::id());
        let path: &Path = &std::env::temp_dir().join(name);
        fs::create_dir(path)?;
        Ok(Self(path.to_owned()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
