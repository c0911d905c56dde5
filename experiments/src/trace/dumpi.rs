//! Reads traces as `dumpi2ascii` prints them, one file a rank, and writes them as a trace.
//!
//! ```text
//!   MPI_Send entering at walltime 8153.0493, cputime 0.0044 seconds in thread 0.
//!   int count=500
//!   MPI_Datatype datatype=11 (MPI_DOUBLE)
//!   int dest=1
//!   int tag=7
//!   MPI_Comm comm=2 (MPI_COMM_WORLD)
//!   MPI_Send returning at walltime 8153.0494, cputime 0.0045 seconds in thread 0.
//! ```
//! The time between calls is computing. DUMPI does not say who the members of a communicator are, nor what a wildcard of a request matched where
//! the program took no status: messages of other communicators than the world are refused, and such wildcards stay open.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use whyperf_extrapolate::{
    Bytes, Collective, CollectiveKind, CommId, Event, Expected, Rank, RegionId, RequestId, Sent,
    SimTime, Tag, TraceHead,
};

use super::{MEASURED, MISSING, TextTraceError, TraceAbout, TraceWriter, clock_steps};

/// Reads the files, of one rank each in the order of their names, and writes the trace.
///
/// # Errors
/// The first line that cannot be understood, or that the trace cannot be written.
pub fn import_dumpi(files: &[PathBuf], name: &str, to: &Path) -> Result<(), TextTraceError> {
    let ranks = u32::try_from(files.len()).unwrap_or(u32::MAX);
    let mut head = TraceHead::new(ranks);
    let region = head.name_region("main");
    let mut writer = TraceWriter::create(to, ranks)?;
    let mut facts = vec![(MEASURED.to_owned(), "yes".to_owned())];
    for (rank, path) in (0..).zip(files) {
        let file = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| TextTraceError::Archive {
            file: file.clone(),
            what: error.to_string(),
        })?;
        let mut reader = RankReader {
            ranks,
            region,
            last: None,
            clock_steps: 0,
            out: Vec::new(),
            posted: BTreeMap::new(),
            free: Vec::new(),
            next: 0,
        };
        reader.read(&text).map_err(|(line, what)| TextTraceError::Line { file, line, what })?;
        let steps = clock_steps(Rank(rank), reader.clock_steps);
        facts.extend(steps.map(|what| (MISSING.to_owned(), what)));
        for (event, took) in reader.out {
            writer.measured(Rank(rank), event, took)?;
        }
    }
    Ok(writer.finish(TraceAbout { name: name.to_owned(), facts }, &head)?)
}

/// A call while its lines are read.
#[derive(Debug, Default)]
struct Call<'t> {
    name: &'t str,
    entered: f64,
    arguments: Vec<(&'t str, &'t str)>,
    /// Lines of statuses.
    statuses: Vec<&'t str>,
}

impl Call<'_> {
    fn text(&self, name: &str) -> Result<&str, String> {
        let found = self.arguments.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value).ok_or_else(|| format!("{} has no '{name}'", self.name))
    }

    /// The number at the beginning of an argument, as in `11 (MPI_DOUBLE)`.
    fn number(&self, name: &str) -> Result<i64, String> {
        let text = self.text(name)?;
        let number = text.split([' ', ',', ']']).next().unwrap_or_default();
        number.parse().map_err(|_| format!("'{}' is no number for '{name}'", text.escape_debug()))
    }

    fn bytes(&self, count: &str, datatype: &str) -> Result<Bytes, String> {
        let count =
            u64::try_from(self.number(count)?).map_err(|_| format!("'{count}' is negative"))?;
        Ok(Bytes(count * size_of_type(self.text(datatype)?)))
    }

    /// The world; other communicators have members that are not said.
    fn comm(&self) -> Result<CommId, String> {
        let text = self.text("comm")?;
        if text.contains("MPI_COMM_WORLD") || text.contains("DUMPI_COMM_WORLD") {
            return Ok(CommId::WORLD);
        }
        Err(format!(
            "the members of the communicator '{}' are not known: only MPI_COMM_WORLD can be read",
            text.escape_debug()
        ))
    }

    /// A list such as `requests=[2]{3, 4}`, or one number.
    fn list(&self, name: &str) -> Result<Vec<i64>, String> {
        let text = self.text(name)?;
        let inside = text
            .split_once('{')
            .map_or(text, |(_, rest)| rest.split('}').next().unwrap_or_default());
        let numbers =
            inside.split(',').map(|word| word.trim().split(' ').next().unwrap_or_default());
        let parsed = numbers.filter(|word| !word.is_empty()).map(str::parse);
        parsed
            .collect::<Result<_, _>>()
            .map_err(|_| format!("'{}' is no list of numbers", text.escape_debug()))
    }

    /// Source and tag of a status.
    fn status(&self, at: usize) -> Option<(Rank, Tag)> {
        let field = |name: &str| -> Option<i64> {
            let (_, rest) = self.statuses.get(at)?.split_once(&format!("{name}="))?;
            rest.split([',', '}', ' ']).next()?.parse().ok()
        };
        let source = u32::try_from(field("source")?).ok()?;
        Some((Rank(source), Tag(i32::try_from(field("tag")?).ok()?)))
    }
}

