//! The stack samples of one process: in which functions its threads ran, and whether the samples can be relied on.
//!
//! ```text
//!   ran       ▓▓▓▓▓▓▓▓ ▓▓▓▓▓▓▓▓ ▓▓▓▓▓▓▓▓          by the system, in each interval
//!   samples   ▒▒▒      ▒▒▒▒▒▒▒▒▒▒▒▒▒ ▒▒▒▒▒▒▒▒     they come late when there is much to do
//!   reported  ▒▒▒      ▒▒▒▒▒▒▒▒ ▒▒▒▒▒▒▒▒ ▒▒▒▒▒    never more for an interval than ran in it
//! ```

use std::collections::{BTreeSet, VecDeque};

use whyperf_model::Nanos;

use crate::function_key::FunctionKey;
use crate::hot_code::SampledRun;
use crate::messages::SampledThread;
use crate::open_calls::SampleFlow;
use crate::sampled_time::SampledTime;

/// Whether stack samples tell where a process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StackSight {
    /// No look was over lately.
    Unknown,
    /// They do.
    Sampled,
    /// The system does not allow them, they would cost too much, or they miss much.
    Blind,
}

/// What stack samples told of a process.
#[derive(Debug, Default)]
pub(crate) struct SampledProcess {
    /// Stacks that no interval told of yet, the oldest first, and those of the interval that ended.
    waiting: VecDeque<SampledStack>,
    interval: Vec<SampledStack>,
    /// What came since the interval that ended.
    came: Nanos,
    run: SampledTime,
    /// For how long the process computed since samples came first, by the system and by samples, while these came steadily.
    ran: Nanos,
    steady: Nanos,
    /// For how long it computed since samples came first, however these came.
    computed: Nanos,
}

/// The functions on a stack, which stands for so much running time.
#[derive(Debug)]
struct SampledStack {
    functions: BTreeSet<FunctionKey>,
    period: Nanos,
}

impl SampledProcess {
    /// A thread was found running, which stands for so much of its running time.
    pub(crate) fn add(&mut self, sample: SampledThread, period: Nanos) {
        self.run.add(&sample, period);
        self.came += period;
        self.waiting.push_back(SampledStack { functions: sample.functions, period });
    }

    /// The interval ends, in which it computed for so much of its running time and samples came in this flow.
    pub(crate) fn close_interval(&mut self, ran: Nanos, flow: SampleFlow) {
        let came = std::mem::take(&mut self.came);
        self.interval.clear();
        if self.run.all().is_zero() {
            return;
        }
        self.computed += ran;
        if flow == SampleFlow::Steady {
            self.ran += ran;
            self.steady += came;
        }
        let mut told = Nanos::ZERO;
        while let Some(next) = self.waiting.front()
            && self.scaled(told + next.period) <= ran
        {
            told += next.period;
            self.interval.extend(self.waiting.pop_front());
        }
        let mut late = sum(&self.waiting);
        while late > LATE
            && let Some(oldest) = self.waiting.pop_front()
        {
            late = late - oldest.period;
        }
    }

    /// Whether they tell where it ran in the interval that ended, in which they came in this flow.
    pub(crate) fn sight(&self, flow: SampleFlow) -> StackSight {
        // Those of the last while may still come: a pair that is given up is given up for good.
        let misses_much = self.steady.0 < (self.ran - LATE).0 / 2;
        match flow {
            SampleFlow::Unknown => StackSight::Unknown,
            SampleFlow::Steady if self.run.is_whole() && !misses_much => StackSight::Sampled,
            SampleFlow::Steady | SampleFlow::Broken => StackSight::Blind,
        }
    }

    /// What they told in all.
    pub(crate) const fn run(&self) -> &SampledTime {
        &self.run
    }

    /// The same, with how long it computed since samples came first.
    pub(crate) fn sampled_run(&self) -> SampledRun<'_> {
        let found = self.steady.as_secs_f64() / self.ran.as_secs_f64().max(1e-9);
        let found = if self.ran > ENOUGH { found.min(1.0) } else { 1.0 };
        SampledRun { time: &self.run, computed: self.computed, found }
    }

    /// How long it ran in these functions, and in what they call, in the interval that ended.
    pub(crate) fn inside(&self, keys: &[FunctionKey]) -> Nanos {
        let is_inside =
            |stack: &&SampledStack| keys.iter().any(|key| stack.functions.contains(key));
        self.scaled(sum(self.interval.iter().filter(is_inside)))
    }

    /// Whether so much was sampled that a function with a good part of the time was met.
    pub(crate) fn is_much(&self) -> bool {
        self.run.all() >= ENOUGH
    }

    /// Whether these functions were met in a good part of what was sampled.
    pub(crate) fn has_met(&self, keys: &[FunctionKey]) -> bool {
        self.is_much() && self.run.inside(keys).0.saturating_mul(PART) >= self.run.all().0
    }

    /// Whether events tell too little of these functions because they call such functions again as called them.
    pub(crate) fn are_between(
        &self,
        keys: &[FunctionKey],
        is_outer: impl Fn(&FunctionKey) -> bool,
    ) -> bool {
        self.is_much() && self.run.is_between(keys, is_outer)
    }

    /// Time in the kernel, and threads that were there for a moment, bring no samples: they are taken to be spread like those that
    /// did.
    fn scaled(&self, sampled: Nanos) -> Nanos {
        let (ran, seen) = ((self.ran + ENOUGH).as_secs_f64(), (self.steady + ENOUGH).as_secs_f64());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "an estimate"
        )]
        Nanos((sampled.0 as f64 * ran / seen) as u64)
    }
}

