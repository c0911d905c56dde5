//! The structural difference ⊕: the union of the hierarchies of several program events, labelled by who had what.
//!
//! ```text
//!   E1  /Code ─┬─ m1.c          E2  /Code ─┬─ m2.c        E1 ⊕ E2  /Code 3 ─┬─ m1.c 1
//!              └─ m2.c ── f                └─ m2.c ── g                     ├─ m2.c 3 ─┬─ f 1
//!                                                                           │          └─ g 2
//! ```
//! The n-th run has the identifier 2^(n-1), and a resource the sum of the identifiers of those that had it: 3 is the first two.
//! Resources match by name; what is called otherwise is [renamed](ProgramEvent::renamed) before. Therefore the union of the
//! sets is what Figure 2 of the paper computes top-down: a child can match only below parents that match.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use whyperf_model::{Focus, Hierarchy, Resource};

use super::event::ProgramEvent;

/// Which runs had a resource: the sum of their identifiers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct RunLabel(pub u64);

impl RunLabel {
    /// The identifier of the run of this position, counted from zero; of one that has none, nothing.
    #[must_use]
    pub const fn of(position: u32) -> Self {
        Self(if position < u64::BITS { 1 << position } else { 0 })
    }

    /// Whether the run of this position, counted from zero, had it.
    #[must_use]
    pub const fn holds(self, position: u32) -> bool {
        position < u64::BITS && self.0 >> position & 1 == 1
    }
}

/// Several program events as one forest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventGroup {
    union: ProgramEvent,
    labels: BTreeMap<Resource, RunLabel>,
    runs: u32,
}

impl EventGroup {
    /// As many runs have identifiers.
    pub const MOST_RUNS: u32 = u64::BITS;

    /// One program event alone.
    #[must_use]
    pub fn of(event: &ProgramEvent) -> Self {
        let labels = event.resources().map(|resource| (resource.clone(), RunLabel(1))).collect();
        Self { union: event.clone(), labels, runs: 1 }
    }

