//! The correspondence of two runs, as far as it is known: things of the same name, and proposed pairs.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::Resource;

/// Which thing of the second run is which of the first, and how sure that is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Correspondence {
    to: BTreeMap<Resource, (Resource, f64)>,
    back: BTreeMap<Resource, Resource>,
}

impl Correspondence {
    /// They are one thing; neither is part of another pair yet.
    pub(super) fn join(&mut self, one: &Resource, other: &Resource, confidence: f64) {
        self.to.insert(one.clone(), (other.clone(), confidence));
        self.back.insert(other.clone(), one.clone());
    }

    /// What a thing of the first run is in the second.
    pub(super) fn to(&self, one: &Resource) -> Option<&Resource> {
        self.to.get(one).map(|(other, _)| other)
    }

    /// What a thing of the second run was in the first.
    pub(super) fn back(&self, other: &Resource) -> Option<&Resource> {
        self.back.get(other)
    }

    /// How much of two sets is the same, weighed by how sure that is, of all that has a counterpart at all; none where nothing has. `only_first`:
    /// what the second has more says nothing.
    pub(super) fn common(
        &self,
        left: &BTreeSet<Resource>,
        right: &BTreeSet<Resource>,
        only_first: bool,
    ) -> Option<f64> {
        let known: Vec<&(Resource, f64)> = left.iter().filter_map(|one| self.to.get(one)).collect();
        let common = known.iter().filter(|(other, _)| right.contains(other));
        let (number, sum) =
            common.fold((0, 0.0), |(number, sum), (_, sure)| (number + 1, sum + sure));
        let more = right.iter().filter(|other| self.back.contains_key(*other)).count() - number;
        let all = known.len() + if only_first { 0 } else { more };
        #[expect(clippy::cast_precision_loss, reason = "some hundreds")]
        let all = (all > 0).then_some(all as f64);
        all.map(|all| sum / all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_counterpart_counts_neither_for_nor_against() {
        let all = ["/Code/a/f", "/Code/a/g", "/Code/b/f", "/Code/b/g"].map(|name| name.parse());
        let [f, g, new_f, new_g]: [Resource; 4] = all.map(|name| name.expect("well formed"));
        let set = |some: &[&Resource]| some.iter().map(|one| (*one).clone()).collect();
        let mut known = Correspondence::default();
        let common = |known: &Correspondence, left: &[&Resource], right: &[&Resource]| {
            [false, true].map(|only_first| known.common(&set(left), &set(right), only_first))
        };
        assert_eq!(common(&known, &[&f], &[&new_f]), [None; 2]);
        known.join(&f, &new_f, 1.0);
        assert_eq!(common(&known, &[&f, &g], &[&new_f, &new_g]), [Some(1.0); 2]);
        assert_eq!(common(&known, &[&g], &[&new_f]), [Some(0.0), None]);
        known.join(&g, &new_g, 0.5);
        assert_eq!(common(&known, &[&f], &[&new_f, &new_g]), [Some(0.5), Some(1.0)]);
        assert_eq!(common(&known, &[&g], &[&new_g]), [Some(0.5); 2], "as sure as the pair is");
        assert_eq!((known.to(&g), known.back(&new_g)), (Some(&new_g), Some(&g)));
    }
}
