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
use super::peer::{Origin, PeerName};
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

/// What is waited for at the socket under a descriptor: who is at its other end, as far as that has a name.
#[inline(always)]
pub(crate) fn socket(fd: usize) -> ObjectId {
    let fd = fd as c_int;
    let file = table::find(fd).unwrap_or_else(|| ask_peer(fd, Origin::Unseen));
    let known = object::find(ObjectKind::Socket, file, 0);
    known.unwrap_or_else(|| name_socket(fd, file))
}

/// A connection was accepted under this descriptor, unless it is negative.
#[cold]
pub(crate) fn accepted(fd: usize) -> Moved {
    ask_peer(fd as c_int, Origin::Accepted);
    Moved::default()
}

/// The other end of a socket may be another one from now on.
#[inline(always)]
pub(crate) fn forget_peer(fd: usize) {
    table::forget(fd as c_int);
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

#[cold]
fn ask_peer(fd: c_int, origin: Origin) -> ObjectId {
    if fd < 0 {
        return ObjectId::NONE;
    }
    keep_errno(|| {
        let object = peer(fd, origin);
        table::bind(fd, object);
        object
    })
}

#[cold]
fn name_socket(fd: c_int, file: ObjectId) -> ObjectId {
    keep_errno(|| {
        // Many sockets may be one file, and then none of them has a name.
        let names = [Origin::Accepted, Origin::Unseen].map(|origin| PeerName::of(fd, origin));
        let mut names = names.iter().flatten();
        let name = names.find(|name| known(name.file()) == Some(file));
        let name = name.map_or(&b""[..], PeerName::peer);
        object::intern(ObjectKind::Socket, file, 0, name, 0)
    })
}

/// The object of what the kernel calls `text`.
fn called(fd: c_int, text: &[u8]) -> ObjectId {
    let is_file = text.first() == Some(&b'/');
    let is_terminal = text.starts_with(b"/dev/pts/") || text.starts_with(b"/dev/tty");
    match fd {
        _ if is_file && !is_terminal => file_called(text),
        libc::STDIN_FILENO => stream_called(b"stdin", text),
        libc::STDOUT_FILENO => stream_called(b"stdout", text),
        libc::STDERR_FILENO => stream_called(b"stderr", text),
        _ if is_terminal => special(b"terminal"),
        _ if text.starts_with(PIPE) => stream_called(b"pipe", text),
        _ if text.starts_with(b"socket:") => peer(fd, Origin::Unseen),
        _ if text.starts_with(b"anon_inode:") => special(unbracketed(text)),
        _ => special(b"other"),
    }
}

/// What the kernel calls a pipe begins so; a number in brackets follows.
const PIPE: &[u8] = b"pipe:";
/// Bytes of the longest name of a pipe: `stdout/pipe:[18446744073709551615]`.
const LONGEST_PIPE: usize = 40;

/// A standard stream or a pipe by its kind. A pipe's number is part of the name: by that the daemon finds who has the other end.
fn stream_called(kind: &[u8], text: &[u8]) -> ObjectId {
    if !text.starts_with(PIPE) {
        return special(kind);
    }
    let mut name = [0; LONGEST_PIPE];
    let parts = [kind, b"/", text];
    let length = parts.iter().map(|part| part.len()).sum();
    name.iter_mut().zip(parts.into_iter().flatten()).for_each(|(to, from)| *to = *from);
    let name = name.get(..length).unwrap_or(kind);
    known(name).unwrap_or_else(|| special(if table::has_room_for_a_file() { name } else { kind }))
}

/// A socket as a file, by the name of who is at its other end.
fn peer(fd: c_int, origin: Origin) -> ObjectId {
    let name = PeerName::of(fd, origin);
    let name = name.as_ref().map_or(&b"socket"[..], PeerName::file);
    known(name).unwrap_or_else(|| {
        if table::has_room_for_a_file() { special(name) } else { special(b"socket") }
    })
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
