//! The messages that one thread sent to each rank of its job and received from it: writer and reader.
//!
//! # Idea
//! A slot has a record for each rank, found by the rank without a search, and one for messages that cannot be told apart:
//! ranks beyond the table, processes of other jobs, one wait for messages of several ranks.
//!
//! # Invariants
//! * One writer, plain loads and stores; each counter only grows while a thread has the slot. Counters of a record that is read
//!   while its thread runs may be of two moments, and are of one when the thread has ended.
//! * Neither side touches a page of records before its bit in [`Head::peer_pages`](crate::Head::peer_pages) is set; the
//!   writer sets it when the page is there.

use crate::sync::{AtomicU64, Ordering};

/// Records of one slot: the first one for what cannot be told apart, then one a rank.
pub const PEER_CAPACITY: usize = 1 << 10;
/// Records that share a page; `geometry` checks it.
pub const PEERS_OF_PAGE: usize = 64;

/// What went to one rank, and what came from it.
#[derive(Debug, Default)]
#[repr(C, align(64))]
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

    /// The bit of its page in [`Head::peer_pages`](crate::Head::peer_pages).
    #[inline(always)]
    #[must_use]
    pub const fn page_bit(self) -> u64 {
        1 << (self.index() / PEERS_OF_PAGE)
    }
}

impl PeerRecord {
    /// Writer: adds what was sent to this rank.
    #[inline(always)]
    pub fn add_sent(&self, more: Messages) {
        add(&self.sent, more.number);
        add(&self.sent_bytes, more.bytes);
        add(&self.sent_ticks, more.ticks);
    }

    /// Writer: adds what was received from it.
    #[inline(always)]
    pub fn add_received(&self, more: Messages) {
        add(&self.received, more.number);
        add(&self.received_bytes, more.bytes);
        add(&self.received_ticks, more.ticks);
    }

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

    /// Writer: nothing happened yet, also when an earlier thread had the slot.
    pub fn clear(&self) {
        let sent = [&self.sent, &self.sent_bytes, &self.sent_ticks];
        let received = [&self.received, &self.received_bytes, &self.received_ticks];
        for word in sent.into_iter().chain(received) {
            word.store(0, Ordering::Relaxed);
        }
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

    #[test]
    fn each_page_of_records_has_a_bit() {
        assert_eq!(Peer::of_rank(0).page_bit(), 1);
        assert_eq!(Peer::of_rank(62).page_bit(), 1);
        assert_eq!(Peer::of_rank(63).page_bit(), 2);
        assert_eq!(Peer::of_index(PEER_CAPACITY - 1).page_bit(), 1 << 15);
    }
}
