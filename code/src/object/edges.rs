//! The call graph: direct calls read from the code, and calls that were seen to happen.

use std::collections::BTreeSet;

use crate::branches::{Branches, Way};
use crate::function::{FunctionId, FunctionKind};
use crate::object::Object;

/// The function that is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Callee {
    /// A function of the same object.
    Function(FunctionId),
    /// A function of that name, wherever the loader finds it.
    Imported(String),
}

/// What a function calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Each once, in order.
    pub callees: Vec<Callee>,
    /// How many instructions call what only the run tells.
    pub computed: usize,
}

/// What the code of a function and of its fragments calls, jumps at its end among it.
pub(crate) fn direct(object: &Object, caller: FunctionId) -> Calls {
    let mut found = BTreeSet::new();
    let mut computed = 0;
    let mut parts: Vec<FunctionId> = object.parts(caller).collect();
    let mut at = 0;
    while let Some(part) = parts.get(at).copied() {
        at += 1;
        let function = object.functions()[part.index()];
        let code = function.entry..function.end;
        let own;
        let branches = match object.known_branches() {
            Some(all) => all,
            None => {
                own = object.branches_in(code.clone());
                &own
            }
        };
        for exit in branches.exits(code) {
            computed += usize::from(exit.way == Way::Computed);
            found.extend(callee(object, branches, caller, exit.way));
            // Without symbols a fragment is known to belong to what jumps there.
            let fragment = fragment(object, branches, exit.way);
            parts.extend(
                fragment.filter(|fragment| parts.len() < FRAGMENTS && !parts.contains(fragment)),
            );
        }
    }
    Calls { callees: found.into_iter().collect(), computed }
}

/// The fragment of an unnamed function that a jump leads to.
fn fragment(object: &Object, branches: &Branches, way: Way) -> Option<FunctionId> {
    let Way::Jump(to) = way else { return None };
    let target = object.function_at(branches.at(to))?;
    let kind = object.functions()[target.index()].kind;
    (kind == FunctionKind::Fragment { of: None }).then_some(target)
}

fn callee(object: &Object, branches: &Branches, caller: FunctionId, way: Way) -> Option<Callee> {
    match way {
        Way::Call(to) => {
            let to = branches.at(to);
            let inside = object.function_beginning(to).or_else(|| object.function_at(to))?;
            reached(object, inside)
        }
        Way::Jump(to) => {
            // A jump into the middle of a function stays in the one that was cut in parts.
            let target = object.function_beginning(branches.at(to))?;
            if target == caller { None } else { reached(object, target) }
        }
        Way::Slot(slot) => object.filled(branches.at(slot)),
        Way::Computed => None,
    }
}

/// The function that is called where control reaches an entry.
fn reached(object: &Object, target: FunctionId) -> Option<Callee> {
    match object.functions()[target.index()].kind {
        FunctionKind::Ordinary | FunctionKind::Ifunc => Some(Callee::Function(target)),
        FunctionKind::Fragment { .. } => None,
        FunctionKind::PltStub => object.stub_leads_to(target),
    }
}

/// Fragments that one function is followed into.
const FRAGMENTS: usize = 32;
