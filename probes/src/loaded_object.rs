//! Loaded objects: the program, and each library of it.

use core::ffi::{CStr, c_int, c_void};

/// A loaded object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadedObject {
    /// Where its header is.
    pub(crate) base: *const u8,
    /// The file it was loaded from.
    pub(crate) file: &'static CStr,
}

impl LoadedObject {
    /// The object that this address is in.
    pub(crate) fn around(address: *const c_void) -> Option<Self> {
        let mut search = Search { address: address.addr(), found: None };
        // SAFETY: the function takes what is handed to it, and keeps nothing of it.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
        // The program itself has no name in that list.
        let named = search.found.filter(|found| !found.file.is_empty());
        named.or_else(|| Self::with_symbol(address))
    }

    /// The same, with all symbols of the object gone through for the nearest one, which takes tens of microseconds.
    fn with_symbol(address: *const c_void) -> Option<Self> {
        // SAFETY: all-zero is a valid `Dl_info`.
        let mut info: libc::Dl_info = unsafe { core::mem::zeroed() };
        // SAFETY: `dladdr` takes any address and writes `info`.
        let known = unsafe { libc::dladdr(address, &raw mut info) } != 0;
        if !known || info.dli_fbase.is_null() || info.dli_fname.is_null() {
            return None;
        }
        // SAFETY: the loader's own string, kept as long as the object is loaded.
        let file = unsafe { CStr::from_ptr(info.dli_fname) };
        Some(Self { base: info.dli_fbase.cast(), file })
    }
}

/// A search for the object around an address.
struct Search {
    address: usize,
    found: Option<LoadedObject>,
}

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
    // SAFETY: the loader describes an object that stays as long as this function runs.
    let info = unsafe { &*info };
    // SAFETY: what `around` passes on; it stays as long.
    let search = unsafe { &mut *search.cast::<Search>() };
    if info.dlpi_phdr.is_null() || info.dlpi_name.is_null() {
        return 0;
    }
    // SAFETY: the loader's own description of an object.
    let headers =
        unsafe { core::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let loaded = || headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    let offset = search.address.wrapping_sub(info.dlpi_addr as usize) as u64;
    let is_around =
        |header: &libc::Elf64_Phdr| offset.wrapping_sub(header.p_vaddr) < header.p_memsz;
    let Some(first) = loaded().next().filter(|_| loaded().any(is_around)) else { return 0 };
    let base = (info.dlpi_addr + first.p_vaddr) as usize & !(PAGE - 1);
    // SAFETY: the loader's own string, kept as long as the object is loaded.
    let file = unsafe { CStr::from_ptr(info.dlpi_name) };
    search.found = Some(LoadedObject { base: core::ptr::with_exposed_provenance(base), file });
    1
}

const PAGE: usize = 4096;

/// The last part of a path.
pub(crate) fn file_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}
