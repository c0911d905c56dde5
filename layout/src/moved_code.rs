//! Whether the code of a stub is the moved code of the function that it stands for, and nothing else.
//!
//! The planner moves instructions; the process, which has no disassembler, compares: each byte of the copy is the
//! original's, or belongs to one of the few forms in which an address may be written anew.
//!
//! ```text
//!   original                     copy
//!   any byte                     the same
//!   modrm 00·101, distance       the same, the distance to the same address
//!   eb d8, e9 d32                e9 d32                     to the same address, or its copy
//!   7x d8, 0f 8x d32             0f 8x d32                  the same
//!   e0..e3 d8                    e0..e3 2, eb 5, e9 d32     the same
//!   e8 d32                       frame, e9 d32              the frame pushes the address behind the call
//!   ff /2                        frame, ff /4
//!   0f 1f … of 5 bytes or more   nothing                    where the function begins with it
//!   (end)                        e9 d32                     to the address behind
//! ```
//! Where instructions begin is not known here, so a copy that leaves off in the midst of one passes, too. Of code that the
//! program does not have none does.

use crate::patch::CODE;

/// A function's first instructions and the copy of them, by addresses of the process.
#[derive(Clone, Copy, Debug)]
pub struct MovedCode<'a> {
    /// The function's first byte: a jump there stays in the copy.
    pub entry: u64,
    /// Where the original bytes lie.
    pub site: u64,
    /// The bytes there, more than are moved.
    pub original: &'a [u8],
    /// How many of them change, and are all moved but for padding behind the function's end.
    pub length: usize,
    /// Where the copy lies.
    pub at: u64,
    /// Its bytes.
    pub copy: &'a [u8],
}

/// How far both are read, in bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Read {
    old: usize,
    new: usize,
    /// Whether the copy may end here: what was read last goes on elsewhere.
    ends: bool,
}

/// Bytes of what stands in front of the jump of a call.
const FRAME: usize = 25;
/// Places from which it is tried to read on; more are none of ours.
const TRIES: usize = 512;

