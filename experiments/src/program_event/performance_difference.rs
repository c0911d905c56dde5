//! The performance difference operator: the foci at which two program events differ, found from the whole program downwards.
//!
//! ```text
//!   whole program ── dd? ──┬── /Process/0 ── dd? ──┬── /Code/a.c, /Process/0 ── …
//!                          ├── /Process/1          └── …
//!                          └── /Code/a.c ── dd? ───── (the same focus from here: it is asked once)
//! ```
//! A focus is asked only where one of those that it is a part of differs. Each is asked once, although several ways lead to it; the paper's
//! queue asks it again for each way, with the same answer. Where code is not known, what is below it is asked in its place: a function may have
//! been measured although its module was not. The children of a focus in one hierarchy divide its difference among
//! them, and each says which share of it is its own: above 1 where others made up for a part of it.

use std::collections::{BTreeMap, VecDeque};

use ahash::{AHashMap, AHashSet};
use whyperf_model::{Focus, Hierarchy, Metric, Resource};

use super::discrete_distance::{Delta, DiscreteDistance};
use super::group::EventGroup;
use super::results::{PerformanceResults, alike_results};
use super::trials::Trials;

/// How far a search goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scope {
    /// Below a focus whose difference is a smaller part of that of the whole program nothing is asked; zero asks everything.
    pub least_share: f64,
    /// At most so many foci are asked.
    pub most: usize,
}

impl Scope {
    /// All that the paper's algorithm visits.
    pub const ALL: Self = Self { least_share: 0.0, most: usize::MAX };
}

/// A focus at which two events differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Where.
    pub focus: Focus,
    /// In the first event, in the unit of the metric.
    pub a: Trials,
    /// In the second.
    pub b: Trials,
    /// What the second has more than the first.
    pub change: f64,
}

/// What a search found, the whole program first; nothing where that does not differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DifferenceTree {
    /// In the order in which they were found: a focus after those that it is a part of.
    pub found: Vec<Difference>,
    /// By position in `found`: the nearest foci below it in one hierarchy that differ too, those with the largest part of its difference first.
    pub children: BTreeMap<usize, Vec<Explanation>>,
    /// Foci that were not asked, as there were more than the scope allows.
    pub unasked: usize,
}

/// A focus that explains a part of the difference of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Explanation {
    /// The part's position in `found`.
    pub part: usize,
    /// In which hierarchy it is below, mostly by one step.
    pub hierarchy: Hierarchy,
    /// Its share of the difference; more than all of it where others changed in the other direction.
    pub share: f64,
}

/// The foci at which two events of a group differ in a metric.
pub fn performance_difference(
    group: &EventGroup,
    metric: Metric,
    (a, b): (&mut dyn PerformanceResults, &mut dyn PerformanceResults),
    delta: &Delta,
    scope: Scope,
) -> DifferenceTree {
    let mut tree = DifferenceTree::default();
    let mut queue = VecDeque::from([Focus::whole_program()]);
    let mut known = AHashSet::from([Focus::whole_program()]);
    let mut position: AHashMap<Focus, usize> = AHashMap::new();
    let mut unknown: AHashSet<Focus> = AHashSet::new();
    let mut asked = 0;
    while let Some(focus) = queue.pop_front() {
        if asked >= scope.most {
            tree.unasked = queue.len() + 1;
            break;
        }
        asked += 1;
        let [of_a, of_b] = alike_results(metric, &focus, (&mut *a, &mut *b));
        match delta.distance(&of_a, &of_b) {
            DiscreteDistance::Differs => {}
            DiscreteDistance::Alike => continue,
            DiscreteDistance::Unknown => {
                unknown.insert(focus.clone());
                let below = group.magnify_in(&focus, Hierarchy::Code).into_iter();
                queue.extend(below.filter(|focus| known.insert(focus.clone())));
                continue;
            }
        }
        let change = of_b.mean().unwrap_or_default() - of_a.mean().unwrap_or_default();
        let difference = Difference { focus, a: of_a, b: of_b, change };
        let of_whole = tree.found.first().map_or(change, |whole| whole.change);
        if change.abs() >= scope.least_share * of_whole.abs() {
            let below = group.magnify(&difference.focus).into_iter();
            queue.extend(below.filter(|focus| known.insert(focus.clone())));
        }
        position.insert(difference.focus.clone(), tree.found.len());
        tree.found.push(difference);
    }
    tree.children = explanations(&tree.found, &position, &unknown);
    tree
}

/// Which of those found is one step below which other, and with which share.
fn explanations(
    found: &[Difference],
    position: &AHashMap<Focus, usize>,
    unknown: &AHashSet<Focus>,
) -> BTreeMap<usize, Vec<Explanation>> {
    let mut children: BTreeMap<usize, Vec<Explanation>> = BTreeMap::new();
    for (part, difference) in found.iter().enumerate() {
        for hierarchy in Hierarchy::ALL {
            let [only] = difference.focus.part(hierarchy) else { continue };
            // Beyond what is not known.
            let above = std::iter::successors(only.parent(), Resource::parent);
            let mut foci = above.map(|resource| difference.focus.with(hierarchy, resource));
            let nearest = foci.find(|focus| !unknown.contains(focus));
            let whole = nearest.and_then(|focus| position.get(&focus).copied());
            if let Some(whole) = whole {
                let share = difference.change / found[whole].change;
                children.entry(whole).or_default().push(Explanation { part, hierarchy, share });
            }
        }
    }
    for parts in children.values_mut() {
        parts.sort_by(|one, other| {
            other.share.total_cmp(&one.share).then(one.part.cmp(&other.part))
        });
    }
    children
}
