//! Who holds a lock of the C library: the lock's own memory says which thread.
//!
//! A lock that waits for nobody's system call leaves no other trace. The places are those of the GNU C library, which are part of its binary interface:
//! programs are compiled with the size and the static initializers of these types. Another library's locks have other things there, so the caller must
//! see whether the number is one of the process's threads.

use std::io;

use crate::memory::Memory;

/// A kind of lock that says who holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockForm {
    /// `pthread_mutex_t`.
    Mutex,
    /// `pthread_rwlock_t`, of which only a writer is known.
    RwLock,
}

/// The memory in which a process has its locks.
#[derive(Debug)]
pub struct LockMemory(Memory);

impl LockMemory {
    /// Of a process.
    ///
    /// # Errors
    /// This process may not trace that one.
    pub fn open(pid: u32) -> io::Result<Self> {
        Memory::open_to_read(pid).map(Self)
    }

    /// The number of the thread that holds the lock at an address; `None` where nobody does, or nobody is known.
    #[must_use]
    pub fn holder(&self, form: LockForm, lock: u64) -> Option<u32> {
        let mut bytes = [0; 4];
        self.0.read(lock.checked_add(form.offset())?, &mut bytes).ok()?;
        Some(u32::from_le_bytes(bytes)).filter(|holder| *holder != 0)
    }
}

impl LockForm {
    /// Where in it the number of the thread is.
    const fn offset(self) -> u64 {
        match self {
            Self::Mutex => 8,
            Self::RwLock => 24,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_says_who_holds_it() {
        // As the library leaves them: a mutex that was taken by thread 77 while others wait, and a lock that thread 78 has to write.
        let mutex: [u32; 10] = [2, 0, 77, 1, 0, 0, 0, 0, 0, 0];
        let lock: [u32; 14] = [3, 0, 0, 1, 0, 0, 78, 0, 0, 0, 0, 0, 0, 0];
        let free = [0_u32; 14];
        let memory = LockMemory::open(std::process::id()).expect("it is our own");
        let at = |words: &[u32]| words.as_ptr() as u64;
        assert_eq!(memory.holder(LockForm::Mutex, at(&mutex)), Some(77));
        assert_eq!(memory.holder(LockForm::RwLock, at(&lock)), Some(78));
        assert_eq!(memory.holder(LockForm::RwLock, at(&free)), None);
        assert_eq!(memory.holder(LockForm::Mutex, 8), None, "nothing is there");
        assert_eq!(memory.holder(LockForm::Mutex, u64::MAX), None);
    }
}
