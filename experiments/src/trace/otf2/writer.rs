//! Writes a trace as an archive of OTF2.
//!
//! Each rank is a process with one location. A visit of a region inside `main` has its computing and the calls that belong to it; a call is a visit of
//! the function of the MPI that it is like. Messages stand in these with their ranks in the communicator. Time that is neither is a visit of an
//! artificial region of the name of its region: of `main` before the rank began, of `MPI_Init`, or of a lock that was waited for.

use std::fs;
use std::path::Path;

use whyperf_extrapolate::{
    Collective, CollectiveKind, CommId, Event, Expected, Rank, RegionId, RequestId, Sent, SimTime,
    Tag, TraceHead,
};

use super::buffer::{Chunks, DEFINITION_CHUNK, EVENT_CHUNK, Members};
use super::kinds::{
    ANCHOR_FORMAT, ANCHOR_MAGIC, BARRIER, CLOCK, COLLECTIVE_BEGIN, COLLECTIVE_END, COMM,
    END_OF_FILE, ENTER, GROUP, GROUP_LOCATIONS, GROUP_RANKS, IRECV, IRECV_REQUEST, ISEND,
    ISEND_COMPLETE, LEAVE, LOCATION, LOCATION_GROUP, OLD_GROUP_LOCATIONS, OLD_GROUP_RANKS,
    PARADIGM, PARADIGM_MEASUREMENT, PARADIGM_MPI, PARADIGM_USER, RECV, REGION, RMA_GET, RMA_PUT,
    RMA_WIN, ROLE_ARTIFICIAL, ROLE_FUNCTION, SEND, STRING, SYSTEM_TREE_NODE, TRACE_FORMAT,
    UNDEFINED, VERSION, operation,
};
use super::volume::{Member, Volume};
use crate::trace::{TimedEvent, TraceError, TraceFile};

/// Writes a trace as `<folder>/<name>.otf2` and what belongs to it.
///
/// # Errors
/// When a file cannot be written, or the trace is damaged.
pub fn export_otf2(trace: &TraceFile, folder: &Path, name: &str) -> Result<(), TraceError> {
    let events = folder.join(name);
    let written = |path: &Path, bytes: Vec<u8>| {
        let failed = |source| TraceError::File { path: path.to_owned(), doing: "write", source };
        fs::write(path, bytes).map_err(failed)
    };
    fs::create_dir_all(&events).map_err(|source| TraceError::File {
        path: events.clone(),
        doing: "make",
        source,
    })?;
    let (mut counts, mut longest) = (Vec::new(), 0);
    for rank in trace.head().all_ranks() {
        let mut location = RankWriter::new(trace.head(), rank);
        for timed in trace.timeline(rank) {
            location.event(&timed);
        }
        trace.sound()?;
        location.leave_main();
        longest = longest.max(location.last);
        counts.push(location.chunks.events());
        written(&events.join(format!("{}.evt", rank.0)), location.chunks.finish())?;
        let local = Chunks::new(DEFINITION_CHUNK);
        written(&events.join(format!("{}.def", rank.0)), local.finish())?;
    }
    let (definitions, count) = definitions(trace, &counts, longest);
    written(&folder.join(format!("{name}.def")), definitions)?;
    written(&folder.join(format!("{name}.otf2")), anchor(counts.len() as u64, count))
}

/// Functions of the MPI that events are like, in the order of their regions.
const CALLS: [&str; 17] = [
    "MPI_Send",
    "MPI_Isend",
    "MPI_Recv",
    "MPI_Irecv",
    "MPI_Wait",
    "MPI_Barrier",
    "MPI_Get",
    "MPI_Put",
    "MPI_Bcast",
    "MPI_Reduce",
    "MPI_Allreduce",
    "MPI_Gather",
    "MPI_Scatter",
    "MPI_Allgather",
    "MPI_Alltoall",
    "MPI_Reduce_scatter",
    "MPI_Scan",
];

fn call_of(event: &Event) -> usize {
    match event {
        Event::Compute { .. } | Event::Send(_) => 0,
        Event::Isend(..) => 1,
        Event::Recv(_) => 2,
        Event::Irecv(..) => 3,
        Event::Wait(_) => 4,
        Event::Barrier(_) => 5,
        Event::Get(_) => 6,
        Event::Put(_) => 7,
        Event::Collective(one) => {
            8 + CollectiveKind::ALL.iter().position(|kind| *kind == one.kind).unwrap_or(0)
        }
    }
}

