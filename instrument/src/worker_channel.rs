//! The channel to the thread that knows the code: reading, decoding and planning never hold up a sample.

use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::messages::{WorkerAnswer, WorkerRequest};
use crate::objects::Objects;
use crate::worker;

/// The worker channel: takes requests, answers what was found.
#[derive(Debug)]
pub(crate) struct WorkerChannel {
    requests: Sender<WorkerRequest>,
    answers: Receiver<WorkerAnswer>,
}

impl WorkerChannel {
    /// Starts the thread; `None` when the system has none to give.
    pub(crate) fn open(objects: Arc<Objects>) -> Option<Self> {
        let (requests, inbox) = unbounded();
        let (outbox, answers) = unbounded();
        let thread = thread::Builder::new().name("code".to_owned());
        thread.spawn(move || worker::run(objects, &inbox, &outbox)).ok()?;
        Some(Self { requests, answers })
    }

    pub(crate) fn ask(&self, request: WorkerRequest) {
        // The worker only ends when this sender does; were it gone, functions would stay unknown.
        let _ = self.requests.send(request);
    }

    /// What was found by now.
    pub(crate) fn answers(&self) -> Vec<WorkerAnswer> {
        self.answers.try_iter().collect()
    }
}
