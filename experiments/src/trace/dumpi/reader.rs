//! One rank, as what it called makes events of it.

use std::collections::BTreeMap;

use whyperf_extrapolate::{
    Bytes, Collective, CollectiveKind, CommId, Event, Expected, Rank, RegionId, RemoteAccess,
    RequestId, Sent, SimTime, Tag, TraceHead,
};

use super::call::Call;
use super::communicators::{RankCommunicators, is_derivation};
use super::data_types::DataTypes;

/// A rank while its calls go by.
pub(super) struct RankReader<'h> {
    head: &'h TraceHead,
    rank: Rank,
    region: RegionId,
    /// When the last call returned.
    last: Option<i64>,
    /// How often a call began or ended before what came before it.
    pub(super) clock_steps: u64,
    pub(super) out: Vec<(Event, SimTime)>,
    comms: RankCommunicators,
    windows: BTreeMap<i64, CommId>,
    types: DataTypes,
    /// Requests of the program: theirs of the trace, and the place of a receive whose match is not known.
    posted: BTreeMap<i64, (RequestId, Option<usize>)>,
    /// Messages of requests that are started later.
    prepared: BTreeMap<i64, Prepared>,
    free: Vec<RequestId>,
    next: u32,
}

/// What a request does each time it is started.
#[derive(Clone, Copy, Debug)]
enum Prepared {
    Send(Sent),
    Receive(Expected),
}

impl<'h> RankReader<'h> {
    /// A rank whose computing is of a region, with its communicators and its file, which may say how long types are.
    pub(super) fn new(
        (rank, region): (Rank, RegionId),
        head: &'h TraceHead,
        comms: RankCommunicators,
        text: &str,
    ) -> Self {
        Self {
            head,
            rank,
            region,
            last: None,
            clock_steps: 0,
            out: Vec::new(),
            comms,
            windows: BTreeMap::new(),
            types: DataTypes::of(text),
            posted: BTreeMap::new(),
            prepared: BTreeMap::new(),
            free: Vec::new(),
            next: 0,
        }
    }

    /// Takes in a call.
    pub(super) fn see(&mut self, call: &Call<'_>) -> Result<(), String> {
        self.pass(call.entered);
        let before = self.out.len();
        self.call(call)?;
        self.took(before, call.returned - call.entered);
        self.last = Some(call.returned);
        Ok(())
    }

    /// What is missing of the rank, in sentences.
    pub(super) fn missing(&self) -> Option<String> {
        let unknown = self.types.unknown;
        let what = "calls with types whose size is not known: an element of them counts as 8 bytes";
        (unknown > 0).then(|| format!("{} made {unknown} {what}", self.rank))
    }

    fn pass(&mut self, entered: i64) {
        self.clock_steps += u64::from(self.last.is_some_and(|last| last > entered));
        if let Some(last) = self.last.filter(|last| *last < entered) {
            let span = span(entered - last);
            self.out.push((Event::Compute { region: self.region, span }, span));
        }
    }

    fn took(&mut self, before: usize, nanos: i64) {
        self.clock_steps += u64::from(nanos < 0);
        let took = span(nanos.max(0));
        if self.out.len() == before {
            let nothing = Event::Compute { region: self.region, span: SimTime::ZERO };
            self.out.push((nothing, took));
        } else if let Some((_, last)) = self.out.last_mut() {
            *last = took;
        }
    }

