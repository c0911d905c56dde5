//! The mailbox of an attach request as whyperf fills and reads it: memory of the asked process.
//!
//! The kernel lets open that memory who may trace the process. What is opened stays the memory of the program that ran then,
//! so nothing is ever written into the program that follows it; and the mark in front of the mailbox tells that the place
//! was found in the same program.

use std::hash::{BuildHasher as _, RandomState};

use whyperf_layout::attach_request::{MARK_OF_MEMORY, Mailbox, RequestNumber};

use crate::memory::Memory;
use crate::memory_map::MemoryMap;
use crate::request::AttachRequest;

/// The mailbox of a process that listens.
pub(crate) struct OpenMailbox {
    memory: Memory,
    at: u64,
    /// Of the request that is in it.
    pub(crate) number: RequestNumber,
}

impl OpenMailbox {
    /// Opens it; `None` where the library does not listen, or the kernel does not let this process trace that one.
    pub(crate) fn open(pid: u32, request: &AttachRequest<'_>) -> Option<Self> {
        let memory = Memory::open(pid).ok()?;
        let mark = place(pid, request)?;
        let mut found = [0; MARK_OF_MEMORY.len()];
        memory.read(mark, &mut found).ok()?;
        let number = RequestNumber::new(RandomState::new().hash_one(pid));
        let at = mark + MARK_OF_MEMORY.len() as u64;
        (found == MARK_OF_MEMORY).then_some(Self { memory, at, number })
    }

    /// Puts a request into it.
    pub(crate) fn put(&self, mut mailbox: Mailbox) -> Option<()> {
        mailbox.close(self.number);
        self.memory.write(self.at, mailbox.bytes()).ok()
    }

    /// Whether the request was received.
    pub(crate) fn is_received(&self) -> bool {
        self.word(Mailbox::RECEIVED) == Some(self.number.word())
    }

    /// What was answered.
    pub(crate) fn answer(&self) -> Option<u32> {
        self.number.outcome(self.word(Mailbox::ANSWER)?)
    }

    /// A library that begins to read it now finds that it is too late, or has said before that it received it.
    pub(crate) fn withdraw(&self) -> Option<()> {
        let word = self.number.word().to_le_bytes();
        self.memory.write(self.at + Mailbox::WITHDRAWN as u64, &word).ok()
    }

    fn word(&self, at: usize) -> Option<u64> {
        self.memory.word(self.at + at as u64).ok()
    }
}

/// Whether the library is there and handles the signal itself: its page tells (`listening_page.rs`).
pub(crate) fn is_listening(pid: u32, request: &AttachRequest<'_>) -> bool {
    place(pid, request).is_some()
}

/// Where the mark lies: behind that page.
fn place(pid: u32, request: &AttachRequest<'_>) -> Option<u64> {
    let map = MemoryMap::of(pid);
    let mut pages = map.stretches().iter().filter(|stretch| {
        let file = stretch.file.as_ref();
        stretch.write_only && file.is_some_and(|file| request.is_library(&file.path))
    });
    pages.next().map(|page| page.end)
}
