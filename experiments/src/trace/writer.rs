//! Writes a trace: events as they come, of whichever rank, and the index at the end.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use whyperf_extrapolate::{Event, Rank, SimTime, TraceHead};

use super::codec::Encoder;
use super::index::{Block, Index, MAGIC, VERSION};
use super::{TraceAbout, TraceError};

/// A trace that is being written. Without [`TraceWriter::finish`] the file has no index, and counts as cut.
#[derive(Debug)]
pub struct TraceWriter {
    path: PathBuf,
    file: BufWriter<File>,
    offset: u64,
    events: u64,
    /// The block of each rank that is not full.
    open: Vec<Encoder>,
    blocks: Vec<Vec<Block>>,
}

/// A block is written when it has so many bytes: 1,024 ranks are read with 8 MB then.
const BLOCK: usize = 8 << 10;

impl TraceWriter {
    /// Begins a file for so many ranks, in place of one that may be there.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path, ranks: u32) -> Result<Self, TraceError> {
        let path = path.to_owned();
        let doing = "make";
        let file = File::create(&path).map_err(|source| TraceError::File {
            path: path.clone(),
            doing,
            source,
        })?;
        let mut writer = Self {
            path,
            file: BufWriter::with_capacity(1 << 18, file),
            offset: 0,
            events: 0,
            open: (0..ranks).map(|_| Encoder::default()).collect(),
            blocks: vec![Vec::new(); ranks as usize],
        };
        writer.write(MAGIC)?;
        writer.write(&[VERSION])?;
        Ok(writer)
    }

    /// The next event of a rank.
    ///
    /// # Errors
    /// When there is no such rank, or the file cannot be written.
    pub fn event(&mut self, rank: Rank, event: Event) -> Result<(), TraceError> {
        self.put(rank, event, None)
    }

    /// The next event of a rank, and how long it took when it was measured.
    ///
    /// # Errors
    /// As [`TraceWriter::event`].
    pub fn measured(&mut self, rank: Rank, event: Event, took: SimTime) -> Result<(), TraceError> {
        let is_said = matches!(event, Event::Compute { span, .. } if span == took);
        self.put(rank, event, Some(took).filter(|_| !is_said))
    }

    fn put(&mut self, rank: Rank, event: Event, took: Option<SimTime>) -> Result<(), TraceError> {
        let Some(open) = self.open.get_mut(rank.0 as usize) else {
            let ranks = u32::try_from(self.open.len()).unwrap_or(u32::MAX);
            return Err(TraceError::NoSuchRank { path: self.path.clone(), rank, ranks });
        };
        if let Some(took) = took {
            open.took(took);
        }
        open.push(event);
        self.events += 1;
        if open.bytes.len() >= BLOCK {
            self.write_block(rank.0 as usize)?;
        }
        Ok(())
    }

    /// Writes what is left, and the index: with the regions and communicators that the events name.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(mut self, about: TraceAbout, head: &TraceHead) -> Result<(), TraceError> {
        for rank in 0..self.open.len() {
            self.write_block(rank)?;
        }
        let blocks = std::mem::take(&mut self.blocks);
        let index = Index::new(about, head, self.events, blocks).bytes(self.offset);
        self.write(&index)?;
        let flushed = self.file.flush();
        flushed.map_err(|source| self.failed(source))
    }

    fn write_block(&mut self, rank: usize) -> Result<(), TraceError> {
        let bytes = self.open[rank].take();
        if bytes.is_empty() {
            return Ok(());
        }
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let checksum = crc32fast::hash(&bytes);
        self.blocks[rank].push(Block { offset: self.offset, length, checksum });
        self.write(&bytes)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), TraceError> {
        self.offset += bytes.len() as u64;
        let written = self.file.write_all(bytes);
        written.map_err(|source| self.failed(source))
    }

    fn failed(&self, source: std::io::Error) -> TraceError {
        TraceError::File { path: self.path.clone(), doing: "write", source }
    }
}