/// The events of one rank while they are written.
struct RankWriter<'t> {
    head: &'t TraceHead,
    rank: Rank,
    chunks: Chunks,
    last: u64,
    /// The region that calls belong to, and whether nothing but computing came since it began.
    region: Option<RegionId>,
    has_computed: bool,
    /// The region that is visited.
    visited: Option<RegionId>,
    /// Requests that are open: of the trace, of the archive, and what was expected or sent.
    open: Vec<(RequestId, u64, Option<Expected>)>,
    requests: u64,
}

impl<'t> RankWriter<'t> {
    fn new(head: &'t TraceHead, rank: Rank) -> Self {
        let mut chunks = Chunks::new(EVENT_CHUNK);
        chunks.event(0, ENTER, Members::default().short(main(head)), false);
        Self {
            head,
            rank,
            chunks,
            last: 0,
            region: None,
            has_computed: false,
            visited: None,
            open: Vec::new(),
            requests: 0,
        }
    }

    fn event(&mut self, timed: &TimedEvent) {
        let (begin, end) = (ticks(timed.begin), ticks(timed.end));
        self.last = end;
        if let Event::Compute { region, span } = timed.event {
            let computed = ticks(timed.begin + span).clamp(begin, end);
            self.region = Some(region);
            if computed > begin {
                // Two stretches of computing are two visits where no call is between them.
                if self.has_computed {
                    self.leave_region(begin);
                }
                self.be_in_region(begin);
                self.has_computed = true;
            }
            if end > computed {
                self.leave_region(computed);
                self.visit(artificial(self.head, region), ENTER, computed);
                self.visit(artificial(self.head, region), LEAVE, end);
            }
            return;
        }
        self.be_in_region(begin);
        self.has_computed = false;
        let call = first_call(self.head) + call_of(&timed.event) as u32;
        self.visit(call, ENTER, begin);
        self.inside(&timed.event, begin, end);
        self.visit(call, LEAVE, end);
    }

    /// The region of what comes now is visited.
    fn be_in_region(&mut self, time: u64) {
        if self.visited != self.region {
            self.leave_region(time);
            if let Some(region) = self.region {
                self.visit(region.0, ENTER, time);
            }
            self.visited = self.region;
        }
    }

    fn leave_region(&mut self, time: u64) {
        if let Some(region) = self.visited.take() {
            self.visit(region.0, LEAVE, time);
        }
        self.has_computed = false;
    }

    fn visit(&mut self, region: u32, what: u8, time: u64) {
        self.chunks.event(time, what, Members::default().short(region), false);
    }

    fn inside(&mut self, event: &Event, begin: u64, end: u64) {
        match event {
            Event::Compute { .. } => {}
            Event::Send(sent) => {
                let members = self.sent(sent);
                self.chunks.event(begin, SEND, members, true);
            }
            Event::Isend(sent, request) => {
                let number = self.begin_request(*request, None);
                let members = self.sent(sent).long(number);
                self.chunks.event(begin, ISEND, members, true);
            }
            Event::Recv(expected) => {
                let members = self.received(expected);
                self.chunks.event(end, RECV, members, true);
            }
            Event::Irecv(expected, request) => {
                let number = self.begin_request(*request, Some(*expected));
                self.chunks.event(begin, IRECV_REQUEST, Members::default().long(number), false);
            }
            Event::Wait(request) => self.wait(*request, end),
            Event::Barrier(comm) => {
                let nothing = Volume { sent: 0, received: 0 };
                self.collective((BARRIER, *comm, UNDEFINED, nothing), (begin, end));
            }
            Event::Collective(one) => {
                let has_root = one.kind.has_root();
                let root = if has_root { self.place(one.comm, one.root) } else { UNDEFINED };
                let volume = Volume::of(one.kind, one.bytes.0, self.member(one));
                self.collective((operation(one.kind), one.comm, root, volume), (begin, end));
            }
            Event::Get(access) | Event::Put(access) => {
                self.requests += 1;
                let what = if matches!(event, Event::Get(_)) { RMA_GET } else { RMA_PUT };
                let members = Members::default().short(0).short(access.owner.0);
                let members = members.long(access.bytes.0).long(self.requests);
                self.chunks.event(begin, what, members, true);
            }
        }
    }

