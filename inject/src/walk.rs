//! Unwinds a copy of a thread's stack, by the tables that compilers leave for it: which function called which.

use std::collections::BTreeMap;
use std::rc::Rc;

use gimli::{CfaRule, Register, RegisterRule};

use crate::image::Image;
use crate::maps::ProcessMaps;
use crate::memory::Memory;
use crate::tracee::Registers;

/// A thread at one moment: its registers and the inner end of its stack.
#[derive(Clone, Debug)]
pub(crate) struct StackCopy {
    registers: DwarfRegisters,
    stack: Vec<u8>,
    base: u64,
}

/// By the tables' numbers; `None` where it is not known.
pub(crate) type DwarfRegisters = [Option<u64>; REGISTERS];

/// The objects of a process, read once.
#[derive(Debug)]
pub(crate) struct Images<'a> {
    maps: &'a ProcessMaps,
    memory: &'a Memory,
    known: KnownImages,
}

/// Objects by where they begin.
pub(crate) type KnownImages = BTreeMap<u64, Option<Rc<Image>>>;

/// One function that has not returned.
#[derive(Clone, Debug)]
pub(crate) struct StackFrame {
    /// The object it is in; `None` for code that no file holds.
    pub(crate) image: Option<Rc<Image>>,
    /// An address inside it.
    pub(crate) address: u64,
}

impl StackCopy {
    /// Of a thread that is stopped.
    pub(crate) fn of_stopped(registers: &Registers, memory: &Memory) -> Self {
        let r = registers;
        let registers = [
            r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9, r.r10, r.r11,
            r.r12, r.r13, r.r14, r.r15, r.rip,
        ];
        Self::of_memory(registers.map(Some), memory)
    }

    /// Of a thread whose stack does not change now, and of whose registers these are known.
    pub(crate) fn of_memory(registers: DwarfRegisters, memory: &Memory) -> Self {
        let base = registers[STACK_POINTER].unwrap_or(0).saturating_sub(RED_ZONE);
        Self { registers, stack: memory.read_most(base, STACK), base }
    }

    /// Of a thread that somebody else copied, from its stack pointer on.
    pub(crate) fn of_copy(registers: DwarfRegisters, stack: Vec<u8>) -> Self {
        let base = registers[STACK_POINTER].unwrap_or(0);
        Self { registers, stack, base }
    }

    /// The innermost address.
    pub(crate) fn instruction(&self) -> u64 {
        self.registers[RETURN].unwrap_or(0)
    }

    /// The same at another instruction, with so many bytes less on the stack.
    pub(crate) fn moved(&self, to: u64, pushed: u64) -> Self {
        let mut moved = self.clone();
        moved.registers[RETURN] = Some(to);
        let pointer = &mut moved.registers[STACK_POINTER];
        *pointer = pointer.map(|at| at.wrapping_add(pushed));
        moved
    }

    pub(crate) fn word(&self, at: u64) -> Option<u64> {
        let begin = usize::try_from(at.checked_sub(self.base)?).ok()?;
        let bytes = self.stack.get(begin..begin.checked_add(8)?)?;
        bytes.try_into().ok().map(u64::from_le_bytes)
    }
}

impl<'a> Images<'a> {
    /// None read yet.
    pub(crate) const fn new(maps: &'a ProcessMaps, memory: &'a Memory) -> Self {
        Self { maps, memory, known: BTreeMap::new() }
    }

    /// Some were read before.
    pub(crate) const fn knowing(
        maps: &'a ProcessMaps,
        memory: &'a Memory,
        known: KnownImages,
    ) -> Self {
        Self { maps, memory, known }
    }

    /// What was read.
    pub(crate) fn into_known(self) -> KnownImages {
        self.known
    }

    /// The object around an address.
    pub(crate) fn around(&mut self, address: u64) -> Option<Rc<Image>> {
        let mapped = self.maps.around(address)?;
        let read = || Image::of(mapped, self.memory).map(Rc::new);
        self.known.entry(mapped.range.start).or_insert_with(read).clone()
    }

