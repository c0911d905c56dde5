//! Watching a run: the daemon's sampling passes go to the search, its requests go back, and what it concludes is said at once.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use whyperf_consultant::{
    DataSource as _, DirectivesInForce, Event, Happening, Hypotheses, Observer, SearchScope,
    Searches, Step, drive_moment,
};
use whyperf_daemon::{
    Complaint, Daemon, DaemonSettings, Live, Moment, PairId, RunDirectory, Unrestored,
};
use whyperf_experiments::NewRun;
use whyperf_inject::ChangedCopy;
use whyperf_model::matching::CausedWait;
use whyperf_model::{
    Efficiency, Effort, Focus, Histogram, MessageTable, Metric, Nanos, Pair, Time,
};
use whyperf_viewer::{CommandSender, ViewedRun};

use crate::measuring::commands::{self, Asked};
use crate::measuring::cost_check::{CheckedCost, CostCheck, Turn};
use crate::measuring::event::WatchEvent;
use crate::measuring::left_out::LeftOut;
use crate::measuring::live_view::LiveView;
use crate::measuring::options::MeasuringOptions;
use crate::measuring::pass_times::PassTimes;
use crate::measuring::phase_messages::PhaseMessages;
use crate::measuring::real_time::RealTime;
use crate::measuring::recording::{KeptRun, StoreWriter};
use crate::measuring::requested::Measure;
use crate::measuring::snapshots::Snapshots;
use crate::measuring::stream_feeders::StreamFeeders;
use crate::measuring::throttle::HotRegions;
use crate::measuring::tracing::{MadeTrace, Tracer, TracingOptions};
use crate::measuring::unmeasured::UnmeasuredProcesses;
use crate::output::delivery;
use crate::output::report::{self, Report};
use crate::output::terminal::{self, Screen};
use crate::search::evaluation::CodeSearchChoice;
use crate::search::inputs::SearchInputs;
use crate::search::phases::{self, Schedule};
use crate::search::storage::StorageOptions;

/// A daemon and a search, and what passes between them.
#[derive(Debug)]
pub(crate) struct Watch {
    live: Live<Daemon, RealTime>,
    pub(crate) searches: Searches,
    pub(crate) shown: Shown,
    schedule: Schedule,
    pub(crate) throttle: HotRegions,
    pub(crate) unmeasured: UnmeasuredProcesses,
    pub(crate) cost_limit: f64,
    /// From whyperf's own begin to that of the program.
    pub(crate) start: Duration,
    /// Whether times are without what measuring cost.
    pub(crate) compensates: bool,
    pub(crate) measure: Measure,
    /// What leads the search.
    pub(crate) inputs: SearchInputs,
    /// What the user leaves out.
    pub(crate) left_out: Option<LeftOut>,
    /// The time of all threads, of which the profile shows shares.
    wall: PairId,
    /// What measuring costs.
    cost: PairId,
    begin: Instant,
    pass_times: PassTimes,
    width: Duration,
    /// Checks the cost by the program itself, if that is asked for.
    cost_check: Option<CostCheck>,
    /// Records events, if that is asked for.
    tracer: Option<Tracer>,
    /// Keeps the profile every so often, if that is asked for.
    pub(crate) snapshots: Option<Snapshots>,
    /// Removed when all else is gone.
    directory: RunDirectory,
}

/// What was shown and kept of a search so far.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// What each rank had done when each phase began.
    efforts: Vec<Vec<Effort>>,
    messages: PhaseMessages,
    /// More phases came than are kept apart.
    pub(crate) has_more_phases: bool,
    /// How often the cost held the search back.
    pub(crate) held_back: usize,
    /// Keeps the run, unless that is not wanted.
    writer: Option<StoreWriter>,
    /// Shows the run in a browser, if that is wanted.
    view: Option<LiveView>,
    /// Where the run was kept, once it is.
    kept: Option<KeptRun>,
    said: BTreeSet<String>,
    /// Whether each step is told, or only what is new to a reader.
    details: bool,
}

