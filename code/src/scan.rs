//! Finds branches by decoding code from one end to the other.
//!
//! An entry that is patched must not be jumped into, from anywhere. So all code is decoded once,
//! also what no function is known to cover: decoding begins anew at each known entry, and a byte
//! that begins no instruction is skipped. Tables that lie between functions may be mistaken for
//! branches; that can refuse a patch, and never allows one.

use std::ops::Range;
use std::thread;

use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, OpKind, Register};

use crate::branches::{Branches, Exit, Packed, Way};

/// A stretch of code between two entries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodeStretch<'file> {
    pub(crate) start: u64,
    pub(crate) code: &'file [u8],
    /// How many of the bytes are the stretch's own; the others follow it.
    pub(crate) length: usize,
}

/// All branches of an object.
pub(crate) fn scan(base: u64, stretches: &[CodeStretch<'_>]) -> Branches {
    let total: usize = stretches.iter().map(|stretch| stretch.length).sum();
    let workers = if total < WORTH_A_THREAD { 1 } else { WORKERS };
    let mut parts = Vec::new();
    let mut rest = stretches;
    for worker in 0..workers {
        let mut covered = 0;
        let goal = total / workers;
        let taken = rest.iter().take_while(|stretch| {
            let wanted = covered < goal || worker + 1 == workers;
            covered += stretch.length;
            wanted
        });
        let (part, behind) = rest.split_at(taken.count());
        parts.push(part);
        rest = behind;
    }
    let found = thread::scope(|scope| {
        let mut started = Vec::new();
        let mut found = Vec::new();
        for part in parts.iter().skip(1) {
            let worker = thread::Builder::new().name("whyperf decoder".to_owned());
            match worker.spawn_scoped(scope, || Found::of(base, part)) {
                Ok(thread) => started.push(thread),
                Err(_) => found.push(Found::of(base, part)),
            }
        }
        found.extend(parts.first().map(|part| Found::of(base, part)));
        for thread in started {
            found.push(thread.join().expect("decoding does not panic"));
        }
        found
    });
    let (mut inward, mut outward) = (Vec::new(), Vec::new());
    for part in found {
        inward.extend(part.inward);
        outward.extend(part.outward);
    }
    Branches::new(base, inward, outward)
}

/// What was found so far.
struct Found {
    base: u64,
    loaded: Loaded,
    inward: Vec<Packed>,
    outward: Vec<Exit>,
}

impl Found {
    fn of(base: u64, stretches: &[CodeStretch<'_>]) -> Self {
        let mut found =
            Self { base, loaded: Loaded::default(), inward: Vec::new(), outward: Vec::new() };
        for stretch in stretches {
            found.decode(stretch);
        }
        found.inward.sort_unstable();
        found
    }

    fn decode(&mut self, stretch: &CodeStretch<'_>) {
        self.loaded = Loaded::default();
        let own = stretch.start..stretch.start.saturating_add(stretch.length as u64);
        let mut decoder = Decoder::with_ip(64, stretch.code, stretch.start, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        while decoder.position() < stretch.length {
            let at = decoder.position();
            decoder.decode_out(&mut instruction);
            if instruction.code() == Code::INVALID {
                let next = at + 1;
                if decoder.set_position(next).is_err() {
                    return;
                }
                decoder.set_ip(stretch.start + next as u64);
            } else {
                self.note(&instruction, &own);
            }
        }
        // An entry in the middle of an instruction: both readings hold until they meet again.
        if decoder.position() > stretch.length {
            for _ in 0..TOGETHER {
                if !decoder.can_decode() {
                    return;
                }
                decoder.decode_out(&mut instruction);
                self.note(&instruction, &own);
            }
        }
    }

    fn note(&mut self, instruction: &Instruction, own: &Range<u64>) {
        let Some(from) = self.distance(instruction.ip()) else { return };
        match instruction.flow_control() {
            FlowControl::Next => self.loaded.note(instruction),
            FlowControl::Return | FlowControl::Interrupt | FlowControl::Exception => {}
            FlowControl::IndirectCall => {
                let way = self.slot(instruction).unwrap_or(Way::Computed);
                self.outward.push(Exit { from, way });
                self.loaded.forget_after_call();
            }
            FlowControl::IndirectBranch => {
                if let Some(way) = self.slot(instruction) {
                    self.outward.push(Exit { from, way });
                }
            }
            FlowControl::Call
            | FlowControl::UnconditionalBranch
            | FlowControl::ConditionalBranch
            | FlowControl::XbeginXabortXend => self.direct(instruction, from, own),
        }
    }

    fn direct(&mut self, instruction: &Instruction, from: u32, own: &Range<u64>) {
        if instruction.op0_kind() != OpKind::NearBranch64 {
            return;
        }
        let target = instruction.near_branch64();
        let Some(to) = self.distance(target) else { return };
        self.inward.push(Packed::new(to, from));
        if instruction.flow_control() == FlowControl::Call {
            self.outward.push(Exit { from, way: Way::Call(to) });
            self.loaded.forget_after_call();
        } else if !own.contains(&target) {
            self.outward.push(Exit { from, way: Way::Jump(to) });
        }
    }

    fn slot(&self, instruction: &Instruction) -> Option<Way> {
        let slot = match instruction.op0_kind() {
            OpKind::Memory if instruction.memory_base() == Register::RIP => {
                instruction.memory_displacement64()
            }
            OpKind::Register => self.loaded.slot(instruction.op0_register())?,
            _ => return None,
        };
        Some(Way::Slot(self.distance(slot)?))
    }

    /// Branches to what is not in the object lead nowhere.
    fn distance(&self, address: u64) -> Option<u32> {
        u32::try_from(address.checked_sub(self.base)?).ok()
    }
}

/// Slots whose contents are in registers: what is called often is loaded once.
#[derive(Default)]
struct Loaded {
    slots: [u64; 16],
    /// A bit for each register that holds what its slot does.
    valid: u16,
}

impl Loaded {
    fn note(&mut self, instruction: &Instruction) {
        if instruction.op0_kind() != OpKind::Register {
            return;
        }
        let register = instruction.op0_register();
        if !register.is_gpr() {
            return;
        }
        let number = register.full_register().number();
        self.valid &= !(1 << number);
        let loads = instruction.code() == Code::Mov_r64_rm64
            && instruction.op1_kind() == OpKind::Memory
            && instruction.memory_base() == Register::RIP;
        if loads {
            self.slots[number] = instruction.memory_displacement64();
            self.valid |= 1 << number;
        }
    }

    fn slot(&self, register: Register) -> Option<u64> {
        let number = register.is_gpr64().then(|| register.number())?;
        (self.valid & 1 << number != 0).then(|| self.slots[number])
    }

    fn forget_after_call(&mut self) {
        self.valid &= KEPT;
    }
}

/// Registers that a called function leaves as they are: rbx, rsp, rbp, r12 to r15.
const KEPT: u16 = 0b1111_0000_0011_1000;

/// Threads at work on a large object.
const WORKERS: usize = 2;

/// Less code than this, in bytes, is decoded before a second thread has begun.
const WORTH_A_THREAD: usize = 1 << 20;

/// Instructions after which two readings of the same bytes have met.
const TOGETHER: usize = 32;