    /// The functions that have not returned, innermost first, as far as they can be told; and whether
    /// that is all the way.
    pub(crate) fn walk(&mut self, stack: &StackCopy) -> (Vec<StackFrame>, bool) {
        let mut stack = stack.clone();
        let mut frames = Vec::new();
        // A return address belongs to the call before it, but not where the kernel put it.
        let mut is_return = false;
        while frames.len() < MOST_FRAMES {
            let address = stack.instruction().wrapping_sub(u64::from(is_return));
            if stack.instruction() == 0 {
                return (frames, true);
            }
            let image = self.around(address);
            frames.push(StackFrame { image: image.clone(), address });
            let Some(image) = image else { return (frames, false) };
            if image.is_stub(address) {
                // A stub pushes at most two words on its way.
                return (frames, false);
            }
            let Some((row, is_signal)) = image.rules(address) else { return (frames, false) };
            let next = if is_signal { interrupted(&stack) } else { caller(&stack, &row) };
            match next {
                Some(registers)
                    if registers[STACK_POINTER] > stack.registers[STACK_POINTER] || is_signal =>
                {
                    stack.registers = registers;
                }
                _ => return (frames, is_outermost(&row)),
            }
            is_return = !is_signal;
        }
        (frames, false)
    }
}

/// The registers of the caller.
fn caller(stack: &StackCopy, row: &gimli::UnwindTableRow<usize>) -> Option<DwarfRegisters> {
    let CfaRule::RegisterAndOffset { register, offset } = *row.cfa() else { return None };
    let base = (*stack.registers.get(usize::from(register.0))?)?;
    let frame = base.wrapping_add_signed(offset);
    let mut registers = stack.registers;
    registers[STACK_POINTER] = Some(frame);
    registers[RETURN] = None;
    for (rule_of, rule) in row.registers() {
        let number = usize::from(rule_of.0);
        if number >= REGISTERS {
            continue;
        }
        registers[number] = match *rule {
            RegisterRule::SameValue => stack.registers[number],
            RegisterRule::Offset(offset) => Some(stack.word(frame.wrapping_add_signed(offset))?),
            RegisterRule::ValOffset(offset) => Some(frame.wrapping_add_signed(offset)),
            RegisterRule::Register(other) => *stack.registers.get(usize::from(other.0))?,
            RegisterRule::Constant(value) => Some(value),
            _ => None,
        };
    }
    registers[RETURN].is_some().then_some(registers)
}

/// The registers of what a signal handler interrupted: the kernel left them above the handler's frame.
fn interrupted(stack: &StackCopy) -> Option<DwarfRegisters> {
    let context = stack.registers[STACK_POINTER]?.wrapping_add(CONTEXT_REGISTERS);
    let mut registers = stack.registers;
    for (register, place) in registers.iter_mut().zip(CONTEXT_ORDER) {
        *register = Some(stack.word(context + 8 * place)?);
    }
    Some(registers)
}

/// Whether the rules say that there is no caller.
fn is_outermost(row: &gimli::UnwindTableRow<usize>) -> bool {
    matches!(row.register(Register(RETURN as u16)), None | Some(RegisterRule::Undefined))
}

/// Registers are numbered as the tables do it; the last one is the return address.
pub(crate) const REGISTERS: usize = 17;
pub(crate) const STACK_POINTER: usize = 7;
pub(crate) const RETURN: usize = 16;
/// Bytes below the stack pointer that a function may use.
const RED_ZONE: u64 = 128;
/// As much of a stack as is looked at.
const STACK: usize = 512 << 10;
const MOST_FRAMES: usize = 512;
/// Where the registers lie in the context of a signal handler.
const CONTEXT_REGISTERS: u64 = 40;
/// Their order there, by the tables' numbers.
const CONTEXT_ORDER: [u64; REGISTERS] = [13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 16];
