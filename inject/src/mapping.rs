//! Maps files that other processes write: bounds, alignment and faults are handled here, once.
//!
//! A file can be cut while it is mapped; a read beyond its new end raises SIGBUS. A handler puts an empty page there, marks
//! the mapping as damaged and lets the reader go on: zeros are harmless to a reader that checks everything. Faults outside
//! registered mappings go where they went before.

use std::fs::File;
use std::io;
use std::mem::{align_of, size_of};
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

use rustix::mm::{MapFlags, ProtFlags};
use whyperf_layout::{
    CommandPage, EventRing, Head, Header, Node, ObjectRecord, PatchRecord, PeerPage, RegionRecord,
    ReplyPage, TurnPage, geometry,
};

use crate::registration::Registration;

/// Types that may lie in memory which others write: atomics all through.
///
/// # Safety
/// Every bit pattern is a value, all fields are atomics, and there is no padding that matters.
pub unsafe trait Shared {}
// SAFETY: a single atomic word.
unsafe impl Shared for AtomicU8 {}
// SAFETY: a single atomic word.
unsafe impl Shared for AtomicU32 {}
// SAFETY: a single atomic word.
unsafe impl Shared for AtomicU64 {}
// SAFETY: repr(C), all fields atomic.
unsafe impl Shared for Header {}
// SAFETY: repr(C), all fields atomic.
unsafe impl Shared for CommandPage {}
// SAFETY: repr(C), all fields atomic.
unsafe impl Shared for ReplyPage {}
// SAFETY: repr(C), all fields atomic.
unsafe impl Shared for RegionRecord {}
// SAFETY: repr(C), all fields atomic.
unsafe impl Shared for ObjectRecord {}
// SAFETY: repr(C), all fields atomic.
unsafe impl Shared for Head {}
// SAFETY: repr(C), all fields atomic.
unsafe impl Shared for Node {}
// SAFETY: repr(C), all fields atomic.
unsafe impl Shared for PatchRecord {}
// SAFETY: repr(C), all fields atomic.
unsafe impl Shared for PeerPage {}

// SAFETY: repr(C), all fields atomic.
unsafe impl Shared for EventRing {}
// SAFETY: repr(C), all fields atomic.
unsafe impl Shared for TurnPage {}

/// Whether a mapping may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Only read.
    Read,
    /// Read and written.
    Write,
}

/// A stretch of a file in memory, unmapped when dropped.
#[derive(Debug)]
pub struct Mapping {
    start: NonNull<u8>,
    length: usize,
    place: &'static Registration,
}

// SAFETY: the memory is owned by this value, reached only through atomics or never-written bytes.
unsafe impl Send for Mapping {}
// SAFETY: as above; every access through a shared reference is atomic or a read of constant bytes.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps `length` bytes from `offset`, a multiple of the page size.
    pub fn of(file: &File, offset: usize, length: usize, access: Protection) -> io::Result<Self> {
        install_handler();
        let place = REGISTERED.iter().find(|place| place.claim());
        let place = place.ok_or_else(|| io::Error::from_raw_os_error(libc::ENOMEM))?;
        let rights = match access {
            Protection::Read => ProtFlags::READ,
            Protection::Write => ProtFlags::READ | ProtFlags::WRITE,
        };
        // SAFETY: a new mapping at an address of the kernel's choice replaces nothing.
        let mapped = unsafe {
            rustix::mm::mmap(
                std::ptr::null_mut(),
                length,
                rights,
                MapFlags::SHARED | MapFlags::NORESERVE,
                file,
                offset as u64,
            )
        };
        let start = match mapped {
            Ok(start) => NonNull::new(start.cast()).ok_or(rustix::io::Errno::NOMEM),
            Err(error) => Err(error),
        };
        match start {
            Ok(start) => {
                place.publish(start.as_ptr() as usize, length);
                Ok(Self { start, length, place })
            }
            Err(error) => {
                place.free();
                Err(error.into())
            }
        }
    }

    /// What lies at an offset; `None` where it does not fit or is not aligned.
    pub fn at<T: Shared>(&self, offset: usize) -> Option<&T> {
        self.slice(offset, 1)?.first()
    }

    /// `count` of them from an offset on; `None` where they do not fit or are not aligned.
    pub fn slice<T: Shared>(&self, offset: usize, count: usize) -> Option<&[T]> {
        let end = count.checked_mul(size_of::<T>())?.checked_add(offset)?;
        let address = self.start.as_ptr() as usize + offset.min(self.length);
        if end > self.length || !address.is_multiple_of(align_of::<T>()) {
            return None;
        }
        // SAFETY: in bounds and aligned as just checked, mapped for as long as `self`, and `T` is
        // made of atomics, for which any bytes are a value and writers elsewhere are no race.
        Some(unsafe { std::slice::from_raw_parts(self.start.as_ptr().add(offset).cast(), count) })
    }

    /// All of it, for files that are not written to: programs and their debug information.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: mapped for as long as `self`. Executables in use are not written in place (the
        // kernel refuses), and one that is cut reads as zeros.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }

    /// Whether a part of it was missing when it was touched.
    pub fn is_damaged(&self) -> bool {
        self.place.is_damaged()
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.place.free();
        // SAFETY: exactly what `of` mapped, and no reference into it outlives `self`.
        // A failure could only leave the mapping where it is.
        let _ = unsafe { rustix::mm::munmap(self.start.as_ptr().cast(), self.length) };
    }
}

