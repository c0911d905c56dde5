//! Random experiments, and every focus there is in one.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use whyperf_experiments::{PerformanceResults, ProgramEvent};
use whyperf_model::{Focus, Hierarchy, Metric, Resource};

/// The hierarchies that have anything.
pub(crate) const USED: [Hierarchy; 3] = [Hierarchy::Code, Hierarchy::Machine, Hierarchy::Process];

/// A forest of at most two levels below each root.
pub(crate) fn resources() -> impl Strategy<Value = BTreeSet<Resource>> {
    let one = (0..USED.len(), 0..3u8, proptest::option::of(0..3u8));
    btree_set(one, 0..7).prop_map(|all| {
        let named = all.into_iter().map(|(hierarchy, outer, inner)| {
            let outer = Resource::root(USED[hierarchy]).child(&format!("m{outer}"));
            inner.map_or_else(|| outer.clone(), |inner| outer.child(&format!("f{inner}")))
        });
        named.collect()
    })
}

/// A value for each combination of leaves, as few distinct ones as make differences and ties.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub(crate) event: ProgramEvent,
    cells: BTreeMap<Vec<Resource>, f64>,
    /// How often a focus was asked.
    pub(crate) asked: BTreeMap<Focus, usize>,
}

impl Cells {
    fn new(event: ProgramEvent, values: &[u8]) -> Self {
        let mut combinations: Vec<Vec<Resource>> = vec![Vec::new()];
        for hierarchy in USED {
            let leaves = leaves(&event, hierarchy);
            let with = |known: &Vec<Resource>| {
                let leaves = leaves.iter();
                leaves
                    .map(|leaf| [known.as_slice(), std::slice::from_ref(leaf)].concat())
                    .collect::<Vec<_>>()
            };
            combinations = combinations.iter().flat_map(with).collect();
        }
        let values = values.iter().cycle().map(|value| f64::from(*value));
        let cells = combinations.into_iter().zip(values).collect();
        Self { event, cells, asked: BTreeMap::new() }
    }

    /// What a focus comes to: the sum over the leaves below what it names.
    pub(crate) fn amount(&self, focus: &Focus) -> f64 {
        let counts = |leaves: &[Resource]| {
            leaves
                .iter()
                .all(|leaf| focus.part(leaf.hierarchy()).iter().any(|part| part.contains(leaf)))
        };
        self.cells.iter().filter(|(leaves, _)| counts(leaves)).map(|(_, value)| value).sum()
    }
}

impl PerformanceResults for Cells {
    fn by_trial(&mut self, _: Metric, focus: &Focus) -> Vec<Option<f64>> {
        *self.asked.entry(focus.clone()).or_default() += 1;
        vec![Some(self.amount(focus))]
    }
}

fn leaves(event: &ProgramEvent, hierarchy: Hierarchy) -> Vec<Resource> {
    let root = Resource::root(hierarchy);
    let all = event.resources().filter(|one| one.hierarchy() == hierarchy);
    let found: Vec<Resource> =
        all.filter(|one| event.children(one).next().is_none()).cloned().collect();
    if found.is_empty() { vec![root] } else { found }
}

/// An experiment.
pub(crate) fn cells() -> impl Strategy<Value = Cells> {
    (resources(), vec(0..6u8, 1..40))
        .prop_map(|(resources, values)| Cells::new(ProgramEvent::new(resources), &values))
}

/// Every focus with one resource of each hierarchy.
pub(crate) fn every_focus(event: &ProgramEvent) -> BTreeSet<Focus> {
    let mut foci = vec![Focus::whole_program()];
    for hierarchy in USED {
        let root = Resource::root(hierarchy);
        let below = event.resources().filter(|one| one.hierarchy() == hierarchy && !one.is_root());
        let all: Vec<Resource> = below.cloned().chain([root]).collect();
        foci = foci
            .iter()
            .flat_map(|focus| all.iter().map(|one| focus.with(hierarchy, one.clone())))
            .collect();
    }
    foci.into_iter().collect()
}

/// The foci that one is a step below.
pub(crate) fn one_step_above(focus: &Focus) -> Vec<Focus> {
    let above = |hierarchy: &Hierarchy| {
        let parent = focus.part(*hierarchy)[0].parent()?;
        Some(focus.with(*hierarchy, parent))
    };
    USED.iter().filter_map(above).collect()
}
