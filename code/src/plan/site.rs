//! Chooses the bytes at a function's entry that change, by the first class that holds.
//!
//! A patch inside of one instruction needs no look at threads, because none can stand inside of it; so a long
//! first instruction comes first, then a short jump to dead bytes near by, and several instructions come last.

use std::ops::Range;

use iced_x86::{Instruction, Mnemonic};

use super::body::{self, Body};
use super::displace::Displaced;
use super::flow::{Flow, is_padding};
use super::islands::Islands;
use super::padding::padding_end;
use super::refusal::Refusal;
use crate::function::Function;
use crate::object::Object;

/// How much of the original code a patch covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SiteClass {
    /// A long instruction that does nothing.
    Nop,
    /// One instruction as long as a jump, or the last one before dead bytes.
    Long,
    /// Two bytes of one instruction: a short jump to an island.
    Short,
    /// Several instructions: threads may stand between them.
    Several,
}

impl SiteClass {
    /// A word for programs that never changes.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Nop => "nop",
            Self::Long => "long",
            Self::Short => "short",
            Self::Several => "several",
        }
    }
}

/// Chosen bytes and what has to be moved away from them.
#[derive(Debug)]
pub(crate) struct ChosenSite {
    /// First byte that changes.
    pub(crate) at: u64,
    pub(crate) class: SiteClass,
    /// How many bytes change.
    pub(crate) length: u8,
    pub(crate) displaced: Vec<Displaced>,
    /// Where the original code goes on.
    pub(crate) resume: u64,
    pub(crate) island: Option<u64>,
}

/// Length of a long jump.
const LONG: u64 = 5;
/// Length of a short jump.
const SHORT: u64 = 2;

/// What the choice is made from.
pub(crate) struct Ladder<'a> {
    pub(crate) object: &'a Object,
    pub(crate) function: &'a Function,
    pub(crate) body: &'a Body,
    pub(crate) flow: &'a Flow,
}

