//! The messages that a thread sent to each rank and received from it, read from the thread's slot.

use std::sync::atomic::Ordering;

use whyperf_layout::{Messages, PEER_CAPACITY, Peer, PeerRecord};

use crate::region::ThreadSlot;

/// What a thread sent to a rank and received from it, when it was read last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PeerMessages {
    pub(crate) peer: Peer,
    pub(crate) sent: Messages,
    pub(crate) received: Messages,
}

/// Reads the records of a slot that are there and in use. A page whose bit is not set is not touched: it would be made by that.
pub(crate) fn of_slot(slot: &ThreadSlot<'_>) -> Vec<PeerMessages> {
    let pages = slot.head.peer_pages.load(Ordering::Relaxed);
    if pages == 0 {
        return Vec::new();
    }
    let read = |(index, record): (usize, &PeerRecord)| {
        let peer = Peer::of_index(index);
        let is_there = pages & peer.page_bit() != 0;
        let [sent, received] =
            if is_there { [record.sent(), record.received()] } else { [Messages::default(); 2] };
        (sent != received || sent != Messages::default()).then_some(PeerMessages {
            peer,
            sent,
            received,
        })
    };
    slot.peers.iter().take(PEER_CAPACITY).enumerate().filter_map(read).collect()
}
