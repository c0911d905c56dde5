//! Reads an archive of OTF2 and writes it as a trace.
//!
//! Each location that is a rank of the MPI is a rank of the trace; without an MPI, each thread. Time in a function of the MPI is no computing, nor is
//! time in an artificial region, in which whoever measured has put what is not the program's: before a rank began, or while nothing was recorded.
//! All other time is computing of the innermost region, and a call belongs to the innermost one around it. A receive stands where it was posted, and
//! names what it matched.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use whyperf_extrapolate::{
    Bytes as Size, Collective, CommId, Event, Expected, Rank, RegionId, RemoteAccess, RequestId,
    Sent, SimTime, Tag, TraceHead,
};

use super::buffer::Bytes;
use super::kinds::{
    ANCHOR_MAGIC, ATTRIBUTES, BARRIER, CHUNK_HEADER, CLOCK, COLLECTIVE_END, COMM, END_OF_CHUNK,
    END_OF_FILE, ENTER, GROUP, GROUP_LOCATIONS, HEADER_SIZE, IRECV, IRECV_REQUEST, ISEND,
    ISEND_COMPLETE, LEAVE, LITTLE_ENDIAN, LOCATION, MAPPING_TABLE, MAPS_COMMUNICATORS,
    MAPS_REGIONS, PARADIGM_MPI, RECV, REGION, REQUEST_CANCELLED, REQUEST_TEST, RMA_GET, RMA_PUT,
    ROLE_ARTIFICIAL, SEND, STRING, TIMESTAMP, UNDEFINED,
};
use super::volume::{Member, Volume};
use crate::trace::{MEASURED, MISSING, TextTraceError, TraceAbout, TraceWriter, clock_steps};

/// Reads the archive of this anchor, and writes its trace.
///
/// # Errors
/// What cannot be read, or makes no sense, with its file; or that the trace cannot be written.
pub fn import_otf2(anchor: &Path, to: &Path) -> Result<(), TextTraceError> {
    let bytes = read(anchor)?;
    let chunks = chunk_sizes(&bytes).ok_or_else(|| {
        bad(anchor, "this is no anchor of an OTF2 archive of little-endian files")
    })?;
    let file = anchor.with_extension("def");
    let definitions = Definitions::read(&read(&file)?, chunks.definitions)
        .ok_or_else(|| bad(&file, "the definitions are damaged"))?;
    let ranks = definitions.ranks();
    let count = u32::try_from(ranks.len()).unwrap_or(u32::MAX);
    if count == 0 {
        return Err(bad(&file, "there is no location with events"));
    }
    let mut head = TraceHead::new(count);
    let regions = definitions.name_regions(&mut head);
    let comms = definitions.communicators(&ranks, &mut head);
    let mut writer = TraceWriter::create(to, count)?;
    let folder = anchor.with_extension("");
    let mut missing = Vec::new();
    for (rank, location) in (0..).zip(&ranks) {
        let local = folder.join(format!("{location}.def"));
        let maps = match fs::read(&local) {
            Ok(bytes) => Maps::read(&bytes, chunks.definitions)
                .ok_or_else(|| bad(&local, "the mapping tables are damaged"))?,
            Err(_) => Maps::default(),
        };
        let path = folder.join(format!("{location}.evt"));
        let mut events = LocationReader {
            definitions: &definitions,
            regions: &regions,
            comms: &comms,
            head: &head,
            maps: &maps,
            rank: Rank(rank),
            path: path.clone(),
            stack: Vec::new(),
            now: None,
            out: VecDeque::new(),
            receives: BTreeMap::new(),
            requests: BTreeMap::new(),
            free: Vec::new(),
            next: 0,
            begun: 0,
            clock_steps: 0,
            call_began: 0,
            told: None,
        };
        events.read(&read(&path)?, chunks.events)?;
        let steps = clock_steps(Rank(rank), events.clock_steps);
        missing.extend(steps.map(|what| (MISSING.to_owned(), what)));
        for (event, took) in events.out {
            writer.measured(Rank(rank), event, took)?;
        }
    }
    let name = anchor.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut facts = vec![
        ("archive".to_owned(), anchor.display().to_string()),
        (MEASURED.to_owned(), "yes".to_owned()),
    ];
    facts.append(&mut missing);
    Ok(writer.finish(TraceAbout { name, facts }, &head)?)
}

