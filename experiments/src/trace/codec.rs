//! Events as bytes: a kind, and numbers of as many bytes as they need.
//!
//! Times are whole picoseconds. How long an event took on the machine of the trace stands before it, where that was measured. The region stands once for all that follows in the block.

use whyperf_extrapolate::{
    Bytes, Collective, CollectiveKind, CommId, Event, Expected, Rank, RegionId, RemoteAccess,
    RequestId, Sent, SimTime, Tag,
};

use crate::varint;

const REGION: u8 = 0;
const COMPUTE: u8 = 1;
const SEND: u8 = 2;
const ISEND: u8 = 3;
const RECV: u8 = 4;
const IRECV: u8 = 5;
const WAIT: u8 = 6;
const COLLECTIVE: u8 = 7;
const BARRIER: u8 = 8;
const GET: u8 = 9;
const PUT: u8 = 10;
/// How long the event that follows took where it was measured.
const TOOK: u8 = 11;

/// Events of one block, while they are written.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    pub(super) bytes: Vec<u8>,
    region: Option<RegionId>,
}

impl Encoder {
    /// Takes the bytes of a block; the next event begins another one.
    pub(super) fn take(&mut self) -> Vec<u8> {
        self.region = None;
        std::mem::take(&mut self.bytes)
    }

    /// Says how long the next event took.
    pub(super) fn took(&mut self, time: SimTime) {
        self.put(TOOK, &[picos(time)]);
    }

    pub(super) fn push(&mut self, event: Event) {
        match event {
            Event::Compute { region, span } => {
                if self.region != Some(region) {
                    self.region = Some(region);
                    self.put(REGION, &[u64::from(region.0)]);
                }
                self.put(COMPUTE, &[picos(span)]);
            }
            Event::Send(sent) => self.sent(SEND, sent),
            Event::Isend(sent, request) => {
                self.sent(ISEND, sent);
                self.number(u64::from(request.0));
            }
            Event::Recv(expected) => self.expected(RECV, expected),
            Event::Irecv(expected, request) => {
                self.expected(IRECV, expected);
                self.number(u64::from(request.0));
            }
            Event::Wait(request) => self.put(WAIT, &[u64::from(request.0)]),
            Event::Collective(Collective { kind, comm, root, bytes }) => {
                let kind = CollectiveKind::ALL.iter().position(|one| *one == kind).unwrap_or(0);
                let numbers = [kind as u64, u64::from(comm.0), u64::from(root.0), bytes.0];
                self.put(COLLECTIVE, &numbers);
            }
            Event::Barrier(comm) => self.put(BARRIER, &[u64::from(comm.0)]),
            Event::Get(access) => self.access(GET, access),
            Event::Put(access) => self.access(PUT, access),
        }
    }

    fn sent(&mut self, kind: u8, Sent { to, tag, comm, bytes }: Sent) {
        self.put(kind, &[u64::from(to.0), folded(tag), u64::from(comm.0), bytes.0]);
    }

    fn expected(&mut self, kind: u8, Expected { from, tag, comm }: Expected) {
        let from = from.map_or(0, |from| u64::from(from.0) + 1);
        let tag = tag.map_or(0, |tag| folded(tag) + 1);
        self.put(kind, &[from, tag, u64::from(comm.0)]);
    }

    fn access(&mut self, kind: u8, RemoteAccess { owner, bytes }: RemoteAccess) {
        self.put(kind, &[u64::from(owner.0), bytes.0]);
    }

    fn put(&mut self, kind: u8, numbers: &[u64]) {
        self.bytes.push(kind);
        numbers.iter().for_each(|number| self.number(*number));
    }

    /// Seven bits a byte, the lowest first; the highest bit says that more follow.
    fn number(&mut self, number: u64) {
        varint::push(&mut self.bytes, number);
    }
}

fn picos(time: SimTime) -> u64 {
    (time.as_nanos() * 1e3).round() as u64
}

/// Small numbers for tags near zero.
fn folded(tag: Tag) -> u64 {
    u64::from(((tag.0 << 1) ^ (tag.0 >> 31)).cast_unsigned())
}

fn unfolded(number: u64) -> Option<Tag> {
    let bits = u32::try_from(number).ok()?;
    Some(Tag((bits >> 1).cast_signed() ^ -(bits & 1).cast_signed()))
}

/// Events of one block, while they are read.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    bytes: Vec<u8>,
    at: usize,
    region: RegionId,
    /// How long the event that was read last took, where that was measured.
    pub(super) took: Option<SimTime>,
}

impl Decoder {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, at: 0, region: RegionId::default(), took: None }
    }

    /// Whether all is read.
    pub(super) fn is_done(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// The room of what was read, for what comes next.
    pub(super) fn into_room(self) -> Vec<u8> {
        self.bytes
    }

    /// The next event; none where the bytes make no sense.
    pub(super) fn next(&mut self) -> Option<Event> {
        self.took = None;
        let mut kind = self.byte()?;
        while matches!(kind, REGION | TOOK) {
            if kind == REGION {
                self.region = RegionId(self.short()?);
            } else {
                self.took = Some(SimTime::nanos(self.number()? as f64 / 1e3));
            }
            kind = self.byte()?;
        }
        Some(match kind {
            COMPUTE => {
                let span = SimTime::nanos(self.number()? as f64 / 1e3);
                Event::Compute { region: self.region, span }
            }
            SEND => Event::Send(self.sent()?),
            ISEND => Event::Isend(self.sent()?, RequestId(self.short()?)),
            RECV => Event::Recv(self.expected()?),
            IRECV => Event::Irecv(self.expected()?, RequestId(self.short()?)),
            WAIT => Event::Wait(RequestId(self.short()?)),
            COLLECTIVE => {
                let kind = *CollectiveKind::ALL.get(self.short()? as usize)?;
                let (comm, root) = (CommId(self.short()?), Rank(self.short()?));
                Event::Collective(Collective { kind, comm, root, bytes: Bytes(self.number()?) })
            }
            BARRIER => Event::Barrier(CommId(self.short()?)),
            GET => Event::Get(self.access()?),
            PUT => Event::Put(self.access()?),
            _ => return None,
        })
    }

    fn sent(&mut self) -> Option<Sent> {
        let to = Rank(self.short()?);
        let tag = unfolded(self.number()?)?;
        Some(Sent { to, tag, comm: CommId(self.short()?), bytes: Bytes(self.number()?) })
    }

    fn expected(&mut self) -> Option<Expected> {
        let from = match self.number()? {
            0 => None,
            from => Some(Rank(u32::try_from(from - 1).ok()?)),
        };
        let tag = match self.number()? {
            0 => None,
            tag => Some(unfolded(tag - 1)?),
        };
        Some(Expected { from, tag, comm: CommId(self.short()?) })
    }

    fn access(&mut self) -> Option<RemoteAccess> {
        Some(RemoteAccess { owner: Rank(self.short()?), bytes: Bytes(self.number()?) })
    }

    fn short(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if shift == 63 && part > 1 {
                return None;
            }
            number |= part << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }
}