impl Ladder<'_> {
    /// The first class that holds, or why the last one does not.
    pub(crate) fn climb(&self, islands: &mut Islands) -> Result<ChosenSite, Refusal> {
        let first = self.first()?;
        let length = first.len() as u64;
        if length >= LONG && first.mnemonic() == Mnemonic::Nop {
            return self.nop(&first);
        }
        if (length >= LONG || body::ends(&first))
            && let Ok(site) = self.covered(&first, islands)
            && site.class == SiteClass::Long
        {
            return Ok(site);
        }
        if length >= SHORT
            && let Some(site) = self.short(&first, islands)
        {
            return Ok(site);
        }
        self.covered(&first, islands)
    }

    /// The first instruction behind the mark that compilers set for indirect calls.
    fn first(&self) -> Result<Instruction, Refusal> {
        let unknown = Refusal::NotDecodable { at: self.function.entry };
        let index = self.body.index_of(self.function.entry).ok_or(unknown)?;
        let first = self.body.instructions[index];
        if first.mnemonic() != Mnemonic::Endbr64 {
            return Ok(first);
        }
        let next = self.body.next(index).ok_or(Refusal::TooShort)?;
        let next = self.body.instructions[next];
        if next.ip() >= self.function.end { Err(Refusal::TooShort) } else { Ok(next) }
    }

    fn nop(&self, first: &Instruction) -> Result<ChosenSite, Refusal> {
        let (at, resume) = (first.ip(), first.next_ip());
        self.keep_out(at..at + LONG, &[])?;
        Ok(ChosenSite {
            at,
            class: SiteClass::Nop,
            length: LONG as u8,
            displaced: Vec::new(),
            resume,
            island: None,
        })
    }

    fn short(&self, first: &Instruction, islands: &mut Islands) -> Option<ChosenSite> {
        let at = first.ip();
        let displaced = vec![self.displaced(first).ok()?];
        self.keep_out(at..at + SHORT, &displaced).ok()?;
        let kept = self.function.entry..first.next_ip();
        let island = islands.take(self.object, at, &kept)?;
        Some(ChosenSite {
            at,
            class: SiteClass::Short,
            length: SHORT as u8,
            displaced,
            resume: first.next_ip(),
            island: Some(island),
        })
    }

    /// As many instructions as a long jump covers.
    fn covered(&self, first: &Instruction, islands: &mut Islands) -> Result<ChosenSite, Refusal> {
        let at = first.ip();
        let end = at.checked_add(LONG).ok_or(Refusal::TooShort)?;
        let (displaced, last) = self.displace(first, end)?;
        let resume = last.next_ip();
        if resume < end {
            self.keep_dead(resume..end)?;
        }
        self.keep_out(at..end, &displaced)?;
        let is_one = displaced.len() == 1;
        if !is_one {
            self.keep_understood()?;
        }
        if resume < end && !islands.claim(resume..end, at) {
            return Err(Refusal::TooShort);
        }
        let class = if is_one { SiteClass::Long } else { SiteClass::Several };
        Ok(ChosenSite { at, class, length: LONG as u8, displaced, resume, island: None })
    }

    fn displace(
        &self,
        first: &Instruction,
        end: u64,
    ) -> Result<(Vec<Displaced>, Instruction), Refusal> {
        let mut index = self.body.index_of(first.ip()).ok_or(Refusal::TooShort)?;
        let mut displaced = Vec::new();
        loop {
            let instruction = self.body.instructions[index];
            let one = self.displaced(&instruction)?;
            displaced.push(one);
            let is_enough = instruction.next_ip() >= end;
            if one.is_call() && !is_enough {
                return Err(Refusal::CallIntoPatch { at: instruction.ip() });
            }
            if is_enough || body::ends(&instruction) {
                return Ok((displaced, instruction));
            }
            index = match self.body.next(index) {
                Some(next) if self.body.instructions[next].ip() < self.function.end => next,
                _ => {
                    return Err(self
                        .body
                        .undecodable
                        .map_or(Refusal::TooShort, |at| Refusal::NotDecodable { at }));
                }
            };
        }
    }

    fn displaced(&self, instruction: &Instruction) -> Result<Displaced, Refusal> {
        let range = instruction.ip()..instruction.next_ip();
        let bytes = self.object.text(range).ok_or(Refusal::NotExecutableFile)?;
        Displaced::of(instruction, bytes)
    }

    /// Nothing may lead behind the first byte, but for what is moved along with it.
    fn keep_out(&self, patch: Range<u64>, displaced: &[Displaced]) -> Result<(), Refusal> {
        let behind = patch.start + 1..patch.end;
        for branch in self.object.branches().into(behind.clone()) {
            let is_moved = displaced.iter().any(|one| one.at == branch.from)
                && displaced.iter().any(|one| one.at == branch.to);
            if !is_moved {
                return Err(Refusal::BranchIntoPatch { from: branch.from });
            }
        }
        if let Some((_, from)) = self.flow.table_targets.range(behind.clone()).next() {
            return Err(Refusal::BranchIntoPatch { from: *from });
        }
        if let Some(at) = self.flow.landings.range(behind).next() {
            return Err(Refusal::LandingPadInPatch { at: *at });
        }
        let functions = self.object.functions();
        let start = functions.partition_point(|function| function.entry < patch.start);
        let mut inside = functions[start..].iter().take_while(|one| one.entry < patch.end);
        match inside.find(|one| one.entry != self.function.entry) {
            Some(second) => Err(Refusal::SecondEntryInPatch { entry: second.entry }),
            None => Ok(()),
        }
    }

    /// With boundaries inside of the patch, every way into it has to be known.
    fn keep_understood(&self) -> Result<(), Refusal> {
        if let Some(at) = self.body.undecodable {
            return Err(Refusal::NotDecodable { at });
        }
        if let Some(at) = self.flow.unknown_jump {
            return Err(Refusal::UnknownJumpTable { at });
        }
        if self.flow.has_unread_landings {
            return Err(Refusal::LandingPadInPatch { at: self.function.entry });
        }
        Ok(())
    }

    /// Bytes behind the last instruction that are never executed, inside of the function or behind it.
    fn keep_dead(&self, bytes: Range<u64>) -> Result<(), Refusal> {
        let mut dead = bytes.start;
        while dead < bytes.end.min(self.function.end) {
            let index = self.body.index_of(dead).ok_or(Refusal::TooShort)?;
            let instruction = &self.body.instructions[index];
            if !is_padding(instruction) {
                return Err(Refusal::TooShort);
            }
            dead = instruction.next_ip();
        }
        if dead < bytes.end {
            dead = padding_end(self.object, dead..bytes.end.saturating_add(16));
        }
        let is_entered = self.object.branches().into(bytes.start..bytes.end).next().is_some();
        if dead < bytes.end || is_entered { Err(Refusal::TooShort) } else { Ok(()) }
    }
}
