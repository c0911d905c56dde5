//! The mapped code of files in this process, from the kernel's list of mappings, which is read once per batch.

use crate::kernel;
use crate::lock::Held;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Stretches of code that are kept.
const STRETCHES: usize = 2048;

static START: [AtomicU64; STRETCHES] = [const { AtomicU64::new(0) }; STRETCHES];
static END: [AtomicU64; STRETCHES] = [const { AtomicU64::new(0) }; STRETCHES];
static USED: AtomicUsize = AtomicUsize::new(0);

/// Where the mapping around an address ends, whatever it holds.
pub(super) fn end_of_memory_around(address: u64) -> Option<u64> {
    let mut end = None;
    lines(|line| {
        if (line.start..line.end).contains(&address) {
            end = Some(line.end);
        }
    });
    end
}

/// Calls `each` with every line; false when they cannot be read.
fn lines(mut each: impl FnMut(&MapsLine)) -> bool {
    let mut line = MapsLine::default();
    kernel::read_whole(c"/proc/thread-self/maps", |bytes| {
        for byte in bytes {
            if line.take(*byte) {
                each(&line);
                line = MapsLine::default();
            }
        }
    })
}

/// The list, as it was a moment ago.
#[derive(Debug)]
pub(super) struct Maps(());

impl Maps {
    /// Reads it; `None` when it cannot be read.
    pub(super) fn read(_: &Held) -> Option<Self> {
        USED.store(0, Ordering::Relaxed);
        lines(keep).then_some(Self(()))
    }

    /// Whether so many bytes are code of a file.
    pub(super) fn holds(&self, at: u64, length: u64) -> bool {
        let used = USED.load(Ordering::Relaxed);
        START.iter().zip(&END).take(used).any(|(start, end)| {
            let (start, end) = (start.load(Ordering::Relaxed), end.load(Ordering::Relaxed));
            at >= start && at < end && length <= end - at
        })
    }
}

fn keep(line: &MapsLine) {
    let used = USED.load(Ordering::Relaxed);
    if line.is_code_of_a_file()
        && let (Some(start), Some(end)) = (START.get(used), END.get(used))
    {
        start.store(line.start, Ordering::Relaxed);
        end.store(line.end, Ordering::Relaxed);
        USED.store(used + 1, Ordering::Relaxed);
    }
}

/// A line being read: `start-end rwxp offset device inode path`.
#[derive(Debug, Default)]
struct MapsLine {
    field: usize,
    start: u64,
    end: u64,
    is_readable: bool,
    is_writable: bool,
    is_executable: bool,
    is_private: bool,
    has_inode: bool,
}

impl MapsLine {
    /// Takes the next byte; true at the end of the line.
    fn take(&mut self, byte: u8) -> bool {
        match (self.field, byte) {
            (_, b'\n') => return true,
            (0, b'-') => self.field = 1,
            (1..=5, b' ') => self.field += 1,
            (0, digit) => self.start = self.start << 4 | digit_of(digit),
            (1, digit) => self.end = self.end << 4 | digit_of(digit),
            (2, b'r') => self.is_readable = true,
            (2, b'w') => self.is_writable = true,
            (2, b'x') => self.is_executable = true,
            (2, b'p') => self.is_private = true,
            (5, b'1'..=b'9') => self.has_inode = true,
            _ => {}
        }
        false
    }

    fn is_code_of_a_file(&self) -> bool {
        let is_code = self.is_readable && self.is_executable && !self.is_writable;
        is_code && self.is_private && self.has_inode
    }
}

fn digit_of(byte: u8) -> u64 {
    char::from(byte).to_digit(16).map_or(0, u64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> MapsLine {
        let mut line = MapsLine::default();
        let ends = text.bytes().filter(|byte| line.take(*byte)).count();
        assert_eq!(ends, 1);
        line
    }

    #[test]
    fn a_line_tells_where_code_is() {
        let line = parse("7f10a000-7f20b000 r-xp 00001000 fe:01 1234   /usr/lib/lib c.so\n");
        assert_eq!((line.start, line.end), (0x7f10_a000, 0x7f20_b000));
        assert!(line.is_code_of_a_file());
        for other in [
            "7f10a000-7f20b000 r--p 00001000 fe:01 1234 /usr/lib/libc.so\n",
            "7f10a000-7f20b000 rwxp 00001000 fe:01 1234 /usr/lib/libc.so\n",
            "7f10a000-7f20b000 r-xs 00001000 fe:01 1234 /usr/lib/libc.so\n",
            "7f10a000-7f20b000 r-xp 00000000 00:00 0 [vdso]\n",
        ] {
            assert!(!parse(other).is_code_of_a_file(), "{other}");
        }
    }
}
