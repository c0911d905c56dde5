//! The environment of a run, as the store keeps it: names, settings, machine and program.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use whyperf_experiments::{NewRun, Topic};

use crate::measuring::mapped_files::facts_of;
use crate::measuring::options::{MeasuringOptions, RunOptions};
use crate::measuring::secrets;
use crate::measuring::target;
use crate::search::inputs::SearchInputs;

/// Variables that change how a parallel program runs, by how they begin.
const TELLING: [&str; 14] = [
    "OMPI_MCA_",
    "MPICH_",
    "MPIR_",
    "I_MPI_",
    "FI_",
    "UCX_",
    "OMP_",
    "GOMP_",
    "KMP_",
    "OPENBLAS_",
    "MKL_",
    "SLURM_JOB_ID",
    "SLURM_NTASKS",
    "LD_LIBRARY_PATH",
];

/// On how many processors the program may run: `cores` is less where a control group has a quota.
pub(crate) const PROCESSORS: &str = "processors";

/// What another tool is called that measured a run.
pub(crate) const IMPORTED_FROM: &str = "imported from";

/// The run that is about to begin.
pub(crate) fn new_run(request: &RunOptions, inputs: &SearchInputs) -> NewRun {
    let options = &request.options;
    let program = target::program_of(&request.command);
    let words = request.command.iter().map(|word| word.to_string_lossy().into_owned());
    let keeps = options.storage.keep_arguments;
    let command = if keeps { words.collect() } else { secrets::masked(words) };
    let started = SystemTime::now();
    NewRun {
        application: options.storage.application.clone().unwrap_or_else(|| "unknown".to_owned()),
        experiment: options.storage.experiment.clone().unwrap_or_else(|| "default".to_owned()),
        trial: options
            .storage
            .trial
            .clone()
            .unwrap_or_else(|| humantime::format_rfc3339_seconds(started).to_string()),
        started,
        command,
        facts: settings(options, inputs)
            .chain(environment(&request.command, program.as_deref()))
            .map(|(topic, name, value)| match topic {
                Topic::Environment if !keeps => {
                    let value = secrets::masked_value(&name, &value);
                    (topic, name, value)
                }
                _ => (topic, name, value),
            })
            .collect(),
        directives: inputs.directives.to_string().lines().skip(1).map(str::to_owned).collect(),
    }
}

fn settings(
    options: &MeasuringOptions,
    inputs: &SearchInputs,
) -> impl Iterator<Item = (Topic, String, String)> {
    let mut all = vec![
        ("whyperf", env!("CARGO_PKG_VERSION").to_owned()),
        ("cost-limit", options.cost_limit.to_string()),
        ("sample", format!("{} ms", options.sample)),
        ("callpath-depth", options.callpath_depth.to_string()),
        ("verdict", options.evaluation.verdict.stored().to_owned()),
        ("hold", inputs.dwell_time.fact()),
        ("order", options.evaluation.order.stored().to_owned()),
        ("code-search", options.code_search.stored().to_owned()),
    ];
    all.extend(options.filter.as_ref().map(|file| ("filter", file.name.clone())));
    let thresholds = options.threshold.iter();
    let thresholds: Vec<String> =
        thresholds.map(|each| format!("{}={}", each.hypothesis, each.value)).collect();
    all.push(("threshold", thresholds.join(",")));
    // Such a run was measured for half of its time.
    all.extend(options.verify_cost.then(|| ("verify-cost", "on".to_owned())));
    // Of one's own alone: the shipped table is that of the version.
    all.extend(
        Some(("hypotheses", options.evaluation.texts())).filter(|(_, text)| !text.is_empty()),
    );
    all.into_iter().map(|(name, value)| (Topic::Setting, name.to_owned(), value))
}

