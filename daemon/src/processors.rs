//! Finds what used the processors while threads of the program waited for one.
//!
//! ```text
//!   a thread's run delay ─┬─ its control group had used up its quota      periods that were throttled, of all
//!                         ├─ the host had the processors                  stolen, of busy and stolen
//!                         ├─ processors were idle that it may not use     its mask, and what was idle outside of it
//!                         └─ they were busy ─┬─ with this program         what its other threads ran
//!                                            └─ with other programs       busy, less what all its threads ran
//! ```
//! The system says how long a thread waited, never what ran meanwhile. While the thread waits, all processors that it may
//! run on are busy: the delay is divided in the same proportions as the processors' time over the last fifth of a second or
//! more.

use std::collections::BTreeMap;
use std::fs;

use rustix::thread::{CpuSet, Pid, sched_getaffinity};
use rustix::time::{ClockId, clock_gettime};
use whyperf_model::{Category, Nanos};

use crate::control_group::{ControlGroups, Lack};
use crate::{own_threads, symbols};

/// How the processors of this machine were used.
#[derive(Debug)]
pub(crate) struct Processors {
    /// Those that whyperf itself may run on, and so whatever it started.
    allowed: Vec<usize>,
    control_groups: ControlGroups,
    last: Option<ProcessorTimes>,
    /// How many there were.
    readings: u64,
    /// What measured threads ran since the last reading, and for how long they could run.
    ran: Nanos,
    wanted: Nanos,
    /// What they ran in calls that wait, and for how long they had no processor, since then.
    polled: Nanos,
    delayed: Nanos,
    /// For how much of the polling somebody had no processor, before that.
    contention: f64,
    /// What threads ran that may not run everywhere, by where they may: since the last reading, and on how many processors at a time
    /// before that.
    confined: BTreeMap<Vec<usize>, Nanos>,
    confined_before: BTreeMap<Vec<usize>, f64>,
    /// Whether a thread had to wait since the last reading.
    is_wanted: bool,
    usage: Option<Usage>,
    taken: TakenTime,
}

/// What whyperf's own threads took from the program, but for the one that samples, whose cost is told with that of events.
#[derive(Clone, Copy, Debug, Default)]
struct TakenTime {
    /// Seconds that those which know code, and all others, ran while all processors were busy.
    analysis: f64,
    others: f64,
    /// Seconds meanwhile, and those of all processors.
    length: f64,
    of: f64,
}

/// What whyperf's own threads took while processors were busy, but for the one that samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TakenShares {
    /// Reading and decoding code, as a share of the time: it is taken from one processor, and others may wait for what that does.
    pub analysis: f64,
    /// Keeping and showing the run, the same.
    pub others: f64,
    /// Both, as a share of what all processors had.
    pub of_processors: f64,
}

impl TakenShares {
    /// All of it, as a share of the time.
    #[must_use]
    pub const fn all(self) -> f64 {
        self.analysis + self.others
    }
}

/// What the system counted until a moment.
#[derive(Clone, Debug)]
struct ProcessorTimes {
    at: u64,
    /// Processor time of whyperf itself, in nanoseconds, of that the time of its threads beside the one that samples, and of that the time
    /// of those that know code.
    own: u64,
    beside: u64,
    analysis: u64,
    each: Vec<ProcessorTime>,
}

/// Of one processor, in the system's ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ProcessorTime {
    busy: u64,
    idle: u64,
    stolen: u64,
}

/// Processors that were used between two readings.
#[derive(Clone, Debug, Default, PartialEq)]
struct Usage {
    /// By threads that are measured.
    measured: f64,
    /// By other programs.
    others: f64,
    /// By the host of a virtual machine, of what was used at all.
    stolen: f64,
    /// By number of the processor, the part of the time in which it was idle, and busy.
    idle: Vec<f64>,
    busy: Vec<f64>,
}

/// Parts of a run delay, by what is to blame.
pub(crate) type Causes = Vec<(Category, f64)>;

