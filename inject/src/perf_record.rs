//! The records that the kernel puts into the ring of an event, as far as they are asked for here.

use perf_event::Sampler;

use crate::walk::{DwarfRegisters, REGISTERS, RETURN, STACK_POINTER, StackCopy};

/// The bytes of a record after its head.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PerfRecord<'a>(&'a [u8]);

/// Takes the samples that came since the last time; answers how many found no room.
pub(crate) fn drain(sampler: &mut Sampler, mut take: impl FnMut(PerfRecord<'_>)) -> u64 {
    let mut lost = 0;
    while let Some(record) = sampler.next_record() {
        // The library's own parser puts each part of a sample on the heap.
        let bytes = record.to_contiguous();
        let content = PerfRecord(&bytes);
        match record.ty() {
            SAMPLE => take(content),
            LOST => lost += content.word(1).unwrap_or(0),
            _ => {}
        }
    }
    lost
}

impl PerfRecord<'_> {
    /// A word of it.
    pub(crate) fn word(self, at: usize) -> Option<u64> {
        self.0.as_chunks::<8>().0.get(at).copied().map(u64::from_ne_bytes)
    }

    /// From a word on: which registers, these, room for the stack, the stack in it, how much of it is filled.
    pub(crate) fn stack(self, first: usize) -> Option<StackCopy> {
        let is_whole = self.word(first)? == ABI_64;
        let mut registers: DwarfRegisters = [None; REGISTERS];
        for (at, number) in DWARF_NUMBERS.iter().enumerate() {
            registers[*number] = Some(self.word(first + 1 + at)?);
        }
        let room = first + 1 + DWARF_NUMBERS.len();
        let size = usize::try_from(self.word(room)?).ok()?;
        let begin = 8 * (room + 1);
        let copied = self.0.get(begin..begin.checked_add(size)?)?;
        let filled = usize::try_from(self.word(room + 1 + size / 8)?).ok()?;
        let stack = copied.get(..filled)?.to_vec();
        is_whole.then(|| StackCopy::of_copy(registers, stack))
    }
}

/// Kinds of records: of lost ones the second word is how many.
const SAMPLE: u32 = 9;
const LOST: u32 = 2;
/// A program of 64 bits.
const ABI_64: u64 = 2;
/// Bits of the kernel's numbers: all but flags and segments, which no table asks for.
pub(crate) const WANTED_REGISTERS: u64 = 0x00FF_01FF;
/// The tables' numbers of the registers that are wanted, in the kernel's order: ax, bx, cx, dx, si, di, bp, sp, ip, r8 to r15.
const DWARF_NUMBERS: [usize; REGISTERS] =
    [0, 3, 2, 1, 4, 5, 6, STACK_POINTER, RETURN, 8, 9, 10, 11, 12, 13, 14, 15];
