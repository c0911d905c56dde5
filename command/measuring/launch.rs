//! Starting a program so that it is measured and notices nothing else.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::measuring::library;
use crate::measuring::options::MeasuringOptions;
use crate::measuring::target::{self, Obstacle, Unusable};
use crate::measuring::tracing::TracingOptions;

/// The command to be started, and what it will see in its environment beyond ours.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    words: Vec<OsString>,
    file: PathBuf,
    environment: Vec<(&'static str, OsString)>,
    /// What is typed is for whyperf.
    keys: bool,
    /// When it was prepared.
    since: Instant,
}

/// The run directory of a measured process.
pub(crate) const DIRECTORY: &str = "WHYPERF_DIR";
/// How many regions of a callpath are kept apart.
pub(crate) const CALLPATH_DEPTH: &str = "WHYPERF_CALLPATH_DEPTH";
/// What a region of the program may cost in its thread, in percent.
const COST_LIMIT: &str = "WHYPERF_COST_LIMIT";
/// Whether functions are going to be switched on.
pub(crate) const FUNCTIONS: &str = "WHYPERF_FUNCTIONS";
/// Whether processes wait at their start until what a user named is in place.
const HOLD: &str = "WHYPERF_HOLD";
/// Which groups of the program's regions are measured.
const GROUPS: &str = "WHYPERF_GROUPS";
/// Settings of address sanitizers.
const SANITIZER_OPTIONS: &str = "ASAN_OPTIONS";

impl Launch {
    /// Looks for the program.
    pub(crate) fn prepare(words: &[OsString]) -> Result<Self, Unusable> {
        let first = words.first().map(OsString::as_os_str).unwrap_or_default();
        let file = target::resolve(first)?;
        let since = Instant::now();
        Ok(Self { words: words.to_owned(), file, environment: Vec::new(), keys: false, since })
    }

    /// How long ago it was prepared, which is the first thing that is done.
    pub(crate) fn age(&self) -> Duration {
        self.since.elapsed()
    }

    /// The same, with nothing of ours in its environment.
    pub(crate) fn unmeasured(&self) -> Self {
        Self { environment: Vec::new(), ..self.clone() }
    }

    /// Why its program cannot be measured, if it cannot.
    pub(crate) fn obstacle(&self) -> Option<(PathBuf, Obstacle)> {
        target::obstacle(&self.words)
    }

    /// Whether the first word only starts other programs.
    pub(crate) fn is_launcher(&self) -> bool {
        target::is_launcher(&self.words[0])
    }

    /// From now on what it starts is measured into this directory.
    pub(crate) fn measure(&mut self, library: &Path, directory: &Path, options: &MeasuringOptions) {
        self.keys = options.keys;
        // Into what it was not made for it would not load, and the program would not start.
        if matches!(self.obstacle(), Some((_, Obstacle::OtherLibrary))) {
            return;
        }
        let preload = library::preload(library, env::var_os("LD_PRELOAD"));
        self.environment = vec![
            ("LD_PRELOAD", preload),
            (DIRECTORY, directory.into()),
            (CALLPATH_DEPTH, options.callpath_depth.to_string().into()),
            (COST_LIMIT, format!("{}", 100.0 * options.cost_limit).into()),
        ];
        // Who is to be left needs somebody inside who hears of it.
        if options.asks_for_functions() || options.duration.is_some() {
            self.environment.push((FUNCTIONS, "1".into()));
        }
        if options.waits_at_start() {
            self.environment.push((HOLD, "1".into()));
        }
        if let Some(sanitizer) = target::sanitizer(&self.words) {
            self.make_room_for(&sanitizer);
        }
    }

    /// The same with these groups of regions, if some are chosen.
    pub(crate) fn choose(&mut self, groups: Option<&str>) {
        if !self.environment.is_empty() {
            self.environment.extend(groups.map(|groups| (GROUPS, groups.into())));
        }
    }

