//! Finds the object that a call works on: the file of a descriptor, of a stream or of a path.
//!
//! ```text
//!   open(path) ──► the object known by that path ──► descriptor table
//!   read(fd)   ──► descriptor table ──► (first time) what the kernel says is behind it
//! ```

use core::ffi::c_int;

use whyperf_layout::{Moved, ObjectKind};
use whyperf_runtime::{ObjectId, object};

use super::descriptor as table;
use super::path::{PathBuilder, is_readable};
use crate::next::Next;
use crate::wrapped::{keep_errno, real};

/// "Seen from the working directory", as a word.
pub(super) const HERE: usize = libc::AT_FDCWD as usize;
/// The descriptor of `stdin`.
pub(super) const STANDARD_INPUT: usize = libc::STDIN_FILENO as usize;
/// The descriptor of `stdout`.
pub(super) const STANDARD_OUTPUT: usize = libc::STDOUT_FILENO as usize;

static NUMBER: Next = Next::inner(c"fileno");
static DIRECTORY_NUMBER: Next = Next::inner(c"dirfd");

/// The file open under a descriptor.
#[inline(always)]
pub(super) fn descriptor(fd: usize) -> ObjectId {
    let fd = fd as c_int;
    match table::find(fd) {
        Some(object) => object,
        None => ask(fd),
    }
}

/// The file of a stream; none for a null one, which means all streams.
#[inline(always)]
///
/// # Safety
/// It must be null or an open stream.
pub(super) unsafe fn stream(file: usize) -> ObjectId {
    // SAFETY: the caller's promise.
    if file == 0 { ObjectId::NONE } else { descriptor(unsafe { number_of(file) } as usize) }
}

/// The descriptor of a stream, -1 when it has none.
///
/// # Safety
/// It must be an open stream.
#[inline(always)]
pub(super) unsafe fn number_of(file: usize) -> c_int {
    // A stream in memory has no descriptor, and asking for it sets errno.
    keep_errno(|| real!(NUMBER, file) as c_int)
}

/// The file of a stream that is about to be closed, and with it its descriptor.
///
/// # Safety
/// It must be null or an open stream.
#[inline(always)]
pub(super) unsafe fn stream_gone(file: usize) -> ObjectId {
    if file == 0 || table::is_empty() {
        return ObjectId::NONE;
    }
    // SAFETY: the caller's promise.
    table::take(unsafe { number_of(file) })
}

/// The directory of a directory stream that is about to be closed.
///
/// # Safety
/// It must be null or an open directory stream.
#[inline(always)]
pub(super) unsafe fn directory_gone(directory: usize) -> ObjectId {
    if directory == 0 || table::is_empty() {
        return ObjectId::NONE;
    }
    table::take(keep_errno(|| real!(DIRECTORY_NUMBER, directory) as c_int))
}

/// The file of this path, if it has been open before.
#[cold]
pub(super) fn path(at: usize, name: usize) -> ObjectId {
    keep_errno(|| {
        let name = name as *const _;
        if !is_readable(name) {
            return ObjectId::NONE;
        }
        // SAFETY: just found to be a string.
        let path = unsafe { PathBuilder::of(at as c_int, name) };
        path.and_then(|path| known(path.bytes())).unwrap_or(ObjectId::NONE)
    })
}

/// A descriptor was opened by this path and with these flags, unless it is negative.
///
/// # Safety
/// `name` must be the path by which a call that answered `fd` opened a file.
#[cold]
pub(super) unsafe fn opened(fd: usize, at: usize, name: usize, flags: usize) -> Moved {
    let fd = fd as c_int;
    // A file without a name is opened by its directory's.
    let is_named = flags as c_int & libc::O_TMPFILE != libc::O_TMPFILE;
    if fd >= 0 && is_named {
        keep_errno(|| {
            // SAFETY: the kernel has opened a file by this string.
            let path = unsafe { PathBuilder::of(at as c_int, name as *const _) };
            if let Some(path) = path {
                table::bind(fd, named(path.bytes()));
            }
        });
    }
    Moved::default()
}

/// A stream was opened by this path, unless it is null.
///
/// # Safety
/// `file` must be null or a stream, and `name` null or the path by which it was opened.
#[cold]
pub(super) unsafe fn opened_stream(file: usize, name: usize) -> Moved {
    // `freopen` of a null path keeps the file and changes the mode.
    if file != 0 && name != 0 {
        // SAFETY: the caller's promise; the stream has this path.
        return unsafe { opened(number_of(file) as usize, HERE, name, 0) };
    }
    Moved::default()
}

/// The functions this file calls.
pub(super) fn resolve() {
    NUMBER.address();
    DIRECTORY_NUMBER.address();
}

#[cold]
fn ask(fd: c_int) -> ObjectId {
    if fd < 0 {
        return ObjectId::NONE;
    }
    keep_errno(|| {
        let object =
            PathBuilder::behind(fd).map_or(ObjectId::NONE, |path| called(fd, path.bytes()));
        table::bind(fd, object);
        object
    })
}

/// The object of what the kernel calls `text`.
fn called(fd: c_int, text: &[u8]) -> ObjectId {
    let is_file = text.first() == Some(&b'/');
    let is_terminal = text.starts_with(b"/dev/pts/") || text.starts_with(b"/dev/tty");
    match fd {
        _ if is_file && !is_terminal => file_called(text),
        libc::STDIN_FILENO => special(b"stdin"),
        libc::STDOUT_FILENO => special(b"stdout"),
        libc::STDERR_FILENO => special(b"stderr"),
        _ if is_terminal => special(b"terminal"),
        _ if text.starts_with(b"pipe:") => special(b"pipe"),
        _ if text.starts_with(b"socket:") => special(b"socket"),
        _ if text.starts_with(b"anon_inode:") => special(unbracketed(text)),
        _ => special(b"other"),
    }
}

fn file_called(text: &[u8]) -> ObjectId {
    let Some(text) = text.strip_suffix(b" (deleted)") else { return named(text) };
    let last = text.rsplit(|byte| *byte == b'/').next().unwrap_or(text);
    match text.strip_prefix(b"/memfd:") {
        Some(_) => special(text.strip_prefix(b"/").unwrap_or(text)),
        // A file that never had a name is called by its number, a new one each time.
        None if last.starts_with(b"#") => special(b"unnamed"),
        None => named(text),
    }
}

/// The kind of an `anon_inode:[kind]`.
fn unbracketed(text: &[u8]) -> &[u8] {
    let kind = text.strip_prefix(b"anon_inode:").unwrap_or(text);
    kind.strip_prefix(b"[").and_then(|kind| kind.strip_suffix(b"]")).unwrap_or(kind)
}

/// The object of a path; all paths beyond the cap share one.
fn named(path: &[u8]) -> ObjectId {
    known(path).unwrap_or_else(|| {
        if table::has_room_for_a_file() { special(path) } else { special(b"other files") }
    })
}

fn known(path: &[u8]) -> Option<ObjectId> {
    object::find(ObjectKind::File, ObjectId::NONE, key(path))
}

fn special(name: &[u8]) -> ObjectId {
    object::intern(ObjectKind::File, ObjectId::NONE, key(name), name, 0)
}

/// The key under which a name is found (FNV-1a).
fn key(name: &[u8]) -> u64 {
    name.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
