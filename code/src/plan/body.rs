//! The decoded instructions of one function, with the pieces that were moved away from it.

use std::collections::BTreeSet;
use std::ops::Range;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction};

use crate::function::{Function, FunctionKind};
use crate::object::Object;

/// A function decoded from its entry to its end, its fragments behind.
#[derive(Debug)]
pub(crate) struct Body {
    /// Where its code is: its own range first.
    pub(crate) ranges: Vec<Range<u64>>,
    /// All instructions, by address.
    pub(crate) instructions: Vec<Instruction>,
    /// Where bytes are no instruction; decoding of that range stopped.
    pub(crate) undecodable: Option<u64>,
}

impl Body {
    /// Decodes a function and the fragments its jumps lead to.
    pub(crate) fn of(object: &Object, function: &Function) -> Self {
        let mut body = Self::alone(object, function);
        let mut seen = 0;
        while seen < body.instructions.len() && body.ranges.len() < MOST_RANGES {
            let fragments = body.fragments(object, seen);
            seen = body.instructions.len();
            for range in fragments {
                body.add(object, range);
            }
        }
        body.instructions.sort_by_key(Instruction::ip);
        body.instructions.dedup_by_key(|instruction| instruction.ip());
        body
    }

    /// Decodes a function without what was moved away from it.
    pub(crate) fn alone(object: &Object, function: &Function) -> Self {
        let mut body = Self { ranges: Vec::new(), instructions: Vec::new(), undecodable: None };
        body.add(object, function.entry..function.end);
        body
    }

    /// Whether an address is in one of its ranges.
    pub(crate) fn contains(&self, address: u64) -> bool {
        self.ranges.iter().any(|range| range.contains(&address))
    }

    /// Place of the instruction at an address.
    pub(crate) fn index_of(&self, address: u64) -> Option<usize> {
        self.instructions.binary_search_by_key(&address, Instruction::ip).ok()
    }

    /// Place of the instruction behind another, where they are neighbours.
    pub(crate) fn next(&self, index: usize) -> Option<usize> {
        let next = self.instructions.get(index + 1)?;
        (next.ip() == self.instructions[index].next_ip()).then_some(index + 1)
    }

    /// Ranges of fragments that instructions from `seen` on jump to, not yet part of this.
    fn fragments(&self, object: &Object, seen: usize) -> Vec<Range<u64>> {
        let mut found: Vec<Range<u64>> = Vec::new();
        for instruction in &self.instructions[seen..] {
            let target = instruction.near_branch_target();
            let jumps = matches!(
                instruction.flow_control(),
                FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch
            );
            if !jumps || self.contains(target) || found.iter().any(|range| range.contains(&target))
            {
                continue;
            }
            if let Some(range) = fragment_at(object, target) {
                found.push(range);
            }
        }
        found
    }

    fn add(&mut self, object: &Object, range: Range<u64>) {
        let Some(bytes) = object.text(range.clone()) else {
            self.undecodable.get_or_insert(range.start);
            return;
        };
        self.ranges.push(range.clone());
        let mut decoder = Decoder::with_ip(64, bytes, range.start, DecoderOptions::NONE);
        self.instructions.reserve(bytes.len() / 4);
        while decoder.can_decode() {
            let instruction = decoder.decode();
            if instruction.is_invalid() {
                self.undecodable.get_or_insert_with(|| instruction.ip());
                break;
            }
            self.instructions.push(instruction);
        }
    }
}

/// Pieces beyond this are not joined: hand-written code that shares tails.
const MOST_RANGES: usize = 16;

/// The fragment around an address.
fn fragment_at(object: &Object, address: u64) -> Option<Range<u64>> {
    let function = object.functions()[object.function_at(address)?.index()];
    matches!(function.kind, FunctionKind::Fragment { .. }).then_some(function.entry..function.end)
}

/// Addresses inside a body that something leads to: the starts of its straight pieces.
pub(crate) fn targets(body: &Body) -> BTreeSet<u64> {
    let jumps = body.instructions.iter().filter(|instruction| {
        matches!(
            instruction.flow_control(),
            FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch
        )
    });
    jumps.map(Instruction::near_branch_target).filter(|target| body.contains(*target)).collect()
}

/// Whether what follows an instruction in memory is not executed after it.
pub(crate) fn ends(instruction: &Instruction) -> bool {
    matches!(
        instruction.flow_control(),
        FlowControl::UnconditionalBranch | FlowControl::IndirectBranch | FlowControl::Return
    ) || matches!(
        instruction.mnemonic(),
        iced_x86::Mnemonic::Ud2 | iced_x86::Mnemonic::Ud0 | iced_x86::Mnemonic::Ud1
    )
}
