//! Which code the regions of a trace belong to: a trace says where a rank is innermost, and a resource of code is anywhere on the path.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_extrapolate::RegionId;
use whyperf_model::Resource;

/// What a region is the innermost one of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Inside {
    /// Computing.
    Computing,
    /// Calls that work together with others.
    Calls,
}

/// The code on the paths of each region.
#[derive(Debug, Default)]
pub(crate) struct CodePaths(BTreeMap<(Inside, RegionId), OnPaths>);

/// Code on the paths that end in a region.
#[derive(Debug)]
struct OnPaths {
    all: BTreeSet<Resource>,
    some: BTreeSet<Resource>,
}

impl CodePaths {
    /// There is a path of this code that ends in this region.
    pub(crate) fn add(&mut self, inside: Inside, region: RegionId, path: &BTreeSet<Resource>) {
        let new = || OnPaths { all: path.clone(), some: BTreeSet::new() };
        let known = self.0.entry((inside, region)).or_insert_with(new);
        known.all.retain(|one| path.contains(one));
        known.some.extend(path.iter().cloned());
    }

    /// Takes in the paths of another rank.
    pub(crate) fn extend(&mut self, other: Self) {
        for (key, paths) in other.0 {
            match self.0.get_mut(&key) {
                None => {
                    self.0.insert(key, paths);
                }
                Some(known) => {
                    known.all.retain(|one| paths.all.contains(one));
                    known.some.extend(paths.some);
                }
            }
        }
    }

    /// The regions that are always inside of this code; none where there are none, or one is at times only.
    pub(crate) fn regions(&self, inside: Inside, code: &Resource) -> Option<BTreeSet<RegionId>> {
        let mut found = BTreeSet::new();
        for ((_, region), paths) in self.0.iter().filter(|((of, _), _)| *of == inside) {
            if paths.all.contains(code) {
                found.insert(*region);
            } else if paths.some.contains(code) {
                return None;
            }
        }
        (!found.is_empty()).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_belongs_to_the_code_on_all_of_its_paths() {
        let code = |text: &str| Resource::parse(text).expect("a path");
        let [outer, inner, helper] =
            ["/Code/a.c/outer", "/Code/a.c/inner", "/Code/b.c/helper"].map(code);
        let path = |all: &[&Resource]| all.iter().copied().cloned().collect::<BTreeSet<_>>();
        let (mut paths, mut other) = (CodePaths::default(), CodePaths::default());
        paths.add(Inside::Computing, RegionId(1), &path(&[&outer]));
        paths.add(Inside::Computing, RegionId(2), &path(&[&outer, &inner]));
        paths.add(Inside::Computing, RegionId(3), &path(&[&outer, &inner, &helper]));
        paths.add(Inside::Calls, RegionId(1), &path(&[&inner]));
        other.add(Inside::Computing, RegionId(3), &path(&[&outer, &helper]));
        let of = |paths: &CodePaths, code| {
            paths
                .regions(Inside::Computing, code)
                .map(|all| all.iter().map(|one| one.0).collect::<Vec<_>>())
        };
        assert_eq!(of(&paths, &inner), Some(vec![2, 3]));
        paths.extend(other);
        assert_eq!(of(&paths, &outer), Some(vec![1, 2, 3]));
        assert_eq!(of(&paths, &helper), Some(vec![3]));
        assert_eq!(of(&paths, &inner), None, "region 3 is there without it, too");
        assert_eq!(of(&paths, &code("/Code/c.c/other")), None);
    }
}
