//! Makes the region's file, maps it, and populates pages before they are written.
//!
//! A write to a page that the file system cannot provide is a SIGBUS in the program. So every page
//! is populated by a call that can fail before anything is stored there; failing is a counted loss.
//! The file's descriptor is closed at once (a program may close all descriptors); later slots are
//! mapped from the neighbouring slot's mapping, which needs neither descriptor nor path.

use crate::environ::ProcessSettings;
use crate::lock::Held;
use crate::view::{Slot, Tables};
use crate::{kernel, sigbus_handler};
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char};
use core::fmt::{self, Write};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use whyperf_layout::geometry::{
    OBJECTS, PAGE, REGIONS, SLOT_CAPACITY, SLOT_SIZE, SLOTS, STRINGS, file_size,
};
use whyperf_layout::{ObjectRecord, RegionFailure, RegionRecord};

/// Bytes populated at once when a table grows: a process that lives for a moment needs little of each.
const CHUNK: usize = PAGE;

static REGION_FRONTIER: AtomicUsize = AtomicUsize::new(0);
static OBJECT_FRONTIER: AtomicUsize = AtomicUsize::new(0);
static STRING_FRONTIER: AtomicUsize = AtomicUsize::new(0);
/// The mapping that the next slot is derived from, and its number.
static NEIGHBOUR: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());
static MAPPED: AtomicUsize = AtomicUsize::new(0);

/// Makes and maps a new region with its first pages populated; answers it and its slots. Where that fails the run directory tells why.
pub(crate) fn create(settings: &ProcessSettings, _: &Held) -> Option<(Tables, usize)> {
    // A run directory may be used by its owner alone. Another directory was not meant: nothing is left behind there. Nor in one whose daemon was
    // killed: nobody would remove it, and a shell that starts thousands of programs would fill the memory.
    if !kernel::is_private_directory(settings.directory()) || kernel::is_unlocked(settings.owner())
    {
        return None;
    }
    // SAFETY: the lock is held until the end of this function, and others that use the path hold it, too.
    let path = unsafe { &mut *PATH.0.get() };
    let made = make(settings, path);
    made.inspect_err(|failure| mark(settings, path, *failure)).ok()
}

/// Leaves word in the run directory that this process has no region, and why.
pub(crate) fn decline(settings: &ProcessSettings, failure: RegionFailure, _: &Held) {
    if kernel::is_private_directory(settings.directory()) {
        // SAFETY: as in `create`.
        mark(settings, unsafe { &mut *PATH.0.get() }, failure);
    }
}

fn mark(settings: &ProcessSettings, path: &mut RegionPath, failure: RegionFailure) {
    if path.set(settings.directory(), failure.number(), ".unmade").is_some() {
        kernel::symlink(settings.program_path(), path.as_c_str());
    }
}

fn make(
    settings: &ProcessSettings,
    path: &mut RegionPath,
) -> Result<(Tables, usize), RegionFailure> {
    let descriptor = open_new(settings, path).ok_or(RegionFailure::File)?;
    let sized = size_it(descriptor).ok_or(RegionFailure::Size);
    let made = sized.and_then(|slots| Ok((map_tables(descriptor)?, slots)));
    kernel::close(descriptor);
    if made.is_err() {
        kernel::unlink(path.as_c_str());
    }
    made
}

/// Makes a file `<pid>-<number>.trace` beside the region, of so many bytes, all populated; where it is mapped.
pub(crate) fn make_beside(
    settings: &ProcessSettings,
    number: u32,
    size: usize,
    _: &Held,
) -> Option<*mut u8> {
    if !kernel::is_private_directory(settings.directory())
        || size as u64 > kernel::file_size_limit()
    {
        return None;
    }
    // SAFETY: as in `create`.
    let path = unsafe { &mut *PATH.0.get() };
    // A thread may have the number of one that is gone, whose file is still read.
    let descriptor = open_first(settings, path, number, 4, ".trace")?;
    let sized = kernel::truncate(descriptor, size);
    let base = kernel::shared_memory(descriptor, size).filter(|_| sized);
    kernel::close(descriptor);
    // SAFETY: just mapped, and fresh.
    let populated = base.filter(|base| unsafe { populate(*base, size) });
    if populated.is_none() {
        kernel::unlink(path.as_c_str());
        if let Some(base) = base {
            // SAFETY: just mapped, and no other code has its address.
            unsafe { kernel::unmap(base, size) };
        }
    }
    populated
}

/// The page that all processes of the job share, where the daemon made one.
pub(crate) fn shared_page(settings: &ProcessSettings) -> Option<*mut u8> {
    let descriptor = kernel::open_to_share(settings.turns())?;
    let base = kernel::shared_memory(descriptor, PAGE);
    kernel::close(descriptor);
    base
}

