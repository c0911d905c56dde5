//! The channel to the worker, the thread that knows the code: reading, decoding and planning never delay a sample.
//!
//! The thread starts with the first question. It gets first what it has to know of the processes by then.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::{self, Thread};

use crossbeam_channel::{Receiver, Sender, unbounded};
use whyperf_model::{CodeFilter, Resource};

use crate::messages::{WorkerAnswer, WorkerRequest};
use crate::objects::Objects;
use crate::worker::{self, KnownCode};

/// The name of the worker's thread.
pub const WORKER: &str = "code";

/// The worker channel: takes requests, answers what was found.
#[derive(Debug)]
pub(crate) struct WorkerChannel {
    objects: Arc<Objects>,
    /// What the user leaves out.
    filter: Option<Arc<CodeFilter>>,
    /// The processes that there are, and their process ids.
    processes: BTreeMap<u32, u32>,
    /// Open since the first question.
    ends: Option<ChannelEnds>,
}

/// The two ends on this side of the channel.
#[derive(Debug)]
struct ChannelEnds {
    /// None when the worker is to end.
    requests: Option<Sender<WorkerRequest>>,
    answers: Receiver<WorkerAnswer>,
    /// Sleeps while nothing is asked. A channel's own wait gives up the processor some times before it sleeps, which on busy processors
    /// took a tenth of all that the worker did.
    worker: Thread,
}

impl WorkerChannel {
    /// To a worker that opens these objects. It is not started yet.
    pub(crate) const fn over(objects: Arc<Objects>) -> Self {
        Self { objects, filter: None, processes: BTreeMap::new(), ends: None }
    }

    /// Leaves out what this filter does, if the thread has not started.
    pub(crate) fn leave_out(&mut self, filter: Arc<CodeFilter>) {
        self.filter = Some(filter);
    }

    /// Whether there is one.
    pub(crate) const fn has_filter(&self) -> bool {
        self.filter.is_some()
    }

    /// Whether it leaves out what is called so.
    pub(crate) fn leaves_out(&self, code: &Resource) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.leaves_out_code(code))
    }

    /// A process appeared.
    pub(crate) fn watch(&mut self, process: u32, pid: u32) {
        self.processes.insert(process, pid);
        if let Some(ends) = &self.ends {
            ends.send(WorkerRequest::Watch { process, pid });
        }
    }

    /// A process ended.
    pub(crate) fn forget(&mut self, process: u32) {
        self.processes.remove(&process);
        if let Some(ends) = &self.ends {
            ends.send(WorkerRequest::Forget { process });
        }
    }

    /// Asks, and starts the thread for it if need be; when the system has none to give, nothing is answered.
    pub(crate) fn ask(&mut self, request: WorkerRequest) {
        if self.ends.is_none() {
            let (objects, filter) = (self.objects.clone(), self.filter.clone());
            self.ends = ChannelEnds::open(objects, filter);
            for (process, pid) in &self.processes {
                if let Some(ends) = &self.ends {
                    ends.send(WorkerRequest::Watch { process: *process, pid: *pid });
                }
            }
        }
        if let Some(ends) = &self.ends {
            ends.send(request);
        }
    }

    /// Tells the thread something that is of no interest to one that has not started.
    pub(crate) fn tell(&self, request: WorkerRequest) {
        if let Some(ends) = &self.ends {
            ends.send(request);
        }
    }

    /// What was found by now.
    pub(crate) fn answers(&self) -> Vec<WorkerAnswer> {
        self.ends.as_ref().map(|ends| ends.answers.try_iter().collect()).unwrap_or_default()
    }
}

impl ChannelEnds {
    fn open(objects: Arc<Objects>, filter: Option<Arc<CodeFilter>>) -> Option<Self> {
        let (requests, inbox) = unbounded();
        let (outbox, answers) = unbounded();
        let thread = thread::Builder::new().name(WORKER.to_owned());
        let work = move || {
            whyperf_inject::yield_to_program();
            worker::run(KnownCode::over(objects, filter), &inbox, &outbox);
        };
        let worker = thread.spawn(work).ok()?.thread().clone();
        Some(Self { requests: Some(requests), answers, worker })
    }

    fn send(&self, request: WorkerRequest) {
        // The worker ends only when this sender does; if it were gone, functions would stay unknown.
        let _ = self.requests.as_ref().map(|requests| requests.send(request));
        self.worker.unpark();
    }
}

impl Drop for ChannelEnds {
    fn drop(&mut self) {
        self.requests = None;
        self.worker.unpark();
    }
}
