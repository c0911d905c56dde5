//! `whyperf exec`: each process of a job starts by it to be measured; the first one on a machine watches for all.
//!
//! The processes agree without talking: the name of the run directory follows from facts that they share, and the process
//! that succeeds in creating it is the head. It starts a watcher, and then all become their programs:
//!
//! ```text
//!   launcher ─┬─ whyperf exec ═══════════════► the program           each the launcher's own child
//!             │       └─ sh ─┐ ends at once
//!             │              └─ whyperf exec, the watcher            nobody's child: whoever ends it ends no rank
//!             └─ whyperf exec ═══════════════► the program
//! ```
//! The watcher has the launcher's standard error, and launchers wait until that is closed. Slurm does not: it ends what is left of a step
//! when its tasks have ended. There the head stays as the parent of its program.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::fs::File;
use std::hash::{Hash as _, Hasher as _};
use std::os::unix::process::{self as unix_process, CommandExt as _};
use std::path::PathBuf;
use std::process::{self, Command, ExitCode, Stdio};
use std::time::Instant;
use std::{env, fs};

use rustix::process::setsid;
use rustix::stdio::dup2_stdout;

use whyperf_daemon::{DirectoryClaim, RunDirectory};
use whyperf_inject::Stat;

use crate::measuring::event_queue::Events;
use crate::measuring::interim_report::InterimReports;
use crate::measuring::launch::Launch;
use crate::measuring::library;
use crate::measuring::options::RunOptions;
use crate::measuring::page;
use crate::measuring::panic_handler;
use crate::measuring::process_limit;
use crate::measuring::run;
use crate::measuring::supervision::{LONG_GRACE, MeasuringStage, Program, Supervision};
use crate::measuring::watch::Watch;
use crate::output::delivery;
use crate::output::terminal::Screen;

/// Becomes the program of the request, or watches the job and the program.
pub(crate) fn exec(request: &RunOptions) -> anyhow::Result<ExitCode> {
    if let Some((program, directory)) = watched() {
        return watch(request, program, directory);
    }
    let options = &request.options;
    let mut screen = Screen::new(options.colour(), options.quiet);
    let mut launch = match Launch::prepare(&request.command) {
        Ok(launch) => launch,
        Err(unusable) => return Ok(run::refuse(&unusable, &mut screen)),
    };
    panic_handler::prepare_for(launch.unmeasured());
    let place = process_limit::check().and_then(|()| library::find()).and_then(|library| {
        let claim = RunDirectory::claim(&job())?;
        let directory = match &claim {
            DirectoryClaim::Mine(directory) => directory.path(),
            DirectoryClaim::Theirs(directory) => directory,
        };
        launch.measure(&library, directory, options);
        launch.trace(&request.tracing);
        launch.choose(request.groups.as_deref());
        Ok(claim)
    });
    match place {
        Ok(DirectoryClaim::Mine(directory)) => {
            delivery::check(options.json.as_deref(), &mut screen);
            if !ends_what_is_left() && start_watcher(&directory) {
                directory.leave_to_another();
                return Ok(run::replace(&launch, &mut screen));
            }
            match Watch::begin(directory, options) {
                Ok(watch) => run::supervise(&launch, request, Some(watch), screen, LONG_GRACE),
                Err(error) => Ok(run::give_way(&launch, &error, &mut screen)),
            }
        }
        Ok(DirectoryClaim::Theirs(_)) => Ok(run::replace(&launch, &mut screen)),
        Err(error) => Ok(run::give_way(&launch, &error, &mut screen)),
    }
}

/// Whether the launcher ends what is left when its own children have ended.
fn ends_what_is_left() -> bool {
    let parent = fs::read_to_string(format!("/proc/{}/comm", unix_process::parent_id()));
    parent.is_ok_and(|name| name.trim_end() == "slurmstepd")
}

