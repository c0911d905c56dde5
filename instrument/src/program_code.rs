//! The functions of a program that is still to be run, as a search will call them, and what they call.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use whyperf_code::{Callee, FunctionId, FunctionKind, Object};
use whyperf_model::{CodeFilter, Hierarchy, Resource};

use crate::filtered_function::is_left_out;

/// The code of a program's file.
#[derive(Debug)]
pub struct ProgramCode {
    object: Object,
}

/// What a function calls.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Called {
    /// A function of the same file.
    Function(Resource),
    /// Something of another file, by its name.
    Imported(String),
}

impl ProgramCode {
    /// Opens the file; none where it cannot be read, or is so large that its user would wait.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let is_small = fs::metadata(path).is_ok_and(|metadata| metadata.len() <= LARGEST);
        let object = is_small.then(|| Object::open(path).ok()).flatten()?;
        Some(Self { object })
    }

    /// Its functions, each below its module.
    #[must_use]
    pub fn functions(&self) -> BTreeSet<Resource> {
        self.own().map(|(_, name)| name).collect()
    }

    /// Every call that its code names, with its caller; none where there are so many functions that its user would wait.
    #[must_use]
    pub fn calls(&self) -> Vec<(Resource, Called)> {
        let own: Vec<(FunctionId, Resource)> = self.own().collect();
        if own.len() > MOST_READ {
            return Vec::new();
        }
        let mut calls = Vec::new();
        for (function, name) in own {
            for callee in self.object.callees(function) {
                let called = match callee {
                    Callee::Function(callee) => Called::Function(self.name(callee)),
                    Callee::Imported(callee) => Called::Imported(callee),
                };
                calls.push((name.clone(), called));
            }
        }
        calls
    }

    /// How many of its functions a filter leaves out, and how many there are.
    #[must_use]
    pub fn left_out(&self, filter: &CodeFilter) -> (usize, usize) {
        let is_filtered = |(function, code): &(FunctionId, Resource)| {
            let module = code.parent().map(|module| module.label()).unwrap_or_default();
            is_left_out(filter, (&self.object, *function), [&code.label(), &module])
        };
        let own: Vec<(FunctionId, Resource)> = self.own().collect();
        (own.iter().filter(|function| is_filtered(function)).count(), own.len())
    }

    fn own(&self) -> impl Iterator<Item = (FunctionId, Resource)> {
        let own = (0..).zip(self.object.functions()).filter(|(_, function)| {
            matches!(function.kind, FunctionKind::Ordinary | FunctionKind::Ifunc)
        });
        own.map(|(number, _)| (FunctionId(number), self.name(FunctionId(number))))
    }

    fn name(&self, function: FunctionId) -> Resource {
        let place = self.object.place_of(function);
        Resource::root(Hierarchy::Code).child(&place.module).child(&place.function)
    }
}

/// Bytes of a file that is read in some tens of milliseconds.
const LARGEST: u64 = 16 << 20;
/// The code of so many functions is decoded in some tens of milliseconds.
const MOST_READ: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_program_has_no_functions() {
        assert!(ProgramCode::of(Path::new("/proc/self/maps")).is_none());
        assert!(ProgramCode::of(Path::new("/")).is_none());
    }
}
