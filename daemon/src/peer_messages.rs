//! The messages that a thread sent to each rank and received from it: as they are read from its slot, and as they were told.

use std::sync::atomic::Ordering;

use whyperf_layout::{Messages, PEERS_OF_PAGE, Peer};
use whyperf_model::{MessageSide, MessageSums, Nanos, Scale};

use crate::region::ThreadSlot;

/// What is known of a thread's messages with a rank, by the side that it was on.
#[derive(Clone, Copy, Debug)]
struct PeerMessages {
    peer: Peer,
    /// When they were read last.
    read: [Messages; 2],
    told: [MessageSums; 2],
    is_told: bool,
}

/// What is known of a thread's messages. What was told is the sum of what it grew by, so that a report and the record of the same run
/// have the same numbers, also while the length of a tick becomes known better.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadMessages {
    /// In the order of their peers.
    peers: Vec<PeerMessages>,
}

impl ThreadMessages {
    /// Reads the records of a slot that are there and in use. A page whose bit is not set is not touched: it would be made by that.
    pub(crate) fn read(&mut self, slot: &ThreadSlot<'_>) {
        let pages = slot.head.peer_pages.load(Ordering::Relaxed);
        let mut at = 0;
        for (first, records) in (0..).step_by(PEERS_OF_PAGE).zip(slot.peers.chunks(PEERS_OF_PAGE)) {
            if pages & Peer::of_index(first).page_bit() == 0 {
                continue;
            }
            for (index, record) in (first..).zip(records) {
                let read = [record.sent(), record.received()];
                if read != [Messages::default(); 2] {
                    at = self.find(Peer::of_index(index), at);
                    let known = &mut self.peers[at];
                    known.is_told &= known.read == read;
                    known.read = read;
                }
            }
        }
    }

    /// The place of a peer that is not before this one.
    fn find(&mut self, peer: Peer, from: usize) -> usize {
        let is_before = |known: &&PeerMessages| known.peer.index() < peer.index();
        let at = from + self.peers[from..].iter().take_while(is_before).count();
        if self.peers.get(at).is_none_or(|known| known.peer != peer) {
            let (read, told) = ([Messages::default(); 2], [MessageSums::default(); 2]);
            self.peers.insert(at, PeerMessages { peer, read, told, is_told: true });
        }
        at
    }

    /// Tells by how much each of them grew since it was told last.
    pub(crate) fn tell(
        &mut self,
        scale: Scale,
        mut tell: impl FnMut(Peer, MessageSide, MessageSums),
    ) {
        let sums = |messages: Messages| MessageSums {
            number: messages.number,
            bytes: messages.bytes,
            time: Nanos(scale.nanos(messages.ticks)),
        };
        for known in self.peers.iter_mut().filter(|known| !known.is_told) {
            known.is_told = true;
            for ((side, read), told) in SIDES.into_iter().zip(known.read).zip(&mut known.told) {
                let by = sums(read).since(*told);
                if by != MessageSums::default() {
                    told.add(by);
                    tell(known.peer, side, by);
                }
            }
        }
    }

    /// The same after all was read and told that is there by now.
    pub(crate) fn until_now(&self, slot: &ThreadSlot<'_>, scale: Scale) -> Self {
        let mut now = self.clone();
        now.read(slot);
        now.tell(scale, |_, _, _| {});
        now
    }

    /// All that was told.
    pub(crate) fn told(&self) -> impl Iterator<Item = (Peer, MessageSide, MessageSums)> + '_ {
        let sides = |known: &PeerMessages| {
            let peer = known.peer;
            SIDES.into_iter().zip(known.told).map(move |(side, told)| (peer, side, told))
        };
        self.peers.iter().flat_map(sides).filter(|(.., told)| *told != MessageSums::default())
    }
}

/// The sides of a message, in the order in which they are kept here.
const SIDES: [MessageSide; 2] = [MessageSide::Sender, MessageSide::Receiver];