impl Watch {
    /// Begins to watch a run directory that is still empty.
    pub(crate) fn begin(directory: RunDirectory, options: &MeasuringOptions) -> Result<Self> {
        let begin = Instant::now();
        let width = Duration::from_millis(options.sample);
        let left_out = LeftOut::of(options.filter.as_ref(), options.storage.program.clone())
            .map_err(anyhow::Error::msg)?;
        let settings = DaemonSettings {
            width: Nanos::from_millis(options.sample),
            compensates: !options.no_compensation,
            functions: options.code_search != CodeSearchChoice::None,
            modules: options.code_search == CodeSearchChoice::Module,
            cost_limit: options.cost_limit,
            records: !options.storage.no_store,
            counters: options.counters().map_err(anyhow::Error::msg)?,
            filter: left_out.as_ref().map(|left_out| left_out.filter().clone()),
            ..DaemonSettings::new(Moment::now())
        };
        let mut daemon = Daemon::open(directory.path(), settings).context("starting to measure")?;
        let pairs = options.pairs().map_err(anyhow::Error::msg)?;
        let measure = Measure::start(&pairs, &mut daemon);
        let hypotheses = options.hypotheses().map_err(anyhow::Error::msg)?;
        let mut inputs = SearchInputs::of(&options.storage, &options.evaluation, &hypotheses);
        left_out.iter().for_each(|left_out| inputs.leave_out(left_out.filter()));
        let (limit, code_search) = (options.cost_limit, options.code_search);
        let settings =
            options.evaluation.settings(limit, code_search, inputs.dwell_time.verdicts());
        let searches = if options.no_search {
            Searches::new(Hypotheses::none(), settings, DirectivesInForce::default())
        } else {
            Searches::new(hypotheses, settings, inputs.in_force.clone())
        };
        let pace = RealTime { hides_phases: options.phasing.no_phases, ..RealTime::default() };
        let [wall, cost] = [Metric::Wall, Metric::ObservedCost]
            .map(|metric| daemon.start(metric, &Focus::whole_program()));
        let (mut searches, mut live) = (searches, Live::new(daemon, pace));
        // Before the first sampling pass: a program may be over with the second.
        while let Some(request) = searches.poll_request() {
            live.carry_out(request);
        }
        Ok(Self {
            wall,
            cost,
            live,
            searches,
            shown: Shown { details: options.details, ..Shown::default() },
            schedule: Schedule::of(&options.phasing),
            throttle: HotRegions::default(),
            unmeasured: UnmeasuredProcesses::default(),
            cost_limit: options.cost_limit,
            start: Duration::ZERO,
            measure,
            inputs,
            left_out,
            compensates: !options.no_compensation,
            begin,
            pass_times: PassTimes::from(begin + width),
            width,
            cost_check: options.verify_cost.then(CostCheck::default),
            tracer: None,
            snapshots: None,
            directory,
        })
    }

    /// Keeps the run from now on.
    pub(crate) fn keep(&mut self, mut writer: StoreWriter) {
        self.live.keep_stopped();
        writer.keep_cost(self.cost);
        self.shown.writer = Some(writer);
    }

    /// Records events from now on.
    pub(crate) fn trace(
        &mut self,
        storage: &StorageOptions,
        options: &TracingOptions,
    ) -> Result<()> {
        let name = storage.application.as_deref().unwrap_or("unknown");
        self.tracer = Some(Tracer::begin(self.directory.path(), &storage.store, name, options)?);
        Ok(())
    }

    /// Makes the trace of the run, and adds to the report what that tells.
    pub(crate) fn make_trace(
        &mut self,
        report: &mut Report,
        screen: &mut Screen,
    ) -> Option<MadeTrace> {
        let made = self.tracer.take()?.finish(report);
        made.map_err(|error| {
            screen.warn(&format!("there is no trace: {}", delivery::words(&error)))
        })
        .ok()
    }

    /// Keeps it beside the store, under the name of the run.
    pub(crate) fn keep_trace(&self, made: Option<MadeTrace>, screen: &mut Screen) {
        let run = self.shown.kept.as_ref().map(|kept| kept.run.as_str());
        if let Some(Err(error)) = made.map(|made| made.keep(run)) {
            screen.warn(&format!("the trace is not kept: {}", delivery::words(&error)));
        }
    }

    /// Shows the run from now on.
    pub(crate) fn show(
        &mut self,
        run: &NewRun,
        events: Sender<WatchEvent>,
    ) -> Result<(Arc<ViewedRun>, CommandSender)> {
        let daemon = self.live.daemon_mut();
        let (view, run, commands) = LiveView::begin(run, &self.searches, daemon, events)?;
        self.shown.view = Some(view);
        Ok((run, commands))
    }

    /// Shows streams of other sources beside it.
    pub(crate) fn show_beside(&mut self, feeders: StreamFeeders) {
        if let Some(view) = &mut self.shown.view {
            view.show_beside(feeders);
        }
    }

    /// Whether the page should get the report as it stands.
    pub(crate) fn wants_report(&self) -> bool {
        self.shown.view.as_ref().is_some_and(LiveView::wants_report)
    }

