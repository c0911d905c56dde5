//! Moves single instructions to another address so that they do the same there.
//!
//! An instruction that names no address is copied byte for byte. Data addressed from the instruction pointer keeps its form
//! with another distance; short branches grow to long ones. A call keeps the return address it would have pushed, so that
//! the callee's caller stays one that unwinders know: a real call, for the sake of the processor's return prediction,
//! pushes an address of the copy, which two stores then correct.

use iced_x86::{Code, FlowControl, Instruction, Mnemonic, OpKind, Register};

use super::body::ends;
use super::refusal::{Refusal, Unmovable};

/// One instruction that will be moved, by addresses of the object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Displaced {
    /// Its address.
    pub(crate) at: u64,
    bytes: [u8; 15],
    length: u8,
    /// Whether nothing follows it.
    ends: bool,
    how: How,
}

/// What moving takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// Its bytes.
    Copy,
    /// Its bytes with another distance at `field`.
    Data { field: u8, target: u64 },
    /// A long jump.
    Jump { target: u64 },
    /// A long conditional jump.
    Condition { code: u8, target: u64 },
    /// A short branch by a counter, which has no long form, to a jump.
    Counted { target: u64 },
    /// A call of a fixed address.
    Call { target: u64 },
    /// A call through a register or memory; `field` is the distance where there is one.
    CallThrough { data: Option<(u8, u64)> },
}

/// Where addresses of the object end up, as moving one instruction needs it.
pub(crate) struct CopyPlaces<'a> {
    /// Run-time address of the copy of this instruction.
    pub(crate) at: u64,
    /// Run-time address behind the last displaced instruction.
    pub(crate) back: u64,
    /// What is added to addresses of the object.
    pub(crate) bias: u64,
    /// Run-time address of the copy of a displaced instruction, by its address in the object.
    pub(crate) copied: &'a dyn Fn(u64) -> Option<u64>,
}

impl Displaced {
    /// Works out how an instruction can be moved.
    pub(crate) fn of(instruction: &Instruction, bytes: &[u8]) -> Result<Self, Refusal> {
        let at = instruction.ip();
        let is_branch = instruction.flow_control() != FlowControl::Next
            && instruction.flow_control() != FlowControl::Return;
        if is_branch && has_size_prefix(bytes) {
            return Err(Refusal::CannotRelocate { at, what: Unmovable::ShortAddress });
        }
        if let Some(what) = unmovable(instruction) {
            return Err(Refusal::CannotRelocate { at, what });
        }
        let mut kept = [0; 15];
        kept[..bytes.len()].copy_from_slice(bytes);
        let how = how(instruction, bytes)?;
        Ok(Self { at, bytes: kept, length: bytes.len() as u8, ends: ends(instruction), how })
    }

    /// Its original bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// Address of the next instruction.
    pub(crate) fn end(&self) -> u64 {
        self.at.wrapping_add(u64::from(self.length))
    }

    /// Length of the copy.
    pub(crate) fn moved_length(&self) -> usize {
        let length = usize::from(self.length);
        match self.how {
            How::Copy | How::Data { .. } => length,
            How::Jump { .. } => 5,
            How::Condition { .. } => 6,
            How::Counted { .. } => length + 2 + 5,
            How::Call { .. } => CALL_FRAME + 5,
            How::CallThrough { .. } => CALL_FRAME + length,
        }
    }

    /// Whether it is a call.
    pub(crate) fn is_call(&self) -> bool {
        matches!(self.how, How::Call { .. } | How::CallThrough { .. })
    }

    /// Whether the code behind its copy is reached from it: a call's copy goes on by itself.
    pub(crate) fn goes_on(&self) -> bool {
        !self.is_call() && !self.ends
    }

    /// The address of the object its copy has to reach, where there is one.
    pub(crate) fn target(&self) -> Option<u64> {
        match self.how {
            How::Copy => None,
            How::Data { target, .. }
            | How::Jump { target }
            | How::Condition { target, .. }
            | How::Counted { target }
            | How::Call { target } => Some(target),
            How::CallThrough { data } => data.map(|(_, target)| target),
        }
    }