    fn begin_request(&mut self, request: RequestId, expected: Option<Expected>) -> u64 {
        self.requests += 1;
        self.open.push((request, self.requests, expected));
        self.requests
    }

    fn wait(&mut self, request: RequestId, end: u64) {
        let Some(at) = self.open.iter().position(|(open, ..)| *open == request) else { return };
        let (_, number, expected) = self.open.remove(at);
        match expected {
            None => {
                self.chunks.event(end, ISEND_COMPLETE, Members::default().long(number), false);
            }
            Some(expected) => {
                let members = self.received(&expected).long(number);
                self.chunks.event(end, IRECV, members, true);
            }
        }
    }

    fn collective(
        &mut self,
        (what, comm, root, volume): (u8, CommId, u32, Volume),
        (begin, end): (u64, u64),
    ) {
        self.chunks.event(begin, COLLECTIVE_BEGIN, Members::default(), true);
        let members = Members::default().byte(what).short(comm.0).short(root);
        let members = members.long(volume.sent).long(volume.received);
        self.chunks.event(end, COLLECTIVE_END, members, true);
    }

    /// This rank in a collective call.
    fn member(&self, one: &Collective) -> Member {
        let comm = self.head.communicators().get(one.comm.0 as usize);
        Member {
            place: u64::from(self.place(one.comm, self.rank)),
            size: comm.map_or(1, |comm| comm.members().len() as u64),
            is_root: one.root == self.rank,
        }
    }

    fn sent(&self, sent: &Sent) -> Members {
        let members = Members::default().short(self.place(sent.comm, sent.to)).short(sent.comm.0);
        members.short(sent.tag.0.cast_unsigned()).long(sent.bytes.0)
    }

    /// A trace does not say how long a message is where it is received: that stands where it is sent.
    fn received(&self, expected: &Expected) -> Members {
        let from = expected.from.map_or(UNDEFINED, |from| self.place(expected.comm, from));
        let tag = expected.tag.unwrap_or(Tag(-1)).0.cast_unsigned();
        Members::default().short(from).short(expected.comm.0).short(tag).long(0)
    }

    fn place(&self, comm: CommId, rank: Rank) -> u32 {
        let members = self.head.communicators().get(comm.0 as usize).map(|one| one.members());
        let place = members.and_then(|all| all.iter().position(|member| *member == rank));
        place.and_then(|place| u32::try_from(place).ok()).unwrap_or(rank.0)
    }

    fn leave_main(&mut self) {
        self.leave_region(self.last);
        self.visit(main(self.head), LEAVE, self.last);
    }
}

/// Nanoseconds.
fn ticks(time: SimTime) -> u64 {
    time.as_nanos().round() as u64
}

fn first_call(head: &TraceHead) -> u32 {
    head.regions().len() as u32
}

/// The region that everything is in.
fn main(head: &TraceHead) -> u32 {
    first_call(head) + CALLS.len() as u32
}

/// The region of time of a region in which nothing was computed.
fn artificial(head: &TraceHead, region: RegionId) -> u32 {
    main(head) + 1 + region.0
}

