//! Supervision of the program until it ends: samples are taken, and signals are passed on.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::SIGINT;

use crate::measuring::event::WatchEvent;
use crate::measuring::event_queue::Events;
use crate::measuring::interim_report::InterimReports;
use crate::measuring::keys;
use crate::measuring::launch;
use crate::measuring::leaving;
use crate::measuring::options::RunOptions;
use crate::measuring::panic_handler;
use crate::measuring::summary;
use crate::measuring::watch::Watch;
use crate::output::delivery;
use crate::output::report::Report;
use crate::output::terminal::Screen;

/// Everything that is needed while a program runs.
#[derive(Debug)]
pub(crate) struct Supervision<'a> {
    pub(crate) program: Program,
    pub(crate) events: Events,
    pub(crate) stage: MeasuringStage,
    pub(crate) screen: Screen,
    pub(crate) request: &'a RunOptions,
    pub(crate) begin: Instant,
    /// How long measured processes may outlive the program.
    pub(crate) grace: Duration,
    /// What is reported while it goes on.
    pub(crate) reports: InterimReports,
}

/// The program that is watched.
#[derive(Debug)]
pub(crate) enum Program {
    /// It is our child.
    Child(Child),
    /// It is somebody else's, whom alone the system tells how it ended.
    Foreign(u32),
}

impl Program {
    fn id(&self) -> u32 {
        match self {
            Self::Child(child) => child.id(),
            Self::Foreign(pid) => *pid,
        }
    }
}

/// How far measuring is. The program is supervised all the same.
#[derive(Debug)]
pub(crate) enum MeasuringStage {
    /// It is measured, until then at the latest.
    Measured(Watch, Option<Instant>),
    /// It is asked to go on alone, and may restore its code until then.
    Leaving(Watch, Instant),
    /// It is not measured: nothing could be, or it goes on alone, and this is what was found.
    Alone(Option<Box<Report>>),
}

impl MeasuringStage {
    /// What watches the program; none when it is not watched.
    const fn watch(&self) -> Option<&Watch> {
        match self {
            Self::Measured(watch, _) | Self::Leaving(watch, _) => Some(watch),
            Self::Alone(_) => None,
        }
    }
}

/// How staying ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SupervisionEnd {
    /// The program did.
    Ended(ExitStatus),
    /// Somebody else's program did, in this way if anybody tells.
    Gone(Option<ExitStatus>),
    /// The user interrupted twice, or whoever watches somebody else's program was told to end; this process goes on.
    LeftRunning(u32),
}

impl SupervisionEnd {
    /// What the program returned; `None` while it goes on.
    pub(crate) fn program_status(self) -> Option<i32> {
        match self {
            Self::Ended(status) => Some(launch::exit_status(status)),
            Self::Gone(status) => status.map(launch::exit_status),
            Self::LeftRunning(_) => None,
        }
    }

    /// What whyperf returns.
    pub(crate) fn exit_status(self) -> i32 {
        let of_program = self.program_status();
        of_program.unwrap_or(if matches!(self, Self::Gone(_)) { 0 } else { INTERRUPTED })
    }
}