struct RankReader {
    ranks: u32,
    region: RegionId,
    /// When the last call returned.
    last: Option<f64>,
    /// How often a call began or ended before what came before it.
    clock_steps: u64,
    out: Vec<(Event, SimTime)>,
    /// Requests of the program: theirs of the trace, and the place of a receive whose match is not known.
    posted: BTreeMap<i64, (RequestId, Option<usize>)>,
    free: Vec<RequestId>,
    next: u32,
}

type LineFault = (usize, String);

impl RankReader {
    fn read(&mut self, text: &str) -> Result<(), LineFault> {
        let mut open: Option<Call<'_>> = None;
        let mut lines = 0;
        for (number, line) in (1..).zip(text.lines()) {
            lines = number;
            let at = |what: String| (number, what);
            let line = line.trim();
            if let Some((name, rest)) = line.split_once(" entering at walltime ") {
                let entered = seconds(rest).map_err(at)?;
                open = Some(Call { name, entered, ..Call::default() });
            } else if let Some((name, rest)) = line.split_once(" returning at walltime ") {
                let Some(call) = open.take().filter(|call| call.name == name) else {
                    return Err(at(format!(
                        "{} returns, and was not entered",
                        name.escape_debug()
                    )));
                };
                let returned = seconds(rest).map_err(at)?;
                self.pass(call.entered);
                let before = self.out.len();
                self.call(&call).map_err(at)?;
                self.took(before, returned - call.entered);
                self.last = Some(returned);
            } else if let Some(call) = &mut open {
                if line.contains("source=") && line.contains("tag=") {
                    call.statuses.push(line);
                } else if let Some((left, value)) = line.split_once('=') {
                    let name = left.rsplit([' ', '*']).next().unwrap_or(left);
                    let name = name.split('[').next().unwrap_or(name);
                    call.arguments.push((name, value));
                }
            }
        }
        match open {
            Some(call) => {
                Err((lines, format!("the file ends inside of {}", call.name.escape_debug())))
            }
            None => Ok(()),
        }
    }

    fn pass(&mut self, entered: f64) {
        self.clock_steps += u64::from(self.last.is_some_and(|last| last > entered));
        if let Some(last) = self.last.filter(|last| *last < entered) {
            let span = SimTime::nanos((entered - last) * 1e9);
            self.out.push((Event::Compute { region: self.region, span }, span));
        }
    }

