//! One traced thread: its ring, and where in the spool its entries are.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use whyperf_inject::{Mapping, Protection};
use whyperf_layout::{EventRing, RING_ENTRIES, RING_SIZE, RING_VERSION, RingEntry};

/// Entries taken at a time.
pub(super) const ROOM: usize = 1 << 13;

/// A thread that is traced.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) path: PathBuf,
    /// None when the thread is over and all of its entries are taken.
    ring: Option<Mapping>,
    /// The number of its process among those that are traced, once it is known.
    pub(super) process: usize,
    /// When the region began that its entries speak of.
    pub(super) region: u64,
    pub(super) thread: u32,
    pub(super) number: u32,
    next: u64,
    /// Entries that were overwritten before they were taken.
    pub(super) lost: u64,
    /// Entries that came when the spool was full.
    pub(super) left_out: u64,
    /// Events of signal handlers that came in the midst of an entry.
    pub(super) dropped: u64,
    /// Where its entries begin in the spool, and how many follow.
    pub(super) chunks: Vec<(u64, u32)>,
}

impl Stream {
    /// Opens a ring of this user's. `None`: it is still being prepared, come again.
    pub(super) fn open(path: &Path, user: u32) -> io::Result<Option<Self>> {
        let flags = libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK;
        let file = File::options().read(true).custom_flags(flags).open(path)?;
        let facts = file.metadata()?;
        let unfit = |why| io::Error::new(io::ErrorKind::InvalidData, why);
        if !facts.is_file() || facts.uid() != user {
            return Err(unfit("it is no file of this user"));
        }
        if facts.size() < RING_SIZE as u64 {
            return Ok(None);
        }
        let mapping = Mapping::of(&file, 0, RING_SIZE, Protection::Read)?;
        let Some(ring) = mapping.at::<EventRing>(0) else { return Ok(None) };
        if !ring.head.is_published() {
            return Ok(None);
        }
        if ring.head.version.load(Ordering::Relaxed) != RING_VERSION {
            return Err(unfit("it is of another version"));
        }
        let [thread, number] =
            [&ring.head.thread, &ring.head.number].map(|word| word.load(Ordering::Relaxed));
        let region = ring.head.region.load(Ordering::Relaxed);
        let (path, ring) = (path.to_owned(), Some(mapping));
        Ok(Some(Self {
            path,
            ring,
            process: 0,
            region,
            thread,
            number,
            next: 0,
            lost: 0,
            left_out: 0,
            dropped: 0,
            chunks: Vec::new(),
        }))
    }

    /// Takes what is new into the spool, which is so long and has room for so many entries; answers how many were written.
    pub(super) fn drain(
        &mut self,
        room: &mut [RingEntry],
        spool: &mut impl Write,
        (mut offset, mut left): (u64, u64),
    ) -> io::Result<u64> {
        let mut written = 0;
        let Some(ring) = self.ring.as_ref().and_then(|mapping| mapping.at::<EventRing>(0)) else {
            return Ok(0);
        };
        self.dropped = ring.head.dropped.load(Ordering::Relaxed);
        // As often as fills a ring, however fast or false its index grows: the others wait for their turn.
        for _ in 0..=RING_ENTRIES / ROOM {
            let drained = ring.drain(self.next, room);
            let taken = &room[drained.taken.clone()];
            self.next = drained.next;
            self.lost += drained.lost;
            let kept = left.min(taken.len() as u64) as usize;
            self.left_out += (taken.len() - kept) as u64;
            if kept > 0 {
                for entry in &taken[..kept] {
                    spool.write_all(&entry.what.to_le_bytes())?;
                    spool.write_all(&entry.word.to_le_bytes())?;
                }
                self.chunks.push((offset, kept as u32));
                offset += (kept * ENTRY) as u64;
                left -= kept as u64;
                written += kept as u64;
            }
            if drained.taken.end < room.len() {
                break;
            }
        }
        Ok(written)
    }

    /// Whether entries may still come.
    pub(super) const fn is_open(&self) -> bool {
        self.ring.is_some()
    }

    /// No entry will follow: its memory is given back; whether its file is gone, which goes with the run directory else.
    pub(super) fn close(&mut self) -> bool {
        self.ring = None;
        fs::remove_file(&self.path).is_ok()
    }
}

/// Bytes of an entry in the spool.
pub(super) const ENTRY: usize = size_of::<RingEntry>();

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt as _;

    fn place(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("whyperf-{name}-{}.trace", std::process::id()))
    }

    fn user() -> u32 {
        rustix::process::geteuid().as_raw()
    }

    #[test]
    fn what_is_no_ring_is_none() {
        let path = place("no-ring");
        fs::write(&path, [0; 64]).expect("the temporary folder can be written");
        assert!(Stream::open(&path, user()).expect("it can be read").is_none());
        fs::write(&path, vec![7; RING_SIZE]).expect("writable");
        assert!(Stream::open(&path, user()).expect("it can be read").is_none());
        fs::remove_file(&path).expect("it was just made");
    }

    #[test]
    fn a_full_spool_leaves_entries_out_and_counts_them() {
        let path = place("full-spool");
        let file = File::options().create(true).truncate(true).write(true).open(&path);
        let file = file.expect("the temporary folder can be written");
        file.set_len(RING_SIZE as u64).expect("writable");
        let head = [whyperf_layout::RING_MAGIC, u64::from(RING_VERSION), 0];
        for (at, word) in (0..).step_by(8).zip(head) {
            file.write_all_at(&word.to_le_bytes(), at).expect("writable");
        }
        // Where `produced` lies.
        file.write_all_at(&9_u64.to_le_bytes(), 56).expect("writable");
        let mut stream = Stream::open(&path, user()).expect("readable").expect("a ring");
        let (mut room, mut spool) = ([RingEntry::default(); 4], Vec::new());
        assert_eq!(stream.drain(&mut room, &mut spool, (0, 5)).expect("memory"), 5);
        assert_eq!((stream.left_out, stream.lost, spool.len()), (4, 0, 5 * ENTRY));
        assert_eq!(stream.chunks, [(0, 4), (64, 1)]);
        assert!(stream.close() && !path.exists());
    }
}
