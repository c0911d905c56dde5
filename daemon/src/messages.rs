//! The messages between ranks, from what each thread counted of each of them.

use whyperf_layout::Peer;
use whyperf_model::{MessageGrowth, MessageSide, MessageSums, MessageTable, Route, Scale};

use crate::daemon::Daemon;
use crate::peer_messages::{PeerGrowth, RecordsToRead};
use crate::process::{PassOutcome, Process};
use crate::region::{RegionMemory, ThreadSlot};
use crate::shared_state::SharedState;
use crate::watched_thread::WatchedThread;

impl Daemon {
    /// The messages between all ranks that are measured, and with others, from the beginning of the run: until the last pass where passes
    /// are recorded, so that a record adds up to it, and until now otherwise.
    #[must_use]
    pub fn messages(&self) -> MessageTable {
        let mut table = MessageTable::default();
        for process in &self.processes {
            let Some(rank) = process.rank_of_job() else { continue };
            let scale = process.scale(self.scale());
            for watched in &process.threads {
                let told = |(peer, side, by)| table.add(rank.growth(peer, side, by));
                let messages = &watched.thread.messages;
                match process.slot(watched).filter(|_| self.state.recorder.is_none()) {
                    Some(slot) => messages.until_now(&slot, scale).told().for_each(told),
                    None => messages.told().for_each(told),
                }
            }
        }
        table
    }
}

/// A rank and its job.
#[derive(Clone, Copy, Debug)]
struct RankOfJob {
    job: u32,
    rank: u32,
}

impl RankOfJob {
    /// What it saw of its messages with another rank.
    const fn growth(self, peer: Peer, side: MessageSide, by: MessageSums) -> MessageGrowth {
        let Self { job, rank } = self;
        let [from, to] = match side {
            MessageSide::Sender => [Some(rank), peer.rank()],
            MessageSide::Receiver => [peer.rank(), Some(rank)],
        };
        MessageGrowth { route: Route { job, from, to }, side, by }
    }
}

impl Process {
    /// Tells by how much messages grew, once it is known to be a rank.
    pub(crate) fn tell_messages(
        &mut self,
        region: &RegionMemory,
        (scale, records, outcome): (Scale, RecordsToRead, PassOutcome),
        state: &mut SharedState,
    ) {
        let rank = self.rank_of_job();
        let scale = self.scale(scale);
        for watched in &mut self.threads {
            // A process that said that it ends has threads that did not.
            let is_alive = watched.is_alive() && outcome == PassOutcome::Running;
            let messages = &mut watched.thread.messages;
            let records = if is_alive { records } else { RecordsToRead::All };
            if messages.is_over {
                continue;
            }
            // From here on another thread may have the slot.
            messages.is_over = !is_alive;
            let slot = region.slot(watched.thread.slot);
            let Some((slot, rank)) = slot.zip(rank) else { continue };
            messages.read(&slot, records, scale, |peer, side, PeerGrowth { by, so_far }| {
                let growth = rank.growth(peer, side, by);
                state.wait_causes.exchanged(&growth);
                if let Some(recorder) = &mut state.recorder {
                    recorder.message(growth, so_far);
                }
            });
        }
    }

    /// The slot of a thread that is read in each pass.
    fn slot(&self, watched: &WatchedThread) -> Option<ThreadSlot<'_>> {
        let living = watched.is_alive().then_some(watched.thread.slot);
        self.stage.region()?.slot(living?)
    }

    fn rank_of_job(&self) -> Option<RankOfJob> {
        let rank = self.rank.filter(|_| self.efficiency.was_met())?;
        Some(RankOfJob { job: self.efficiency.effort.job, rank })
    }
}
