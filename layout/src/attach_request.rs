//! The attach request to a process that carries the library, and its answer: the signal and the mailbox.
//!
//! The mailbox lies in the asked process's own memory, behind the page by which the library shows that it listens. The kernel
//! lets write there who may trace the process, and nobody else. The signal carries the number of the request and nothing
//! else: with it alone the library does nothing.
//!
//! ```text
//!   whyperf   mailbox ──► signal ─────────────► answered in time?  no: "withdrawn", then "received"?
//!   library                 └─► "received", then "withdrawn"?  no: does it ──► answer
//! ```
//! Each side writes its own word before it reads the other's, and reads it by a system call, so one of
//! the two learns in any case that the other was faster. Two that ask at the same time overwrite each other's request: a
//! number and a sum show that, and then neither is done.

use core::sync::atomic::{AtomicU64, Ordering};

/// The signal: one that the GNU C library keeps for itself. A program cannot ask for its disposition,
/// block it or wait for it, so it does not meet it; only the library handles it from its start on.
pub const SIGNAL: i32 = 32;
/// Longest path of a run directory.
pub const LONGEST: usize = 3072;
/// Threads that find room.
pub const MOST_THREADS: usize = 4096;

/// Number of a request, which its signal carries: a signal that comes late finds another one in the mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestNumber(u64);

impl RequestNumber {
    /// Of random bits, as many of them as fit; never 0.
    #[must_use]
    pub const fn new(bits: u64) -> Self {
        Self(bits & ((1 << BITS) - 1) | 1)
    }

    /// The value that goes with the signal.
    #[must_use]
    pub const fn signal_value(self) -> u64 {
        MARK << BITS | self.0
    }

    /// What such a value says; `None` for one that another sender chose.
    #[must_use]
    pub const fn of_signal(value: u64) -> Option<Self> {
        let number = Self(value & ((1 << BITS) - 1));
        if value >> BITS == MARK && number.0 != 0 { Some(number) } else { None }
    }

    /// The number alone, as it stands in a word of the mailbox.
    #[must_use]
    pub const fn word(self) -> u64 {
        self.0
    }

    /// The word of an answer.
    #[must_use]
    pub const fn answer(self, outcome: u32) -> u64 {
        self.0 << 8 | (outcome as u64 + 1) & 0xff
    }

    /// The outcome that an answer's word tells of; `None` when it answers another request, or none yet.
    #[must_use]
    pub const fn outcome(self, word: u64) -> Option<u32> {
        let outcome = (word & 0xff) as u32;
        if word >> 8 == self.0 && outcome != 0 { Some(outcome - 1) } else { None }
    }
}

const BITS: u32 = 48;
const MARK: u64 = 0x7779;

/// The mailbox: the request, and then the answer.
#[derive(Debug)]
#[repr(C)]
pub struct Mailbox {
    version: u32,
    /// Whose mailbox it is: a forked child has a copy of its parent's.
    process: u32,
    number: u64,
    sum: u64,
    withdrawn: u64,
    received: u64,
    answer: u64,
    options: u32,
    /// Keep the last so many regions of a path, 0 for all.
    pub callpath_depth: u32,
    /// Rank that a launcher announced, negative when none did.
    pub rank: i32,
    /// Size of the job that a launcher announced, 0 if it did not.
    pub size: u32,
    /// Share of a thread's time, in thousandths, that events of one region may cost; 0: no limit.
    pub cost_limit: u32,
    reserved: u32,
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
    /// Where the asking process withdraws it, by its number.
    pub const WITHDRAWN: usize = 24;
    /// Where the library says that it received the request, by its number.
    pub const RECEIVED: usize = 32;
    /// Where it answers.
    pub const ANSWER: usize = 40;