fn read(path: &Path) -> Result<Vec<u8>, TextTraceError> {
    fs::read(path).map_err(|error| bad(path, &error.to_string()))
}

fn bad(path: &Path, what: &str) -> TextTraceError {
    TextTraceError::Archive { file: path.display().to_string(), what: what.to_owned() }
}

struct ChunkSizes {
    events: usize,
    definitions: usize,
}

fn chunk_sizes(bytes: &[u8]) -> Option<ChunkSizes> {
    let mut bytes = Bytes(bytes);
    let header = [bytes.byte()?, bytes.byte()?];
    if header != [CHUNK_HEADER, LITTLE_ENDIAN] || bytes.take(ANCHOR_MAGIC.len())? != ANCHOR_MAGIC {
        return None;
    }
    // The versions of anchor, trace and library.
    bytes.take(5)?;
    let mut size = || usize::try_from(bytes.whole()?).ok().filter(|size| *size > HEADER_SIZE);
    let (events, definitions) = (size()?, size()?);
    // Other files than those of the system, and compressed ones, are not read.
    (bytes.byte()? == 1 && bytes.byte()? == 1).then_some(ChunkSizes { events, definitions })
}

/// Calls `each` with what each record says; none where something makes no sense.
fn records(
    file: &[u8],
    chunk: usize,
    mut each: impl FnMut(u8, &mut Bytes<'_>) -> Option<()>,
) -> Option<()> {
    for chunk in file.chunks(chunk) {
        let mut bytes = Bytes(chunk);
        if [bytes.byte()?, bytes.byte()?] != [CHUNK_HEADER, LITTLE_ENDIAN] {
            return None;
        }
        bytes.take(HEADER_SIZE - 2)?;
        loop {
            match bytes.byte() {
                None | Some(END_OF_CHUNK) => break,
                Some(END_OF_FILE) => return Some(()),
                Some(what) => each(what, &mut bytes)?,
            }
        }
    }
    // A file that was not cut says where it ends.
    None
}

/// The global definitions, as far as a trace has them.
#[derive(Debug, Default)]
struct Definitions {
    strings: BTreeMap<u32, String>,
    /// Ticks a second, and when the trace begins.
    clock: (u64, u64),
    locations: Vec<u64>,
    /// Name, role and paradigm.
    regions: BTreeMap<u32, (u32, u8, u8)>,
    /// Type, paradigm and members.
    groups: BTreeMap<u32, (u8, u8, Vec<u64>)>,
    comms: BTreeMap<u32, u32>,
}

impl Definitions {
    fn read(file: &[u8], chunk: usize) -> Option<Self> {
        let mut all = Self { clock: (1_000_000_000, 0), ..Self::default() };
        records(file, chunk, |what, bytes| all.take(what, bytes.members()?))?;
        Some(all)
    }

    fn take(&mut self, what: u8, mut members: Bytes<'_>) -> Option<()> {
        match what {
            STRING => {
                self.strings.insert(members.short()?, members.text()?);
            }
            CLOCK => self.clock = (members.long()?.max(1), members.long()?),
            LOCATION => {
                let (location, _, kind) = (members.long()?, members.short()?, members.byte()?);
                // Threads of processors alone: others have metrics.
                if kind == 1 {
                    self.locations.push(location);
                }
            }
            REGION => {
                let (number, name) = (members.short()?, members.short()?);
                let _description = members.short()?;
                let _old_type = members.byte()?;
                for _ in 0..4 {
                    members.short()?;
                }
                let role = members.byte()?;
                self.regions.insert(number, (name, role, members.byte()?));
            }
            GROUP => {
                let (number, _, _, count) =
                    (members.short()?, members.short()?, members.byte()?, members.short()?);
                let list = (0..count).map_while(|_| members.long()).collect::<Vec<_>>();
                self.groups.insert(number, (members.byte()?, members.byte()?, list));
            }
            COMM => {
                let (number, _, group) = (members.short()?, members.short()?, members.short()?);
                self.comms.insert(number, group);
            }
            _ => {}
        }
        Some(())
    }

    /// The locations of the ranks.
    fn ranks(&self) -> Vec<u64> {
        let of_mpi = self
            .groups
            .values()
            .find(|(kind, paradigm, _)| *kind == GROUP_LOCATIONS && *paradigm == PARADIGM_MPI);
        let of_mpi = of_mpi.map(|(_, _, list)| list.clone()).filter(|list| !list.is_empty());
        of_mpi.unwrap_or_else(|| self.locations.clone())
    }

    fn name_regions(&self, head: &mut TraceHead) -> BTreeMap<u32, (RegionId, bool)> {
        let named = |(number, (name, role, paradigm)): (&u32, &(u32, u8, u8))| {
            let name = self.strings.get(name).map_or("", String::as_str);
            let is_call = *paradigm == PARADIGM_MPI || name.starts_with("MPI_");
            (*number, (head.name_region(name), is_call || *role == ROLE_ARTIFICIAL))
        };
        self.regions.iter().map(named).collect()
    }

    fn communicators(&self, ranks: &[u64], head: &mut TraceHead) -> BTreeMap<u32, CommId> {
        let count = ranks.len() as u64;
        let mut comms = BTreeMap::new();
        for (number, group) in &self.comms {
            let Some((_, _, members)) = self.groups.get(group) else { continue };
            if members.is_empty() || members.iter().any(|member| *member >= count) {
                continue;
            }
            let members: Vec<Rank> =
                members.iter().filter_map(|member| u32::try_from(*member).ok().map(Rank)).collect();
            let has_world = comms.values().any(|comm| *comm == CommId::WORLD);
            let comm = if !has_world && members == head.communicators()[0].members() {
                CommId::WORLD
            } else {
                head.add_communicator(members)
            };
            comms.insert(*number, comm);
        }
        comms
    }
}

/// Numbers of a location as numbers of all.
#[derive(Debug, Default)]
struct Maps {
    regions: BTreeMap<u64, u64>,
    comms: BTreeMap<u64, u64>,
}

impl Maps {
    fn read(file: &[u8], chunk: usize) -> Option<Self> {
        let mut maps = Self::default();
        records(file, chunk, |what, bytes| {
            let mut members = bytes.members()?;
            if what != MAPPING_TABLE {
                return Some(());
            }
            let (of, count, is_sparse) = (members.byte()?, members.long()?, members.byte()? != 0);
            let mut map = BTreeMap::new();
            for at in 0..count {
                let local = if is_sparse { members.long()? } else { at };
                map.insert(local, members.long()?);
            }
            match of {
                MAPS_REGIONS => maps.regions = map,
                MAPS_COMMUNICATORS => maps.comms = map,
                _ => {}
            }
            Some(())
        })?;
        Some(maps)
    }

    fn region(&self, local: u32) -> u32 {
        mapped(&self.regions, local)
    }

    fn comm(&self, local: u32) -> u32 {
        mapped(&self.comms, local)
    }
}

fn mapped(map: &BTreeMap<u64, u64>, local: u32) -> u32 {
    map.get(&u64::from(local)).and_then(|global| u32::try_from(*global).ok()).unwrap_or(local)
}

/// A location while its events go by.
struct LocationReader<'d> {
    definitions: &'d Definitions,
    regions: &'d BTreeMap<u32, (RegionId, bool)>,
    comms: &'d BTreeMap<u32, CommId>,
    head: &'d TraceHead,
    maps: &'d Maps,
    rank: Rank,
    path: PathBuf,
    /// Regions that are open.
    stack: Vec<u32>,
    /// The time of the event that is read.
    now: Option<u64>,
    out: VecDeque<(Event, SimTime)>,
    /// Receives that are posted, by request of the archive: the place of their event, and their request.
    receives: BTreeMap<u64, (usize, RequestId)>,
    requests: BTreeMap<u64, RequestId>,
    free: Vec<RequestId>,
    next: u32,
    /// When what is current began.
    begun: u64,
    /// How often a record was earlier than the one before it.
    clock_steps: u64,
    /// How many events there were when the call that is open began.
    call_began: usize,
    /// The region that calls belong to by the events so far.
    told: Option<RegionId>,
}

