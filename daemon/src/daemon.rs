//! The daemon of one machine: each sampling pass takes the time and answers what is new.

use std::collections::BTreeMap;
use std::iter::successors;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use whyperf_inject::{Stat, process_elsewhere};
use whyperf_instrument::{Instrumenter, Objects, PairOrigin};
use whyperf_layout::RegionState;
use whyperf_model::matching::{Active, IntervalRecorder, PairId, ResourceId};
use whyperf_model::{
    CodeFilter, Counter, Effort, Focus, Hierarchy, Histogram, Interval, Metric, Nanos, Resource,
    Scale, Time, TimeDivision,
};

use crate::clock::{Calibration, Moment};
use crate::cost::{CostMeter, ObservedCost, ProcessCost, RunLosses};
use crate::counted_state::CountedState;
use crate::discovery::{Discovery, UnmadeProcess};
use crate::ending::ProcessEnd;
use crate::error::Error;
use crate::group_coverage::{GroupCoverage, IntervalEnd};
use crate::pausing::Pausing;
use crate::phases::Phases;
use crate::pipe_peers::{AskedPipe, PipeAnswer, PipePeers};
use crate::process::{Descent, PassContext, PassOutcome, Process};
use crate::processors::TakenShares;
use crate::ready_looks;
use crate::region::RegionMemory;
use crate::sampling_pass::{Complaint, ProcessNote, SamplingPass};
use crate::shared_state::SharedState;
use crate::succession::Succession;
use crate::symbols::{SymbolAnswer, Symbols};
use crate::thread_counters::Earlier;

/// How the daemon works.
#[derive(Clone, Debug, PartialEq)]
pub struct DaemonSettings {
    /// The run's time zero.
    pub zero: Moment,
    /// Name of this machine.
    pub host: String,
    /// Every so many passes all nodes are read, whatever their stamps say.
    pub thorough_every: u64,
    /// Bins of a pair's histogram.
    pub bins: usize,
    /// Width of a bin at first; also the sampling interval to begin with.
    pub width: Nanos,
    /// Whether the cost of events is taken off the times that hold it.
    pub compensates: bool,
    /// Whether functions are switched on for whatever needs them, or only for what a user named.
    pub functions: bool,
    /// Whether the modules of programs are told, and the functions of modules that a pair asks about.
    pub modules: bool,
    /// The share of the slowest process's time that measuring may take.
    pub cost_limit: f64,
    /// Whether passes bring interval records.
    pub records: bool,
    /// What the kernel or the processor is to count of each thread, as far as this machine has it.
    pub counters: Vec<Counter>,
    /// What the user leaves out of measuring.
    pub filter: Option<Arc<CodeFilter>>,
}

impl DaemonSettings {
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
            counters: Vec::new(),
            filter: None,
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
    /// Threads that waited for work for a second or more and never got any.
    pub idle: usize,
}

/// The daemon.
#[derive(Debug)]
pub struct Daemon {
    pub(crate) settings: DaemonSettings,
    user: u32,
    directory: PathBuf,
    discovery: Discovery,
    calibration: Calibration,
    symbols: Symbols,
    pipe_peers: PipePeers,
    machine: ResourceId,
    pub(crate) state: SharedState,
    pub(crate) processes: Vec<Process>,
    cost_meter: CostMeter,
    /// For how long the machine ran when the daemon began, in the system's ticks.
    began: Duration,
    previous: Time,
    passes: u64,
    directory_failed: bool,
    unmade_told: bool,
    phases: Phases,
    /// Groups of processes in one of which this code is switched off, in this pass.
    unmeasured: Vec<(u32, Resource)>,
    pub(crate) instrumenter: Instrumenter,
    pub(crate) pausing: Pausing,
    /// Once all processes are being left: how long each may take.
    pub(crate) patience: Option<Nanos>,
}

