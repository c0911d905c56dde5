//! From an address in a process to function, module and line: asked here, read by a thread of its
//! own, so that a big object never holds up a sample.

mod demangle;
mod image;
mod lines;
mod maps;
#[cfg(test)]
mod tests;
mod unwind;
mod worker;

use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::error::Error;

/// An address somebody wants to know about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Wanted {
    /// A return address: of the call before it.
    Code(u64),
    /// A variable.
    Data(u64),
}

impl Wanted {
    pub(crate) const fn address(self) -> u64 {
        match self {
            Self::Code(address) | Self::Data(address) => address,
        }
    }
}

/// Where in a program an address lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Source file of the function where debug information says so, else its object file.
    pub(crate) module: String,
    /// The function as it was compiled, not one inlined into it; or the variable.
    pub(crate) function: String,
    /// Source file and line of the call itself.
    pub(crate) line: Option<(String, u32)>,
}

impl Place {
    /// `oned.c:88`.
    pub(crate) fn position(&self) -> Option<String> {
        self.line.as_ref().map(|(file, line)| format!("{file}:{line}"))
    }

    /// The function as it reads outside its module: an address alone would say nothing.
    pub(crate) fn caller(&self) -> String {
        if self.function.starts_with("0x") {
            format!("{}+{}", self.module, self.function)
        } else {
            self.function.clone()
        }
    }
}

/// What was found at an address of a process.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The number it was asked under.
    pub(crate) process: u32,
    pub(crate) wanted: Wanted,
    pub(crate) place: Option<Arc<Place>>,
}

#[derive(Debug)]
enum Request {
    /// A process appeared: its map is read while it is there.
    Watch { process: u32, pid: u32 },
    /// What lies at these addresses.
    Find { process: u32, wanted: Vec<Wanted> },
}

/// The desk at which addresses are handed in and answers collected.
#[derive(Debug)]
pub(crate) struct Symbols {
    requests: Sender<Request>,
    answers: Receiver<Vec<Answer>>,
    outstanding: usize,
}

impl Symbols {
    pub(crate) fn start() -> Result<Self, Error> {
        let (requests, inbox) = unbounded();
        let (outbox, answers) = unbounded();
        thread::Builder::new()
            .name("symbols".to_owned())
            .spawn(move || worker::run(&inbox, &outbox))
            .map_err(|source| Error::StartSymbols { source })?;
        Ok(Self { requests, answers, outstanding: 0 })
    }

    pub(crate) fn watch(&self, process: u32, pid: u32) {
        self.send(Request::Watch { process, pid });
    }

    pub(crate) fn ask(&mut self, process: u32, wanted: Vec<Wanted>) {
        if !wanted.is_empty() {
            self.outstanding += 1;
            self.send(Request::Find { process, wanted });
        }
    }

    /// What was found by now.
    pub(crate) fn answers(&mut self) -> Vec<Answer> {
        let batches: Vec<_> = self.answers.try_iter().collect();
        self.outstanding -= batches.len();
        batches.into_iter().flatten().collect()
    }

    /// Waits until everything that was asked is answered, and takes it.
    pub(crate) fn all_answers(&mut self) -> Vec<Answer> {
        let mut all = Vec::new();
        while self.outstanding > 0 {
            let Ok(batch) = self.answers.recv() else { break };
            self.outstanding -= 1;
            all.extend(batch);
        }
        all
    }

    fn send(&self, request: Request) {
        // The worker only ends when this sender does; were it gone, places would stay unknown.
        let _ = self.requests.send(request);
    }
}