/// Time between two readings: where threads wait, and where none does.
const SHORT: u64 = 200_000_000;
const LONG: u64 = 2_000_000_000;
/// Processors outside of a mask are idle from this part of the time on.
const IDLE: f64 = 0.2;
/// The names of whyperf's threads that know code.
const ANALYSIS: [&str; 2] = [whyperf_instrument::WORKER, symbols::THREAD];
/// Fewer processors than these are none: clocks of the system tick coarsely.
const LITTLE: f64 = 0.02;

/// How many processors whyperf may run on, and so whatever it starts; 0 where the system does not say it.
#[must_use]
pub fn allowed_processors() -> usize {
    sched_getaffinity(None).map_or(0, |mask| numbers(&mask).len())
}

impl Default for Processors {
    fn default() -> Self {
        Self {
            allowed: numbers(&sched_getaffinity(None).unwrap_or_else(|_| CpuSet::new())),
            control_groups: ControlGroups::default(),
            last: None,
            readings: 0,
            ran: Nanos::ZERO,
            wanted: Nanos::ZERO,
            polled: Nanos::ZERO,
            delayed: Nanos::ZERO,
            contention: 0.0,
            confined: BTreeMap::new(),
            confined_before: BTreeMap::new(),
            is_wanted: false,
            usage: None,
            taken: TakenTime::default(),
        }
    }
}

impl Processors {
    /// How many whatever is measured may run on.
    pub(crate) fn allowed(&self) -> usize {
        self.allowed.len()
    }

    /// A process was met: in which groups it is, and what was counted of them before it had to wait.
    pub(crate) fn meet(&mut self, pid: u32) {
        self.control_groups.throttled(pid);
    }

    /// A pass begins at this moment of the monotonic clock.
    pub(crate) fn pass(&mut self, now: u64) {
        let pause = if self.is_wanted || self.usage.is_none() { SHORT } else { LONG };
        let is_due = self.last.as_ref().is_none_or(|last| now.saturating_sub(last.at) >= pause);
        if !is_due {
            return;
        }
        let Some(reading) = ProcessorTimes::now(now) else { return };
        self.readings += 1;
        let mut lack = Lack::default();
        if let Some(last) = self.last.replace(reading)
            && let Some(now) = &self.last
        {
            self.usage = Usage::between(&last, now, self.ran);
            let [ran, wanted] = [self.ran, self.wanted].map(|time| time.as_secs_f64());
            let length = Nanos(now.at.saturating_sub(last.at)).as_secs_f64();
            lack = Lack { wanted, delayed: (wanted - ran).max(0.0), length };
            let confined = std::mem::take(&mut self.confined).into_iter();
            let at_a_time = confined.map(|(on, ran)| (on, ran.as_secs_f64() / length.max(1e-9)));
            self.confined_before = at_a_time.collect();
            let idle = self.usage.as_ref().map_or(0.0, |usage| usage.idle_of(&self.allowed));
            self.taken.add(&last, now, self.allowed.len(), idle);
        }
        self.control_groups.read(now, lack);
        let idle = self.usage.as_ref().map_or(0.0, |usage| usage.idle_of(&self.allowed));
        self.contention = contention([self.polled, self.delayed], idle);
        (self.ran, self.wanted, self.is_wanted) = (Nanos::ZERO, Nanos::ZERO, false);
        (self.polled, self.delayed) = (Nanos::ZERO, Nanos::ZERO);
    }

    /// What whyperf's own threads took while processors were busy, but for the one that samples.
    pub(crate) fn taken(&self) -> TakenShares {
        let TakenTime { analysis, others, length, of } = self.taken;
        if of <= 0.0 {
            return TakenShares::default();
        }
        let of_processors = (analysis + others) / of;
        TakenShares { analysis: analysis / length, others: others / length, of_processors }
    }

