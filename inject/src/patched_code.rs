//! Code of patched functions that is in no file: what its places stand for in the program.

use std::collections::BTreeMap;
use std::ops::Range;

use whyperf_layout::Patch;

use crate::walk::StackCopy;

/// The stubs of a process by where they begin. A stub stays for the life of the process, and only the innermost call of a thread can be
/// in one: what a stub calls returns to the program.
#[derive(Debug, Default)]
pub(crate) struct PatchedCode {
    stubs: BTreeMap<u64, Patch>,
}

/// A thread that was met in a stub.
#[derive(Debug)]
pub(crate) struct Interrupted {
    /// Its stack as it would be in the program's own code.
    pub(crate) stack: StackCopy,
    /// Whether it has not come to the function yet.
    pub(crate) is_before_function: bool,
}

impl PatchedCode {
    /// None.
    pub(crate) const fn new() -> Self {
        Self { stubs: BTreeMap::new() }
    }

    /// One more function is patched so, or will be.
    pub(crate) fn add(&mut self, patch: &Patch) {
        self.stubs.insert(patch.stub, *patch);
    }

    /// Nothing is mapped there.
    pub(crate) fn forget(&mut self, range: &Range<u64>) {
        self.stubs.retain(|begin, _| !range.contains(begin));
    }

    /// A thread that is in a stub, as if it were in the program's own code; `None` for others.
    pub(crate) fn interrupted(&self, stack: &StackCopy) -> Option<Interrupted> {
        let at = stack.instruction();
        let (_, patch) = self.stubs.range(..=at).next_back()?;
        let place = patch.place(at)?;
        let is_before_function = patch.stub().is_before_copy(at);
        Some(Interrupted { stack: stack.moved(place.own, place.pushed), is_before_function })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::{REGISTERS, RETURN, STACK_POINTER};

    const SITE: u64 = 0x40_1000;
    const STUB: u64 = 0x50_0000;

    fn code() -> PatchedCode {
        let mut code = PatchedCode::new();
        code.add(&Patch { site: SITE, stub: STUB, copy: STUB + 8, ..Patch::default() });
        code
    }

    fn stack(at: u64) -> StackCopy {
        let mut registers = [None; REGISTERS];
        (registers[RETURN], registers[STACK_POINTER]) = (Some(at), Some(0x7000));
        StackCopy::of_copy(registers, vec![0; 64])
    }

    #[test]
    fn a_thread_in_a_stub_is_told_where_it_is_in_the_program() {
        let found = |at| {
            let found = code().interrupted(&stack(at))?;
            Some((found.stack.instruction(), found.is_before_function))
        };
        assert_eq!(found(STUB), Some((SITE, true)));
        assert_eq!(found(STUB + 8), Some((SITE, false)));
        assert_eq!([found(SITE), found(STUB - 1), found(STUB + 4096)], [None; 3]);
    }

    #[test]
    fn where_nothing_is_mapped_nothing_is_told() {
        let mut code = code();
        code.forget(&(STUB + 1..STUB + 4096));
        assert!(code.interrupted(&stack(STUB)).is_some());
        code.forget(&(STUB..STUB + 4096));
        assert!(code.interrupted(&stack(STUB)).is_none());
    }
}
