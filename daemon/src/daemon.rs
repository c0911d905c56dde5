//! The daemon of one node: takes time in, gives rounds out.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use whyperf_inject::Life;
use whyperf_instrument::{Instrumenter, Objects, Seat};
use whyperf_model::matching::{Active, IntervalRecorder, PairId, ResourceId};
use whyperf_model::{Focus, Hierarchy, Histogram, Interval, Metric, Nanos, Resource, Scale, Time};

use crate::attendance::Attendance;
use crate::clock::{Calibration, Moment};
use crate::cost::{Account, Cost, Losses};
use crate::discovery::Discovery;
use crate::error::Error;
use crate::phases::Phases;
use crate::process::{Outcome, Pass, Process, SharedState};
use crate::region::Region;
use crate::round::{Complaint, ProcessNote, Round};
use crate::symbols::{Answer, Symbols};

/// How the daemon works.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The run's time zero.
    pub zero: Moment,
    /// Name of this machine.
    pub host: String,
    /// Every so many rounds all nodes are read, whatever their stamps say.
    pub thorough_every: u64,
    /// Bins of a pair's histogram.
    pub bins: usize,
    /// Width of a bin at first; also the sampling interval to begin with.
    pub width: Nanos,
    /// Whether the cost of events is taken off the times that hold it.
    pub compensates: bool,
    /// Whether functions are switched on for whatever needs them, or only for what a user named.
    pub functions: bool,
    /// Whether the modules of programs are told, and the functions of modules that somebody asks about.
    pub modules: bool,
    /// The share of the slowest process's time that measuring may take.
    pub cost_limit: f64,
    /// Whether rounds bring interval records.
    pub records: bool,
}

impl Settings {
    /// The usual ones, for a run that begins at `zero` on this machine.
    #[must_use]
    pub fn new(zero: Moment) -> Self {
        Self {
            zero,
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            thorough_every: 20,
            bins: Histogram::DEFAULT_BINS,
            width: Histogram::DEFAULT_WIDTH,
            compensates: true,
            functions: false,
            modules: false,
            cost_limit: 0.05,
            records: false,
        }
    }
}

/// How much there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Processes measured so far.
    pub processes: usize,
    /// Threads measured so far.
    pub threads: usize,
    /// Processes with a rank.
    pub ranks: usize,
    /// Machines.
    pub hosts: usize,
    /// Processes running now.
    pub running: usize,
}

/// The daemon.
#[derive(Debug)]
pub struct Daemon {
    pub(crate) settings: Settings,
    user: u32,
    directory: PathBuf,
    discovery: Discovery,
    calibration: Calibration,
    symbols: Symbols,
    machine: ResourceId,
    pub(crate) state: SharedState,
    pub(crate) processes: Vec<Process>,
    account: Account,
    previous: Time,
    rounds: u64,
    directory_failed: bool,
    phases: Phases,
    /// Groups of processes in one of which this code is switched off, in this round.
    pub(crate) unmeasured: Vec<(u32, Resource)>,
    pub(crate) instrumenter: Instrumenter,
    /// Once all processes are being left: how long each may take.
    pub(crate) patience: Option<Nanos>,
}

impl Daemon {
    /// Begins to watch a run directory.
    ///
    /// # Errors
    /// When the directory cannot be read, or the thread that reads symbols cannot be started.
    pub fn open(directory: &Path, settings: Settings) -> Result<Self, Error> {
        std::fs::read_dir(directory)
            .map_err(|source| Error::ReadRunDirectory { path: directory.to_owned(), source })?;
        let objects = Arc::new(Objects::of_user());
        let recorder = settings.records.then(IntervalRecorder::default);
        let mut state = SharedState { recorder, ..SharedState::default() };
        let machine = Resource::root(Hierarchy::Machine).child(&settings.host);
        let mut instrumenter = Instrumenter::over(objects.clone(), settings.cost_limit);
        if settings.modules {
            instrumenter.tell_modules();
        }
        Ok(Self {
            user: rustix::process::getuid().as_raw(),
            directory: directory.to_owned(),
            discovery: Discovery::new(directory),
            calibration: Calibration::new(settings.zero),
            symbols: Symbols::start(objects.clone())?,
            machine: state.resources.id(&machine),
            state,
            processes: Vec::new(),
            account: Account::default(),
            previous: Time::ZERO,
            rounds: 0,
            directory_failed: false,
            phases: Phases::default(),
            unmeasured: Vec::new(),
            instrumenter,
            patience: None,
            settings,
        })
    }