impl MovedCode<'_> {
    /// Whether the copy is that of the function.
    #[must_use]
    pub fn is_true(&self) -> bool {
        if self.copy.len() > CODE || self.original.len() < self.length {
            return false;
        }
        let mut open = [Read::default(); 64];
        let mut count = 1_usize;
        for _ in 0..TRIES {
            let Some(read) = count.checked_sub(1).and_then(|last| open.get(last).copied()) else {
                return false;
            };
            if self.is_over(read) {
                return true;
            }
            count -= 1;
            for next in self.steps(read).into_iter().flatten() {
                let Some(place) = open.get_mut(count) else { return false };
                *place = next;
                count += 1;
            }
        }
        false
    }

    /// Whether nothing is left but the way back.
    fn is_over(&self, read: Read) -> bool {
        let rest = self.copy.get(read.new..).unwrap_or(&[]);
        // Behind the end of a function its padding changes, too, which is not moved.
        if rest.is_empty() && read.ends {
            return true;
        }
        let behind = self.site.wrapping_add(read.old as u64);
        let leads_back = rest.first() == Some(&0xe9) && self.target(read.new + 5) == Some(behind);
        read.old >= self.length && rest.len() == 5 && leads_back
    }

    /// Each way to read on.
    fn steps(&self, read: Read) -> [Option<Read>; 5] {
        let steps = [self.same(read), self.distance(read), self.branch(read), self.call(read)];
        let [same, distance, branch, call] = steps;
        [same, distance, branch, call, self.nothing(read)]
    }

    /// A nop that is long enough for the jump: nothing is moved.
    fn nothing(&self, read: Read) -> Option<Read> {
        let length = long_nop(self.original).filter(|length| *length >= self.length)?;
        (read.old == 0).then_some(Read { old: length, ..read })
    }

    /// The same byte.
    fn same(&self, read: Read) -> Option<Read> {
        let byte = *self.original.get(read.old)?;
        const RETURNS: [u8; 2] = [0xc3, 0xc2];
        // A return with bytes of its own ends with them; a jump through memory or a register ends anywhere.
        let before = read.old.checked_sub(1).and_then(|at| self.original.get(at));
        let ends = RETURNS.contains(&byte) || read.ends || before == Some(&0xff);
        let next = Read { old: read.old + 1, new: read.new + 1, ends };
        (self.copy.get(read.new) == Some(&byte)).then_some(next)
    }

    /// The distance of data from the instruction pointer: from both places it leads to the same address.
    fn distance(&self, read: Read) -> Option<Read> {
        let modrm = *self.original.get(read.old.checked_sub(1)?)?;
        let is_addressed = modrm & 0xc7 == 0x05 && read.new > 0;
        let moved = self.site.wrapping_add(read.old as u64);
        let moved = moved.wrapping_sub(self.at.wrapping_add(read.new as u64));
        let old = word(self.original, read.old)?;
        let is_same = i64::from(word(self.copy, read.new)?)
            == i64::from(old).wrapping_add(moved.cast_signed());
        let next = Read { old: read.old + 4, new: read.new + 4, ends: read.ends };
        (is_addressed && is_same).then_some(next)
    }

    /// A jump, with a condition or without, or a branch by a counter.
    fn branch(&self, read: Read) -> Option<Read> {
        let opcode = *self.original.get(read.old)?;
        let second = self.original.get(read.old + 1).copied();
        let short = || Some((2, i64::from(second?.cast_signed())));
        let (length, distance) = match (opcode, second) {
            (0xe9, _) => (5, i64::from(word(self.original, read.old + 1)?)),
            (0x0f, Some(0x80..=0x8f)) => (6, i64::from(word(self.original, read.old + 2)?)),
            (0xeb | 0x70..=0x7f | 0xe0..=0xe3, _) => short()?,
            _ => return None,
        };
        let old = read.old + length;
        let led = self.site.wrapping_add(old as u64).wrapping_add_signed(distance);
        let head: &[u8] = match (opcode, second) {
            (0xe9 | 0xeb, _) => &[0xe9],
            (0x0f, Some(second)) => &[0x0f, second],
            (0xe0..=0xe3, _) => &[opcode, 2, 0xeb, 5, 0xe9],
            (condition, _) => &[0x0f, 0x80 | condition & 0x0f],
        };
        let new = read.new + head.len() + 4;
        let is_one = self.copy.get(read.new..)?.starts_with(head);
        let next = Read { old, new, ends: matches!(opcode, 0xe9 | 0xeb) };
        (is_one && self.leads_to(self.target(new)?, led)).then_some(next)
    }

    /// A call: what it pushes is the address behind the original.
    fn call(&self, read: Read) -> Option<Read> {
        let opcode = *self.original.get(read.old)?;
        let jump = read.new + FRAME;
        let (length, end) = if opcode == 0xe8 { (5, jump + 5) } else { self.through(read, jump)? };
        let old = read.old + length;
        let back = self.site.wrapping_add(old as u64).to_le_bytes();
        let [a, b, c, d, e, f, g, h] = back;
        let frame = self.copy.get(read.new..jump)?;
        let pushes = [0xc7, 0x04, 0x24, a, b, c, d, 0xc7, 0x44, 0x24, 0x04, e, f, g, h];
        let is_frame = frame.starts_with(&[0xe8, 5, 0, 0, 0, 0xe9]) && frame.ends_with(&pushes);
        // The jump in it brings the processor's prediction back; it may lead behind all that is moved.
        let returned = self.target(read.new + 10)?.wrapping_sub(self.site);
        let is_near = returned >= self.length as u64 && returned <= self.original.len() as u64;
        let is_called = opcode != 0xe8 || {
            let distance = i64::from(word(self.original, read.old + 1)?);
            let called = self.site.wrapping_add(old as u64).wrapping_add_signed(distance);
            self.copy.get(jump) == Some(&0xe9) && self.target(end)? == called
        };
        let next = Read { old, new: end, ends: true };
        (is_frame && is_near && is_called).then_some(next)
    }

    /// A call through a register or memory: its length, and where the jump that stands for it ends.
    fn through(&self, read: Read, jump: usize) -> Option<(usize, usize)> {
        const LONGEST: usize = 10;
        let bytes = self.original.get(read.old..)?;
        let opcode = bytes.iter().take(3).position(|byte| *byte == 0xff)?;
        let (before, jump_before) = (bytes.get(..opcode)?, self.copy.get(jump..jump + opcode)?);
        let is_call = before.iter().all(|byte| matches!(byte, 0x2e | 0x3e | 0x40..=0x4f | 0xf2));
        let operand = *bytes.get(opcode + 1)?;
        let written = self.copy.get(jump + opcode..jump + opcode + 2)?;
        let is_jump = written == [0xff, operand & !0x38 | 0x20];
        if !is_call || before != jump_before || operand & 0x38 != 0x10 || !is_jump {
            return None;
        }
        let rest = self.copy.get(jump + opcode + 2..)?;
        let (old, new) = (read.old + opcode + 2, jump + opcode + 2);
        if operand & 0xc7 == 0x05 {
            let Read { old, new, .. } = self.distance(Read { old, new, ends: false })?;
            return (rest.len() == 4).then_some((old - read.old, new));
        }
        let is_same = rest.len() <= LONGEST && self.original.get(old..)?.starts_with(rest);
        is_same.then_some((opcode + 2 + rest.len(), self.copy.len()))
    }

    /// Whether a branch of the copy leads where the original one does: there, or to its copy.
    fn leads_to(&self, target: u64, led: u64) -> bool {
        let inside = self.at..self.at.wrapping_add(self.copy.len() as u64);
        let moved = self.site..self.site.wrapping_add(self.original.len() as u64);
        target == led || inside.contains(&target) && (led == self.entry || moved.contains(&led))
    }

    /// Where four bytes that end here lead.
    fn target(&self, end: usize) -> Option<u64> {
        let distance = i64::from(word(self.copy, end.checked_sub(4)?)?);
        Some(self.at.wrapping_add(end as u64).wrapping_add_signed(distance))
    }
}

