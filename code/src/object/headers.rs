//! The headers of an ELF file for this machine, checked.

use std::path::Path;

use object::elf::{EM_AARCH64, EM_X86_64, FileHeader64, ProgramHeader64, SectionHeader64};
use object::read::elf::{FileHeader, SectionHeader, SectionTable};
use object::{Endianness, FileKind, LittleEndian};

use crate::error::ObjectError;

pub(crate) type Ends = LittleEndian;
pub(crate) const ENDS: Ends = LittleEndian;

/// Header, segments and sections of a file.
pub(crate) struct Headers<'file> {
    pub(crate) bytes: &'file [u8],
    pub(crate) segments: &'file [ProgramHeader64<Ends>],
    /// Empty where the file has none: it can be run all the same.
    pub(crate) sections: SectionTable<'file, FileHeader64<Ends>>,
}

impl<'file> Headers<'file> {
    /// Of a file that is for this machine.
    pub(crate) fn of(path: &Path, bytes: &'file [u8]) -> Result<Self, ObjectError> {
        let malformed = |reason| ObjectError::Malformed { path: path.to_owned(), reason };
        let machine = |found| ObjectError::Machine { path: path.to_owned(), found };
        match FileKind::parse(bytes).map_err(malformed)? {
            FileKind::Elf64 => {}
            FileKind::Elf32 => return Err(machine("32 bits")),
            _ => return Err(ObjectError::NotElf { path: path.to_owned() }),
        }
        let any = FileHeader64::<Endianness>::parse(bytes).map_err(malformed)?;
        let ends = any.endian().map_err(malformed)?;
        match (ends, any.e_machine(ends)) {
            (Endianness::Big, _) => return Err(machine("big endian")),
            (_, EM_X86_64) if cfg!(target_arch = "x86_64") => {}
            (_, EM_AARCH64) if cfg!(target_arch = "aarch64") => {}
            (_, EM_X86_64) => return Err(machine("x86-64")),
            (_, EM_AARCH64) => return Err(machine("AArch64")),
            _ => return Err(machine("neither x86-64 nor AArch64")),
        }
        let header = FileHeader64::<Ends>::parse(bytes).map_err(malformed)?;
        Ok(Self {
            bytes,
            segments: header.program_headers(ENDS, bytes).map_err(malformed)?,
            sections: header.sections(ENDS, bytes).unwrap_or_default(),
        })
    }

    /// The name of a section, for what it is worth.
    pub(crate) fn name(&self, section: &SectionHeader64<Ends>) -> String {
        String::from_utf8_lossy(self.sections.section_name(ENDS, section).unwrap_or_default())
            .into_owned()
    }

    /// The bytes of a section; none where it has no place in the file.
    pub(crate) fn data(&self, name: &str) -> Option<&'file [u8]> {
        let (_, section) = self.sections.section_by_name(ENDS, name.as_bytes())?;
        section.data(ENDS, self.bytes).ok()
    }
}
