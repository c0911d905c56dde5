//! Finds the functions of a name: of what a user or a search calls `/Code/<module>/<function>`.

use std::collections::BTreeSet;

use whyperf_code::FunctionId;
use whyperf_model::{Hierarchy, Resource};

use super::known_code::KnownCode;
use super::modules::Module;
use crate::function_key::FunctionKey;

/// The functions that a resource names in any process; all of a module's for a module.
pub(crate) fn functions(known: &mut KnownCode, code: &Resource) -> Vec<FunctionKey> {
    known.named(code).unwrap_or_else(|| searched(known, code))
}

/// Where the programs of all processes begin.
pub(crate) fn beginnings(known: &mut KnownCode) -> Vec<FunctionKey> {
    let KnownCode { processes, modules, .. } = known;
    let mut found = BTreeSet::new();
    for process in processes.values_mut() {
        if let Some(module) = process.program(modules) {
            let main = modules.get(module).main_function();
            found.extend(main.map(|function| FunctionKey { module, function }));
        }
    }
    found.into_iter().collect()
}

fn searched(known: &mut KnownCode, code: &Resource) -> Vec<FunctionKey> {
    if code.hierarchy() != Hierarchy::Code || code.is_root() || code.depth() > 2 {
        return Vec::new();
    }
    let mut modules: Vec<u32> = Vec::new();
    for process in known.processes.values_mut() {
        // Libraries come later, too.
        process.look(&mut known.modules);
        let loaded = process.loaded(&mut known.modules);
        modules.extend(loaded.iter().map(|loaded| loaded.module));
    }
    modules.sort_unstable();
    modules.dedup();
    let mut found = Vec::new();
    for module in modules {
        let likely = candidates(known.modules.get(module), code);
        for function in likely {
            let key = FunctionKey { module, function };
            // Who asks for all of a module does not mean what is left out.
            if code.depth() == 1 && known.is_filtered(key) {
                continue;
            }
            if code.contains(&known.modules.get(module).resource(function)) {
                known.name(key);
                found.push(key);
            }
        }
    }
    found
}

/// Functions that may be called so: told by a part of their symbol, for reading where each was
/// written takes longer.
fn candidates(known: &Module, code: &Resource) -> Vec<FunctionId> {
    if code.depth() == 1 {
        return known.ordinary().collect();
    }
    let name = code.label();
    if let Some(address) = name.strip_prefix("0x") {
        let entry = u64::from_str_radix(address, 16).ok();
        return entry.and_then(|entry| known.code.function_beginning(entry)).into_iter().collect();
    }
    let part = simplest(&name).to_lowercase();
    let fits = |function: &FunctionId| {
        let names = known.code.names(*function);
        names.iter().any(|name| name.text.to_lowercase().contains(&part) || name.text == "MAIN__")
    };
    known.ordinary().filter(fits).collect()
}

/// The part of a readable name that its symbol holds as it is.
fn simplest(name: &str) -> &str {
    let name = name.split(['(', '<', '[', ' ', '.']).next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name)
}