    fn call(&mut self, call: &Call<'_>) -> Result<(), String> {
        match call.name {
            "MPI_Send" | "MPI_Bsend" | "MPI_Ssend" | "MPI_Rsend" => {
                if let Some(sent) = self.sent(call, SIMPLE_SEND)? {
                    self.emit(Event::Send(sent));
                }
            }
            "MPI_Isend" | "MPI_Ibsend" | "MPI_Issend" | "MPI_Irsend" => {
                if let Some(sent) = self.sent(call, SIMPLE_SEND)? {
                    self.start(call.number("request")?, Prepared::Send(sent));
                }
            }
            "MPI_Recv" => {
                if let Some(expected) = self.expected(call, "tag", call.status(0))? {
                    self.emit(Event::Recv(expected));
                }
            }
            "MPI_Irecv" => {
                if let Some(expected) = self.expected(call, "tag", None)? {
                    self.start(call.number("request")?, Prepared::Receive(expected));
                }
            }
            "MPI_Send_init" | "MPI_Bsend_init" | "MPI_Ssend_init" | "MPI_Rsend_init" => {
                let sent = self.sent(call, SIMPLE_SEND)?.map(Prepared::Send);
                self.prepare(call, sent)?;
            }
            "MPI_Recv_init" => {
                let expected = self.expected(call, "tag", None)?.map(Prepared::Receive);
                self.prepare(call, expected)?;
            }
            "MPI_Start" => self.start_prepared(call.number("request")?),
            "MPI_Startall" => {
                call.list("requests")?.into_iter().for_each(|one| self.start_prepared(one));
            }
            "MPI_Sendrecv" => {
                self.exchange(call, ("sendtag", "sendcount", "sendtype"))?;
            }
            "MPI_Sendrecv_replace" => self.exchange(call, ("sendtag", "count", "datatype"))?,
            name if name.starts_with("MPI_Wait") || name.starts_with("MPI_Test") => {
                self.completions(call)?;
            }
            name if name.starts_with("MPI_Type_") => self.types.make(call)?,
            name if is_derivation(name) => self.take_made(call)?,
            name if name.starts_with("MPI_Win_") || matches!(name, "MPI_Put" | "MPI_Get") => {
                self.window(call)?;
            }
            "MPI_Finalize" => self.emit(Event::Barrier(CommId::WORLD)),
            _ => self.collective(call)?,
        }
        Ok(())
    }

    fn prepare(&mut self, call: &Call<'_>, prepared: Option<Prepared>) -> Result<(), String> {
        let request = call.number("request")?;
        match prepared {
            Some(prepared) => self.prepared.insert(request, prepared),
            None => self.prepared.remove(&request),
        };
        Ok(())
    }

    fn start_prepared(&mut self, request: i64) {
        if let Some(prepared) = self.prepared.get(&request).copied() {
            self.start(request, prepared);
        }
    }

    fn start(&mut self, request: i64, what: Prepared) {
        let id = self.new_id();
        let place = match what {
            Prepared::Send(_) => None,
            Prepared::Receive(expected) => {
                let is_open = expected.from.is_none() || expected.tag.is_none();
                Some(self.out.len()).filter(|_| is_open)
            }
        };
        self.emit(match what {
            Prepared::Send(sent) => Event::Isend(sent, id),
            Prepared::Receive(expected) => Event::Irecv(expected, id),
        });
        self.posted.insert(request, (id, place));
    }

    /// The requests that a call says are complete, with their statuses.
    fn completions(&mut self, call: &Call<'_>) -> Result<(), String> {
        let is_done = || Ok::<bool, String>(call.number("flag")? != 0);
        let some = |indices: Vec<i64>| {
            let all = call.list("requests")?;
            let named = indices.into_iter().map(|at| usize::try_from(at).ok());
            Ok::<Vec<i64>, String>(named.filter_map(|at| all.get(at?).copied()).collect())
        };
        let done = match call.name {
            "MPI_Wait" => vec![call.number("request")?],
            "MPI_Test" if is_done()? => vec![call.number("request")?],
            "MPI_Waitall" => call.list("requests")?,
            "MPI_Testall" if is_done()? => call.list("requests")?,
            "MPI_Waitany" => some(vec![call.number("index")?])?,
            "MPI_Testany" if is_done()? => some(vec![call.number("index")?])?,
            "MPI_Waitsome" | "MPI_Testsome" => some(call.list("indices")?)?,
            _ => Vec::new(),
        };
        for (at, request) in done.into_iter().enumerate() {
            self.complete(request, call.status(at));
        }
        Ok(())
    }

    fn exchange(&mut self, call: &Call<'_>, sends: (&str, &str, &str)) -> Result<(), String> {
        let sent = self.sent(call, sends)?;
        let id = sent.map(|sent| {
            let id = self.new_id();
            self.emit(Event::Isend(sent, id));
            id
        });
        if let Some(expected) = self.expected(call, "recvtag", call.status(0))? {
            self.emit(Event::Recv(expected));
        }
        if let Some(id) = id {
            self.wait(id);
        }
        Ok(())
    }

