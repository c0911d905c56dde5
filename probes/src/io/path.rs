//! The name of a file: absolute, without `.`, `..` and doubled slashes, never asked of the disk.
//!
//! `..` is taken as the text says, even behind a symbolic link: asking the kernel would cost more
//! than many a call that is being measured.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int};

use crate::claim::Claim;

/// A path being put together, in room of its own: a coroutine or a handler may have a single page of stack.
pub(super) struct PathBuilder {
    room: &'static PathRoom,
    length: usize,
}

/// Room for one path.
struct PathRoom {
    claim: Claim,
    bytes: UnsafeCell<[u8; LONGEST]>,
}

// SAFETY: the bytes are used only by who holds the claim.
unsafe impl Sync for PathRoom {}

/// For so many paths at a time; a path that finds none has no name.
static ROOMS: [PathRoom; 64] =
    [const { PathRoom { claim: Claim::new(), bytes: UnsafeCell::new([0; LONGEST]) } }; 64];

impl Drop for PathBuilder {
    fn drop(&mut self) {
        self.room.claim.give();
    }
}

impl PathBuilder {
    /// The path that `name` means, seen from the directory `at`; `None` when it is too long.
    ///
    /// # Safety
    /// `name` is a C string: the kernel has just read it, or [`is_readable`] says so.
    pub(super) unsafe fn of(at: c_int, name: *const c_char) -> Option<Self> {
        // SAFETY: the caller vouches for the string, which stays as long as the program's call.
        let name = unsafe { CStr::from_ptr(name) }.to_bytes();
        let mut path = match name.first() {
            Some(b'/') => Self::empty()?,
            _ if at == libc::AT_FDCWD => working()?,
            _ => behind(at)?,
        };
        path.follow(name)?;
        Some(path)
    }

    /// What is open under `fd`, as the kernel names it; may be no path at all.
    pub(super) fn behind(fd: c_int) -> Option<Self> {
        behind(fd)
    }

    /// Its bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: the room is this builder's until it is dropped, and nobody writes to it meanwhile.
        let all = unsafe { &*self.room.bytes.get() };
        all.get(..self.length).unwrap_or(&[])
    }

    fn empty() -> Option<Self> {
        let room = ROOMS.iter().find(|room| room.claim.take())?;
        Some(Self { room, length: 0 })
    }

    /// Where its bytes begin; there is room for so many as the longest path has.
    fn start(&self) -> *mut u8 {
        self.room.bytes.get().cast()
    }

    fn follow(&mut self, name: &[u8]) -> Option<()> {
        self.push(b'/')?;
        for byte in name {
            self.push(*byte)?;
        }
        self.end_part()
    }

    fn push(&mut self, byte: u8) -> Option<()> {
        if byte == b'/' {
            self.end_part()?;
        }
        if self.length >= LONGEST {
            return None;
        }
        // SAFETY: inside the room, which is this builder's, and no reference to it lives.
        unsafe { self.start().add(self.length).write(byte) };
        self.length = self.length.wrapping_add(1);
        Some(())
    }

    /// Decides what the part just completed means.
    fn end_part(&mut self) -> Option<()> {
        let bytes = self.bytes();
        let start = bytes.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        match bytes.get(start..)? {
            b"/" | b"/." => self.length = start,
            b"/.." => {
                let above = bytes.get(..start)?;
                self.length = above.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
            }
            _ => {}
        }
        Some(())
    }
}

/// Whether `name` is a string that the kernel can read, to its zero and no further.
///
/// Asked by making a link of that content and no name, which the kernel refuses for one reason or
/// the other before it looks at any disk. Tools that check each byte a call reads find nothing to
/// complain about that they would not say of the program's own call.
pub(super) fn is_readable(name: *const c_char) -> bool {
    // SAFETY: the kernel checks the address; an empty name can never be made.
    unsafe { libc::syscall(libc::SYS_symlinkat, name, libc::AT_FDCWD, c"".as_ptr()) };
    // SAFETY: the thread's own errno.
    unsafe { *libc::__errno_location() == libc::ENOENT }
}

/// The working directory.
fn working() -> Option<PathBuilder> {
    let mut path = PathBuilder::empty()?;
    // SAFETY: the kernel writes at most as many bytes as there are.
    let length = unsafe { libc::syscall(libc::SYS_getcwd, path.start(), LONGEST) };
    // The terminating zero counts too; an unreachable directory does not begin with a slash.
    path.length = usize::try_from(length).ok()?.checked_sub(1)?;
    (path.bytes().first() == Some(&b'/')).then_some(path)
}

/// What the kernel calls an open descriptor.
fn behind(fd: c_int) -> Option<PathBuilder> {
    let link = Link::of(u32::try_from(fd).ok()?);
    let mut path = PathBuilder::empty()?;
    let room = path.start();
    let (at, name) = (libc::AT_FDCWD, link.bytes.as_ptr());
    // SAFETY: `name` ends with a zero; the kernel writes at most as many bytes as there are.
    let length = unsafe { libc::syscall(libc::SYS_readlinkat, at, name, room, LONGEST) };
    path.length = usize::try_from(length).ok().filter(|length| *length < LONGEST)?;
    Some(path)
}

/// `/proc/self/fd/<number>`, with its zero.
struct Link {
    bytes: [u8; 32],
}

impl Link {
    fn of(fd: u32) -> Self {
        let mut link = Self { bytes: [0; 32] };
        let prefix = b"/proc/self/fd/";
        for (to, from) in link.bytes.iter_mut().zip(prefix) {
            *to = *from;
        }
        let digits = fd.checked_ilog10().unwrap_or(0) as usize + 1;
        let mut rest = fd;
        for place in link.bytes.iter_mut().skip(prefix.len()).take(digits).rev() {
            *place = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        link
    }
}

/// Longer paths have no name; with room for a signal handler's small stack.
const LONGEST: usize = 1024;
