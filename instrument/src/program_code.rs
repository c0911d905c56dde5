//! The functions of a program that is still to be run, as a search will call them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use whyperf_code::{FunctionId, FunctionKind, Object};
use whyperf_model::{Hierarchy, Resource};

/// The functions of a program's file, each below its module; none where it cannot be read, or is so large that its user would wait.
#[must_use]
pub fn program_code(path: &Path) -> BTreeSet<Resource> {
    let is_small = fs::metadata(path).is_ok_and(|metadata| metadata.len() <= LARGEST);
    let object = is_small.then(|| Object::open(path).ok()).flatten();
    let Some(object) = object else { return BTreeSet::new() };
    let own = (0..).zip(object.functions()).filter(|(_, function)| {
        matches!(function.kind, FunctionKind::Ordinary | FunctionKind::Ifunc)
    });
    let named = own.map(|(number, _)| {
        let place = object.place_of(FunctionId(number));
        Resource::root(Hierarchy::Code).child(&place.module).child(&place.function)
    });
    named.collect()
}

/// Bytes of a file that is read in some tens of milliseconds.
const LARGEST: u64 = 16 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_program_has_no_functions() {
        assert_eq!(program_code(Path::new("/proc/self/maps")), BTreeSet::new());
        assert_eq!(program_code(Path::new("/")), BTreeSet::new());
    }
}
