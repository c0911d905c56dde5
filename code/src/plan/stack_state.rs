//! The tracked values of the stack pointer, and of registers derived from it, before one instruction.
//!
//! Offsets count from the stack pointer at entry: the return address is at 0, arguments passed on the stack begin at 8, the
//! function's own frame lies below 0. An address below 0 is assumed to stay inside of the object it was made for, as it
//! does in compiled code; an address of 8 or above is not tracked: an instruction that makes one ends the proof.

use iced_x86::{
    Instruction, InstructionInfoFactory, InstructionInfoOptions, Mnemonic, OpAccess, OpKind,
    Register,
};

/// What a register holds, as far as the stack is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Nothing that is tracked.
    Other,
    /// The address at this offset.
    Exactly(i64),
    /// An address of the stack at this offset or below.
    AtMost(i64),
    /// What was kept on the stack, where it is not known which of it.
    Kept,
}

/// Tracked values before one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StackState {
    registers: [Value; 16],
    /// Values that were stored in the frame, by offset.
    slots: Vec<(i64, Value)>,
}

/// What looking through a function found out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    /// The first instruction that may use the stack above the return address, to an unknown extent.
    pub(crate) above: Option<u64>,
    /// Where what is used above the return address ends, as far as that is known; and the first
    /// instruction that reaches so far.
    pub(crate) reach: Option<(i64, u64)>,
    /// The first instruction that uses the return address.
    pub(crate) return_address: Option<u64>,
    /// The first instruction that loads a foreign stack pointer.
    pub(crate) stack_switch: Option<u64>,
}

impl Findings {
    fn reach_to(&mut self, end: i64, instruction: &Instruction) {
        if self.reach.is_none_or(|(known, _)| known < end) {
            self.reach = Some((end, instruction.ip()));
        }
    }
}

impl Value {
    fn plus(self, amount: i64) -> Self {
        match self {
            Self::Other | Self::Kept => self,
            Self::Exactly(offset) => Self::Exactly(offset.saturating_add(amount)),
            Self::AtMost(offset) => Self::AtMost(offset.saturating_add(amount)),
        }
    }

    /// After masking low bits, or taking away an unknown amount.
    fn lowered(self) -> Self {
        match self {
            Self::Other | Self::Kept => self,
            Self::Exactly(offset) | Self::AtMost(offset) => Self::AtMost(offset),
        }
    }

    fn join(self, other: Self) -> Self {
        match (self, other) {
            _ if self == other => self,
            (Self::Other, _) | (_, Self::Other) => Self::Other,
            (Self::Kept, _) | (_, Self::Kept) => Self::Kept,
            (Self::Exactly(a) | Self::AtMost(a), Self::Exactly(b) | Self::AtMost(b)) => {
                Self::AtMost(a.max(b))
            }
        }
    }
}

impl StackState {
    /// At the entry of a function.
    pub(crate) fn at_entry() -> Self {
        let mut state = Self { registers: [Value::Other; 16], slots: Vec::new() };
        state.set(Register::RSP, Value::Exactly(0));
        state
    }

    pub(crate) fn stack_pointer(&self) -> Value {
        self.value(Register::RSP)
    }

    /// Gives up on the stack pointer.
    pub(crate) fn lose_stack_pointer(&mut self) {
        self.set(Register::RSP, Value::Other);
    }

    /// What holds after either of two ways. Says whether that is less than before.
    pub(crate) fn join(&mut self, other: &Self) -> bool {
        self.join_by(other, |_, joined| joined)
    }

    /// The same where it was less than before several times: an address that a loop moves stays inside
    /// of its object, so it is not followed any further. The stack pointer is.
    pub(crate) fn join_again(&mut self, other: &Self) -> bool {
        self.join_by(other, |known, joined| if joined == known { known } else { Value::Other })
    }

    fn join_by(&mut self, other: &Self, settle: impl Fn(Value, Value) -> Value) -> bool {
        let before = self.clone();
        let stack_pointer = self.stack_pointer().join(other.stack_pointer());
        for (mine, theirs) in self.registers.iter_mut().zip(other.registers) {
            *mine = settle(*mine, mine.join(theirs));
        }
        self.set(Register::RSP, stack_pointer);
        self.slots.retain_mut(|(offset, value)| {
            *value = settle(*value, value.join(other.slot(*offset)));
            *value != Value::Other
        });
        *self != before
    }

