//! The modules of programs and the functions of modules, the largest ones: for a search that goes by module, not along calls.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Hierarchy, Resource};

use super::known_code::KnownCode;
use crate::function_key::FunctionKey;

/// The modules of the programs and of their own libraries, or the functions of a module: the largest ones.
pub(crate) fn list(code: &mut KnownCode, module: Option<&Resource>) -> Vec<Resource> {
    let mut sizes: BTreeMap<Resource, u64> = BTreeMap::new();
    for key in own_functions(code) {
        let known = code.modules.get(key.module);
        let size = known.code.functions().get(key.function.index());
        let size = size.map_or(0, |function| function.end - function.entry);
        let name = code.name(key);
        let parent = name.parent().unwrap_or_else(|| Resource::root(Hierarchy::Code));
        match module {
            None => *sizes.entry(parent).or_default() += size,
            Some(module) if *module == parent => *sizes.entry(name).or_default() += size,
            Some(_) => {}
        }
    }
    let mut all: Vec<(Resource, u64)> = sizes.into_iter().collect();
    all.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    all.into_iter().take(MOST).map(|(name, _)| name).collect()
}

fn own_functions(code: &mut KnownCode) -> Vec<FunctionKey> {
    let KnownCode { processes, modules, .. } = code;
    let mut own = BTreeSet::new();
    for process in processes.values_mut() {
        own.extend(process.loaded(modules).iter().map(|loaded| loaded.module));
    }
    own.retain(|module| {
        let known = modules.get(*module);
        !(known.is_system() || known.is_ours() || known.is_mpi())
    });
    let of = |module: u32| {
        let functions = modules.get(module).ordinary();
        functions.map(move |function| FunctionKey { module, function })
    };
    let all: Vec<FunctionKey> = own.into_iter().flat_map(of).collect();
    all.into_iter().filter(|key| code.is_of_interest(*key)).collect()
}

/// As many as a search looks at beside each other.
const MOST: usize = 256;
