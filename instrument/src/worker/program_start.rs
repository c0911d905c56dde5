//! Finds where a program begins: the function that the kernel or the loader goes to, and the `main` that is called from
//! there.

use whyperf_code::{FunctionId, FunctionKind, Object};

use super::references;

/// What the kernel or the loader begins with, if the object is a program.
pub(crate) fn first_function(code: &Object) -> Option<FunctionId> {
    let header = code.address(0)?;
    let field = code.read(header + START..header + START + 8)?;
    code.function_at(u64::from_le_bytes(field.try_into().ok()?))
}

/// Where a program begins, after what the system puts before it: one of these functions that may be asked about.
pub(crate) fn main_function(
    code: &Object,
    mut ordinary: impl Iterator<Item = FunctionId>,
) -> Option<FunctionId> {
    let is_main = |id: &FunctionId| code.names(*id).iter().any(|name| name.text == "main");
    if let Some(main) = ordinary.find(is_main) {
        return Some(main);
    }
    // Without names: what the kernel begins with passes the address of `main` on.
    let start = first_function(code)?;
    let passed = references::in_code(code, start);
    let is_whole = |id: &FunctionId| code.functions()[id.index()].kind == FunctionKind::Ordinary;
    passed.into_iter().filter(|id| *id != start && is_whole(id)).max_by_key(|id| {
        let function = code.functions()[id.index()];
        function.end - function.entry
    })
}

/// Where in a file's header stands at which address its program begins.
const START: u64 = 24;