/// Two for each process, one for each object file in use.
const PLACES: usize = 16_384;
static REGISTERED: [Registration; PLACES] = [const { Registration::new() }; PLACES];

static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

fn install_handler() {
    PREVIOUS.get_or_init(|| {
        // SAFETY: all-zero bytes are a valid `sigaction`: default handler, empty mask, no flags.
        let mut ours: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: as above.
        let mut previous: libc::sigaction = unsafe { std::mem::zeroed() };
        ours.sa_sigaction = on_bus_error as *const () as usize;
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: both point to live values, and the handler has the signature SA_SIGINFO asks for.
        // It can only fail for an invalid signal number.
        unsafe { libc::sigaction(libc::SIGBUS, &raw const ours, &raw mut previous) };
        previous
    });
}

extern "C" fn on_bus_error(
    _signal: libc::c_int,
    info: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
    // SAFETY: the kernel hands a valid siginfo to a SA_SIGINFO handler, with an address for SIGBUS.
    let address = unsafe { (*info).si_addr() } as usize;
    if REGISTERED.iter().any(|place| place.covers(address) && replace_page(place, address)) {
        return;
    }
    if let Some(previous) = PREVIOUS.get() {
        // SAFETY: an action the kernel gave us; the fault repeats on return and reaches it.
        unsafe { libc::sigaction(libc::SIGBUS, previous, std::ptr::null_mut()) };
    }
}

/// Puts an empty page under the address, which lies in this mapping. Only async-signal-safe calls.
fn replace_page(place: &Registration, address: usize) -> bool {
    place.damage();
    let page = address & !(geometry::PAGE - 1);
    // SAFETY: the page lies inside a mapping of ours, which stays mapped while the thread that
    // faulted is inside this handler; the new page has at least the rights of the old one.
    let placed = unsafe {
        libc::mmap(
            page as *mut libc::c_void,
            geometry::PAGE,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
            -1,
            0,
        )
    };
    placed != libc::MAP_FAILED
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;
    use std::sync::atomic::Ordering;

    fn scratch(length: u64) -> File {
        let path = std::env::temp_dir().join(format!(
            "whyperf-mapping-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .expect("the temporary directory is writable");
        std::fs::remove_file(&path).expect("the file was just made");
        file.set_len(length).expect("a sparse file takes no room");
        file
    }

    #[test]
    fn nothing_outside_the_file_is_reachable() {
        let file = scratch(8192);
        file.write_all_at(&7u64.to_le_bytes(), 8184).expect("inside the file");
        let mapping =
            Mapping::of(&file, 0, 8192, Protection::Read).expect("a plain file can be mapped");
        assert_eq!(mapping.at::<AtomicU64>(8184).map(|word| word.load(Ordering::Relaxed)), Some(7));
        assert!(mapping.at::<AtomicU64>(8185).is_none());
        assert!(mapping.at::<AtomicU64>(8188).is_none());
        assert!(mapping.at::<AtomicU64>(usize::MAX - 3).is_none());
        assert!(mapping.slice::<AtomicU32>(0, usize::MAX / 2).is_none());
    }

    #[test]
    fn a_file_that_shrinks_reads_as_zeros_and_is_marked() {
        let file = scratch(16384);
        file.write_all_at(&[9; 16384], 0).expect("inside the file");
        let mapping =
            Mapping::of(&file, 0, 16384, Protection::Read).expect("a plain file can be mapped");
        let word = mapping.at::<AtomicU64>(12288).expect("inside the mapping");
        assert_ne!(word.load(Ordering::Relaxed), 0);
        file.set_len(4096).expect("a file of ours can be cut");
        assert_eq!(word.load(Ordering::Relaxed), 0);
        assert!(mapping.is_damaged());
    }
}
