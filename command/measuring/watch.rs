//! A run that is watched: the search, the live processes that it searches, and what is shown and kept of it.
//!
//! ```text
//!   Watch::stay ── drive ──┬── Searches
//!                          ├── Live: a sampling pass whenever the attendant says so
//!                          └── Onlooker: complaints, phases, findings, journal, status line; then the attendant waits
//! ```

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use whyperf_consultant::{
    Event, Guidance, Happening, Hypotheses, Observer, Scope, Searches, Step, Turn, drive,
};
use whyperf_daemon::{
    Complaint, Daemon, Live, Moment, Pace, PairId, Round, RunDirectory, Settings,
};
use whyperf_model::{Efficiency, Effort, Focus, Histogram, Metric, Nanos};

use crate::arguments::{CodeSearch, Options};
use crate::measuring::recording::Journal;
use crate::measuring::requested::Measure;
use crate::measuring::summary;
use crate::measuring::throttle::Heat;
use crate::output::delivery;
use crate::output::report::{self, Report};
use crate::output::terminal::{self, Screen};
use crate::search::inputs::Guide;
use crate::search::phases::{self, Schedule};

/// A search over live processes, and what is shown of it.
#[derive(Debug)]
pub(crate) struct Watch {
    searches: Searches,
    live: Live<Daemon, RealTime>,
    pub(crate) view: View,
    /// Removed when all else is gone.
    directory: RunDirectory,
}

/// What is known of a run beside what daemon and search know.
#[derive(Debug)]
pub(crate) struct View {
    schedule: Schedule,
    /// What each rank had done when each phase began.
    efforts: Vec<Vec<Effort>>,
    /// More phases came than are kept apart.
    pub(crate) has_more_phases: bool,
    pub(crate) heat: Heat,
    pub(crate) cost_limit: f64,
    /// Whether times are without what measuring cost.
    pub(crate) compensates: bool,
    /// How often the cost held the search back.
    pub(crate) held_back: usize,
    pub(crate) measure: Measure,
    /// What leads the search.
    pub(crate) guide: Guide,
    /// Keeps the run, unless that is not wanted.
    journal: Option<Journal>,
    /// The time of all threads, of which the profile shows shares.
    wall: PairId,
    said: BTreeSet<String>,
    begin: Instant,
    next: Instant,
    width: Duration,
}

/// Waits while processes are watched, and decides what comes next.
pub(crate) trait Attendant {
    /// Waits until something is to be done, at the latest until the next sample is due.
    fn wait(&mut self, due: Due) -> Next;

    /// Keeps what is known so far, if that is wanted; `take` adds it to a report.
    fn keep(&self, _take: &dyn Fn(&mut Report)) {}
}

/// What an attendant must know to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    /// When the next sample is due.
    pub(crate) sample: Instant,
    /// Whether a measured process still runs.
    pub(crate) has_living: bool,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Sample now.
    Sample,
    /// Pause the search, or let it go on.
    Pause,
    /// Begin a phase.
    Phase,
    /// Keep what is known so far: this process may be killed soon.
    Keep,
    /// Ask all processes to be measured no further.
    Detach,
    /// Sample a last time.
    End,
}

/// Samples when the attendant has waited for it.
#[derive(Debug, Default)]
pub(crate) struct RealTime {
    /// What the last sampling pass brought that the search does not need.
    seen: Option<Round>,
    /// Phases that the program announces are not told.
    hides_phases: bool,
    is_over: bool,
}

impl Pace for RealTime {
    fn wait(&mut self, _: &mut Daemon) -> Option<Moment> {
        (!self.is_over).then(Moment::now)
    }

    fn see(&mut self, _: &mut Daemon, round: &mut Round) {
        if self.hides_phases {
            round.phase = None;
        }
        self.seen = Some(Round {
            interval: round.interval,
            complaints: std::mem::take(&mut round.complaints),
            tally: round.tally.take(),
            started: std::mem::take(&mut round.started),
            appeared: round.appeared.clone(),
            retired: round.retired.clone(),
            ..Round::default()
        });
    }

    fn end(&mut self) -> Moment {
        Moment::now()
    }
}

impl Watch {
    /// Begins to watch a run directory that is still empty.
    pub(crate) fn begin(directory: RunDirectory, options: &Options) -> Result<Self> {
        let begin = Instant::now();
        let width = Duration::from_millis(options.sample);
        let settings = Settings {
            width: Nanos::from_millis(options.sample),
            compensates: !options.no_compensation,
            functions: options.code_search != CodeSearch::None,
            modules: options.code_search == CodeSearch::Module,
            cost_limit: options.cost_limit,
            records: !options.keeping.no_store,
            ..Settings::new(Moment::now())
        };
        let mut daemon = Daemon::open(directory.path(), settings).context("starting to measure")?;
        let pairs = options.pairs().map_err(anyhow::Error::msg)?;
        let measure = Measure::start(&pairs, &mut daemon);
        let hypotheses = options.hypotheses().map_err(anyhow::Error::msg)?;
        let guide = Guide::of(&options.keeping, &options.judging, &hypotheses);
        let (limit, code_search) = (options.cost_limit, options.code_search);
        let settings = options.judging.settings(limit, code_search, &guide.hold);
        let searches = if options.no_search {
            Searches::new(Hypotheses::none(), settings, Guidance::default())
        } else {
            Searches::new(hypotheses, settings, guide.guidance.clone())
        };
        let view = View {
            wall: daemon.start(Metric::Wall, &Focus::whole_program()),
            schedule: Schedule::of(&options.phasing),
            efforts: Vec::new(),
            has_more_phases: false,
            heat: Heat::default(),
            cost_limit: options.cost_limit,
            held_back: 0,
            measure,
            guide,
            journal: None,
            compensates: !options.no_compensation,
            said: BTreeSet::new(),
            begin,
            next: begin + width,
            width,
        };
        let pace = RealTime { hides_phases: options.phasing.no_phases, ..RealTime::default() };
        Ok(Self { searches, live: Live::new(daemon, pace), view, directory })
    }

