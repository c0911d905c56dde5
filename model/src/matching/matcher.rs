//! Matches the growth of nodes with pairs: turns it into the growth of each pair, at the cost of what changed.
//!
//! ```text
//!   growth of a node ──► each group its thread is in ──► total of the node's class
//!                                                              │ after the pass, once a class
//!                                                              ▼
//!                                            list of pairs that match the class in this group
//! ```
//! A group is a set of processes and machines. Foci mostly differ in their code and objects, so there are few groups, and a
//! thread is in few of them. Which pairs of a group match a class is found out when the class first grows there, and for a
//! new pair once for each such class.
//!
//! Pairs that compare processes are in a group of their own: all processes are in it, because each is compared with all,
//! and the group is settled after each process, while its totals are those of that process.

use super::active::{Active, OneProcess, PairId, Totals};
use super::classes::{ClassId, Classes};
use super::resources::{Part, ResourceId, Resources};
use std::collections::BTreeSet;

use crate::{Focus, Hierarchy, Metric};

/// The pairs with the same processes and machines.
#[derive(Debug, Default)]
struct PairGroup {
    process: Part,
    machine: Part,
    processes: ProcessCount,
    pairs: Vec<PairId>,
    /// By class: the pairs that match, found out at first need.
    lists: Vec<Option<Vec<PairId>>>,
    totals: Vec<Totals>,
    touched: Vec<ClassId>,
    /// Pairs that left and may still stand in lists.
    stale: usize,
}

/// How the processes of a group are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ProcessCount {
    /// All in one sum.
    #[default]
    Together,
    /// Each by itself, to be compared with the others.
    Apart,
}

/// All pairs, in groups.
#[derive(Debug, Default)]
pub struct Matcher {
    groups: Vec<PairGroup>,
    pairs: Vec<Option<Box<Active>>>,
    /// Raised when groups come or go: threads then look again in which they are.
    version: u64,
    /// Processes that were settled apart since the last comparison.
    present: BTreeSet<u32>,
}

impl Matcher {
    /// Adds a pair, made by `make` once its group is known.
    pub fn start(
        &mut self,
        (metric, focus): (Metric, &Focus),
        classes: &Classes,
        resources: &mut Resources,
        make: impl FnOnce(u32, &mut Resources) -> Active,
    ) -> PairId {
        let compares = metric.definition().aggregation.compares();
        let group = if compares {
            self.group_of(&Focus::whole_program(), ProcessCount::Apart, resources)
        } else {
            self.group_of(focus, ProcessCount::Together, resources)
        };
        let active = make(group, resources);
        let id = PairId(u32::try_from(self.pairs.len()).expect("fewer than 2^32 pairs"));
        let group = &mut self.groups[group as usize];
        group.pairs.push(id);
        for (class, list) in group.lists.iter_mut().enumerate() {
            let class = ClassId(u32::try_from(class).unwrap_or(u32::MAX));
            if let Some(list) = list
                && active.matches(classes.get(class))
            {
                list.push(id);
            }
        }
        self.pairs.push(Some(Box::new(active)));
        id
    }

    /// Takes a pair out; answers what it was.
    pub fn stop(&mut self, id: PairId) -> Option<Box<Active>> {
        let active = self.pairs.get_mut(id.0 as usize)?.take()?;
        let group = &mut self.groups[active.group as usize];
        group.pairs.retain(|pair| *pair != id);
        group.stale += 1;
        if group.pairs.is_empty() {
            *group = PairGroup::default();
            self.version += 1;
        } else if group.stale > group.pairs.len() {
            group.lists.iter_mut().for_each(|list| *list = None);
            group.stale = 0;
        }
        Some(active)
    }

    /// A pair that is being measured.
    pub fn get(&self, id: PairId) -> Option<&Active> {
        self.pairs.get(id.0 as usize)?.as_deref()
    }

    /// A pair that is being measured, to change what came in.
    pub fn get_mut(&mut self, id: PairId) -> Option<&mut Active> {
        self.pairs.get_mut(id.0 as usize)?.as_deref_mut()
    }

    /// The pairs being measured, in the order in which they were started.
    pub fn active(&mut self) -> impl Iterator<Item = (PairId, &mut Active)> {
        (0..)
            .map(PairId)
            .zip(&mut self.pairs)
            .filter_map(|(id, pair)| Some((id, pair.as_deref_mut()?)))
    }

    /// Grows when groups come or go.
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// The groups that something of this lineage (process, thread and machine, sorted) is in.
    pub fn groups_of(&self, lineage: &[ResourceId]) -> Vec<u32> {
        (0..)
            .zip(&self.groups)
            .filter(|(_, group)| !group.pairs.is_empty() && group.admits(lineage))
            .map(|(number, _)| number)
            .collect()
    }