    /// The same with each event recorded, if that is asked for.
    pub(crate) fn trace(&mut self, options: &TracingOptions) {
        let set = |name: &str| env::var_os(name).is_some();
        if !self.environment.is_empty() {
            self.environment
                .extend(options.environment().into_iter().filter(|(name, _)| !set(name)));
        }
    }

    /// An address sanitizer refuses to come second. In a launcher, which was not built for it, it would report leaks
    /// that are no concern of the program; so there it is told to make do.
    fn make_room_for(&mut self, sanitizer: &str) {
        if self.is_launcher() {
            let mut options = env::var_os(SANITIZER_OPTIONS).unwrap_or_default();
            options.push(if options.is_empty() { "" } else { ":" });
            options.push("verify_asan_link_order=0");
            self.environment.push((SANITIZER_OPTIONS, options));
        } else {
            let mut first = OsString::from(sanitizer);
            first.push(":");
            first.push(&self.environment[0].1);
            self.environment[0].1 = first;
        }
    }

    /// Starts it as a child that has our terminal, our descriptors and our group.
    pub(crate) fn spawn(&self) -> io::Result<Child> {
        self.command().spawn().or_else(|error| {
            if self.is_script_without_interpreter(&error) {
                self.shell().spawn()
            } else {
                Err(error)
            }
        })
    }

    /// What to say when starting it failed.
    pub(crate) fn failure(&self, error: &io::Error) -> String {
        format!("cannot run {}: {error}; is it a program of this machine?", self.file.display())
    }

    /// Becomes it; returns only when that fails.
    pub(crate) fn become_it(&self) -> io::Error {
        let error = self.command().exec();
        if self.is_script_without_interpreter(&error) { self.shell().exec() } else { error }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.file);
        command.arg0(&self.words[0]).args(&self.words[1..]).envs(self.environment.iter().cloned());
        if self.keys {
            command.stdin(Stdio::null());
        }
        command
    }

    /// What shells and `execvp` do with a script that names no interpreter.
    fn shell(&self) -> Command {
        let mut command = Command::new("/bin/sh");
        command.arg(&self.file).args(&self.words[1..]).envs(self.environment.iter().cloned());
        command
    }

    fn is_script_without_interpreter(&self, error: &io::Error) -> bool {
        let is_binary = || {
            let mut start = [0; 4];
            File::open(&self.file)
                .and_then(|mut file| file.read_exact(&mut start))
                .is_ok_and(|()| start == *b"\x7fELF")
        };
        error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) && !is_binary()
    }
}

/// The exit status a shell would give.
pub(crate) fn exit_status(status: ExitStatus) -> i32 {
    status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .unwrap_or_else(|| i32::from(FAILURE))
}

/// The exit status when the program is there but the system refuses it.
pub(crate) const CANNOT_EXECUTE: u8 = 126;
/// The exit status when whyperf itself cannot do what it is for.
pub(crate) const FAILURE: u8 = 125;

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::arguments::{CommandLine, Verb};

    #[test]
    fn an_exit_status_is_that_of_a_shell() {
        assert_eq!(exit_status(ExitStatus::from_raw(3 << 8)), 3);
        assert_eq!(exit_status(ExitStatus::from_raw(11)), 139);
    }

    #[test]
    fn a_measured_program_sees_four_variables() {
        let words = [OsString::from("true")];
        let mut launch = Launch::prepare(&words).expect("every system has `true`");
        let words = ["whyperf", "run", "--", "true"];
        let Verb::Run(request) = CommandLine::parse_from(words).verb else {
            panic!("the verb was `run`");
        };
        let (library, directory) = (Path::new("/lib/libwhyperf.so"), Path::new("/dev/shm/run"));
        launch.measure(library, directory, &request.options);
        let names: Vec<&str> = launch.environment.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["LD_PRELOAD", DIRECTORY, CALLPATH_DEPTH, COST_LIMIT, FUNCTIONS]);
    }
}
