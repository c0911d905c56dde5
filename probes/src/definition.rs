//! Tells which kind of definition a function is: the C library's, an interposer's, or the program's own.
//!
//! A library that defines a function under a name of the C library is an interposer, and its function does the same, when
//! * the name is one that only the C library may define (`_...`, `pthread_...`),
//! * the library was preloaded, or
//! * it is the runtime of a sanitizer or of a profiler known to be linked.
//!
//! Any other definition may do anything.

use core::ffi::{CStr, c_void};
use core::sync::atomic::{AtomicUsize, Ordering};

use whyperf_runtime::environ;

use crate::c_library;
use crate::loaded_object::{LoadedObject, file_name};
use crate::loader::look_in;

/// Whether `address` is a definition of what the C library means by `name`.
pub(crate) fn is_expected(name: &CStr, address: *mut c_void) -> bool {
    let name = name.to_bytes();
    name.starts_with(b"_")
        || name.starts_with(b"pthread_")
        || address.is_null()
        || is_inside(address as usize)
        || LoadedObject::around(address).is_none_or(is_c_library_or_interposer)
}

/// Whether `address` is in an object of one of these names.
pub(crate) fn is_of(names: &[&CStr], address: *mut c_void) -> bool {
    LoadedObject::around(address).is_some_and(|object| {
        let file = file_name(object.file.to_bytes());
        names.iter().any(|name| file.starts_with(name.to_bytes()))
    })
}

/// Whether a function begins at `address`, in another object than this one: a linker's stub in a
/// program that takes a function's address may stand for the function.
pub(crate) fn is_by_another(address: *mut c_void) -> bool {
    static HERE: u8 = 0;
    // SAFETY: all-zero is a valid `Dl_info`.
    let mut info: libc::Dl_info = unsafe { core::mem::zeroed() };
    // SAFETY: `dladdr` takes any address and writes `info`.
    if address.is_null() || unsafe { libc::dladdr(address, &raw mut info) } == 0 {
        return false;
    }
    let ours = LoadedObject::around((&raw const HERE).cast());
    let is_ours = ours.is_some_and(|object| core::ptr::eq(object.base, info.dli_fbase.cast()));
    !is_ours && (info.dli_saddr == address || is_inside(address as usize))
}

/// The C library's own definition, null if it has none.
pub(crate) fn of_c_library(name: &CStr) -> *mut c_void {
    let object = c_library::object();
    object.map_or(core::ptr::null_mut(), |object| look_in(object.file, name))
}

fn is_c_library_or_interposer(object: LoadedObject) -> bool {
    let file = file_name(object.file.to_bytes());
    KNOWN.iter().any(|known| file.starts_with(known)) || is_preloaded(file)
}

fn is_preloaded(file: &[u8]) -> bool {
    let list = environ::variable(b"LD_PRELOAD").unwrap_or(&[]);
    let mut entries = list.split(|byte| matches!(byte, b' ' | b':'));
    entries.any(|entry| file_name(entry) == file)
}

/// Whether the address is in the C library, without a search for the nearest symbol.
fn is_inside(address: usize) -> bool {
    static START: AtomicUsize = AtomicUsize::new(0);
    static SIZE: AtomicUsize = AtomicUsize::new(0);
    if SIZE.load(Ordering::Relaxed) == 0
        && let Some(object) = c_library::object()
    {
        // Two threads that do this at once store the same.
        START.store(object.base as usize, Ordering::Relaxed);
        SIZE.store(c_library::size(object), Ordering::Relaxed);
    }
    address.wrapping_sub(START.load(Ordering::Relaxed)) < SIZE.load(Ordering::Relaxed)
}

/// How the names of files begin that are the C library's or an interposer's.
const KNOWN: &[&[u8]] = &[
    b"libc.so.",
    b"libc-2.",
    b"libpthread.so.",
    b"libpthread-2.",
    b"librt.so.",
    b"librt-2.",
    b"ld-linux",
    b"ld-musl",
    b"libasan.so",
    b"libhwasan.so",
    b"liblsan.so",
    b"libtsan.so",
    b"libubsan.so",
    b"libclang_rt.",
    b"libdarshan.so",
];
