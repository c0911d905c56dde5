//! Accesses memory of the process that is not ours: reads it without risk, and makes it writable for a moment.

use crate::kernel;

/// The word at an address; `None` where nothing is mapped any more.
#[must_use]
pub fn word(address: usize) -> Option<usize> {
    let mut word = 0_usize;
    let ours = libc::iovec { iov_base: (&raw mut word).cast(), iov_len: size_of::<usize>() };
    let theirs = libc::iovec { iov_base: address as *mut _, iov_len: size_of::<usize>() };
    let process = kernel::process_id() as usize;
    let arguments = [process, &raw const ours as usize, 1, &raw const theirs as usize, 1, 0];
    // SAFETY: both descriptions live here; the kernel checks the address and writes a word of ours.
    let read = unsafe { kernel::call(libc::SYS_process_vm_readv, arguments) };
    (read == size_of::<usize>() as isize).then_some(word)
}

/// What may be done with pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum PageAccess {
    /// They are read.
    ReadOnly = libc::PROT_READ,
    /// They are read and written.
    Writable = libc::PROT_READ | libc::PROT_WRITE,
    /// They are written, which most processors take as the same.
    WriteOnly = libc::PROT_WRITE,
}

/// Sets what may be done with pages; whether that was done.
///
/// # Safety
/// No code may rely on these pages being the other way.
pub unsafe fn set_access(page: usize, size: usize, access: PageAccess) -> bool {
    let arguments = [page, size, access as usize, 0, 0, 0];
    // SAFETY: changes rights only, and the caller vouches for those who use the pages.
    unsafe { kernel::call(libc::SYS_mprotect, arguments) == 0 }
}

/// Whether a page may be written now; nothing is written.
#[must_use]
pub fn is_writable(page: usize) -> bool {
    let arguments = [page, 4096, libc::MADV_POPULATE_WRITE as usize, 0, 0, 0];
    // SAFETY: the advice changes no byte. It is refused where writing is, and by kernels that do not
    // know it.
    unsafe { kernel::call(libc::SYS_madvise, arguments) == 0 }
}
