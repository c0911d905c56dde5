//! The way from the whole program down to the most special focus that explains most of a difference.
//!
//! ```text
//!   whole program +5 %  ──┬── /Code/sweep.c/sweep  +6 %, all of it
//!                         └── /Process/3          +20 %, all of it     this one: all of the change, and most of its own
//! ```

use whyperf_model::Hierarchy;

use crate::program_event::{Difference, DifferenceTree, EventGroup, Explanation};

/// From the whole program down, always to the part that explains its change best, as long as that is nearly all of it.
pub(super) fn most_special(group: &EventGroup, tree: &DifferenceTree) -> Vec<usize> {
    let mut way: Vec<usize> = tree.found.first().map(|_| 0).into_iter().collect();
    while let Some(last) = way.last() {
        let parts = tree.children.get(last).into_iter().flatten();
        let explains =
            |one: &&Explanation| one.share >= MOST_OF_IT && !is_all_there_is(group, tree, one);
        // With a process its machine is named.
        let has_process = !tree.found[*last].focus.is_root(Hierarchy::Process);
        let is_new = |one: &&Explanation| !(has_process && one.hierarchy == Hierarchy::Machine);
        let most = parts.filter(explains).filter(is_new).min_by(|one, other| {
            let [one, other] = [one, other].map(|one| Rank::of(one, &tree.found[one.part]));
            one.compare(&other)
        });
        let Some(next) = most else { break };
        way.push(next.part);
    }
    way
}

/// By how much something changed as a logarithm, whether it grew or shrank; without end where it came from nothing, or to it.
pub(super) fn own_change(difference: &Difference) -> f64 {
    let [a, b] = [&difference.a, &difference.b].map(|of| of.mean().unwrap_or_default());
    (b / a).abs().ln().abs()
}

/// Whether a part is the only machine, process or thread, and so names nothing.
pub(super) fn is_all_there_is(
    group: &EventGroup,
    tree: &DifferenceTree,
    one: &Explanation,
) -> bool {
    let resource = &tree.found[one.part].focus.part(one.hierarchy)[0];
    let siblings = resource.parent().map_or(0, |above| group.union().children(&above).count());
    matches!(one.hierarchy, Hierarchy::Machine | Hierarchy::Process) && siblings < 2
}

/// What a part is chosen by: the least comes first.
struct Rank {
    /// It changed by more than all, which others made up for, or by less.
    is_beside: bool,
    /// By how much it changed of its own, in tenths: the more, the more special it is.
    tenths: f64,
    /// How far its change is from all of it.
    beside: f64,
    is_machine: bool,
}

impl Rank {
    fn of(one: &Explanation, difference: &Difference) -> Self {
        let beside = (one.share - 1.0).abs();
        Self {
            is_beside: beside > 1.0 - MOST_OF_IT,
            tenths: (own_change(difference) / 0.1).round(),
            beside,
            is_machine: one.hierarchy == Hierarchy::Machine,
        }
    }

    fn compare(&self, other: &Self) -> std::cmp::Ordering {
        let by_size = self.is_beside.cmp(&other.is_beside);
        let by_own = by_size.then(other.tenths.total_cmp(&self.tenths));
        let by_share = by_own.then(self.beside.total_cmp(&other.beside));
        by_share.then(self.is_machine.cmp(&other.is_machine))
    }
}

/// So much of a difference is most of it.
const MOST_OF_IT: f64 = 0.8;
