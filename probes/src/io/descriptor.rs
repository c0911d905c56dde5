//! The table of open descriptors, private to the process: which object each descriptor stands for, by number.
//!
//! It lies in anonymous memory that the kernel wipes in any child however made, because a child's
//! objects are others. An entry of 0 means "not asked yet", as after `close` or `dup2`.

use core::ptr::{null, null_mut};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use whyperf_runtime::ObjectId;

/// The object of `fd`; `None` when it was not asked for since `fd` was opened.
#[inline(always)]
pub(super) fn find(fd: i32) -> Option<ObjectId> {
    match entry(fd)?.load(Ordering::Relaxed) {
        UNKNOWN => None,
        NAMELESS => Some(ObjectId::NONE),
        number => Some(ObjectId::from_number(number)),
    }
}

/// True while no descriptor of this process has a name.
#[inline(always)]
pub(super) fn is_empty() -> bool {
    TABLE.load(Ordering::Relaxed).is_null()
}

/// From now on `fd` stands for `object`.
#[cold]
pub(super) fn bind(fd: i32, object: ObjectId) {
    if is_empty() {
        make();
    }
    let number = object.number();
    if let Some(entry) = entry(fd) {
        entry.store(if number == UNKNOWN { NAMELESS } else { number }, Ordering::Relaxed);
    }
}

/// Forgets `fd` and answers what it stood for.
#[inline(always)]
pub(super) fn take(fd: i32) -> ObjectId {
    let known = find(fd).unwrap_or(ObjectId::NONE);
    forget(fd);
    known
}

/// Forgets `fd`, which is about to be closed.
#[inline(always)]
pub(super) fn forget(fd: i32) {
    if let Some(entry) = entry(fd) {
        entry.store(UNKNOWN, Ordering::Relaxed);
    }
}

/// Forgets `first` to `last`, which are about to be closed.
pub(super) fn forget_all(first: u32, last: u32) {
    let Some(table) = table() else { return };
    let first = usize::try_from(first).unwrap_or(CAPACITY);
    let last = usize::try_from(last).unwrap_or(CAPACITY);
    let count = last.saturating_add(1).saturating_sub(first);
    for entry in table.entries.iter().skip(first).take(count) {
        if entry.load(Ordering::Relaxed) != UNKNOWN {
            entry.store(UNKNOWN, Ordering::Relaxed);
        }
    }
}

/// True while another file may get a name of its own in this process: only so many in all, and in one second.
pub(super) fn has_room_for_a_file() -> bool {
    let Some(table) = table() else {
        make();
        return true;
    };
    let second = u64::from(second()) << 32;
    let lately = table.lately.load(Ordering::Relaxed);
    let lately = if lately >> 32 << 32 == second { lately + 1 } else { second };
    // Two threads at once may count as one: the bound is for what is read of it, not for memory.
    table.lately.store(lately, Ordering::Relaxed);
    lately as u32 <= FILES_A_SECOND && table.named.fetch_add(1, Ordering::Relaxed) < FILES
}

/// Which second it is, as the clock's last tick says.
fn second() -> u32 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a place for the answer; without one the time stays zero.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut now) };
    now.tv_sec as u32
}

/// The wiped page range.
#[repr(C)]
struct Table {
    entries: [AtomicU32; CAPACITY],
    /// Files that got a name of their own.
    named: AtomicU32,
    /// The last second in which one was asked for, in the upper half, and how many more were in it.
    lately: AtomicU64,
}

static TABLE: AtomicPtr<Table> = AtomicPtr::new(null_mut());

#[inline(always)]
fn table() -> Option<&'static Table> {
    let table = TABLE.load(Ordering::Relaxed);
    // SAFETY: null or a mapping of this size that is never unmapped; zero is valid for all of it.
    unsafe { table.as_ref() }
}

#[inline(always)]
fn entry(fd: i32) -> Option<&'static AtomicU32> {
    table()?.entries.get(usize::try_from(fd).ok()?)
}

#[cold]
fn make() {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new anonymous mapping wherever the kernel likes.
    let made = unsafe { libc::mmap(null_mut(), size_of::<Table>(), protection, flags, -1, 0) };
    if made == libc::MAP_FAILED {
        return;
    }
    // SAFETY: the whole of the mapping just made. Where the kernel refuses, a child made behind
    // the back of `fork` would show the names of its parent's files.
    unsafe { libc::madvise(made, size_of::<Table>(), libc::MADV_WIPEONFORK) };
    let ours = made.cast::<Table>();
    let other = TABLE.compare_exchange(
        null::<Table>().cast_mut(),
        ours,
        Ordering::Relaxed,
        Ordering::Relaxed,
    );
    if other.is_err() {
        // SAFETY: no other thread has seen this mapping.
        unsafe { libc::munmap(made, size_of::<Table>()) };
    }
}

/// Descriptors beyond have no name of their own.
const CAPACITY: usize = 1 << 16;
/// Files that get a name of their own; a process that opens more has "other files", and room left
/// for its other objects.
const FILES: u32 = 4096;
/// The same of one second. Each name is some ten microseconds of work for whoever reads it: `grep -r` would take up the limit of cost with nothing
/// but names.
const FILES_A_SECOND: u32 = 500;
/// Entry: not asked for yet.
const UNKNOWN: u32 = 0;
/// Entry: asked, and there is no name to be had.
const NAMELESS: u32 = u32::MAX;
