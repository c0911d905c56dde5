//! Ranges of functions according to the unwind table, which stripped objects carry too.

use std::ops::Range;

use gimli::{
    BaseAddresses, CallFrameInstruction, CieOrFde, CommonInformationEntry, EhFrame, EhFrameHdr,
    EndianSlice, FrameDescriptionEntry, LittleEndian, Pointer, UnwindSection,
};

use super::shape::Shape;

type Bytes<'file> = EndianSlice<'file, LittleEndian>;

/// One entry of the unwind table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame {
    /// Where the range begins.
    pub begin: u64,
    /// Where it ends.
    pub end: u64,
    /// Where the table of its landing pads lies, if it has any.
    pub landing: Option<u64>,
    /// Whether something lies on the stack already where it begins: a function begins with nothing
    /// but the return address.
    pub is_midway: bool,
}

/// All of them, sorted.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    sorted: Vec<Frame>,
}

impl Frames {
    pub(crate) fn of(shape: &Shape, file: &[u8]) -> Self {
        let mut sorted = match table(shape, file) {
            Some((address, bytes)) => entries(shape, file, address, bytes),
            None => Vec::new(),
        };
        sorted.sort_unstable();
        sorted.dedup_by_key(|frame| frame.begin);
        Self { sorted }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Frame> {
        self.sorted.iter()
    }

    /// The entry around an address.
    pub(crate) fn around(&self, address: u64) -> Option<&Frame> {
        let after = self.sorted.partition_point(|frame| frame.begin <= address);
        self.sorted[..after].last().filter(|frame| address < frame.end)
    }
}

/// Address and bytes of the table, found by name or by its header.
fn table<'file>(shape: &Shape, file: &'file [u8]) -> Option<(u64, &'file [u8])> {
    if let Some(section) = shape.section(".eh_frame")
        && let Some(bytes) = section.bytes(file)
    {
        return Some((section.address, bytes));
    }
    let header = shape.frame_header.clone()?;
    let bytes = shape.bytes(file, header.clone())?;
    let bases = BaseAddresses::default().set_eh_frame_hdr(header.start);
    let parsed = EhFrameHdr::new(bytes, LittleEndian).parse(&bases, ADDRESS_SIZE).ok()?;
    let Pointer::Direct(address) = parsed.eh_frame_ptr() else { return None };
    let within = |segment: &&super::shape::Segment| {
        address.checked_sub(segment.address).is_some_and(|distance| distance < segment.length)
    };
    // Where it ends is not told: an empty entry closes it.
    let segment = shape.segments.iter().find(within)?;
    Some((address, shape.bytes(file, address..segment.address.checked_add(segment.length)?)?))
}

fn entries(shape: &Shape, file: &[u8], address: u64, bytes: &[u8]) -> Vec<Frame> {
    let at = |name| shape.section(name).map_or(0, |section| section.address);
    let bases =
        BaseAddresses::default().set_eh_frame(address).set_text(at(".text")).set_got(at(".got"));
    let table = EhFrame::from(EndianSlice::new(bytes, LittleEndian));
    let mut found = Vec::new();
    let mut shared: Option<(usize, CommonInformationEntry<Bytes<'_>>)> = None;
    let mut entries = table.entries(&bases);
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else { continue };
        let parsed = partial.parse(|table, bases, offset| match &shared {
            Some((known, cie)) if *known == offset.0 => Ok(cie.clone()),
            _ => {
                let cie = table.cie_from_offset(bases, offset)?;
                shared = Some((offset.0, cie.clone()));
                Ok(cie)
            }
        });
        let Ok(function) = parsed else { continue };
        let begin = function.initial_address();
        let Some(code) = shape.code_at(begin) else { continue };
        let end = begin.saturating_add(function.len()).min(code.end);
        let landing = function.lsda().and_then(|pointer| landing(shape, file, pointer));
        found.push(Frame { begin, end, landing, is_midway: is_midway(&function, &table, &bases) });
    }
    found.retain(|frame| frame.begin < frame.end);
    found
}

fn landing(shape: &Shape, file: &[u8], pointer: Pointer) -> Option<u64> {
    match pointer {
        Pointer::Direct(0) | Pointer::Indirect(0) => None,
        Pointer::Direct(address) => Some(address),
        Pointer::Indirect(place) => {
            let range: Range<u64> = place..place.checked_add(8)?;
            Some(u64::from_le_bytes(shape.bytes(file, range)?.try_into().ok()?))
        }
    }
}

/// Whether the stack is described anew before the first byte is executed.
fn is_midway(
    function: &FrameDescriptionEntry<Bytes<'_>>,
    table: &EhFrame<Bytes<'_>>,
    bases: &BaseAddresses,
) -> bool {
    let mut instructions = function.instructions(table, bases);
    while let Ok(Some(instruction)) = instructions.next() {
        match instruction {
            CallFrameInstruction::DefCfa { .. }
            | CallFrameInstruction::DefCfaSf { .. }
            | CallFrameInstruction::DefCfaOffset { .. }
            | CallFrameInstruction::DefCfaOffsetSf { .. }
            | CallFrameInstruction::DefCfaRegister { .. }
            | CallFrameInstruction::DefCfaExpression { .. } => return true,
            CallFrameInstruction::AdvanceLoc { .. } | CallFrameInstruction::SetLoc { .. } => {
                return false;
            }
            _ => {}
        }
    }
    false
}

/// Bytes of an address: only such objects are read.
const ADDRESS_SIZE: u8 = 8;
