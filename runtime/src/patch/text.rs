//! Code of this process as bytes to be read and replaced, without making any page writable.
//!
//! The kernel writes through the file of this memory also where the program may not: the page is
//! copied for this process and stays executable and read-only all the time. Reading goes the same
//! way, because an address that a record names may not be mapped.

use crate::kernel;

/// This process's memory as a file; closed when dropped.
#[derive(Debug)]
pub(super) struct Text {
    descriptor: i32,
}

impl Text {
    /// Opens it; `None` when the kernel refuses.
    pub(super) fn open() -> Option<Self> {
        // The agent has descriptors of its own, and the first thread may have ended.
        let path = c"/proc/thread-self/mem";
        let flags = (libc::O_RDWR | libc::O_CLOEXEC) as usize;
        let arguments = [libc::AT_FDCWD as usize, path.as_ptr() as usize, flags, 0, 0, 0];
        // SAFETY: a string that ends with zero.
        let answer = unsafe { kernel::call(libc::SYS_openat, arguments) };
        i32::try_from(answer)
            .ok()
            .filter(|descriptor| *descriptor >= 0)
            .map(|descriptor| Self { descriptor })
    }

    /// Reads so many bytes; false when they are not all there.
    pub(super) fn read(&self, at: u64, into: &mut [u8]) -> bool {
        self.read_most(at, into).len() == into.len()
    }

    /// Reads as many of so many bytes as there are.
    pub(super) fn read_most<'a>(&self, at: u64, into: &'a mut [u8]) -> &'a [u8] {
        let arguments =
            [self.descriptor as usize, into.as_mut_ptr() as usize, into.len(), at as usize, 0, 0];
        // SAFETY: the bytes are ours to write, so many as passed on.
        let read = unsafe { kernel::call(libc::SYS_pread64, arguments) };
        usize::try_from(read).ok().and_then(|read| into.get(..read)).unwrap_or(&[])
    }

    /// Whether these bytes are there.
    pub(super) fn holds(&self, at: u64, bytes: &[u8]) -> bool {
        let mut found = [0; 8];
        let Some(found) = found.get_mut(..bytes.len()) else { return false };
        self.read(at, found) && found.iter().eq(bytes)
    }

    /// Writes bytes; false when the kernel refuses. Only one byte is certain to change at once.
    ///
    /// # Safety
    /// The place is code of a function to be patched, of its island, or of an arena, and may be these bytes now.
    pub(super) unsafe fn write(&self, at: u64, bytes: &[u8]) -> bool {
        let length = bytes.len();
        let arguments =
            [self.descriptor as usize, bytes.as_ptr() as usize, length, at as usize, 0, 0];
        // SAFETY: the place by the caller's contract; the bytes are ours, so many as passed on.
        unsafe { kernel::call(libc::SYS_pwrite64, arguments) == length as isize }
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        kernel::close(self.descriptor);
    }
}

/// Tells the kernel that [`synchronize`] will be used; false when it cannot be. In a process of
/// several threads this takes milliseconds the first time.
pub(super) fn prepare_to_synchronize() -> bool {
    const REGISTER: usize = 64;
    barrier(REGISTER)
}

/// Makes every processor that runs this process read its code anew.
pub(super) fn synchronize() -> bool {
    const SYNC_CORE: usize = 32;
    barrier(SYNC_CORE)
}

fn barrier(command: usize) -> bool {
    // SAFETY: takes numbers only.
    unsafe { kernel::call(libc::SYS_membarrier, [command, 0, 0, 0, 0, 0]) == 0 }
}