    /// Gives it to the page.
    pub(crate) fn offer(&mut self, report: &Report) {
        if let Some(view) = &mut self.shown.view {
            view.offer(report.without_tables(), self.live.daemon());
        }
    }

    /// Whether the store should get the report as it stands.
    pub(crate) fn stores_report(&self) -> bool {
        self.shown.writer.as_ref().is_some_and(StoreWriter::wants_report)
    }

    /// Gives it to the store, which has one of a run that goes on, too.
    pub(crate) fn keep_report(&mut self, report: &Report) {
        if let Some(writer) = &mut self.shown.writer {
            writer.note_report(report);
        }
    }

    /// Carries out what the page asks for.
    pub(crate) fn obey(&mut self, screen: &mut Screen) {
        while let Some(request) = self.shown.view.as_ref().and_then(LiveView::next_command) {
            let Some(view) = &mut self.shown.view else { return };
            let command = request.command.clone();
            let asked = commands::carry_out(command, &mut self.searches, &mut self.live, view);
            let answer = asked.map(|asked| self.follow(asked, screen));
            request.answer(answer);
        }
    }

    fn follow(&mut self, asked: Asked, screen: &mut Screen) {
        match asked {
            Asked::Nothing => {}
            Asked::Pause => self.pause_or_go_on(screen),
            Asked::Phase(name) => {
                let name = name.unwrap_or_else(|| self.schedule.next_name());
                self.live.announce(name);
                self.handle(screen);
            }
            Asked::Directed(directive) => {
                if let Some(view) = &mut self.shown.view {
                    view.note_directive(&directive);
                }
                self.handle(screen);
            }
            Asked::Done(what) => {
                let now = self.daemon().now();
                Onlooker { shown: &mut self.shown, screen }.tell_moment(&what, now);
                self.handle(screen);
            }
        }
    }

    /// Where measured processes leave their regions.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// When the next sample is due.
    pub(crate) fn next_sample(&self) -> Instant {
        let pass = self.pass_times.next();
        self.cost_check.as_ref().map_or(pass, |check| check.next(pass))
    }

    /// Whether measuring is off, to see how fast the program is without: nothing else is to be done meanwhile.
    pub(crate) fn is_off(&self) -> bool {
        self.cost_check.as_ref().is_some_and(CostCheck::is_off)
    }

    /// What the program itself says of the cost, if it was asked.
    pub(crate) fn checked_cost(&self) -> Option<CheckedCost> {
        self.cost_check.as_ref().map(CostCheck::found)
    }

    /// Whether a measured process still runs.
    pub(crate) fn has_living(&self) -> bool {
        self.daemon().counts().running > 0
    }

    /// By how much each pair that was asked for by name may be off, where counters tell it.
    pub(crate) fn errors(&mut self) -> Vec<Option<f64>> {
        self.measure.errors(self.live.daemon_mut())
    }

    /// What measures.
    pub(crate) fn daemon(&self) -> &Daemon {
        self.live.daemon()
    }

    /// Looks at all processes and lets the search draw its conclusions.
    pub(crate) fn sample(&mut self, screen: &mut Screen) {
        let (pass, interval) = (self.pass_times.next(), self.interval());
        if let Some(check) = &mut self.cost_check
            && check.turn(self.live.daemon_mut(), pass, interval) == Turn::Wait
        {
            return;
        }
        self.go_on(screen);
        if self.schedule.is_due(self.begin.elapsed()) {
            self.begin_unnamed(screen);
        }
        let daemon = self.live.daemon();
        self.unmeasured.look_if_due(|pid| daemon.measures(pid), daemon.unmade());
        for note in self.throttle.cool(self.live.daemon_mut(), self.cost_limit) {
            screen.say(&format!(
                "{} {note}\n",
                screen.output_style.paint("whyperf", terminal::FAINT)
            ));
        }
        if let Some(writer) = &mut self.shown.writer {
            writer.write_if_due(&self.searches, &mut self.live);
        }
        if let Some(snapshots) = &mut self.snapshots {
            snapshots.take_if_due(self.live.daemon());
        }
        if let Some(view) = &mut self.shown.view {
            view.tell_if_due(&self.searches, &self.live);
        }
        screen.status(&self.status());
        let now = Instant::now();
        self.pass_times.passed(now, self.interval());
        if let Some(check) = &mut self.cost_check {
            check.passed(self.live.daemon_mut(), interval);
        }
        if self.daemon().is_awaited() && self.begin.elapsed() < AWAITED {
            self.pass_times.hurry(now + SOON);
        }
    }

    /// Begins a phase without a name of the user's.
    pub(crate) fn begin_unnamed(&mut self, screen: &mut Screen) {
        self.live.announce(self.schedule.next_name());
        self.handle(screen);
    }

