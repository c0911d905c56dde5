//! Which address of the program's a place in an arena, or an island, stands for.
//!
//! ```text
//!   arena    stub: jmp [word] │ copy of the first instructions │ e9 back │ ... │ inc [count], jmp copy
//!   program  the site         │ each instruction's own address │ behind  │     │ the site
//! ```
//! An island lies in bytes that belong to no function, for which there are no tables of unwinding: it stands for its
//! site.
//! Registers and stack are the same at both, but within the copy of a call, which pushes the address to return to
//! before it has written it: that stands for the call, with the stack as it was before.

use super::count;
use crate::functions::site::{self, Site};
use core::sync::atomic::Ordering;
use whyperf_layout::patch::CODE;

/// A place in an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// What it stands for.
    pub(super) own: u64,
    /// Where a thread goes on in the arena that comes back to it.
    pub(super) arena: u64,
    /// Bytes that were pushed, and are taken off the stack again.
    pub(super) pushed: u64,
}

/// The place at `at`, if that is in an arena or on an island.
pub(super) fn of(at: u64) -> Option<Place> {
    const ROOM: u64 = (CODE + count::LENGTH) as u64;
    let is_there = |site: &&Site| {
        let stub = site.stub.load(Ordering::Relaxed);
        stub != 0 && at.wrapping_sub(stub) < ROOM
    };
    if super::arena::has(at) {
        return site::all().find(is_there).map(|site| within(site, at));
    }
    let is_island = |site: &&Site| {
        site.island.load(Ordering::Relaxed) == at && !site.is(site::State::Forgotten)
    };
    let site = site::all().find(is_island).filter(|_| at != 0)?;
    let [own, arena] = [&site.at, &site.stub].map(|word| word.load(Ordering::Relaxed));
    Some(Place { own, arena, pushed: 0 })
}

fn within(site: &Site, at: u64) -> Place {
    let [start, stub, copy] =
        [&site.at, &site.stub, &site.copy].map(|word| word.load(Ordering::Relaxed));
    let whole = |own| Place { own, arena: at, pushed: 0 };
    let distance = at.wrapping_sub(copy);
    if at < copy || at.wrapping_sub(stub) >= CODE as u64 {
        return whole(start);
    }
    // The instruction whose copy `at` is in: that one begins there, or at the last place before.
    let first = (0, 0);
    let (old, new) = site
        .boundaries()
        .filter(|(_, new)| *new <= distance)
        .fold(first, |last, pair| if pair.1 >= last.1 { pair } else { last });
    if new == distance {
        return whole(start + old);
    }
    let next = site.boundaries().filter(|(_, new)| *new > distance).min_by_key(|(_, new)| *new);
    let begins = copy + new;
    match (code(begins), code(at)) {
        ([0xe8, 5, 0, 0, 0, ..], _) => Place { own: start + old, arena: begins, pushed: 8 },
        // Behind what is copied, or where a branch with a short reach leads on.
        (_, [0xe9, a, b, c, d, ..]) => whole(target(at, [a, b, c, d])),
        // Past such a branch.
        (_, [0xeb, over, ..]) => match next {
            Some((old, _)) => whole(start + old),
            None => whole(behind(at + 2 + u64::from(over))),
        },
        _ => whole(start + old),
    }
}

/// Where the jump at `at` leads.
fn behind(at: u64) -> u64 {
    let [_, a, b, c, d, ..] = code(at);
    target(at, [a, b, c, d])
}

fn target(at: u64, distance: [u8; 4]) -> u64 {
    at.wrapping_add(5).wrapping_add_signed(i64::from(i32::from_le_bytes(distance)))
}

/// Eight bytes of an arena; a stub's room ends with code that is never read here.
fn code(at: u64) -> [u8; 8] {
    // SAFETY: the address is within the first bytes of a stub's room in an arena: readable, and there for good.
    unsafe { (at as *const [u8; 8]).read_unaligned() }
}

/// Where a thread goes on that was sent to `at`, if there the bytes are those of a patch.
pub(super) fn moved(at: u64) -> Option<u64> {
    site::all().filter(|site| site.is(site::State::Armed)).find_map(|site| site.moved(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use whyperf_layout::Patch;
    use whyperf_layout::patch::{BOUNDARIES, Boundary};

    const SITE: u64 = 0x40_1000;

    /// A site whose stub lies in `room`, with this copy and these boundaries.
    fn site(room: &mut [u8; CODE + 16], copy: &[u8], pairs: &[(u8, u8)]) -> (Site, u64) {
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
        let site = Site::new();
        site.fill(&patch);
        (site, stub + 8)
    }

    fn whole(own: u64, arena: u64) -> Place {
        Place { own, arena, pushed: 0 }
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
            let before = Place { own: SITE + 1, arena: copy + 1, pushed: 8 };
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