/// The global definitions, and how many they are.
fn definitions(trace: &TraceFile, counts: &[u64], longest: u64) -> (Vec<u8>, u64) {
    let head = trace.head();
    let mut all = Definitions { chunks: Chunks::new(DEFINITION_CHUNK), count: 0, strings: 0 };
    let nothing = all.text("");
    let clock = Members::default().long(1_000_000_000).long(0).long(longest + 1).long(u64::MAX);
    all.put(CLOCK, clock);
    let mpi = all.text("MPI");
    all.put(PARADIGM, Members::default().byte(PARADIGM_MPI).short(mpi).byte(0));
    let machine = [all.text("machine"), all.text("machine")];
    let node = Members::default().short(0).short(machine[0]).short(machine[1]).short(UNDEFINED);
    all.put(SYSTEM_TREE_NODE, node);
    for (rank, count) in (0_u32..).zip(counts) {
        let name = all.text(&format!("MPI Rank {rank}"));
        let group = Members::default().short(rank).short(name).byte(1).short(0).short(UNDEFINED);
        all.put(LOCATION_GROUP, group);
        let thread = all.text("Master thread");
        let location = Members::default().long(u64::from(rank)).short(thread).byte(1);
        all.put(LOCATION, location.long(*count).short(rank));
    }
    let names = head.regions().iter().map(String::as_str).chain(CALLS).chain(["main"]);
    for (number, name) in (0_u32..).zip(names) {
        let is_call = (first_call(head)..main(head)).contains(&number);
        let paradigm = if is_call { PARADIGM_MPI } else { PARADIGM_USER };
        all.region(number, name, (ROLE_FUNCTION, paradigm), nothing);
    }
    for (number, name) in (0_u32..).zip(head.regions()) {
        let kind = (ROLE_ARTIFICIAL, PARADIGM_MEASUREMENT);
        all.region(artificial(head, RegionId(number)), name, kind, nothing);
    }
    let ranks: Vec<u64> = (0..counts.len() as u64).collect();
    all.group(0, (OLD_GROUP_LOCATIONS, GROUP_LOCATIONS), &ranks, nothing);
    for (number, comm) in (0_u32..).zip(head.communicators()) {
        let members: Vec<u64> = comm.members().iter().map(|rank| u64::from(rank.0)).collect();
        all.group(number + 1, (OLD_GROUP_RANKS, GROUP_RANKS), &members, nothing);
        let name = if number == 0 {
            "MPI_COMM_WORLD".to_owned()
        } else {
            format!("communicator {number}")
        };
        let name = all.text(&name);
        let parent = if number == 0 { UNDEFINED } else { 0 };
        let comm = Members::default().short(number).short(name).short(number + 1).short(parent);
        all.put(COMM, comm.short(0));
    }
    let window = all.text("window");
    all.put(RMA_WIN, Members::default().short(0).short(window).short(0).short(0));
    let count = all.count;
    (all.chunks.finish(), count)
}

struct Definitions {
    chunks: Chunks,
    count: u64,
    strings: u32,
}

impl Definitions {
    fn put(&mut self, what: u8, members: Members) {
        self.chunks.definition(what, members);
        self.count += 1;
    }

    fn text(&mut self, text: &str) -> u32 {
        let number = self.strings;
        self.strings += 1;
        self.put(STRING, Members::default().short(number).text(text));
        number
    }

    fn region(&mut self, number: u32, name: &str, (role, paradigm): (u8, u8), nothing: u32) {
        let name = self.text(name);
        // The old type of a region is left unknown, as it is for what came after it.
        let region = Members::default().short(number).short(name).short(nothing).byte(0);
        let region = region.short(UNDEFINED).short(0).short(0).short(name);
        self.put(REGION, region.byte(role).byte(paradigm).short(0));
    }

    fn group(&mut self, number: u32, (old, new): (u8, u8), members: &[u64], name: u32) {
        let group = Members::default().short(number).short(name).byte(old);
        let group =
            members.iter().fold(group.short(members.len() as u32), |all, one| all.long(*one));
        self.put(GROUP, group.byte(new).byte(PARADIGM_MPI).short(0));
    }
}

fn anchor(locations: u64, definitions: u64) -> Vec<u8> {
    let mut bytes = vec![super::kinds::CHUNK_HEADER, super::kinds::LITTLE_ENDIAN];
    bytes.extend(ANCHOR_MAGIC);
    bytes.push(ANCHOR_FORMAT);
    bytes.push(TRACE_FORMAT);
    bytes.extend(VERSION);
    bytes.extend((EVENT_CHUNK as u64).to_le_bytes());
    bytes.extend((DEFINITION_CHUNK as u64).to_le_bytes());
    // Files of the system, not compressed.
    bytes.extend([1, 1]);
    bytes.extend(locations.to_le_bytes());
    bytes.extend(definitions.to_le_bytes());
    for text in ["\0", concat!("whyperf ", env!("CARGO_PKG_VERSION"), "\0"), "\0"] {
        bytes.extend(text.as_bytes());
    }
    // No properties, no identifier, no snapshots, no thumbnails.
    bytes.extend([0; 4 + 8 + 4 + 4]);
    bytes.push(END_OF_FILE);
    bytes
}
