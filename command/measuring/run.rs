//! `whyperf run`: start a program, watch it while it runs, and report when it has ended.

use std::env;
use std::io;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use whyperf_daemon::RunDirectory;

use crate::measuring::environment;
use crate::measuring::event_queue::Events;
use crate::measuring::interim_report::InterimReports;
use crate::measuring::launch::{CANNOT_EXECUTE, Launch};
use crate::measuring::library;
use crate::measuring::options::RunOptions;
use crate::measuring::page::{self, ShownRun};
use crate::measuring::panic_handler;
use crate::measuring::process_limit;
use crate::measuring::recording::StoreWriter;
use crate::measuring::snapshots::Snapshots;
use crate::measuring::summary;
use crate::measuring::supervision::{
    MeasuringStage, Program, SHORT_GRACE, Supervision, SupervisionEnd,
};
use crate::measuring::target::Unusable;
use crate::measuring::watch::Watch;
use crate::output::delivery;
use crate::output::report::Report;
use crate::output::terminal::{self, Screen};
use crate::search::inputs::SearchInputs;

/// Runs the command of the request; the exit status is the program's.
pub(crate) fn run(request: &RunOptions) -> anyhow::Result<ExitCode> {
    let options = &request.options;
    let mut screen = Screen::new(options.colour(), options.quiet);
    let mut launch = match Launch::prepare(&request.command) {
        Ok(launch) => launch,
        Err(unusable) => return Ok(refuse(&unusable, &mut screen)),
    };
    panic_handler::prepare_for(launch.unmeasured());
    delivery::check(options.json.as_deref(), &mut screen);
    if is_one_of_many() {
        screen.warn(
            "this is one process of a job, and each reports for itself; for one report of all use `whyperf exec`",
        );
    }
    // A watch that cannot begin must not keep the program from running: queued jobs are dear.
    let watch = process_limit::check().and_then(|()| library::find()).and_then(|library| {
        let directory = RunDirectory::create()?;
        tell_place(&directory, &mut screen);
        let watch = Watch::begin(directory, options)?;
        launch.measure(&library, watch.directory(), options);
        launch.trace(&request.tracing);
        launch.choose(request.groups.as_deref());
        Ok(watch)
    });
    let watch = match watch {
        Ok(watch) => Some(watch),
        Err(error) => {
            screen.warn(&format!(
                "cannot measure: {}; the program runs without",
                delivery::words(&error)
            ));
            None
        }
    };
    supervise(&launch, request, watch, screen, SHORT_GRACE)
}

/// Starts the program and stays with it to the end; measured processes may outlive it for the time of `grace`.
pub(crate) fn supervise(
    launch: &Launch,
    request: &RunOptions,
    watch: Option<Watch>,
    mut screen: Screen,
    grace: Duration,
) -> anyhow::Result<ExitCode> {
    if let Some(watch) = &watch {
        tell_beginning(launch, watch, &mut screen);
    }
    let events = match Events::listen() {
        Ok(events) => events,
        Err(error) => {
            drop(watch);
            return Ok(give_way(launch, &error, &mut screen));
        }
    };
    let mut watch = watch.map(|watch| kept(watch, request, &mut screen));
    let mut shown = watch
        .as_mut()
        .map(|watch| page::show(watch, request, events.sender(), &mut screen))
        .unwrap_or_default();
    if is_one_of_many() {
        shown.end_with_run();
    }
    if let Some(watch) = &watch {
        panic_handler::remove_at_end(watch.directory());
    }
    let begin = Instant::now();
    if let Some(watch) = &mut watch {
        watch.start = launch.age();
    }
    panic_handler::supervise_from_here();
    // A program that is not measured may need each process that its user has left.
    if watch.is_some() {
        events.tell_apart();
    }
    let child = match launch.spawn() {
        Ok(child) => child,
        Err(error) => {
            // This process may become the program, which has no children then.
            drop((watch, events));
            return Ok(not_started(launch, error, &mut screen));
        }
    };
    panic_handler::child_is(child.id());
    events.listen_to_all();
    let end = request.options.duration.map(|time| begin + time);
    let stage = watch.map_or(MeasuringStage::Alone(None), |mut watch| {
        watch.unmeasured.watch(child.id());
        MeasuringStage::Measured(watch, end)
    });
    let program = Program::Child(child);
    let reports = InterimReports::from(begin, request.options.report_every);
    let supervision =
        Supervision { program, events, stage, screen, request, begin, grace, reports };
    Ok(watch_to_end(supervision, launch, shown))
}

/// Stays with a program to its end, and reports; then with the page that shows it, if there is one.
pub(crate) fn watch_to_end(
    supervision: Supervision<'_>,
    launch: &Launch,
    mut shown: ShownRun,
) -> ExitCode {
    let (request, begin) = (supervision.request, supervision.begin);
    let (outcome, stage, mut screen) = supervision.stay();
    shown.leave_terminal();
    let status = outcome.exit_status();
    let (watch, report) = match stage {
        MeasuringStage::Measured(watch, _) | MeasuringStage::Leaving(watch, _) => {
            (Some(watch), None)
        }
        MeasuringStage::Alone(report) => (None, report),
    };
    let bare = || Report::bare(&request.command, outcome.program_status(), begin.elapsed());
    let mut report = report.map_or_else(bare, |report| *report);
    report.exit_status = outcome.program_status();
    if let Some(watch) = watch {
        report = summary::complete(watch, report, &mut screen);
        if report.processes == 0 {
            let note = nothing_measured(launch, launch.obstacle().is_some(), &report);
            report.remarks.notes.push(note);
        }
    }
    if let SupervisionEnd::LeftRunning(pid) = outcome {
        let note = format!("The program goes on as process {pid}, no longer measured.");
        report.remarks.notes.push(note);
    }
    let options = &request.options;
    delivery::deliver(&report, options.destinations(), &mut screen);
    shown.stay(&mut screen);
    ExitCode::from(u8::try_from(status).unwrap_or(u8::MAX))
}

