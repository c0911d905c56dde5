//! Translates an address in a stub to the program's own address that it stands for.
//!
//! ```text
//!   stub     jmp [word] │ copy of the first instructions │ e9 back │ ... │ inc [count], jmp copy
//!   program  the site   │ each instruction's own address │ behind  │     │ the site
//! ```
//! Registers and stack are the same at both addresses, except within the copy of a call, which moves the stack pointer
//! before it has written the return address: such a place stands for the call, with the stack as it was before.

use crate::patch::{CODE, COUNTING, Patch};

/// What a place in a stub stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StubPlace {
    /// The program's own address.
    pub own: u64,
    /// Where a thread goes on in the stub that comes back to it.
    pub stub: u64,
    /// Bytes that were pushed, and are taken off the stack again.
    pub pushed: u64,
}

/// Where a stub lies, and for what.
#[derive(Clone, Copy, Debug)]
pub struct PatchStub {
    /// The first byte that it replaces.
    pub site: u64,
    /// Its own first byte.
    pub begin: u64,
    /// Where in it the copy of the first instructions begins.
    pub copy: u64,
}

impl PatchStub {
    /// Whether an address lies in it, or in the code behind it that counts calls.
    #[must_use]
    pub const fn has(self, at: u64) -> bool {
        at.wrapping_sub(self.begin) < ROOM
    }

    /// Whether a thread there has not come to the copy yet: it goes there, or is led past it.
    #[must_use]
    pub const fn is_before_copy(self, at: u64) -> bool {
        at < self.copy || at.wrapping_sub(self.begin) >= CODE as u64
    }

    /// What a place in it stands for. Told are the boundaries of instructions, as distances from site and copy, and eight bytes of the
    /// stub from an address on.
    pub fn place<B: Iterator<Item = (u64, u64)>>(
        self,
        at: u64,
        boundaries: impl Fn() -> B,
        code: impl Fn(u64) -> [u8; 8],
    ) -> StubPlace {
        let whole = |own| StubPlace { own, stub: at, pushed: 0 };
        if self.is_before_copy(at) {
            return whole(self.site);
        }
        let distance = at.wrapping_sub(self.copy);
        // The instruction whose copy `at` is in: that one begins there, or at the last place before.
        let (old, new) = boundaries()
            .filter(|(_, new)| *new <= distance)
            .fold((0, 0), |last, pair| if pair.1 >= last.1 { pair } else { last });
        if new == distance {
            return whole(self.site + old);
        }
        let next = boundaries().filter(|(_, new)| *new > distance).min_by_key(|(_, new)| *new);
        let begins = self.copy + new;
        match (code(begins), code(at)) {
            ([0xe8, 5, 0, 0, 0, ..], _) => {
                StubPlace { own: self.site + old, stub: begins, pushed: 8 }
            }
            // Behind what is copied, or where a branch with a short reach leads on.
            (_, [0xe9, a, b, c, d, ..]) => whole(target(at, [a, b, c, d])),
            // Past such a branch.
            (_, [0xeb, over, ..]) => match next {
                Some((old, _)) => whole(self.site + old),
                None => whole(behind(at + 2 + u64::from(over), code)),
            },
            _ => whole(self.site + old),
        }
    }
}

impl Patch {
    /// Its stub.
    #[must_use]
    pub const fn stub(&self) -> PatchStub {
        PatchStub { site: self.site, begin: self.stub, copy: self.copy }
    }

    /// What a place in its stub stands for; `None` elsewhere.
    #[must_use]
    pub fn place(&self, at: u64) -> Option<StubPlace> {
        let stub = self.stub();
        let used = usize::try_from(self.boundary_count).unwrap_or(0);
        let boundaries = || {
            let used = self.boundaries.iter().take(used);
            used.map(|pair| (u64::from(pair.old), u64::from(pair.new)))
        };
        let code = |from: u64| {
            let from = usize::try_from(from.wrapping_sub(stub.begin)).unwrap_or(CODE);
            let mut bytes = self.code.0.iter().skip(from);
            [(); 8].map(|()| bytes.next().copied().unwrap_or(0))
        };
        (stub.begin != 0 && stub.has(at)).then(|| stub.place(at, boundaries, code))
    }
}

/// Where the jump at `at` leads.
fn behind(at: u64, code: impl Fn(u64) -> [u8; 8]) -> u64 {
    let [_, a, b, c, d, ..] = code(at);
    target(at, [a, b, c, d])
}

fn target(at: u64, distance: [u8; 4]) -> u64 {
    at.wrapping_add(5).wrapping_add_signed(i64::from(i32::from_le_bytes(distance)))
}

/// Bytes of a stub with the code that counts calls.
const ROOM: u64 = (CODE + COUNTING) as u64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::{BOUNDARIES, Boundary, StubCode};

    const SITE: u64 = 0x40_1000;
    const BEGIN: u64 = 0x50_0000;
    const COPY: u64 = BEGIN + 8;

    /// A patch with this copy and these boundaries.
    fn patch(copy: &[u8], pairs: &[(u8, u8)]) -> Patch {
        let mut code = StubCode::default();
        code.0[8..8 + copy.len()].copy_from_slice(copy);
        let mut boundaries = [Boundary::default(); BOUNDARIES];
        for (place, (old, new)) in boundaries.iter_mut().zip(pairs) {
            *place = Boundary { old: *old, new: *new };
        }
        let boundary_count = pairs.len() as u64;
        Patch {
            site: SITE,
            stub: BEGIN,
            copy: COPY,
            boundary_count,
            boundaries,
            code,
            ..Patch::default()
        }
    }

    #[test]
    fn a_place_in_a_planned_stub_stands_for_an_address_of_the_program() {
        // push rbp; mov rbp, rsp; sub rsp, 16; jmp + 0x20
        let copy = [0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0xe9, 0x20, 0, 0, 0];
        let patch = patch(&copy, &[(1, 1), (4, 4)]);
        let own = |at| patch.place(at).map(|place| place.own);
        assert_eq!([own(BEGIN), own(COPY), own(BEGIN + CODE as u64)], [Some(SITE); 3]);
        assert_eq!([own(COPY + 1), own(COPY + 4)], [Some(SITE + 1), Some(SITE + 4)]);
        assert_eq!(own(COPY + 8), Some(COPY + 13 + 0x20));
        assert_eq!([own(BEGIN - 1), own(BEGIN + ROOM)], [None; 2]);
        assert_eq!(Patch::default().place(0), None, "it has no stub");
    }

    #[test]
    fn a_thread_is_before_the_copy_or_in_it() {
        let stub = patch(&[0x90], &[]).stub();
        let before = [BEGIN, BEGIN + 6, BEGIN + CODE as u64];
        assert!(before.into_iter().all(|at| stub.is_before_copy(at)));
        assert!(!stub.is_before_copy(COPY) && !stub.is_before_copy(COPY + 1));
    }

    #[test]
    fn what_the_copy_of_a_call_has_pushed_is_told() {
        // nop; then the copy of a call: it pushes an address and corrects it in two halves
        let mut copy = vec![0x90, 0xe8, 5, 0, 0, 0, 0xe9, 0, 0, 0, 0];
        copy.extend([0xc7, 0x04, 0x24, 1, 2, 3, 4, 0xc7, 0x44, 0x24, 4, 5, 6, 7, 8]);
        let patch = patch(&copy, &[(1, 1)]);
        let before = StubPlace { own: SITE + 1, stub: COPY + 1, pushed: 8 };
        assert_eq!(patch.place(COPY + 11), Some(before));
    }
}