    /// A call: what it may change is forgotten.
    pub(crate) fn call(&mut self) {
        for register in CLOBBERED {
            self.set(register, Value::Other);
        }
    }

    /// Where `cmp a, b` found equality, both hold what is known of either.
    pub(crate) fn equal(&mut self, compare: &Instruction) {
        if compare.mnemonic() != Mnemonic::Cmp
            || compare.op0_kind() != OpKind::Register
            || compare.op1_kind() != OpKind::Register
        {
            return;
        }
        let sides = (compare.op0_register(), compare.op1_register());
        let ((Register::RSP, other) | (other, Register::RSP)) = sides else { return };
        if let exact @ Value::Exactly(_) = self.value(other) {
            self.set(Register::RSP, exact);
        }
    }

    /// Looks at the operand of an instruction without carrying it out.
    pub(crate) fn look(&self, instruction: &Instruction, findings: &mut Findings) {
        if let Some(address) = self.address(instruction) {
            address.judge(instruction, findings);
        }
    }

    /// The effect of an instruction that does not transfer control.
    pub(crate) fn step(
        &mut self,
        instruction: &Instruction,
        info: &mut InstructionInfoFactory,
        findings: &mut Findings,
    ) {
        let address = self.address(instruction);
        if let Some(address) = &address {
            address.judge(instruction, findings);
        }
        let exact = address.as_ref().and_then(Address::exact);
        let at = instruction.ip();
        match instruction.mnemonic() {
            Mnemonic::Push => self.push(instruction),
            Mnemonic::Pop => self.pop(instruction, findings),
            Mnemonic::Leave => {
                let frame = self.value(Register::RBP);
                let saved = self.load(frame);
                self.set(Register::RBP, saved);
                self.move_stack(frame.plus(8), at, findings);
            }
            Mnemonic::Lea => {
                let value = address.map_or(Value::Other, |address| address.made());
                self.write(instruction, value, findings);
            }
            Mnemonic::Mov => {
                let is_on_stack = address.is_some_and(|address| address.from != Value::Kept);
                self.mov(instruction, exact, is_on_stack, findings);
            }
            Mnemonic::Add | Mnemonic::Sub | Mnemonic::And if has_register_target(instruction) => {
                let value = self.computed(instruction);
                self.write(instruction, value, findings);
            }
            _ => self.other(instruction, exact, info, findings),
        }
    }

    fn mov(
        &mut self,
        mov: &Instruction,
        exact: Option<i64>,
        is_on_stack: bool,
        findings: &mut Findings,
    ) {
        if mov.op0_kind() == OpKind::Memory {
            let whole = mov.op1_kind() == OpKind::Register && mov.op1_register().is_gpr64();
            let value = if whole { self.value(mov.op1_register()) } else { Value::Other };
            if let Some(offset) = exact {
                self.store(offset, value);
            }
            return;
        }
        let value = match mov.op1_kind() {
            OpKind::Register if mov.op1_register().is_gpr64() => self.value(mov.op1_register()),
            OpKind::Memory => match (exact, mov.op0_register()) {
                // A stack pointer that was kept in the frame lies below where it was kept.
                (Some(offset), Register::RSP) if self.slot(offset) == Value::Other => {
                    Value::AtMost(offset)
                }
                (Some(offset), _) => self.slot(offset),
                (None, _) if is_on_stack => Value::Kept,
                (None, _) => Value::Other,
            },
            _ => Value::Other,
        };
        self.write(mov, value, findings);
    }

    fn push(&mut self, push: &Instruction) {
        let value = match push.op0_kind() {
            OpKind::Register => self.value(push.op0_register()),
            _ => Value::Other,
        };
        let top = self.stack_pointer().plus(i64::from(push.stack_pointer_increment()));
        self.set(Register::RSP, top);
        if let Value::Exactly(offset) = top {
            self.store(offset, value);
        }
    }

