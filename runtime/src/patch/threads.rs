//! The threads of this process as the kernel shows them: what forbids a change of code.

use super::trap_signals;
use crate::kernel;
use core::ffi::CStr;
use core::sync::atomic::AtomicU32;
use whyperf_layout::Outcome;

/// Looks at a thread that blocks the trap, before it is believed: most do for a moment only, but a
/// new one until it gets a processor.
const LOOKS: u32 = 100;
/// Nanoseconds between two of them.
const PAUSE: u64 = 200_000;
/// Lists of all threads, until two are the same.
const LISTS: u32 = 100;
/// Bytes of a list that are read at once: some thirty threads, before the first is looked at.
const ROOM: usize = 768;

/// Why no code must change now, if there is a reason.
pub(super) fn obstacle() -> Option<Outcome> {
    let mut found = None;
    let own = kernel::thread_id();
    let listed = each(|thread| {
        if thread != own && found.is_none() {
            found = obstacle_of(thread);
        }
    });
    if listed { found } else { Some(Outcome::NoTextWrite) }
}

fn obstacle_of(thread: u32) -> Option<Outcome> {
    for _ in 0..LOOKS {
        let status = TaskStatus::of(thread);
        if status.is_traced {
            return Some(Outcome::TracerPresent);
        }
        if status.has_shadow_stack {
            return Some(Outcome::ShadowStack);
        }
        if !status.blocks_trap() {
            return None;
        }
        kernel::futex_wait(&AtomicU32::new(0), 0, PAUSE);
    }
    Some(Outcome::SigtrapBlocked)
}

/// The signals that a thread blocks, a bit for each.
pub(super) fn blocked(thread: u32) -> u64 {
    TaskStatus::of(thread).blocked
}

/// Whether there is no such thread any more, or it only waits for the others to end.
pub(super) fn is_over(thread: u32) -> bool {
    !kernel::has_thread(thread) || TaskStatus::of(thread).is_over
}

/// Whether a signal is on its way to a thread.
pub(super) fn is_pending(signal: i32) -> bool {
    let mut found = false;
    let listed = each(|thread| found |= TaskStatus::of(thread).pending & 1 << (signal - 1) != 0);
    found || !listed
}

/// Calls `visit` with the number of each thread that there was at the call, of some more than once; false when they cannot be listed.
///
/// Where a thread ends in the midst of a list, the kernel goes on one place too far in it and leaves out another one, or ends the list there. So a
/// list is believed when that before it was the same, nobody in it ended, and when it has as many as there are.
pub(super) fn each(mut visit: impl FnMut(u32)) -> bool {
    let mut entries = [0_u8; ROOM];
    let own = kernel::thread_id();
    let mut threads = TaskStatus::of(own).threads;
    for _ in 0..LISTS {
        let Some(first) = list(&mut entries, |_| ()) else { return false };
        let Some(list) = list(&mut entries, &mut visit) else { return false };
        let before = core::mem::replace(&mut threads, TaskStatus::of(own).threads);
        if list == first && [before, threads] == [list.count; 2] {
            return true;
        }
    }
    false
}

/// What tells two lists of threads apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ThreadList {
    count: u32,
    numbers: u64,
}

/// Calls `visit` with what the kernel lists; `None` when it does not.
fn list(entries: &mut [u8; ROOM], mut visit: impl FnMut(u32)) -> Option<ThreadList> {
    let flags = (libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC) as usize;
    let path = c"/proc/self/task";
    let arguments = [libc::AT_FDCWD as usize, path.as_ptr() as usize, flags, 0, 0, 0];
    // SAFETY: a string that ends with zero.
    let descriptor = unsafe { kernel::call(libc::SYS_openat, arguments) };
    if descriptor < 0 {
        return None;
    }
    let mut list = ThreadList::default();
    let ended = loop {
        let arguments =
            [descriptor as usize, entries.as_mut_ptr() as usize, entries.len(), 0, 0, 0];
        // SAFETY: the bytes are ours to write, so many as passed on.
        let length = unsafe { kernel::call(libc::SYS_getdents64, arguments) };
        match entries.get(..length.max(0) as usize) {
            Some([]) | None => break length == 0,
            Some(entries) => visit_entries(entries, &mut |thread| {
                list.add(thread);
                visit(thread);
            }),
        }
    };
    kernel::close(descriptor as i32);
    ended.then_some(list)
}

impl ThreadList {
    fn add(&mut self, thread: u32) {
        self.count = self.count.wrapping_add(1);
        // Fowler, Noll and Vo's prime: a sum alone would be that of other numbers, too.
        let mixed = (u64::from(thread) ^ 0xcbf2_9ce4_8422_2325).wrapping_mul(0x0100_0000_01b3);
        self.numbers = self.numbers.wrapping_add(mixed ^ mixed >> 29);
    }
}

fn visit_entries(mut entries: &[u8], visit: &mut impl FnMut(u32)) {
    const LENGTH: usize = 16;
    const NAME: usize = 19;
    while let Some([low, high]) = entries.get(LENGTH..LENGTH + 2) {
        let length = usize::from(u16::from_le_bytes([*low, *high]));
        let name = entries.get(NAME..length).unwrap_or(&[]);
        let number = decimal(name);
        if number != 0 {
            visit(number);
        }
        let Some(rest) = entries.get(length.max(NAME)..) else { return };
        entries = rest;
    }
}

