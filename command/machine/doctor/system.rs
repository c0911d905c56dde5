//! The doctor on the system: the library, shared memory, limits and rights.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::{Access, access, statvfs};
use rustix::process::{Resource, getrlimit};
use whyperf_daemon::CounterRefusal;
use whyperf_model::Counter;

use super::Finding;
use crate::measuring::library;

/// Whether there is something to preload.
pub(super) fn library() -> Finding {
    let subject = "library";
    match library::find() {
        Ok(path) => Finding::good(subject, path.display().to_string()),
        Err(error) => Finding::missing(
            subject,
            format!("{error:#}"),
            format!(
                "build it (cargo build --release -p whyperf-probes) or set {}",
                library::VARIABLE
            ),
        ),
    }
}

/// Whether preloading works, by doing it to the most harmless program.
pub(super) fn preloading() -> Finding {
    let subject = "preloading";
    let Ok(library) = library::find() else {
        return Finding::missing(subject, "not tried without the library", "see above");
    };
    let tried = Command::new("/bin/true")
        .env("LD_PRELOAD", library::preload(&library, None))
        .env_remove(crate::measuring::launch::DIRECTORY)
        .stdin(Stdio::null())
        .output();
    match tried {
        Ok(output) if output.status.success() && output.stderr.is_empty() => {
            Finding::good(subject, "the library loads into /bin/true and changes nothing")
        }
        Ok(output) => Finding::missing(
            subject,
            format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()),
            "the dynamic linker refuses the library: is it built for this machine and C library?",
        ),
        Err(error) => Finding::limited(
            subject,
            format!("/bin/true cannot be run: {error}"),
            "try `whyperf run -- ls`",
        ),
    }
}

/// Where the regions of processes lie.
pub(super) fn shared_memory() -> Finding {
    let subject = "shared memory";
    let Ok(space) = statvfs(SHARED_MEMORY) else {
        return Finding::missing(
            subject,
            format!("{SHARED_MEMORY} is not there"),
            "mount a tmpfs there; in a container start it with --ipc=host or --shm-size",
        );
    };
    if access(SHARED_MEMORY, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        return Finding::missing(
            subject,
            format!("{SHARED_MEMORY} is not writable for this user"),
            "its mode should be 1777; ask who runs the machine",
        );
    }
    let free = space.f_bavail.saturating_mul(space.f_frsize) >> 20;
    let found = format!("{free} MiB free in {SHARED_MEMORY}");
    if free < ENOUGH_MEBIBYTES {
        let advice = "each measured thread takes about 1 MiB, more with many callpaths; make room or, in a container, \
                      use --shm-size=1g";
        return Finding::limited(subject, found, advice);
    }
    Finding::good(subject, found)
}

/// Regions are sparse files whose length counts against this limit.
pub(super) fn file_size_limit() -> Finding {
    let subject = "file size limit";
    match getrlimit(Resource::Fsize).current {
        None => Finding::good(subject, "unlimited"),
        Some(bytes) => Finding::limited(
            subject,
            format!("{} MiB", bytes >> 20),
            "fewer threads can be measured in one process; try ulimit -f unlimited",
        ),
    }
}

/// Regions are mapped as a whole.
pub(super) fn address_space_limit() -> Finding {
    let subject = "address space limit";
    match getrlimit(Resource::As).current {
        None => Finding::good(subject, "unlimited"),
        Some(bytes) => Finding::limited(
            subject,
            format!("{} MiB", bytes >> 20),
            "measuring maps about 32 MiB in each process and 4 MiB for each thread, whyperf 5 MiB for each process; try ulimit -v unlimited",
        ),
    }
}

/// What killed runs have left behind.
pub(super) fn leftovers() -> Finding {
    let subject = "leftovers";
    let found = whyperf_daemon::leftovers();
    if found.is_empty() {
        return Finding::good(subject, "no run directory left behind");
    }
    Finding::limited(
        subject,
        format!("{} run directories left behind by runs that were killed", found.len()),
        "remove them with `whyperf clean`",
    )
}

/// What `--counters` can count here.
pub(super) fn counters() -> Finding {
    let subject = "counters";
    let all = whyperf_daemon::checked_counters(Counter::all());
    let names = |wanted: fn(&Result<(), CounterRefusal>) -> bool| {
        let of = all.iter().filter(|(_, outcome)| wanted(outcome));
        of.map(|(counter, _)| counter.name()).collect::<Vec<_>>().join(", ")
    };
    let found = names(Result::is_ok);
    let absent = names(|outcome| *outcome == Err(CounterRefusal::Absent));
    let forbidden = names(|outcome| *outcome == Err(CounterRefusal::Forbidden));
    let found = if found.is_empty() { "none".to_owned() } else { found };
    let absent = (!absent.is_empty())
        .then(|| format!("this machine has not (virtual machines often do not): {absent}"));
    let forbidden = (!forbidden.is_empty())
        .then(|| format!("not allowed (sysctl kernel.perf_event_paranoid=1 allows): {forbidden}"));
    let missing: Vec<String> = absent.into_iter().chain(forbidden).collect();
    if missing.is_empty() {
        return Finding::good(subject, found);
    }
    Finding::limited(subject, found, missing.join("; "))
}

/// Watching a program that runs already.
pub(super) fn tracing() -> Finding {
    let subject = "ptrace";
    match number("/proc/sys/kernel/yama/ptrace_scope") {
        None | Some(0) => Finding::good(subject, "one's own processes may be traced"),
        Some(level) => Finding::limited(
            subject,
            format!("restricted (ptrace_scope is {level})"),
            "`whyperf run` and `whyperf exec` do not need it",
        ),
    }
}

/// What a filter of system calls means for the library's thread, which nobody in the kernel tells it of.
pub(super) fn sandboxes() -> Finding {
    Finding::good(
        "sandboxes",
        "a program that enters one by prctl or syscall of the C library is measured until then; one that does so by system calls of \
         its own, for all its threads, may be ended by its filter: measure it with `--code-search none`, which starts no thread in \
         programs without MPI, or not at all",
    )
}

/// How calls get their source lines.
pub(super) fn debug_information() -> Finding {
    Finding::good(
        "source lines",
        "of programs built with -g; without it places are named by function, stripped ones by object file",
    )
}

fn number(file: impl AsRef<Path>) -> Option<i64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

const SHARED_MEMORY: &str = "/dev/shm";
/// Room for a hundred threads.
const ENOUGH_MEBIBYTES: u64 = 128;
