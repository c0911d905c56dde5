//! Reads from an ELF file how it is started: by which dynamic linker, and with which shared objects.

use std::fs::File;

use object::elf::{
    DT_NEEDED, DT_NULL, DT_STRSZ, DT_STRTAB, DynamicTag, EM_AARCH64, EM_X86_64, FileHeader64,
    Machine, PT_LOAD, ProgramHeader64,
};
use object::read::elf::{Dyn as _, FileHeader as _, ProgramHeader as _};
use object::{Endianness, FileKind, ReadCache, ReadRef, StringTable};

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
        let data = &ReadCache::new(file);
        match FileKind::parse(data).ok()? {
            FileKind::Elf64 => {}
            FileKind::Elf32 => return Some(Self::default()),
            _ => return None,
        }
        let header = FileHeader64::<Endianness>::parse(data).ok()?;
        let endian = header.endian().ok()?;
        if endian != Endianness::Little || header.e_machine(endian) != MACHINE {
            return Some(Self::default());
        }
        let segments = header.program_headers(endian, data).ok()?;
        let interpreter =
            segments.iter().find_map(|segment| segment.interpreter(endian, data).ok().flatten());
        Some(Self {
            is_native: true,
            interpreter: interpreter.and_then(text),
            needed: needed(segments, endian, data).unwrap_or_default(),
        })
    }
}

fn needed<'data>(
    segments: &[ProgramHeader64<Endianness>],
    endian: Endianness,
    data: impl ReadRef<'data>,
) -> Option<Vec<String>> {
    let dynamic =
        segments.iter().find_map(|segment| segment.dynamic(endian, data).ok().flatten())?;
    let entries = dynamic.iter().map(|entry| (entry.tag(endian), entry.val(endian)));
    let entries: Vec<(DynamicTag, u64)> = entries.take_while(|(tag, _)| *tag != DT_NULL).collect();
    let value = |wanted| entries.iter().find(|(tag, _)| *tag == wanted).map(|(_, value)| *value);
    let strings = value(DT_STRTAB)?;
    // Of a segment that holds code, too, no more is read than the names.
    let start = segments.iter().filter(|segment| segment.p_type(endian) == PT_LOAD).find_map(
        |segment| {
            let within = strings.checked_sub(segment.p_vaddr(endian))?;
            let is_inside = within < segment.p_filesz(endian);
            is_inside.then(|| segment.p_offset(endian).checked_add(within))?
        },
    )?;
    let table = StringTable::new(data, start, start.checked_add(value(DT_STRSZ)?)?);
    let names = entries.iter().filter(|(tag, _)| *tag == DT_NEEDED);
    let name = |offset: u64| table.get(u32::try_from(offset).ok()?).ok().and_then(text);
    Some(names.filter_map(|(_, offset)| name(*offset)).collect())
}

fn text(bytes: &[u8]) -> Option<String> {
    String::from_utf8(bytes.to_vec()).ok()
}

/// The machine this command, and therefore its library, is built for.
const MACHINE: Machine = if cfg!(target_arch = "aarch64") { EM_AARCH64 } else { EM_X86_64 };

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
