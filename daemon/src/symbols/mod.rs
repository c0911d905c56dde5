//! Finds the function, module and line of an address in a process: a thread of its own reads the objects, so that a big
//! object never delays a sample.

#[cfg(test)]
mod tests;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, unbounded};
pub(crate) use whyperf_code::SourceLocation;
use whyperf_instrument::Objects;
pub(crate) use worker::SymbolReader;

use crate::error::Error;

/// An address whose source location is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum AskedAddress {
    /// A return address: of the call before it.
    Code(u64),
    /// A variable.
    Data(u64),
}

impl AskedAddress {
    pub(crate) const fn address(self) -> u64 {
        match self {
            Self::Code(address) | Self::Data(address) => address,
        }
    }
}

/// What was found at an address of a process.
#[derive(Debug)]
pub(crate) struct SymbolAnswer {
    /// The number it was asked under.
    pub(crate) process: u32,
    pub(crate) wanted: AskedAddress,
    pub(crate) place: Option<Arc<SourceLocation>>,
}

/// What a process said of its program: all that is left when it ended before its map was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StatedProgram {
    pub(crate) path: PathBuf,
    /// What is added to the addresses in the file to have those in memory.
    pub(crate) base: u64,
}

#[derive(Debug)]
enum SymbolRequest {
    /// A process appeared: its map is read while it is there.
    Watch { process: u32, pid: u32, program: Option<StatedProgram> },
    /// What lies at these addresses.
    Find { process: u32, wanted: Vec<AskedAddress> },
}

/// The channel to the thread that reads symbols: takes addresses, answers source locations.
#[derive(Debug)]
pub(crate) struct Symbols {
    requests: Sender<SymbolRequest>,
    answers: Receiver<Vec<SymbolAnswer>>,
    outstanding: usize,
}

/// The name of the thread.
pub(crate) const THREAD: &str = "symbols";

impl Symbols {
    /// Over objects that others use too.
    pub(crate) fn start(objects: Arc<Objects>) -> Result<Self, Error> {
        let (requests, inbox) = unbounded();
        let (outbox, answers) = unbounded();
        thread::Builder::new()
            .name(THREAD.to_owned())
            .spawn(move || {
                whyperf_inject::yield_to_program();
                worker::run(objects, &inbox, &outbox);
            })
            .map_err(|source| Error::StartSymbols { source })?;
        Ok(Self { requests, answers, outstanding: 0 })
    }

    pub(crate) fn watch(&self, process: u32, pid: u32, program: Option<StatedProgram>) {
        self.send(SymbolRequest::Watch { process, pid, program });
    }

    pub(crate) fn ask(&mut self, process: u32, wanted: Vec<AskedAddress>) {
        if !wanted.is_empty() {
            self.outstanding += 1;
            self.send(SymbolRequest::Find { process, wanted });
        }
    }

    /// What was found by now.
    pub(crate) fn answers(&mut self) -> Vec<SymbolAnswer> {
        let batches: Vec<_> = self.answers.try_iter().collect();
        self.outstanding -= batches.len();
        batches.into_iter().flatten().collect()
    }

    /// Waits until everything that was asked is answered, or this moment has come, and takes what there is.
    pub(crate) fn all_answers(&mut self, end: Instant) -> Vec<SymbolAnswer> {
        let mut all = Vec::new();
        while self.outstanding > 0 {
            let Ok(batch) = self.answers.recv_deadline(end) else { break };
            self.outstanding -= 1;
            all.extend(batch);
        }
        all
    }

    fn send(&self, request: SymbolRequest) {
        // The worker only ends when this sender does; were it gone, places would stay unknown.
        let _ = self.requests.send(request);
    }
}
