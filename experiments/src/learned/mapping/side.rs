//! One of two runs that are compared: its resources, the verdicts of its search, and the structure of its code.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Hierarchy, Resource};

use crate::learned::EarlierRun;
use crate::learned::structure::{CodeStructure, is_function};

/// How much is known of what there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Knowledge {
    /// What a search met.
    #[default]
    Met,
    /// All of it, met or not.
    Complete,
}

/// One of the two.
#[derive(Debug, Default)]
pub(super) struct Side {
    children: BTreeMap<Resource, BTreeSet<Resource>>,
    /// Of each resource the highest value that each hypothesis had there.
    judged: BTreeMap<Resource, BTreeMap<String, f64>>,
    /// The ranks on each machine.
    ranks: BTreeMap<Resource, BTreeSet<Resource>>,
    pub(super) structure: CodeStructure,
    pub(super) knowledge: Knowledge,
}

impl Side {
    /// A run.
    pub(super) fn of(earlier_run: &EarlierRun) -> Self {
        let mut side = Self { structure: earlier_run.structure.clone(), ..Self::default() };
        for resource in &earlier_run.resources {
            side.admit(resource);
        }
        // What is called is there, met or not.
        let called: Vec<Resource> = side.structure.functions().cloned().collect();
        called.iter().for_each(|function| side.admit(function));
        for asked in earlier_run.questions.values() {
            let parts =
                Hierarchy::ALL.into_iter().flat_map(|hierarchy| asked.focus.part(hierarchy));
            for part in parts {
                // What stack samples led to may have been asked about and never met by an event.
                side.admit(part);
                let Some(value) = asked.value else { continue };
                let known = side.judged.entry(part.clone()).or_default();
                let most = known.entry(asked.hypothesis.clone()).or_insert(value);
                *most = most.max(value);
            }
        }
        for (process, machine) in
            earlier_run.placed.iter().filter(|(process, _)| earlier_run.is_rank(process))
        {
            side.ranks.entry(machine.clone()).or_default().insert(process.clone());
        }
        side
    }

    /// A program that was not run yet.
    pub(super) fn of_program(functions: &BTreeSet<Resource>, structure: &CodeStructure) -> Self {
        let structure = structure.clone();
        let mut side = Self { knowledge: Knowledge::Complete, structure, ..Self::default() };
        functions.iter().for_each(|function| side.admit(function));
        side
    }

    /// It is there, and all that it is below.
    fn admit(&mut self, resource: &Resource) {
        let mut child = resource.clone();
        while let Some(parent) = child.parent() {
            self.children.entry(parent.clone()).or_default().insert(child);
            child = parent;
        }
    }

    /// What is just below a resource, by name.
    pub(super) fn names(&self, parent: &Resource) -> BTreeMap<&str, &Resource> {
        self.below(parent).map(|child| (child.name(), child)).collect()
    }

    /// What is just below a resource.
    fn below(&self, parent: &Resource) -> impl Iterator<Item = &Resource> {
        self.parts(parent).into_iter().flatten()
    }

    /// What is just below a resource, where anything is.
    pub(super) fn parts(&self, parent: &Resource) -> Option<&BTreeSet<Resource>> {
        self.children.get(parent)
    }

    /// All functions.
    pub(super) fn functions(&self) -> impl Iterator<Item = &Resource> {
        let all = self.children.range(Resource::root(Hierarchy::Code)..);
        let all = all.take_while(|(parent, _)| parent.hierarchy() == Hierarchy::Code);
        all.flat_map(|(_, below)| below).filter(|one| is_function(one))
    }

    pub(super) fn has(&self, resource: &Resource) -> bool {
        let siblings = resource.parent().and_then(|parent| self.children.get(&parent));
        siblings.is_some_and(|siblings| siblings.contains(resource))
    }

    /// The highest value of each hypothesis there; none where nothing was judged.
    pub(super) fn judged(&self, resource: &Resource) -> Option<&BTreeMap<String, f64>> {
        self.judged.get(resource)
    }

    /// The ranks on a machine, where it is known who ran there.
    pub(super) fn ranks(&self, machine: &Resource) -> Option<&BTreeSet<Resource>> {
        self.ranks.get(machine)
    }
}

/// Names that are on both sides, on the first alone, and on the second alone.
pub(super) fn divided<'a>(
    left: &BTreeMap<&str, &'a Resource>,
    right: &BTreeMap<&str, &'a Resource>,
) -> [Vec<&'a Resource>; 3] {
    let only = |of: &BTreeMap<&str, &'a Resource>, than: &BTreeMap<&str, &'a Resource>| {
        let alone = of.iter().filter(|(name, _)| !than.contains_key(*name));
        alone.map(|(_, resource)| *resource).collect()
    };
    let same = left.iter().filter(|(name, _)| right.contains_key(*name));
    [same.map(|(_, resource)| *resource).collect(), only(left, right), only(right, left)]
}
