//! What a process that carries the library is asked by a signal, and what it answers.
//!
//! Whoever asks keeps a file in memory open, the letter, and tells by the signal where: the library
//! opens it at `/proc/<process>/fd/<descriptor>`. Nothing of it is left when either is killed.
//!
//! ```text
//!   asker     letter ──► signal ─────────────► answered in time?  no: "withdrawn", then "heard"?
//!   library                └─► "heard", then "withdrawn"?  no: does it ──► answer
//! ```
//! Each side writes its own word before it reads the other's, by system calls on the same file, so one of
//! the two learns in any case that the other was faster.

/// The signal: one that the GNU C library keeps for itself. A program cannot ask for its disposition,
/// block it or wait for it, so it does not meet it; only the library handles it from its start on.
pub const SIGNAL: i32 = 32;
/// Longest path of a run directory.
pub const LONGEST: usize = 3072;
/// Threads that find room.
pub const MOST_THREADS: usize = 4096;

/// Where the letter is: what the signal carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The process that keeps it open.
    pub process: u32,
    /// Under this descriptor.
    pub descriptor: u32,
}

impl Call {
    /// The value that goes with the signal; `None` for numbers that no system has.
    #[must_use]
    pub fn value(self) -> Option<u64> {
        let (process, descriptor) = (u64::from(self.process), u64::from(self.descriptor));
        let fit = process >> BITS == 0 && descriptor >> BITS == 0;
        fit.then_some(MARK << (2 * BITS) | process << BITS | descriptor)
    }

    /// What such a value says; `None` for one that somebody else sent.
    #[must_use]
    pub fn of(value: u64) -> Option<Self> {
        let part = |value: u64| (value & ((1 << BITS) - 1)) as u32;
        let call = Self { process: part(value >> BITS), descriptor: part(value) };
        (value >> (2 * BITS) == MARK).then_some(call)
    }
}

const BITS: u32 = 24;
const MARK: u64 = 0x7779;

/// The letter.
#[derive(Debug)]
#[repr(C)]
pub struct Letter {
    version: u32,
    withdrawn: u32,
    heard: u32,
    answer: u32,
    wishes: u32,
    /// Keep the last so many regions of a path, 0 for all.
    pub callpath_depth: u32,
    /// Rank that a launcher announced, negative when none did.
    pub rank: i32,
    /// Size of the job that a launcher announced, 0 if it did not.
    pub size: u32,
    thread_count: u32,
    directory_length: u32,
    directory: [u8; LONGEST],
    threads: [u32; MOST_THREADS],
}

/// What else is wished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// A measurement for somebody who is gone is to end first.
    pub take_over: bool,
    /// It is welcome even where calls of some objects would not be seen.
    pub in_part: bool,
}

impl Letter {
    /// Bytes of it.
    pub const SIZE: usize = size_of::<Self>();
    /// Where the asker takes it back, by a word that is not 0.
    pub const WITHDRAWN: u64 = 4;
    /// Where the library says so that it reads.
    pub const HEARD: u64 = 8;
    /// Where it answers: the outcome + 1.
    pub const ANSWER: u64 = 12;

    /// For this run directory, with threads that are the program's own; `None` for too long a path.
    #[must_use]
    pub fn new(directory: &[u8], threads: &[u32], wishes: Wishes) -> Option<Self> {
        let mut letter = Self {
            version: VERSION,
            withdrawn: 0,
            heard: 0,
            answer: 0,
            wishes: u32::from(wishes.take_over) | u32::from(wishes.in_part) << 1,
            callpath_depth: 0,
            rank: -1,
            size: 0,
            thread_count: 0,
            directory_length: directory.len() as u32,
            directory: [0; LONGEST],
            threads: [0; MOST_THREADS],
        };
        letter.directory.get_mut(..directory.len())?.copy_from_slice(directory);
        for (place, thread) in letter.threads.iter_mut().zip(threads) {
            *place = *thread;
            letter.thread_count += 1;
        }
        Some(letter)
    }

    /// As it is written.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        let start = core::ptr::from_ref(self).cast::<u8>();
        // SAFETY: so many bytes as the structure has, none of them padding: see the assertion below.
        unsafe { core::slice::from_raw_parts(start, Self::SIZE) }
    }

    /// Whether it is one that this version writes, and nobody has read it before.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.version == VERSION && self.heard == 0
    }

    /// The run directory.
    #[must_use]
    pub fn directory(&self) -> &[u8] {
        self.directory.get(..self.directory_length as usize).unwrap_or(&[])
    }

    /// Threads that are the program's own.
    #[must_use]
    pub fn threads(&self) -> &[u32] {
        self.threads.get(..self.thread_count as usize).unwrap_or(&[])
    }

    /// What else is wished.
    #[must_use]
    pub fn wishes(&self) -> Wishes {
        Wishes { take_over: self.wishes & 1 != 0, in_part: self.wishes & 2 != 0 }
    }
}

/// Raised with each change of the letter.
const VERSION: u32 = 0x7768_0001;
const _: () = assert!(Letter::SIZE == 40 + LONGEST + 4 * MOST_THREADS);
const _: () = assert!(core::mem::offset_of!(Letter, withdrawn) as u64 == Letter::WITHDRAWN);
const _: () = assert!(core::mem::offset_of!(Letter, heard) as u64 == Letter::HEARD);
const _: () = assert!(core::mem::offset_of!(Letter, answer) as u64 == Letter::ANSWER);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_told_from_what_others_send() {
        let call = Call { process: 4_194_304, descriptor: 17 };
        assert_eq!(call.value().and_then(Call::of), Some(call));
        assert_eq!(Call { process: 1 << 24, descriptor: 0 }.value(), None);
        assert!([0, 1, u64::MAX, 0x7fff_0000_1234].iter().all(|value| Call::of(*value).is_none()));
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        let wishes = Wishes { take_over: false, in_part: true };
        let letter = Letter::new(b"/dev/shm/x", &[7, 9], wishes).expect("the path is short");
        assert_eq!((letter.directory(), letter.threads()), (&b"/dev/shm/x"[..], &[7, 9][..]));
        assert_eq!((letter.wishes(), letter.is_fresh()), (wishes, true));
        assert_eq!(letter.bytes().len(), Letter::SIZE);
        assert_eq!(&letter.bytes()[40..50], b"/dev/shm/x");
        assert!(Letter::new(&[b'x'; LONGEST + 1], &[], wishes).is_none());
        let many = vec![1; MOST_THREADS + 5];
        let letter = Letter::new(b"/", &many, wishes).expect("the path is short");
        assert_eq!(letter.threads().len(), MOST_THREADS);
    }

    #[test]
    fn nonsense_in_it_is_harmless() {
        let mut letter = Letter::new(b"/", &[], Wishes::default()).expect("the path is short");
        letter.directory_length = u32::MAX;
        letter.thread_count = u32::MAX;
        assert!(letter.directory().is_empty() && letter.threads().is_empty());
        letter.heard = 1;
        assert!(!letter.is_fresh());
    }
}
