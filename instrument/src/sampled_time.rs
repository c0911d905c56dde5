//! Running time of the threads of a process, divided among its functions by stack samples.
//!
//! ```text
//!   stack sample: sqrt ◄── solve ◄── main        one period for each of the three
//! ```
//! That needs no change of a function, so it also works for functions that cannot be switched on. It is an estimate; where
//! the outer end of a stack was not seen, it says nothing about the functions there.

use std::collections::BTreeMap;

use whyperf_model::Nanos;

use crate::function_key::FunctionKey;
use crate::messages::SampledThread;

/// Running time by function.
#[derive(Clone, Debug, Default)]
pub(crate) struct SampledTime {
    /// All that was sampled, and of that where the whole stack was seen.
    all: Nanos,
    whole: Nanos,
    functions: BTreeMap<FunctionKey, Nanos>,
    /// Of that where they had called a function again that called them, by that function.
    between: BTreeMap<(FunctionKey, FunctionKey), Nanos>,
    /// By the function in whose own code it was.
    own: BTreeMap<FunctionKey, Nanos>,
}

impl SampledTime {
    /// A thread was found running, which stands for so much of its running time.
    pub(crate) fn add(&mut self, sample: &SampledThread, period: Nanos) {
        self.all += period;
        if sample.is_whole {
            self.whole += period;
        }
        for key in &sample.functions {
            *self.functions.entry(*key).or_default() += period;
        }
        for pair in &sample.between {
            *self.between.entry(*pair).or_default() += period;
        }
        if let Some(key) = sample.own {
            *self.own.entry(key).or_default() += period;
        }
    }

    /// The time in any of these functions and in what they call. They go by one name, so one seldom calls another.
    pub(crate) fn inside(&self, keys: &[FunctionKey]) -> Nanos {
        let each = keys.iter().filter_map(|key| self.functions.get(key));
        each.fold(Nanos::ZERO, |sum, time| sum + *time).min(self.all)
    }

    /// Whether a good part of the time inside of one of these functions was in a nested call of such a function that called it. Events
    /// count that to the outer call of that function, and not to what is between the two.
    pub(crate) fn is_between(
        &self,
        keys: &[FunctionKey],
        is_outer: impl Fn(&FunctionKey) -> bool,
    ) -> bool {
        let nested = self.between.iter();
        let missed = nested.filter(|((key, outer), _)| keys.contains(key) && is_outer(outer));
        let missed = missed.map(|(_, time)| *time).max();
        missed.is_some_and(|missed| missed.0.saturating_mul(CUT) >= self.inside(keys).0)
    }

    /// Of each function the time in its own code.
    pub(crate) fn own(&self) -> impl Iterator<Item = (FunctionKey, Nanos)> {
        self.own.iter().map(|(key, time)| (*key, *time))
    }

    /// All of it.
    pub(crate) const fn all(&self) -> Nanos {
        self.all
    }

    /// Where the outer end of the stack was not seen: it may have been in any function there.
    pub(crate) fn cut(&self) -> Nanos {
        self.all - self.whole
    }

    /// Whether the stacks were seen as a whole, but for a few.
    pub(crate) fn is_whole(&self) -> bool {
        self.cut().0.saturating_mul(CUT) <= self.all.0
    }

    /// Whether so many were cut off that little is known of functions that call others.
    pub(crate) fn hides_much(&self) -> bool {
        self.cut().0.saturating_mul(MUCH) > self.all.0
    }
}

/// One stack in so many is much.
const MUCH: u64 = 5;
/// At most one stack in so many is cut off.
const CUT: u64 = 20;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use whyperf_code::FunctionId;

    use super::*;

    const PERIOD: Nanos = Nanos::from_millis(6);

    fn key(number: u32) -> FunctionKey {
        FunctionKey { module: 0, function: FunctionId(number) }
    }

    fn sample(functions: &[u32], is_whole: bool) -> SampledThread {
        let functions = functions.iter().map(|number| key(*number)).collect();
        let between = BTreeSet::new();
        SampledThread { tid: 1, inside: Vec::new(), functions, between, own: None, is_whole }
    }

    #[test]
    fn each_function_on_the_stack_has_the_time_once() {
        let mut time = SampledTime::default();
        for functions in [&[0, 1][..], &[0, 1, 2], &[0]] {
            time.add(&sample(functions, true), PERIOD);
        }
        let inside = |keys: &[FunctionKey]| time.inside(keys).0 / PERIOD.0;
        let all = [inside(&[key(0)]), inside(&[key(1)]), inside(&[key(2)]), inside(&[key(9)])];
        assert_eq!(all, [3, 2, 1, 0]);
        assert_eq!(inside(&[key(0), key(1)]), 3, "no part is larger than the whole");
    }

    #[test]
    fn a_function_that_calls_its_caller_again_is_known() {
        let mut time = SampledTime::default();
        let mut nested = sample(&[0, 1, 2], true);
        nested.between = BTreeSet::from([(key(1), key(0))]);
        time.add(&nested, PERIOD);
        let is_between = |time: &SampledTime, number| time.is_between(&[key(number)], |_| true);
        assert!(is_between(&time, 1) && !is_between(&time, 0));
        assert!(
            !time.is_between(&[key(1)], |outer| *outer != key(0)),
            "no event tells of the other"
        );
        (0..18).for_each(|_| time.add(&sample(&[0, 1], true), PERIOD));
        assert!(is_between(&time, 1));
        (0..2).for_each(|_| time.add(&sample(&[0, 1], true), PERIOD));
        assert!(!is_between(&time, 1), "so little does not matter");
    }

    #[test]
    fn one_stack_in_twenty_may_be_cut_off() {
        let mut time = SampledTime::default();
        assert!(time.is_whole(), "nothing was missed");
        time.add(&sample(&[0], false), PERIOD);
        (0..18).for_each(|_| time.add(&sample(&[0], true), PERIOD));
        assert!(!time.is_whole());
        time.add(&sample(&[0], true), PERIOD);
        assert!(time.is_whole());
    }
}