    /// A node of this class grew, in a thread of these groups.
    pub fn grew(&mut self, groups: &[u32], class: ClassId, by: &Totals) {
        for group in groups {
            let group = &mut self.groups[*group as usize];
            let at = class.0 as usize;
            if at >= group.totals.len() {
                group.totals.resize(at + 1, Totals::default());
                group.lists.resize(at + 1, None);
            }
            let totals = &mut group.totals[at];
            if totals.is_nothing() {
                group.touched.push(class);
            }
            totals.add(by);
        }
    }

    /// All of one process came in: it is told apart for pairs that compare. `None` for a process that is not to be compared.
    pub fn settle_apart(&mut self, classes: &Classes, process: Option<&OneProcess<'_>>) {
        self.present.extend(process.map(|process| process.number));
        for group in self.groups.iter_mut().filter(|group| group.processes == ProcessCount::Apart) {
            let touched = std::mem::take(&mut group.touched);
            let Some(process) = process else {
                touched.iter().for_each(|class| group.totals[class.0 as usize] = Totals::default());
                continue;
            };
            for id in &group.pairs {
                if let Some(pair) = &mut self.pairs[id.0 as usize] {
                    pair.watch(process);
                }
            }
            for class in touched {
                let at = class.0 as usize;
                let totals = std::mem::take(&mut group.totals[at]);
                if group.lists[at].is_none() {
                    group.lists[at] = Some(matching(&group.pairs, &self.pairs, classes, class));
                }
                let object = classes.get(class).traits.object;
                for id in group.lists[at].iter().flatten() {
                    if let Some(pair) = &mut self.pairs[id.0 as usize] {
                        pair.take_apart(process, object, &totals);
                    }
                }
            }
        }
    }

    /// Hands what came in to the pairs.
    pub fn settle(&mut self, classes: &Classes) {
        let present = std::mem::take(&mut self.present);
        for pair in self.pairs.iter_mut().flatten().filter(|pair| pair.compares()) {
            pair.compare(|process| present.contains(&process));
        }
        self.settle_so_far(classes);
    }

    /// Hands what came in until now to the pairs that sum up, so that what a process brings can be told from what others do.
    pub fn settle_so_far(&mut self, classes: &Classes) {
        for group in
            self.groups.iter_mut().filter(|group| group.processes == ProcessCount::Together)
        {
            for class in std::mem::take(&mut group.touched) {
                let at = class.0 as usize;
                let totals = std::mem::take(&mut group.totals[at]);
                if group.lists[at].is_none() {
                    group.lists[at] = Some(matching(&group.pairs, &self.pairs, classes, class));
                }
                for id in group.lists[at].iter().flatten() {
                    if let Some(pair) = &mut self.pairs[id.0 as usize] {
                        pair.take(&totals);
                    }
                }
            }
        }
    }

    /// The number of groups, those without pairs included.
    pub fn group_count(&self) -> usize {
        self.groups.len()
    }

    fn group_of(
        &mut self,
        focus: &Focus,
        processes: ProcessCount,
        resources: &mut Resources,
    ) -> u32 {
        let process = Part::of(focus, Hierarchy::Process, resources);
        let machine = Part::of(focus, Hierarchy::Machine, resources);
        let same = |group: &PairGroup| {
            !group.pairs.is_empty()
                && group.processes == processes
                && group.process == process
                && group.machine == machine
        };
        let found = self.groups.iter().position(same);
        let at = found.unwrap_or_else(|| {
            self.version += 1;
            let vacant = self.groups.iter().position(|group| group.pairs.is_empty());
            let at = vacant.unwrap_or(self.groups.len());
            self.groups.resize_with(self.groups.len().max(at + 1), PairGroup::default);
            self.groups[at] = PairGroup { process, machine, processes, ..PairGroup::default() };
            at
        });
        u32::try_from(at).expect("no more groups than pairs")
    }
}

impl PairGroup {
    fn admits(&self, lineage: &[ResourceId]) -> bool {
        self.process.admits(lineage) && self.machine.admits(lineage)
    }
}

impl Totals {
    pub(super) fn is_nothing(&self) -> bool {
        self.time.is_zero() && self.visits == 0 && self.sent == 0 && self.received == 0
    }
}

fn matching(
    candidates: &[PairId],
    pairs: &[Option<Box<Active>>],
    classes: &Classes,
    class: ClassId,
) -> Vec<PairId> {
    let class = classes.get(class);
    let matches =
        |id: &&PairId| pairs[id.0 as usize].as_ref().is_some_and(|pair| pair.matches(class));
    candidates.iter().filter(matches).copied().collect()
}