    /// For this process and run directory, with threads that are the program's own; `None` for too long a path.
    /// What is public is set afterwards, and then it is [closed](Self::close).
    #[must_use]
    pub fn new(
        process: u32,
        directory: &[u8],
        threads: &[u32],
        options: AttachOptions,
    ) -> Option<Self> {
        let mut mailbox = Self {
            version: VERSION,
            process,
            number: 0,
            sum: 0,
            withdrawn: 0,
            received: 0,
            answer: 0,
            options: u32::from(options.take_over) | u32::from(options.in_part) << 1,
            callpath_depth: 0,
            rank: -1,
            size: 0,
            cost_limit: 0,
            reserved: 0,
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

    /// Gives it its number and its sum.
    pub fn close(&mut self, number: RequestNumber) {
        self.number = number.0;
        self.sum = self.expected_sum();
    }

    /// As it is written.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        let start = core::ptr::from_ref(self).cast::<u8>();
        // SAFETY: so many bytes as the structure has, none of them padding: see the assertion below.
        unsafe { core::slice::from_raw_parts(start, Self::SIZE) }
    }

    /// Whether it is one that this version writes, whole, with this number, for this process, and was not read before.
    #[must_use]
    pub fn is_fresh(&self, process: u32, number: RequestNumber) -> bool {
        let is_unanswered = self.received == 0 && self.answer == 0;
        let is_for = self.version == VERSION && self.process == process && self.number == number.0;
        is_for && is_unanswered && self.sum == self.expected_sum()
    }

    /// Over all words but those that change while it is answered, and the sum itself (FNV-1a).
    fn expected_sum(&self) -> u64 {
        const CHANGING: core::ops::Range<usize> = 2..6;
        let words = self.words().iter().enumerate().filter(|(at, _)| !CHANGING.contains(at));
        words.fold(0xcbf2_9ce4_8422_2325, |sum, (_, word)| {
            (sum ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(29)
        })
    }

    fn words(&self) -> &[u64; WORDS] {
        // SAFETY: so many words as the structure has, none of it padding: see the assertions below.
        unsafe { &*core::ptr::from_ref(self).cast() }
    }

    fn words_mut(&mut self) -> &mut [u64; WORDS] {
        // SAFETY: as above, and any bits are a mailbox.
        unsafe { &mut *core::ptr::from_mut(self).cast() }
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

const WORDS: usize = Mailbox::SIZE / 8;

/// The mailbox as it lies in memory that another process writes: any words at any time.
#[derive(Debug)]
#[repr(C)]
pub struct MailboxMemory {
    mark: [u8; MARK_OF_MEMORY.len()],
    words: [AtomicU64; WORDS],
}

/// What lies in front of the mailbox: whoever finds it there writes to the library's memory, and to no other program's.
pub const MARK_OF_MEMORY: [u8; 16] = *b"whyperf-mailbox\0";

impl MailboxMemory {
    /// An empty one.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a static needs a constant one")]
    pub const fn new() -> Self {
        Self { mark: MARK_OF_MEMORY, words: [const { AtomicU64::new(0) }; WORDS] }
    }

    /// Copies it: what is checked in the copy is what is used.
    pub fn copy(&self, into: &mut Mailbox) {
        let words = into.words_mut().iter_mut().zip(&self.words);
        words.for_each(|(word, shared)| *word = shared.load(Ordering::Relaxed));
    }

    /// The address of a word of it.
    #[must_use]
    pub fn address(&self, at: usize) -> usize {
        (&raw const self.words).addr() + at
    }

    /// Says that this request was received.
    pub fn receive(&self, number: RequestNumber) {
        self.put(Mailbox::RECEIVED, number.word());
    }

    /// Answers it.
    pub fn answer(&self, number: RequestNumber, outcome: u32) {
        self.put(Mailbox::ANSWER, number.answer(outcome));
    }

    fn put(&self, at: usize, word: u64) {
        if let Some(place) = self.words.get(at / 8) {
            place.store(word, Ordering::Relaxed);
        }
    }
}

/// Raised with each change of the mailbox.
const VERSION: u32 = 0x7768_0004;
const _: () = assert!(Mailbox::SIZE == 80 + LONGEST + 4 * MOST_THREADS);
const _: () = assert!(Mailbox::SIZE.is_multiple_of(8) && align_of::<Mailbox>() == 8);
const _: () = assert!(core::mem::offset_of!(Mailbox, withdrawn) == Mailbox::WITHDRAWN);
const _: () = assert!(core::mem::offset_of!(Mailbox, received) == Mailbox::RECEIVED);
const _: () = assert!(core::mem::offset_of!(Mailbox, answer) == Mailbox::ANSWER);

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBER: RequestNumber = RequestNumber::new(0xfeed_beef_1234_5678);

    fn closed(directory: &[u8], threads: &[u32], options: AttachOptions) -> Mailbox {
        let mut mailbox = Mailbox::new(5, directory, threads, options).expect("the path is short");
        mailbox.close(NUMBER);
        mailbox
    }

    #[test]
    fn a_number_is_told_from_what_others_send() {
        assert_eq!(RequestNumber::of_signal(NUMBER.signal_value()), Some(NUMBER));
        assert!(
            [0, 1, u64::MAX, 0x7fff_0000_1234, MARK << BITS]
                .iter()
                .all(|value| RequestNumber::of_signal(*value).is_none())
        );
    }

    #[test]
    fn an_answer_is_told_from_that_of_another_request() {
        let other = RequestNumber::new(7);
        assert_eq!(NUMBER.outcome(NUMBER.answer(4)), Some(4));
        assert_eq!((NUMBER.outcome(other.answer(4)), NUMBER.outcome(0)), (None, None));
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        let options = AttachOptions { take_over: false, in_part: true };
        let mailbox = closed(b"/dev/shm/x", &[7, 9], options);
        assert_eq!((mailbox.directory(), mailbox.threads()), (&b"/dev/shm/x"[..], &[7, 9][..]));
        assert_eq!((mailbox.options(), mailbox.is_fresh(5, NUMBER)), (options, true));
        assert!(!mailbox.is_fresh(6, NUMBER), "it is another process's");
        assert!(!mailbox.is_fresh(5, RequestNumber::new(1)), "it is another request");
        assert_eq!(mailbox.bytes().len(), Mailbox::SIZE);
        assert_eq!(&mailbox.bytes()[80..90], b"/dev/shm/x");
        assert!(Mailbox::new(5, &[b'x'; LONGEST + 1], &[], options).is_none());
        let many = vec![1; MOST_THREADS + 5];
        assert_eq!(closed(b"/", &many, options).threads().len(), MOST_THREADS);
    }

    #[test]
    fn one_that_another_request_was_written_into_is_not_fresh() {
        let mut mailbox = closed(b"/dev/shm/x", &[7, 9], AttachOptions::default());
        mailbox.directory[9] = b'y';
        assert!(!mailbox.is_fresh(5, NUMBER));
        mailbox.directory[9] = b'x';
        assert!(mailbox.is_fresh(5, NUMBER));
        mailbox.withdrawn = 1;
        assert!(mailbox.is_fresh(5, NUMBER), "that it is withdrawn is looked at later");
    }

    #[test]
    fn memory_is_copied_and_answered() {
        let memory = MailboxMemory::new();
        let mailbox = closed(b"/dev/shm/x", &[], AttachOptions::default());
        memory.words.iter().zip(mailbox.words()).for_each(|(to, word)| {
            to.store(*word, Ordering::Relaxed);
        });
        let mut copy = closed(b"/", &[1], AttachOptions::default());
        memory.copy(&mut copy);
        assert!(copy.is_fresh(5, NUMBER) && copy.directory() == b"/dev/shm/x");
        memory.receive(NUMBER);
        memory.answer(NUMBER, 2);
        memory.copy(&mut copy);
        assert_eq!((copy.received, NUMBER.outcome(copy.answer)), (NUMBER.word(), Some(2)));
        assert!(!copy.is_fresh(5, NUMBER));
        let mark = memory.address(0) - MARK_OF_MEMORY.len();
        assert_eq!((&raw const memory).addr(), mark, "it lies in front");
        assert_eq!(memory.mark, MARK_OF_MEMORY);
    }

    #[test]
    fn nonsense_in_it_is_harmless() {
        let mut mailbox = closed(b"/", &[], AttachOptions::default());
        mailbox.directory_length = u32::MAX;
        mailbox.thread_count = u32::MAX;
        assert!(mailbox.directory().is_empty() && mailbox.threads().is_empty());
        mailbox.close(NUMBER);
        mailbox.received = 1;
        assert!(!mailbox.is_fresh(5, NUMBER));
    }
}