fn sum<'a>(stacks: impl IntoIterator<Item = &'a SampledStack>) -> Nanos {
    stacks.into_iter().fold(Nanos::ZERO, |sum, stack| sum + stack.period)
}

/// Running time after which it is to be seen whether samples keep up with it.
const ENOUGH: Nanos = Nanos::from_millis(200);
/// Samples of so much are waited for to be told of; older ones are of an interval that is long over.
const LATE: Nanos = Nanos::from_millis(500);
/// One in so many stack samples.
const PART: u64 = 20;

#[cfg(test)]
mod tests {
    use whyperf_code::FunctionId;

    use super::*;

    const KEY: FunctionKey = FunctionKey { module: 0, function: FunctionId(1) };

    fn after(samples: u64, ran: Nanos) -> SampledProcess {
        let mut process = SampledProcess::default();
        let functions = BTreeSet::from([KEY]);
        let sample = SampledThread {
            tid: 1,
            inside: Vec::new(),
            functions,
            between: BTreeSet::new(),
            own: None,
            is_whole: true,
        };
        (0..samples).for_each(|_| process.add(sample.clone(), Nanos::from_millis(10)));
        process.close_interval(ran, SampleFlow::Steady);
        process
    }

    #[test]
    fn samples_that_miss_much_of_the_running_time_tell_nothing() {
        let sight = |samples, ran| {
            let process = after(samples, Nanos::from_secs(ran));
            process.sight(SampleFlow::Steady)
        };
        assert_eq!(sight(80, 2), StackSight::Sampled);
        assert_eq!(sight(70, 2), StackSight::Blind);
        let late = after(1, Nanos::from_millis(400)).sight(SampleFlow::Steady);
        assert_eq!(late, StackSight::Sampled, "others may still come");
        assert_eq!(after(60, Nanos::ZERO).sight(SampleFlow::Unknown), StackSight::Unknown);
        assert_eq!(after(60, Nanos::ZERO).sight(SampleFlow::Broken), StackSight::Blind);
    }

    #[test]
    fn what_it_did_while_it_was_not_sampled_is_not_missed() {
        let mut process = after(100, Nanos::from_secs(1));
        process.close_interval(Nanos::from_secs(9), SampleFlow::Broken);
        assert_eq!(process.sight(SampleFlow::Steady), StackSight::Sampled);
        assert_eq!(process.inside(&[KEY]), Nanos::ZERO);
    }

    #[test]
    fn what_samples_miss_is_spread_like_what_they_find() {
        let process = after(80, Nanos::from_secs(1));
        assert_eq!(process.inside(&[KEY, KEY]), Nanos(960_000_000), "each stack counts once");
        assert_eq!(process.inside(&[]), Nanos::ZERO);
    }

    #[test]
    fn a_function_is_met_by_one_sample_in_twenty() {
        let other = FunctionKey { module: 0, function: FunctionId(2) };
        assert!(
            after(80, Nanos::ZERO).has_met(&[KEY]) && !after(80, Nanos::ZERO).has_met(&[other])
        );
        assert!(!after(10, Nanos::ZERO).has_met(&[KEY]), "of so few samples nothing is known");
    }

    #[test]
    fn samples_that_come_late_tell_of_no_more_than_ran() {
        let mut process = after(20, Nanos::from_millis(50));
        let mut told = vec![process.inside(&[KEY])];
        for _ in 0..9 {
            process.close_interval(Nanos::from_millis(50), SampleFlow::Steady);
            told.push(process.inside(&[KEY]));
        }
        let all = told.iter().fold(Nanos::ZERO, |sum, one| sum + *one);
        assert!(told.iter().all(|one| *one <= Nanos::from_millis(50)), "{told:?}");
        assert!(all > Nanos::from_millis(140), "{told:?}");
    }

    #[test]
    fn each_interval_has_its_own_samples() {
        let mut process = after(80, Nanos::from_secs(1));
        process.close_interval(Nanos::ZERO, SampleFlow::Steady);
        assert_eq!(process.inside(&[KEY]), Nanos::ZERO);
    }
}