    /// ⊕: those of both, the runs of `other` after those of this. `None` where they are more than have identifiers.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<Self> {
        let runs = self.runs.checked_add(other.runs).filter(|runs| *runs <= Self::MOST_RUNS)?;
        let mut labels = self.labels.clone();
        for (resource, label) in &other.labels {
            let shifted = label.0.checked_shl(self.runs).unwrap_or_default();
            labels.entry(resource.clone()).or_default().0 |= shifted;
        }
        let both = self.union.resources().chain(other.union.resources());
        let union = ProgramEvent::new(both.cloned());
        Some(Self { union, labels, runs })
    }

    /// ⊕ of all of them, one after the other.
    #[must_use]
    pub fn of_all<'a>(events: impl IntoIterator<Item = &'a ProgramEvent>) -> Option<Self> {
        let mut events = events.into_iter();
        events.try_fold(Self::default(), |group, event| group.difference(&Self::of(event)))
    }

    /// How many runs it is of.
    #[must_use]
    pub const fn runs(&self) -> u32 {
        self.runs
    }

    /// All resources with who had them, each after those above it.
    pub fn labelled(&self) -> impl Iterator<Item = (&Resource, RunLabel)> {
        self.labels.iter().map(|(resource, label)| (resource, *label))
    }

    /// Who had a resource; nobody where it is not there.
    #[must_use]
    pub fn label(&self, resource: &Resource) -> RunLabel {
        self.labels.get(resource).copied().unwrap_or_default()
    }

    /// The label that all runs together have.
    #[must_use]
    pub const fn everybody(&self) -> RunLabel {
        RunLabel(if self.runs >= u64::BITS { u64::MAX } else { (1 << self.runs) - 1 })
    }

    /// What some runs had and others had not: of each subtree that one label is for, the topmost resource.
    #[must_use]
    pub fn differing(&self) -> Vec<(&Resource, RunLabel)> {
        let differs = |label: RunLabel| label != self.everybody();
        let is_told = |resource: &Resource, label: RunLabel| {
            resource.parent().is_some_and(|above| self.label(&above) == label)
        };
        let found = self.labelled().filter(|(_, label)| differs(*label));
        found.filter(|(resource, label)| !is_told(resource, *label)).collect()
    }

    /// The runs' hierarchies as one event.
    #[must_use]
    pub const fn union(&self) -> &ProgramEvent {
        &self.union
    }

    /// All one-step descents from a focus: each part in turn replaced by each of the children of its resources.
    #[must_use]
    pub fn magnify(&self, focus: &Focus) -> Vec<Focus> {
        Hierarchy::ALL.into_iter().flat_map(|hierarchy| self.magnify_in(focus, hierarchy)).collect()
    }

    /// The same in one hierarchy.
    #[must_use]
    pub fn magnify_in(&self, focus: &Focus, hierarchy: Hierarchy) -> Vec<Focus> {
        let parts = focus.part(hierarchy).iter();
        let children: BTreeSet<Resource> =
            parts.flat_map(|part| self.union.children(part)).cloned().collect();
        focus.magnify(hierarchy, &children.into_iter().collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::example::{event, tester};
    use super::*;

    fn label(group: &EventGroup, name: &str) -> u64 {
        group.label(&name.parse().expect("well formed")).0
    }

    /// The paper's Figures 2 and 3: common resources, and those of one event alone.
    #[test]
    fn a_resource_is_labelled_by_those_that_had_it() {
        let one = event(&["/Code/Module1/a", "/Code/Module2/b", "/Machine/cow03"]);
        let other = event(&["/Code/Module2/b", "/Code/Module2/c", "/Machine/cow07"]);
        let group = EventGroup::of_all([&one, &other]).expect("two runs");
        let labels = [
            ("/Code", 3),
            ("/Code/Module1", 1),
            ("/Code/Module1/a", 1),
            ("/Code/Module2", 3),
            ("/Code/Module2/b", 3),
            ("/Code/Module2/c", 2),
            ("/Machine", 3),
            ("/Machine/cow03", 1),
            ("/Machine/cow07", 2),
            ("/Process", 0),
        ];
        for (name, expected) in labels {
            assert_eq!(label(&group, name), expected, "{name}");
        }
        let told: Vec<&str> = group.differing().iter().map(|(one, _)| one.path()).collect();
        let expected = ["/Code/Module1", "/Code/Module2/c", "/Machine/cow03", "/Machine/cow07"];
        assert_eq!(told, expected, "a subtree of one run is told once");
    }

    /// The paper's Figure 6: a program that was ported from PVM to MPI; procedures and tags of one version alone.
    #[test]
    fn a_port_keeps_its_modules_and_changes_its_tags() {
        let tags = |names: [&str; 4]| names.map(|tag| format!("/SyncObject/Message/{tag}"));
        let code = ["/Code/dfft.c/fft", "/Code/ns3d.c/step", "/Code/p3d.c/transpose"];
        let strips = ["strip", "strip1", "strip2", "strip3"].map(|f| format!("/Code/p3d.c/{f}"));
        let of = |own: Vec<String>| {
            let names = code.iter().map(ToString::to_string).chain(own);
            ProgramEvent::new(names.map(|name| name.parse().expect("well formed")))
        };
        let pvm = of(strips.into_iter().chain(tags(["7", "8", "9", "10"])).collect());
        let mpi = of(tags(["0_1", "0_2", "0_3", "0_5"]).to_vec());
        let group = EventGroup::of_all([&pvm, &mpi]).expect("two runs");
        assert_eq!(label(&group, "/Code/p3d.c"), 3);
        assert_eq!(label(&group, "/Code/p3d.c/strip2"), 1);
        assert_eq!(label(&group, "/SyncObject/Message/0_5"), 2);
        assert_eq!(label(&group, "/SyncObject/Message/9"), 1);
    }

    /// The paper's Figure 8: machines that runs on 4, 8 and 16 nodes share.
    #[test]
    fn labels_of_three_runs_are_sums() {
        let nodes = |names: &[&str]| event(names);
        let group = EventGroup::of_all([
            &nodes(&["/Machine/cow03", "/Machine/cow07"]),
            &nodes(&["/Machine/cow09"]),
            &nodes(&["/Machine/cow03", "/Machine/cow09"]),
        ])
        .expect("three runs");
        let labels =
            ["cow03", "cow07", "cow09"].map(|node| label(&group, &format!("/Machine/{node}")));
        assert_eq!(labels, [5, 1, 6]);
        assert!(group.label(&"/Machine/cow03".parse().expect("well formed")).holds(2));
    }

    #[test]
    fn sixty_four_runs_have_identifiers_and_no_more() {
        let event = event(&["/Code/a.c"]);
        let all =
            EventGroup::of_all(std::iter::repeat_n(&event, 64)).expect("as many as there are");
        assert_eq!(label(&all, "/Code/a.c"), u64::MAX);
        assert_eq!(all.everybody().0, u64::MAX);
        assert_eq!(all.difference(&EventGroup::of(&event)), None);
    }

    /// The paper's Figure 5.
    #[test]
    fn magnify_makes_every_descent_of_one_step() {
        let group = EventGroup::of(&tester());
        let focus = Focus::whole_program();
        let found: Vec<String> = group.magnify(&focus).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 3 + 2 + 2);
        assert!(found.contains(&"</Code/main.C,/Machine,/Process,/SyncObject>".to_owned()));
        let set: Focus = "</Code/(main.C,vect.C),/Process/Tester:1>".parse().expect("well formed");
        let found: Vec<String> = group.magnify(&set).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 1 + 3 + 2, "the children of all resources of a set");
        let inside = "</Code/vect.C/vect::print,/Machine,/Process/Tester:1,/SyncObject>";
        assert!(found.contains(&inside.to_owned()), "{found:?}");
    }
}