    fn pop(&mut self, pop: &Instruction, findings: &mut Findings) {
        let top = self.stack_pointer();
        match top {
            Value::Exactly(offset) if offset >= 8 => mark(&mut findings.above, pop),
            Value::Exactly(0..) => mark(&mut findings.return_address, pop),
            Value::AtMost(-7..) => mark(&mut findings.above, pop),
            _ => {}
        }
        let value = self.load(top);
        self.set(Register::RSP, top.plus(i64::from(pop.stack_pointer_increment())));
        match pop.op0_kind() {
            OpKind::Register => self.write(pop, value, findings),
            _ if pop.memory_base() == Register::RSP => mark(&mut findings.above, pop),
            _ => {}
        }
    }

    /// The result of adding, subtracting or masking.
    fn computed(&mut self, instruction: &Instruction) -> Value {
        let old = self.value(instruction.op0_register());
        let is_stack = instruction.op0_register() == Register::RSP;
        match (instruction.mnemonic(), immediate(instruction)) {
            (Mnemonic::Add, Some(amount)) => old.plus(amount),
            (Mnemonic::Sub, Some(amount)) => old.plus(amount.saturating_neg()),
            (Mnemonic::And, Some(mask)) if mask < 0 => old.lowered(),
            (Mnemonic::Sub, None) if is_stack => old.lowered(),
            _ => Value::Other,
        }
    }

    /// Any instruction without a rule of its own: what it writes is forgotten.
    fn other(
        &mut self,
        instruction: &Instruction,
        exact: Option<i64>,
        info: &mut InstructionInfoFactory,
        findings: &mut Findings,
    ) {
        if let (Some(offset), OpKind::Memory) = (exact, instruction.op0_kind()) {
            self.store(offset, Value::Other);
        }
        let used = info.info_options(instruction, InstructionInfoOptions::NO_MEMORY_USAGE);
        for register in used.used_registers() {
            if matches!(
                register.access(),
                OpAccess::Read | OpAccess::CondRead | OpAccess::None | OpAccess::NoMemAccess
            ) {
                continue;
            }
            match register.register().full_register() {
                Register::RSP => self.move_stack(Value::Other, instruction.ip(), findings),
                full => self.set(full, Value::Other),
            }
        }
    }

    /// Writes the first operand, a register.
    fn write(&mut self, instruction: &Instruction, value: Value, findings: &mut Findings) {
        let register = instruction.op0_register();
        if register == Register::RSP {
            self.move_stack(value, instruction.ip(), findings);
            return;
        }
        let value = if register.is_gpr64() { value } else { Value::Other };
        if let Value::Exactly(1..) | Value::AtMost(1..) = value {
            mark(&mut findings.above, instruction);
        }
        self.set(register.full_register(), value);
    }

    fn move_stack(&mut self, value: Value, at: u64, findings: &mut Findings) {
        if value == Value::Other && self.stack_pointer() != Value::Other {
            findings.stack_switch.get_or_insert(at);
        }
        if value == Value::Kept {
            findings.above.get_or_insert(at);
        }
        self.set(Register::RSP, value);
    }

    fn value(&self, register: Register) -> Value {
        place(register).map_or(Value::Other, |place| self.registers[place])
    }

    fn set(&mut self, register: Register, value: Value) {
        if let Some(place) = place(register) {
            self.registers[place] = value;
        }
    }

    fn load(&self, from: Value) -> Value {
        match from {
            Value::Exactly(offset) => self.slot(offset),
            Value::AtMost(_) => Value::Kept,
            Value::Other | Value::Kept => Value::Other,
        }
    }

    fn slot(&self, offset: i64) -> Value {
        let slot = self.slots.iter().find(|(at, _)| *at == offset);
        slot.map_or(Value::Other, |(_, value)| *value)
    }

    fn store(&mut self, offset: i64, value: Value) {
        self.slots.retain(|(at, _)| (offset - at).abs() >= 8);
        if value != Value::Other && self.slots.len() < MOST_SLOTS {
            self.slots.push((offset, value));
        }
    }

