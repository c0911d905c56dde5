//! Staying with a program until it ends: sampling, passing signals on, never in its way.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::arguments::Launch as Request;
use crate::measuring::event::{Event, Events};
use crate::measuring::keys::{self, Keys};
use crate::measuring::launch;
use crate::measuring::panic_handler;
use crate::measuring::watch::{Attendant, Due, Next, Watch};
use crate::output::delivery;
use crate::output::report::Report;
use crate::output::terminal::Screen;

/// Stays with a program until it has ended, or the user has interrupted twice and it still goes on.
#[derive(Debug)]
pub(crate) struct Attendance<'a> {
    child: Child,
    events: Events,
    request: &'a Request,
    begin: Instant,
    /// How long measured processes may outlive the program.
    grace: Duration,
    stage: Stage,
}

/// How far staying got.
///
/// ```text
///   Running ── the program ended, or patience did ──► Ended ── nobody is left, or the time is up ──► end
/// ```
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// The program runs.
    Running {
        interruptions: u32,
        /// When the program must have ended, after the second interruption.
        patience: Option<Instant>,
    },
    /// The program ended, or goes on alone; other measured processes may go on until then.
    Ended { outcome: Outcome, until: Instant },
}

/// How staying ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The program did.
    Ended(ExitStatus),
    /// The user lost patience; this process goes on.
    LeftRunning(u32),
}

impl Outcome {
    /// What whyperf returns.
    pub(crate) fn exit_status(self) -> i32 {
        match self {
            Self::Ended(status) => launch::exit_status(status),
            Self::LeftRunning(_) => INTERRUPTED,
        }
    }
}

impl<'a> Attendance<'a> {
    /// Stays with a child that was started at `begin`.
    pub(crate) const fn new(
        child: Child,
        events: Events,
        (request, begin): (&'a Request, Instant),
        grace: Duration,
    ) -> Self {
        let stage = Stage::Running { interruptions: 0, patience: None };
        Self { child, events, request, begin, grace, stage }
    }

    /// Stays to the end; what is watched, if anything could be measured, is watched so long.
    pub(crate) fn stay(
        mut self,
        mut watch: Option<Watch>,
        screen: &mut Screen,
    ) -> (Outcome, Option<Watch>) {
        self.events.await_end(self.child.id());
        let _keys = self.keys(screen);
        match &mut watch {
            Some(watch) => watch.stay(&mut self, screen),
            None => while self.wait(Due { sample: distant(), has_living: false }) != Next::End {},
        }
        let outcome = match self.stage {
            Stage::Ended { outcome, .. } => outcome,
            Stage::Running { .. } => Outcome::LeftRunning(self.child.id()),
        };
        (outcome, watch)
    }

    /// Listens to keys, if that is wanted.
    fn keys(&self, screen: &mut Screen) -> Option<Keys> {
        if !self.request.options.keys {
            return None;
        }
        let keys = Keys::listen(self.events.sender());
        keys.inspect_err(|error| {
            screen.warn(&format!("keys are not heard: this process has no terminal: {error}"));
        })
        .ok()
    }

    fn wait_for_child(&mut self, sample: Instant) -> Option<Next> {
        let Stage::Running { interruptions, patience } = &mut self.stage else { return None };
        let moment = patience.map_or(sample, |end| end.min(sample));
        let next = match self.events.next_before(moment) {
            Some(Event::Ended) => {
                let outcome = self.reap();
                self.end(outcome);
                return None;
            }
            Some(Event::PassOn(signal)) => self.pass_on(signal),
            Some(Event::Resumed) => {
                keys::resume();
                Some(Next::Keep)
            }
            Some(Event::Pause) => Some(Next::Pause),
            Some(Event::Phase) => Some(Next::Phase),
            Some(Event::Interrupted) => {
                *interruptions += 1;
                if *interruptions == 2 {
                    *patience = Some(Instant::now() + PATIENCE);
                }
                Some(Next::Keep)
            }
            None => None,
        };
        if let Stage::Running { patience: Some(end), .. } = self.stage
            && end <= Instant::now()
        {
            self.end(Outcome::LeftRunning(self.child.id()));
        }
        next.or_else(|| (sample <= Instant::now()).then_some(Next::Sample))
    }

    /// Processes may outlive the launcher by a moment. Those that mean to stay, as daemons do, are not waited for.
    fn wait_for_others(&self, until: Instant, due: Due) -> Option<Next> {
        if Instant::now() >= until || !due.has_living {
            return Some(Next::End);
        }
        let event = self.events.next_before(due.sample.min(until));
        if matches!(event, Some(Event::Interrupted | Event::PassOn(SIGINT))) {
            return Some(Next::End);
        }
        (due.sample <= Instant::now()).then_some(Next::Sample)
    }

    fn reap(&mut self) -> Outcome {
        match self.child.wait() {
            Ok(status) => Outcome::Ended(status),
            Err(_) => Outcome::LeftRunning(self.child.id()),
        }
    }

    fn end(&mut self, outcome: Outcome) {
        panic_handler::status_is(outcome.exit_status());
        // After a failure the launcher should hear of it at once.
        let grace = if outcome.exit_status() == 0 { self.grace } else { SHORT_GRACE };
        self.stage = Stage::Ended { outcome, until: Instant::now() + grace };
    }

    fn pass_on(&self, signal: i32) -> Option<Next> {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let (Some(pid), Some(named)) = (pid, Signal::from_named_raw(signal)) {
            let _ = kill_process(pid, named);
        }
        matches!(signal, SIGTERM | SIGINT | SIGQUIT | SIGHUP).then_some(Next::Keep)
    }
}

impl Attendant for Attendance<'_> {
    fn wait(&mut self, due: Due) -> Next {
        loop {
            let next = match self.stage {
                Stage::Running { .. } => self.wait_for_child(due.sample),
                Stage::Ended { until, .. } => self.wait_for_others(until, due),
            };
            if let Some(next) = next {
                return next;
            }
        }
    }

    /// Whoever asks us to end may kill us soon after, so what is known so far is kept at once.
    fn keep(&self, take: &dyn Fn(&mut Report)) {
        let mut report = Report::bare(&self.request.command, ASKED_TO_END, self.begin.elapsed());
        take(&mut report);
        delivery::keep(&report, &self.request.options);
    }
}

/// A moment that is never waited for to its end.
fn distant() -> Instant {
    Instant::now() + Duration::from_secs(3600)
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
