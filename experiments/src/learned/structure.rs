//! The structure of code, as it was seen in a run or read in a file: which functions a function calls, which wrapped calls
//! it makes, which objects it works on.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Hierarchy, Resource};

use crate::record::Record;
use crate::run::StoredProfileRow;

/// How code hangs together, as far as it is known. What is not in it was not seen, which says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeStructure {
    /// The functions that a function calls.
    callees: BTreeMap<Resource, BTreeSet<Resource>>,
    /// The same the other way round.
    callers: BTreeMap<Resource, BTreeSet<Resource>>,
    /// The calls of MPI and of the system that a function makes itself, in small letters.
    wrapped: BTreeMap<Resource, BTreeSet<String>>,
    /// The synchronization objects and files that code works on, and the code that works on each.
    objects: BTreeMap<Resource, BTreeSet<Resource>>,
}

impl CodeStructure {
    /// A function calls another one.
    pub fn add_call(&mut self, caller: &Resource, callee: &Resource) {
        self.callees.entry(caller.clone()).or_default().insert(callee.clone());
        self.callers.entry(callee.clone()).or_default().insert(caller.clone());
    }

    /// A function makes a call that is, or may be, wrapped. Fortran's names are those of C in small letters, with an underscore.
    pub fn add_wrapped(&mut self, caller: &Resource, name: &str) {
        let name = name.trim_end_matches('_').to_lowercase();
        self.wrapped.entry(caller.clone()).or_default().insert(name);
    }

    pub(super) fn add_object(&mut self, code: &Resource, object: &Resource) {
        self.objects.entry(code.clone()).or_default().insert(object.clone());
        self.objects.entry(object.clone()).or_default().insert(code.clone());
    }

    pub(super) fn callees(&self, of: &Resource) -> Option<&BTreeSet<Resource>> {
        self.callees.get(of)
    }

    pub(super) fn callers(&self, of: &Resource) -> Option<&BTreeSet<Resource>> {
        self.callers.get(of)
    }

    /// All functions that call, or are called by, another.
    pub(super) fn functions(&self) -> impl Iterator<Item = &Resource> {
        self.callees.keys().chain(self.callers.keys()).filter(|one| is_function(one))
    }

    pub(super) fn wrapped(&self, by: &Resource) -> Option<&BTreeSet<String>> {
        self.wrapped.get(by)
    }

    /// The objects that code works on, or the code that works on an object.
    pub(super) fn objects(&self, of: &Resource) -> Option<&BTreeSet<Resource>> {
        self.objects.get(of)
    }

    /// What a record and the rows of a profile tell of these functions.
    pub(super) fn of_run<'a>(
        record: Option<&Record>,
        profile: &[StoredProfileRow],
        functions: impl Iterator<Item = &'a Resource>,
    ) -> Self {
        let mut structure = Self::default();
        record.into_iter().for_each(|record| structure.take_record(record));
        let mut named: BTreeMap<&str, Vec<&Resource>> = BTreeMap::new();
        functions.for_each(|one| named.entry(one.name()).or_default().push(one));
        profile.iter().for_each(|row| structure.take_path(row, &named));
        structure
    }

    fn take_record(&mut self, record: &Record) {
        for (caller, callees) in &record.callees {
            callees.iter().for_each(|callee| self.add_call(caller, callee));
        }
        for kind in &record.kinds {
            if let Some(object) = &kind.object {
                kind.code.iter().for_each(|code| self.add_object(code, object));
            }
        }
    }

    /// The names of a callpath stand for functions as far as there is one of that name: the last of them is in the file that the
    /// row names, or is the only one.
    fn take_path(&mut self, row: &StoredProfileRow, named: &BTreeMap<&str, Vec<&Resource>>) {
        let function = |name: &String| named.get(name.as_str());
        let only = |name: &String| function(name).filter(|all| all.len() == 1).map(|all| all[0]);
        for pair in row.path.windows(2) {
            if let (Some(caller), Some(callee)) = (only(&pair[0]), only(&pair[1])) {
                self.add_call(caller, callee);
            }
        }
        let [.., caller, call] = row.path.as_slice() else { return };
        if function(call).is_some() {
            return;
        }
        let file = row.source.as_deref().and_then(|source| source.rsplit_once(':'));
        let is_in_file = |one: &&&Resource| {
            one.parent().is_some_and(|module| Some(module.name()) == file.map(|file| file.0))
        };
        let there = function(caller).and_then(|all| all.iter().find(is_in_file)).copied();
        if let Some(caller) = there.or_else(|| only(caller)) {
            self.add_wrapped(caller, call.split('(').next().unwrap_or(call).trim());
        }
    }
}

pub(super) fn is_function(resource: &Resource) -> bool {
    resource.hierarchy() == Hierarchy::Code && resource.depth() == 2
}

#[cfg(test)]
mod tests {
    use whyperf_model::Nanos;

    use super::*;

    fn resource(name: &str) -> Resource {
        name.parse().expect("well formed")
    }

    fn row(path: &[&str], source: &str) -> StoredProfileRow {
        StoredProfileRow {
            process: 0,
            thread: 0,
            path: path.iter().map(|name| (*name).to_owned()).collect(),
            calls: 1,
            inclusive: Nanos::ZERO,
            exclusive: Nanos::ZERO,
            sent: 0,
            received: 0,
            source: Some(source.to_owned()),
            coverage: None,
        }
    }

    #[test]
    fn a_callpath_tells_who_calls_whom_where_names_are_clear() {
        let all = ["/Code/a.c/main", "/Code/a.c/swap", "/Code/b.c/swap"].map(resource);
        let mut named: BTreeMap<&str, Vec<&Resource>> = BTreeMap::new();
        all.iter().for_each(|one| named.entry(one.name()).or_default().push(one));
        let mut structure = CodeStructure::default();
        structure.take_path(&row(&["main", "swap", "MPI_Send"], "b.c:7"), &named);
        structure.take_path(&row(&["main", "mpi_barrier_"], "a.c:9"), &named);
        structure.take_path(&row(&["swap", "MPI_Recv"], "c.h:1"), &named);
        let calls =
            |of: usize| structure.wrapped(&all[of]).into_iter().flatten().cloned().collect();
        let [main, first, second]: [Vec<String>; 3] = [0, 1, 2].map(calls);
        assert_eq!(main, ["mpi_barrier"]);
        assert_eq!(second, ["mpi_send"], "it is in the file of the call");
        assert_eq!(first, [""; 0], "nobody knows which of the two");
        assert_eq!(structure.callees(&all[0]), None);
    }
}
