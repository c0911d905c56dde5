//! Watching a run: the daemon's rounds go to the search, its requests go back, and what it concludes is said at once.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use whyperf_consultant::{Event, Guidance, Happening, Hypotheses, Phases, Scope, Step};
use whyperf_daemon::{
    Complaint, Correspondence, Daemon, Moment, PairId, Round, RunDirectory, Settings,
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

/// A daemon and a search, and what passes between them.
#[derive(Debug)]
pub(crate) struct Watch {
    pub(crate) daemon: Daemon,
    pub(crate) searches: Phases,
    schedule: Schedule,
    /// What each rank had done when each phase began.
    efforts: Vec<Vec<Effort>>,
    /// Whether the program's own phases are searched apart.
    follows_phases: bool,
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
    /// Keeps the run, unless nobody wants that.
    journal: Option<Journal>,
    /// The time of all threads, of which the profile shows shares.
    wall: PairId,
    correspondence: Correspondence,
    said: BTreeSet<String>,
    begin: Instant,
    next: Instant,
    width: Duration,
    /// Removed when all else is gone.
    directory: RunDirectory,
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
            Phases::new(Hypotheses::none(), settings, Guidance::default())
        } else {
            Phases::new(hypotheses, settings, guide.guidance.clone())
        };
        let mut watch = Self {
            wall: daemon.start(Metric::Wall, &Focus::whole_program()),
            daemon,
            searches,
            schedule: Schedule::of(&options.phasing),
            efforts: Vec::new(),
            follows_phases: !options.phasing.no_phases,
            has_more_phases: false,
            heat: Heat::default(),
            cost_limit: options.cost_limit,
            held_back: 0,
            measure,
            guide,
            journal: None,
            correspondence: Correspondence::default(),
            compensates: !options.no_compensation,
            said: BTreeSet::new(),
            begin,
            next: begin + width,
            width,
            directory,
        };
        watch.carry_out_requests();
        Ok(watch)
    }

    /// Keeps the run from now on.
    pub(crate) fn keep(&mut self, journal: Journal) {
        self.correspondence.keep_stopped();
        self.journal = Some(journal);
    }

    /// Where measured processes leave their regions.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// When the next sample is due.
    pub(crate) const fn next_sample(&self) -> Instant {
        self.next
    }

    /// Whether a measured process still runs.
    pub(crate) fn has_living(&self) -> bool {
        self.daemon.counts().running > 0
    }

    /// Looks at all processes and lets the search draw its conclusions.
    pub(crate) fn sample(&mut self, screen: &mut Screen) {
        let round = self.daemon.sample(Moment::now());
        self.digest(round, screen);
        if self.schedule.is_due(self.begin.elapsed()) {
            self.begin_unnamed(screen);
        }
        for note in self.heat.cool(&mut self.daemon, self.cost_limit) {
            screen.say(&format!("{} {note}\n", screen.manner.paint("whyperf", terminal::FAINT)));
        }
        if let Some(journal) = &mut self.journal {
            journal.write_if_due(&self.daemon, &self.searches, &mut self.correspondence);
        }
        screen.status(&self.status());
        let now = Instant::now();
        // Late by more than an interval: what was missed is not made up for, the next one covers it.
        self.next = (self.next + self.interval()).max(now + self.interval() / 2);
        if self.daemon.is_awaited() && self.begin.elapsed() < AWAITED {
            self.next = now + SOON;
        }
    }

    /// Begins a phase that nobody gave a name.
    pub(crate) fn begin_unnamed(&mut self, screen: &mut Screen) {
        let name = self.schedule.next_name();
        self.begin_phase(&name, screen);
    }

    /// Pauses the search, or lets it go on.
    pub(crate) fn pause_or_go_on(&mut self, screen: &mut Screen) {
        let now = self.daemon.now();
        let said = if self.searches.is_paused() {
            self.searches.unpause(now);
            "the search goes on"
        } else {
            self.searches.pause(now);
            "the search pauses; what is measured is measured on"
        };
        self.tell_moment(said, screen);
        self.carry_out_requests();
    }

    fn begin_phase(&mut self, name: &str, screen: &mut Screen) {
        // The last one goes on: a program that announces each of its steps is not taken apart into all of them.
        if self.searches.past().len() >= phases::MOST {
            if !std::mem::replace(&mut self.has_more_phases, true) {
                self.tell_moment("no more phases are told apart", screen);
            }
            return;
        }
        self.efforts.push(self.daemon.efforts());
        for request in self.searches.begin(self.daemon.now(), name) {
            self.correspondence.carry_out(&request, &mut self.daemon);
        }
        self.carry_out_requests();
        if let Some(journal) = &mut self.journal {
            journal.note_phase(self.daemon.now(), name);
        }
        let shown = phases::shown(name, screen.manner);
        self.tell_moment(&format!("phase {shown} begins"), screen);
    }

    /// How well the ranks used the time of each phase, in their order.
    pub(crate) fn efficiencies_of_phases(&self) -> Vec<Option<Efficiency>> {
        phases::efficiencies(&self.efforts, &self.daemon.efforts())
    }

    fn tell_moment(&mut self, what: &str, screen: &mut Screen) {
        let (name, now) = (screen.manner.paint("whyperf", terminal::FAINT), self.daemon.now());
        screen.say(&format!("{name} {:>6.2} s  {what}\n", now.as_secs_f64()));
        if let Some(journal) = &mut self.journal {
            journal.note_moment(now, what);
        }
    }

    /// Asks all processes to be measured no further.
    pub(crate) fn detach(&mut self) {
        self.daemon.detach();
    }

    /// Seconds that all threads together were measured.
    pub(crate) fn thread_time(&self) -> f64 {
        let amount = self.daemon.histogram(self.wall).map_or(0, |wall| wall.whole().amount);
        Nanos(u64::try_from(amount).unwrap_or(0)).as_secs_f64()
    }

    /// Adds what is known by now.
    pub(crate) fn take_stock(&self, report: &mut Report) {
        summary::take(self, report);
    }

    /// Looks a last time, ends the search and adds all that is known.
    pub(crate) fn complete(mut self, report: &mut Report, screen: &mut Screen) {
        let round = self.daemon.finish(Moment::now());
        self.digest(round, screen);
        self.searches.handle(Event::End(self.daemon.now()));
        self.tell_steps(screen);
        summary::take(&self, report);
        self.close_journal(report, screen);
        let running = self.daemon.counts().running;
        if running > 0 {
            let who = if running == 1 { "process" } else { "processes" };
            report.remarks.notes.push(format!(
                "{running} measured {who} went on when the report was written; what follows is not in it."
            ));
        }
    }

    /// A run of which nothing was measured is not worth keeping.
    fn close_journal(&mut self, report: &mut Report, screen: &mut Screen) {
        let Some(journal) = self.journal.take().filter(|_| report.processes > 0) else { return };
        match journal.finish((&self.daemon, &self.searches), &mut self.correspondence, report) {
            Ok(run) => report.run = Some(run.to_string()),
            Err(error) => screen.warn(&format!("the run is not kept: {}", delivery::words(&error))),
        }
    }

    /// Sampling more often than the histograms can keep apart would only cost.
    fn interval(&self) -> Duration {
        let bins = u32::try_from(Histogram::DEFAULT_BINS).unwrap_or(u32::MAX);
        let mut width = self.width;
        while width * bins < self.begin.elapsed() {
            width *= 2;
        }
        // Looking must not take up the limit.
        width.max(Duration::from_nanos(self.daemon.interval().0))
    }

    fn digest(&mut self, mut round: Round, screen: &mut Screen) {
        let announced = round.phase.take();
        round.complaints.iter().for_each(|complaint| self.complain(complaint, screen));
        if let Some(journal) = &mut self.journal {
            journal.note(&mut round);
        }
        for event in self.correspondence.events(round, &self.daemon) {
            self.searches.handle(event);
        }
        self.carry_out_requests();
        if let Some(name) = announced.filter(|_| self.follows_phases) {
            self.begin_phase(&name, screen);
        }
        self.tell_steps(screen);
    }

    fn carry_out_requests(&mut self) {
        while let Some(request) = self.searches.poll_request() {
            self.correspondence.carry_out(&request, &mut self.daemon);
        }
    }

    fn tell_steps(&mut self, screen: &mut Screen) {
        while let Some((scope, step)) = self.searches.poll_step() {
            // What is so in a phase is in the report: mostly it is so in the whole run, too.
            if scope == Scope::Current {
                continue;
            }
            if let Some(journal) = &mut self.journal {
                journal.step(&step);
            }
            if let Some(line) = self.line(&step, screen) {
                screen.say(&line);
            }
        }
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

    /// Each complaint once: a damaged file stays damaged.
    fn complain(&mut self, complaint: &Complaint, screen: &mut Screen) {
        let more = match complaint {
            Complaint::Directory(_) => "; processes seen so far stay measured, new ones are not",
            _ => "",
        };
        let text = format!("{complaint}{more}");
        if self.said.insert(text.clone()) {
            screen.warn(&text);
        }
    }

    fn status(&self) -> String {
        let status = self.searches.global().status();
        let counts = self.daemon.counts();
        format!(
            "whyperf {:>6.1} s  {} processes  {} pairs measured, {} waiting  cost {}  {} bottlenecks",
            self.begin.elapsed().as_secs_f64(),
            counts.running,
            status.measured,
            status.waiting,
            report::share(self.daemon.cost().now),
            status.counts.found,
        )
    }
}

/// Until the next look when a process waits for something to be switched on, and for how long the first
/// process is awaited so.
const SOON: Duration = Duration::from_millis(3);
const AWAITED: Duration = Duration::from_secs(10);