    /// Looks at all processes. The round speaks of the time since the round before.
    pub fn sample(&mut self, now: Moment) -> Round {
        self.calibration.see(now);
        self.rounds += 1;
        let thorough = self.rounds.is_multiple_of(self.settings.thorough_every.max(1));
        // What a user named is told of every call, also of one whose place was asked for just now.
        let is_named = self.instrumenter.is_asked_by_name();
        let complaints = if is_named { self.look_ahead(now) } else { Vec::new() };
        let mut round = self.round(now, thorough);
        round.complaints.splice(0..0, complaints);
        self.record(&mut round);
        round
    }

    /// Finds out what there is, so that what was never read before counts to the functions it was called in.
    fn look_ahead(&mut self, now: Moment) -> Vec<Complaint> {
        let mut ahead = Round::default();
        self.discover(&mut ahead);
        for process in &mut self.processes {
            process.look_ahead(now, &mut self.state);
        }
        self.settle_places();
        ahead.complaints
    }

    /// The last round: reads every node and waits for all places to be known.
    pub fn finish(&mut self, now: Moment) -> Round {
        self.calibration.see(now);
        let complaints = self.look_ahead(now);
        let mut round = self.round(now, true);
        self.leave_the_rest();
        round.complaints.splice(0..0, complaints);
        self.settle_places();
        let changes = self.state.resources.take_changes();
        round.placed.extend(self.placed(&changes.appeared));
        round.appeared.extend(changes.appeared);
        round.retired.extend(changes.retired);
        round.appeared.sort();
        round.retired.sort();
        self.record(&mut round);
        round
    }

    /// Waits until the places of all call sites seen so far are known. Places found late change
    /// to which functions later growth counts, never earlier samples.
    pub fn settle_places(&mut self) {
        loop {
            self.ask_places();
            let answers = self.symbols.all_answers();
            if answers.is_empty() {
                return;
            }
            self.take_answers(answers);
        }
    }

    /// Begins to measure a metric at a focus.
    pub fn start(&mut self, metric: Metric, focus: &Focus) -> PairId {
        let pair = self.start_pair(metric, focus, false);
        if self.settings.functions {
            self.instrumenter.start(pair, metric, focus, false);
        }
        pair
    }

    /// The same for one that a user named: what it needs is switched on whatever the metric.
    pub fn start_by_name(&mut self, metric: Metric, focus: &Focus) -> PairId {
        let pair = self.start_pair(metric, focus, true);
        self.instrumenter.start(pair, metric, focus, true);
        pair
    }

    fn start_pair(&mut self, metric: Metric, focus: &Focus, by_name: bool) -> PairId {
        let mut histogram = Histogram::new(self.settings.bins, self.settings.width);
        // Histograms that are compared fold together: a late one starts as wide as the others.
        while histogram.span(self.settings.bins.max(2) - 1).end < self.previous {
            histogram.fold();
        }
        let SharedState { classes, resources, matcher, .. } = &mut self.state;
        matcher.start((metric, focus), classes, resources, |group, resources| {
            let active = Active::new(metric, focus, group, histogram, resources);
            if by_name { active.by_name() } else { active }
        })
    }

    /// Stops measuring a pair; its histogram so far, `None` when it had been stopped before.
    pub fn stop(&mut self, pair: PairId) -> Option<Histogram> {
        self.instrumenter.stop(pair);
        self.state.matcher.stop(pair).map(|active| active.histogram)
    }

    /// The histogram of a pair that is being measured.
    #[must_use]
    pub fn histogram(&self, pair: PairId) -> Option<&Histogram> {
        self.state.matcher.get(pair).map(|active| &active.histogram)
    }

    /// The metric and focus of a pair that is being measured.
    #[must_use]
    pub fn pair(&self, pair: PairId) -> Option<&whyperf_model::Pair> {
        self.state.matcher.get(pair).map(|active| &active.pair)
    }

    /// Every resource that ever was, also those that came and went between two rounds and were never announced.
    pub fn resources(&self) -> impl Iterator<Item = &Resource> {
        self.state.resources.all_met()
    }

