//! What an ELF file says about how it is started: by which dynamic linker, and with which shared objects.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

/// The facts of one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Elf {
    /// Whether it is for the kind of machine that this command is for.
    pub(crate) is_native: bool,
    /// The dynamic linker; a statically linked program has none.
    pub(crate) interpreter: Option<String>,
    /// The shared objects it was linked with.
    pub(crate) needed: Vec<String>,
}

impl Elf {
    /// `None` for what is no ELF file, or one cut short.
    pub(crate) fn read(file: &File) -> Option<Self> {
        let header = bytes_at(file, 0, 64)?;
        if !header.starts_with(b"\x7fELF") {
            return None;
        }
        let is_64_bit_little_endian = header[4] == 2 && header[5] == 1;
        if !is_64_bit_little_endian || u16_at(&header, 18) != Some(MACHINE) {
            return Some(Self::default());
        }
        let segments = segments(file, &header)?;
        let of_kind = |kind| segments.iter().find(move |segment| segment.kind == kind);
        let interpreter = of_kind(PT_INTERP).and_then(|segment| text_at(file, segment.offset));
        let dynamic = of_kind(PT_DYNAMIC);
        let needed = dynamic.and_then(|dynamic| needed(file, &segments, dynamic));
        Some(Self { is_native: true, interpreter, needed: needed.unwrap_or_default() })
    }
}

/// A stretch of the file, and where it lies in memory.
struct Segment {
    kind: u32,
    offset: u64,
    address: u64,
    size: u64,
}

fn segments(file: &File, header: &[u8]) -> Option<Vec<Segment>> {
    let table = u64_at(header, 32)?;
    let entry_size = u64::from(u16_at(header, 54)?);
    let read = |nth: u16| {
        let entry = bytes_at(file, table.checked_add(u64::from(nth) * entry_size)?, 56)?;
        let kind = u32::from_le_bytes(entry[..4].try_into().ok()?);
        let word = |at| u64_at(&entry, at);
        Some(Segment { kind, offset: word(8)?, address: word(16)?, size: word(32)? })
    };
    (0..u16_at(header, 56)?).map(read).collect()
}

fn needed(file: &File, segments: &[Segment], dynamic: &Segment) -> Option<Vec<String>> {
    let size = usize::try_from(dynamic.size.min(MOST_DYNAMIC)).ok()?;
    let table = bytes_at(file, dynamic.offset, size)?;
    let entries = table.chunks_exact(16).map_while(|entry| {
        let (tag, value) = (u64_at(entry, 0)?, u64_at(entry, 8)?);
        (tag != DT_NULL).then_some((tag, value))
    });
    let entries: Vec<(u64, u64)> = entries.collect();
    let strings = entries.iter().find(|(tag, _)| *tag == DT_STRTAB)?.1;
    let loaded = segments.iter().filter(|segment| segment.kind == PT_LOAD);
    let offset = loaded.into_iter().find_map(|segment| {
        let within = strings.checked_sub(segment.address)?;
        (within < segment.size).then(|| segment.offset.checked_add(within))?
    })?;
    let names = entries.iter().filter(|(tag, _)| *tag == DT_NEEDED);
    Some(names.filter_map(|(_, name)| text_at(file, offset.checked_add(*name)?)).collect())
}

/// The text that ends with a zero byte.
fn text_at(file: &File, offset: u64) -> Option<String> {
    let mut bytes = [0; MOST_NAME];
    let length = file.read_at(&mut bytes, offset).ok()?;
    let end = bytes[..length].iter().position(|byte| *byte == 0)?;
    String::from_utf8(bytes[..end].to_vec()).ok()
}

fn bytes_at(file: &File, offset: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, offset).ok()?;
    Some(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
}

const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const PT_INTERP: u32 = 3;
const DT_NULL: u64 = 0;
const DT_NEEDED: u64 = 1;
const DT_STRTAB: u64 = 5;
/// More than any linker writes; what a broken file says is not believed.
const MOST_DYNAMIC: u64 = 1 << 16;
/// The longest path that the system takes.
const MOST_NAME: usize = 4096;
/// The machine this command, and therefore its library, is built for.
const MACHINE: u16 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_names_its_linker_and_its_objects() {
        let file = File::open("/bin/ls").expect("every system has `ls`");
        let elf = Elf::read(&file).expect("a program is ELF");
        assert!(elf.is_native);
        assert!(elf.interpreter.is_some_and(|linker| linker.contains("ld-linux")));
        assert!(elf.needed.iter().any(|name| name.starts_with("libc.so")), "{:?}", elf.needed);
    }

    #[test]
    fn what_is_no_program_says_nothing() {
        let file = File::open("/etc/passwd").expect("every system has users");
        assert_eq!(Elf::read(&file), None);
    }
}