    /// What the first pass found that a call makes.
    fn take_made(&mut self, call: &Call<'_>) -> Result<(), String> {
        let to = call.number("newcomm")?;
        let RankCommunicators { known, made } = &mut self.comms;
        let from = known.get(&call.number("oldcomm")?).copied();
        match made.pop_front().flatten() {
            Some(comm) => known.insert(to, comm),
            None => known.remove(&to),
        };
        if let Some(from) = from {
            self.emit(Event::Barrier(from));
        }
        Ok(())
    }

    fn window(&mut self, call: &Call<'_>) -> Result<(), String> {
        let comm = match call.name {
            "MPI_Win_create" => {
                let comm = self.comm(call)?;
                self.windows.insert(call.number("win")?, comm);
                comm
            }
            "MPI_Win_fence" | "MPI_Win_free" | "MPI_Put" | "MPI_Get" => {
                let known = self.windows.get(&call.number("win")?).copied();
                known.ok_or_else(|| "it is not known who made the window".to_owned())?
            }
            // Locks and groups are not simulated.
            _ => return Ok(()),
        };
        let event = match call.name {
            "MPI_Put" | "MPI_Get" => {
                let Some(owner) = self.peer(call.number("targetrank")?, comm)? else {
                    return Ok(());
                };
                let count = call.count("origincount")?;
                let access =
                    RemoteAccess { owner, bytes: self.types.bytes(count, call, "origintype")? };
                if call.name == "MPI_Put" { Event::Put(access) } else { Event::Get(access) }
            }
            _ => Event::Barrier(comm),
        };
        self.emit(event);
        Ok(())
    }

    fn collective(&mut self, call: &Call<'_>) -> Result<(), String> {
        use CollectiveKind as Kind;
        if call.name == "MPI_Barrier" {
            let comm = self.comm(call)?;
            self.emit(Event::Barrier(comm));
            return Ok(());
        }
        let (kind, counted, datatype) = match call.name {
            "MPI_Bcast" => (Kind::Broadcast, Counted::Each("count"), "datatype"),
            "MPI_Reduce" => (Kind::Reduce, Counted::Each("count"), "datatype"),
            "MPI_Allreduce" => (Kind::Allreduce, Counted::Each("count"), "datatype"),
            "MPI_Scan" | "MPI_Exscan" => (Kind::Scan, Counted::Each("count"), "datatype"),
            "MPI_Gather" | "MPI_Gatherv" => (Kind::Gather, Counted::Each("sendcount"), "sendtype"),
            "MPI_Scatter" | "MPI_Scatterv" => {
                (Kind::Scatter, Counted::Each("recvcount"), "recvtype")
            }
            "MPI_Allgather" => (Kind::Allgather, Counted::Each("sendcount"), "sendtype"),
            "MPI_Allgatherv" => (Kind::Allgather, Counted::Mean("recvcounts"), "recvtype"),
            "MPI_Alltoall" => (Kind::Alltoall, Counted::Each("sendcount"), "sendtype"),
            "MPI_Alltoallv" => (Kind::Alltoall, Counted::Mean("sendcounts"), "sendtype"),
            "MPI_Reduce_scatter" => (Kind::ReduceScatter, Counted::All("recvcounts"), "datatype"),
            "MPI_Alltoallw" => return Err("MPI_Alltoallw cannot be read yet".to_owned()),
            // What neither communicates nor waits; and what this does not know, which took its time.
            _ => return Ok(()),
        };
        let comm = self.comm(call)?;
        let count = match counted {
            Counted::Each(name) => call.count(name)?,
            Counted::Mean(name) => call.sum(name)? / (self.members(comm).len().max(1) as u64),
            Counted::All(name) => call.sum(name)?,
        };
        let bytes: Bytes = self.types.bytes(count, call, datatype)?;
        let root = match kind.has_root() {
            true => self.peer(call.number("root")?, comm)?.unwrap_or_default(),
            false => self.members(comm).first().copied().unwrap_or_default(),
        };
        self.emit(Event::Collective(Collective { kind, comm, root, bytes }));
        Ok(())
    }