    /// For what part of the time all processors were busy lately; all of it, where nothing is known yet.
    pub(crate) fn saturation(&self) -> f64 {
        1.0 - self.usage.as_ref().map_or(0.0, |usage| usage.idle_of(&self.allowed))
    }

    /// A measured thread that is confined to these processors ran so long, and could run and had no processor for so long.
    pub(crate) fn ran(&mut self, on: &[usize], time: Nanos, delayed: Nanos) {
        self.ran += time;
        self.wanted += time + delayed;
        if !on.is_empty() {
            *self.confined.entry(on.to_vec()).or_default() += time;
        }
    }

    /// A measured thread ran so long in calls that wait, and had no processor for so long: the part of the first in which others had none,
    /// as it was lately.
    pub(crate) fn contended(&mut self, polled: Nanos, delayed: Nanos) -> Nanos {
        self.polled += polled;
        self.delayed += delayed;
        self.is_wanted |= !polled.is_zero() && !delayed.is_zero();
        polled.scaled(self.contention)
    }

    /// The number of the last reading of what uses processors: until the next one nothing new is known of those that a thread may run on.
    pub(crate) const fn reading(&self) -> u64 {
        self.readings
    }

    /// The processors that a thread may run on, where those are not all; none where it is not known.
    pub(crate) fn confines(&self, tid: u32) -> Vec<usize> {
        let mask = i32::try_from(tid).ok().and_then(Pid::from_raw);
        let mask = mask.and_then(|tid| sched_getaffinity(Some(tid)).ok());
        let Some(mask) = mask else { return Vec::new() };
        let on = self.allowed.iter().copied().filter(|number| mask.is_set(*number));
        let on: Vec<usize> = on.collect();
        if on.len() < self.allowed.len() { on } else { Vec::new() }
    }

    /// Of a run delay of a thread that is confined to these processors, and itself ran for this part of the time, what measured threads had them for, as it was
    /// lately.
    pub(crate) fn part_of_job(&self, on: &[usize], ran: f64) -> f64 {
        let Some(usage) = &self.usage else { return 1.0 };
        let [job, others] = self.users(usage, on, ran);
        if job + others < LITTLE { 1.0 } else { (1.0 - usage.stolen) * job / (job + others) }
    }

    /// What is to blame for a run delay of a thread that is confined to these processors, and itself ran for this part of the time.
    pub(crate) fn causes(&mut self, pid: u32, on: &[usize], ran: f64) -> Causes {
        self.is_wanted = true;
        let throttling = self.control_groups.throttled(pid);
        let throttled = throttling.part_of_delay(whole(self.allowed.len()));
        let Some(usage) = &self.usage else {
            return parts(throttled, &[(Category::RunDelay, 1.0)]);
        };
        let is_pinned = !on.is_empty() && usage.is_idle_outside(on, &self.allowed);
        let rest = usage.causes(is_pinned, self.users(usage, on, ran));
        if throttled > 0.0 { parts(throttled, &rest) } else { rest }
    }

    /// How many processors of those that a thread is confined to other measured threads had, and other programs.
    fn users(&self, usage: &Usage, on: &[usize], ran: f64) -> [f64; 2] {
        match self.confined_before.get(on) {
            Some(measured) => usage.users_of(on, *measured, ran),
            None => usage.users(ran),
        }
    }
}

/// For how much of the polling somebody else could run and had no processor, at most: where processors are idle it takes none from anybody, and
/// a delay is the time that waking up takes.
fn contention([polled, delayed]: [Nanos; 2], idle: f64) -> f64 {
    if polled.is_zero() {
        return 0.0;
    }
    (1.0 - idle) * (delayed.as_secs_f64() / polled.as_secs_f64()).min(1.0)
}

#[expect(clippy::cast_precision_loss, reason = "a number of processors")]
const fn whole(number: usize) -> f64 {
    number as f64
}

