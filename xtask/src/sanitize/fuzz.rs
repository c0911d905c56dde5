//! The fuzz targets, each from the inputs that are kept, with coverage as a guide.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use super::nightly::{ensure_nightly, nightly, output};
use crate::workspace::{Workspace, succeed};

/// Lines of a target's log that are shown when it failed.
const SHOWN: usize = 40;

/// Runs each target for so long; answers how many inputs each was fed.
pub(super) fn run(workspace: &Workspace, each: Duration) -> Result<String> {
    ensure_nightly()?;
    if output(nightly("cargo").args(["fuzz", "--version"])).is_err() {
        bail!("cargo-fuzz is missing: cargo install cargo-fuzz --locked");
    }
    succeed(nightly("cargo").current_dir(&workspace.root).args(["fuzz", "build"]))?;
    let mut ran = Vec::new();
    let mut failures = Vec::new();
    for target in targets(&workspace.root.join("fuzz/targets"))? {
        match feed(workspace, &target, each) {
            Ok(inputs) => ran.push(format!("{target} {inputs}")),
            Err(error) => failures.push(format!("{target}: {error:#}")),
        }
    }
    if !failures.is_empty() {
        bail!("{}", failures.join("; "));
    }
    Ok(format!("inputs of {} s each: {}", each.as_secs(), ran.join(", ")))
}

/// Names of the targets.
fn targets(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).context("reading the folder of fuzz targets")?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let names = paths.iter().filter_map(|path| path.file_stem()?.to_str().map(str::to_owned));
    let mut names: Vec<String> = names.collect();
    names.sort();
    Ok(names)
}

/// Runs one target on a copy of its kept inputs, to which it adds its own.
fn feed(workspace: &Workspace, target: &str, each: Duration) -> Result<u64> {
    let folder = workspace.target.join("fuzzed");
    let inputs = folder.join(target);
    let _ = fs::remove_dir_all(&inputs);
    fs::create_dir_all(&inputs).with_context(|| format!("making {}", inputs.display()))?;
    let kept = workspace.root.join("fuzz/corpus").join(target);
    for entry in fs::read_dir(&kept).with_context(|| format!("reading {}", kept.display()))? {
        let entry = entry?;
        fs::copy(entry.path(), inputs.join(entry.file_name())).context("copying an input")?;
    }
    let log = folder.join(format!("{target}.log"));
    let seconds = each.as_secs();
    println!("{target}: {seconds} s, told in {}", log.display());
    let mut cargo = nightly("cargo");
    cargo.current_dir(&workspace.root).args(["fuzz", "run", target]).arg(&inputs).arg("--");
    cargo.arg(format!("-max_total_time={seconds}"));
    cargo.args(["-rss_limit_mb=4096", "-timeout=25", "-print_final_stats=1"]);
    let outcome = succeed(cargo.stderr(File::create(&log).context("making a log")?));
    let text = String::from_utf8_lossy(&fs::read(&log).context("reading a log")?).into_owned();
    if outcome.is_err() {
        let lines: Vec<&str> = text.lines().collect();
        println!("{}", lines[lines.len().saturating_sub(SHOWN)..].join("\n"));
    }
    outcome?;
    executed(&text).context("the fuzzer does not say how many inputs it ran")
}

/// How many inputs a log tells of.
fn executed(log: &str) -> Option<u64> {
    let line = log.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    line?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::executed;

    #[test]
    fn the_number_of_inputs_is_read_from_the_log() {
        let log = "Done 9 runs\nstat::number_of_executed_units: 1234\nstat::peak_rss_mb: 40\n";
        assert_eq!(executed(log), Some(1234));
        assert_eq!(executed("Done 9 runs\n"), None);
    }
}
