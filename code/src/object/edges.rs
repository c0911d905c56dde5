//! The call graph: direct calls read from the code, and calls that were seen to happen.

use std::collections::BTreeSet;
use std::ops::Range;

use super::inventory::Inventory;
use super::linkage::{Filling, Linkage};
use super::shape::Shape;
use crate::branches::{Branches, Way};
use crate::function::{FunctionId, FunctionKind};
use crate::scan::{CodeStretch, scan};

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

/// What calls are read from.
pub(crate) struct ObjectCallGraph<'object> {
    pub(crate) shape: &'object Shape,
    /// The file.
    pub(crate) bytes: &'object [u8],
    pub(crate) inventory: &'object Inventory,
    pub(crate) linkage: &'object Linkage,
    /// All branches, where they are known already.
    pub(crate) branches: Option<&'object Branches>,
}

impl ObjectCallGraph<'_> {
    /// What the code of a function and of its fragments calls, jumps at its end among it.
    pub(crate) fn direct(&self, caller: FunctionId) -> Calls {
        let mut found = BTreeSet::new();
        let mut computed = 0;
        let mut parts: Vec<FunctionId> =
            [caller].into_iter().chain(self.inventory.fragments(caller)).collect();
        let mut at = 0;
        while let Some(part) = parts.get(at).copied() {
            at += 1;
            let function = self.inventory.functions[part.index()];
            let code = function.entry..function.end;
            let own;
            let branches = match self.branches {
                Some(all) => all,
                None => {
                    own = self.branches_in(code.clone());
                    &own
                }
            };
            for exit in branches.exits(code) {
                computed += usize::from(exit.way == Way::Computed);
                found.extend(self.callee(branches, caller, exit.way));
                // Without symbols a fragment is known to belong to what jumps there.
                let fragment = self.fragment(branches, exit.way);
                parts.extend(
                    fragment
                        .filter(|fragment| parts.len() < FRAGMENTS && !parts.contains(fragment)),
                );
            }
        }
        Calls { callees: found.into_iter().collect(), computed }
    }

    /// The branches of one part of the code.
    fn branches_in(&self, range: Range<u64>) -> Branches {
        let code = self.shape.text(self.bytes, range.clone());
        let Some(code) = code else { return Branches::default() };
        scan(self.shape.base, &[CodeStretch { start: range.start, code, length: code.len() }])
    }

    /// The fragment of an unnamed function that a jump leads to.
    fn fragment(&self, branches: &Branches, way: Way) -> Option<FunctionId> {
        let Way::Jump(to) = way else { return None };
        let target = self.inventory.around(branches.at(to))?;
        let kind = self.inventory.functions[target.index()].kind;
        (kind == FunctionKind::Fragment { of: None }).then_some(target)
    }

    fn callee(&self, branches: &Branches, caller: FunctionId, way: Way) -> Option<Callee> {
        match way {
            Way::Call(to) => {
                let to = branches.at(to);
                let inside = self.inventory.beginning(to).or_else(|| self.inventory.around(to))?;
                self.reached(inside)
            }
            Way::Jump(to) => {
                // A jump into the middle of a function stays in the one that was cut in parts.
                let target = self.inventory.beginning(branches.at(to))?;
                if target == caller { None } else { self.reached(target) }
            }
            Way::Slot(slot) => self.filled(branches.at(slot)),
            Way::Computed => None,
        }
    }

    /// The function that is called where control reaches an entry.
    fn reached(&self, target: FunctionId) -> Option<Callee> {
        let function = self.inventory.functions[target.index()];
        match function.kind {
            FunctionKind::Ordinary | FunctionKind::Ifunc => Some(Callee::Function(target)),
            FunctionKind::Fragment { .. } => None,
            FunctionKind::PltStub => self.filled(self.linkage.stub(function.entry)?.slot?),
        }
    }

    /// Which function is called through a relocation slot.
    fn filled(&self, slot: u64) -> Option<Callee> {
        match self.linkage.filling(slot)? {
            Filling::Import(name) => {
                let name = self.inventory.name(name).text;
                (!name.is_empty()).then_some(Callee::Imported(name))
            }
            Filling::Address(entry) | Filling::Chosen(entry) => {
                Some(Callee::Function(self.inventory.beginning(entry)?))
            }
        }
    }
}

/// Fragments that one function is followed into.
const FRAGMENTS: usize = 32;