fn environment<'a>(
    command: &'a [OsString],
    program: Option<&'a Path>,
) -> impl Iterator<Item = (Topic, String, String)> + 'a {
    let system = rustix::system::uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    let mut all = vec![
        ("host".to_owned(), text(system.nodename())),
        ("kernel".to_owned(), text(system.release())),
        ("machine".to_owned(), text(system.machine())),
        (
            "cores".to_owned(),
            std::thread::available_parallelism().map_or(0, usize::from).to_string(),
        ),
        (PROCESSORS.to_owned(), whyperf_daemon::allowed_processors().to_string()),
    ];
    let mut add = |name: &str, value: Option<String>| {
        all.extend(value.map(|value| (name.to_owned(), value)));
    };
    add("cpu", cpu());
    add("directory", env::current_dir().ok().map(|folder| folder.display().to_string()));
    add("revision", env::current_dir().ok().and_then(|folder| revision(&folder)));
    let launcher = command.first().filter(|word| target::is_launcher(word));
    add("launcher", launcher.map(|word| word.to_string_lossy().into_owned()));
    if let Some(program) = program {
        add("program", fs::canonicalize(program).ok().map(|path| path.display().to_string()));
        let facts = facts_of(program);
        add("build id", facts.as_ref().and_then(|facts| facts.build_id.clone()));
        add("compiler", facts.and_then(|facts| facts.compiler));
    }
    for (name, value) in env::vars_os() {
        let (name, value) =
            (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned());
        if TELLING.iter().any(|beginning| name.starts_with(beginning)) {
            all.push((format!("${name}"), value));
        }
    }
    all.into_iter().map(|(name, value)| (Topic::Environment, name, value))
}

fn cpu() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The revision that the working folder was checked out from, read without running anything.
fn revision(folder: &Path) -> Option<String> {
    let repository = folder.ancestors().find_map(repository)?;
    let head = fs::read_to_string(repository.join("HEAD")).ok()?;
    let Some(reference) = head.trim().strip_prefix("ref: ") else {
        return Some(head.trim().to_owned());
    };
    // A work tree of its own has its own head, and shares the rest.
    let common = fs::read_to_string(repository.join("commondir"));
    let common =
        common.map_or_else(|_| repository.clone(), |place| repository.join(place.trim_end()));
    if let Ok(text) = fs::read_to_string(common.join(reference)) {
        return Some(text.trim().to_owned());
    }
    let packed = fs::read_to_string(common.join("packed-refs")).ok()?;
    let line = packed.lines().find(|line| line.ends_with(reference))?;
    line.split(' ').next().map(str::to_owned)
}

/// The repository of a folder, which may be elsewhere: then there is a file that says where.
fn repository(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = fs::read_to_string(git).ok()?;
    Some(folder.join(text.strip_prefix("gitdir: ")?.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_read_from_where_it_stands() {
        let folder = env::temp_dir().join(format!("whyperf-revision-{}", std::process::id()));
        let git = folder.join(".git");
        fs::create_dir_all(git.join("refs/heads")).expect("the temporary folder can be written");
        let write = |name: &str, text: &str| fs::write(git.join(name), text).expect("writable");
        write("HEAD", "ref: refs/heads/main\n");
        assert_eq!(revision(&folder), None);
        write("packed-refs", "# pack-refs\nabc123 refs/heads/main\n");
        assert_eq!(revision(&folder).as_deref(), Some("abc123"));
        write("refs/heads/main", "def456\n");
        assert_eq!(revision(&folder).as_deref(), Some("def456"));
        let (other, own) = (folder.join("other"), git.join("worktrees/other"));
        fs::create_dir_all(&other).and_then(|()| fs::create_dir_all(&own)).expect("writable");
        fs::write(other.join(".git"), format!("gitdir: {}\n", own.display())).expect("writable");
        write("worktrees/other/HEAD", "ref: refs/heads/main\n");
        write("worktrees/other/commondir", "../..\n");
        assert_eq!(revision(&other).as_deref(), Some("def456"));
        write("HEAD", "fed789\n");
        assert_eq!(revision(&folder).as_deref(), Some("fed789"));
        fs::remove_dir_all(folder).expect("it was just made");
    }
}
