//! The parts of an ELF file: what is loaded to which address, and the sections.

use std::ops::Range;
use std::path::Path;

use object::elf::{
    ELF_NOTE_GNU, NT_GNU_BUILD_ID, PF_X, PT_GNU_EH_FRAME, PT_LOAD, SHF_ALLOC, SHF_EXECINSTR,
    SHT_NOBITS,
};
use object::read::elf::{ProgramHeader, SectionHeader};

use super::headers::{ENDS, Headers};
use crate::error::ObjectError;

/// What the headers say.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) segments: Vec<Segment>,
    pub(crate) sections: Vec<Section>,
    /// Loaded parts that may be executed, by address.
    pub(crate) executable: Vec<Range<u64>>,
    /// The lowest loaded address.
    pub(crate) base: u64,
    /// Where code may be: executable sections inside them, or all of them.
    pub(crate) code: Vec<Range<u64>>,
    /// Where the header of the unwind table is loaded.
    pub(crate) frame_header: Option<Range<u64>>,
    pub(crate) build_id: Option<Vec<u8>>,
}

/// What the kernel maps at once.
const PAGE: u64 = 4096;

/// Distances inside an object have 32 bits.
const SPAN: u64 = u32::MAX as u64;

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
    offset: u64,
    length: u64,
    /// Size of an entry, where it is a table.
    pub(crate) entry: u64,
    is_code: bool,
    /// Whether it has bytes in the file.
    is_filled: bool,
}

impl Section {
    pub(crate) fn bytes<'file>(&self, file: &'file [u8]) -> Option<&'file [u8]> {
        if self.is_filled { part(file, self.offset, self.length) } else { None }
    }

    pub(crate) fn range(&self) -> Range<u64> {
        self.address..self.address.saturating_add(self.length)
    }
}

impl Shape {
    pub(crate) fn of(path: &Path, bytes: &[u8]) -> Result<Self, ObjectError> {
        let headers = Headers::of(path, bytes)?;
        let segments = segments(&headers);
        let sections = sections(&headers);
        let mut executable: Vec<Range<u64>> = segments
            .iter()
            .filter(|segment| segment.is_executable && segment.length > 0)
            .filter_map(|segment| {
                Some(segment.address..segment.address.checked_add(segment.length)?)
            })
            .collect();
        executable.sort_by_key(|range| range.start);
        let code = code(&sections, &executable);
        let frame_header =
            headers.segments.iter().find(|segment| segment.p_type(ENDS) == PT_GNU_EH_FRAME).map(
                |segment| {
                    let start = segment.p_vaddr(ENDS);
                    start..start.saturating_add(segment.p_filesz(ENDS))
                },
            );
        let build_id = build_id(&headers);
        let base = segments.iter().map(|segment| segment.address).min().unwrap_or(0);
        if executable.last().is_some_and(|last| last.end - base > SPAN) {
            return Err(ObjectError::Scattered { path: path.to_owned() });
        }
        Ok(Self { base, segments, sections, executable, code, frame_header, build_id })
    }

    /// Bytes of a loaded part, as the file has them.
    pub(crate) fn bytes<'file>(&self, file: &'file [u8], range: Range<u64>) -> Option<&'file [u8]> {
        let length = range.end.checked_sub(range.start)?;
        let segments = self.segments.iter();
        segments.filter_map(|segment| segment.part(file, range.start, length)).next()
    }

    /// Bytes of a loaded part that may be executed.
    pub(crate) fn text<'file>(&self, file: &'file [u8], range: Range<u64>) -> Option<&'file [u8]> {
        let length = range.end.checked_sub(range.start)?;
        let segments = self.segments.iter().filter(|segment| segment.is_executable);
        segments.filter_map(|segment| segment.part(file, range.start, length)).next()
    }

    /// The address that a part of the file is linked for.
    pub(crate) fn address(&self, offset: u64) -> Option<u64> {
        // Mappings are whole pages: just before a segment lies the end of the one before it.
        let mut segments = self.segments.iter().rev();
        segments.find_map(|segment| {
            let distance = offset.checked_sub(segment.offset)?;
            (distance < segment.length).then(|| segment.address.wrapping_add(distance))
        })
    }

    /// The address that the first byte of a mapping with variables is linked for. Its page may
    /// also hold the end of the part before: the later one is meant.
    pub(crate) fn data_address(&self, offset: u64) -> Option<u64> {
        let holds = |segment: &&Segment| {
            segment.offset / PAGE * PAGE <= offset && offset < segment.offset + segment.length
        };
        let segment = self.segments.iter().rev().find(holds)?;
        Some(segment.address.wrapping_add(offset.wrapping_sub(segment.offset)))
    }

    /// The stretch of code around an address.
    pub(crate) fn code_at(&self, address: u64) -> Option<&Range<u64>> {
        let after = self.code.partition_point(|range| range.start <= address);
        self.code[..after].last().filter(|range| address < range.end)
    }

    pub(crate) fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }
}