/// What is throttled comes first, the rest is divided.
fn parts(throttled: f64, rest: &[(Category, f64)]) -> Causes {
    let rest = rest.iter().map(|(category, part)| (*category, part * (1.0 - throttled)));
    let all = std::iter::once((Category::Throttled, throttled)).chain(rest);
    all.filter(|(_, part)| *part > 0.0).collect()
}

impl ProcessorTimes {
    fn now(at: u64) -> Option<Self> {
        let own = processor_time(ClockId::ProcessCPUTime)?;
        let beside = own.saturating_sub(processor_time(ClockId::ThreadCPUTime)?);
        let analysis = own_threads::time_of(&ANALYSIS);
        let each = ProcessorTime::parse(&fs::read_to_string("/proc/stat").ok()?);
        (!each.is_empty()).then_some(Self { at, own, beside, analysis, each })
    }
}

/// Nanoseconds of a clock of whyperf's own.
fn processor_time(clock: ClockId) -> Option<u64> {
    let time = clock_gettime(clock);
    Some(u64::try_from(time.tv_sec).ok()? * 1_000_000_000 + u64::try_from(time.tv_nsec).ok()?)
}

impl TakenTime {
    /// Between two readings, in which so many processors were idle for a part of the time.
    #[expect(clippy::cast_precision_loss, reason = "a number of processors")]
    fn add(&mut self, before: &ProcessorTimes, now: &ProcessorTimes, processors: usize, idle: f64) {
        let seconds = |from: u64, to: u64| Nanos(to.saturating_sub(from)).as_secs_f64();
        let analysis = seconds(before.analysis, now.analysis);
        let others = (seconds(before.beside, now.beside) - analysis).max(0.0);
        self.analysis += analysis * (1.0 - idle);
        self.others += others * (1.0 - idle);
        self.length += seconds(before.at, now.at);
        self.of += seconds(before.at, now.at) * processors as f64;
    }
}

impl ProcessorTime {
    /// Of all processors, by their numbers, from the text of `/proc/stat`.
    fn parse(text: &str) -> Vec<Self> {
        let mut all = Vec::new();
        for line in text.lines().take_while(|line| line.starts_with("cpu")) {
            let mut words = line["cpu".len()..].split(' ');
            let Some(number) = words.next().and_then(|word| word.parse::<usize>().ok()) else {
                continue;
            };
            let ticks: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
            let [user, nice, system, idle, wait, irq, soft, stolen, ..] = ticks[..] else {
                continue;
            };
            all.resize(all.len().max(number + 1), Self::default());
            all[number] =
                Self { busy: user + nice + system + irq + soft, idle: idle + wait, stolen };
        }
        all
    }

    const fn since(self, before: Self) -> Self {
        Self {
            busy: self.busy.saturating_sub(before.busy),
            idle: self.idle.saturating_sub(before.idle),
            stolen: self.stolen.saturating_sub(before.stolen),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "ticks of some seconds")]
    fn parts(self) -> [f64; 3] {
        let all = (self.busy + self.idle + self.stolen).max(1) as f64;
        [self.busy, self.idle, self.stolen].map(|ticks| ticks as f64 / all)
    }
}

impl Usage {
    fn between(before: &ProcessorTimes, now: &ProcessorTimes, ran: Nanos) -> Option<Self> {
        let length = Nanos(now.at.checked_sub(before.at)?).as_secs_f64();
        let each = now.each.iter().zip(&before.each);
        let parts: Vec<[f64; 3]> = each.map(|(now, before)| now.since(*before).parts()).collect();
        if length <= 0.0 || parts.is_empty() {
            return None;
        }
        let sum = |at: usize| parts.iter().map(|part| part[at]).sum::<f64>();
        let (busy, stolen) = (sum(0), sum(2));
        let measured = ran.as_secs_f64() / length;
        let own = Nanos(now.own.saturating_sub(before.own)).as_secs_f64() / length;
        Some(Self {
            measured,
            others: (busy - measured - own).max(0.0),
            stolen: stolen / (stolen + busy).max(1.0),
            idle: parts.iter().map(|part| part[1]).collect(),
            busy: parts.iter().map(|part| part[0]).collect(),
        })
    }

