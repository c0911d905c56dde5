//! The trace of a run that is over: threads, and the entries of each in their order.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use whyperf_layout::{RingEntry, Traced};
use whyperf_model::{Hierarchy, Resource, Scale};

use super::stream::ENTRY;
use super::traced_process::TracedProcess;
use crate::clock::Moment;
use crate::symbols::{AskedAddress, SourceLocation, SymbolReader};

/// All that was recorded.
#[derive(Debug)]
pub struct CollectedTrace {
    spool: File,
    threads: Vec<TracedThread>,
    processes: Vec<TracedProcess>,
    begun: Moment,
    scale: Scale,
    code: SymbolReader,
    /// Rings that could not be read, and why.
    pub unread: Vec<String>,
}

/// A thread that was traced.
#[derive(Clone, Debug)]
pub struct TracedThread {
    /// The number of its process.
    pub process: usize,
    /// As the kernel numbered it.
    pub thread: u32,
    /// Which one of its process it was, in the order of their beginnings.
    pub number: u32,
    /// Entries that were overwritten before they were read.
    pub lost: u64,
    /// Entries that came when the limit was reached.
    pub left_out: u64,
    /// Events of signal handlers that came in the midst of another entry.
    pub dropped: u64,
    pub(super) chunks: Vec<(u64, u32)>,
}

impl TracedThread {
    /// How many entries were kept.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.chunks.iter().map(|(_, count)| u64::from(*count)).sum()
    }
}

impl CollectedTrace {
    pub(super) fn new(
        spool: File,
        (threads, processes, unread): (Vec<TracedThread>, Vec<TracedProcess>, Vec<String>),
        code: SymbolReader,
        [begun, ended]: [Moment; 2],
    ) -> Self {
        let (nanos, ticks) =
            (ended.nanos.saturating_sub(begun.nanos), ended.ticks.saturating_sub(begun.ticks));
        let scale = Scale::of(nanos, ticks).unwrap_or(Scale::HALF_NANOSECONDS);
        Self { spool, threads, processes, begun, scale, code, unread }
    }

    /// The threads.
    #[must_use]
    pub fn threads(&self) -> &[TracedThread] {
        &self.threads
    }

    /// The processes.
    #[must_use]
    pub fn processes(&self) -> &[TracedProcess] {
        &self.processes
    }

    /// The function that makes the calls which return to this address of a process, as a resource.
    pub fn caller(&mut self, process: usize, address: u64) -> Option<Resource> {
        let process = u32::try_from(process).ok()?;
        let found = self.code.find(process, AskedAddress::Code(address))?;
        Some(code_of(&found))
    }

    /// Nanoseconds since the recording began, for a time of a process; 0 for one before.
    #[must_use]
    pub fn nanos(&self, process: &TracedProcess, ticks: u64) -> u64 {
        if process.counts_cycles {
            self.scale.nanos(ticks.saturating_sub(self.begun.ticks))
        } else {
            ticks.saturating_sub(self.begun.nanos)
        }
    }

    /// The entries of a thread.
    #[must_use]
    pub fn entries<'c>(&'c self, thread: &'c TracedThread) -> TracedEntries<'c> {
        TracedEntries {
            spool: &self.spool,
            chunks: &thread.chunks,
            bytes: Vec::new(),
            at: 0,
            senseless: 0,
        }
    }
}

/// The entries of a thread, in their order.
#[derive(Debug)]
pub struct TracedEntries<'c> {
    spool: &'c File,
    chunks: &'c [(u64, u32)],
    bytes: Vec<u8>,
    at: usize,
    /// Entries that say nothing, which no runtime writes.
    pub senseless: u64,
}

impl Iterator for TracedEntries<'_> {
    type Item = Traced;

    fn next(&mut self) -> Option<Traced> {
        loop {
            if self.at == self.bytes.len() {
                let ((offset, count), rest) = self.chunks.split_first()?;
                self.chunks = rest;
                self.bytes.resize(*count as usize * ENTRY, 0);
                self.at = 0;
                self.spool.read_exact_at(&mut self.bytes, *offset).ok()?;
            }
            let (what, rest) = self.bytes.get(self.at..)?.split_first_chunk::<8>()?;
            let word = rest.first_chunk::<8>()?;
            self.at += ENTRY;
            let entry =
                RingEntry { what: u64::from_le_bytes(*what), word: u64::from_le_bytes(*word) };
            match Traced::decode(entry) {
                Some(said) => return Some(said),
                None => self.senseless += 1,
            }
        }
    }
}

/// A function as a resource.
pub(super) fn code_of(found: &SourceLocation) -> Resource {
    Resource::root(Hierarchy::Code).child(&found.module).child(&found.function)
}
