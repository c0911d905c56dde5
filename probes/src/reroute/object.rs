//! A loaded object as far as calls out of it are concerned: its slots, and which pages are sealed.

use core::ffi::CStr;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::loaded_object::file_name;

/// A loaded object.
#[derive(Debug)]
pub(super) struct MappedObject {
    base: usize,
    headers: &'static [libc::Elf64_Phdr],
    tables: DynamicSection,
    /// Whether it is part of an MPI, and not of the program.
    pub(super) is_of_mpi: bool,
}

/// What its dynamic section tells.
#[derive(Debug, Default)]
struct DynamicSection {
    symbols: usize,
    names: usize,
    relocations: [(usize, usize); 2],
}

/// A word through which it calls a function.
#[derive(Debug)]
pub(super) struct RelocationSlot {
    /// Where it is.
    pub(super) address: usize,
    /// The function's name.
    pub(super) name: &'static CStr,
    /// Whether the function is another object's.
    pub(super) is_imported: bool,
}

impl RelocationSlot {
    /// What it holds.
    pub(super) fn value(&self) -> usize {
        // SAFETY: an aligned word of a loaded object, whose linker fills it by whole words.
        unsafe { &*(self.address as *const AtomicUsize) }.load(Ordering::Relaxed)
    }
}

impl MappedObject {
    /// `None` for objects whose calls are left alone.
    ///
    /// # Safety
    /// `info` must describe an object that stays loaded as long as this value is used.
    pub(super) unsafe fn of(info: *const libc::dl_phdr_info) -> Option<Self> {
        // SAFETY: the caller's promise.
        let info = unsafe { &*info };
        let name = if info.dlpi_name.is_null() {
            c""
        } else {
            // SAFETY: not null, so the loader's own string.
            unsafe { CStr::from_ptr(info.dlpi_name) }
        };
        let file = file_name(name.to_bytes());
        if LEFT_ALONE.iter().any(|start| file.starts_with(start)) {
            return None;
        }
        // SAFETY: the loader counts the headers it points to.
        let headers =
            unsafe { core::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
        let base = info.dlpi_addr as usize;
        let is_of_mpi = OF_MPI.iter().any(|start| file.starts_with(start));
        // SAFETY: the caller's promise.
        let tables = unsafe { DynamicSection::of(base, headers) }?;
        Some(Self { base, headers, tables, is_of_mpi })
    }

    /// Hands over every slot of a function.
    pub(super) fn each_slot(&self, mut take: impl FnMut(RelocationSlot)) {
        for (start, size) in self.tables.relocations {
            for index in 0..size / size_of::<libc::Elf64_Rela>() {
                // SAFETY: the dynamic section says that there are so many.
                let entry = unsafe { &*(start as *const libc::Elf64_Rela).add(index) };
                if matches!(entry.r_info as u32, JUMP_SLOT | GLOB_DAT)
                    && let Some(slot) = self.slot(entry)
                {
                    take(slot);
                }
            }
        }
    }

    fn slot(&self, entry: &libc::Elf64_Rela) -> Option<RelocationSlot> {
        let number = (entry.r_info >> 32) as usize;
        // SAFETY: relocations name symbols that exist, each with a name.
        let symbol = unsafe { &*(self.tables.symbols as *const libc::Elf64_Sym).add(number) };
        let address = self.base.wrapping_add(entry.r_offset as usize);
        if number == 0 || !address.is_multiple_of(size_of::<usize>()) {
            return None;
        }
        let name = self.tables.names + symbol.st_name as usize;
        // SAFETY: as above.
        let name = unsafe { CStr::from_ptr(name as *const core::ffi::c_char) };
        Some(RelocationSlot { address, name, is_imported: symbol.st_shndx == 0 })
    }

    /// Whether this is code of the object itself: what a slot holds until its first call.
    pub(super) fn is_own_code(&self, address: usize) -> bool {
        self.ranges(libc::PT_LOAD, libc::PF_X).any(|(start, end)| (start..end).contains(&address))
    }

    /// Whether the word lies in a page that the linker makes read-only when it is done.
    pub(super) fn is_sealed(&self, address: usize) -> bool {
        let mut ranges = self.ranges(libc::PT_GNU_RELRO, 0);
        ranges.any(|(start, end)| (start / PAGE * PAGE..end / PAGE * PAGE).contains(&address))
    }

    fn ranges(&self, kind: u32, flags: u32) -> impl Iterator<Item = (usize, usize)> {
        let wanted = move |header: &&libc::Elf64_Phdr| {
            header.p_type == kind && header.p_flags & flags == flags
        };
        self.headers.iter().filter(wanted).map(|header| {
            let start = self.base.wrapping_add(header.p_vaddr as usize);
            (start, start + header.p_memsz as usize)
        })
    }
}

impl DynamicSection {
    /// # Safety
    /// The headers must be those of an object that stays loaded, at `base`.
    unsafe fn of(base: usize, headers: &[libc::Elf64_Phdr]) -> Option<Self> {
        let header = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC)?;
        let mut entry = base.wrapping_add(header.p_vaddr as usize) as *const [usize; 2];
        let mut tables = Self::default();
        // The dynamic linker has made addresses of offsets, but not in an object of the kernel's.
        let place = |value: usize| if value < base { base.wrapping_add(value) } else { value };
        loop {
            // SAFETY: the section ends with a zero tag, where the loop leaves.
            let [tag, value] = unsafe { *entry };
            match tag {
                0 => break,
                SYMBOLS => tables.symbols = place(value),
                NAMES => tables.names = place(value),
                CALLS => tables.relocations[0].0 = place(value),
                CALLS_SIZE => tables.relocations[0].1 = value,
                DATA => tables.relocations[1].0 = place(value),
                DATA_SIZE => tables.relocations[1].1 = value,
                _ => {}
            }
            entry = entry.wrapping_add(1);
        }
        (tables.symbols != 0 && tables.names != 0).then_some(tables)
    }
}

const PAGE: usize = 4096;
/// Kinds of relocations: a slot filled at the first call, and one filled at load.
const JUMP_SLOT: u32 = 7;
const GLOB_DAT: u32 = 6;
/// Tags of the dynamic section.
const NAMES: usize = 5;
const SYMBOLS: usize = 6;
const DATA: usize = 7;
const DATA_SIZE: usize = 8;
const CALLS: usize = 23;
const CALLS_SIZE: usize = 2;
/// How the files begin whose calls of the C library are its own, or ours.
const LEFT_ALONE: &[&[u8]] = &[
    b"libwhyperf.so",
    b"ld-linux",
    b"ld-2.",
    b"libc.so.",
    b"libc-2.",
    b"libpthread",
    b"libdl.so.",
    b"libdl-2.",
    b"librt.so.",
    b"linux-vdso",
];
/// How the files begin that belong to an MPI: the library, what it is made of, and its plugins.
const OF_MPI: &[&[u8]] = &[
    b"libmpi",
    b"libmpich",
    b"libopen-",
    b"libompi",
    b"mca_",
    b"libpmi",
    b"libprrte",
    b"libevent",
    b"libhwloc",
    b"libucp",
    b"libucs",
    b"libuct",
    b"libucm",
    b"libucc",
    b"libhcoll",
    b"libfabric",
    b"libpsm",
    b"libibverbs",
    b"librdmacm",
    b"libmunge",
    b"libslurm",
];
