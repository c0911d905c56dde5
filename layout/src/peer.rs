//! The messages that one thread sent to each rank of its job and received from it: writer and reader.
//!
//! # Idea
//! A slot has a record for each rank, found by the rank without a search, and one for messages that cannot be told apart:
//! ranks beyond the table, processes of other jobs, one wait for messages of several ranks. Most ranks have most of their
//! records unchanged from one pass to the next, so each record has a stamp, and the stamps of a page lie side by side: a reader
//! compares four cache lines to learn which of 64 records it has to read.
//!
//! # Invariants
//! * One writer, plain loads and stores; each counter only grows while a thread has the slot. Counters of a record that is read
//!   while its thread runs may be of two moments, and are of one when the thread has ended.
//! * A stamp changes after the counters that it marks: a reader that takes the stamp first misses nothing, and at worst reads
//!   a record once more.
//! * Neither side touches a page of records before its bit in [`Head::peer_pages`](crate::Head::peer_pages) is set; the
//!   writer sets it when the page is there.

use crate::sync::{AtomicU32, AtomicU64, Ordering, or_relaxed};

/// Records of one slot: the first one for what cannot be told apart, then one a rank.
pub const PEER_CAPACITY: usize = 1 << 10;
/// Records that share a page; `geometry` checks it.
pub const PEERS_OF_PAGE: usize = 64;
/// Pages of records that a slot has.
pub const PEER_PAGES: usize = PEER_CAPACITY / PEERS_OF_PAGE;

/// A page of records and their stamps.
#[derive(Debug)]
#[repr(C, align(4096))]
pub struct PeerPage {
    stamps: [AtomicU32; PEERS_OF_PAGE],
    records: [PeerRecord; PEERS_OF_PAGE],
}

/// What went to one rank, and what came from it.
#[derive(Debug, Default)]
#[repr(C)]
pub struct PeerRecord {
    /// Messages sent.
    pub sent: AtomicU64,
    /// Their bytes.
    pub sent_bytes: AtomicU64,
    /// Ticks in calls that send, or wait for what was sent.
    pub sent_ticks: AtomicU64,
    /// Messages received.
    pub received: AtomicU64,
    /// Their bytes.
    pub received_bytes: AtomicU64,
    /// Ticks in calls that receive, or wait for what is received.
    pub received_ticks: AtomicU64,
}

/// One direction of a [`PeerRecord`], or what is added to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    /// How many.
    pub number: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Ticks in calls for them.
    pub ticks: u64,
}

/// A rank of the job, as the number of its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(u16);

impl Peer {
    /// What cannot be told apart.
    pub const UNKNOWN: Self = Self(0);

    /// A rank of the job; [`Self::UNKNOWN`] where it has no record of its own.
    #[inline(always)]
    #[must_use]
    pub const fn of_rank(rank: i32) -> Self {
        if rank >= 0 && (rank as usize) < PEER_CAPACITY - 1 {
            Self(rank as u16 + 1)
        } else {
            Self::UNKNOWN
        }
    }

    /// The record of this number, which is taken modulo their number.
    #[inline(always)]
    #[must_use]
    pub const fn of_index(index: usize) -> Self {
        Self((index % PEER_CAPACITY) as u16)
    }

    /// The number of its record.
    #[inline(always)]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The rank, `None` where it cannot be told.
    #[must_use]
    pub const fn rank(self) -> Option<u32> {
        if self.0 == 0 { None } else { Some(self.0 as u32 - 1) }
    }

    /// The number of its page of records.
    #[inline(always)]
    #[must_use]
    pub const fn page(self) -> usize {
        self.index() / PEERS_OF_PAGE
    }

    /// The bit of its page in [`Head::peer_pages`](crate::Head::peer_pages).
    #[inline(always)]
    #[must_use]
    pub const fn page_bit(self) -> u64 {
        1 << self.page()
    }
}

impl PeerPage {
    /// The writer's side of a rank of this page.
    #[inline(always)]
    #[must_use]
    pub const fn writer(&self, peer: Peer) -> PeerWriter<'_> {
        let place = peer.index() % PEERS_OF_PAGE;
        PeerWriter { record: &self.records[place], stamp: &self.stamps[place] }
    }

    /// Reader: the records, each in its place.
    #[must_use]
    pub const fn records(&self) -> &[PeerRecord; PEERS_OF_PAGE] {
        &self.records
    }

    /// Reader: which records may have changed since their stamps were as they were seen, a bit each. Takes the stamps in as seen.
    #[must_use]
    pub fn changed(&self, seen: &mut [u32; PEERS_OF_PAGE]) -> u64 {
        // So many at a time: one branch for all of them, and the loads run ahead of it.
        const TOGETHER: usize = 16;
        let mut changed = 0;
        let parts = self.stamps.chunks(TOGETHER).zip(seen.chunks_mut(TOGETHER));
        for (first, (stamps, seen)) in (0..).step_by(TOGETHER).zip(parts) {
            let mut now = [0; TOGETHER];
            let mut differs = 0;
            for ((now, stamp), seen) in now.iter_mut().zip(stamps).zip(&*seen) {
                *now = stamped(stamp);
                differs |= *now ^ *seen;
            }
            if differs != 0 {
                for (place, (now, seen)) in (first..).zip(now.into_iter().zip(seen)) {
                    changed |= u64::from(now != *seen) << place;
                    *seen = now;
                }
            }
        }
        changed
    }
}