    fn sent(
        &mut self,
        call: &Call<'_>,
        (tag, count, datatype): (&str, &str, &str),
    ) -> Result<Option<Sent>, String> {
        let comm = self.comm(call)?;
        let Some(to) = self.peer(call.number("dest")?, comm)? else { return Ok(None) };
        let tag =
            Tag(i32::try_from(call.number(tag)?).map_err(|_| "the tag is too large".to_owned())?);
        let bytes = self.types.bytes(call.count(count)?, call, datatype)?;
        Ok(Some(Sent { to, tag, comm, bytes }))
    }

    fn expected(
        &self,
        call: &Call<'_>,
        tag: &str,
        matched: Option<(i64, Tag)>,
    ) -> Result<Option<Expected>, String> {
        let comm = self.comm(call)?;
        let is_any = |name: &str| Ok::<bool, String>(call.text(name)?.contains("ANY"));
        let from = match (is_any("source")?, matched) {
            (true, None) => None,
            (true, Some((from, _))) => self.peer(from, comm)?,
            (false, _) => match self.peer(call.number("source")?, comm)? {
                Some(from) => Some(from),
                None => return Ok(None),
            },
        };
        let tag = match (is_any(tag)?, matched) {
            (true, None) => None,
            (true, Some((_, tag))) => Some(tag),
            (false, _) => i32::try_from(call.number(tag)?).ok().map(Tag),
        };
        Ok(Some(Expected { from, tag, comm }))
    }

    /// The communicator of a call.
    fn comm(&self, call: &Call<'_>) -> Result<CommId, String> {
        let known = self.comms.known.get(&call.number("comm")?).copied();
        known.ok_or_else(|| {
            let text = call.text("comm").unwrap_or_default().escape_debug();
            format!(
                "the members of the communicator '{text}' are not known: MPI_COMM_WORLD can be read, and what duplicates or splits it"
            )
        })
    }

    fn members(&self, comm: CommId) -> &'h [Rank] {
        self.head.communicators().get(comm.0 as usize).map_or(&[], |comm| comm.members())
    }

    /// The rank of a place; none where it is nobody.
    fn peer(&self, place: i64, comm: CommId) -> Result<Option<Rank>, String> {
        let Ok(place) = usize::try_from(place) else { return Ok(None) };
        let members = self.members(comm);
        let size = members.len();
        let found = members.get(place).copied().map(Some);
        found.ok_or_else(|| match comm {
            CommId::WORLD => {
                format!("there is no rank {place}: {size} files were given, one a rank")
            }
            _ => format!("there is no rank {place} in a communicator of {size}"),
        })
    }

    fn complete(&mut self, request: i64, matched: Option<(i64, Tag)>) {
        let Some((id, place)) = self.posted.remove(&request) else { return };
        if let (Some(place), Some((from, tag))) = (place, matched)
            && let Some((Event::Irecv(expected, _), _)) = self.out.get(place)
            && let Ok(Some(from)) = self.peer(from, expected.comm)
            && let Some((Event::Irecv(expected, _), _)) = self.out.get_mut(place)
        {
            (expected.from, expected.tag) = (Some(from), Some(tag));
        }
        self.wait(id);
    }

    fn wait(&mut self, id: RequestId) {
        self.emit(Event::Wait(id));
        self.free.push(id);
    }

    fn emit(&mut self, event: Event) {
        self.out.push((event, SimTime::ZERO));
    }

    fn new_id(&mut self) -> RequestId {
        self.free.pop().unwrap_or_else(|| {
            self.next += 1;
            RequestId(self.next - 1)
        })
    }
}

/// How many elements a rank contributes to one other, or to all: one number, or a list with one for each.
#[derive(Clone, Copy, Debug)]
enum Counted<'n> {
    Each(&'n str),
    Mean(&'n str),
    All(&'n str),
}

/// The tag, the count and the type of a call that sends.
const SIMPLE_SEND: (&str, &str, &str) = ("tag", "count", "datatype");

fn span(nanos: i64) -> SimTime {
    SimTime::nanos(nanos as f64)
}
