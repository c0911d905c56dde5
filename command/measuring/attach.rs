//! `whyperf attach`: watch processes that run already, and leave them as they were.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use whyperf_daemon::RunDirectory;
use whyperf_inject::Request;

use crate::arguments::{Attach, Launch};
use crate::measuring::event::{Event, Events};
use crate::measuring::keys::{self, Keys};
use crate::measuring::launch::FAILURE;
use crate::measuring::library;
use crate::measuring::run;
use crate::measuring::watch::{Attendant, Due, Next, Watch};
use crate::output::delivery;
use crate::output::report::Report;
use crate::output::terminal::Screen;

/// Watches the processes of the request until they end, the time is up, or the user has seen enough.
pub(crate) fn attach(request: &Attach) -> Result<ExitCode> {
    let processes = processes(request);
    let mut options = request.options.clone();
    let command = command_of(&processes);
    options.keeping.name_after(&command);
    let started = Launch { options, command };
    let options = &started.options;
    let mut screen = Screen::new(options.colour(), options.quiet);
    delivery::check(options, &mut screen);
    let library = library::find()?;
    // From here on an interruption must not end this process: the others would be left half attached to.
    let events = Events::listen()?;
    let watch = Watch::begin(RunDirectory::create()?, options)?;
    let begin = Instant::now();
    let attached = attach_all(&processes, &library, &watch, options.callpath_depth, &mut screen);
    if attached == 0 {
        return Ok(ExitCode::from(FAILURE));
    }
    run::tell(&watch.view.guide, &mut screen);
    let mut watch = run::kept(watch, &started, &mut screen);
    let keys = options.keys.then(|| Keys::listen(events.sender()));
    if let Some(Err(error)) = &keys {
        screen.warn(&format!("keys are not heard: this process has no terminal: {error}"));
    }
    let end = request.duration.map(|time| begin + time);
    watch.stay(&mut Session { events, end, stage: Stage::Beginning }, &mut screen);
    drop(keys);
    let mut report = Report::bare(&started.command, 0, begin.elapsed());
    watch.complete(&mut report, &mut screen);
    delivery::deliver(&report, options, &mut screen);
    Ok(ExitCode::SUCCESS)
}

/// The processes that were named, each once; those of a job in the order of their numbers.
fn processes(request: &Attach) -> Vec<u32> {
    let mut all = request.processes.clone();
    for pid in &request.all_of {
        let job = whyperf_inject::job_of(*pid);
        // One that is not there is tried all the same, which tells why it cannot be.
        all.extend(if job.is_empty() { vec![*pid] } else { job });
    }
    let mut seen = Vec::new();
    all.retain(|pid| {
        !seen.contains(pid) && {
            seen.push(*pid);
            true
        }
    });
    all
}

/// Attaches to one after the other; answers to how many.
fn attach_all(
    processes: &[u32],
    library: &Path,
    watch: &Watch,
    callpath_depth: u32,
    screen: &mut Screen,
) -> usize {
    let request = Request::new(library, watch.directory(), callpath_depth);
    let attached = processes.iter().filter(|pid| match whyperf_inject::attach(**pid, &request) {
        Ok(()) => true,
        Err(refusal) => {
            screen.warn(&refusal.to_string());
            false
        }
    });
    attached.count()
}

/// The words by which the first of them was started.
fn command_of(processes: &[u32]) -> Vec<OsString> {
    let words = |pid: &u32| {
        let text = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words = text.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        let words: Vec<OsString> = words.map(|word| OsString::from_vec(word.to_vec())).collect();
        words
    };
    processes.iter().map(words).find(|words| !words.is_empty()).unwrap_or_default()
}

/// Decides how long the processes are watched.
struct Session {
    events: Events,
    /// When it is enough.
    end: Option<Instant>,
    stage: Stage,
}

/// How far watching got.
///
/// ```text
///   Beginning ── first sample ──► Staying ── nobody is left, time is up, interrupted ──► Leaving ── all went, or too late ──► end
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing was sampled yet.
    Beginning,
    /// The processes are watched.
    Staying,
    /// They were asked to go on alone, and may take until then.
    Leaving(Instant),
}

impl Attendant for Session {
    fn wait(&mut self, due: Due) -> Next {
        match self.stage {
            Stage::Beginning => {
                self.stage = Stage::Staying;
                Next::Sample
            }
            Stage::Staying if !due.has_living => self.leave(),
            Stage::Staying => self.stay(due.sample),
            Stage::Leaving(until) if !due.has_living || Instant::now() >= until => Next::End,
            Stage::Leaving(_) => {
                let _ = self.events.next_before(Instant::now() + LOOK);
                Next::Sample
            }
        }
    }
}

impl Session {
    /// Waits until the next sample is due, or until it is time to leave.
    fn stay(&mut self, sample: Instant) -> Next {
        loop {
            let moment = self.end.map_or(sample, |end| end.min(sample));
            match self.events.next_before(moment) {
                Some(Event::Interrupted | Event::PassOn(SIGINT | SIGTERM | SIGHUP | SIGQUIT)) => {
                    return self.leave();
                }
                Some(Event::Pause) => return Next::Pause,
                Some(Event::Phase) => return Next::Phase,
                Some(Event::Resumed) => keys::resume(),
                // The others are meant for the processes, which have them already.
                Some(_) => {}
                None if self.end.is_some_and(|end| end <= Instant::now()) => return self.leave(),
                None => return Next::Sample,
            }
        }
    }

    fn leave(&mut self) -> Next {
        self.stage = Stage::Leaving(Instant::now() + PATIENCE);
        Next::Detach
    }
}

/// How long the processes may take to end being measured.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often it is looked whether they have.
const LOOK: Duration = Duration::from_millis(5);