impl Segment {
    fn part<'file>(&self, file: &'file [u8], address: u64, length: u64) -> Option<&'file [u8]> {
        let distance = address.checked_sub(self.address)?;
        if distance.checked_add(length)? > self.length {
            return None;
        }
        part(file, self.offset.checked_add(distance)?, length)
    }
}

/// A stretch of the file; `None` where it ends before.
fn part(file: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = usize::try_from(offset.checked_add(length)?).ok()?;
    file.get(start..end)
}

fn segments(headers: &Headers<'_>) -> Vec<Segment> {
    let loaded = headers.segments.iter().filter(|segment| segment.p_type(ENDS) == PT_LOAD);
    let read = loaded.map(|segment| {
        let offset = segment.p_offset(ENDS);
        // What a file that was cut has no more is not there.
        let rest = (headers.bytes.len() as u64).saturating_sub(offset);
        Segment {
            address: segment.p_vaddr(ENDS),
            offset,
            length: segment.p_filesz(ENDS).min(rest),
            is_executable: segment.p_flags(ENDS).contains(PF_X),
        }
    });
    read.collect()
}

fn sections(headers: &Headers<'_>) -> Vec<Section> {
    let read = headers.sections.iter().map(|section| Section {
        name: headers.name(section),
        address: section.sh_addr(ENDS),
        offset: section.sh_offset(ENDS),
        length: section.sh_size(ENDS),
        entry: section.sh_entsize(ENDS),
        is_code: section.sh_flags(ENDS).contains(SHF_EXECINSTR)
            && section.sh_flags(ENDS).contains(SHF_ALLOC),
        is_filled: section.sh_type(ENDS) != SHT_NOBITS,
    });
    read.collect()
}

/// Executable sections as far as they are loaded, in order and apart; without any, all that is executable.
fn code(sections: &[Section], executable: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = sections
        .iter()
        .filter(|section| section.is_code && section.is_filled)
        .flat_map(|section| {
            let range = section.range();
            executable
                .iter()
                .map(move |part| range.start.max(part.start)..range.end.min(part.end))
                .filter(|range| range.start < range.end)
        })
        .collect();
    if ranges.is_empty() {
        ranges = executable.to_vec();
    }
    ranges.sort_by_key(|range| range.start);
    let mut reached = 0;
    for range in &mut ranges {
        range.start = range.start.max(reached);
        reached = reached.max(range.end);
    }
    ranges.retain(|range| range.start < range.end);
    ranges
}

/// Found by its segment, else by its section: a file with debug information alone has no segments
/// that mean anything.
pub(crate) fn build_id(headers: &Headers<'_>) -> Option<Vec<u8>> {
    let segments = headers.segments.iter();
    let loaded = segments.filter_map(|segment| segment.notes(ENDS, headers.bytes).ok()?);
    let sections = headers.sections.iter();
    let kept = sections.filter_map(|section| section.notes(ENDS, headers.bytes).ok()?);
    loaded.chain(kept).find_map(|mut notes| {
        while let Ok(Some(note)) = notes.next() {
            if note.name() == ELF_NOTE_GNU && note.n_type(ENDS) == NT_GNU_BUILD_ID {
                return Some(note.desc().to_vec());
            }
        }
        None
    })
}