    /// What measuring costs.
    #[must_use]
    pub const fn cost(&self) -> Cost {
        self.account.cost()
    }

    /// Cost of events that was taken off the times of all threads so far.
    #[must_use]
    pub fn compensated(&self) -> Nanos {
        let of = |process: &Process| {
            let nodes = process.members.iter().flat_map(|member| &member.thread.nodes);
            process.scale(self.scale()).nanos(nodes.map(|node| node.paid).sum())
        };
        Nanos(self.processes.iter().map(of).sum())
    }

    /// What had to be skipped so far.
    #[must_use]
    pub fn losses(&self) -> Losses {
        let mut sum = Losses::default();
        self.processes.iter().for_each(|process| sum.add(&process.losses));
        sum
    }

    /// How much there is.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts {
            processes: self.processes.len(),
            threads: self.processes.iter().map(|process| process.members.len()).sum(),
            ranks: self.processes.iter().filter(|process| process.rank.is_some()).count(),
            hosts: usize::from(!self.processes.is_empty()),
            running: self.processes.iter().filter(|process| process.region.is_some()).count(),
        }
    }

    /// How often to sample: as often as histograms have bins for, so less often in a long run, and where looking
    /// itself takes much of the limit.
    #[must_use]
    pub fn interval(&self) -> Nanos {
        let mut width = self.settings.width.max(Nanos(1));
        let bins = self.settings.bins.max(2) as u64;
        while width.0.saturating_mul(bins) <= self.previous.0.0 {
            width = width + width;
        }
        let most = Nanos(width.0.saturating_mul(SLOWEST));
        self.account.least_interval(self.settings.cost_limit).clamp(width, most)
    }

    /// The end of the interval of the round before.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.previous
    }

    pub(crate) const fn scale(&self) -> Scale {
        self.calibration.scale()
    }

    fn round(&mut self, now: Moment, thorough: bool) -> Round {
        let end = Time(Nanos(now.nanos.saturating_sub(self.settings.zero.nanos)));
        let interval = Interval::new(self.previous, end);
        self.previous = interval.end;
        let mut round = Round { interval, ..Round::default() };
        self.discover(&mut round);
        let answers = self.symbols.answers();
        self.take_answers(answers);
        self.instrumenter.begin_round();
        let compensates = self.settings.compensates;
        let pass = Pass { now, scale: self.calibration.scale(), thorough, compensates };
        let attendance = self.pass(pass, &mut round);
        round.phase = self.phases.news(&self.processes);
        self.ask_places();
        self.instrumenter.end_round();
        self.close_interval(&attendance, &mut round);
        self.tell_of_functions(&mut round);
        let changes = self.state.resources.take_changes();
        round.placed = self.placed(&changes.appeared);
        (round.appeared, round.retired) = (changes.appeared, changes.retired);
        round
    }

    pub(crate) fn discover(&mut self, round: &mut Round) {
        let found = match self.discovery.look() {
            Ok(found) => found,
            Err(source) => {
                let path = self.directory.clone();
                if !std::mem::replace(&mut self.directory_failed, true) {
                    let error = Error::ReadRunDirectory { path, source };
                    round.complaints.push(Complaint::Directory(error));
                }
                return;
            }
        };
        for path in found {
            match Region::open(&path, self.user) {
                Ok(None) => {}
                Ok(Some(region)) => {
                    self.discovery.taken(&path);
                    self.admit(region);
                }
                Err(error) => {
                    self.discovery.taken(&path);
                    round.complaints.push(Complaint::Region(error));
                }
            }
        }
    }

    fn admit(&mut self, region: Region) {
        let pid = region.header().pid.load(std::sync::atomic::Ordering::Relaxed);
        for older in self.processes.iter_mut().filter(|process| process.pid == pid) {
            older.superseded = true;
        }
        let number = u32::try_from(self.processes.len()).unwrap_or(u32::MAX);
        self.symbols.watch(number, pid, region.program());
        self.instrumenter.watch(number, pid);
        let parent = region.header().parent_pid.load(std::sync::atomic::Ordering::Relaxed);
        let mut process = Process::new(region, Life::of(pid), self.machine, &mut self.state);
        // A forked one has what its parent had, and may end before anybody looks again.
        let parent = (0u32..).zip(&self.processes).filter(|(_, other)| other.pid == parent).last();
        if let Some((parent, other)) = parent {
            process.catalogue.inherit_functions(&other.catalogue);
            self.instrumenter.inherit(number, parent);
        }
        self.processes.push(process);
    }

    fn pass(&mut self, pass: Pass, round: &mut Round) -> Vec<Attendance> {
        let mut attendance = vec![Attendance::default(); self.state.matcher.group_count()];
        let running = self.processes.iter().filter(|process| process.region.is_some()).count();
        let own = self.account.own_share();
        let share = Nanos(own.0 / running.max(1) as u64);
        let (mut dearest, mut functions) = (Nanos::ZERO, Nanos::ZERO);
        self.unmeasured.clear();
        let within = Nanos(self.interval().0.saturating_mul(LATE));
        for (number, process) in (0..).zip(&mut self.processes) {
            let Some(region) = &process.region else { continue };
            self.state.enter(number);
            let path = region.path().to_owned();
            round.switched.extend(process.converse(within));
            let instrumenter = &mut self.instrumenter;
            let before = instrumenter.tells_apart(number).then(|| {
                self.state.matcher.settle_so_far(&self.state.classes);
                instrumenter.amounts(&self.state.matcher)
            });
            let outcome = process.pass(pass, &mut self.state);
            process.cost += share;
            serve(process, number, pass, instrumenter, &mut self.state);
            if let Some(before) = before {
                self.state.matcher.settle_so_far(&self.state.classes);
                let (groups, length) = (&process.groups[..], round.interval.length());
                let is_held = process.is_held();
                let seat = Seat { number, groups, length, is_held };
                instrumenter.account(&before, seat, &mut self.state.matcher);
            }
            functions = functions.max(process.functions_cost);
            let note = process.note();
            if !std::mem::replace(&mut process.announced, true) {
                round.started.push(note.clone());
            }
            if outcome == Outcome::Damaged {
                let (path, process) = (path.clone(), note.clone());
                round.complaints.push(Complaint::Damaged { path, process });
            }
            if outcome == Outcome::Ended {
                self.discovery.done(&path);
            }
            if outcome != Outcome::Running {
                round.ended.push(note);
            }
            dearest = dearest.max(process.cost);
            for code in process.catalogue.code_switched_off() {
                let groups = process.groups.iter().map(|group| (*group, code.clone()));
                self.unmeasured.extend(groups);
            }
            let reports = self.state.note(!process.paused && outcome != Outcome::Damaged);
            for group in &process.groups {
                attendance[*group as usize].count(reports, process.cost);
            }
        }

        self.account.interval(dearest, self.instrumenter.demand(), round.interval.length());
        self.state.matcher.settle(&self.state.classes);
        attendance
    }

    fn ask_places(&mut self) {
        for (number, process) in (0..).zip(&mut self.processes) {
            self.symbols.ask(number, process.catalogue.take_wanted());
        }
    }

    fn take_answers(&mut self, answers: Vec<Answer>) {
        let mut changed: Vec<u32> = answers.iter().map(|answer| answer.process).collect();
        for Answer { process, wanted, place } in answers {
            let place: Option<Arc<_>> = place;
            if let Some(process) = self.processes.get_mut(process as usize) {
                process.catalogue.answer(wanted, place);
            }
        }
        changed.sort_unstable();
        changed.dedup();
        for number in changed {
            if let Some(process) = self.processes.get_mut(number as usize) {
                process.reclassify(&mut self.state);
            }
        }
    }
}

/// Rounds are at most so many times as long as a bin of a histogram.
const SLOWEST: u64 = 4;

/// A round comes within so many intervals, or the daemon is in trouble.
const LATE: u64 = 4;

/// Hands on what a pass told of functions, and the calls that no event told of.
fn serve(
    process: &mut Process,
    number: u32,
    pass: Pass,
    instrumenter: &mut Instrumenter,
    state: &mut SharedState,
) {
    process.settle_apart(number, state);
    process.serve_functions(number, pass, instrumenter);
    if let Some(calls) = instrumenter.take_open_calls(number) {
        process.find_inside(&calls, state);
    }
}

impl Process {
    fn note(&self) -> ProcessNote {
        let program = self.catalogue.program.clone();
        ProcessNote { pid: self.pid, rank: self.rank, program }
    }
}
