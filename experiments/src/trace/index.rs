//! The index of a trace file, and the bytes around it.

use serde::{Deserialize, Serialize};
use whyperf_extrapolate::{Communicator, Rank, TraceHead};

use super::TraceAbout;

/// The first bytes of a file, before its version.
pub(super) const MAGIC: &[u8; 14] = b"whyperf trace\0";
/// The version of what follows. It is raised when bytes mean something else.
pub(super) const VERSION: u8 = 2;
/// The last bytes of a file.
const END_MAGIC: &[u8; 13] = b"whyperf index";
/// How long the end is: offset, length, checksum and the last bytes.
pub(super) const END_LENGTH: usize = 8 + 8 + 4 + END_MAGIC.len();

/// A block of events.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Block {
    pub(super) offset: u64,
    pub(super) length: u32,
    pub(super) checksum: u32,
}

/// What is known of a whole trace.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Index {
    name: String,
    facts: Vec<(String, String)>,
    regions: Vec<String>,
    /// All but the first, which holds all ranks.
    communicators: Vec<Vec<u32>>,
    /// How many events there are.
    pub(super) events: u64,
    /// By rank.
    pub(super) blocks: Vec<Vec<Block>>,
}

impl Index {
    pub(super) fn new(
        about: TraceAbout,
        head: &TraceHead,
        events: u64,
        blocks: Vec<Vec<Block>>,
    ) -> Self {
        let members = |of: &Communicator| of.members().iter().map(|rank| rank.0).collect();
        Self {
            name: about.name,
            facts: about.facts,
            regions: head.regions().to_vec(),
            communicators: head.communicators().iter().skip(1).map(members).collect(),
            events,
            blocks,
        }
    }

    /// The tables of the trace; none if they make no sense.
    pub(super) fn tables(&self) -> Option<(TraceAbout, TraceHead)> {
        let ranks = u32::try_from(self.blocks.len()).ok()?;
        let mut head = TraceHead::new(ranks);
        for (place, name) in (0..).zip(&self.regions) {
            if head.name_region(name).index() != place {
                return None;
            }
        }
        for members in &self.communicators {
            if members.iter().any(|rank| *rank >= ranks) {
                return None;
            }
            head.add_communicator(members.iter().copied().map(Rank).collect());
        }
        let about = TraceAbout { name: self.name.clone(), facts: self.facts.clone() };
        Some((about, head))
    }

    /// The index and the end of the file, for an index that begins at `offset`.
    pub(super) fn bytes(&self, offset: u64) -> Vec<u8> {
        let mut bytes = postcard::to_allocvec(self).unwrap_or_default();
        let (length, checksum) = (bytes.len() as u64, crc32fast::hash(&bytes));
        bytes.extend(offset.to_le_bytes());
        bytes.extend(length.to_le_bytes());
        bytes.extend(checksum.to_le_bytes());
        bytes.extend(END_MAGIC);
        bytes
    }

    /// An index that was read, if it is the one that was written.
    pub(super) fn read(bytes: &[u8], checksum: u32) -> Option<Self> {
        if crc32fast::hash(bytes) != checksum {
            return None;
        }
        postcard::from_bytes(bytes).ok()
    }
}

/// Where the index is.
pub(super) struct IndexPlace {
    pub(super) offset: u64,
    pub(super) length: usize,
    pub(super) checksum: u32,
}

impl IndexPlace {
    /// What the end of a file of this length says; none if it is no end.
    pub(super) fn read(end: &[u8; END_LENGTH], file_length: u64) -> Option<Self> {
        let (numbers, magic) = end.split_at(END_LENGTH - END_MAGIC.len());
        let (offset, rest) = numbers.split_first_chunk::<8>()?;
        let (length, rest) = rest.split_first_chunk::<8>()?;
        let checksum = u32::from_le_bytes(rest.try_into().ok()?);
        let (offset, length) = (u64::from_le_bytes(*offset), u64::from_le_bytes(*length));
        let is_there = offset.checked_add(length)?.checked_add(END_LENGTH as u64)? == file_length;
        if magic != END_MAGIC || !is_there {
            return None;
        }
        Some(Self { offset, length: usize::try_from(length).ok()?, checksum })
    }
}
