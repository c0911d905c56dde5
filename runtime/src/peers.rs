//! Counts the messages that a thread sends to each rank and receives from it, in the thread's own slot.
//!
//! One record a rank, found without a search: a few loads and stores on two cache lines. The first message to a rank
//! provides the page of its record.

use core::sync::atomic::Ordering;

use whyperf_layout::geometry::{PAGE, PEERS_IN_SLOT};
use whyperf_layout::{Messages, PEER_CAPACITY, Peer, PeerWriter};

use crate::losses;
use crate::map;
use crate::thread;
use crate::thread_local::thread;
use crate::view::Slot;

/// Adds messages that the thread sent to a rank.
#[inline]
pub fn sent(peer: Peer, messages: Messages) {
    if let Some(record) = record(peer) {
        record.add_sent(messages);
    }
}

/// Adds messages that the thread received from a rank.
#[inline]
pub fn received(peer: Peer, messages: Messages) {
    if let Some(record) = record(peer) {
        record.add_received(messages);
    }
}

/// Ticks of the calling thread's last event; 0 where it records nothing.
#[inline]
#[must_use]
pub fn last_event() -> u64 {
    slot().map_or(0, |slot| slot.head().last.load(Ordering::Relaxed))
}

#[inline]
fn slot() -> Option<Slot> {
    let block = thread();
    let base = block.slot.load(Ordering::Relaxed);
    if base.is_null() {
        // Threads on machines without a counter have theirs here alone.
        return thread::known(&block).map(thread::Private::slot);
    }
    // SAFETY: not null, so it is this thread's slot, mapped and populated.
    Some(unsafe { Slot::at(base) })
}

#[inline]
fn record<'a>(peer: Peer) -> Option<PeerWriter<'a>> {
    let slot = slot()?;
    let pages = &slot.head().peer_pages;
    let is_there = pages.load(Ordering::Relaxed) & peer.page_bit() != 0 || reach(slot, peer);
    is_there.then(|| slot.peer(peer))
}

/// Provides the page of a record.
#[cold]
fn reach(slot: Slot, peer: Peer) -> bool {
    let page = slot.base().wrapping_add(PEERS_IN_SLOT + peer.page() * PAGE);
    // SAFETY: a page of the thread's own slot in which no record was written yet, for its bit is not set.
    let is_there = unsafe { map::populate(page, PAGE) };
    if is_there {
        let pages = &slot.head().peer_pages;
        pages.store(pages.load(Ordering::Relaxed) | peer.page_bit(), Ordering::Relaxed);
    } else {
        losses::count(|losses| &losses.objects);
    }
    is_there
}

/// Empties the records of a slot that another thread had.
pub(crate) fn clear(slot: Slot) {
    let pages = slot.head().peer_pages.load(Ordering::Relaxed);
    let all = (0..PEER_CAPACITY).map(Peer::of_index);
    for peer in all.filter(|peer| pages & peer.page_bit() != 0) {
        slot.peer(peer).clear();
    }
}
