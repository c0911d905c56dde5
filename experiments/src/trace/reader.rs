//! Reads a trace: its tables at once, and the events of each rank block by block.

use std::cell::RefCell;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use whyperf_extrapolate::{Event, Rank, SimTime, TraceHead};

use super::codec::Decoder;
use super::index::{Block, END_LENGTH, Index, IndexPlace, MAGIC, VERSION};
use super::{TraceAbout, TraceError};

/// A trace that is open.
#[derive(Debug)]
pub struct TraceFile {
    path: PathBuf,
    file: File,
    about: TraceAbout,
    head: TraceHead,
    events: u64,
    checksum: u32,
    blocks: Vec<Vec<Block>>,
    /// The first thing that was wrong with events: iterators end there.
    fault: RefCell<Option<TraceError>>,
}

impl TraceFile {
    /// Opens a trace, and reads its index.
    ///
    /// # Errors
    /// When there is no such file, or it is no trace, or cut, or its index is damaged.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let named = || path.to_owned();
        let failed = |source| TraceError::File { path: named(), doing: "read", source };
        let file = File::open(path).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        let length = about.len();
        if !about.is_file() || length <= MAGIC.len() as u64 {
            return Err(TraceError::NoTrace { path: named() });
        }
        let mut magic = [0; MAGIC.len() + 1];
        file.read_exact_at(&mut magic, 0).map_err(failed)?;
        let [start @ .., found] = magic;
        if start != *MAGIC || found == 0 {
            return Err(TraceError::NoTrace { path: named() });
        }
        if found > VERSION {
            return Err(TraceError::Newer { path: named(), found, known: VERSION });
        }
        let cut = || TraceError::Cut { path: named() };
        let mut end = [0; END_LENGTH];
        let end_at = length.checked_sub(END_LENGTH as u64).ok_or_else(cut)?;
        file.read_exact_at(&mut end, end_at).map_err(failed)?;
        let place = IndexPlace::read(&end, length).ok_or_else(cut)?;
        let mut bytes = vec![0; place.length];
        file.read_exact_at(&mut bytes, place.offset).map_err(failed)?;
        let bad = || TraceError::BadIndex { path: named() };
        let index = Index::read(&bytes, place.checksum).ok_or_else(bad)?;
        let (about, head) = index.tables().ok_or_else(bad)?;
        let Index { events, blocks, .. } = index;
        let is_inside = |block: &Block| {
            block.offset.checked_add(u64::from(block.length)).is_some_and(|end| end <= place.offset)
        };
        if !blocks.iter().flatten().all(is_inside) {
            return Err(bad());
        }
        let fault = RefCell::new(None);
        let checksum = place.checksum;
        Ok(Self { path: named(), file, about, head, events, checksum, blocks, fault })
    }

    /// What the trace says of itself.
    #[must_use]
    pub const fn about(&self) -> &TraceAbout {
        &self.about
    }

    /// Its ranks, regions and communicators.
    #[must_use]
    pub const fn head(&self) -> &TraceHead {
        &self.head
    }

    /// How many events it has.
    #[must_use]
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// A number that changes with anything in it: that of its index, which has those of all blocks.
    #[must_use]
    pub const fn checksum(&self) -> u32 {
        self.checksum
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The events of a rank, from its first one on. They end early where something is damaged, which [`TraceFile::sound`] tells then.
    #[must_use]
    pub fn rank(&self, rank: Rank) -> RankEvents<'_> {
        RankEvents { file: self, rank, next_block: 0, decoder: Decoder::default() }
    }

    /// The events of each rank.
    #[must_use]
    pub fn all_ranks(&self) -> Vec<RankEvents<'_>> {
        self.head.all_ranks().map(|rank| self.rank(rank)).collect()
    }

    /// Says what was wrong with events that were read.
    ///
    /// # Errors
    /// When there was something.
    pub fn sound(&self) -> Result<(), TraceError> {
        self.fault.take().map_or(Ok(()), Err)
    }
}

/// The events of a rank.
#[derive(Debug)]
pub struct RankEvents<'f> {
    file: &'f TraceFile,
    rank: Rank,
    next_block: usize,
    decoder: Decoder,
}

impl Iterator for RankEvents<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        while self.decoder.is_done() {
            let block = *self.file.blocks.get(self.rank.0 as usize)?.get(self.next_block)?;
            if let Err(fault) = self.load(block) {
                return self.end(fault);
            }
            self.next_block += 1;
        }
        match self.decoder.next() {
            Some(event) => Some(event),
            None => self.end(self.bad_block(self.next_block.saturating_sub(1))),
        }
    }
}

impl RankEvents<'_> {
    /// How long the event took that came last, when it was measured: a stretch of computing as long as it is where nothing else is said, and a
    /// call no time.
    #[must_use]
    pub fn took(&self, last: &Event) -> SimTime {
        let computed = match last {
            Event::Compute { span, .. } => *span,
            _ => SimTime::ZERO,
        };
        self.decoder.took.unwrap_or(computed)
    }

    fn load(&mut self, block: Block) -> Result<(), TraceError> {
        let mut bytes = std::mem::take(&mut self.decoder).into_room();
        bytes.resize(block.length as usize, 0);
        let read = self.file.file.read_exact_at(&mut bytes, block.offset);
        let path = || self.file.path.clone();
        read.map_err(|source| TraceError::File { path: path(), doing: "read", source })?;
        if crc32fast::hash(&bytes) != block.checksum {
            return Err(self.bad_block(self.next_block));
        }
        self.decoder = Decoder::new(bytes);
        Ok(())
    }

    fn bad_block(&self, block: usize) -> TraceError {
        TraceError::BadBlock { path: self.file.path.clone(), rank: self.rank, block }
    }

    /// Ends here, and keeps the first reason.
    fn end(&mut self, fault: TraceError) -> Option<Event> {
        self.file.fault.borrow_mut().get_or_insert(fault);
        self.next_block = usize::MAX;
        self.decoder = Decoder::default();
        None
    }
}
