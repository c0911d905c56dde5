//! Translates an address in an arena, or in a branch island, to the program's own address that it stands for.
//!
//! For a stub, `layout/src/stub_place.rs` translates. An island lies in bytes that belong to no function and have no unwind
//! tables: it stands for its site.

use crate::functions::site::{self, PatchedFunction};
use core::sync::atomic::Ordering;
use whyperf_layout::{PatchStub, StubPlace};

/// The place at `at`, if that is in an arena or on an island.
pub(super) fn of(at: u64) -> Option<StubPlace> {
    let is_there = |site: &&PatchedFunction| {
        let stub = stub(site);
        stub.begin != 0 && stub.has(at)
    };
    if super::arena::has(at) {
        return site::all().find(is_there).map(|site| within(site, at));
    }
    let is_island = |site: &&PatchedFunction| {
        site.island.load(Ordering::Relaxed) == at && !site.is(site::SiteState::Forgotten)
    };
    let site = site::all().find(is_island).filter(|_| at != 0)?;
    let [own, stub] = [&site.at, &site.stub].map(|word| word.load(Ordering::Relaxed));
    Some(StubPlace { own, stub, pushed: 0 })
}

fn within(site: &PatchedFunction, at: u64) -> StubPlace {
    stub(site).place(at, || site.boundaries(), code)
}

fn stub(site: &PatchedFunction) -> PatchStub {
    let [site, begin, copy] =
        [&site.at, &site.stub, &site.copy].map(|word| word.load(Ordering::Relaxed));
    PatchStub { site, begin, copy }
}

/// Eight bytes of an arena; a stub's room ends with code that is never read here.
fn code(at: u64) -> [u8; 8] {
    // SAFETY: the address is within the first bytes of a stub's room in an arena: readable, and there for good.
    unsafe { (at as *const [u8; 8]).read_unaligned() }
}

/// Where a thread goes on that was sent to `at`, if there the bytes are those of a patch.
pub(super) fn moved(at: u64) -> Option<u64> {
    site::all().filter(|site| site.is(site::SiteState::Armed)).find_map(|site| site.moved(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use whyperf_layout::Patch;
    use whyperf_layout::patch::{BOUNDARIES, Boundary, CODE};

    const SITE: u64 = 0x40_1000;

    /// A site whose stub lies in `room`, with this copy and these boundaries.
    fn site(room: &mut [u8; CODE + 16], copy: &[u8], pairs: &[(u8, u8)]) -> (PatchedFunction, u64) {
        room[8..8 + copy.len()].copy_from_slice(copy);
        let stub = room.as_ptr() as u64;
        let mut boundaries = [Boundary::default(); BOUNDARIES];
        for (place, (old, new)) in boundaries.iter_mut().zip(pairs) {
            *place = Boundary { old: *old, new: *new };
        }
        let boundary_count = pairs.len() as u64;
        let patch = Patch {
            site: SITE,
            length: 5,
            stub,
            copy: stub + 8,
            boundary_count,
            boundaries,
            ..Patch::default()
        };
        let site = PatchedFunction::new();
        // SAFETY: nothing is patched here.
        unsafe { site.fill(&patch) };
        (site, stub + 8)
    }

    fn whole(own: u64, arena: u64) -> StubPlace {
        StubPlace { own, stub: arena, pushed: 0 }
    }

    #[test]
    fn each_instruction_stands_for_its_own() {
        let mut room = [0; CODE + 16];
        // push rbp; mov rbp, rsp; sub rsp, 16; jmp + 0x20
        let copy = [0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x10, 0xe9, 0x20, 0, 0, 0];
        let (site, copy) = site(&mut room, &copy, &[(1, 1), (4, 4)]);
        assert_eq!(within(&site, copy - 8), whole(SITE, copy - 8));
        assert_eq!(within(&site, copy), whole(SITE, copy));
        assert_eq!(within(&site, copy + 1), whole(SITE + 1, copy + 1));
        assert_eq!(within(&site, copy + 4), whole(SITE + 4, copy + 4));
        assert_eq!(within(&site, copy + 8), whole(copy + 13 + 0x20, copy + 8));
        let counting = copy - 8 + CODE as u64;
        assert_eq!(within(&site, counting), whole(SITE, counting));
    }

    #[test]
    fn what_a_call_has_pushed_is_taken_back() {
        let mut room = [0; CODE + 16];
        // nop; then the copy of a call: it pushes an address and corrects it in two halves
        let mut copy = vec![0x90, 0xe8, 5, 0, 0, 0, 0xe9, 0, 0, 0, 0];
        copy.extend([0xc7, 0x04, 0x24, 1, 2, 3, 4, 0xc7, 0x44, 0x24, 4, 5, 6, 7, 8]);
        copy.extend([0xe9, 0, 0, 0, 0]);
        let (site, copy) = site(&mut room, &copy, &[(1, 1)]);
        assert_eq!(within(&site, copy + 1), whole(SITE + 1, copy + 1));
        for inside in [11, 18, 26] {
            let before = StubPlace { own: SITE + 1, stub: copy + 1, pushed: 8 };
            assert_eq!(within(&site, copy + inside), before, "{inside}");
        }
    }

    #[test]
    fn a_branch_of_short_reach_leads_where_it_did() {
        let mut room = [0; CODE + 16];
        // jrcxz over the next; jmp over the next; jmp + 0x30; jmp + 0x40
        let copy = [0xe3, 2, 0xeb, 5, 0xe9, 0x30, 0, 0, 0, 0xe9, 0x40, 0, 0, 0];
        let (site, copy) = site(&mut room, &copy, &[]);
        assert_eq!(within(&site, copy + 4), whole(copy + 9 + 0x30, copy + 4));
        assert_eq!(within(&site, copy + 2), whole(copy + 14 + 0x40, copy + 2));
    }
}
