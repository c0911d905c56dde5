//! Which code the regions of a trace belong to: a trace says where a rank is innermost, and a resource of code is anywhere on the path.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_extrapolate::RegionId;
use whyperf_model::Resource;

use super::resource_facts::{joined, numbered};

/// What a region is the innermost one of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Inside {
    /// Computing.
    Computing,
    /// Calls that work together with others.
    Calls,
}

impl Inside {
    /// How the name of a fact begins that says what is on the paths of a region, before its number.
    const fn fact(self) -> &'static str {
        match self {
            Self::Computing => "resource:computing:",
            Self::Calls => "resource:calls:",
        }
    }
}

/// The code on the paths of each region.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct CodePaths(BTreeMap<(Inside, RegionId), OnPaths>);

/// Code on the paths that end in a region.
#[derive(Debug, PartialEq)]
struct OnPaths {
    /// That is on each of them.
    all: BTreeSet<Resource>,
    /// That is on any.
    some: BTreeSet<Resource>,
}

impl CodePaths {
    /// Those that the facts of a trace say.
    pub(crate) fn of(facts: &[(String, String)]) -> Self {
        let code = facts.iter().find(|(name, _)| name == CODE);
        let code = code.map_or("", |(_, code)| code.as_str());
        let code: Vec<Option<Resource>> =
            code.split(' ').map(|path| Resource::parse(path).ok()).collect();
        let place = |word: &str| code.get(word.parse::<usize>().ok()?)?.clone();
        let mut found = Self::default();
        for (name, value) in facts {
            for inside in [Inside::Computing, Inside::Calls] {
                let Some(region) = numbered(name, inside.fact()) else { continue };
                let always = value.split(' ').filter_map(place);
                let all: BTreeSet<Resource> = always.collect();
                let at_times = value.split(' ').filter_map(|word| place(word.strip_prefix('?')?));
                let some = all.iter().cloned().chain(at_times).collect();
                found.0.insert((inside, RegionId(region)), OnPaths { all, some });
            }
        }
        found
    }

    /// The same as facts: all code by number, and of each region the numbers of what is on its paths, with a question mark before what is on
    /// some of them only.
    pub(crate) fn facts(&self) -> Vec<(String, String)> {
        let code: BTreeSet<&Resource> = self.0.values().flat_map(|paths| &paths.some).collect();
        let numbers: BTreeMap<&Resource, usize> = code.iter().copied().zip(0..).collect();
        let of = |((inside, region), paths): (&(Inside, RegionId), &OnPaths)| {
            let number = |one: &Resource| {
                let mark = if paths.all.contains(one) { "" } else { "?" };
                format!("{mark}{}", numbers[one])
            };
            let numbers = joined(paths.some.iter().map(number));
            // A path without code is one, too.
            let numbers = if numbers.is_empty() { NOTHING.to_owned() } else { numbers };
            (format!("{}{}", inside.fact(), region.0), numbers)
        };
        let code = joined(code.iter().map(|one| one.path().to_owned()));
        std::iter::once((CODE.to_owned(), code)).chain(self.0.iter().map(of)).collect()
    }

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

/// The fact that has all code.
const CODE: &str = "resource:code";
/// What stands for no code.
const NOTHING: &str = "-";

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
