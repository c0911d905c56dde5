//! `whyperf exec`: each process of a job starts by it to be measured; the first one on a machine watches for all.
//!
//! The processes agree without talking: the name of the run directory follows from facts that they share, and the process
//! that succeeds in creating it is the head. The head stays as the parent of its program; the others become their programs
//! at once.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::hash::{Hash as _, Hasher as _};
use std::process::ExitCode;

use whyperf_daemon::{DirectoryClaim, RunDirectory};
use whyperf_inject::Stat;

use crate::measuring::launch::Launch;
use crate::measuring::library;
use crate::measuring::options::RunOptions;
use crate::measuring::panic_handler;
use crate::measuring::process_limit;
use crate::measuring::run;
use crate::measuring::supervision::LONG_GRACE;
use crate::measuring::watch::Watch;
use crate::output::delivery;
use crate::output::terminal::Screen;

/// Becomes the program of the request, or watches the job and the program.
pub(crate) fn exec(request: &RunOptions) -> anyhow::Result<ExitCode> {
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
        Ok(claim)
    });
    match place {
        Ok(DirectoryClaim::Mine(directory)) => {
            delivery::check(options.json.as_deref(), &mut screen);
            match Watch::begin(directory, options) {
                Ok(watch) => run::supervise(&launch, request, Some(watch), screen, LONG_GRACE),
                Err(error) => Ok(run::give_way(&launch, &error, &mut screen)),
            }
        }
        Ok(DirectoryClaim::Theirs(_)) => Ok(run::replace(&launch, &mut screen)),
        Err(error) => Ok(run::give_way(&launch, &error, &mut screen)),
    }
}

/// What tells this job from all others of this machine: its name from the launcher, or the parent that all its processes
/// share. A parent's number alone may come again, so the moment of its birth belongs to it.
fn job() -> String {
    let mut hasher = DefaultHasher::new();
    let named = NAMESPACES.iter().find_map(env::var_os);
    match named {
        Some(name) => (name, env::var_os("PMIX_SERVER_TMPDIR")).hash(&mut hasher),
        None => {
            let parent = std::os::unix::process::parent_id();
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
the end. Options are those of the first one, so give all the same.

Exit status: as for `whyperf run`.";

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
        assert!(birth(std::process::id()).is_some_and(|ticks| ticks > 0));
        assert_eq!(birth(u32::MAX), None);
    }
}