    /// The memory operand, where it is addressed by something tracked.
    fn address(&self, instruction: &Instruction) -> Option<Address> {
        let has_memory = instruction.op_kinds().any(|kind| kind == OpKind::Memory);
        if !has_memory || is_hint(instruction) || instruction.memory_segment() >= Register::FS {
            return None;
        }
        let (base, index) = (instruction.memory_base(), instruction.memory_index());
        let of_base = self.value(base);
        let (value, has_index) = match (of_base, self.value(index)) {
            (Value::Other, Value::Other | Value::Kept) => return None,
            (Value::Kept, _) => (Value::Kept, index != Register::None),
            (Value::Other, of_index) => (of_index, base != Register::None),
            (of_base, _) => (of_base, index != Register::None),
        };
        let offset = instruction.memory_displacement64().cast_signed();
        let size = instruction.memory_size().size() as i64;
        Some(Address { from: value.plus(offset), size, has_index })
    }
}

/// A memory operand on the stack.
struct Address {
    from: Value,
    /// Bytes, 0 where it is not known how many.
    size: i64,
    has_index: bool,
}

impl Address {
    fn exact(&self) -> Option<i64> {
        match self.from {
            Value::Exactly(offset) if !self.has_index => Some(offset),
            _ => None,
        }
    }

    /// What `lea` makes of it.
    fn made(&self) -> Value {
        if self.has_index { Value::Other } else { self.from }
    }

    /// Whether the operand may be above the frame.
    fn judge(&self, instruction: &Instruction, findings: &mut Findings) {
        let is_lea = instruction.mnemonic() == Mnemonic::Lea;
        match self.from {
            Value::Other | Value::Kept => {}
            // An index may begin at one: arguments may be addressed from just below them.
            Value::Exactly(offset) | Value::AtMost(offset) if self.has_index => {
                if offset >= NEAREST_INDEXED {
                    mark(&mut findings.above, instruction);
                }
            }
            Value::Exactly(_) | Value::AtMost(_) if is_lea => {}
            Value::AtMost(offset) => {
                if offset.saturating_add(self.size.max(1)) > 0 {
                    mark(&mut findings.above, instruction);
                }
            }
            Value::Exactly(offset) if offset >= 8 && self.size > 0 => {
                findings.reach_to(offset.saturating_add(self.size), instruction);
            }
            Value::Exactly(offset) if offset >= 8 || offset.saturating_add(self.size) > 8 => {
                mark(&mut findings.above, instruction);
            }
            Value::Exactly(offset) if offset.saturating_add(self.size.max(1)) > 0 => {
                let finding = if keeps_to_itself(instruction) {
                    &mut findings.above
                } else {
                    &mut findings.return_address
                };
                mark(finding, instruction);
            }
            Value::Exactly(_) => {}
        }
    }
}

/// Instructions that use the return address and nothing follows from it: a copy of it for debuggers where the
/// stack is aligned anew, and a barrier.
fn keeps_to_itself(instruction: &Instruction) -> bool {
    let is_barrier = instruction.has_lock_prefix()
        && matches!(instruction.mnemonic(), Mnemonic::Or | Mnemonic::Add)
        && immediate(instruction) == Some(0);
    is_barrier || instruction.mnemonic() == Mnemonic::Push
}

fn mark(finding: &mut Option<u64>, instruction: &Instruction) {
    finding.get_or_insert_with(|| instruction.ip());
}

fn has_register_target(instruction: &Instruction) -> bool {
    instruction.op0_kind() == OpKind::Register
}

fn immediate(instruction: &Instruction) -> Option<i64> {
    matches!(instruction.op1_kind(), OpKind::Immediate8to64 | OpKind::Immediate32to64)
        .then(|| instruction.immediate(1).cast_signed())
}

/// Instructions that name memory without using it.
fn is_hint(instruction: &Instruction) -> bool {
    matches!(instruction.mnemonic(), Mnemonic::Nop | Mnemonic::Reservednop)
}

fn place(register: Register) -> Option<usize> {
    (register.is_gpr() && register != Register::None).then(|| register.full_register().number())
}

const CLOBBERED: [Register; 9] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RSI,
    Register::RDI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
];
/// An indexed operand from here on may mean arguments.
const NEAREST_INDEXED: i64 = -8;
/// Stored stack addresses that are remembered: compilers spill few.
const MOST_SLOTS: usize = 32;
