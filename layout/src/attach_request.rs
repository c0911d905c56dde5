//! The attach request to a process that carries the library, and its answer: the signal and the mailbox.
//!
//! The asking process keeps a file in memory open, the mailbox, and its signal carries the address: the library
//! opens it at `/proc/<process>/fd/<descriptor>`. Nothing of it is left when either is killed.
//!
//! ```text
//!   whyperf   mailbox ──► signal ─────────────► answered in time?  no: "withdrawn", then "received"?
//!   library                 └─► "received", then "withdrawn"?  no: does it ──► answer
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

/// Address of the mailbox: what the signal carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MailboxAddress {
    /// The process that keeps it open.
    pub process: u32,
    /// Under this descriptor.
    pub descriptor: u32,
}

impl MailboxAddress {
    /// The value that goes with the signal; `None` for numbers that no system has.
    #[must_use]
    pub fn value(self) -> Option<u64> {
        let (process, descriptor) = (u64::from(self.process), u64::from(self.descriptor));
        let fit = process >> BITS == 0 && descriptor >> BITS == 0;
        fit.then_some(MARK << (2 * BITS) | process << BITS | descriptor)
    }

    /// What such a value says; `None` for one that another sender chose.
    #[must_use]
    pub fn of(value: u64) -> Option<Self> {
        let part = |value: u64| (value & ((1 << BITS) - 1)) as u32;
        let address = Self { process: part(value >> BITS), descriptor: part(value) };
        (value >> (2 * BITS) == MARK).then_some(address)
    }
}

const BITS: u32 = 24;
const MARK: u64 = 0x7779;

/// The mailbox: the request, and then the answer.
#[derive(Debug)]
#[repr(C)]
pub struct Mailbox {
    version: u32,
    withdrawn: u32,
    received: u32,
    answer: u32,
    options: u32,
    /// Keep the last so many regions of a path, 0 for all.
    pub callpath_depth: u32,
    /// Rank that a launcher announced, negative when none did.
    pub rank: i32,
    /// Size of the job that a launcher announced, 0 if it did not.
    pub size: u32,
    /// Whose mailbox it is. A signal may arrive late, when the descriptor that it names is another process's mailbox.
    process: u32,
    thread_count: u32,
    directory_length: u32,
    directory: [u8; LONGEST],
    threads: [u32; MOST_THREADS],
}

/// Options of the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttachOptions {
    /// A measurement whose watcher is gone is to end first.
    pub take_over: bool,
    /// Measure even where calls of some objects would not be seen.
    pub in_part: bool,
}

impl Mailbox {
    /// Bytes of it.
    pub const SIZE: usize = size_of::<Self>();
    /// Where the asking process withdraws it, by a word that is not 0.
    pub const WITHDRAWN: u64 = 4;
    /// Where the library says that it received the request.
    pub const RECEIVED: u64 = 8;
    /// Where it answers: the outcome + 1.
    pub const ANSWER: u64 = 12;

    /// For this process and run directory, with threads that are the program's own; `None` for too long a path.
    #[must_use]
    pub fn new(
        process: u32,
        directory: &[u8],
        threads: &[u32],
        options: AttachOptions,
    ) -> Option<Self> {
        let mut mailbox = Self {
            version: VERSION,
            withdrawn: 0,
            received: 0,
            answer: 0,
            options: u32::from(options.take_over) | u32::from(options.in_part) << 1,
            callpath_depth: 0,
            rank: -1,
            size: 0,
            process,
            thread_count: 0,
            directory_length: directory.len() as u32,
            directory: [0; LONGEST],
            threads: [0; MOST_THREADS],
        };
        mailbox.directory.get_mut(..directory.len())?.copy_from_slice(directory);
        for (place, thread) in mailbox.threads.iter_mut().zip(threads) {
            *place = *thread;
            mailbox.thread_count += 1;
        }
        Some(mailbox)
    }

    /// As it is written.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        let start = core::ptr::from_ref(self).cast::<u8>();
        // SAFETY: so many bytes as the structure has, none of them padding: see the assertion below.
        unsafe { core::slice::from_raw_parts(start, Self::SIZE) }
    }

    /// Whether it is one that this version writes, for this process, and that was not read before.
    #[must_use]
    pub fn is_fresh(&self, process: u32) -> bool {
        self.version == VERSION && self.process == process && self.received == 0
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

    /// Options of the request.
    #[must_use]
    pub fn options(&self) -> AttachOptions {
        AttachOptions { take_over: self.options & 1 != 0, in_part: self.options & 2 != 0 }
    }
}

/// Raised with each change of the mailbox.
const VERSION: u32 = 0x7768_0002;
const _: () = assert!(Mailbox::SIZE == 44 + LONGEST + 4 * MOST_THREADS);
const _: () = assert!(core::mem::offset_of!(Mailbox, withdrawn) as u64 == Mailbox::WITHDRAWN);
const _: () = assert!(core::mem::offset_of!(Mailbox, received) as u64 == Mailbox::RECEIVED);
const _: () = assert!(core::mem::offset_of!(Mailbox, answer) as u64 == Mailbox::ANSWER);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_from_what_others_send() {
        let address = MailboxAddress { process: 4_194_304, descriptor: 17 };
        assert_eq!(address.value().and_then(MailboxAddress::of), Some(address));
        assert_eq!(MailboxAddress { process: 1 << 24, descriptor: 0 }.value(), None);
        assert!(
            [0, 1, u64::MAX, 0x7fff_0000_1234]
                .iter()
                .all(|value| MailboxAddress::of(*value).is_none())
        );
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        let options = AttachOptions { take_over: false, in_part: true };
        let mailbox = Mailbox::new(5, b"/dev/shm/x", &[7, 9], options).expect("the path is short");
        assert_eq!((mailbox.directory(), mailbox.threads()), (&b"/dev/shm/x"[..], &[7, 9][..]));
        assert_eq!((mailbox.options(), mailbox.is_fresh(5)), (options, true));
        assert!(!mailbox.is_fresh(6), "it is another process's");
        assert_eq!(mailbox.bytes().len(), Mailbox::SIZE);
        assert_eq!(&mailbox.bytes()[44..54], b"/dev/shm/x");
        assert!(Mailbox::new(5, &[b'x'; LONGEST + 1], &[], options).is_none());
        let many = vec![1; MOST_THREADS + 5];
        let mailbox = Mailbox::new(5, b"/", &many, options).expect("the path is short");
        assert_eq!(mailbox.threads().len(), MOST_THREADS);
    }

    #[test]
    fn nonsense_in_it_is_harmless() {
        let mut mailbox =
            Mailbox::new(5, b"/", &[], AttachOptions::default()).expect("the path is short");
        mailbox.directory_length = u32::MAX;
        mailbox.thread_count = u32::MAX;
        assert!(mailbox.directory().is_empty() && mailbox.threads().is_empty());
        mailbox.received = 1;
        assert!(!mailbox.is_fresh(5));
    }
}