/// The length of the nop that these bytes begin with, of the forms that have an operand.
fn long_nop(bytes: &[u8]) -> Option<usize> {
    let prefixes = bytes.iter().take_while(|byte| matches!(byte, 0x66 | 0x2e)).count();
    let [0x0f, 0x1f, operand] = *bytes.get(prefixes..prefixes + 3)? else { return None };
    let address = match operand >> 6 {
        0 if operand & 7 != 5 => 0,
        1 => 1,
        2 => 4,
        _ => return None,
    };
    let index = usize::from(operand & 7 == 4);
    (operand & 0x38 == 0).then_some(prefixes + 3 + index + address)
}

fn word(bytes: &[u8], at: usize) -> Option<i32> {
    let word = bytes.get(at..at.checked_add(4)?)?;
    word.try_into().map(i32::from_le_bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `push rbp; mov rbp, rsp; lea rax, [rip + 0x100]`, at 0x1000.
    const ORIGINAL: [u8; 16] =
        [0x55, 0x48, 0x89, 0xe5, 0x48, 0x8d, 0x05, 0, 1, 0, 0, 0x90, 0x90, 0x90, 0x90, 0x90];

    fn is_true(original: &[u8], copy: &[u8]) -> bool {
        let (entry, site, at) = (0x1000, 0x1000, 0x2000);
        MovedCode { entry, site, original, length: 5, at, copy }.is_true()
    }

    /// The copy of the above at 0x2000.
    fn copy() -> Vec<u8> {
        let mut copy = ORIGINAL[..7].to_vec();
        copy.extend((0x100_i32 - 0x1000).to_le_bytes());
        copy.push(0xe9);
        copy.extend((0x100b_i32 - 0x2010).to_le_bytes());
        copy
    }

    #[test]
    fn moved_instructions_are_known() {
        assert!(is_true(&ORIGINAL, &copy()));
    }

    #[test]
    fn other_code_is_not() {
        for at in 0..copy().len() {
            let mut other = copy();
            other[at] ^= 0x10;
            assert!(!is_true(&ORIGINAL, &other), "byte {at}");
        }
        assert!(!is_true(&ORIGINAL, &[]), "nothing is moved");
        assert!(!is_true(&ORIGINAL, &copy()[..11]), "it does not lead back");
        let longer = [&copy()[..], &[0x90]].concat();
        assert!(!is_true(&ORIGINAL, &longer), "something follows");
    }

    #[test]
    fn branches_lead_where_they_did() {
        // test edi, edi; je 0x1020; nop
        let original = [0x85, 0xff, 0x74, 0x1c, 0x90, 0x90, 0x90];
        let with = |target: i32| {
            let mut copy = vec![0x85, 0xff, 0x0f, 0x84];
            copy.extend((target - 0x2008).to_le_bytes());
            copy.extend([0x90, 0xe9]);
            copy.extend((0x1005_i32 - 0x200e).to_le_bytes());
            copy
        };
        assert!(is_true(&original, &with(0x1020)));
        assert!(!is_true(&original, &with(0x1021)));
    }

    #[test]
    fn of_a_long_nop_nothing_is_moved() {
        let back = |to: i32| [&[0xe9][..], &(to - 0x2005).to_le_bytes()].concat();
        let nop = |bytes: &[u8]| [bytes, &[0x55, 0x55, 0x55]].concat();
        let five = nop(&[0x0f, 0x1f, 0x44, 0, 0]);
        let nine = nop(&[0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0]);
        assert!(is_true(&five, &back(0x1005)) && is_true(&nine, &back(0x1009)));
        assert!(!is_true(&five, &back(0x1006)) && !is_true(&nine, &back(0x1005)));
        assert!(!is_true(&nop(&[0x0f, 0x1f, 0x40, 0]), &back(0x1004)), "it is too short");
        assert!(!is_true(&nop(&[0x0f, 0x1f, 0x4c, 0, 0]), &back(0x1005)), "it is none");
    }

    #[test]
    fn a_call_pushes_its_own_address() {
        // call 0x1105
        let original = [0xe8, 0, 1, 0, 0, 0x90];
        let copy = |behind: u32, called: i32| {
            let mut copy = vec![0xe8, 5, 0, 0, 0, 0xe9];
            copy.extend((0x1005_i32 - 0x200a).to_le_bytes());
            copy.extend([0xc7, 0x04, 0x24]);
            copy.extend(behind.to_le_bytes());
            copy.extend([0xc7, 0x44, 0x24, 4, 0, 0, 0, 0, 0xe9]);
            copy.extend((called - 0x201e).to_le_bytes());
            copy
        };
        assert!(is_true(&original, &copy(0x1005, 0x1105)));
        assert!(!is_true(&original, &copy(0x1006, 0x1105)));
        assert!(!is_true(&original, &copy(0x1005, 0x1106)));
    }
}