impl Daemon {
    /// Begins to watch a run directory.
    ///
    /// # Errors
    /// When the directory cannot be read, or the thread that reads symbols cannot be started.
    pub fn open(directory: &Path, settings: DaemonSettings) -> Result<Self, Error> {
        std::fs::read_dir(directory)
            .map_err(|source| Error::ReadRunDirectory { path: directory.to_owned(), source })?;
        let objects = Arc::new(Objects::of_user());
        let recorder = settings.records.then(IntervalRecorder::default);
        let mut state = SharedState { recorder, ..SharedState::default() };
        let machine = Resource::root(Hierarchy::Machine).child(&settings.host);
        let mut instrumenter = Instrumenter::over(objects.clone(), settings.cost_limit);
        if let Some(filter) = &settings.filter {
            instrumenter.leave_out(filter.clone());
        }
        if settings.functions {
            instrumenter.sample_all();
        }
        if settings.modules {
            instrumenter.tell_modules();
        }
        state.counted = CountedState::of(&settings.counters, |counters| {
            instrumenter.counter_frequency(counters)
        });
        Ok(Self {
            user: rustix::process::getuid().as_raw(),
            directory: directory.to_owned(),
            discovery: Discovery::new(directory),
            calibration: Calibration::new(settings.zero),
            symbols: Symbols::start(objects.clone())?,
            pipe_peers: PipePeers::default(),
            machine: state.resources.id(&machine),
            state,
            processes: Vec::new(),
            cost_meter: CostMeter::default(),
            began: whyperf_inject::since_boot(),
            previous: Time::ZERO,
            passes: 0,
            directory_failed: false,
            unmade_told: false,
            phases: Phases::default(),
            unmeasured: Vec::new(),
            instrumenter,
            pausing: Pausing::default(),
            patience: None,
            settings,
        })
    }

    /// Makes a sampling pass: looks at all processes. It covers the time since the pass before.
    pub fn sample(&mut self, now: Moment) -> SamplingPass {
        self.calibration.see(now);
        self.passes += 1;
        let thorough = self.passes.is_multiple_of(self.settings.thorough_every.max(1));
        // A pair that a user named counts every call, also one whose source location was asked for just now.
        let is_named = self.instrumenter.is_asked_by_name();
        let complaints = if is_named { self.look_ahead(now) } else { Vec::new() };
        let mut pass = self.pass(now, thorough);
        pass.complaints.splice(0..0, complaints);
        self.record(&mut pass);
        pass
    }

    /// Finds out what there is, so that what was never read before counts to the functions it was called in.
    fn look_ahead(&mut self, now: Moment) -> Vec<Complaint> {
        let mut ahead = SamplingPass::default();
        self.discover(&mut ahead);
        for process in &mut self.processes {
            process.look_ahead(now, &mut self.state);
        }
        self.settle_places();
        ahead.complaints
    }

    /// The last pass: reads every node and waits for all places to be known.
    pub fn finish(&mut self, now: Moment) -> SamplingPass {
        self.calibration.see(now);
        let complaints = self.look_ahead(now);
        let mut pass = self.pass(now, true);
        self.leave_the_rest();
        pass.complaints.splice(0..0, complaints);
        self.settle_places();
        let changes = self.state.resources.take_changes();
        pass.placed.extend(self.placed(&changes.appeared));
        pass.appeared.extend(changes.appeared);
        pass.retired.extend(changes.retired);
        pass.appeared.sort();
        pass.retired.sort();
        self.record(&mut pass);
        pass
    }

    /// Waits until the places of all call sites seen so far are known, or for a minute. Places found late change
    /// to which functions later growth counts, never earlier samples.
    pub fn settle_places(&mut self) {
        let end = Instant::now() + SETTLING;
        loop {
            self.ask_places();
            let answers = self.symbols.all_answers(end);
            if answers.is_empty() {
                return;
            }
            self.take_answers(answers);
        }
    }

    /// Begins to measure a metric at a focus.
    pub fn start(&mut self, metric: Metric, focus: &Focus) -> PairId {
        let pair = self.start_pair(metric, focus, PairOrigin::Search);
        if self.settings.functions && Counter::of(metric).is_none() {
            self.instrumenter.start(pair, metric, focus, PairOrigin::Search);
        }
        pair
    }

