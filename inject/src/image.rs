//! One loaded object as attaching needs it: where its functions are, and how to unwind through them.

use std::cell::OnceCell;
use std::ops::Range;
use std::path::{Path, PathBuf};

use gimli::{
    BaseAddresses, EhFrame, EhFrameHdr, EndianSlice, LittleEndian, UnwindContext,
    UnwindSection as _, UnwindTableRow,
};
use object::{
    Object as _, ObjectSection as _, ObjectSegment as _, ObjectSymbol as _, ReadRef, SegmentFlags,
};

use crate::maps::MappedFile;
use crate::memory::Memory;
use crate::regular_file::open_regular;

/// A function with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Named {
    range: Range<u64>,
    name: String,
}

/// A section and the address it was linked for.
#[derive(Debug, Default)]
struct LinkedSection {
    address: u64,
    bytes: Vec<u8>,
}

/// A loaded object.
#[derive(Debug)]
pub(crate) struct Image {
    /// File name.
    pub(crate) name: String,
    /// Distance from the addresses of the file to those in memory.
    bias: u64,
    frames: LinkedSection,
    index: LinkedSection,
    stubs: Vec<Range<u64>>,
    /// What is mapped behind its code because pages are whole.
    padding: Range<u64>,
    file: PathBuf,
    /// Read when a name is asked for first: following stacks needs none, and large libraries have thousands.
    functions: OnceCell<Vec<Named>>,
}

/// The rules of one frame, and whether it is where a signal handler returns to.
pub(crate) type Rules = (UnwindTableRow<usize>, bool);

impl Image {
    /// Of what is mapped; `None` when it is no object that can be read.
    pub(crate) fn of(mapped: &MappedFile, memory: &Memory) -> Option<Self> {
        if mapped.path.is_absolute() {
            let cache = object::ReadCache::new(open_regular(&mapped.path).ok()?);
            Self::parse(&cache, mapped)
        } else {
            // The kernel's own object has no file.
            let length = usize::try_from(mapped.range.end - mapped.range.start).ok()?;
            let bytes = memory.read_most(mapped.range.start, length);
            Self::parse(bytes.as_slice(), mapped)
        }
    }

    fn parse<'data>(data: impl ReadRef<'data>, mapped: &MappedFile) -> Option<Self> {
        let file = object::File::parse(data).ok()?;
        let (code, offset) = mapped.code.first()?;
        let segment = file.segments().find(|segment| {
            let (begin, length) = segment.file_range();
            let SegmentFlags::Elf { p_flags, .. } = segment.flags() else { return false };
            let is_code = p_flags.0 & object::elf::PF_X.0 != 0;
            is_code && begin / PAGE * PAGE <= *offset && *offset < begin + length
        })?;
        let linked = segment.address().wrapping_sub(segment.file_range().0).wrapping_add(*offset);
        let end = segment.address() + segment.size();
        let section = |name| {
            file.section_by_name(name).map_or_else(LinkedSection::default, |section| {
                LinkedSection {
                    address: section.address(),
                    bytes: section.data().unwrap_or_default().to_vec(),
                }
            })
        };
        let stubs = file
            .sections()
            .filter(|section| section.name().is_ok_and(|name| name.starts_with(".plt")))
            .map(|section| section.address()..section.address() + section.size());
        Some(Self {
            name: mapped.name().to_owned(),
            bias: code.start.wrapping_sub(linked),
            frames: section(".eh_frame"),
            index: section(".eh_frame_hdr"),
            stubs: stubs.collect(),
            padding: end..end.next_multiple_of(PAGE),
            file: mapped.path.clone(),
            functions: if mapped.path.is_absolute() {
                OnceCell::new()
            } else {
                functions(&file).into()
            },
        })
    }

    /// Where a function is in memory.
    pub(crate) fn address_of(&self, name: &str) -> Option<u64> {
        let found = self.functions().iter().rev().find(|function| function.name == name)?;
        Some(found.range.start.wrapping_add(self.bias))
    }

    fn functions(&self) -> &[Named] {
        self.functions.get_or_init(|| {
            let Ok(file) = open_regular(&self.file) else { return Vec::new() };
            let cache = object::ReadCache::new(file);
            object::File::parse(&cache).map_or_else(|_| Vec::new(), |file| functions(&file))
        })
    }

    /// Addresses in memory behind its code, to which nothing leads.
    pub(crate) const fn padding(&self) -> Range<u64> {
        self.padding.start.wrapping_add(self.bias)..self.padding.end.wrapping_add(self.bias)
    }

    /// The exported functions at or just before an address in memory; several where one has aliases.
    pub(crate) fn names_before(&self, address: u64) -> impl Iterator<Item = &str> {
        let address = address.wrapping_sub(self.bias);
        let functions = self.functions();
        let after = functions.partition_point(|function| function.range.start <= address);
        let below = &functions[..after];
        let start = below.last().map(|function| function.range.start);
        let same = below.iter().rev().take_while(move |one| Some(one.range.start) == start);
        same.map(|function| function.name.as_str())
    }

    /// Whether this is a linker's stub for a function of another object.
    pub(crate) fn is_stub(&self, address: u64) -> bool {
        let address = address.wrapping_sub(self.bias);
        self.stubs.iter().any(|range| range.contains(&address))
    }

    /// How to find the caller from an address in memory.
    pub(crate) fn rules(&self, address: u64) -> Option<Rules> {
        let address = address.wrapping_sub(self.bias);
        let bases = BaseAddresses::default()
            .set_eh_frame(self.frames.address)
            .set_eh_frame_hdr(self.index.address);
        let frames = EhFrame::new(&self.frames.bytes, LittleEndian);
        let of_cie = EhFrame::<EndianSlice<'_, LittleEndian>>::cie_from_offset;
        let index = EhFrameHdr::new(&self.index.bytes, LittleEndian).parse(&bases, 8).ok();
        let function = match index.as_ref().and_then(|index| index.table()) {
            Some(table) => table.fde_for_address(&frames, &bases, address, of_cie),
            None => frames.fde_for_address(&bases, address, of_cie),
        };
        let function = function.ok()?;
        let mut context = UnwindContext::new();
        let row = function.unwind_info_for_address(&frames, &bases, &mut context, address).ok()?;
        Some((row.clone(), function.is_signal_trampoline()))
    }
}

/// Exported functions by address.
fn functions<'data>(file: &object::File<'data, impl ReadRef<'data>>) -> Vec<Named> {
    let exported = file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition() && symbol.kind() == object::SymbolKind::Text);
    let named = exported.filter_map(|symbol| {
        let begin = symbol.address();
        let name = symbol.name().ok()?.to_owned();
        Some(Named { range: begin..begin + symbol.size(), name })
    });
    let mut found: Vec<Named> = named.collect();
    found.sort_by_key(|function| function.range.start);
    found
}

/// Whether the file is an object with a section of this name.
pub(crate) fn has_section(path: &Path, name: &str) -> bool {
    let Ok(file) = open_regular(path) else { return false };
    let cache = object::ReadCache::new(file);
    object::File::parse(&cache).is_ok_and(|file| file.section_by_name(name).is_some())
}

/// Whether the file is an object that gives others a symbol of this name.
pub(crate) fn exports(path: &Path, name: &str) -> bool {
    let Ok(file) = open_regular(path) else { return false };
    let cache = object::ReadCache::new(file);
    object::File::parse(&cache).is_ok_and(|file| {
        let mut symbols = file.dynamic_symbols();
        symbols.any(|symbol| symbol.is_definition() && symbol.name() == Ok(name))
    })
}

const PAGE: u64 = 4096;
