//! The description of one MPI function, from its line of the table, in the form that its wrapper uses.
//!
//! The table names the arguments as the standard does; which of them is the communicator, the tag
//! or the status follows from these names when the table is compiled.

use core::ffi::CStr;

use whyperf_layout::Kind;
use whyperf_runtime::Region;

use super::flow::MessageFlow;

/// One function of MPI.
#[derive(Debug)]
pub(crate) struct MpiFunction {
    /// Its region; the `MPI_` and the `PMPI_` form share it.
    pub(crate) region: Region,
    /// What it does.
    pub(crate) act: Act,
    /// Whether later calls depend on what is noted here, also while the region is off.
    pub(crate) remembers: bool,
    /// Whether its counts are `MPI_Count` (the `_c` form) instead of `int`.
    pub(crate) wide: bool,
    /// Where its arguments are.
    pub(crate) at: Arguments,
    /// Name of its operation, without `I`, `_init` and `_c`.
    pub(crate) operation: Operation,
}

/// What a call does, as far as its wrapper must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Nothing that has an object.
    Plain,
    /// `MPI_Init` and `MPI_Init_thread`.
    Initialize,
    /// `MPI_Finalize`: all processes meet once more.
    Finish,
    /// Sends, receives or does both, and is complete when it returns.
    Message(Direction),
    /// Looks for a message that may be received.
    Probe,
    /// Receives a message that a probe has found.
    ReceiveFound,
    /// Starts a message; its request completes it.
    PostMessage(Direction),
    /// Starts to receive a message that a probe has found.
    PostFound,
    /// Prepares a message that is started later, any number of times.
    PrepareMessage(Direction),
    /// Starts what was prepared: one, or as many as `length` says.
    Start,
    /// Lets go of a request.
    Release,
    /// Works on a request and leaves it alone otherwise.
    Touch,
    /// A collective operation that is complete when it returns.
    Collective(MessageFlow),
    /// Starts a collective operation.
    PostCollective(MessageFlow),
    /// Prepares a collective operation.
    PrepareCollective(MessageFlow),
    /// Accesses the memory of others, or synchronizes such accesses.
    Window(Direction),
    /// The same, with a request.
    PostWindow(Direction),
    /// Makes a window.
    MakeWindow,
    /// Frees a window.
    FreeWindow,
    /// Names a window.
    NameWindow,
    /// Makes a communicator from another one; the derivation is part of its name.
    MakeCommunicator(Derivation),
    /// Frees a communicator.
    FreeCommunicator,
    /// Names a communicator.
    NameCommunicator,
    /// Opens a file.
    OpenFile,
    /// Closes a file.
    CloseFile,
    /// Works on an open file.
    File(Direction),
    /// Starts to work on an open file.
    PostFile(Direction),
    /// Completes requests or looks whether they are complete.
    Complete(Completion),
}

impl Act {
    /// Whether the call itself sends or receives messages that have a sender and a receiver.
    pub(crate) const fn moves_messages(self) -> bool {
        matches!(self, Self::Message(_) | Self::PostMessage(_) | Self::Start | Self::ReceiveFound)
    }

    /// Whether the call makes, names or gives back something that later calls use.
    const fn is_remembered(self) -> bool {
        !matches!(
            self,
            Self::Plain
                | Self::Finish
                | Self::Message(_)
                | Self::Probe
                | Self::Start
                | Self::Touch
                | Self::Collective(_)
                | Self::Window(_)
                | Self::File(_)
        )
    }
}

/// Which way bytes go, seen from the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Nowhere.
    None,
    /// Sent or written.
    Out,
    /// Received or read.
    In,
    /// Both ways.
    Both,
}

impl Direction {
    /// Whether bytes leave the caller.
    pub(crate) const fn sends(self) -> bool {
        matches!(self, Self::Out | Self::Both)
    }

    /// Whether bytes reach the caller.
    pub(crate) const fn receives(self) -> bool {
        matches!(self, Self::In | Self::Both)
    }
}

/// How a communicator comes from another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Derivation {
    /// All members of the parent take part and belong to it.
    Whole,
    /// All members of the parent take part, some belong to it.
    Part,
    /// Its members alone take part.
    Group,
    /// Two groups meet.
    Meeting,
}

/// Which of its requests a call completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completion {
    /// Its only one.
    One,
    /// All of them.
    All,
    /// One of them.
    Any,
    /// Some of them.
    Some,
}

/// A name that is the same for all forms of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation {
    /// The name, for example `Allreduce`.
    pub(crate) name: &'static str,
    /// A number made from the name.
    pub(crate) key: u64,
}