    /// Keeps the run from now on.
    pub(crate) fn keep(&mut self, journal: Journal) {
        self.live.keep_stopped();
        self.view.journal = Some(journal);
    }

    /// Where measured processes leave their regions.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Searches until the attendant ends it.
    pub(crate) fn stay(&mut self, attendant: &mut dyn Attendant, screen: &mut Screen) {
        let mut onlooker = Onlooker { view: &mut self.view, attendant, screen };
        drive(&mut self.searches, &mut self.live, &mut onlooker);
    }

    /// Adds all that is known to the report, and closes the journal.
    pub(crate) fn complete(mut self, report: &mut Report, screen: &mut Screen) {
        summary::take(&self.view, self.live.daemon(), &self.searches, report);
        self.close_journal(report, screen);
        let running = self.live.daemon().counts().running;
        if running > 0 {
            let who = if running == 1 { "process" } else { "processes" };
            report.remarks.notes.push(format!(
                "{running} measured {who} went on when the report was written; what follows is not in it."
            ));
        }
    }

    /// A run of which nothing was measured is not worth keeping.
    fn close_journal(&mut self, report: &mut Report, screen: &mut Screen) {
        let journal = self.view.journal.take().filter(|_| report.processes > 0);
        let Some(journal) = journal else { return };
        match journal.finish(&self.searches, &mut self.live, report) {
            Ok(run) => report.run = Some(run.to_string()),
            Err(error) => screen.warn(&format!("the run is not kept: {}", delivery::words(&error))),
        }
    }
}

impl View {
    /// How well the ranks used the time of each phase, in their order.
    pub(crate) fn efficiencies_of_phases(&self, daemon: &Daemon) -> Vec<Option<Efficiency>> {
        phases::efficiencies(&self.efforts, &daemon.efforts())
    }

    /// Seconds that all threads together were measured.
    pub(crate) fn thread_time(&self, daemon: &Daemon) -> f64 {
        let amount = daemon.histogram(self.wall).map_or(0, |wall| wall.whole().amount);
        Nanos(u64::try_from(amount).unwrap_or(0)).as_secs_f64()
    }

    /// When the next sample is due, after one was taken.
    fn set_next(&mut self, daemon: &Daemon) {
        let now = Instant::now();
        let interval = self.interval(daemon);
        // Late by more than an interval: what was missed is not made up for, the next one covers it.
        self.next = (self.next + interval).max(now + interval / 2);
        if daemon.is_awaited() && self.begin.elapsed() < AWAITED {
            self.next = now + SOON;
        }
    }

    /// Sampling more often than the histograms can keep apart would only cost.
    fn interval(&self, daemon: &Daemon) -> Duration {
        let bins = u32::try_from(Histogram::DEFAULT_BINS).unwrap_or(u32::MAX);
        let mut width = self.width;
        while width * bins < self.begin.elapsed() {
            width *= 2;
        }
        // Looking must not take up the limit.
        width.max(Duration::from_nanos(daemon.interval().0))
    }

    /// What a user wants to hear at once: what was found, what is no longer so, and when the search waits.
    fn line(&mut self, step: &Step, screen: &Screen) -> Option<String> {
        let name = screen.manner.paint("whyperf", terminal::FAINT);
        let seconds = step.time.as_secs_f64();
        match &step.happening {
            Happening::Concluded(conclusion) => {
                report::conclusion(conclusion, seconds, screen.manner)
            }
            // Said once; the report says how often. With nothing waiting it makes no difference.
            Happening::HeldBack { cost, limit, waiting } if *waiting > 0 => {
                self.held_back += 1;
                (self.held_back == 1).then(|| {
                    let (cost, limit) = (report::share(*cost), report::share(*limit));
                    format!(
                        "{name} {seconds:>6.2} s  measuring costs {cost} where {limit} is the limit: {waiting} questions wait\n"
                    )
                })
            }
            _ => None,
        }
    }

    fn status(&self, daemon: &Daemon, searches: &Searches) -> String {
        let status = searches.global().status();
        let counts = daemon.counts();
        format!(
            "whyperf {:>6.1} s  {} processes  {} pairs measured, {} waiting  cost {}  {} bottlenecks",
            self.begin.elapsed().as_secs_f64(),
            counts.running,
            status.measured,
            status.waiting,
            report::share(daemon.cost().now),
            status.counts.found,
        )
    }
}