    /// Writes the copy.
    pub(crate) fn write(&self, place: &CopyPlaces<'_>, code: &mut Vec<u8>) -> Result<(), Refusal> {
        let mut copy = Copy { at: place.at, code, start: 0 };
        copy.start = copy.code.len();
        let outside = |target: u64| target.wrapping_add(place.bias);
        let inside = |target: u64| (place.copied)(target).unwrap_or_else(|| outside(target));
        match self.how {
            How::Copy => copy.put(self.bytes()),
            How::Data { field, target } => {
                copy.put_with_distance(self.bytes(), field, outside(target))?;
            }
            How::Jump { target } => copy.branch(&[0xe9], inside(target))?,
            How::Condition { code, target } => {
                copy.branch(&[0x0f, 0x80 | code], inside(target))?;
            }
            How::Counted { target } => {
                copy.put(&self.bytes()[..self.bytes().len() - 1]);
                copy.put(&[2, 0xeb, 5]);
                copy.branch(&[0xe9], inside(target))?;
            }
            How::Call { target } => {
                copy.call_frame(place, self.end())?;
                copy.branch(&[0xe9], outside(target))?;
            }
            How::CallThrough { data } => {
                copy.call_frame(place, self.end())?;
                copy.jump_through(self.bytes(), data.map(|(field, to)| (field, outside(to))))?;
            }
        }
        Ok(())
    }
}

/// Bytes of a call's copy before the jump to what is called.
const CALL_FRAME: usize = 5 + 5 + 7 + 8;

/// The copy of one instruction while it is written.
struct Copy<'a> {
    /// Address of its first byte.
    at: u64,
    code: &'a mut Vec<u8>,
    /// Where its first byte is in the code.
    start: usize,
}

impl Copy<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.code.extend_from_slice(bytes);
    }

    fn here(&self) -> u64 {
        self.at.wrapping_add((self.code.len() - self.start) as u64)
    }

    fn branch(&mut self, opcode: &[u8], target: u64) -> Result<(), Refusal> {
        let next = self.here().wrapping_add(opcode.len() as u64 + 4);
        let distance = distance(next, target)?;
        self.put(opcode);
        self.put(&distance.to_le_bytes());
        Ok(())
    }

    fn put_with_distance(&mut self, bytes: &[u8], field: u8, target: u64) -> Result<(), Refusal> {
        let next = self.here().wrapping_add(bytes.len() as u64);
        let distance = distance(next, target)?;
        let field = self.code.len() + usize::from(field);
        self.put(bytes);
        self.code[field..field + 4].copy_from_slice(&distance.to_le_bytes());
        Ok(())
    }

    /// Pushes a return address by a call, and corrects it.
    fn call_frame(&mut self, place: &CopyPlaces<'_>, end: u64) -> Result<(), Refusal> {
        self.put(&[0xe8, 5, 0, 0, 0]);
        self.branch(&[0xe9], place.back)?;
        let back = end.wrapping_add(place.bias).to_le_bytes();
        self.put(&[0xc7, 0x04, 0x24]);
        self.put(&back[..4]);
        self.put(&[0xc7, 0x44, 0x24, 0x04]);
        self.put(&back[4..]);
        Ok(())
    }

    /// A jump by the operand of a call: the same instruction but for three bits behind its opcode.
    fn jump_through(&mut self, call: &[u8], data: Option<(u8, u64)>) -> Result<(), Refusal> {
        let mut jump = call.to_vec();
        if let Some(opcode) = jump.iter().position(|byte| *byte == 0xff)
            && let Some(operand) = jump.get_mut(opcode + 1)
        {
            *operand = *operand & !0x38 | 0x20;
        }
        match data {
            Some((field, target)) => self.put_with_distance(&jump, field, target),
            None => {
                self.put(&jump);
                Ok(())
            }
        }
    }
}

/// Distance of a target from the end of an instruction, where four bytes hold it.
pub(crate) fn distance(next: u64, target: u64) -> Result<i32, Refusal> {
    let distance = target.wrapping_sub(next).cast_signed();
    i32::try_from(distance).map_err(|_| Refusal::ArenaOutOfReach)
}

fn how(instruction: &Instruction, bytes: &[u8]) -> Result<How, Refusal> {
    let target = instruction.near_branch_target();
    Ok(match instruction.flow_control() {
        FlowControl::UnconditionalBranch => How::Jump { target },
        FlowControl::ConditionalBranch if instruction.is_jcc_short_or_near() => {
            How::Condition { code: condition(bytes), target }
        }
        FlowControl::ConditionalBranch => How::Counted { target },
        FlowControl::Call => How::Call { target },
        FlowControl::IndirectCall => How::CallThrough { data: data(instruction, bytes)? },
        _ => match data(instruction, bytes)? {
            Some((field, target)) => How::Data { field, target },
            None => How::Copy,
        },
    })
}