macro_rules! arguments {
    ($($(#[$doc:meta])* $field:ident: $($name:literal)|+;)*) => {
        /// Positions of the arguments that a wrapper looks at.
        #[derive(Debug)]
        pub(crate) struct Arguments { $($(#[$doc])* pub(crate) $field: Position,)* }

        impl Arguments {
            /// Finds them by their names.
            pub(crate) const fn named(names: &[&str]) -> Self {
                Self { $($field: position(names, &[$($name),+]),)* }
            }
        }
    };
}

arguments! {
    /// Communicator that the call works on.
    comm: "comm" | "oldcomm" | "intercomm";
    /// Rank that bytes go to.
    dest: "dest" | "target_rank";
    /// Rank that bytes come from.
    source: "source";
    /// Tag of what is sent.
    send_tag: "sendtag" | "tag";
    /// Tag of what is received.
    receive_tag: "recvtag" | "tag";
    /// Buffer that is sent.
    send_buffer: "sendbuf";
    /// Buffer that is received into.
    receive_buffer: "recvbuf";
    /// Count of what is sent.
    out_count: "sendcount" | "sendcounts" | "count" | "origin_count" | "recvcounts" | "recvcount";
    /// Datatype of what is sent.
    out_type: "sendtype" | "sendtypes" | "datatype" | "origin_datatype";
    /// Count of what is received.
    in_count: "recvcount" | "recvcounts" | "result_count" | "count" | "origin_count";
    /// Datatype of what is received.
    in_type: "recvtype" | "recvtypes" | "result_datatype" | "datatype" | "origin_datatype";
    /// Operation that elements are combined with.
    op: "op";
    /// Partitions of a partitioned message.
    partitions: "partitions";
    /// Root of a collective operation.
    root: "root";
    /// Where the request is or will be.
    request: "request" | "requests";
    /// Number of requests.
    length: "incount";
    /// Where the status or the statuses go.
    status: "status" | "statuses";
    /// Where the answer "is it complete" goes.
    flag: "flag";
    /// Where the index or the number of what is complete goes.
    index: "index" | "outcount";
    /// Where the indices of what is complete go.
    indices: "indices";
    /// Where the new communicator goes.
    made: "newcomm";
    /// Window, or where it is or will be.
    window: "win";
    /// File, or where it is or will be.
    file: "fh";
    /// Request passed by value.
    handle: "handle";
    /// Message that a probe has found, or where it is or will be.
    message: "message";
    /// Name or path.
    name: "name";
}

/// Position of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position(u8);

impl Position {
    const ABSENT: Self = Self(u8::MAX);

    /// Whether the function has this argument.
    #[inline(always)]
    pub(crate) const fn is_present(self) -> bool {
        self.0 != Self::ABSENT.0
    }

    /// Its index.
    #[inline(always)]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl MpiFunction {
    /// The function `name`, whose arguments have these names.
    pub(crate) const fn new(
        symbol: &'static CStr,
        (kind, act): (Kind, Act),
        wide: bool,
        names: &[&str],
    ) -> Self {
        let at = Arguments::named(names);
        Self {
            region: Region::new(symbol, kind),
            act,
            remembers: act.is_remembered() || at.message.is_present(),
            wide,
            at,
            operation: Operation::of(symbol),
        }
    }
}

impl Operation {
    /// The operation of this name.
    pub(crate) const fn named(name: &'static str) -> Self {
        Self { name, key: hash(name.as_bytes()) }
    }

    /// The operation behind `MPI_Iallreduce_c`: `Allreduce`.
    const fn of(symbol: &'static CStr) -> Self {
        let Ok(full) = symbol.to_str() else { panic!("names of MPI are ASCII") };
        let mut bytes = full.as_bytes().split_at(4).1;
        bytes = without_end(without_end(bytes, b"_c"), b"_init");
        let Ok(mut name) = core::str::from_utf8(bytes) else { panic!("names of MPI are ASCII") };
        let mut at = 0;
        while at < IMMEDIATE.len() {
            if same(IMMEDIATE[at].0, name) {
                name = IMMEDIATE[at].1;
            }
            at += 1;
        }
        Self::named(name)
    }
}

/// Non-blocking forms and their operations; the capital letter keeps this from being computed.
const IMMEDIATE: &[(&str, &str)] = &[
    ("Iallgather", "Allgather"),
    ("Iallgatherv", "Allgatherv"),
    ("Iallreduce", "Allreduce"),
    ("Ialltoall", "Alltoall"),
    ("Ialltoallv", "Alltoallv"),
    ("Ialltoallw", "Alltoallw"),
    ("Ibarrier", "Barrier"),
    ("Ibcast", "Bcast"),
    ("Iexscan", "Exscan"),
    ("Igather", "Gather"),
    ("Igatherv", "Gatherv"),
    ("Ineighbor_allgather", "Neighbor_allgather"),
    ("Ineighbor_allgatherv", "Neighbor_allgatherv"),
    ("Ineighbor_alltoall", "Neighbor_alltoall"),
    ("Ineighbor_alltoallv", "Neighbor_alltoallv"),
    ("Ineighbor_alltoallw", "Neighbor_alltoallw"),
    ("Ireduce", "Reduce"),
    ("Ireduce_scatter", "Reduce_scatter"),
    ("Ireduce_scatter_block", "Reduce_scatter_block"),
    ("Iscan", "Scan"),
    ("Iscatter", "Scatter"),
    ("Iscatterv", "Scatterv"),
    ("Comm_idup", "Comm_dup"),
    ("Comm_idup_with_info", "Comm_dup_with_info"),
];

const fn position(names: &[&str], wanted: &[&str]) -> Position {
    let mut want = 0;
    while want < wanted.len() {
        let mut at = 0;
        while at < names.len() {
            if same(names[at], wanted[want]) {
                return Position(at as u8);
            }
            at += 1;
        }
        want += 1;
    }
    Position::ABSENT
}

const fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if left[at] != right[at] {
            return false;
        }
        at += 1;
    }
    true
}

const fn without_end<'a>(bytes: &'a [u8], end: &[u8]) -> &'a [u8] {
    if bytes.len() < end.len() {
        return bytes;
    }
    let (start, rest) = bytes.split_at(bytes.len() - end.len());
    let mut at = 0;
    while at < end.len() {
        if rest[at] != end[at] {
            return bytes;
        }
        at += 1;
    }
    start
}

/// FNV-1a.
pub(crate) const fn hash(bytes: &[u8]) -> u64 {
    let mut value = 0xcbf2_9ce4_8422_2325_u64;
    let mut at = 0;
    while at < bytes.len() {
        value = (value ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    value
}
