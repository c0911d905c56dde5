//! perfDiff, clusters and distances against oracles.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use whyperf_experiments::{
    Delta, DiscreteDistance, EventGroup, PairedResult, PerformanceResults as _, Scope, Trials,
    cluster, euclidean, performance_difference, weighted_mean,
};
use whyperf_model::{Focus, Metric, Pair};

use crate::experiment::{Cells, cells, every_focus, one_step_above};

fn differs(a: &Cells, b: &Cells, focus: &Focus, delta: &Delta) -> bool {
    let [a, b] = [a, b].map(|cells| Trials::new([cells.amount(focus)]));
    delta.distance(&a, &b) == DiscreteDistance::Differs
}

/// Figure 4 without its queue: those that differ, as long as there is a way of such down to them.
fn oracle(all: &BTreeSet<Focus>, a: &Cells, b: &Cells, delta: &Delta) -> BTreeSet<Focus> {
    let differing: BTreeSet<&Focus> =
        all.iter().filter(|focus| differs(a, b, focus, delta)).collect();
    let mut reached: BTreeSet<Focus> = BTreeSet::new();
    loop {
        let is_reached = |focus: &Focus| {
            focus == &Focus::whole_program()
                || one_step_above(focus).iter().any(|above| reached.contains(above))
        };
        let more: Vec<Focus> = differing
            .iter()
            .filter(|focus| !reached.contains(**focus) && is_reached(focus))
            .map(|focus| (*focus).clone())
            .collect();
        if more.is_empty() {
            return reached;
        }
        reached.extend(more);
    }
}

fn delta() -> impl Strategy<Value = Delta> {
    prop_oneof![(0.0..8.0).prop_map(Delta::Absolute), (0.0..0.9).prop_map(Delta::Relative),]
}

/// As few groups as cover sorted values, by trying all ways to cut them.
fn fewest(values: &[f64], range: f64) -> usize {
    let Some((first, _)) = values.split_first() else { return 0 };
    let ends = (1..=values.len()).filter(|end| values[end - 1] - first <= range);
    1 + ends.map(|end| fewest(&values[end..], range)).min().unwrap_or_default()
}

proptest! {
    #[test]
    fn the_performance_difference_is_that_of_the_oracle(a in cells(), b in cells(), delta in delta()) {
        let (mut a, mut b) = (a, b);
        let group = EventGroup::of_all([&a.event, &b.event]).expect("two runs");
        let expected = oracle(&every_focus(group.union()), &a, &b, &delta);
        let tree = performance_difference(&group, Metric::Cpu, (&mut a, &mut b), &delta, Scope::ALL);
        let found: BTreeSet<Focus> = tree.found.iter().map(|one| one.focus.clone()).collect();
        prop_assert_eq!(found.len(), tree.found.len(), "each focus once");
        prop_assert_eq!(&found, &expected);
        prop_assert!(a.asked.values().chain(b.asked.values()).all(|asked| *asked == 1), "asked once");
        prop_assert_eq!(tree.unasked, 0);
    }

    #[test]
    fn the_parts_of_a_difference_are_the_foci_one_step_below(a in cells(), b in cells()) {
        let (mut a, mut b) = (a, b);
        let group = EventGroup::of_all([&a.event, &b.event]).expect("two runs");
        let tree = performance_difference(&group, Metric::Cpu, (&mut a, &mut b), &Delta::Absolute(0.5), Scope::ALL);
        for (whole, difference) in tree.found.iter().enumerate() {
            prop_assert_eq!(difference.change, b.amount(&difference.focus) - a.amount(&difference.focus));
            let parts = tree.children.get(&whole).cloned().unwrap_or_default();
            let named: BTreeSet<Focus> = parts.iter().map(|one| tree.found[one.part].focus.clone()).collect();
            let found = tree.found.iter().map(|one| &one.focus);
            let below: BTreeSet<Focus> = found.filter(|one| one_step_above(one).contains(&difference.focus)).cloned().collect();
            prop_assert_eq!(named, below);
            prop_assert!(parts.is_sorted_by(|one, other| one.share >= other.share), "{:?}", parts);
            for one in &parts {
                prop_assert_eq!(one.share, tree.found[one.part].change / difference.change);
            }
        }
    }

    #[test]
    fn a_bounded_search_finds_a_part_of_the_same(a in cells(), b in cells(), most in 1..20usize) {
        let (mut a, mut b) = (a, b);
        let group = EventGroup::of_all([&a.event, &b.event]).expect("two runs");
        let delta = Delta::Absolute(1.0);
        let all = performance_difference(&group, Metric::Cpu, (&mut a.clone(), &mut b.clone()), &delta, Scope::ALL);
        let scope = Scope { least_share: 0.3, most };
        let some = performance_difference(&group, Metric::Cpu, (&mut a, &mut b), &delta, scope);
        prop_assert!(some.found.iter().all(|one| all.found.contains(one)));
        prop_assert!(a.asked.len() <= most);
        prop_assert_eq!(some.found.first(), all.found.first());
    }

    #[test]
    fn clusters_divide_the_values_into_as_few_as_can_be(values in vec(-20..20i8, 0..12), range in 0.0..15.0) {
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        let found = cluster(values.iter().map(|value| (*value, *value)).collect(), range);
        let mut members: Vec<f64> = found.iter().flat_map(|one| one.members.clone()).collect();
        for one in &found {
            prop_assert!(one.members[one.members.len() - 1] - one.members[0] <= range);
            prop_assert!((one.mean - one.members.iter().sum::<f64>() / one.members.len() as f64).abs() < 1e-9);
        }
        let mut sorted = values;
        sorted.sort_by(f64::total_cmp);
        members.sort_by(f64::total_cmp);
        prop_assert_eq!(&members, &sorted);
        prop_assert_eq!(found.len(), fewest(&sorted, range));
    }

    #[test]
    fn distances_are_symmetric_and_zero_for_equals(a in cells(), b in cells()) {
        let pairs = |a: &mut Cells, b: &mut Cells| -> Vec<PairedResult> {
            every_focus(&a.event.clone()).into_iter().map(|focus| {
                let [of_a, of_b] = [&mut *a, &mut *b].map(|of| of.results(Metric::Cpu, &focus).mean().expect("a sum"));
                PairedResult { pair: Pair::new(Metric::Cpu, focus), a: of_a, b: of_b }
            }).collect()
        };
        let (mut a, mut b) = (a, b);
        let forth = pairs(&mut a, &mut b);
        let back: Vec<PairedResult> = forth.iter().map(|one| PairedResult { a: one.b, b: one.a, ..one.clone() }).collect();
        prop_assert_eq!(euclidean(&forth), euclidean(&back));
        prop_assert_eq!(weighted_mean(&forth), weighted_mean(&back));
        let is_zero = forth.iter().all(|one| one.a == one.b);
        if let Some(distance) = euclidean(&forth) {
            prop_assert_eq!(distance == 0.0, is_zero);
        }
        let same = pairs(&mut a.clone(), &mut a);
        prop_assert!(euclidean(&same).is_none_or(|distance| distance == 0.0));
    }
}
