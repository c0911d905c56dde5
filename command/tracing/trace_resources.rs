//! Which resources of a run are in its trace: code by region, communicators by name, and calls of files.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_extrapolate::{CommId, RegionId};
use whyperf_model::Resource;

use super::code_paths::CodePaths;

/// What the resources of a run are in its trace.
#[derive(Debug, Default)]
pub(crate) struct TraceResources {
    /// Code.
    pub(crate) paths: CodePaths,
    /// Communicators by what they are called: several may be called the same.
    pub(crate) communicators: BTreeMap<String, BTreeSet<CommId>>,
    /// Regions that are calls of files.
    pub(crate) files: BTreeSet<RegionId>,
    /// The program's own regions, which are watched at all times, as functions are not.
    pub(crate) own: BTreeSet<Resource>,
}

impl TraceResources {
    /// Takes in those of another rank.
    pub(crate) fn extend(&mut self, other: Self) {
        self.paths.extend(other.paths);
        for (name, comms) in other.communicators {
            self.communicators.entry(name).or_default().extend(comms);
        }
        self.files.extend(other.files);
        self.own.extend(other.own);
    }

    /// What communicators are called, as facts of the trace.
    pub(crate) fn facts(&self) -> impl Iterator<Item = (String, String)> {
        let one = |(name, comms): (&String, &BTreeSet<CommId>)| {
            let all = comms.iter().map(|comm| (format!("{NAMED} {}", comm.0), name.clone()));
            all.collect::<Vec<_>>()
        };
        self.communicators.iter().flat_map(one)
    }
}

/// The communicators that the facts of a trace call so.
pub(crate) fn communicators_called(
    facts: &[(String, String)],
    name: &str,
) -> Option<BTreeSet<CommId>> {
    let of_fact = |key: &str| Some(CommId(key.strip_prefix(NAMED)?.trim().parse().ok()?));
    let called = facts.iter().filter(|(_, called)| called == name);
    let mut found: BTreeSet<CommId> = called.filter_map(|(key, _)| of_fact(key)).collect();
    if name == WORLD {
        found.insert(CommId::WORLD);
    }
    (!found.is_empty()).then_some(found)
}

/// The key of a fact that names a communicator, before its number.
const NAMED: &str = "communicator";
/// What MPI calls that of all ranks.
const WORLD: &str = "MPI_COMM_WORLD";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn communicators_are_found_by_name() {
        let mut all = TraceResources::default();
        all.communicators.insert("rows".to_owned(), [CommId(1), CommId(4)].into());
        let facts: Vec<_> = all.facts().chain([("host".to_owned(), "rows".to_owned())]).collect();
        assert_eq!(communicators_called(&facts, "rows"), Some([CommId(1), CommId(4)].into()));
        assert_eq!(communicators_called(&facts, WORLD), Some([CommId::WORLD].into()));
        assert_eq!(communicators_called(&facts, "columns"), None);
    }
}