impl Supervision<'_> {
    /// Until the program has ended, or the user has interrupted twice and it still goes on.
    pub(crate) fn stay(mut self) -> (SupervisionEnd, MeasuringStage, Screen) {
        self.events.await_end(self.program.id());
        let _keys = keys::listen(&self.request.options, self.events.sender(), &mut self.screen);
        let outcome = self.wait_for_child();
        panic_handler::status_is(outcome.exit_status());
        // After a failure the launcher should hear of it at once.
        self.wait_for_others(if outcome.exit_status() == 0 { self.grace } else { SHORT_GRACE });
        self.leave_survivors();
        (outcome, self.stage, self.screen)
    }

    fn wait_for_child(&mut self) -> SupervisionEnd {
        let mut interruptions = 0;
        let mut patience = None;
        loop {
            match self.events.next_before(self.next_moment(patience)) {
                Some(WatchEvent::Ended) => return self.reap(),
                Some(WatchEvent::Gone(status)) => return SupervisionEnd::Gone(status),
                Some(event @ WatchEvent::PassOn(signal)) => match self.program {
                    Program::Foreign(pid) if event.asks_for_end() => {
                        return SupervisionEnd::LeftRunning(pid);
                    }
                    // It is sent its signals itself.
                    Program::Foreign(_) => {}
                    Program::Child(_) => {
                        self.pass_on(signal);
                        self.keep_summary_if_asked(event);
                    }
                },
                Some(event @ WatchEvent::SentToAll(_)) => self.keep_summary_if_asked(event),
                Some(WatchEvent::Resumed) => {
                    self.keep_summary();
                    keys::resume();
                }
                Some(WatchEvent::Pause) => self.tell_watch(Watch::pause_or_go_on),
                Some(WatchEvent::Phase) => self.tell_watch(Watch::begin_unnamed),
                Some(WatchEvent::Asked) => self.tell_watch(Watch::obey),
                Some(WatchEvent::Report) => self.report(),
                Some(WatchEvent::Interrupted) => {
                    self.keep_summary();
                    interruptions += 1;
                    if interruptions == 2 {
                        patience = Some(Instant::now() + PATIENCE);
                    }
                }
                None => {}
            }
            if patience.is_some_and(|end| end <= Instant::now()) {
                return SupervisionEnd::LeftRunning(self.program.id());
            }
            self.look();
        }
    }

    /// Processes may outlive the launcher by a moment. Those that mean to stay, as daemons do, are not waited for.
    fn wait_for_others(&mut self, grace: Duration) {
        let end = Instant::now() + grace;
        while Instant::now() < end && self.has_living() {
            let event = self.events.next_before(self.next_moment(Some(end)));
            if matches!(event, Some(WatchEvent::Interrupted | WatchEvent::PassOn(SIGINT))) {
                return;
            }
            self.look();
        }
    }

    /// Looks once more before the program is collected: the system tells what its first thread ran until then, and no longer. Without that
    /// look all of the interval in which it ended counts as computing.
    fn reap(&mut self) -> SupervisionEnd {
        self.tell_watch(Watch::sample);
        match &mut self.program {
            Program::Foreign(_) => SupervisionEnd::Gone(None),
            Program::Child(child) => match child.wait() {
                Ok(status) => SupervisionEnd::Ended(status),
                Err(_) => SupervisionEnd::LeftRunning(child.id()),
            },
        }
    }

    fn has_living(&self) -> bool {
        matches!(&self.stage, MeasuringStage::Measured(watch, _) if watch.has_living())
    }

    /// What outlives the program goes on as it was, too.
    fn leave_survivors(&mut self) {
        let patience = self.request.options.leave_timeout;
        if self.has_living()
            && let MeasuringStage::Measured(watch, _) = &mut self.stage
        {
            leaving::leave(watch, &self.events, &mut self.screen, patience);
        }
    }

    fn next_moment(&self, end: Option<Instant>) -> Instant {
        let now = Instant::now();
        let next = match &self.stage {
            MeasuringStage::Measured(watch, leave) => {
                let next = self.reports.or_earlier(watch.next_sample());
                leave.map_or(next, |leave| leave.min(next))
            }
            MeasuringStage::Leaving(..) => now + leaving::LOOK,
            MeasuringStage::Alone(_) => now + Duration::from_secs(3600),
        };
        end.map_or(next, |end| end.min(next))
    }

    /// Does what is due.
    fn look(&mut self) {
        let now = Instant::now();
        match &mut self.stage {
            MeasuringStage::Measured(_, Some(leave)) if *leave <= now => self.begin_to_leave(now),
            MeasuringStage::Measured(watch, _) if watch.next_sample() <= now => {
                watch.sample(&mut self.screen);
                if !watch.is_off() {
                    summary::offer_if_due(watch);
                    self.reports.draw_up_if_due(watch, self.request, &mut self.screen);
                }
            }
            MeasuringStage::Leaving(watch, end) => {
                let is_over = watch.is_left() || *end <= now;
                if is_over {
                    self.end_measuring();
                }
            }
            _ => {}
        }
    }

    fn begin_to_leave(&mut self, now: Instant) {
        let patience = self.request.options.leave_timeout;
        let stage = std::mem::replace(&mut self.stage, MeasuringStage::Alone(None));
        if let MeasuringStage::Measured(mut watch, _) = stage {
            watch.leave(patience);
            self.stage = MeasuringStage::Leaving(watch, now + patience);
        }
    }

    /// Says what is not as it was, and draws up the report: with the run directory goes what else might be measured.
    fn end_measuring(&mut self) {
        let stage = std::mem::replace(&mut self.stage, MeasuringStage::Alone(None));
        if let MeasuringStage::Leaving(watch, _) = stage {
            watch.name_what_stays(&mut self.screen);
            let time = self.begin.elapsed();
            let report = Report::bare(&self.request.command, None, time);
            let mut report = Box::new(summary::complete(watch, report, &mut self.screen));
            let note =
                format!("Measuring ended after {:.1} s, as --duration says.", time.as_secs_f64());
            report.remarks.notes.push(note);
            delivery::keep(&report, self.request.options.json.as_deref());
            self.stage = MeasuringStage::Alone(Some(report));
        }
    }

    fn report(&mut self) {
        if let MeasuringStage::Measured(watch, _) = &mut self.stage {
            self.reports.draw_up(watch, self.request, &mut self.screen);
        }
    }

    fn tell_watch(&mut self, what: fn(&mut Watch, &mut Screen)) {
        if let MeasuringStage::Measured(watch, _) = &mut self.stage {
            what(watch, &mut self.screen);
        }
    }

    fn pass_on(&self, signal: i32) {
        let pid = i32::try_from(self.program.id()).ok().and_then(Pid::from_raw);
        if let (Some(pid), Some(named)) = (pid, Signal::from_named_raw(signal)) {
            let _ = kill_process(pid, named);
        }
    }

    fn keep_summary_if_asked(&self, event: WatchEvent) {
        if event.asks_for_end() {
            self.keep_summary();
        }
    }

    /// A signal that asks us to end may be followed by one that kills us, so what is known so far is kept at once.
    fn keep_summary(&self) {
        let Some(watch) = self.stage.watch() else { return };
        let mut report =
            Report::bare(&self.request.command, Some(ASKED_TO_END), self.begin.elapsed());
        summary::take(watch, &mut report);
        delivery::keep(&report, self.request.options.json.as_deref());
    }
}

/// Enough for processes that only have to end after what started them.
pub(crate) const SHORT_GRACE: Duration = Duration::from_millis(1500);
/// Enough for processes that do the same work and end when they are done.
pub(crate) const LONG_GRACE: Duration = Duration::from_secs(10);
/// How long a program may take to end after the second interruption.
const PATIENCE: Duration = Duration::from_secs(3);
/// What shells return after SIGTERM.
const ASKED_TO_END: i32 = 143;
/// What shells return after an interruption.
const INTERRUPTED: i32 = 130;