/// Starts whoever watches the job; whether that succeeded. A shell starts it in the background and ends, so that the program, which this
/// process becomes, has no child that it did not start.
fn start_watcher(directory: &RunDirectory) -> bool {
    let (Ok(own), Ok(lock)) = (env::current_exe(), directory.lock()) else { return false };
    let mut watched = OsString::from(process::id().to_string());
    watched.push(":");
    watched.push(directory.path());
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "\"$0\" \"$@\" &"]).arg(own).args(env::args_os().skip(1));
    shell.env(WATCHED, watched).stdin(Stdio::null());
    // It writes nothing there, and holds the lock by it until the directory is its own.
    shell.stdout(lock);
    // From its birth on: a launcher may end the group of a rank at once, and wait until it is empty.
    shell.process_group(0);
    shell.status().is_ok_and(|status| status.success())
}

/// The program that this process is to watch, and the run directory of its job; `None` for a process that is to become its program.
fn watched() -> Option<(u32, PathBuf)> {
    let value = env::var_os(WATCHED)?;
    let (pid, directory) = value.to_str()?.split_once(':')?;
    Some((pid.parse().ok()?, directory.into()))
}

/// Watches a job, whose first program on this machine is this process.
fn watch(request: &RunOptions, program: u32, directory: PathBuf) -> anyhow::Result<ExitCode> {
    // What the terminal sends to the job does not mean this process.
    let _ = setsid();
    let options = &request.options;
    let mut screen = Screen::new(options.colour(), options.quiet);
    let Ok(launch) = Launch::prepare(&request.command) else { return Ok(ExitCode::SUCCESS) };
    let directory = RunDirectory::take_over(directory)?;
    // Until here it was the lock of who had the directory before.
    dup2_stdout(File::options().write(true).open("/dev/null")?)?;
    let mut watch = Watch::begin(directory, options)?;
    run::tell_beginning(&launch, &watch, &mut screen);
    let events = Events::listen()?;
    events.listen_to_all();
    watch.unmeasured.watch(program);
    let mut watch = run::kept(watch, request, &mut screen);
    let mut shown = page::show(&mut watch, request, events.sender(), &mut screen);
    shown.end_with_run();
    let begin = Instant::now();
    let end = options.duration.map(|time| begin + time);
    let stage = MeasuringStage::Measured(watch, end);
    let (program, grace) = (Program::Foreign(program), LONG_GRACE);
    let reports = InterimReports::from(begin, options.report_every);
    let supervision =
        Supervision { program, events, stage, screen, request, begin, grace, reports };
    Ok(run::watch_to_end(supervision, &launch, shown))
}

/// Names the program and the run directory to the process that is to watch.
const WATCHED: &str = "WHYPERF_WATCHED";

/// What tells this job from all others of this machine: its name from the launcher, or the parent that all its processes
/// share. A parent's number alone may come again, so the moment of its birth belongs to it.
fn job() -> String {
    let mut hasher = DefaultHasher::new();
    let named = NAMESPACES.iter().find_map(env::var_os);
    match named {
        Some(name) => (name, env::var_os("PMIX_SERVER_TMPDIR")).hash(&mut hasher),
        None => {
            let parent = unix_process::parent_id();
            (parent, birth(parent)).hash(&mut hasher);
        }
    }
    format!("{:016x}", hasher.finish())
}

/// When a process began, in the kernel's own ticks.
fn birth(pid: u32) -> Option<u64> {
    Stat::of(pid).map(|stat| stat.start)
}

/// Variables by which launchers name a job.
const NAMESPACES: [&str; 2] = ["PMIX_NAMESPACE", "FLUX_JOB_ID"];

/// What `whyperf exec --help` ends with.
pub(crate) const NOTES: &str = "\
Each process of the job calls this; the first one on a machine watches for all of them and reports at
the end, in a process of its own: whoever ends that ends no rank. Options are those of the first one,
so give all the same. A page (--view) is there while the job runs, and ends with it.

Exit status: the program's own, to whoever started it; the report has that of the first process, where the
kernel tells it to others than the launcher (Linux 6.15 or newer, or a launcher that takes a moment). Where a rank fails, the launcher may return a moment before the report is written.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_job_is_the_same_for_everybody_in_it() {
        assert_eq!(job(), job());
        assert_eq!(job().len(), 16);
    }

    #[test]
    fn a_process_has_a_birth() {
        assert!(birth(process::id()).is_some_and(|ticks| ticks > 0));
        assert_eq!(birth(u32::MAX), None);
    }
}
