//! The arenas of a process, which hold the code of its patched functions: each within reach of its module, and where the
//! program has no memory.

use std::ops::Range;

use whyperf_inject::MemoryStretch;
use whyperf_layout::geometry::PAGE;
use whyperf_layout::patch::{CODE as CODE_OF_ONE, COUNTING};

/// The arena of functions that need none: they announce their calls themselves.
pub(crate) const NOWHERE: u64 = 0;

/// A stretch of a process's memory for stubs: words in front, code behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arena {
    pub(crate) address: u64,
    used: u64,
}

/// The places of one function's word and stub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StubRoom {
    pub(crate) word: u64,
    pub(crate) stub: u64,
}

impl Arena {
    /// An empty one.
    pub(crate) const fn at(address: u64) -> Self {
        Self { address, used: 0 }
    }

    /// Room for one more function.
    pub(crate) fn take(&mut self) -> Option<StubRoom> {
        let at = self.used;
        if at >= FUNCTIONS {
            return None;
        }
        self.used += 1;
        let (word, stub) = (self.address + 8 * at, self.address + DATA + STRIDE * at);
        Some(StubRoom { word, stub })
    }

    /// Whether jumps and data references get from all of it to all of a module, and back.
    pub(crate) fn reaches(&self, module: &Range<u64>) -> bool {
        window(module).is_some_and(|window| window.contains(&self.address))
    }
}

/// The memory of the arena at an address.
pub(crate) const fn extent(address: u64) -> Range<u64> {
    address..address.saturating_add(SIZE)
}

/// A free place within reach of a module: in the middle of the largest gap.
pub(crate) fn place(memory: &[MemoryStretch], taken: &[u64], module: &Range<u64>) -> Option<u64> {
    let window = window(module)?;
    let largest = gaps(memory, taken)
        .map(|gap| gap.start.max(window.start)..gap.end.min(window.end + SIZE))
        .filter(|gap| gap.end.checked_sub(gap.start).is_some_and(|size| size >= SIZE))
        .max_by_key(|gap| gap.end - gap.start)?;
    let slack = largest.end - largest.start - SIZE;
    Some((largest.start + slack / 2) / PAGE as u64 * PAGE as u64).filter(|at| *at >= largest.start)
}

/// Where an arena that reaches all of a module may begin.
fn window(module: &Range<u64>) -> Option<Range<u64>> {
    let lowest = module.end.saturating_sub(REACH).max(LOWEST);
    let highest = module.start.saturating_add(REACH).min(HIGHEST).checked_sub(SIZE)?;
    (lowest < highest).then_some(lowest..highest)
}

/// What is free between mappings, less the room that a heap and a stack may yet want.
fn gaps<'a>(
    memory: &'a [MemoryStretch],
    taken: &'a [u64],
) -> impl Iterator<Item = Range<u64>> + 'a {
    let mut used: Vec<Range<u64>> =
        memory.iter().map(|stretch| stretch.start..stretch.end).collect();
    used.extend(taken.iter().map(|at| *at..at + SIZE));
    used.sort_by_key(|range| range.start);
    let mut gaps = Vec::with_capacity(used.len());
    let mut free = LOWEST;
    for (nth, range) in used.iter().enumerate() {
        if range.start > free {
            gaps.push(free..range.start);
        }
        free = free.max(range.end);
        // A program's heap begins behind its data and grows.
        let grows = memory.get(nth).is_some_and(|stretch| stretch.file.is_none());
        if grows && range.end < MODERN {
            free = free.saturating_add(HEAP);
        }
    }
    gaps.push(free..HIGHEST);
    gaps.into_iter()
}

/// Functions of one arena.
const FUNCTIONS: u64 = 2048;
/// Bytes from stub to stub.
const STRIDE: u64 = (CODE_OF_ONE + COUNTING) as u64;
/// Bytes of words, in whole pages.
pub(crate) const DATA: u64 = (8 * FUNCTIONS).next_multiple_of(PAGE as u64);
/// Bytes of code, in whole pages.
pub(crate) const CODE: u64 = (STRIDE * FUNCTIONS).next_multiple_of(PAGE as u64);
const SIZE: u64 = DATA + CODE;
/// How far a jump gets, less a margin.
const REACH: u64 = (2 << 30) - (64 << 10);
/// Below lies what no program may map.
const LOWEST: u64 = 0x1_0000;
/// Above lies the kernel.
const HIGHEST: u64 = 0x7fff_ffff_0000;
/// Libraries and stacks lie above, programs and their heaps below.
const MODERN: u64 = 0x7000_0000_0000;
/// Left free for a heap to grow.
const HEAP: u64 = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;
    use whyperf_inject::MemoryMap;

    fn memory(text: &str) -> Vec<MemoryStretch> {
        MemoryMap::parse(text).stretches().to_vec()
    }

    #[test]
    fn a_program_at_a_fixed_place_has_its_arena_above_its_heap() {
        let memory = memory(
            "00400000-00500000 r-xp 00000000 08:02 17 /a\n\
             00700000-00900000 rw-p 00000000 00:00 0 [heap]\n\
             7ffff7000000-7ffff7200000 r-xp 00000000 08:02 18 /b\n",
        );
        let module = 0x40_0000..0x50_0000;
        let at = place(&memory, &[], &module).expect("there is room");
        assert!(at > 0x90_0000 + HEAP && at + SIZE < module.start + REACH, "{at:#x}");
        assert!(Arena::at(at).reaches(&module));
        assert!(!Arena::at(at).reaches(&(0x7fff_f700_0000..0x7fff_f720_0000)));
        let other = place(&memory, &[at], &module).expect("there is more room");
        assert!(other.abs_diff(at) >= SIZE, "{other:#x}");
    }

    #[test]
    fn rooms_do_not_meet_and_end() {
        let mut arena = Arena::at(0x10_0000);
        let rooms: Vec<StubRoom> = std::iter::from_fn(|| arena.take()).collect();
        assert_eq!(rooms.len() as u64, FUNCTIONS);
        let last = rooms.last().expect("there are some");
        assert!(last.word + 8 <= rooms[0].stub && last.stub + STRIDE <= 0x10_0000 + SIZE);
    }

    #[test]
    fn where_nothing_is_free_nothing_is_placed() {
        let memory = memory("00010000-7fffffff0000 r-xp 00000000 08:02 17 /a\n");
        assert_eq!(place(&memory, &[], &(0x40_0000..0x50_0000)), None);
    }
}
