//! Names who has the other end of a pipe: a thread of its own asks the system, which must list the descriptors of all processes for it.
//!
//! ```text
//!   process 3 is at pipe 17 ──► asked ──► a quarter of a second ──► one list for all that was asked meanwhile ──► `gzip`
//! ```
//! Who was started just now, at the other end, has become its program by then. Who ends before is not found, and its pipes have no peer.

use std::collections::BTreeSet;
use std::iter::once;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use whyperf_inject::PipeEnds;

/// A pipe that a process has an end of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskedPipe {
    /// Which one of the daemon's processes it is.
    pub(crate) process: u32,
    pub(crate) pid: u32,
    pub(crate) pipe: u64,
}

/// Who has its other end.
#[derive(Debug)]
pub(crate) struct PipeAnswer {
    pub(crate) process: u32,
    pub(crate) pipe: u64,
    pub(crate) peer: Option<String>,
}

/// The channels to the thread, which is started for the first pipe.
#[derive(Debug, Default)]
pub(crate) struct PipePeers(Option<(Sender<AskedPipe>, Receiver<PipeAnswer>)>);

/// From a question to its answer.
const SETTLING: Duration = Duration::from_millis(250);
/// After each list it rests for so many times as long as that took.
const REST: u32 = 20;

impl PipePeers {
    pub(crate) fn ask(&mut self, asked: AskedPipe) {
        if self.0.is_none() {
            self.0 = start();
        }
        if let Some((requests, _)) = &self.0 {
            // The thread only ends when this sender does; were it gone, peers would stay unknown.
            let _ = requests.send(asked);
        }
    }

    /// What was found by now.
    pub(crate) fn answers(&self) -> Vec<PipeAnswer> {
        let answers = self.0.iter().flat_map(|(_, answers)| answers.try_iter());
        answers.collect()
    }
}

/// `None` where the system has no thread to give: peers stay unknown.
fn start() -> Option<(Sender<AskedPipe>, Receiver<PipeAnswer>)> {
    let (requests, inbox) = unbounded();
    let (outbox, answers) = unbounded();
    let thread = thread::Builder::new().name("pipes".to_owned());
    thread.spawn(move || run(&inbox, &outbox)).ok()?;
    Some((requests, answers))
}

fn run(inbox: &Receiver<AskedPipe>, outbox: &Sender<PipeAnswer>) {
    while let Ok(first) = inbox.recv() {
        thread::sleep(SETTLING);
        let asked: Vec<AskedPipe> = once(first).chain(inbox.try_iter()).collect();
        let began = Instant::now();
        let pipes: BTreeSet<u64> = asked.iter().map(|asked| asked.pipe).collect();
        let ends = PipeEnds::find(&pipes);
        for AskedPipe { process, pid, pipe } in asked {
            let answer = PipeAnswer { process, pipe, peer: ends.peer(pipe, pid) };
            if outbox.send(answer).is_err() {
                return;
            }
        }
        thread::sleep(began.elapsed() * REST);
    }
}
