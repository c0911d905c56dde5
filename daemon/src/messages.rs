//! The messages between ranks, from what each thread counted of each of them.

use whyperf_layout::{Messages, PEER_CAPACITY, Peer, PeerRecord};
use whyperf_model::{MessageSums, MessageTable, Nanos, Route, Scale};

use crate::daemon::Daemon;
use crate::process::Process;
use crate::region::ThreadSlot;

/// What a thread sent to a rank and received from it, when it was read last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PeerMessages {
    peer: Peer,
    sent: Messages,
    received: Messages,
}

/// Reads the records of a slot that are there and in use. A page whose bit is not set is not touched: it would be made by that.
pub(crate) fn of_slot(slot: &ThreadSlot<'_>) -> Vec<PeerMessages> {
    let pages = slot.head.peer_pages.load(std::sync::atomic::Ordering::Relaxed);
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

impl Daemon {
    /// The messages between all ranks that are measured, and with others, since the beginning of the run.
    #[must_use]
    pub fn messages(&self) -> MessageTable {
        let mut table = MessageTable::default();
        for process in &self.processes {
            process.add_messages(process.scale(self.scale()), &mut table);
        }
        table
    }
}

impl Process {
    fn add_messages(&self, scale: Scale, table: &mut MessageTable) {
        let Some(own) = self.rank.filter(|_| self.labour.was_met()) else { return };
        let job = self.labour.effort.job;
        let seen = |messages: Messages| MessageSums {
            number: messages.number,
            bytes: messages.bytes,
            time: Nanos(scale.nanos(messages.ticks)),
        };
        for watched in &self.threads {
            let living = watched.is_alive().then(|| self.stage.region()?.slot(watched.thread.slot));
            let now = living.flatten().map(|slot| of_slot(&slot));
            for PeerMessages { peer, sent, received } in
                now.as_deref().unwrap_or(&watched.thread.messages)
            {
                if *sent != Messages::default() {
                    table.add_sent(Route { job, from: Some(own), to: peer.rank() }, seen(*sent));
                }
                if *received != Messages::default() {
                    let route = Route { job, from: peer.rank(), to: Some(own) };
                    table.add_received(route, seen(*received));
                }
            }
        }
    }
}
