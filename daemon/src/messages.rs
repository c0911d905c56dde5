//! The messages between ranks, from what each thread counted of each of them.

use whyperf_layout::Messages;
use whyperf_model::{MessageSums, MessageTable, Nanos, Route, Scale};

use crate::daemon::Daemon;
use crate::peer_messages::{PeerMessages, of_slot};
use crate::process::Process;

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
        let Some(own) = self.rank.filter(|_| self.efficiency.was_met()) else { return };
        let job = self.efficiency.effort.job;
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