    /// Pauses the search, or lets it go on.
    pub(crate) fn pause_or_go_on(&mut self, screen: &mut Screen) {
        let now = self.daemon().now();
        let said = if self.searches.is_paused() {
            self.searches.unpause(now);
            "the search goes on"
        } else {
            self.searches.pause(now);
            "the search pauses; what is measured is measured on"
        };
        Onlooker { shown: &mut self.shown, screen }.tell_moment(said, now);
        self.handle(screen);
    }

    /// How well the ranks used the time of each phase, in their order.
    pub(crate) fn efficiencies_of_phases(&self) -> Vec<Option<Efficiency>> {
        phases::efficiencies(&self.shown.efforts, &self.daemon().efforts())
    }

    /// What ranks sent to each other in each phase, in their order, with so many messages in the run.
    pub(crate) fn messages_of_phases(&self, now: &MessageTable) -> Vec<MessageTable> {
        self.shown.messages.until(now)
    }

    /// Asks all processes to restore their code within this time and to go on without us. No sample is taken from
    /// here on.
    pub(crate) fn leave(&mut self, patience: Duration) {
        if let Some(check) = &mut self.cost_check {
            check.end_run(self.live.daemon_mut());
        }
        self.live.daemon_mut().leave(patience);
    }

    /// Whether all of them have.
    pub(crate) fn is_left(&mut self) -> bool {
        self.live.daemon_mut().is_left()
    }

    /// Names what was not restored; how much that is.
    pub(crate) fn name_what_stays(&self, screen: &mut Screen) -> usize {
        let (unrestored, silent) = (self.daemon().unrestored(), self.daemon().silent());
        for Unrestored { pid, function, address, reason } in &unrestored {
            screen.warn(&format!(
                "process {pid}: the code of {function} at {address:#x} is not restored: {reason}; it works on, unmeasured"
            ));
        }
        for pid in &silent {
            screen.warn(&format!("process {pid} did not answer in time; is it stopped? It leaves by itself when it can"));
        }
        let copies = self.daemon().changed_copies();
        for ChangedCopy { pid, places } in &copies {
            screen.warn(&format!(
                "process {pid} is a forked copy whose code is changed at {places} places; they are switched off, and it works on, unmeasured"
            ));
        }
        unrestored.len() + silent.len() + copies.len()
    }

    /// Seconds that all threads together were measured.
    pub(crate) fn thread_time(&self) -> f64 {
        let amount = self.daemon().histogram(self.wall).map_or(0, |wall| wall.whole().amount);
        (Nanos(u64::try_from(amount).unwrap_or(0)) + self.daemon().delegated()).as_secs_f64()
    }

    /// Why ranks waited, for each of these pairs of waiting.
    pub(crate) fn wait_causes(&mut self, pairs: &[Pair]) -> Vec<Vec<CausedWait>> {
        self.live.daemon_mut().wait_causes(pairs)
    }

    /// Looks a last time, and ends the search.
    pub(crate) fn end(&mut self, screen: &mut Screen) {
        self.live.pace_mut().is_over = true;
        self.go_on(screen);
    }

    /// Ends the run in the store. A run of which nothing was measured is not worth keeping.
    pub(crate) fn close_stored_run(&mut self, report: &mut Report, screen: &mut Screen) {
        let Some(writer) = self.shown.writer.take().filter(|_| report.processes > 0) else {
            return;
        };
        match writer.finish(&self.searches, &mut self.live, report) {
            Ok(kept) => {
                report.run = Some(kept.run.to_string());
                if let Some(elsewhere) = &kept.elsewhere {
                    screen.warn(elsewhere);
                }
                self.shown.kept = Some(kept);
            }
            Err(error) => screen.warn(&format!("the run is not kept: {}", delivery::words(&error))),
        }
    }

    /// Gives the page all that is left of a run that is over.
    pub(crate) fn close_view(&mut self, report: &Report) {
        if let Some(view) = self.shown.view.take() {
            let found = (report.without_tables(), report.exit_status);
            let kept = self.shown.kept.take().map(|kept| (kept.store, kept.run));
            view.finish(&self.searches, &self.live, found, kept);
        }
    }