    /// The same for one that a user named: what it needs is switched on whatever the metric.
    pub fn start_by_name(&mut self, metric: Metric, focus: &Focus) -> PairId {
        let pair = self.start_pair(metric, focus, PairOrigin::User);
        // What is counted has its place by samples, whatever is switched on.
        if Counter::of(metric).is_none() {
            self.instrumenter.start(pair, metric, focus, PairOrigin::User);
        }
        pair
    }

    fn start_pair(&mut self, metric: Metric, focus: &Focus, origin: PairOrigin) -> PairId {
        let mut histogram = Histogram::new(self.settings.bins, self.settings.width);
        // Histograms that are compared fold together: a late one starts as wide as the others.
        while histogram.span(self.settings.bins.max(2) - 1).end < self.previous {
            histogram.fold();
        }
        let SharedState { classes, resources, matcher, .. } = &mut self.state;
        matcher.start((metric, focus), classes, resources, |group, resources| {
            let active = Active::new(metric, focus, group, histogram, resources);
            if origin == PairOrigin::User { active.by_name() } else { active }
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

    /// Every resource that ever was, also those that came and went between two passes and were never announced.
    pub fn resources(&self) -> impl Iterator<Item = &Resource> {
        self.state.resources.all_met()
    }

    /// What measuring costs.
    #[must_use]
    pub const fn cost(&self) -> ObservedCost {
        self.cost_meter.cost()
    }

    /// What whyperf's own threads took of the processors while these were busy; what the one that samples took is in [`cost`](Self::cost).
    #[must_use]
    pub fn taken_processors(&self) -> TakenShares {
        self.state.processors.taken()
    }

    /// Cost of events that was taken off the times of all threads so far.
    #[must_use]
    pub fn compensated(&self) -> Nanos {
        let of = |process: &Process| {
            let nodes = process.threads.iter().flat_map(|watched| &watched.thread.nodes);
            process.scale(self.scale()).nanos(nodes.map(|node| node.paid).sum())
        };
        Nanos(self.processes.iter().map(of).sum())
    }

    /// What had to be skipped so far.
    #[must_use]
    pub fn losses(&self) -> RunLosses {
        let mut sum = RunLosses::default();
        self.processes.iter().for_each(|process| sum.add(&process.losses));
        sum
    }

    /// How much there is.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let threads = || self.processes.iter().flat_map(|process| &process.threads);
        Counts {
            idle: threads().filter(|watched| watched.idle() >= Nanos::from_secs(1)).count(),
            processes: self.processes.len(),
            threads: threads().count(),
            ranks: self.processes.iter().filter(|process| process.rank.is_some()).count(),
            hosts: usize::from(!self.processes.is_empty()),
            running: self.running(),
        }
    }

    /// The time of all threads that counts for nobody: in which they waited for others to end, or for work that never came.
    #[must_use]
    pub fn delegated(&self) -> Nanos {
        let threads = self.processes.iter().flat_map(|process| &process.threads);
        threads.fold(Nanos::ZERO, |sum, watched| sum + watched.delegated())
    }

    /// How the threads of each process spent their time so far, by the name of the process.
    #[must_use]
    pub fn time_divisions(&self) -> BTreeMap<String, TimeDivision> {
        let SharedState { classes, resources, run_totals, .. } = &self.state;
        let divisions = run_totals.divisions(classes, resources);
        let named = divisions
            .into_iter()
            .map(|(process, division)| (resources.resource(process).name().to_owned(), division));
        named.collect()
    }

    /// Processors that whatever is measured may run on.
    #[must_use]
    pub fn processors(&self) -> usize {
        self.state.processors.allowed()
    }

    /// Whether a process is measured now: one that became another program may be so no longer.
    #[must_use]
    pub fn measures(&self, pid: u32) -> bool {
        self.processes.iter().any(|process| process.pid == pid && process.stage.region().is_some())
    }

    /// What each process did as a rank so far, in the order in which they were found.
    #[must_use]
    pub fn efforts(&self) -> Vec<Effort> {
        self.processes.iter().map(|process| process.efficiency.effort).collect()
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
        self.cost_meter.least_interval(self.settings.cost_limit).clamp(width, most)
    }

    /// The end of the interval of the pass before.
    #[must_use]
    pub const fn now(&self) -> Time {
        self.previous
    }

    pub(crate) const fn scale(&self) -> Scale {
        self.calibration.scale()
    }

    fn pass(&mut self, now: Moment, thorough: bool) -> SamplingPass {
        let end = Time(Nanos(now.nanos.saturating_sub(self.settings.zero.nanos)));
        let interval = Interval::new(self.previous, end);
        self.previous = interval.end;
        let mut pass = SamplingPass { interval, ..SamplingPass::default() };
        ready_looks::look(&mut self.processes, now, &self.state);
        self.discover(&mut pass);
        let answers = self.symbols.answers();
        self.take_answers(answers);
        self.take_pipe_answers();
        self.instrumenter.begin_pass();
        let compensates = self.settings.compensates;
        let scale = self.calibration.scale();
        let beside = self.state.processors.taken().all();
        let context = PassContext { now, scale, thorough, compensates, beside };
        let coverage = self.read_processes(context, &mut pass);
        pass.phase = self.new_phase();
        self.ask_places();
        self.instrumenter.end_pass();
        let Self { state, processes, instrumenter, unmeasured, .. } = self;
        let end = IntervalEnd { state, processes, instrumenter, unmeasured };
        end.close(&coverage, &mut pass);
        self.tell_of_functions(&mut pass);
        let changes = self.state.resources.take_changes();
        pass.placed = self.placed(&changes.appeared);
        (pass.appeared, pass.retired) = (changes.appeared, changes.retired);
        pass
    }

    pub(crate) fn discover(&mut self, pass: &mut SamplingPass) {
        let found = match self.discovery.look() {
            Ok(found) => found,
            Err(source) => {
                let path = self.directory.clone();
                if !std::mem::replace(&mut self.directory_failed, true) {
                    let error = Error::ReadRunDirectory { path, source };
                    pass.complaints.push(Complaint::Directory(error));
                }
                return;
            }
        };
        self.tell_unmade(pass);
        for path in found {
            match RegionMemory::open(&path, self.user) {
                Ok(None) => {}
                Ok(Some(region)) => {
                    self.discovery.taken(&path);
                    self.admit(region);
                }
                Err(error) => {
                    self.discovery.taken(&path);
                    pass.complaints.push(Complaint::Region(error));
                }
            }
        }
    }

    /// Complains of the first process without a region; how many there are is for the end.
    fn tell_unmade(&mut self, pass: &mut SamplingPass) {
        let Some(first) = self.discovery.unmade.first() else { return };
        if !std::mem::replace(&mut self.unmade_told, true) {
            pass.complaints.push(Complaint::Unmade(first.clone()));
        }
    }

    /// Processes that were to be measured and have no region.
    #[must_use]
    pub fn unmade(&self) -> &[UnmadeProcess] {
        &self.discovery.unmade
    }

    fn admit(&mut self, region: RegionMemory) {
        let header = region.header();
        let [stated, parent, forked] = [&header.pid, &header.parent_pid, &header.forked]
            .map(|word| word.load(std::sync::atomic::Ordering::Relaxed));
        let pid = seen_number(stated, &region);
        for older in self.processes.iter_mut().filter(|process| process.pid == pid) {
            older.succession = Succession::Found;
        }
        let number = u32::try_from(self.processes.len()).unwrap_or(u32::MAX);
        self.symbols.watch(number, pid, region.program());
        self.instrumenter.watch(number, pid);
        let (ending, place) = (ProcessEnd::of(pid), (self.machine, self.descent(parent)));
        let mut process = Process::new(number, pid, region, ending, place, &mut self.state);
        process.earlier = self.earlier(pid);
        let elsewhere = pid != stated;
        let is_parent =
            |other: &Process| other.own_pid == parent && elsewhere == (other.pid != other.own_pid);
        let mut living = self.processes.iter().filter(|other| other.stage.region().is_some());
        process.started_by = living.find(|other| is_parent(other)).map(|other| other.pid);
        // A forked one has what its parent had, and may end before the next look.
        let parent = (0u32..).zip(&self.processes).filter(|(_, other)| is_parent(other)).last();
        if let Some((parent, other)) = parent.filter(|_| forked == 1) {
            process.catalogue.inherit_functions(&other.catalogue);
            self.instrumenter.inherit(number, parent);
        }
        self.processes.push(process);
    }

    /// Whether a process may be a rank whose parent has this number: the nearest process above it that is measured says so. Between the two may be shells,
    /// which are not measured where they become another program.
    fn descent(&self, parent: u32) -> Descent {
        let above = successors(Some(parent), |pid| Stat::of(*pid).map(|stat| stat.parent));
        let measured = above.take(GENERATIONS).find_map(|pid| {
            let mut living = self.processes.iter().filter(|other| other.stage.region().is_some());
            living.find(|other| other.pid == pid)
        });
        measured.map_or(Descent::Independent, Process::descent_of_child)
    }

    /// Whether what the system counted of a process until now belongs to the run: it began in it, and was not measured before as another
    /// program.
    fn earlier(&self, pid: u32) -> Earlier {
        let is_known = self.processes.iter().any(|process| process.pid == pid);
        let began = Stat::of(pid).map(|stat| stat.since_boot());
        let is_of_run = began.is_some_and(|began| began >= self.began);
        if is_of_run && !is_known { Earlier::Counts } else { Earlier::DoesNot }
    }

    /// How many processes are measured now.
    fn running(&self) -> usize {
        self.processes.iter().filter(|process| process.stage.region().is_some()).count()
    }

    fn read_processes(
        &mut self,
        context: PassContext,
        pass: &mut SamplingPass,
    ) -> Vec<GroupCoverage> {
        let mut coverage = vec![GroupCoverage::default(); self.state.matcher.group_count()];
        // Where processors are idle it is taken from nobody; else it may all be taken from one process, and who waits for that pays, too.
        let own = self.cost_meter.own_share().scaled(self.state.processors.saturation());
        let mut dearest = ProcessCost::default();
        self.unmeasured.clear();
        self.state.begin_pass(context.now.nanos);
        let within = Nanos(self.interval().0.saturating_mul(LATE));
        for (number, process) in (0..).zip(&mut self.processes) {
            let Some(region) = process.stage.region() else { continue };
            self.state.enter(number);
            let path = region.path().to_owned();
            pass.switched.extend(process.converse(within));
            let instrumenter = &mut self.instrumenter;
            let before = instrumenter.tells_apart(number).then(|| {
                self.state.matcher.settle_so_far(&self.state.classes);
                instrumenter.amounts(&self.state.matcher)
            });
            let is_new = process.stage.begin_pass();
            let (samples, lost) = instrumenter.take_counted(number);
            self.state.counted.lost += lost;
            let outcome = process.pass(context, samples, &mut self.state);
            process.open_counters(number, instrumenter, &mut self.state);
            process.cost.sampling += own;
            serve(process, number, context, instrumenter, &mut self.state);
            if let Some(before) = before {
                self.state.matcher.settle_so_far(&self.state.classes);
                let interval = process.interval(pass.interval.length());
                instrumenter.record_interval(&before, interval, &mut self.state.matcher);
            }
            let note = process.note();
            if is_new {
                pass.started.push(note.clone());
            }
            if outcome == PassOutcome::Damaged {
                let (path, process) = (path.clone(), note.clone());
                pass.complaints.push(Complaint::Damaged { path, process });
            }
            if outcome == PassOutcome::Ended {
                self.discovery.done(&path);
            }
            if outcome != PassOutcome::Running {
                pass.ended.push(note);
            }
            dearest = dearest.dearer(process.cost);
            for code in process.catalogue.code_switched_off() {
                let groups = process.groups.iter().map(|group| (*group, code.clone()));
                self.unmeasured.extend(groups);
            }
            let reports = self.state.note(!process.paused && outcome != PassOutcome::Damaged);
            for group in &process.groups {
                coverage[*group as usize].count(reports, process.cost.all());
            }
        }

        // What it costs is what it costs while it is on.
        if !self.pausing.passed(&self.processes) {
            self.cost_meter.interval(dearest, self.instrumenter.demand(), pass.interval.length());
        }
        self.settle();
        coverage
    }

    /// Ends the reading of a pass: what only all processes together tell belongs to its interval, too.
    fn settle(&mut self) {
        let waits = self.state.wait_causes.close();
        for wait in &waits {
            if let Some(process) = self.processes.get_mut(wait.number as usize) {
                process.tell_wait(wait, &mut self.state);
            }
        }
        self.state.matcher.settle(&self.state.classes);
    }

    /// The name of the phase that began since the last pass, if one did. Of several only the newest is known.
    fn new_phase(&mut self) -> Option<String> {
        let regions: Vec<Option<&RegionMemory>> =
            self.processes.iter().map(|process| process.stage.region()).collect();
        let announced: Vec<Option<u32>> =
            regions.iter().map(|region| region.map(RegionMemory::phase_count)).collect();
        let first = self.phases.look(&announced)?;
        regions[first].map(RegionMemory::newest_phase)
    }

    fn ask_places(&mut self) {
        for (number, process) in (0..).zip(&mut self.processes) {
            self.symbols.ask(number, process.catalogue.take_wanted());
            for pipe in process.catalogue.take_pipes() {
                self.pipe_peers.ask(AskedPipe { process: number, pid: process.pid, pipe });
            }
        }
    }

    fn take_answers(&mut self, answers: Vec<SymbolAnswer>) {
        let changed: Vec<u32> = answers.iter().map(|answer| answer.process).collect();
        for SymbolAnswer { process, wanted, place } in answers {
            let place: Option<Arc<_>> = place;
            if let Some(process) = self.processes.get_mut(process as usize) {
                process.catalogue.answer(wanted, place);
            }
        }
        self.reclassify(changed);
    }

    fn take_pipe_answers(&mut self) {
        let mut changed = Vec::new();
        for PipeAnswer { process: number, pipe, peer } in self.pipe_peers.answers() {
            let process = self.processes.get_mut(number as usize);
            let running = process.filter(|process| process.stage.region().is_some());
            if let Some((process, peer)) = running.zip(peer) {
                process.catalogue.answer_pipe(pipe, peer);
                changed.push(number);
            }
        }
        self.reclassify(changed);
    }

    /// Of these processes something is called in another way than before.
    fn reclassify(&mut self, mut changed: Vec<u32>) {
        changed.sort_unstable();
        changed.dedup();
        for number in changed {
            if let Some(process) = self.processes.get_mut(number as usize) {
                process.reclassify(&mut self.state);
            }
        }
    }
}

/// So many processes above one are looked at.
const GENERATIONS: usize = 8;

/// The number by which the system calls a process here. One that has ended is not looked for: nobody has its region mapped any more.
fn seen_number(stated: u32, region: &RegionMemory) -> u32 {
    let elsewhere = (region.state() == RegionState::Running)
        .then(|| process_elsewhere(stated, &region.program_path(), region.path()));
    elsewhere.flatten().unwrap_or(stated)
}

/// How long the places of call sites are waited for: a large program's lines take seconds to read.
const SETTLING: Duration = Duration::from_secs(60);

/// Intervals between sampling passes are at most so many times as long as a bin of a histogram.
const SLOWEST: u64 = 4;

/// A sampling pass comes within so many intervals, or the daemon is in trouble.
const LATE: u64 = 4;

/// Hands on what reading a process told of functions, and the calls that no event told of.
fn serve(
    process: &mut Process,
    number: u32,
    context: PassContext,
    instrumenter: &mut Instrumenter,
    state: &mut SharedState,
) {
    process.settle_apart(number, state);
    process.serve_functions(number, context, instrumenter);
    if let Some(calls) = instrumenter.take_open_calls(number) {
        process.find_inside(&calls, state);
    }
    process.take_stack_samples(&instrumenter.take_stack_samples(number, process.ran));
    process.place_waits(number, instrumenter, &mut state.resources);
}

impl Process {
    fn note(&self) -> ProcessNote {
        let program = self.catalogue.program.clone();
        ProcessNote { pid: self.pid, rank: self.rank, program }
    }
}