/// The number that some digits begin with.
fn decimal(text: &[u8]) -> u32 {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |sum: u32, digit| sum.wrapping_mul(10).wrapping_add(u32::from(digit - b'0')))
}

/// What matters of a thread's status. A thread that ended meanwhile forbids nothing.
#[derive(Debug, Default)]
struct TaskStatus {
    is_traced: bool,
    /// The signals that it blocks, a bit for each.
    blocked: u64,
    /// The signals that are on their way to it, a bit for each.
    pending: u64,
    has_shadow_stack: bool,
    /// It runs no code any more.
    is_over: bool,
    /// How many its process has, those that end among them.
    threads: u32,
}

impl TaskStatus {
    fn of(thread: u32) -> Self {
        let mut status = Self::default();
        let (mut line, mut used) = ([0_u8; 96], 0);
        let path = TaskPath::of(thread, b"/status");
        kernel::read_whole(path.as_c_str(), |bytes| {
            for byte in bytes {
                if *byte == b'\n' {
                    status.read(line.get(..used).unwrap_or(&[]));
                    used = 0;
                } else if let Some(place) = line.get_mut(used) {
                    *place = *byte;
                    used += 1;
                }
            }
        });
        status
    }

    const fn blocks_trap(&self) -> bool {
        !self.is_over && self.blocked & trap_signals::SIGNALS != 0
    }

    fn read(&mut self, line: &[u8]) {
        if let Some(tracer) = line.strip_prefix(b"TracerPid:\t") {
            self.is_traced = tracer != b"0";
        } else if let Some(mask) = line.strip_prefix(b"SigBlk:\t") {
            self.blocked = set(mask);
        } else if let Some(mask) = line.strip_prefix(b"SigPnd:\t") {
            self.pending = set(mask);
        } else if let Some(features) = line.strip_prefix(b"x86_Thread_features:\t") {
            self.has_shadow_stack = features.windows(5).any(|word| word == b"shstk");
        } else if let Some(state) = line.strip_prefix(b"State:\t") {
            self.is_over = state.starts_with(b"Z");
        } else if let Some(count) = line.strip_prefix(b"Threads:\t") {
            self.threads = decimal(count);
        }
    }
}

/// A set of signals as the kernel shows it.
fn set(mask: &[u8]) -> u64 {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).map_or(0, u64::from);
    mask.iter().fold(0_u64, |sum, byte| sum << 4 | digit(byte))
}

/// `/proc/self/task/<thread>` and what follows.
#[derive(Debug)]
pub(super) struct TaskPath([u8; 64]);

impl TaskPath {
    /// The file called `rest` of a thread.
    pub(super) fn of(thread: u32, rest: &[u8]) -> Self {
        let mut digits = [b'0'; 10];
        let mut left = thread;
        for place in digits.iter_mut().rev() {
            *place = b'0' + (left % 10) as u8;
            left /= 10;
        }
        let number = digits.iter().skip_while(|digit| **digit == b'0');
        let bytes = b"/proc/self/task/".iter().chain(number).chain(rest);
        let mut path = [0; 64];
        let last = path.len() - 1;
        path.iter_mut().take(last).zip(bytes).for_each(|(place, byte)| *place = *byte);
        Self(path)
    }

    /// As the kernel wants it.
    pub(super) fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or(c"/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_status_are_understood() {
        let mut status = TaskStatus::default();
        for line in [&b"TracerPid:\t0"[..], b"SigBlk:\t0000000000000010", b"x86_Thread_features:\t"]
        {
            status.read(line);
        }
        assert!(status.blocks_trap() && !status.is_traced && !status.has_shadow_stack);
        for line in [&b"TracerPid:\t17"[..], b"SigBlk:\tffffffffffffffe7"] {
            status.read(line);
        }
        status.read(b"x86_Thread_features:\tshstk wrss ");
        assert!(!status.blocks_trap() && status.is_traced && status.has_shadow_stack);
    }

    #[test]
    fn this_thread_is_listed_and_its_files_are_found() {
        let own = kernel::thread_id();
        let mut threads = 0;
        let mut found = false;
        assert!(each(|thread| {
            threads += 1;
            found |= thread == own;
        }));
        assert!(found && threads >= 2, "{threads} threads");
        assert!(kernel::read_whole(TaskPath::of(own, b"/status").as_c_str(), |_| ()));
    }

    /// Threads that end while they are listed hide no other one.
    #[test]
    fn a_thread_is_listed_whoever_ends_meanwhile() {
        // How often a new thread lists itself, and how often it is not in the list.
        let lists_itself = || {
            let own = kernel::thread_id();
            let (mut listed, mut missing) = (0, 0);
            for _ in 0..20 {
                let mut found = false;
                if each(|thread| found |= thread == own) {
                    listed += 1;
                    missing += u32::from(!found);
                }
            }
            [listed, missing]
        };
        let (mut listed, mut missing) = (0, 0);
        for _ in 0..1000 {
            // Those before it in the list end while it goes on.
            let others: Vec<_> =
                (0..8).map(|_| std::thread::spawn(std::thread::yield_now)).collect();
            let [lists, gaps] = std::thread::spawn(lists_itself).join().expect("it only lists");
            others.into_iter().for_each(|other| other.join().expect("it only yields"));
            listed += lists;
            missing += gaps;
        }
        assert!(listed > 0 && missing == 0, "{missing} of {listed} lists have a gap");
    }
}