impl LocationReader<'_> {
    fn read(&mut self, file: &[u8], chunk: usize) -> Result<(), TextTraceError> {
        self.begun = self.definitions.clock.1;
        let sound = records(file, chunk, |what, bytes| self.record(what, bytes));
        sound.ok_or_else(|| bad(&self.path, "the events are damaged"))
    }

    fn record(&mut self, what: u8, bytes: &mut Bytes<'_>) -> Option<()> {
        match what {
            TIMESTAMP => self.now = Some(bytes.whole()?),
            ATTRIBUTES => {
                bytes.members()?;
            }
            ENTER => {
                let region = self.maps.region(bytes.short()?);
                self.pass();
                self.stack.push(region);
                self.call_began = self.out.len();
            }
            LEAVE => {
                bytes.short()?;
                self.pass();
                self.stack.pop();
            }
            ISEND_COMPLETE => {
                let request = bytes.long()?;
                if let Some(id) = self.requests.remove(&request) {
                    self.wait(id);
                }
            }
            IRECV_REQUEST => {
                let request = bytes.long()?;
                let id = self.new_id();
                let nothing = Expected { from: None, tag: None, comm: CommId::WORLD };
                self.belong();
                self.receives.insert(request, (self.out.len(), id));
                self.emit(Event::Irecv(nothing, id));
            }
            // Without a length, for it has one member.
            REQUEST_TEST => {
                bytes.long()?;
            }
            REQUEST_CANCELLED => {
                let cancelled = self.receives.remove(&bytes.long()?);
                if let Some((place, id)) = cancelled {
                    // It is as if it had not been posted.
                    let nothing = Event::Compute { region: RegionId(0), span: SimTime::ZERO };
                    self.out[place].0 = nothing;
                    self.free.push(id);
                }
            }
            _ => self.long_record(what, bytes.members()?)?,
        }
        Some(())
    }

    fn long_record(&mut self, what: u8, mut members: Bytes<'_>) -> Option<()> {
        match what {
            SEND | ISEND => {
                let (to, comm, tag, bytes) =
                    (members.short()?, members.short()?, members.short()?, members.long()?);
                let comm = self.comm(comm);
                let sent = Sent {
                    to: self.member(comm, to)?,
                    tag: Tag(tag.cast_signed()),
                    comm,
                    bytes: Size(bytes),
                };
                if what == SEND {
                    self.emit(Event::Send(sent));
                } else {
                    let id = self.new_id();
                    self.requests.insert(members.long()?, id);
                    self.emit(Event::Isend(sent, id));
                }
            }
            RECV | IRECV => {
                let (from, comm, tag, _) =
                    (members.short()?, members.short()?, members.short()?, members.long()?);
                let comm = self.comm(comm);
                let from = if from == UNDEFINED { None } else { Some(self.member(comm, from)?) };
                let expected = Expected { from, tag: Some(Tag(tag.cast_signed())), comm };
                if what == RECV {
                    self.emit(Event::Recv(expected));
                } else if let Some((place, id)) = self.receives.remove(&members.long()?) {
                    if let Some((event, _)) = self.out.get_mut(place) {
                        *event = Event::Irecv(expected, id);
                    }
                    self.wait(id);
                }
            }
            COLLECTIVE_END => self.collective(members)?,
            RMA_PUT | RMA_GET => {
                let (_, owner, bytes) = (members.short()?, members.short()?, members.long()?);
                let access =
                    RemoteAccess { owner: self.member(CommId::WORLD, owner)?, bytes: Size(bytes) };
                self.emit(if what == RMA_PUT { Event::Put(access) } else { Event::Get(access) });
            }
            _ => {}
        }
        Some(())
    }

    fn collective(&mut self, mut members: Bytes<'_>) -> Option<()> {
        let (operation, comm, root, sent, received) =
            (members.byte()?, members.short()?, members.short()?, members.long()?, members.long()?);
        let comm = self.comm(comm);
        let members = self.head.communicators().get(comm.0 as usize)?.members();
        let place = members.iter().position(|member| *member == self.rank)? as u64;
        let size = members.len() as u64;
        let root = self.member(comm, root).unwrap_or(members[0]);
        let member = Member { place, size, is_root: root == self.rank };
        let volume = Volume { sent, received };
        if let Some((kind, bytes)) = volume.call(operation, member) {
            let bytes = Size(bytes);
            self.emit(Event::Collective(Collective { kind, comm, root, bytes }));
        } else if operation == BARRIER || operation > 16 {
            self.emit(Event::Barrier(comm));
        }
        Some(())
    }

    /// Time goes on until the event that is read: in a call, or as computing.
    fn pass(&mut self) {
        let now = self.now.unwrap_or(self.begun);
        self.clock_steps += u64::from(now < self.begun);
        let now = now.max(self.begun);
        let (resolution, _) = self.definitions.clock;
        let took = SimTime::nanos((now - self.begun) as f64 * 1e9 / resolution as f64);
        self.begun = now;
        let current = self.stack.last().and_then(|region| self.regions.get(region));
        let (region, is_call) = current.copied().unwrap_or((RegionId(0), false));
        let is_idle = self.stack.is_empty() || is_call;
        let has_said = is_call && self.out.len() > self.call_began;
        match self.out.back_mut().filter(|_| has_said) {
            Some((_, last)) => *last += took,
            _ if took.is_zero() => {}
            _ => {
                let span = if is_idle { SimTime::ZERO } else { took };
                self.told = Some(region);
                self.out.push_back((Event::Compute { region, span }, took));
            }
        }
    }

    fn emit(&mut self, event: Event) {
        self.belong();
        self.out.push_back((event, SimTime::ZERO));
    }

    /// The call that comes belongs to the region around it, which may have computed nothing before it.
    fn belong(&mut self) {
        let known = |region: &u32| self.regions.get(region).copied();
        let mut around = self.stack.iter().enumerate().rev();
        let found = around.find_map(|(depth, region)| {
            let (region, is_call) = known(region)?;
            (!is_call).then_some((depth, region))
        });
        // Where no region was said so far, all belongs to the outermost one.
        let Some((depth, region)) = found else { return };
        if self.told != Some(region) && (depth > 0 || self.told.is_some()) {
            self.told = Some(region);
            self.out.push_back((Event::Compute { region, span: SimTime::ZERO }, SimTime::ZERO));
        }
    }

    fn wait(&mut self, id: RequestId) {
        self.emit(Event::Wait(id));
        self.free.push(id);
    }

    fn new_id(&mut self) -> RequestId {
        self.free.pop().unwrap_or_else(|| {
            self.next += 1;
            RequestId(self.next - 1)
        })
    }

    fn comm(&self, local: u32) -> CommId {
        self.comms.get(&self.maps.comm(local)).copied().unwrap_or(CommId::WORLD)
    }

    /// The rank of a member; none where there is none, which makes no sense.
    fn member(&self, comm: CommId, place: u32) -> Option<Rank> {
        let comm = self.head.communicators().get(comm.0 as usize)?;
        comm.members().get(place as usize).copied()
    }
}
