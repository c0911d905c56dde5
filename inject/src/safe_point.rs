//! Tells whether a thread is at a safe point, where it may be hijacked: not in the middle of allocating memory, of loading
//! an object, or of making or ending a thread.
//!
//! The call that a hijacked thread makes takes exactly the C library's locks for these, and a thread that holds one of them
//! cannot release it while it is hijacked. Other locks do not matter: the threads that hold them run on.

use crate::image::Image;
use crate::walk::{Images, StackCopy, StackFrame};

/// The function in whose middle the thread stands, if it may not be hijacked now.
///
/// Any but the first thread must have been made by the C library, which is told by where it began: it
/// calls a function that looks for what the C library keeps of its caller.
pub(crate) fn obstacle(
    stack: &StackCopy,
    images: &mut Images<'_>,
    is_first: bool,
) -> Option<String> {
    let (frames, whole) = images.walk(stack);
    if let Some(found) = frames.iter().find_map(unsafe_function) {
        return Some(found);
    }
    let begins_in = frames.last().and_then(|frame| frame.image.as_ref());
    let is_known = whole && begins_in.is_some_and(|image| is_c_library(&image.name));
    if !is_first && !is_known {
        return Some("a thread that the C library may not know".to_owned());
    }
    // Code without tables, such as a compiler made it at run time, is no allocator. But a thread
    // that is on its way into one, through a linker's stub, cannot be told from others.
    let last = frames.last()?;
    let image = last.image.as_ref().filter(|_| !whole)?;
    (image.is_stub(last.address) || is_c_library(&image.name))
        .then(|| format!("a place in {} that cannot be told", image.name))
}

fn unsafe_function(frame: &StackFrame) -> Option<String> {
    let image = frame.image.as_ref()?;
    if is_loader(&image.name) {
        return Some(format!("the dynamic linker ({})", image.name));
    }
    if ALLOCATORS.iter().any(|name| image.name.starts_with(name)) {
        return Some(format!("the allocator {}", image.name));
    }
    let name = if is_c_library(&image.name) {
        within_c_library(image, frame.address)
    } else {
        image.names_before(frame.address).find(|name| is_allocating(name)).map(str::to_owned)
    };
    name.map(|name| format!("{name} of {}", image.name))
}

/// Inside the C library the functions that matter are not exported, but each lies beside one that is.
fn within_c_library(image: &Image, address: u64) -> Option<String> {
    let place = |name: &str| image.address_of(name);
    for (first, beyond, helpers) in STRETCHES {
        if let (Some(begin), Some(end)) = (place(first), place(beyond))
            && (begin.saturating_sub(helpers)..end).contains(&address)
        {
            return Some(first.to_owned());
        }
    }
    let mut names = image.names_before(address);
    names.find(|name| UNSAFE.contains(name) || is_allocating(name)).map(str::to_owned)
}

fn is_allocating(name: &str) -> bool {
    name.contains("malloc") || name.contains("calloc") || name.contains("realloc") || name == "free"
}

/// Whether a file is the C library's or its threads' and loader's part.
pub(crate) fn is_c_library(name: &str) -> bool {
    ["libc.so.6", "libpthread.so.0", "libdl.so.2"].contains(&name)
        || name.starts_with("libc-2.")
        || name.starts_with("libpthread-2.")
        || name.starts_with("libdl-2.")
}

/// Whether a file is the dynamic linker of the GNU C library.
pub(crate) fn is_loader(name: &str) -> bool {
    name.starts_with("ld-linux") || name.starts_with("ld-2.")
}

/// Stretches of the C library by the exported function they begin with and the one behind them, and
/// how many bytes of helpers lie before the first.
const STRETCHES: [(&str, &str, u64); 3] = [
    ("malloc", "reallocarray", 0x3000),
    ("pthread_create", "pthread_detach", 0),
    ("fork", "vfork", 0),
];
/// Allocators that take the place of the C library's.
const ALLOCATORS: [&str; 6] =
    ["libjemalloc", "libtcmalloc", "libmimalloc", "libtbbmalloc", "libhoard", "libsnmalloc"];
/// Functions of the C library that hold what making a thread needs.
const UNSAFE: [&str; 9] = [
    "pthread_create",
    "pthread_join",
    "pthread_exit",
    "pthread_detach",
    "fork",
    "vfork",
    "exit",
    "posix_spawn",
    "dl_iterate_phdr",
];
