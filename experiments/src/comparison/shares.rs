//! Functions whose share of what a run computes changed, though the sum may be lost in how much runs vary.
//!
//! ```text
//!   share of a function in a trial  =  its time  /  the time of the whole program in that trial
//! ```
//! What the machine does to a trial it does to all of its functions, so shares vary less than times: a copy that makes a function thirty times as
//! long is sure where the time of the whole program, which is a third more, is not. A function counts whose share is, and changes by, at least
//! the part of the whole that matters, by what was measured or by samples: a function that was hardly called is measured in few trials, and badly.
//! What was measured of a function holds what it calls, so shares do not add up to one.

use whyperf_model::{Focus, Hierarchy, Metric, Resource};

use super::sampled_shares::Dispersion;
use super::shifted_part::ShiftedPart;
use crate::program_event::{
    AlikeResults, Delta, DiscreteDistance, EventGroup, PerformanceResults, Trials, WeightedShare,
};

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
    let mut known: Vec<SharedFunction> = Vec::new();
    for function in functions {
        let focus = whole.with(Hierarchy::Code, function.clone());
        for results in AlikeResults::ways(metric, &focus, (&mut *a, &mut *b)) {
            let shares = results.shares_by_trial(&wholes).map(WeightedShare::trials);
            let matters = shares.iter().any(|of| mean(of) >= least);
            if !matters || shares.iter().any(|of| of.values().len() < 2) {
                continue;
            }
            known.push(SharedFunction { focus: focus.clone(), results, shares });
        }
    }
    let sampled = known.iter().filter(|one| matches!(one.results, AlikeResults::Sampled(_)));
    let dispersion = Dispersion::of(sampled.map(|one| &one.shares));
    let delta = delta.divided(known.len());
    let shifted = |one: SharedFunction| {
        let [in_a, in_b] = one.shares.each_ref().map(mean);
        let is_shifted = one.differs(&delta, dispersion) && (in_b - in_a).abs() >= least;
        let growth = (in_b / in_a).ln();
        is_shifted.then(|| ShiftedPart::of_whole(metric, &one.focus, one.results.trials(), growth))
    };
    let mut found: Vec<ShiftedPart> = known.into_iter().filter_map(shifted).collect();
    // One that both ways tell of is told as it was measured.
    found.dedup_by(|next, one| next.difference.focus == one.difference.focus);
    found
}

/// A function, and which share it has in the trials of both operands.
struct SharedFunction {
    focus: Focus,
    results: AlikeResults,
    shares: [Trials; 2],
}

impl SharedFunction {
    /// Whether its shares differ by more than chance explains.
    fn differs(&self, delta: &Delta, dispersion: Dispersion) -> bool {
        let [in_a, in_b] = &self.shares;
        match self.results {
            AlikeResults::Measured(_) => delta.tells_shares_apart(in_a, in_b),
            AlikeResults::Sampled(_) => dispersion.differs(&self.shares, delta),
        }
    }
}

fn mean(of: &Trials) -> f64 {
    of.mean().unwrap_or_default()
}

/// Whether a function's share of what is left without another one became smaller, too: where one grows, the shares of all others shrink.
pub(super) fn shrank_beside(
    (grown, shrunk): (&Focus, &Focus),
    metric: Metric,
    (a, b): (&mut dyn PerformanceResults, &mut dyn PerformanceResults),
    delta: &Delta,
) -> bool {
    let whole = Focus::whole_program();
    let wholes = [a.by_trial(metric, &whole), b.by_trial(metric, &whole)];
    let mut shares = |focus: &Focus| {
        AlikeResults::of(metric, focus, (&mut *a, &mut *b)).shares_by_trial(&wholes)
    };
    let (grown, shrunk) = (shares(grown), shares(shrunk));
    let left = |side: usize| {
        let both = grown[side].iter().zip(&shrunk[side]);
        WeightedShare::trials(both.map(|(grown, shrunk)| {
            let (grown, shrunk) = ((*grown)?, (*shrunk)?);
            Some(WeightedShare { share: shrunk.share / (1.0 - grown.share), ..shrunk })
        }))
    };
    let (in_a, in_b) = (left(0), left(1));
    let is_less = in_b.mean() < in_a.mean();
    is_less && delta.distance(&in_a, &in_b) == DiscreteDistance::Differs
}

/// Whether it is code with a name of its own, and no module.
pub(super) fn is_function(resource: &Resource) -> bool {
    resource.hierarchy() == Hierarchy::Code && resource.depth() > 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program_event::{SampledAmount, StatedResults};

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
    fn samples_tell_of_a_function_that_was_measured_badly() {
        let before = "cpu <> 1.4 s, 1.4 s, 1.3 s\ncpu </Code/a.c/f> 300 ms, 9 ms, ?";
        let after = "cpu <> 2.5 s, 2.4 s, 2.5 s\ncpu </Code/a.c/f> 914 ms, 833 ms, 886 ms";
        assert_eq!(shifted(before, after), Vec::<String>::new(), "two trials vary too much");
        let of = |text: &str, counts: &str| {
            let text = format!("whyperf results 1\n{text}");
            let sampled = StatedResults::parse(&format!(
                "whyperf results 1\ncpu <> 1 s, 1 s, 1 s\ncpu </Code/a.c/f> {counts}"
            ));
            BothWays {
                measured: StatedResults::parse(&text).expect("well formed"),
                sampled: sampled.expect("well formed"),
            }
        };
        let (mut a, mut b) = (of(before, "0/60, 2/30, 0/50"), of(after, "30/80, 40/110, 36/90"));
        let group = EventGroup::of_all(&[a.measured.event(), b.measured.event()]).expect("two");
        let found = shifted_functions(&group, Metric::Cpu, (&mut a, &mut b), &SURE);
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn two_trials_that_are_next_to_nothing_are_sure_beside_much() {
        let before = "cpu <> 1.4 s, 1.4 s, 1.4 s\ncpu </Code/a.c/f> 24 ms, 8 ms, ?";
        let after = "cpu <> 2.2 s, 2.2 s, 2.1 s\ncpu </Code/a.c/f> 914 ms, 910 ms, 886 ms";
        assert_eq!(shifted(before, after), ["/Code/a.c/f"]);
    }

    /// What was measured, and what samples say of the same.
    struct BothWays {
        measured: StatedResults,
        sampled: StatedResults,
    }

    impl PerformanceResults for BothWays {
        fn by_trial(&mut self, metric: Metric, focus: &Focus) -> Vec<Option<f64>> {
            self.measured.by_trial(metric, focus)
        }

        fn sampled_by_trial(
            &mut self,
            metric: Metric,
            focus: &Focus,
        ) -> Vec<Option<SampledAmount>> {
            self.sampled.sampled_by_trial(metric, focus)
        }
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