    /// Whether processors are idle that a thread which is confined to these may not run on.
    fn is_idle_outside(&self, on: &[usize], allowed: &[usize]) -> bool {
        let outside = allowed.iter().filter(|number| !on.contains(number));
        let outside: Vec<usize> = outside.copied().collect();
        self.idle_of(&outside) > IDLE
    }

    /// For what part of the time these processors were idle.
    #[expect(clippy::cast_precision_loss, reason = "a number of processors")]
    fn idle_of(&self, numbers: &[usize]) -> f64 {
        let idle = numbers.iter().filter_map(|number| self.idle.get(*number));
        let (sum, count) = idle.fold((0.0, 0_usize), |(sum, count), idle| (sum + idle, count + 1));
        sum / count.max(1) as f64
    }

    /// How many processors other measured threads have, and other programs, where a thread may run everywhere, and ran for this part of the time.
    fn users(&self, ran: f64) -> [f64; 2] {
        [(self.measured - ran).max(0.0), self.others]
    }

    /// The same of one that may run on these processors alone, as others of which so many ran at a time.
    fn users_of(&self, numbers: &[usize], measured: f64, ran: f64) -> [f64; 2] {
        let busy = numbers.iter().filter_map(|number| self.busy.get(*number));
        [(measured - ran).max(0.0), (busy.sum::<f64>() - measured).max(0.0)]
    }

    /// Where measured threads and other programs had so many processors.
    fn causes(&self, is_pinned: bool, [job, others]: [f64; 2]) -> Causes {
        let rest = 1.0 - self.stolen;
        let all = job + others;
        let parts = if is_pinned {
            [(Category::Pinned, rest), (Category::RunDelay, 0.0)]
        } else if all < LITTLE {
            [(Category::RunDelay, rest), (Category::Pinned, 0.0)]
        } else {
            [
                (Category::DelayByJob, rest * job / all),
                (Category::DelayByOthers, rest * others / all),
            ]
        };
        let parts = [(Category::Stolen, self.stolen)].into_iter().chain(parts);
        parts.filter(|(_, part)| *part > 0.0).collect()
    }
}