    /// Keeps the report as it is printed. Where that fails, the one that was kept lacks a moment of the cost, and nothing else.
    pub(crate) fn amend_stored_run(&self, report: &Report) {
        if let Some(kept) = &self.shown.kept {
            let _ = kept.amend(report);
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
        width.max(Duration::from_nanos(self.daemon().interval().0))
    }

    /// Takes a sample, or the last one, and lets the search draw its conclusions.
    fn go_on(&mut self, screen: &mut Screen) {
        self.live.advance();
        if let Some(mut pass) = self.live.pace_mut().seen.take() {
            let mut onlooker = Onlooker { shown: &mut self.shown, screen };
            pass.complaints.iter().for_each(|complaint| onlooker.complain(complaint));
            if let Some(view) = &mut self.shown.view {
                view.note(&pass, self.live.daemon_mut());
            }
            if let Some(writer) = &mut self.shown.writer {
                writer.note(&mut pass);
            }
        }
        self.handle(screen);
    }

    /// Handles what has come, and carries out what the search requests.
    fn handle(&mut self, screen: &mut Screen) {
        let mut onlooker = Onlooker { shown: &mut self.shown, screen };
        drive_moment(&mut self.searches, &mut self.live, &mut onlooker);
    }

    fn status(&self) -> String {
        let status = self.searches.global().status();
        let counts = self.daemon().counts();
        format!(
            "whyperf {:>6.1} s  {}  {} measured, {} waiting  cost {}  {}",
            self.begin.elapsed().as_secs_f64(),
            report::counted(counts.running, "process", "processes"),
            report::counted(status.measured, "pair", "pairs"),
            status.waiting,
            report::share(self.daemon().cost().now),
            report::counted(status.counts.found, "bottleneck", "bottlenecks"),
        )
    }
}

/// Shows a search while it is driven.
struct Onlooker<'run> {
    shown: &'run mut Shown,
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
            if !std::mem::replace(&mut self.shown.has_more_phases, true) {
                self.tell_moment("no more phases are told apart", *now);
            }
            return;
        }
        self.shown.efforts.push(live.daemon().efforts());
        self.shown.messages.begin(live.daemon().messages());
        if let Some(writer) = &mut self.shown.writer {
            writer.note_phase(*now, name);
        }
        let shown = terminal::phase_name(name, self.screen.output_style);
        self.tell_moment(&format!("phase {shown} begins"), *now);
    }

    fn step(&mut self, scope: SearchScope, step: &Step) {
        // What is so in a phase is in the report: mostly it is so in the whole run, too.
        if scope == SearchScope::Current {
            return;
        }
        if let Some(writer) = &mut self.shown.writer {
            writer.step(step);
        }
        if let Some(view) = &mut self.shown.view {
            view.step(step);
        }
        if let Some(line) = self.line(step) {
            self.screen.say(&line);
        }
    }
}

impl Onlooker<'_> {
    fn tell_moment(&mut self, what: &str, now: Time) {
        let name = self.screen.output_style.paint("whyperf", terminal::FAINT);
        self.screen.say(&format!("{name} {:>6.2} s  {what}\n", now.as_secs_f64()));
        if let Some(writer) = &mut self.shown.writer {
            writer.note_moment(now, what);
        }
        if let Some(view) = &mut self.shown.view {
            view.note_moment(now, what);
        }
    }

    /// What a user wants to hear at once: what was found, what is no longer so, and when the search waits.
    fn line(&mut self, step: &Step) -> Option<String> {
        let name = self.screen.output_style.paint("whyperf", terminal::FAINT);
        let seconds = step.time.as_secs_f64();
        match &step.happening {
            Happening::Concluded(conclusion) if self.shown.details => {
                report::conclusion(conclusion, seconds, self.screen.output_style)
            }
            directed @ Happening::Directed { .. } => {
                Some(format!("{name} {seconds:>6.2} s  {directed}\n"))
            }
            Happening::Concluded(conclusion) => {
                let news = report::news(conclusion, self.screen.output_style)?;
                let is_new = self.shown.said.insert(news.fact);
                is_new.then(|| format!("{name} {seconds:>6.2} s  {}\n", news.words))
            }
            // Said once; the report says how often. With nothing waiting it makes no difference.
            Happening::HeldBack { cost, limit, waiting } if *waiting > 0 => {
                self.shown.held_back += 1;
                (self.shown.held_back == 1).then(|| {
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
    fn complain(&mut self, complaint: &Complaint) {
        let more = match complaint {
            Complaint::Directory(_) => "; processes seen so far stay measured, new ones are not",
            _ => "",
        };
        let text = format!("{complaint}{more}");
        if self.shown.said.insert(text.clone()) {
            self.screen.warn(&text);
        }
    }
}

/// Until the next look when a process waits for something to be switched on, and for how long the first
/// process is awaited so.
const SOON: Duration = Duration::from_millis(3);
const AWAITED: Duration = Duration::from_secs(10);
