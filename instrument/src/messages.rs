//! The messages of the worker channel: the requests to the thread that knows the code, and its answers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use whyperf_code::plan::CodeExit;
use whyperf_inject::{LookManner, ThreadCounter};
use whyperf_layout::patch::Patch;
use whyperf_model::{Counter, Nanos, Resource};

use crate::function_key::FunctionKey;
use crate::switch_meter::SwitchCost;

/// A request to the worker.
#[derive(Debug)]
pub(crate) enum WorkerRequest {
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
    /// In which calls these threads of a process are; those that run are sampled, so that it keeps to this limit.
    Look { process: u32, threads: Vec<u32>, limit: f64 },
    /// In which functions those of these threads wait that wait in the kernel.
    PlaceWaits { process: u32, threads: Vec<u32> },
    /// Something is counted of a thread of a process: where it is then is to be told.
    Count { process: u32, tid: u32, counter: Counter, source: Arc<ThreadCounter> },
    /// Sample nothing, and rest until something is asked for.
    Pause,
    /// Sample again what was sampled.
    Resume,
    /// No arena could be mapped there; these functions need another.
    Move { process: u32, arena: u64, functions: Vec<FunctionKey> },
}

/// An answer of the worker.
#[derive(Debug)]
pub(crate) enum WorkerAnswer {
    Found {
        code: Resource,
        functions: Vec<FunctionKey>,
        /// Of a module's functions, in the same order, what they are called.
        names: Vec<Resource>,
    },
    /// With the functions that each of them names: a search wants them next.
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
        seen: StackFindings,
    },
    /// In which functions threads of a process wait.
    WaitsPlaced {
        process: u32,
        places: Vec<(u32, Resource)>,
    },
    /// Where stack samples found threads of a process running since the last time.
    Sampled {
        process: u32,
        sampled: StackSampled,
    },
    /// Where threads of a process were when something was counted of them, since the last time.
    Counted {
        process: u32,
        counted: Counted,
    },
    /// What it cost the threads of a process to be switched while they were sampled; where that is too much they are sampled no longer.
    Switched {
        process: u32,
        switched: SwitchCost,
    },
    /// Functions call more than was known when they were asked about.
    Learned {
        calls: Vec<(Resource, Vec<Resource>)>,
    },
}

/// What stack snapshots of the threads of a process told.
#[derive(Debug, Default)]
pub(crate) struct StackFindings {
    pub(crate) threads: BTreeMap<u32, SeenThread>,
    /// Whether these are all threads, each with all its calls.
    pub(crate) is_whole: bool,
    /// How threads that run were seen.
    pub(crate) manner: LookManner,
    /// For how long a thread stood still.
    pub(crate) stopped: Nanos,
}

/// What sampling the stacks of a process brought and cost since the last time.
#[derive(Debug, Default)]
pub(crate) struct StackSampled {
    pub(crate) samples: Vec<SampledThread>,
    /// Threads that were found running in wrapped calls, once for each sample.
    pub(crate) polling: Vec<u32>,
    /// What functions are called in whose own code threads were found for the first time.
    pub(crate) names: Vec<(FunctionKey, Resource)>,
    /// The running time that each stands for.
    pub(crate) period: Nanos,
    pub(crate) cost: Nanos,
}

/// Where threads of a process were when something was counted of them, and what that cost.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    pub(crate) samples: Vec<CounterSample>,
    pub(crate) lost: u64,
    pub(crate) cost: Nanos,
}

/// Where a thread was at an event that is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterSample {
    /// The thread.
    pub tid: u32,
    /// What was counted.
    pub counter: Counter,
    /// Events that it stands for.
    pub weight: u64,
    /// The functions that it had not returned from, those of interest.
    pub functions: Arc<[Resource]>,
    /// The one in whose own code it was.
    pub own: Option<Resource>,
    /// Whether these are all.
    pub is_whole: bool,
}

/// A thread that a stack sample found running, outside of wrapped calls.
#[derive(Clone, Debug)]
pub(crate) struct SampledThread {
    pub(crate) tid: u32,
    /// The innermost function that it is in by a call that an event told of: the first of these that is on. There are several where
    /// functions jumped on.
    pub(crate) inside: Vec<FunctionKey>,
    /// The functions that it has not returned from.
    pub(crate) functions: BTreeSet<FunctionKey>,
    /// Those of them whose outermost call is inside of a function that they called again, each with that one.
    pub(crate) between: BTreeSet<(FunctionKey, FunctionKey)>,
    /// The one in whose own code it is.
    pub(crate) own: Option<FunctionKey>,
    /// Whether these are all.
    pub(crate) is_whole: bool,
}

/// What was seen of a thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenThread {
    /// The functions that it is in by a call that no event told of.
    pub(crate) calls: BTreeSet<FunctionKey>,
    /// Whether these are all.
    pub(crate) is_whole: bool,
}

/// One function of a process.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) function: FunctionKey,
    /// It came with the system, not with the program.
    pub(crate) is_system: bool,
    pub(crate) extent: CodeExtent,
    pub(crate) outcome: PlanOutcome,
}

/// Where the code of a function lies in a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CodeExtent {
    /// Itself and the pieces that the compiler put elsewhere; none where that is not known.
    pub(crate) pieces: Vec<Range<u64>>,
    /// Whether it calls others: then its time is more than what is spent in these.
    pub(crate) calls_others: bool,
}

/// Whether it can be patched.
#[derive(Debug)]
pub(crate) enum PlanOutcome {
    /// So, with an arena at this address.
    Patch(Box<Patch>, u64),
    /// It is better left alone.
    Refused {
        /// Why, in a sentence.
        reason: String,
        exit: CodeExit,
    },
    /// The process does not have it.
    Absent,
}
