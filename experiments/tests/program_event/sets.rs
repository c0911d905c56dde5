//! The laws of sets of resources in a focus.

use proptest::prelude::*;
use whyperf_experiments::{PerformanceResults as _, list};
use whyperf_model::{Focus, Metric, Resource};

use crate::experiment::{USED, cells};

proptest! {
    #[test]
    fn a_resource_stands_for_the_set_of_all_just_below_it(a in cells()) {
        for resource in a.event.resources() {
            let children: Vec<Resource> = a.event.children(resource).cloned().collect();
            if !children.is_empty() {
                let of = |set: Vec<Resource>| a.amount(&Focus::whole_program().with_set(resource.hierarchy(), set));
                prop_assert_eq!(of(vec![resource.clone()]), of(children), "{}", resource);
            }
        }
    }

    #[test]
    fn a_set_comes_to_the_sum_of_its_list(a in cells(), chosen in any::<u64>()) {
        let mut a = a;
        let mut focus = Focus::whole_program();
        for hierarchy in USED {
            let level = a.event.resources().filter(|one| one.hierarchy() == hierarchy && one.depth() == 1);
            let some = (0..).zip(level).filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, one)| one.clone());
            focus = focus.with_set(hierarchy, some.collect::<Vec<_>>());
        }
        let apart: f64 = list(&mut a, Metric::Cpu, &focus).iter().map(|(_, of)| of.mean().expect("a sum")).sum();
        prop_assert_eq!(a.results(Metric::Cpu, &focus).mean(), Some(apart), "{}", focus);
    }

    #[test]
    fn order_repetition_and_parts_of_parts_change_nothing(a in cells()) {
        for hierarchy in USED {
            let all: Vec<Resource> = a.event.resources().filter(|one| one.hierarchy() == hierarchy).cloned().collect();
            let of = |set: Vec<Resource>| Focus::whole_program().with_set(hierarchy, set);
            let reversed: Vec<Resource> = all.iter().rev().chain(&all).cloned().collect();
            prop_assert_eq!(of(all.clone()), of(reversed));
            if let Some(resource) = all.get(1) {
                let with_parts: Vec<Resource> = all.iter().filter(|one| resource.contains(one)).cloned().collect();
                prop_assert_eq!(of(vec![resource.clone()]), of(with_parts));
            }
        }
    }
}