    fn took(&mut self, before: usize, seconds: f64) {
        self.clock_steps += u64::from(seconds < 0.0);
        let took = SimTime::nanos(seconds.max(0.0) * 1e9);
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
                if let Some(sent) = self.sent(call, ("dest", "tag"), ("count", "datatype"))? {
                    self.emit(Event::Send(sent));
                }
            }
            "MPI_Isend" | "MPI_Ibsend" | "MPI_Issend" | "MPI_Irsend" => {
                if let Some(sent) = self.sent(call, ("dest", "tag"), ("count", "datatype"))? {
                    let id = self.new_id();
                    self.emit(Event::Isend(sent, id));
                    self.posted.insert(call.number("request")?, (id, None));
                }
            }
            "MPI_Recv" => {
                if let Some(expected) = self.expected(call, ("source", "tag"), call.status(0))? {
                    self.emit(Event::Recv(expected));
                }
            }
            "MPI_Irecv" => {
                if let Some(expected) = self.expected(call, ("source", "tag"), None)? {
                    let id = self.new_id();
                    let is_open = expected.from.is_none() || expected.tag.is_none();
                    let place = Some(self.out.len()).filter(|_| is_open);
                    self.emit(Event::Irecv(expected, id));
                    self.posted.insert(call.number("request")?, (id, place));
                }
            }
            "MPI_Sendrecv" => self.exchange(call)?,
            "MPI_Wait" => self.complete(call.number("request")?, call.status(0)),
            "MPI_Waitall" => {
                for (at, request) in call.list("requests")?.into_iter().enumerate() {
                    self.complete(request, call.status(at));
                }
            }
            "MPI_Waitany" => {
                let (requests, index) = (call.list("requests")?, call.number("index")?);
                let done = usize::try_from(index).ok().and_then(|index| requests.get(index));
                if let Some(request) = done {
                    self.complete(*request, call.status(0));
                }
            }
            "MPI_Test" if call.number("flag")? != 0 => {
                self.complete(call.number("request")?, call.status(0));
            }
            "MPI_Waitsome" | "MPI_Testall" | "MPI_Testany" | "MPI_Testsome" | "MPI_Put"
            | "MPI_Get" => {
                return Err(format!("{} cannot be read yet", call.name));
            }
            "MPI_Barrier" => {
                let comm = call.comm()?;
                self.emit(Event::Barrier(comm));
            }
            "MPI_Finalize" => self.emit(Event::Barrier(CommId::WORLD)),
            name => self.collective(name, call)?,
        }
        Ok(())
    }

    fn exchange(&mut self, call: &Call<'_>) -> Result<(), String> {
        let sent = self.sent(call, ("dest", "sendtag"), ("sendcount", "sendtype"))?;
        let id = sent.map(|sent| {
            let id = self.new_id();
            self.emit(Event::Isend(sent, id));
            id
        });
        if let Some(expected) = self.expected(call, ("source", "recvtag"), call.status(0))? {
            self.emit(Event::Recv(expected));
        }
        if let Some(id) = id {
            self.wait(id);
        }
        Ok(())
    }

    fn collective(&mut self, name: &str, call: &Call<'_>) -> Result<(), String> {
        let (kind, count, datatype) = match name {
            "MPI_Bcast" => (CollectiveKind::Broadcast, "count", "datatype"),
            "MPI_Reduce" => (CollectiveKind::Reduce, "count", "datatype"),
            "MPI_Allreduce" => (CollectiveKind::Allreduce, "count", "datatype"),
            "MPI_Scan" => (CollectiveKind::Scan, "count", "datatype"),
            "MPI_Gather" => (CollectiveKind::Gather, "sendcount", "sendtype"),
            "MPI_Scatter" => (CollectiveKind::Scatter, "recvcount", "recvtype"),
            "MPI_Allgather" => (CollectiveKind::Allgather, "sendcount", "sendtype"),
            "MPI_Alltoall" => (CollectiveKind::Alltoall, "sendcount", "sendtype"),
            // What neither communicates nor waits; and what this does not know, which took its time.
            _ => return Ok(()),
        };
        let (comm, bytes) = (call.comm()?, call.bytes(count, datatype)?);
        let root = call.number("root").unwrap_or(0);
        let root = u32::try_from(root).ok().filter(|root| *root < self.ranks);
        let root = Rank(
            root.ok_or_else(|| format!("there is no rank {}", call.number("root").unwrap_or(0)))?,
        );
        self.emit(Event::Collective(Collective { kind, comm, root, bytes }));
        Ok(())
    }

    fn sent(
        &self,
        call: &Call<'_>,
        (dest, tag): (&str, &str),
        (count, datatype): (&str, &str),
    ) -> Result<Option<Sent>, String> {
        let Some(to) = self.peer(call.number(dest)?)? else { return Ok(None) };
        let tag =
            Tag(i32::try_from(call.number(tag)?).map_err(|_| "the tag is too large".to_owned())?);
        Ok(Some(Sent { to, tag, comm: call.comm()?, bytes: call.bytes(count, datatype)? }))
    }

    fn expected(
        &self,
        call: &Call<'_>,
        (source, tag): (&str, &str),
        matched: Option<(Rank, Tag)>,
    ) -> Result<Option<Expected>, String> {
        let comm = call.comm()?;
        let is_any = |name: &str| Ok::<bool, String>(call.text(name)?.contains("ANY"));
        let from = match (is_any(source)?, matched) {
            (true, None) => None,
            (true, Some((from, _))) => Some(from),
            (false, _) => match self.peer(call.number(source)?)? {
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

    /// A rank; none where it is nobody.
    fn peer(&self, number: i64) -> Result<Option<Rank>, String> {
        match u32::try_from(number) {
            Ok(rank) if rank < self.ranks => Ok(Some(Rank(rank))),
            Err(_) => Ok(None),
            Ok(rank) => {
                Err(format!("there is no rank {rank}: {} files were given, one a rank", self.ranks))
            }
        }
    }

    fn complete(&mut self, request: i64, matched: Option<(Rank, Tag)>) {
        let Some((id, place)) = self.posted.remove(&request) else { return };
        if let (Some(place), Some((from, tag))) = (place, matched)
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

/// The number before the comma.
fn seconds(text: &str) -> Result<f64, String> {
    let number = text.split([',', ' ']).next().unwrap_or_default();
    let time = number.parse::<f64>().ok().filter(|time| time.is_finite());
    time.ok_or_else(|| format!("'{}' is no time in seconds", number.escape_debug()))
}

/// Bytes of one element of a type, by its name; eight where that says nothing.
fn size_of_type(text: &str) -> u64 {
    let name = text.split_once('(').map_or(text, |(_, name)| name.trim_end_matches(')'));
    match name.trim_start_matches("MPI_") {
        "CHAR" | "SIGNED_CHAR" | "UNSIGNED_CHAR" | "BYTE" | "PACKED" | "CHARACTER" | "INT8_T"
        | "UINT8_T" => 1,
        "SHORT" | "UNSIGNED_SHORT" | "INT16_T" | "UINT16_T" => 2,
        "INT" | "UNSIGNED" | "FLOAT" | "INTEGER" | "REAL" | "LOGICAL" | "WCHAR" | "INT32_T"
        | "UINT32_T" => 4,
        "LONG_DOUBLE" | "DOUBLE_COMPLEX" | "DOUBLE_INT" => 16,
        _ => 8,
    }
}