/// Says why the program was not started; where only no other process may be, this one becomes it.
fn not_started(launch: &Launch, error: io::Error, screen: &mut Screen) -> ExitCode {
    if error.kind() == io::ErrorKind::WouldBlock {
        let error = anyhow::Error::new(error).context("starting another process");
        return give_way(launch, &error, screen);
    }
    screen.warn(&launch.failure(&error));
    ExitCode::from(CANNOT_EXECUTE)
}

/// Becomes the program, which is better than that it does not run; returns only when that fails.
pub(crate) fn give_way(launch: &Launch, why: &anyhow::Error, screen: &mut Screen) -> ExitCode {
    screen.warn(&format!(
        "cannot measure: {}; the program runs without, and there is no report",
        delivery::words(why)
    ));
    replace(&launch.unmeasured(), screen)
}

/// Becomes the program; returns only when that fails.
pub(crate) fn replace(launch: &Launch, screen: &mut Screen) -> ExitCode {
    let error = launch.become_it();
    screen.warn(&launch.failure(&error));
    ExitCode::from(CANNOT_EXECUTE)
}

/// Says that the usual place was taken by another user.
pub(crate) fn tell_place(directory: &RunDirectory, screen: &mut Screen) {
    if let Some(taken) = directory.instead_of() {
        screen.warn(&format!("{taken}; {} is used in its place", directory.path().display()));
    }
}

/// Says what stands in the way of measuring the program, and what leads the search.
pub(crate) fn tell_beginning(launch: &Launch, watch: &Watch, screen: &mut Screen) {
    if let Some((program, obstacle)) = launch.obstacle() {
        screen.warn(&format!("{} {}", program.display(), obstacle.advice()));
    }
    tell(&watch.inputs, screen);
}

/// Says what leads the search.
pub(crate) fn tell(inputs: &SearchInputs, screen: &mut Screen) {
    if let Some(said) = &inputs.said {
        screen.say(&format!("{} {said}\n", screen.output_style.paint("whyperf", terminal::FAINT)));
    }
    if let Some(complaint) = &inputs.complaint {
        screen.warn(complaint);
    }
}

/// Keeps the run in the store, unless that is not wanted.
pub(crate) fn kept(mut watch: Watch, request: &RunOptions, screen: &mut Screen) -> Watch {
    let storage = &request.options.storage;
    if storage.no_store {
        return watch;
    }
    if request.tracing.is_on()
        && let Err(error) = watch.trace(storage, &request.tracing)
    {
        screen.warn(&format!("events are not recorded: {}", delivery::words(&error)));
    }
    let run = environment::new_run(request, &watch.inputs);
    watch.snapshots = request
        .options
        .snapshot_every
        .map(|every| Snapshots::of(storage.store.clone(), &run, every));
    match StoreWriter::begin(storage.store.clone(), run, request.options.profile) {
        Ok(writer) => watch.keep(writer),
        Err(error) => screen.warn(&format!("the run is not kept: {error}")),
    }
    watch
}

/// Whether a launcher started us beside others.
fn is_one_of_many() -> bool {
    let size = |variable| env::var(variable).ok()?.parse::<u32>().ok();
    ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"].into_iter().find_map(size).is_some_and(|size| size > 1)
}

/// Says why a command cannot be started.
pub(crate) fn refuse(unusable: &Unusable, screen: &mut Screen) -> ExitCode {
    screen.warn(&unusable.message());
    ExitCode::from(unusable.exit_status())
}

/// The likeliest reason that no process was seen, and what to try.
fn nothing_measured(launch: &Launch, has_obstacle: bool, report: &Report) -> String {
    let has_failed = report.exit_status.is_some_and(|status| status != 0);
    let reason = if !report.unmeasured.is_empty() {
        "what could not be is named above, each with its reason"
    } else if has_obstacle {
        "the program cannot be preloaded into, as said at the start"
    } else if launch.is_launcher() && has_failed {
        "the launcher failed before the program began; its own message above says why"
    } else if launch.is_launcher() {
        "either the launcher does not pass LD_PRELOAD on (try `mpirun -n 4 whyperf exec -- ./app`), or the program \
         is statically linked, runs on other hosts only, or does nothing that is measured: no MPI, no threads that \
         wait, no files"
    } else {
        "the program did nothing that is measured: no MPI, no waiting threads, no files, no regions of whyperf.h; or \
         it ended too early"
    };
    format!("Nothing was measured: {reason}. `whyperf doctor` tells what this machine allows.")
}

/// What `whyperf run --help` ends with.
pub(crate) const NOTES: &str = "\
After --duration the program goes on alone, and whyperf only waits for it.

The program's input and output are its own: whyperf speaks on standard error only. Ctrl-C reaches the
program first and the report is still written; signals that others send to whyperf are passed on to it.

Exit status: the program's own, 128 + n when signal n ended it, 127 when it was not found, 126 when it
could not be executed, 2 when these arguments are not understood.

Signals to whyperf that it keeps: RTMIN+1 pauses the search or lets it go on, RTMIN+2 begins a phase,
RTMIN+3 reports what is known by now.

Environment: libwhyperf.so is looked for beside the executable and in ../lib; WHYPERF_LIBRARY names
another place.";
