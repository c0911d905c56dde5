//! The messages that a thread sent to each rank and received from it: as they are read from its slot, and as they were told.

use std::sync::atomic::Ordering;

use whyperf_layout::{Messages, PEER_CAPACITY, Peer, PeerRecord};
use whyperf_model::{MessageSide, MessageSums, Nanos, Scale};

use crate::region::ThreadSlot;

/// What a thread sent to a rank and received from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PeerMessages<T> {
    peer: Peer,
    sent: T,
    received: T,
}

/// What is known of a thread's messages. What was told is the sum of what it grew by, so that a report and the record of the same run
/// have the same numbers, also while the length of a tick becomes known better.
#[derive(Debug, Default)]
pub(crate) struct ThreadMessages {
    /// All of it, when it was read last and was not told yet; by peer.
    read: Vec<PeerMessages<Messages>>,
    /// What was told so far; by peer.
    told: Vec<PeerMessages<MessageSums>>,
}

impl ThreadMessages {
    /// Reads the records of a slot that are there and in use. A page whose bit is not set is not touched: it would be made by that.
    pub(crate) fn read(&mut self, slot: &ThreadSlot<'_>) {
        self.read.clear();
        let pages = slot.head.peer_pages.load(Ordering::Relaxed);
        if pages == 0 {
            return;
        }
        let read = |(index, record): (usize, &PeerRecord)| {
            let peer = Peer::of_index(index);
            let is_there = pages & peer.page_bit() != 0;
            let [sent, received] = if is_there {
                [record.sent(), record.received()]
            } else {
                [Messages::default(); 2]
            };
            let is_used = sent != received || sent != Messages::default();
            is_used.then_some(PeerMessages { peer, sent, received })
        };
        let records = slot.peers.iter().take(PEER_CAPACITY).enumerate();
        self.read.extend(records.filter_map(read));
    }

    /// Tells by how much each of them grew since it was told last.
    pub(crate) fn tell(
        &mut self,
        scale: Scale,
        mut told: impl FnMut(Peer, MessageSide, MessageSums),
    ) {
        let sums = |messages: Messages| MessageSums {
            number: messages.number,
            bytes: messages.bytes,
            time: Nanos(scale.nanos(messages.ticks)),
        };
        let mut at = 0;
        for PeerMessages { peer, sent, received } in self.read.drain(..) {
            let is_before = |one: &PeerMessages<MessageSums>| one.peer.index() < peer.index();
            at += self.told[at..].iter().take_while(|one| is_before(one)).count();
            if self.told.get(at).is_none_or(|one| one.peer != peer) {
                let none = MessageSums::default();
                self.told.insert(at, PeerMessages { peer, sent: none, received: none });
            }
            let known = &mut self.told[at];
            for (side, now, known) in [
                (MessageSide::Sender, sums(sent), &mut known.sent),
                (MessageSide::Receiver, sums(received), &mut known.received),
            ] {
                let by = now.since(*known);
                if by != MessageSums::default() {
                    known.add(by);
                    told(peer, side, by);
                }
            }
        }
    }

    /// All that was told.
    pub(crate) fn told(&self) -> impl Iterator<Item = (Peer, MessageSide, MessageSums)> + '_ {
        let sides = |one: &PeerMessages<MessageSums>| {
            let (sent, received) = (MessageSide::Sender, MessageSide::Receiver);
            [(one.peer, sent, one.sent), (one.peer, received, one.received)]
        };
        self.told.iter().flat_map(sides).filter(|(.., seen)| *seen != MessageSums::default())
    }
}
