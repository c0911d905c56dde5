//! ⊕ against an oracle that looks each resource up in each run.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use whyperf_consultant::{Directives, Hypotheses, NameMaps};
use whyperf_experiments::{EventGroup, ProgramEvent};
use whyperf_model::{Focus, Resource};

use crate::experiment::{every_focus, one_step_above, resources};

/// A run has a resource when it was named, or something below it was.
fn had(run: &BTreeSet<Resource>, resource: &Resource) -> bool {
    run.iter().any(|one| resource.contains(one))
}

proptest! {
    #[test]
    fn a_label_is_the_sum_of_the_runs_that_had_it(runs in vec(resources(), 0..6)) {
        let events: Vec<ProgramEvent> = runs.iter().cloned().map(ProgramEvent::new).collect();
        let group = EventGroup::of_all(&events).expect("few runs");
        prop_assert_eq!(group.runs() as usize, runs.len());
        let mut all: BTreeSet<Resource> = runs.iter().flatten().cloned().collect();
        let above: Vec<Resource> = all.iter().flat_map(|one| [one.parent(), one.parent().and_then(|one| one.parent())]).flatten().collect();
        all.extend(above);
        prop_assert_eq!(group.labelled().map(|(one, _)| one.clone()).collect::<BTreeSet<_>>(), all.clone());
        for resource in &all {
            let sum: u64 = (0..).zip(&runs).filter(|(_, run)| had(run, resource)).map(|(at, _)| 1u64 << at).sum();
            prop_assert_eq!(group.label(resource).0, sum, "{}", resource);
        }
    }

    #[test]
    fn it_is_associative(one in resources(), two in resources(), three in resources()) {
        let [a, b, c] = [one, two, three].map(|run| EventGroup::of(&ProgramEvent::new(run)));
        let left = a.difference(&b).and_then(|ab| ab.difference(&c));
        let right = b.difference(&c).and_then(|bc| a.difference(&bc));
        prop_assert_eq!(left, right);
    }

    #[test]
    fn a_run_differs_from_itself_in_nothing(run in resources()) {
        let event = ProgramEvent::new(run);
        let group = EventGroup::of_all([&event, &event]).expect("two runs");
        prop_assert!(group.differing().is_empty());
        prop_assert_eq!(group.union(), &event);
    }

    #[test]
    fn what_differs_is_told_by_its_topmost_resources(one in resources(), two in resources()) {
        let events = [&one, &two].map(|run| ProgramEvent::new(run.clone()));
        let group = EventGroup::of_all(&events).expect("two runs");
        let told = group.differing();
        for (resource, label) in group.labelled() {
            let of = told.iter().filter(|(top, of)| top.contains(resource) && *of == label);
            prop_assert_eq!(of.count(), usize::from(label != group.everybody()), "{}", resource);
        }
    }

    #[test]
    fn magnify_gives_all_that_is_one_step_below(run in resources()) {
        let event = ProgramEvent::new(run);
        let group = EventGroup::of(&event);
        let all = every_focus(&event);
        for focus in &all {
            let below: BTreeSet<Focus> = all.iter().filter(|one| one_step_above(one).contains(focus)).cloned().collect();
            prop_assert_eq!(group.magnify(focus).into_iter().collect::<BTreeSet<_>>(), below, "{}", focus);
        }
    }
}

#[test]
fn what_a_map_renames_is_the_same() {
    let text = "whyperf directives 1\nmap /Code/oned.c /Code/onednb.c\nmap /Code/oned.c/exchng1 /Code/onednb.c/nbexchng1\n";
    let directives = Directives::parse("maps", text, &Hypotheses::built_in()).expect("well formed");
    let maps = NameMaps::of(&directives).expect("they agree");
    let event = |names: &[&str]| {
        ProgramEvent::new(names.iter().map(|name| name.parse().expect("well formed")))
    };
    let old = event(&["/Code/oned.c/exchng1", "/Code/oned.c/main", "/Process/0"]);
    let new = event(&["/Code/onednb.c/nbexchng1", "/Code/onednb.c/main", "/Process/0"]);
    let group = EventGroup::of_all([&old.renamed(&maps), &new]).expect("two runs");
    assert_eq!(group.differing(), [], "{group:?}");
    let apart = EventGroup::of_all([&old, &new]).expect("two runs");
    assert_eq!(apart.differing().len(), 2);
}
