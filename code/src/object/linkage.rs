//! The linkage of an object to others: relocation slots, which the loader fills with addresses, and linker stubs, which
//! jump through them.

use std::ops::Range;

use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Register};
use object::elf::{
    R_X86_64_64, R_X86_64_GLOB_DAT, R_X86_64_IRELATIVE, R_X86_64_JUMP_SLOT, R_X86_64_RELATIVE,
    SHF_ALLOC, SHT_DYNSYM,
};
use object::read::elf::{Rela, SectionHeader};

use super::headers::{ENDS, Headers};
use super::shape::{Section, Shape};
use super::symbols::{NameRef, imported};

/// What the loader writes into a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filling {
    /// The address of a function of that name, wherever it is found.
    Import(NameRef),
    /// An address of this object.
    Address(u64),
    /// What the function at this address answers.
    Chosen(u64),
}

/// A stub.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkerStub {
    pub(crate) entry: u64,
    pub(crate) end: u64,
    /// Its slot; `None` where it leads to another stub.
    pub(crate) slot: Option<u64>,
}

/// Slots and stubs, each sorted by address.
#[derive(Debug, Default)]
pub(crate) struct Linkage {
    slots: Vec<(u64, Filling)>,
    pub(crate) stubs: Vec<LinkerStub>,
    /// Where stubs are.
    sections: Vec<Range<u64>>,
}

impl Linkage {
    /// `table` is the number that the names of dynamic symbols go by.
    pub(crate) fn of(shape: &Shape, headers: &Headers<'_>, table: u8) -> Self {
        let mut slots = fillings(shape, headers, table);
        slots.sort_by_key(|(slot, _)| *slot);
        slots.dedup_by_key(|(slot, _)| *slot);
        let sections = || shape.sections.iter().filter(|section| is_of_stubs(section));
        let mut stubs: Vec<LinkerStub> =
            sections().flat_map(|section| stubs(section, shape, headers.bytes)).collect();
        stubs.sort_by_key(|stub| stub.entry);
        stubs.dedup_by_key(|stub| stub.entry);
        Self { slots, stubs, sections: sections().map(Section::range).collect() }
    }

    /// What a slot is filled with, as far as the file tells.
    pub(crate) fn filling(&self, slot: u64) -> Option<Filling> {
        let at = self.slots.binary_search_by_key(&slot, |(slot, _)| *slot).ok()?;
        Some(self.slots[at].1)
    }

    /// Whether an address is one of stubs.
    pub(crate) fn is_stub(&self, address: u64) -> bool {
        self.sections.iter().any(|section| section.contains(&address))
    }

    /// The stub that begins at an address.
    pub(crate) fn stub(&self, entry: u64) -> Option<&LinkerStub> {
        let at = self.stubs.binary_search_by_key(&entry, |stub| stub.entry).ok()?;
        Some(&self.stubs[at])
    }
}

/// Whether a section is made of stubs: `.plt`, `.plt.got`, `.plt.sec`, `.iplt`.
fn is_of_stubs(section: &Section) -> bool {
    matches!(section.name.as_str(), ".plt" | ".plt.got" | ".plt.sec" | ".plt.bnd" | ".iplt")
}

fn is_of_slots(section: &Section) -> bool {
    section.name.starts_with(".got")
}

fn fillings(shape: &Shape, headers: &Headers<'_>, table: u8) -> Vec<(u64, Filling)> {
    let tables: Vec<_> =
        shape.sections.iter().filter(|s| is_of_slots(s)).map(Section::range).collect();
    let is_slot = |address: u64| tables.iter().any(|range| range.contains(&address));
    let symbols = headers.sections.symbols(ENDS, headers.bytes, SHT_DYNSYM).unwrap_or_default();
    let mut found = Vec::new();
    for section in headers.sections.iter() {
        if !section.sh_flags(ENDS).contains(SHF_ALLOC) {
            continue;
        }
        let Ok(Some((relocations, _))) = section.rela(ENDS, headers.bytes) else { continue };
        for relocation in relocations {
            let slot = relocation.r_offset.get(ENDS);
            if !is_slot(slot) {
                continue;
            }
            let addend = relocation.r_addend.get(ENDS).cast_unsigned();
            let filling = match relocation.r_type(ENDS, false) {
                R_X86_64_JUMP_SLOT | R_X86_64_GLOB_DAT | R_X86_64_64 => {
                    let Some(symbol) = relocation.symbol(ENDS, false) else { continue };
                    let Ok(symbol) = symbols.symbol(symbol) else { continue };
                    Filling::Import(imported(symbol, table))
                }
                R_X86_64_RELATIVE => Filling::Address(addend),
                R_X86_64_IRELATIVE => Filling::Chosen(addend),
                _ => continue,
            };
            found.push((slot, filling));
        }
    }
    // What the loader writes wins over what lies there before.
    found.extend(plain(shape, headers.bytes, &tables));
    found
}

/// Slots that hold an address of code already: of objects at a fixed address, or relocated by a
/// packed table that has no addends.
fn plain(shape: &Shape, file: &[u8], tables: &[Range<u64>]) -> Vec<(u64, Filling)> {
    let mut found = Vec::new();
    for range in tables {
        let Some(bytes) = shape.bytes(file, range.clone()) else { continue };
        let (words, _) = bytes.as_chunks::<8>();
        for (slot, word) in (range.start..).step_by(8).zip(words) {
            let address = u64::from_le_bytes(*word);
            let inside_stub =
                |section: &Section| is_of_stubs(section) && section.range().contains(&address);
            // A slot of a lazy stub leads back into it at first.
            if shape.code_at(address).is_some() && !shape.sections.iter().any(inside_stub) {
                found.push((slot, Filling::Address(address)));
            }
        }
    }
    found
}

fn stubs(section: &Section, shape: &Shape, file: &[u8]) -> Vec<LinkerStub> {
    let range = section.range();
    let Some(bytes) = shape.text(file, range.clone()) else { return Vec::new() };
    let size = match section.entry {
        8 => 8,
        _ if section.name == ".plt.got" && has_small_entries(bytes) => 8,
        _ => 16,
    };
    let parts = bytes.chunks_exact(size).zip((range.start..).step_by(size));
    parts
        .map(|(code, entry)| LinkerStub {
            entry,
            end: entry + size as u64,
            slot: slot(code, entry),
        })
        .collect()
}

/// Stubs of a jump and two bytes of filling.
fn has_small_entries(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xff, 0x25]) && bytes.get(6..8) == Some(&[0x66, 0x90])
}

/// The slot that a stub jumps through, which does nothing else.
fn slot(code: &[u8], entry: u64) -> Option<u64> {
    let mut decoder = Decoder::with_ip(64, code, entry, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    decoder.decode_out(&mut instruction);
    if instruction.code() == Code::Endbr64 {
        decoder.decode_out(&mut instruction);
    }
    let jumps = instruction.code() == Code::Jmp_rm64 && instruction.memory_base() == Register::RIP;
    jumps.then(|| instruction.memory_displacement64())
}