/// The writer's side of one record and its stamp.
#[derive(Clone, Copy, Debug)]
pub struct PeerWriter<'page> {
    record: &'page PeerRecord,
    stamp: &'page AtomicU32,
}

impl<'page> PeerWriter<'page> {
    /// The side of any record with a stamp.
    #[must_use]
    pub const fn new(record: &'page PeerRecord, stamp: &'page AtomicU32) -> Self {
        Self { record, stamp }
    }

    /// Adds what was sent to this rank.
    #[inline(always)]
    pub fn add_sent(self, more: Messages) {
        add(&self.record.sent, more.number);
        add(&self.record.sent_bytes, more.bytes);
        add(&self.record.sent_ticks, more.ticks);
        self.mark();
    }

    /// Adds what was received from it.
    #[inline(always)]
    pub fn add_received(self, more: Messages) {
        add(&self.record.received, more.number);
        add(&self.record.received_bytes, more.bytes);
        add(&self.record.received_ticks, more.ticks);
        self.mark();
    }

    /// Nothing happened yet, also when an earlier thread had the slot.
    pub fn clear(self) {
        let PeerRecord { sent, sent_bytes, sent_ticks, received, received_bytes, received_ticks } =
            self.record;
        for word in [sent, sent_bytes, sent_ticks, received, received_bytes, received_ticks] {
            word.store(0, Ordering::Relaxed);
        }
        self.stamp.store(0, Ordering::Relaxed);
    }

    #[inline(always)]
    fn mark(self) {
        let next = self.stamp.load(Ordering::Relaxed).wrapping_add(1);
        // SYNC messages with stamped
        self.stamp.store(next, or_relaxed("messages_store", Ordering::Release));
    }
}

/// Reader: a record's stamp. Whoever reads the record after it sees at least what this stamp marks.
#[inline(always)]
#[must_use]
pub fn stamped(stamp: &AtomicU32) -> u32 {
    stamp.load(or_relaxed("messages_load", Ordering::Acquire)) // SYNC messages with PeerWriter::mark
}

impl PeerRecord {
    /// Reader: what was sent to this rank.
    #[must_use]
    pub fn sent(&self) -> Messages {
        read([&self.sent, &self.sent_bytes, &self.sent_ticks])
    }

    /// Reader: what was received from it.
    #[must_use]
    pub fn received(&self) -> Messages {
        read([&self.received, &self.received_bytes, &self.received_ticks])
    }
}

fn read([number, bytes, ticks]: [&AtomicU64; 3]) -> Messages {
    let [number, bytes, ticks] = [number, bytes, ticks].map(|word| word.load(Ordering::Relaxed));
    Messages { number, bytes, ticks }
}

/// Single writer: an ordinary load, add and store.
#[inline(always)]
fn add(word: &AtomicU64, amount: u64) {
    word.store(word.load(Ordering::Relaxed).wrapping_add(amount), Ordering::Relaxed);
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_rank_of_the_table_has_a_record_of_its_own() {
        assert_eq!(Peer::of_rank(0).index(), 1);
        assert_eq!(Peer::of_rank(0).rank(), Some(0));
        assert_eq!(Peer::of_rank(1022).rank(), Some(1022));
        for beyond in [1023, 70_000, -1, i32::MIN] {
            assert_eq!(Peer::of_rank(beyond), Peer::UNKNOWN);
        }
        assert_eq!(Peer::UNKNOWN.rank(), None);
    }

    /// An empty page: each word is an atomic.
    fn page() -> PeerPage {
        PeerPage {
            stamps: core::array::from_fn(|_| AtomicU32::default()),
            records: core::array::from_fn(|_| PeerRecord::default()),
        }
    }

    #[test]
    fn changed_records_are_named_once_and_no_others() {
        let (page, mut seen) = (page(), [0; PEERS_OF_PAGE]);
        assert_eq!(page.changed(&mut seen), 0);
        let one = Messages { number: 1, bytes: 8, ticks: 3 };
        let of = |index| page.writer(Peer::of_index(index));
        for index in [0, 15, 16, 63] {
            of(index).add_sent(one);
        }
        of(64 + 40).add_received(Messages { number: 0, ..one });
        let expected = 1 | 1 << 15 | 1 << 16 | 1 << 40 | 1 << 63;
        assert_eq!(page.changed(&mut seen), expected);
        assert_eq!(page.changed(&mut seen), 0);
        of(16).add_received(one);
        assert_eq!(page.changed(&mut seen), 1 << 16);
        assert_eq!([page.records()[16].sent(), page.records()[16].received()], [one; 2]);
        of(16).clear();
        assert_eq!(page.records()[16].sent(), Messages::default());
        assert_eq!(page.changed(&mut seen), 1 << 16, "a stamp that went back is another one");
    }

    #[test]
    fn each_page_of_records_has_a_bit() {
        assert_eq!(Peer::of_rank(0).page_bit(), 1);
        assert_eq!(Peer::of_rank(62).page_bit(), 1);
        assert_eq!(Peer::of_rank(63).page_bit(), 2);
        assert_eq!(Peer::of_index(PEER_CAPACITY - 1).page_bit(), 1 << 15);
    }
}