/// Shows a search while it is driven, and lets the attendant wait between two samples.
struct Onlooker<'run> {
    view: &'run mut View,
    attendant: &'run mut dyn Attendant,
    screen: &'run mut Screen,
}

impl Observer<Live<Daemon, RealTime>> for Onlooker<'_> {
    fn before(
        &mut self,
        event: &Event,
        searches: &mut Searches,
        live: &mut Live<Daemon, RealTime>,
    ) {
        let Event::Phase(now, name) = event else { return };
        if searches.is_full() {
            if !std::mem::replace(&mut self.view.has_more_phases, true) {
                self.tell_moment("no more phases are told apart", live.daemon());
            }
            return;
        }
        self.view.efforts.push(live.daemon().efforts());
        if let Some(journal) = &mut self.view.journal {
            journal.note_phase(*now, name);
        }
        let shown = phases::shown(name, self.screen.manner);
        self.tell_moment(&format!("phase {shown} begins"), live.daemon());
    }

    fn step(&mut self, scope: Scope, step: &Step) {
        // What is so in a phase is in the report: mostly it is so in the whole run, too.
        if scope == Scope::Current {
            return;
        }
        if let Some(journal) = &mut self.view.journal {
            journal.step(step);
        }
        if let Some(line) = self.view.line(step, self.screen) {
            self.screen.say(&line);
        }
    }

    fn settled(&mut self, searches: &mut Searches, live: &mut Live<Daemon, RealTime>) -> Turn {
        if let Some(round) = live.pace_mut().seen.take() {
            self.take_in(round);
            if live.is_over() {
                return Turn::Next;
            }
            self.look(searches, live);
            if self.view.schedule.is_due(self.view.begin.elapsed()) {
                live.announce(self.view.schedule.next_name());
                return Turn::Again;
            }
        }
        if live.is_over() { Turn::Next } else { self.attend(searches, live) }
    }
}

impl Onlooker<'_> {
    /// What a sampling pass brought beside events.
    fn take_in(&mut self, mut round: Round) {
        round.complaints.iter().for_each(|complaint| self.complain(complaint));
        if let Some(journal) = &mut self.view.journal {
            journal.note(&mut round);
        }
    }

    /// What is done after each sample.
    fn look(&mut self, searches: &Searches, live: &mut Live<Daemon, RealTime>) {
        let Self { view, screen, .. } = self;
        for note in view.heat.cool(live.daemon_mut(), view.cost_limit) {
            screen.say(&format!("{} {note}\n", screen.manner.paint("whyperf", terminal::FAINT)));
        }
        if let Some(journal) = &mut view.journal {
            journal.write_if_due(searches, live);
        }
        screen.status(&view.status(live.daemon(), searches));
        view.set_next(live.daemon());
    }

    /// Waits, and does what came meanwhile.
    fn attend(&mut self, searches: &mut Searches, live: &mut Live<Daemon, RealTime>) -> Turn {
        let has_living = live.daemon().counts().running > 0;
        match self.attendant.wait(Due { sample: self.view.next, has_living }) {
            Next::Sample => return Turn::Next,
            Next::End => {
                live.pace_mut().is_over = true;
                return Turn::Next;
            }
            Next::Pause => self.pause_or_go_on(searches, live.daemon()),
            Next::Phase => live.announce(self.view.schedule.next_name()),
            Next::Detach => live.daemon_mut().detach(),
            Next::Keep => {
                let view = &*self.view;
                self.attendant.keep(&|report| summary::take(view, live.daemon(), searches, report));
            }
        }
        Turn::Again
    }

    fn pause_or_go_on(&mut self, searches: &mut Searches, daemon: &Daemon) {
        let now = daemon.now();
        let said = if searches.is_paused() {
            searches.unpause(now);
            "the search goes on"
        } else {
            searches.pause(now);
            "the search pauses; what is measured is measured on"
        };
        self.tell_moment(said, daemon);
    }

    fn tell_moment(&mut self, what: &str, daemon: &Daemon) {
        let Self { view, screen, .. } = self;
        let (name, now) = (screen.manner.paint("whyperf", terminal::FAINT), daemon.now());
        screen.say(&format!("{name} {:>6.2} s  {what}\n", now.as_secs_f64()));
        if let Some(journal) = &mut view.journal {
            journal.note_moment(now, what);
        }
    }

    /// Each complaint once: a damaged file stays damaged.
    fn complain(&mut self, complaint: &Complaint) {
        let more = match complaint {
            Complaint::Directory(_) => "; processes seen so far stay measured, new ones are not",
            _ => "",
        };
        let text = format!("{complaint}{more}");
        if self.view.said.insert(text.clone()) {
            self.screen.warn(&text);
        }
    }
}

/// Until the next look when a process waits for something to be switched on, and for how long the first
/// process is awaited so.
const SOON: Duration = Duration::from_millis(3);
const AWAITED: Duration = Duration::from_secs(10);
