//! A page of the library whose rights tell from outside that the signal of attach requests is ours, and the mailbox behind it.
//!
//! ```text
//!   /proc/<pid>/maps    …-… -w-p … libwhyperf.so    it listens: no compiler and no linker gives such rights
//!                       …-… rw-p … libwhyperf.so    it does not (any more); where it listens the mailbox begins here
//! ```
//! `SigCgt` alone says that somebody handles the signal, also when that is the C library. Its handler does nothing with
//! a request, but a signal cuts calls such as `poll` short. Nothing ever reads or writes the page.

use core::cell::UnsafeCell;

use whyperf_layout::attach_request::MailboxMemory;

use crate::own_memory::{self, PageAccess};

const SIZE: usize = 4096;

/// Not zero, so that it lies in the file and has the file's name in the map.
#[repr(C, align(4096))]
struct Page {
    bytes: UnsafeCell<[u8; SIZE]>,
    mailbox: MailboxMemory,
}

// SAFETY: nobody reads or writes the bytes, and the mailbox is atomics.
unsafe impl Sync for Page {}

static PAGE: Page = Page { bytes: UnsafeCell::new([1; SIZE]), mailbox: MailboxMemory::new() };

/// Where a request is written, from outside alone.
pub(crate) fn mailbox() -> &'static MailboxMemory {
    &PAGE.mailbox
}

/// Shows that requests are received; where the kernel refuses these rights, nobody asks.
pub(crate) fn show() {
    set(PageAccess::WriteOnly);
}

/// Shows that they are not any more.
pub(crate) fn hide() {
    set(PageAccess::Writable);
}

fn set(access: PageAccess) {
    // SAFETY: the page is whole and ours, and nobody reads or writes it.
    unsafe { own_memory::set_access(PAGE.bytes.get() as usize, SIZE, access) };
}
