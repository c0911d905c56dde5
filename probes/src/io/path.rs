//! The name of a file: absolute, without `.`, `..` and doubled slashes, never asked of the disk.
//!
//! `..` is taken as the text says, even behind a symbolic link: asking the kernel would cost more
//! than many a call that is being measured.

use core::ffi::{c_char, c_int};

/// A path being put together.
#[derive(Debug)]
pub(super) struct Path {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Path {
    /// The path that `name` means, seen from the directory `at`; `None` when it is too long, or
    /// the program's pointer leads nowhere.
    pub(super) fn of(at: c_int, name: *const c_char) -> Option<Self> {
        let first = Text::at(name).next_byte()?;
        let mut path = match first {
            b'/' => Self::empty(),
            _ if at == libc::AT_FDCWD => working()?,
            _ => behind(at)?,
        };
        path.follow(Text::at(name))?;
        Some(path)
    }

    /// What is open under `fd`, as the kernel names it; may be no path at all.
    pub(super) fn behind(fd: c_int) -> Option<Self> {
        behind(fd)
    }

    /// Its bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or(&[])
    }

    const fn empty() -> Self {
        Self { bytes: [0; LONGEST], length: 0 }
    }

    fn follow(&mut self, mut text: Text) -> Option<()> {
        self.push(b'/')?;
        loop {
            match text.next_byte()? {
                0 => return self.end_part(),
                byte => self.push(byte)?,
            }
        }
    }

    fn push(&mut self, byte: u8) -> Option<()> {
        if byte == b'/' {
            self.end_part()?;
        }
        let place = self.bytes.get_mut(self.length)?;
        *place = byte;
        self.length = self.length.wrapping_add(1);
        Some(())
    }

    /// Settles what the part just completed means.
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

/// A C string of the program's, read without trusting that it is there.
#[derive(Debug)]
struct Text {
    next: *const u8,
    /// First address not known to be readable.
    end: usize,
}

impl Text {
    const fn at(start: *const c_char) -> Self {
        Self { next: start.cast(), end: 0 }
    }

    /// The next byte; `None` where there is no memory, which is for the real function to report.
    fn next_byte(&mut self) -> Option<u8> {
        let address = self.next as usize;
        if address >= self.end {
            if !is_readable(address) {
                return None;
            }
            self.end = (address | (PAGE - 1)).checked_add(1)?;
        }
        // SAFETY: the kernel just read this page, and a program keeps an argument in place for as
        // long as its call lasts.
        let byte = unsafe { *self.next };
        self.next = self.next.wrapping_add(1);
        Some(byte)
    }
}

/// Whether the word around `address` can be read, said by a call that reads a set of signals, is
/// told to do nothing sensible with it, and so fails in one of two ways.
fn is_readable(address: usize) -> bool {
    if address < PAGE {
        // The call takes a null pointer for the wish to read nothing.
        return false;
    }
    let word = address & !7;
    let nowhere = -1_i64;
    // SAFETY: the kernel checks the address; with this first argument it changes nothing.
    unsafe { libc::syscall(libc::SYS_rt_sigprocmask, nowhere, word, 0_usize, 8_usize) };
    // SAFETY: the thread's own errno.
    unsafe { *libc::__errno_location() != libc::EFAULT }
}

/// The working directory.
fn working() -> Option<Path> {
    let mut path = Path::empty();
    let room = path.bytes.as_mut_ptr();
    // SAFETY: the kernel writes at most as many bytes as there are.
    let length = unsafe { libc::syscall(libc::SYS_getcwd, room, LONGEST) };
    // The terminating zero counts too; an unreachable directory does not begin with a slash.
    path.length = usize::try_from(length).ok()?.checked_sub(1)?;
    (path.bytes().first() == Some(&b'/')).then_some(path)
}

/// What the kernel calls an open descriptor.
fn behind(fd: c_int) -> Option<Path> {
    let link = Link::of(u32::try_from(fd).ok()?);
    let mut path = Path::empty();
    let room = path.bytes.as_mut_ptr();
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
/// The unit in which memory is there or not.
const PAGE: usize = 4096;
