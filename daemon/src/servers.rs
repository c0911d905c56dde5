//! Which processes serve others by sockets: a thread of its own asks the system, whose lists of sockets may be long.
//!
//! A process that waits for several descriptors is asked about at once, and again and again while it waits: it may begin to listen later.

use std::collections::BTreeMap;
use std::thread;
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, unbounded};
use whyperf_inject::SocketRole;

/// What is known of processes, by their ids, and who is asked about.
#[derive(Debug, Default)]
pub(crate) struct Servers {
    roles: BTreeMap<u32, KnownRole>,
    asked: Option<AskedThread>,
}

/// The thread that asks the system.
#[derive(Debug)]
struct AskedThread {
    requests: Sender<u32>,
    answers: Receiver<(u32, SocketRole)>,
}

#[derive(Clone, Copy, Debug)]
struct KnownRole {
    role: SocketRole,
    /// The moment of the monotonic clock from which on it may be asked for again.
    again: u64,
}

/// From one question about a process to the next.
const PAUSE: u64 = 2_000_000_000;
/// After each look the thread rests for so many times as long as that took.
const REST: u32 = 20;

impl Servers {
    /// Takes in what was found by now.
    pub(crate) fn begin_pass(&mut self) {
        let answers = self.asked.iter().flat_map(|thread| thread.answers.try_iter());
        for (pid, role) in answers {
            if let Some(known) = self.roles.get_mut(&pid) {
                known.role = role;
            }
        }
    }

    /// Whether a process serves others, as far as is known.
    pub(crate) fn serves(&self, pid: u32) -> bool {
        self.roles.get(&pid).is_some_and(|known| known.role == SocketRole::Serves)
    }

    /// A process waits for several descriptors at this moment.
    pub(crate) fn ask(&mut self, pid: u32, now: u64) {
        let known =
            self.roles.entry(pid).or_insert(KnownRole { role: SocketRole::DoesNot, again: 0 });
        if now < known.again {
            return;
        }
        known.again = now + PAUSE;
        if self.asked.is_none() {
            self.asked = AskedThread::start();
        }
        if let Some(thread) = &self.asked {
            // The thread only ends when this sender does; were it gone, nobody would be told to serve.
            let _ = thread.requests.send(pid);
        }
    }

    /// A process ended.
    pub(crate) fn forget(&mut self, pid: u32) {
        self.roles.remove(&pid);
    }
}

impl AskedThread {
    /// `None` where the system has no thread to give: nobody is told to serve.
    fn start() -> Option<Self> {
        let (requests, inbox) = unbounded();
        let (outbox, answers) = unbounded();
        let thread = thread::Builder::new().name("sockets".to_owned());
        thread.spawn(move || run(&inbox, &outbox)).ok()?;
        Some(Self { requests, answers })
    }
}

fn run(inbox: &Receiver<u32>, outbox: &Sender<(u32, SocketRole)>) {
    while let Ok(pid) = inbox.recv() {
        let began = Instant::now();
        if outbox.send((pid, SocketRole::of(pid))).is_err() {
            return;
        }
        thread::sleep(began.elapsed() * REST);
    }
}