fn map_tables(descriptor: i32) -> Result<Tables, RegionFailure> {
    let base = kernel::shared_memory(descriptor, SLOTS + SLOT_SIZE);
    let base = base.ok_or(RegionFailure::AddressSpace)?;
    // The first pages: header, rings, results, and what the daemon wants patched.
    // SAFETY: just mapped, as large as that, and fresh.
    if !unsafe { populate(base, REGIONS) } {
        // SAFETY: just mapped, and no other code has its address.
        unsafe { kernel::unmap(base, SLOTS + SLOT_SIZE) };
        return Err(RegionFailure::Memory);
    }
    for frontier in [&REGION_FRONTIER, &OBJECT_FRONTIER, &STRING_FRONTIER] {
        frontier.store(0, Ordering::Relaxed);
    }
    // SAFETY: the first slot lies behind the tables in the same mapping.
    NEIGHBOUR.store(unsafe { base.add(SLOTS) }, Ordering::Relaxed);
    MAPPED.store(0, Ordering::Relaxed);
    // SAFETY: the tables of this mapping stay, and all of it are atomics; strings are published first.
    unsafe { sigbus_handler::cover_tables(base) };
    sigbus_handler::install();
    // SAFETY: just mapped, with room for the tables, and left in place.
    Ok(unsafe { Tables::at(base) })
}

/// Maps slot `index`, the one after the last one mapped (or the first); its head is not populated.
pub(crate) fn map_slot(index: usize, _: &Held) -> Option<Slot> {
    let neighbour = NEIGHBOUR.load(Ordering::Relaxed);
    // Each number once, whatever the header says.
    if index != MAPPED.load(Ordering::Relaxed) {
        return None;
    }
    if index == 0 {
        MAPPED.store(1, Ordering::Relaxed);
        // SAFETY: the first slot was mapped with the tables, stays, and consists of atomics.
        return Some(unsafe {
            sigbus_handler::cover_slot(0, neighbour);
            Slot::at(neighbour)
        });
    }
    // SAFETY: the neighbour is a shared mapping of the region's file, and slots consist of atomics.
    let both = unsafe { kernel::map_again(neighbour, 2 * SLOT_SIZE) }?;
    // SAFETY: the first half of the new mapping is used by no code; the second half is the slot after
    // the neighbour.
    let base = unsafe {
        kernel::unmap(both, SLOT_SIZE);
        both.add(SLOT_SIZE)
    };
    NEIGHBOUR.store(base, Ordering::Relaxed);
    MAPPED.store(index + 1, Ordering::Relaxed);
    // SAFETY: mapped in full size, left in place, and made of atomics.
    Some(unsafe {
        sigbus_handler::cover_slot(index, base);
        Slot::at(base)
    })
}

/// A slot's mapping was replaced by another one: the next slot may have to be derived from it.
///
/// # Safety
/// The whole slot is mapped at `to` and stays; what is left of it at `from` is not used any more.
pub(crate) unsafe fn moved(from: *mut u8, to: *mut u8) {
    // SAFETY: the caller's promise; slots consist of atomics.
    unsafe { sigbus_handler::moved(from, to) };
    if NEIGHBOUR.load(Ordering::Relaxed) == from {
        NEIGHBOUR.store(to, Ordering::Relaxed);
    }
}

/// Makes sure that the record of region `id` can be written.
pub(crate) fn reach_region(tables: Tables, id: u16, _: &Held) -> bool {
    let end = (usize::from(id) + 1) * size_of::<RegionRecord>();
    reach(tables, REGIONS, end, &REGION_FRONTIER)
}

/// Makes sure that the record of object `id` can be written.
pub(crate) fn reach_object(tables: Tables, id: u16, _: &Held) -> bool {
    let end = (usize::from(id) + 1) * size_of::<ObjectRecord>();
    reach(tables, OBJECTS, end, &OBJECT_FRONTIER)
}

/// Makes sure that strings up to `end` can be written.
pub(crate) fn reach_string(tables: Tables, end: usize, _: &Held) -> bool {
    reach(tables, STRINGS, end, &STRING_FRONTIER)
}

fn reach(tables: Tables, table: usize, end: usize, frontier: &AtomicUsize) -> bool {
    let mut ready = frontier.load(Ordering::Relaxed);
    while ready < end {
        // SAFETY: `end` is inside the table, and chunks divide every table; nothing was written behind
        // the frontier.
        let is_there = unsafe { populate(tables.base().add(table + ready), CHUNK) };
        if !is_there {
            return false;
        }
        ready += CHUNK;
        frontier.store(ready, Ordering::Relaxed);
    }
    true
}

