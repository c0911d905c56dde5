//! Which resources of a run are in its trace: code by region, threads by rank, communicators by name, calls of files and of locks.
//!
//! They stand in the trace as facts, so that what its bottlenecks are worth can be told of a stored run, too.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_extrapolate::{CommId, Rank, RegionId};
use whyperf_model::Resource;

use super::code_paths::CodePaths;
use super::resource_facts::{joined, numbered, numbers};

/// What the resources of a run are in its trace.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct TraceResources {
    /// Code.
    pub(crate) paths: CodePaths,
    /// The thread that each rank is.
    pub(crate) threads: BTreeMap<Rank, Resource>,
    /// Communicators by what they are called: several may be called the same.
    pub(crate) communicators: BTreeMap<String, BTreeSet<CommId>>,
    /// Regions that are calls of files.
    pub(crate) files: BTreeSet<RegionId>,
    /// Regions that are calls which wait for locks.
    pub(crate) locks: BTreeSet<RegionId>,
    /// The program's own regions, which are watched at all times, as functions are not.
    pub(crate) own: BTreeSet<Resource>,
}

impl TraceResources {
    /// Those that the facts of a trace say; nothing of a trace that is not of a run.
    pub(crate) fn of(facts: &[(String, String)]) -> Self {
        let mut found = Self { paths: CodePaths::of(facts), ..Self::default() };
        for (name, value) in facts {
            if let Some(rank) = numbered(name, THREAD) {
                found.threads.extend(Resource::parse(value).map(|thread| (Rank(rank), thread)));
            } else if let Some(comm) = numbered(name, COMMUNICATOR) {
                found.communicators.entry(value.clone()).or_default().insert(CommId(comm));
            } else {
                match name.as_str() {
                    FILES => found.files = numbers(value).map(RegionId).collect(),
                    LOCKS => found.locks = numbers(value).map(RegionId).collect(),
                    OWN => found.own = value.split(' ').flat_map(Resource::parse).collect(),
                    _ => {}
                }
            }
        }
        found
    }

    /// Takes in those of another rank.
    pub(crate) fn extend(&mut self, other: Self) {
        self.paths.extend(other.paths);
        for (name, comms) in other.communicators {
            self.communicators.entry(name).or_default().extend(comms);
        }
        self.threads.extend(other.threads);
        self.files.extend(other.files);
        self.locks.extend(other.locks);
        self.own.extend(other.own);
    }

    /// The same as facts of a trace. Their names have no spaces, as the text of a trace wants it.
    pub(crate) fn facts(&self) -> Vec<(String, String)> {
        let mut all = self.paths.facts();
        for (name, comms) in &self.communicators {
            all.extend(
                comms.iter().map(|comm| (format!("{COMMUNICATOR}{}", comm.0), name.clone())),
            );
        }
        let thread = |(rank, thread): (&Rank, &Resource)| {
            (format!("{THREAD}{}", rank.0), thread.path().to_owned())
        };
        all.extend(self.threads.iter().map(thread));
        let regions =
            |of: &BTreeSet<RegionId>| joined(of.iter().map(|region| region.0.to_string()));
        all.push((FILES.to_owned(), regions(&self.files)));
        all.push((LOCKS.to_owned(), regions(&self.locks)));
        all.push((OWN.to_owned(), joined(self.own.iter().map(|own| own.path().to_owned()))));
        all.retain(|(_, value)| !value.is_empty());
        all
    }

    /// The ranks of processes and threads; none where one of them is not in the trace.
    pub(crate) fn ranks(&self, of: &[Resource]) -> Option<BTreeSet<Rank>> {
        let mut found = BTreeSet::new();
        for one in of {
            let inside = self.threads.iter().filter(|(_, thread)| one.contains(thread));
            let mut inside = inside.map(|(rank, _)| *rank).peekable();
            inside.peek()?;
            found.extend(inside);
        }
        Some(found)
    }

    /// The communicators of a name.
    pub(crate) fn called(&self, name: &str) -> Option<BTreeSet<CommId>> {
        let mut found = self.communicators.get(name).cloned().unwrap_or_default();
        if name == WORLD {
            found.insert(CommId::WORLD);
        }
        (!found.is_empty()).then_some(found)
    }
}

const THREAD: &str = "resource:rank:";
const FILES: &str = "resource:files";
const LOCKS: &str = "resource:locks";
const OWN: &str = "resource:own";
/// A fact that names a communicator, before its number.
const COMMUNICATOR: &str = "communicator:";
/// What MPI calls that of all ranks.
const WORLD: &str = "MPI_COMM_WORLD";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracing::code_paths::Inside;

    fn resource(text: &str) -> Resource {
        Resource::parse(text).expect("the test's own resource")
    }

    /// Two ranks, one of a process each.
    fn known() -> TraceResources {
        let mut all = TraceResources::default();
        let own = resource("/Code/a%20b.c/solve");
        all.paths.add(Inside::Calls, RegionId(2), &[own.clone(), resource("/Code/a%20b.c")].into());
        all.paths.add(Inside::Calls, RegionId(2), &[resource("/Code/a%20b.c")].into());
        all.paths.add(Inside::Computing, RegionId(0), &BTreeSet::new());
        all.communicators.insert("my rows".to_owned(), [CommId(1), CommId(4)].into());
        all.threads =
            [0, 1].map(|rank| (Rank(rank), resource(&format!("/Process/{rank}/0")))).into();
        all.files = [RegionId(3), RegionId(5)].into();
        all.locks = [RegionId(4)].into();
        all.own = [own].into();
        all
    }

    #[test]
    fn communicators_are_found_by_name() {
        let all = known();
        assert_eq!(all.called("my rows"), Some([CommId(1), CommId(4)].into()));
        assert_eq!(all.called(WORLD), Some([CommId::WORLD].into()));
        assert_eq!(all.called("columns"), None);
    }

    #[test]
    fn ranks_are_the_threads_that_were_traced() {
        let all = known();
        let of = |paths: &[&str]| {
            let paths: Vec<_> = paths.iter().copied().map(resource).collect();
            all.ranks(&paths).map(|ranks| ranks.iter().map(|rank| rank.0).collect::<Vec<_>>())
        };
        assert_eq!(of(&["/Process"]), Some(vec![0, 1]));
        assert_eq!(of(&["/Process/1", "/Process/0/0"]), Some(vec![0, 1]));
        assert_eq!(of(&["/Process/1/0"]), Some(vec![1]));
        assert_eq!(of(&["/Process/1", "/Process/0/1"]), None, "another thread of rank 0");
    }

    #[test]
    fn what_facts_say_is_what_they_were_made_of() {
        let facts = known().facts();
        assert!(facts.iter().all(|(name, _)| !name.contains(' ')), "{facts:?}");
        assert_eq!(TraceResources::of(&facts), known());
    }
}
