//! The C library of the process: whether it is one we know, and where its `dlsym` is.
//!
//! ```text
//!   glibc   dlvsym(RTLD_NEXT, "dlsym", version)
//!   musl    no dlvsym: the symbol table of the object that defines __errno_location
//! ```
//! Only glibc is measured. Under another one every call must still find its way, so the table is
//! read by hand for the one symbol that finds all others.

use core::arch::asm;
use core::ffi::{CStr, c_char, c_void};

use crate::loaded_object::LoadedObject;

/// Whether the C library is glibc.
pub(crate) fn is_glibc() -> bool {
    dlvsym().is_some()
}

/// The C library's own `dlsym`, null when it has none.
pub(crate) fn dlsym() -> *mut c_void {
    let Some(dlvsym) = dlvsym() else { return by_hand() };
    // Of an object that was loaded late nothing is next, and all others come before it.
    for place in [libc::RTLD_NEXT, libc::RTLD_DEFAULT] {
        for version in [c"GLIBC_2.34", c"GLIBC_2.2.5", c"GLIBC_2.17"] {
            // SAFETY: constant strings; both places are valid in any object.
            let found = unsafe { dlvsym(place, c"dlsym".as_ptr(), version.as_ptr()) };
            if !found.is_null() {
                return found;
            }
        }
    }
    core::ptr::null_mut()
}

/// The object that it is.
pub(crate) fn object() -> Option<LoadedObject> {
    LoadedObject::around(libc::__errno_location as *const c_void)
}

/// Bytes of address space that an object takes.
pub(crate) fn size(object: LoadedObject) -> usize {
    // SAFETY: the loader's own description of an object that stays.
    let headers = unsafe { headers(object.base) };
    let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    loaded.map(|header| (header.p_vaddr + header.p_memsz) as usize).max().unwrap_or(0)
}

type DlVSym = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;

/// A weak reference: a C library without it can load this object.
fn dlvsym() -> Option<DlVSym> {
    let address: *const c_void;
    // SAFETY: reads the word that the loader filled, with zero when there is no such function.
    unsafe {
        asm!(
            ".weak dlvsym",
            "mov {}, qword ptr [rip + dlvsym@GOTPCREL]",
            out(reg) address,
            options(nostack, preserves_flags),
        );
    }
    // SAFETY: null or the function of this signature; null is `None`.
    unsafe { core::mem::transmute::<*const c_void, Option<DlVSym>>(address) }
}

/// Looks through the symbols of the C library's object.
fn by_hand() -> *mut c_void {
    let nothing = core::ptr::null_mut();
    let Some(base) = object().map(|object| object.base) else { return nothing };
    // SAFETY: the loader mapped the object's first page, header and program headers, at its base.
    let tables = unsafe { DynamicSymbols::of(base) };
    let Some(tables) = tables else { return nothing };
    for index in 0..tables.count {
        // SAFETY: the hash table says that there are so many symbols, each with a name.
        let symbol = unsafe { &*tables.symbols.add(index) };
        // SAFETY: as above.
        let name = unsafe { CStr::from_ptr(tables.names.add(symbol.st_name as usize)) };
        if name == c"dlsym" && symbol.st_value != 0 {
            return base.wrapping_add(symbol.st_value as usize).cast_mut().cast();
        }
    }
    nothing
}

/// The dynamic symbols of a loaded object.
struct DynamicSymbols {
    symbols: *const libc::Elf64_Sym,
    names: *const c_char,
    count: usize,
}

impl DynamicSymbols {
    /// # Safety
    /// An object that stays loaded begins at `base`, and its loader leaves addresses in its
    /// dynamic section relative to that.
    unsafe fn of(base: *const u8) -> Option<Self> {
        let (mut symbols, mut names, mut hash) = (0, 0, 0);
        // SAFETY: the caller vouches for the object, here and below.
        let mut entry = unsafe { dynamic(base) }?;
        loop {
            // SAFETY: the section ends with a zero tag.
            let [tag, value] = unsafe { *entry };
            match tag {
                0 => break,
                HASH => hash = value,
                NAMES => names = value,
                SYMBOLS => symbols = value,
                _ => {}
            }
            entry = entry.wrapping_add(1);
        }
        if symbols == 0 || names == 0 || hash == 0 {
            return None;
        }
        // SAFETY: the second word of a hash table counts the symbols.
        let count = unsafe { *base.add(hash + 4).cast::<u32>() } as usize;
        let symbols = base.wrapping_add(symbols).cast();
        Some(Self { symbols, names: base.wrapping_add(names).cast(), count })
    }
}

/// The dynamic section.
///
/// # Safety
/// A loaded object begins at `base`.
unsafe fn dynamic(base: *const u8) -> Option<*const [usize; 2]> {
    // SAFETY: the caller's promise is the same.
    let headers = unsafe { headers(base) };
    let found = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC)?;
    Some(base.wrapping_add(found.p_vaddr as usize).cast())
}

/// The program headers.
///
/// # Safety
/// A loaded object that stays begins at `base`.
unsafe fn headers(base: *const u8) -> &'static [libc::Elf64_Phdr] {
    // SAFETY: the header of a loaded object, and the program headers that it counts.
    unsafe {
        let header = &*base.cast::<libc::Elf64_Ehdr>();
        let first = base.add(header.e_phoff as usize).cast::<libc::Elf64_Phdr>();
        core::slice::from_raw_parts(first, usize::from(header.e_phnum))
    }
}

/// Tags of the dynamic section: the hash table, the names, the symbols.
const HASH: usize = 4;
const NAMES: usize = 5;
const SYMBOLS: usize = 6;
