//! Reads a finished copy as the processor would, and compares it with what was copied.

use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic};

use super::displace::Displaced;
use super::encoded::Encoded;
use super::moved_code::MovedCode;
use super::refusal::Refusal;

/// Refuses a copy that is not instruction by instruction what was displaced.
pub(crate) fn same(encoded: &Encoded, moved: &MovedCode<'_>, bias: u64) -> Result<(), Refusal> {
    let skipped = (encoded.copy - encoded.stub) as usize;
    let copy = encoded.code.get(skipped..).unwrap_or_default();
    let reading = CopiedCode { copy, at: encoded.copy, bias, moved };
    for (one, start) in moved.displaced.iter().zip(&moved.starts) {
        if !reading.is_same(one, *start) {
            return Err(Refusal::CopyDiffers { at: one.at });
        }
    }
    let back = moved.resume.wrapping_add(bias);
    if moved.goes_on() && !reading.at(moved.length()).is_some_and(|jump| jumps_to(&jump, back)) {
        return Err(Refusal::CopyDiffers { at: moved.resume });
    }
    Ok(())
}

struct CopiedCode<'a> {
    copy: &'a [u8],
    /// Run-time address of the copy.
    at: u64,
    bias: u64,
    moved: &'a MovedCode<'a>,
}

impl CopiedCode<'_> {
    fn is_same(&self, one: &Displaced, start: u64) -> bool {
        let original = decode(one.bytes(), one.at.wrapping_add(self.bias));
        let Some((original, copy)) = original.zip(self.at(start)) else { return false };
        match original.flow_control() {
            FlowControl::UnconditionalBranch => jumps_to(&copy, self.goal(&original)),
            FlowControl::ConditionalBranch if original.is_jcc_short_or_near() => {
                copy.is_jcc_short_or_near()
                    && copy.condition_code() == original.condition_code()
                    && copy.near_branch_target() == self.goal(&original)
            }
            FlowControl::ConditionalBranch => self.is_same_count(&original, &copy, start),
            FlowControl::Call | FlowControl::IndirectCall => self.is_same_call(&original, start),
            _ => copy == original && copy.len() == original.len(),
        }
    }

    /// The short branch leads to a jump to the same goal; without it that jump is skipped.
    fn is_same_count(&self, original: &Instruction, copy: &Instruction, start: u64) -> bool {
        let skip = start + copy.len() as u64;
        let (Some(skipping), Some(jump)) = (self.at(skip), self.at(skip + 2)) else {
            return false;
        };
        copy.code() == original.code()
            && copy.near_branch_target() == jump.ip()
            && jumps_to(&skipping, jump.next_ip())
            && jumps_to(&jump, self.goal(original))
    }

    /// A call, two stores that make its return address the original one, and a jump to the same goal.
    fn is_same_call(&self, original: &Instruction, start: u64) -> bool {
        let steps = [0, 5, 10, 17, 25].map(|offset| self.at(start + offset));
        let [Some(call), Some(back), Some(low), Some(high), Some(jump)] = steps else {
            return false;
        };
        let end = original.next_ip();
        let stores = u64::from(low.immediate32()) | u64::from(high.immediate32()) << 32;
        let is_framed = call.code() == Code::Call_rel32_64
            && call.near_branch_target() == low.ip()
            && jumps_to(&back, end)
            && is_store(&low, 0)
            && is_store(&high, 4)
            && stores == end;
        let is_led = if original.flow_control() == FlowControl::Call {
            jumps_to(&jump, original.near_branch_target())
        } else {
            jump.code() == Code::Jmp_rm64
                && jump.op0_kind() == original.op0_kind()
                && jump.op0_register() == original.op0_register()
                && jump.memory_base() == original.memory_base()
                && jump.memory_index() == original.memory_index()
                && jump.memory_index_scale() == original.memory_index_scale()
                && jump.memory_displacement64() == original.memory_displacement64()
                && jump.memory_segment() == original.memory_segment()
        };
        is_framed && is_led
    }

    /// Where a branch of the original has to lead now.
    fn goal(&self, original: &Instruction) -> u64 {
        let target = original.near_branch_target();
        let copied = self.moved.copied(target.wrapping_sub(self.bias));
        copied.map_or(target, |start| self.at.wrapping_add(start))
    }

    /// The instruction at a distance from the start of the copy.
    fn at(&self, start: u64) -> Option<Instruction> {
        let bytes = self.copy.get(usize::try_from(start).ok()?..)?;
        decode(bytes, self.at.wrapping_add(start))
    }
}

fn decode(bytes: &[u8], at: u64) -> Option<Instruction> {
    let mut decoder = Decoder::with_ip(64, bytes, at, DecoderOptions::NONE);
    let instruction = decoder.can_decode().then(|| decoder.decode())?;
    (!instruction.is_invalid()).then_some(instruction)
}

fn jumps_to(instruction: &Instruction, goal: u64) -> bool {
    instruction.flow_control() == FlowControl::UnconditionalBranch
        && instruction.near_branch_target() == goal
}

fn is_store(instruction: &Instruction, offset: u64) -> bool {
    instruction.mnemonic() == Mnemonic::Mov
        && instruction.code() == Code::Mov_rm32_imm32
        && instruction.memory_base() == iced_x86::Register::RSP
        && instruction.memory_displacement64() == offset
}
