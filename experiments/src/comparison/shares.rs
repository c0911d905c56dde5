//! Functions whose share of what a run computes changed, though the sum may be lost in how much runs vary.
//!
//! ```text
//!   share of a function in a trial  =  its time  /  the time of the whole program in that trial
//! ```
//! What the machine does to a trial it does to all of its functions, so shares vary less than times: a copy that makes a function thirty times as
//! long is sure where the time of the whole program, which is a third more, is not. A function counts whose share is, and changes by, at least
//! the part of the whole that matters. Times of functions hold those of what they call, so shares do not add up to one.

use whyperf_model::{Focus, Hierarchy, Metric, Resource};

use super::shifted_part::ShiftedPart;
use crate::program_event::{Delta, DiscreteDistance, EventGroup, PerformanceResults, Trials};

/// The functions whose share of a metric changed; none where nothing is known of chance.
pub(super) fn shifted_functions(
    group: &EventGroup,
    metric: Metric,
    (a, b): (&mut dyn PerformanceResults, &mut dyn PerformanceResults),
    delta: &Delta,
) -> Vec<ShiftedPart> {
    let Delta::Statistical { least, .. } = *delta else { return Vec::new() };
    let whole = Focus::whole_program();
    let wholes = [a.by_trial(metric, &whole), b.by_trial(metric, &whole)];
    let functions = group.union().resources().filter(|one| is_function(one));
    let mut known: Vec<(Focus, [Shares; 2])> = Vec::new();
    for function in functions {
        let focus = whole.with(Hierarchy::Code, function.clone());
        let Some(amounts) = alike(metric, &focus, (&mut *a, &mut *b)) else { continue };
        let shares = [0, 1].map(|side| Shares::of(&amounts[side], &wholes[side]));
        let matters = shares.iter().any(|of| of.mean() >= least);
        if matters && shares.iter().all(|of| of.shares.values().len() > 1) {
            known.push((focus, shares));
        }
    }
    let delta = delta.divided(known.len());
    let shifted = |(focus, [in_a, in_b]): (Focus, [Shares; 2])| {
        let change = in_b.mean() - in_a.mean();
        let differs = delta.distance(&in_a.shares, &in_b.shares) == DiscreteDistance::Differs;
        let growth = (in_b.mean() / in_a.mean()).ln();
        let is_shifted = differs && change.abs() >= least;
        is_shifted
            .then(|| ShiftedPart::of_whole(metric, &focus, [in_a.amounts, in_b.amounts], growth))
    };
    known.into_iter().filter_map(shifted).collect()
}

/// Whether a function's share of what is left without another one became smaller, too: where one grows, the shares of all others shrink.
pub(super) fn shrank_beside(
    (grown, shrunk): (&Focus, &Focus),
    metric: Metric,
    (a, b): (&mut dyn PerformanceResults, &mut dyn PerformanceResults),
    delta: &Delta,
) -> bool {
    let whole = Focus::whole_program();
    let shares = |of: &mut dyn PerformanceResults| {
        let [all, grown, shrunk] = [&whole, grown, shrunk].map(|focus| of.by_trial(metric, focus));
        let trials = all.into_iter().zip(grown).zip(shrunk);
        let share = |((all, grown), shrunk): ((Option<f64>, Option<f64>), Option<f64>)| {
            Some(shrunk? / (all? - grown?))
        };
        trials.filter_map(share).collect::<Trials>()
    };
    let (in_a, in_b) = (shares(a), shares(b));
    let is_less = in_b.mean() < in_a.mean();
    is_less && delta.distance(&in_a, &in_b) == DiscreteDistance::Differs
}

/// Whether it is code with a name of its own, and no module.
pub(super) fn is_function(resource: &Resource) -> bool {
    resource.hierarchy() == Hierarchy::Code && resource.depth() > 1
}

/// What a function came to in the trials of which it is known.
struct Shares {
    amounts: Trials,
    shares: Trials,
}

impl Shares {
    fn of(amounts: &[Option<f64>], whole: &[Option<f64>]) -> Self {
        let both = amounts.iter().zip(whole);
        let both = || both.clone().filter_map(|(part, all)| Some((*part)?).zip(*all));
        let amounts = both().map(|(part, _)| part).collect();
        Self { amounts, shares: both().map(|(part, all)| part / all).collect() }
    }

    fn mean(&self) -> f64 {
        self.shares.mean().unwrap_or_default()
    }
}

/// What a function came to in both, known in the same way: what was measured holds the time of what the function calls, and what samples
/// tell does not.
fn alike(
    metric: Metric,
    focus: &Focus,
    (a, b): (&mut dyn PerformanceResults, &mut dyn PerformanceResults),
) -> Option<[Vec<Option<f64>>; 2]> {
    let measured = [a.measured_by_trial(metric, focus), b.measured_by_trial(metric, focus)];
    let is_measured = measured.each_ref().map(|of| of.iter().any(Option::is_some));
    match is_measured {
        [true, true] => Some(measured),
        [false, false] => Some([a.by_trial(metric, focus), b.by_trial(metric, focus)]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program_event::StatedResults;

    const SURE: Delta = Delta::Statistical { confidence: 0.99, least: 0.02 };

    fn shifted(a: &str, b: &str) -> Vec<String> {
        let of = |text: &str| {
            StatedResults::parse(&format!("whyperf results 1\n{text}")).expect("well formed")
        };
        let (mut a, mut b) = (of(a), of(b));
        let group = EventGroup::of_all(&[a.event(), b.event()]).expect("two");
        let found = shifted_functions(&group, Metric::Cpu, (&mut a, &mut b), &SURE);
        let name = |one: ShiftedPart| one.difference.focus.part(Hierarchy::Code)[0].to_string();
        found.into_iter().map(name).collect()
    }

    #[test]
    fn a_function_is_sure_where_the_sum_is_not() {
        let before = "cpu <> 10 s, 14 s, 8 s\ncpu </Code/a.c/f> 1 s, 1.4 s, 0.8 s\ncpu </Code/a.c/g> 5 s, 7.1 s, 4 s";
        let after = "cpu <> 12 s, 9.6 s, 15 s\ncpu </Code/a.c/f> 3 s, 2.5 s, 3.7 s\ncpu </Code/a.c/g> 6.1 s, 4.8 s, 7.4 s";
        assert_eq!(shifted(before, after), ["/Code/a.c/f"]);
        assert_eq!(shifted(before, before), Vec::<String>::new());
    }

    #[test]
    fn what_is_a_small_part_of_the_whole_does_not_matter() {
        let before = "cpu <> 10 s, 10 s\ncpu </Code/a.c/f> 100 ms, 100 ms";
        let after = "cpu <> 10 s, 10 s\ncpu </Code/a.c/f> 250 ms, 250 ms";
        assert_eq!(shifted(before, after), Vec::<String>::new());
    }

    #[test]
    fn one_that_is_known_of_one_trial_tells_nothing() {
        let before = "cpu <> 10 s, 10 s\ncpu </Code/a.c/f> 1 s, ?";
        let after = "cpu <> 10 s, 10 s\ncpu </Code/a.c/f> 3 s, 3 s";
        assert_eq!(shifted(before, after), Vec::<String>::new());
    }
}
