//! What is asked of the thread that knows the code, and what it answers: reading, decoding and
//! planning never hold up a sample.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};
use whyperf_layout::patch::Patch;
use whyperf_model::{Nanos, Resource};

use crate::modules::FunctionKey;
use crate::objects::Objects;
use crate::worker;

/// A question.
#[derive(Debug)]
pub(crate) enum Request {
    /// A process appeared.
    Watch { process: u32, pid: u32 },
    /// A process ended.
    Forget { process: u32 },
    /// Which functions a resource names.
    Find { code: Resource },
    /// Which functions a function calls.
    Callees { of: Resource },
    /// How to patch these functions in a process.
    Plan { process: u32, functions: Vec<FunctionKey> },
    /// A region of a program's own was met, and begins in a function.
    Region { region: Resource, function: Resource },
    /// Which modules programs have, or which functions a module has.
    List { module: Option<Resource> },
    /// In which calls these threads of a process are.
    Look { process: u32, threads: Vec<u32> },
    /// No arena could be mapped there; these functions need another.
    Move { process: u32, arena: u64, functions: Vec<FunctionKey> },
}

/// What came of a question.
#[derive(Debug)]
pub(crate) enum Answer {
    Found {
        code: Resource,
        functions: Vec<FunctionKey>,
        /// Of a module's functions, in the same order, what they are called.
        names: Vec<Resource>,
    },
    /// With the functions that each of them names: somebody will want them next.
    Callees {
        of: Resource,
        callees: BTreeMap<Resource, Vec<FunctionKey>>,
    },
    Planned {
        process: u32,
        plans: Vec<Planned>,
    },
    Listed {
        code: Vec<Resource>,
    },
    Seen {
        process: u32,
        seen: Seen,
    },
    /// Functions call more than was known when they were asked about.
    Learned {
        calls: Vec<(Resource, Vec<Resource>)>,
    },
}

/// What a look at the threads of a process told.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Of each thread that ran: the functions it is in by a call that no event told of.
    pub(crate) threads: Vec<(u32, BTreeSet<FunctionKey>)>,
    /// Whether these are all calls of all threads that ran.
    pub(crate) is_whole: bool,
    /// For how long a thread stood still.
    pub(crate) stopped: Nanos,
}

/// One function of a process.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) function: FunctionKey,
    /// It came with the system, not with the program.
    pub(crate) is_system: bool,
    pub(crate) extent: Extent,
    pub(crate) outcome: Outcome,
}

/// Where the code of a function lies in a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Itself and the pieces that the compiler put elsewhere; none where that is not known.
    pub(crate) pieces: Vec<Range<u64>>,
    /// Whether it calls others: then its time is more than what is spent in these.
    pub(crate) calls_others: bool,
}

/// Whether it can be patched.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// So, with an arena at this address.
    Patch(Box<Patch>, u64),
    /// It is better left alone, for this reason.
    Refused(String),
    /// The process does not have it.
    Absent,
}

/// The desk at which questions are handed in and answers collected.
#[derive(Debug)]
pub(crate) struct Desk {
    requests: Sender<Request>,
    answers: Receiver<Answer>,
}

impl Desk {
    /// Starts the thread; `None` when the system has none to give.
    pub(crate) fn open(objects: Arc<Objects>) -> Option<Self> {
        let (requests, inbox) = unbounded();
        let (outbox, answers) = unbounded();
        let thread = thread::Builder::new().name("code".to_owned());
        thread.spawn(move || worker::run(objects, &inbox, &outbox)).ok()?;
        Some(Self { requests, answers })
    }

    pub(crate) fn ask(&self, request: Request) {
        // The worker only ends when this sender does; were it gone, functions would stay unknown.
        let _ = self.requests.send(request);
    }

    /// What was found by now.
    pub(crate) fn answers(&self) -> Vec<Answer> {
        self.answers.try_iter().collect()
    }
}
