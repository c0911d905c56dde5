//! Checks that resources and foci print to texts that read back as the same, whatever names a program has.

use proptest::prelude::*;
use whyperf_model::{Focus, Hierarchy, Resource};

fn hierarchy() -> impl Strategy<Value = Hierarchy> {
    prop::sample::select(Hierarchy::ALL.to_vec())
}

fn below(hierarchy: Hierarchy) -> impl Strategy<Value = Resource> {
    prop::collection::vec(any::<String>(), 0..4).prop_map(move |names| {
        names.iter().fold(Resource::root(hierarchy), |resource, name| resource.child(name))
    })
}

fn resource() -> impl Strategy<Value = Resource> {
    hierarchy().prop_flat_map(below)
}

fn focus() -> impl Strategy<Value = Focus> {
    let part = hierarchy().prop_flat_map(|hierarchy| {
        (Just(hierarchy), prop::collection::vec(below(hierarchy), 1..4))
    });
    prop::collection::vec(part, 0..6).prop_map(|parts| {
        let whole = Focus::whole_program();
        parts.into_iter().fold(whole, |focus, (hierarchy, part)| focus.with_set(hierarchy, part))
    })
}

proptest! {
    #[test]
    fn a_resource_reads_back(resource in resource()) {
        prop_assert_eq!(Resource::parse(resource.path()), Ok(resource));
    }

    #[test]
    fn a_focus_reads_back_and_has_one_spelling(focus in focus()) {
        let text = focus.to_string();
        let again = Focus::parse(&text);
        prop_assert_eq!(again.as_ref(), Ok(&focus));
        prop_assert_eq!(again.map(|again| again.to_string()), Ok(text));
    }

    #[test]
    fn a_set_below_one_resource_reads_as_its_members(
        parent in resource(), names in prop::collection::vec(any::<String>(), 1..5)
    ) {
        let members: Vec<Resource> = names.iter().map(|name| parent.child(name)).collect();
        let short: Vec<&str> = members.iter().map(Resource::name).collect();
        let text = format!("<{parent}/({})>", short.join(","));
        let focus = Focus::whole_program().with_set(parent.hierarchy(), members);
        let read = Focus::parse(&text);
        prop_assert_eq!(read.map(|read| read.to_string()), Ok(focus.to_string()), "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused_at_a_column_of_it(text in "[</>(),%A-Za-z0-9 ]{0,40}") {
        if let Err(error) = Focus::parse(&text) {
            prop_assert!((1..=text.chars().count() + 1).contains(&error.column), "{error}");
        }
    }

    #[test]
    fn a_child_is_strictly_inside_its_parent(parent in resource(), name in any::<String>()) {
        let child = parent.child(&name);
        prop_assert_eq!(child.parent(), Some(parent.clone()));
        prop_assert!(parent.contains(&child) && !child.contains(&parent));
        prop_assert!(parent < child);
        prop_assert_eq!(child.depth(), parent.depth() + 1);
        if !name.is_empty() {
            prop_assert_eq!(child.label(), name);
        }
    }

    #[test]
    fn containing_is_a_partial_order(one in focus(), other in focus(), third in focus()) {
        prop_assert!(one.contains(&one));
        if one.contains(&other) && other.contains(&one) {
            prop_assert_eq!(&one, &other);
        }
        if one.contains(&other) && other.contains(&third) {
            prop_assert!(one.contains(&third));
        }
    }

    #[test]
    fn magnifying_refines(focus in focus(), children in prop::collection::vec(resource(), 0..6)) {
        for hierarchy in Hierarchy::ALL {
            for finer in focus.magnify(hierarchy, &children) {
                prop_assert!(focus.contains(&finer) && finer != focus);
            }
        }
    }

    #[test]
    fn resources_are_totally_ordered(mut all in prop::collection::vec("/Process(/[0-9ab]{1,2}){0,2}", 0..12)) {
        let mut resources: Vec<Resource> =
            all.drain(..).map(|text| Resource::parse(&text).expect("made to be one")).collect();
        resources.sort();
        for (at, low) in resources.iter().enumerate() {
            prop_assert!(resources[at..].iter().all(|high| low <= high));
        }
    }
}