/// Provides fresh pages for writing; false when the file system has no more.
///
/// # Safety
/// So many bytes from `start` on, which is on a page border, must be a mapping of ours, and the first
/// 16 bytes of each page must be zero still or about to be written before they are read.
pub(crate) unsafe fn populate(start: *mut u8, size: usize) -> bool {
    const INVALID: isize = -(libc::EINVAL as isize);
    let arguments = [start as usize, size, libc::MADV_POPULATE_WRITE as usize, 0, 0, 0];
    // SAFETY: the pages are part of a mapping of ours; the advice does not change their bytes.
    match unsafe { kernel::call(libc::SYS_madvise, arguments) } {
        0 => true,
        // SAFETY: a page of those that the caller vouches for.
        INVALID => (0..size).step_by(PAGE).all(|at| unsafe { touch(start.wrapping_add(at)) }),
        _ => false,
    }
}

/// Kernels before 5.14: lets the kernel itself write to the page, which answers an error where a
/// store of ours would be a signal.
///
/// # Safety
/// As for [`populate`], of one page.
unsafe fn touch(page: *mut u8) -> bool {
    let arguments = [libc::CLOCK_MONOTONIC as usize, page as usize, 0, 0, 0, 0];
    // SAFETY: sixteen bytes of a fresh page of ours.
    if unsafe { kernel::call(libc::SYS_clock_gettime, arguments) } != 0 {
        return false;
    }
    // SAFETY: the page exists now; it is fresh, so it was zero and is so again.
    unsafe { page.write_bytes(0, 16) };
    true
}

/// Makes the file as large as the limits allow; answers how many slots that gives.
fn size_it(descriptor: i32) -> Option<usize> {
    let limit = kernel::file_size_limit();
    let mut slots = SLOT_CAPACITY;
    while slots > 0 {
        // Beyond the limit the call would not only fail but raise SIGXFSZ.
        if file_size(slots) as u64 <= limit && kernel::truncate(descriptor, file_size(slots)) {
            return Some(slots);
        }
        slots /= 2;
    }
    None
}

/// The path of a region's file, or of the mark that there is none.
struct RegionPath {
    bytes: [u8; 4096],
    used: usize,
}

struct SharedPath(UnsafeCell<RegionPath>);

// SAFETY: reached by `create` and `decline` alone, which demand the lock.
unsafe impl Sync for SharedPath {}

/// Not on the stack: a thread or a handler may have no more than a few pages of it.
static PATH: SharedPath = SharedPath(UnsafeCell::new(RegionPath { bytes: [0; 4096], used: 0 }));

impl RegionPath {
    fn set(&mut self, directory: &CStr, second: u32, ending: &str) -> Option<()> {
        let directory = directory.to_bytes();
        self.bytes.fill(0);
        self.bytes.get_mut(..directory.len())?.copy_from_slice(directory);
        self.used = directory.len();
        self.write_str("/").ok()?;
        number(self, kernel::process_id())?;
        self.write_str("-").ok()?;
        number(self, second)?;
        self.write_str(ending).ok()
    }

    fn as_c_str(&self) -> &CStr {
        // SAFETY: the bytes start as zero and `write_str` leaves the last one so.
        unsafe { CStr::from_ptr(self.bytes.as_ptr().cast::<c_char>()) }
    }
}

impl Write for RegionPath {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let last = self.bytes.len() - 1;
        let end = self.used.saturating_add(text.len()).min(last);
        let room = self.bytes.get_mut(self.used..end).filter(|room| room.len() == text.len());
        room.ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.used = end;
        Ok(())
    }
}

fn open_new(settings: &ProcessSettings, path: &mut RegionPath) -> Option<i32> {
    open_first(settings, path, 0, 1000, ".region")
}

/// Makes the first file that is not there yet of those with these numbers.
fn open_first(
    settings: &ProcessSettings,
    path: &mut RegionPath,
    first: u32,
    attempts: u32,
    ending: &str,
) -> Option<i32> {
    const EXISTS: isize = -(libc::EEXIST as isize);
    for attempt in 0..attempts {
        // No thread has a number so high.
        let number = if first == 0 { attempt } else { first + (attempt << 23) };
        path.set(settings.directory(), number, ending)?;
        match kernel::create_new(path.as_c_str()) {
            EXISTS => {}
            descriptor => {
                return i32::try_from(descriptor).ok().filter(|d| *d >= 0);
            }
        }
    }
    None
}

/// Writes a number without the formatting machinery, which can panic.
fn number(path: &mut RegionPath, mut value: u32) -> Option<()> {
    let mut digits = [0_u8; 10];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    path.write_str(core::str::from_utf8(digits.get(at..)?).ok()?).ok()
}
