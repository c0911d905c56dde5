//! The mailbox of an attach request, as the library reads and answers it: a file that whyperf keeps open.

use crate::kernel;
use core::ffi::CStr;
use whyperf_layout::attach_request::{Mailbox, MailboxAddress};

/// The open file. The thread that opens it has descriptors of its own, which end with it.
#[derive(Debug)]
pub(crate) struct MailboxFile(usize);

impl MailboxFile {
    /// Opens it, if it is of this process's user.
    pub(crate) fn open(address: MailboxAddress) -> Option<Self> {
        let mut path = [0; 48];
        let length = [&b"/proc/"[..], b"/fd/"]
            .into_iter()
            .zip([address.process, address.descriptor])
            .try_fold(0, |at, (words, number)| {
                let at = put(&mut path, at, words)?;
                put_number(&mut path, at, number)
            })?;
        let path = CStr::from_bytes_with_nul(path.get(..=length)?).ok()?;
        let flags = (libc::O_RDWR | libc::O_CLOEXEC) as usize;
        let arguments = [libc::AT_FDCWD as usize, path.as_ptr() as usize, flags, 0, 0, 0];
        // SAFETY: a string that ends with zero.
        let descriptor = unsafe { kernel::call(libc::SYS_openat, arguments) };
        let file = Self(usize::try_from(descriptor).ok()?);
        if file.is_own() {
            return Some(file);
        }
        kernel::close(file.0 as i32);
        None
    }

    fn is_own(&self) -> bool {
        let mut facts = core::mem::MaybeUninit::<libc::stat>::uninit();
        // SAFETY: room for what the kernel says of the file; the other call takes no argument.
        let (told, user) = unsafe {
            let told =
                kernel::call(libc::SYS_fstat, [self.0, facts.as_mut_ptr() as usize, 0, 0, 0, 0]);
            (told, kernel::call(libc::SYS_geteuid, [0; 6]))
        };
        // SAFETY: the kernel filled it.
        told == 0 && unsafe { facts.assume_init() }.st_uid as isize == user
    }

    /// Reads all of it.
    pub(crate) fn read(&self, mailbox: &mut Mailbox) -> bool {
        let into = core::ptr::from_mut(mailbox) as usize;
        let arguments = [self.0, into, Mailbox::SIZE, 0, 0, 0];
        // SAFETY: the structure is ours; any bytes are one.
        unsafe { kernel::call(libc::SYS_pread64, arguments) == Mailbox::SIZE as isize }
    }

    /// One word of it now.
    pub(crate) fn word(&self, at: u64) -> Option<u32> {
        let mut word = 0_u32;
        let arguments = [self.0, &raw mut word as usize, 4, at as usize, 0, 0];
        // SAFETY: the word is ours.
        (unsafe { kernel::call(libc::SYS_pread64, arguments) } == 4).then_some(word)
    }

    /// Writes a word into it.
    pub(crate) fn put(&self, at: u64, word: u32) -> bool {
        let arguments = [self.0, &raw const word as usize, 4, at as usize, 0, 0];
        // SAFETY: the word lives here.
        unsafe { kernel::call(libc::SYS_pwrite64, arguments) == 4 }
    }
}

fn put(path: &mut [u8], at: usize, words: &[u8]) -> Option<usize> {
    path.get_mut(at..at + words.len())?.copy_from_slice(words);
    Some(at + words.len())
}

fn put_number(path: &mut [u8], at: usize, number: u32) -> Option<usize> {
    let digits = number.checked_ilog10().unwrap_or(0) as usize + 1;
    let mut left = number;
    for place in path.get_mut(at..at + digits)?.iter_mut().rev() {
        *place = b'0' + (left % 10) as u8;
        left /= 10;
    }
    Some(at + digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_full() {
        let mut path = [0; 12];
        assert_eq!(put_number(&mut path, 1, 0), Some(2));
        assert_eq!(put_number(&mut path, 2, 1_203_450), Some(9));
        assert_eq!(&path[..10], b"\x000\x31203450\0");
        assert_eq!(put_number(&mut path, 10, 100), None);
    }
}
