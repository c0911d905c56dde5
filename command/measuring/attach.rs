//! `whyperf attach`: watch processes that run already, and leave them as they were.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::panic::resume_unwind;
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use whyperf_daemon::RunDirectory;
use whyperf_inject::AttachRequest;

use crate::measuring::event::WatchEvent;
use crate::measuring::event_queue::Events;
use crate::measuring::interim_report::InterimReports;
use crate::measuring::keys;
use crate::measuring::launch::FAILURE;
use crate::measuring::leaving;
use crate::measuring::library;
use crate::measuring::options::{MeasuringOptions, RunOptions};
use crate::measuring::page;
use crate::measuring::run;
use crate::measuring::summary;
use crate::measuring::tracing::TracingOptions;
use crate::measuring::watch::Watch;
use crate::output::delivery;
use crate::output::report::Report;
use crate::output::terminal::Screen;

/// What runs already and is to be watched.
#[derive(Debug, Args)]
pub(crate) struct Attach {
    #[command(flatten)]
    pub(crate) options: MeasuringOptions,
    /// Watch every process on this machine of the job of PID: of a launcher, or of any of its processes
    #[arg(long, value_name = "PID")]
    pub(crate) all_of: Vec<u32>,
    /// The processes
    #[arg(value_name = "PID", required_unless_present = "all_of")]
    pub(crate) processes: Vec<u32>,
}

/// Watches the processes of the request until they end, the time is up, or the user has seen enough.
pub(crate) fn attach(request: &Attach) -> Result<ExitCode> {
    let processes = processes(request);
    let mut options = request.options.clone();
    let command = command_of(&processes);
    options.name_after(&command);
    let started = RunOptions { options, tracing: TracingOptions::OFF, command };
    let options = &started.options;
    let mut screen = Screen::new(options.colour(), options.quiet);
    delivery::check(options.json.as_deref(), &mut screen);
    let library = library::find()?;
    // From here on an interruption must not end this process: the others would be left half attached to.
    let events = Events::listen()?;
    events.listen_to_all();
    let directory = RunDirectory::create()?;
    run::tell_place(&directory, &mut screen);
    let watch = Watch::begin(directory, options)?;
    let begin = Instant::now();
    let attached = attach_all(&processes, &library, &watch, options, &mut screen);
    if attached == 0 {
        return Ok(ExitCode::from(FAILURE));
    }
    run::tell(&watch.inputs, &mut screen);
    let mut watch = run::kept(watch, &started, &mut screen);
    let mut shown = page::show(&mut watch, &started, events.sender(), &mut screen);
    let end = options.duration.map(|time| begin + time);
    let reports = InterimReports::from(begin, options.report_every);
    let mut session = Session { events, watch, screen, request: &started, end, reports };
    let keys = keys::listen(options, session.events.sender(), &mut session.screen);
    session.stay();
    let Session { events, mut watch, mut screen, .. } = session;
    let unrestored = leaving::leave(&mut watch, &events, &mut screen, options.leave_timeout);
    drop(keys);
    shown.leave_terminal();
    let report = Report::bare(&started.command, None, begin.elapsed());
    let report = summary::complete(watch, report, &mut screen);
    delivery::deliver(&report, options.destinations(), &mut screen);
    shown.stay(&mut screen);
    Ok(if unrestored == 0 { ExitCode::SUCCESS } else { ExitCode::from(UNRESTORED) })
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

/// Attaches to all of them, so many at once: ranks that wait for each other are measured from about the same moment on. Answers to how many.
fn attach_all(
    processes: &[u32],
    library: &Path,
    watch: &Watch,
    options: &MeasuringOptions,
    screen: &mut Screen,
) -> usize {
    let request =
        AttachRequest::new(library, watch.directory(), options.callpath_depth, options.cost_limit);
    let attach = |pid: &u32| whyperf_inject::attach(*pid, &request);
    let outcomes = processes.chunks(AT_ONCE).flat_map(|some| {
        thread::scope(|scope| {
            let begun: Vec<_> = some.iter().map(|pid| scope.spawn(move || attach(pid))).collect();
            let ended = begun.into_iter().map(|one| one.join());
            ended.map(|one| one.unwrap_or_else(|panic| resume_unwind(panic))).collect::<Vec<_>>()
        })
    });
    let refused = outcomes.filter_map(Result::err).inspect(|refusal| {
        screen.warn(&refusal.to_string());
    });
    processes.len() - refused.count()
}

/// Each takes a thread of ours, which mostly waits.
const AT_ONCE: usize = 16;

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

/// Everything that is needed while the processes are watched.
struct Session<'a> {
    events: Events,
    watch: Watch,
    screen: Screen,
    request: &'a RunOptions,
    /// When it is enough.
    end: Option<Instant>,
    /// What is reported while it goes on.
    reports: InterimReports,
}

impl Session<'_> {
    fn stay(&mut self) {
        loop {
            self.watch.sample(&mut self.screen);
            summary::offer_if_due(&mut self.watch);
            self.reports.draw_up_if_due(&mut self.watch, self.request, &mut self.screen);
            if !self.watch.has_living() || self.waits_for_end() {
                return;
            }
        }
    }

    /// Waits until the next sample is due; whether it is time to leave instead.
    fn waits_for_end(&mut self) -> bool {
        loop {
            let next = self.watch.next_sample();
            let moment = self.end.map_or(next, |end| end.min(next));
            match self.events.next_before(moment) {
                Some(
                    WatchEvent::Interrupted
                    | WatchEvent::PassOn(SIGINT | SIGTERM | SIGHUP | SIGQUIT),
                ) => {
                    return true;
                }
                Some(WatchEvent::Pause) => self.watch.pause_or_go_on(&mut self.screen),
                Some(WatchEvent::Phase) => self.watch.begin_unnamed(&mut self.screen),
                Some(WatchEvent::Asked) => self.watch.obey(&mut self.screen),
                Some(WatchEvent::Report) => {
                    self.reports.draw_up(&mut self.watch, self.request, &mut self.screen);
                }
                Some(WatchEvent::Resumed) => keys::resume(),
                // Other signals are not passed on: these processes are not our children.
                Some(_) => {}
                None => return self.end.is_some_and(|end| end <= Instant::now()),
            }
        }
    }
}

/// What `attach` returns when a process could not be left as it was.
const UNRESTORED: u8 = 4;

/// What `whyperf attach --help` ends with.
pub(crate) const NOTES: &str = "\
The processes were started without whyperf and go on when it leaves: after --duration, at Ctrl-C, or not before
they end. Each is interrupted once for about a millisecond. What was called before is not known.

Exit status: 0 when at least one process was watched, 125 when none could be, 4 when one could not be left as
it was; the reason is said for each.";
