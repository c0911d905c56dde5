//! Plans how the functions of a process are patched.

use whyperf_code::plan::exit;
use whyperf_layout::patch::Patch;

use super::known_code::KnownCode;
use crate::arena::NOWHERE;
use crate::function_key::FunctionKey;
use crate::messages::{CodeExtent, PlanOutcome, Planned};

/// How to patch these functions in a process.
pub(crate) fn plan(
    code: &mut KnownCode,
    process: u32,
    functions: Vec<FunctionKey>,
) -> Vec<Planned> {
    let plan = |function: FunctionKey| {
        let is_system = code.modules.get(function.module).is_system();
        let extent = extent(code, process, function);
        Planned { function, is_system, extent, outcome: outcome(code, process, function) }
    };
    functions.into_iter().map(plan).collect()
}

/// No arena could be mapped there: functions of the process need another.
pub(crate) fn give_up(code: &mut KnownCode, process: u32, arena: u64) {
    if let Some(process) = code.processes.get_mut(&process) {
        process.give_up(arena);
        process.look(&mut code.modules);
    }
}

fn extent(code: &mut KnownCode, process: u32, key: FunctionKey) -> CodeExtent {
    let process = code.processes.get_mut(&process);
    let loaded = process.and_then(|process| process.find(key.module, &mut code.modules));
    loaded.map(|loaded| loaded.extent(key.function, &code.modules)).unwrap_or_default()
}

fn outcome(code: &mut KnownCode, process: u32, key: FunctionKey) -> PlanOutcome {
    if code.is_filtered(key) {
        let exit = exit(&code.modules.get(key.module).code, key.function);
        return PlanOutcome::Refused { reason: FILTERED.to_owned(), exit };
    }
    let KnownCode { processes, modules, .. } = code;
    let Some(process) = processes.get_mut(&process) else { return PlanOutcome::Absent };
    let Some(loaded) = process.find(key.module, modules) else { return PlanOutcome::Absent };
    if modules.get(key.module).announces(key.function) {
        let entry = modules.get(key.module).code.functions()[key.function.index()].entry;
        let entry = entry.wrapping_add(loaded.bias);
        return PlanOutcome::Patch(Box::new(Patch { entry, ..Patch::default() }), NOWHERE);
    }
    let plan = modules.get_mut(key.module).plan(key.function);
    match plan.and_then(|plan| process.patch(&plan, &loaded)) {
        Ok((patch, arena)) => PlanOutcome::Patch(Box::new(patch), arena),
        Err(refusal) => {
            let exit = exit(&modules.get(key.module).code, key.function);
            PlanOutcome::Refused { reason: refusal.to_string(), exit }
        }
    }
}

/// What is told of a function that was asked for all the same.
const FILTERED: &str = "the filter of this run leaves it out";
