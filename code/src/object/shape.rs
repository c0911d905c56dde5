//! The parts of an ELF file: what is loaded to which address, and the sections.

use std::ops::Range;
use std::path::Path;

use object::elf::{EM_AARCH64, EM_X86_64, FileHeader64, PF_X, PT_LOAD, SHF_EXECINSTR, SHT_NOBITS};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use object::{Endianness, FileKind};

use crate::error::ObjectError;

/// What the headers say.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) segments: Vec<Segment>,
    pub(crate) sections: Vec<Section>,
    pub(crate) executable: Vec<Range<u64>>,
    pub(crate) build_id: Option<Vec<u8>>,
}

/// A part of the file that is loaded.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) address: u64,
    pub(crate) offset: u64,
    /// How much of it comes from the file.
    pub(crate) length: u64,
    pub(crate) is_executable: bool,
}

/// A section.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) name: String,
    pub(crate) address: u64,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    /// Size of an entry, where it is a table.
    pub(crate) entry: u64,
    pub(crate) is_executable: bool,
    /// Whether it has bytes in the file.
    pub(crate) is_filled: bool,
}

impl Section {
    pub(crate) fn bytes<'file>(&self, file: &'file [u8]) -> Option<&'file [u8]> {
        if !self.is_filled {
            return None;
        }
        part(file, self.offset, self.length)
    }

    pub(crate) fn range(&self) -> Range<u64> {
        self.address..self.address.saturating_add(self.length)
    }
}

impl Shape {
    pub(crate) fn of(path: &Path, bytes: &[u8]) -> Result<Self, ObjectError> {
        let malformed = |reason| ObjectError::Malformed { path: path.to_owned(), reason };
        let machine = |found| ObjectError::Machine { path: path.to_owned(), found };
        match FileKind::parse(bytes).map_err(malformed)? {
            FileKind::Elf64 => {}
            FileKind::Elf32 => return Err(machine("32 bits")),
            _ => return Err(machine("not an ELF file")),
        }
        let header = FileHeader64::<Endianness>::parse(bytes).map_err(malformed)?;
        let endian = header.endian().map_err(malformed)?;
        match (endian, header.e_machine(endian)) {
            (Endianness::Little, EM_X86_64) if cfg!(target_arch = "x86_64") => {}
            (Endianness::Little, EM_AARCH64) if cfg!(target_arch = "aarch64") => {}
            (Endianness::Big, _) => return Err(machine("big endian")),
            (_, EM_X86_64) => return Err(machine("x86-64")),
            (_, EM_AARCH64) => return Err(machine("AArch64")),
            _ => return Err(machine("neither x86-64 nor AArch64")),
        }
        let headers = header.program_headers(endian, bytes).map_err(malformed)?;
        let segments: Vec<Segment> = headers
            .iter()
            .filter(|segment| segment.p_type(endian) == PT_LOAD)
            .map(|segment| Segment {
                address: segment.p_vaddr(endian),
                offset: segment.p_offset(endian),
                length: segment.p_filesz(endian),
                is_executable: segment.p_flags(endian).contains(PF_X),
            })
            .collect();
        // A file without section headers can still be run, and is worked with as far as it goes.
        let sections = sections(header, endian, bytes);
        let mut executable: Vec<Range<u64>> = segments
            .iter()
            .filter(|segment| segment.is_executable)
            .filter(|segment| part(bytes, segment.offset, segment.length).is_some())
            .filter_map(|segment| {
                Some(segment.address..segment.address.checked_add(segment.length)?)
            })
            .collect();
        executable.sort_by_key(|range| range.start);
        let build_id = build_id(header, endian, bytes);
        Ok(Self { segments, sections, executable, build_id })
    }

    /// Bytes of one loaded part.
    pub(crate) fn bytes<'file>(
        &self,
        file: &'file [u8],
        range: Range<u64>,
        only_code: bool,
    ) -> Option<&'file [u8]> {
        let length = range.end.checked_sub(range.start)?;
        self.segments.iter().filter(|segment| segment.is_executable || !only_code).find_map(
            |segment| {
                let distance = range.start.checked_sub(segment.address)?;
                if distance.checked_add(length)? > segment.length {
                    return None;
                }
                part(file, segment.offset.checked_add(distance)?, length)
            },
        )
    }

    pub(crate) fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }
}

/// A stretch of the file; `None` where it ends before.
pub(crate) fn part(file: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = usize::try_from(offset.checked_add(length)?).ok()?;
    file.get(start..end)
}

fn sections(header: &FileHeader64<Endianness>, endian: Endianness, bytes: &[u8]) -> Vec<Section> {
    let Ok(table) = header.sections(endian, bytes) else { return Vec::new() };
    let read = |section: &object::elf::SectionHeader64<Endianness>| Section {
        name: String::from_utf8_lossy(table.section_name(endian, section).unwrap_or_default())
            .into_owned(),
        address: section.sh_addr(endian),
        offset: section.sh_offset(endian),
        length: section.sh_size(endian),
        entry: section.sh_entsize(endian),
        is_executable: section.sh_flags(endian).contains(SHF_EXECINSTR),
        is_filled: section.sh_type(endian) != SHT_NOBITS,
    };
    table.iter().map(read).collect()
}

fn build_id(
    header: &FileHeader64<Endianness>,
    endian: Endianness,
    bytes: &[u8],
) -> Option<Vec<u8>> {
    let segments = header.program_headers(endian, bytes).ok()?;
    segments.iter().find_map(|segment| {
        let mut notes = segment.notes(endian, bytes).ok()??;
        while let Ok(Some(note)) = notes.next() {
            if note.name() == object::elf::ELF_NOTE_GNU
                && note.n_type(endian) == object::elf::NT_GNU_BUILD_ID
            {
                return Some(note.desc().to_vec());
            }
        }
        None
    })
}