/// The condition a `jcc` tests: the low bits of its opcode.
fn condition(bytes: &[u8]) -> u8 {
    let opcode = match bytes.iter().position(|byte| *byte == 0x0f) {
        Some(escape) if escape + 6 == bytes.len() => bytes[escape + 1],
        _ => bytes[bytes.len() - 2],
    };
    opcode & 0x0f
}

/// Place of the distance in the bytes, and what it leads to, for data at the instruction pointer.
fn data(instruction: &Instruction, bytes: &[u8]) -> Result<Option<(u8, u64)>, Refusal> {
    if !instruction.is_ip_rel_memory_operand() {
        return Ok(None);
    }
    let at = instruction.ip();
    let target = instruction.ip_rel_memory_address();
    let mut decoder = iced_x86::Decoder::with_ip(64, bytes, at, iced_x86::DecoderOptions::NONE);
    let again = decoder.decode();
    let offsets = decoder.get_constant_offsets(&again);
    if instruction.memory_base() == Register::EIP || offsets.displacement_size() != 4 {
        return Err(Refusal::CannotRelocate { at, what: Unmovable::ShortAddress });
    }
    Ok(Some((offsets.displacement_offset() as u8, target)))
}

/// Some processors cut the target of a branch with this prefix to 16 bits, others ignore it.
fn has_size_prefix(bytes: &[u8]) -> bool {
    let prefixes = bytes.iter().take_while(|byte| {
        matches!(byte, 0x26 | 0x2e | 0x36 | 0x3e | 0x40..=0x4f | 0x64..=0x67 | 0xf0 | 0xf2 | 0xf3)
    });
    prefixes.into_iter().any(|byte| *byte == 0x66)
}

fn unmovable(instruction: &Instruction) -> Option<Unmovable> {
    if is_system_call(instruction) {
        return Some(Unmovable::SystemCall);
    }
    match instruction.mnemonic() {
        Mnemonic::Xbegin | Mnemonic::Xabort | Mnemonic::Xend => {
            return Some(Unmovable::Transaction);
        }
        Mnemonic::Ud0 | Mnemonic::Ud1 | Mnemonic::Ud2 | Mnemonic::Hlt => {
            return Some(Unmovable::Trap);
        }
        _ => {}
    }
    let far = [OpKind::FarBranch16, OpKind::FarBranch32].contains(&instruction.op0_kind());
    match instruction.flow_control() {
        FlowControl::Interrupt | FlowControl::Exception => Some(Unmovable::Trap),
        FlowControl::XbeginXabortXend => Some(Unmovable::Transaction),
        _ if far || is_far(instruction.code()) => Some(Unmovable::FarTransfer),
        FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch | FlowControl::Call
            if instruction.op0_kind() != OpKind::NearBranch64 =>
        {
            Some(Unmovable::ShortAddress)
        }
        FlowControl::IndirectCall if uses_stack(instruction) => Some(Unmovable::StackCall),
        _ => None,
    }
}

/// A thread that waits in one may be sent back to its address.
pub(crate) fn is_system_call(instruction: &Instruction) -> bool {
    matches!(instruction.mnemonic(), Mnemonic::Syscall | Mnemonic::Sysenter | Mnemonic::Int)
}

fn is_far(code: Code) -> bool {
    code.is_jmp_far_indirect()
        || code.is_call_far_indirect()
        || code.is_jmp_far()
        || code.is_call_far()
        || matches!(
            code.mnemonic(),
            Mnemonic::Retf
                | Mnemonic::Iret
                | Mnemonic::Iretd
                | Mnemonic::Iretq
                | Mnemonic::Sysret
                | Mnemonic::Sysretq
                | Mnemonic::Sysexit
                | Mnemonic::Sysexitq
        )
}

fn uses_stack(instruction: &Instruction) -> bool {
    [instruction.op0_register(), instruction.memory_base(), instruction.memory_index()]
        .iter()
        .any(|register| register.full_register() == Register::RSP)
}