/// The processors of a set, sorted.
pub(crate) fn numbers(set: &CpuSet) -> Vec<usize> {
    (0..CpuSet::MAX_CPU).filter(|number| set.is_set(*number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  30 0 6 54 0 0 0 10 0 0\ncpu0 20 0 5 20 0 0 0 5 0 0\n\
                        cpu1 10 0 1 34 0 0 0 5 0 0\nintr 12 0\ncpu7 1 1 1 1 1 1 1 1\n";

    fn reading(at: u64, each: [[u64; 3]; 2]) -> ProcessorTimes {
        let each = each.map(|[busy, idle, stolen]| ProcessorTime { busy, idle, stolen });
        ProcessorTimes { at, own: 0, beside: 0, analysis: 0, each: each.to_vec() }
    }

    fn usage(each: [[u64; 3]; 2], ran: u64) -> Usage {
        let before = reading(0, [[0; 3]; 2]);
        let now = reading(1_000_000_000, each);
        Usage::between(&before, &now, Nanos::from_millis(ran)).expect("a second passed")
    }

    /// Of a thread that may run everywhere.
    fn told(usage: &Usage, ran: f64) -> Causes {
        usage.causes(false, usage.users(ran))
    }

    fn of(category: Category, causes: &Causes) -> f64 {
        let part = causes.iter().find(|(one, _)| *one == category);
        (part.map_or(0.0, |(_, part)| *part) * 1000.0).round() / 1000.0
    }

    #[test]
    fn each_processor_has_its_line() {
        let each = ProcessorTime::parse(STAT);
        let expected = [[25, 20, 5], [11, 34, 5]];
        let expected = expected.map(|[busy, idle, stolen]| ProcessorTime { busy, idle, stolen });
        assert_eq!(each, expected);
        assert!(ProcessorTime::parse("cpu  1 2 3\ncpux 1\n").is_empty());
    }

    #[test]
    fn delay_is_divided_as_the_processors_were() {
        let four_ranks = told(&usage([[100, 0, 0], [100, 0, 0]], 2000), 0.5);
        assert_eq!(of(Category::DelayByJob, &four_ranks), 1.0);
        let one_of_three = told(&usage([[100, 0, 0], [100, 0, 0]], 500), 0.5);
        assert_eq!(of(Category::DelayByOthers, &one_of_three), 1.0);
        let both = told(&usage([[100, 0, 0], [100, 0, 0]], 1000), 0.5);
        assert_eq!(of(Category::DelayByJob, &both), 0.333);
        assert_eq!(of(Category::DelayByOthers, &both), 0.667);
        // Three threads on one of two processors, which other programs use, too, as the other one.
        let on_one = usage([[100, 0, 0], [100, 0, 0]], 400);
        let on_one = on_one.causes(false, on_one.users_of(&[0], 0.4, 0.1));
        assert_eq!(of(Category::DelayByJob, &on_one), 0.333);
        assert_eq!(of(Category::DelayByOthers, &on_one), 0.667);
        let none = told(&usage([[0, 100, 0], [0, 100, 0]], 0), 0.0);
        assert_eq!(of(Category::RunDelay, &none), 1.0);
    }

    #[test]
    fn what_whyperf_runs_counts_where_processors_are_busy() {
        let mut taken = TakenTime::default();
        let before = reading(0, [[0; 3]; 2]);
        let reading = reading(1_000_000_000, [[0; 3]; 2]);
        let now = ProcessorTimes { beside: 400_000_000, analysis: 300_000_000, ..reading };
        taken.add(&before, &now, 2, 0.0);
        assert_eq!((taken.analysis, (taken.others * 10.0).round(), taken.of), (0.3, 1.0, 2.0));
        taken.add(&before, &now, 2, 1.0);
        assert_eq!(
            (taken.analysis, taken.length, taken.of),
            (0.3, 2.0, 4.0),
            "nobody else wanted them"
        );
    }

    #[test]
    fn polling_takes_no_processor_from_others_where_some_are_idle() {
        let told = |each, times: [u64; 2]| {
            let idle = usage(each, 0).idle_of(&[0, 1]);
            (contention(times.map(Nanos::from_millis), idle) * 100.0).round()
        };
        assert_eq!(told([[100, 0, 0], [100, 0, 0]], [800, 900]), 100.0);
        assert_eq!(told([[100, 0, 0], [100, 0, 0]], [800, 200]), 25.0);
        assert_eq!(told([[2, 98, 0], [2, 98, 0]], [5, 50]), 2.0);
        assert_eq!(told([[100, 0, 0], [100, 0, 0]], [0, 50]), 0.0);
    }

    #[test]
    fn what_was_stolen_and_throttled_comes_first() {
        let usage = usage([[50, 0, 50], [50, 0, 50]], 1000);
        let causes = parts(0.5, &told(&usage, 0.5));
        assert_eq!(of(Category::Throttled, &causes), 0.5);
        assert_eq!(of(Category::Stolen, &causes), 0.25);
        assert_eq!(of(Category::DelayByJob, &causes), 0.25);
    }

    #[test]
    fn a_mask_is_to_blame_where_others_are_idle() {
        let idle = usage([[100, 0, 0], [10, 90, 0]], 1000);
        assert!(idle.is_idle_outside(&[0], &[0, 1]) && !idle.is_idle_outside(&[0], &[0]));
        assert_eq!(of(Category::Pinned, &idle.causes(true, [0.0; 2])), 1.0);
        let busy = usage([[100, 0, 0], [100, 0, 0]], 1000);
        assert!(!busy.is_idle_outside(&[0], &[0, 1]));
    }
}
