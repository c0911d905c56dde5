//! Commands to the measured processes and what they reply.

use std::sync::atomic::Ordering;

use whyperf_layout::{Command, Message, Reply};

use crate::process::Process;

/// A region that was switched, or could not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switched {
    /// Rank or process id.
    pub process: String,
    /// Name of the region.
    pub region: String,
    /// What became of it.
    pub outcome: SwitchOutcome,
}

/// What a process replied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchOutcome {
    /// It is on now.
    On,
    /// It is off now.
    Off,
    /// The process switched it off by itself after so many visits: it was too hot.
    TooHot {
        /// Visits by then.
        visits: u64,
    },
    /// The process could not do it.
    Refused,
}

impl Process {
    /// Asks for every region of this name to be switched; answers how many were asked for.
    pub(crate) fn switch(&self, region: &str, on: bool) -> usize {
        let Some(memory) = &self.region else { return 0 };
        let what = if on { Command::SwitchOn } else { Command::SwitchOff } as u64;
        let named = self.catalogue.tables.regions.iter().enumerate().skip(1);
        let sent = named.filter(|(_, entry)| entry.name == region).filter(|(number, _)| {
            let message = Message { what, arguments: [*number as u64, 0, 0] };
            memory.commands().send(memory.replies(), message)
        });
        let sent = sent.count();
        if sent > 0 {
            ring_doorbell(memory);
        }
        sent
    }

    /// Tells the process that somebody reads, and takes its replies.
    pub(crate) fn converse(&self) -> Vec<Switched> {
        let Some(memory) = &self.region else { return Vec::new() };
        let heartbeat = &memory.commands().heartbeat;
        heartbeat.store(heartbeat.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        let mut switched = Vec::new();
        // No more than fit into the ring: a process that replies on and on does not hold us up.
        for _ in 0..whyperf_layout::ring::RING {
            let Some(reply) = memory.replies().receive(memory.commands()) else { break };
            switched.extend(self.reply(&reply));
        }
        switched
    }

    fn reply(&self, reply: &Message) -> Option<Switched> {
        let [first, second, _] = reply.arguments;
        // A refusal repeats the command before its arguments.
        let refused = reply.what == Reply::Refused as u64;
        let (region, detail) = if refused { (second, 0) } else { (first, second) };
        if refused && first != Command::SwitchOn as u64 && first != Command::SwitchOff as u64 {
            return None;
        }
        let outcome = match reply.what {
            what if what == Reply::Switched as u64 && detail != 0 => SwitchOutcome::On,
            what if what == Reply::Switched as u64 => SwitchOutcome::Off,
            what if what == Reply::TooHot as u64 => SwitchOutcome::TooHot { visits: detail },
            _ if refused => SwitchOutcome::Refused,
            _ => return None,
        };
        let entry = self.catalogue.tables.region(u32::try_from(region).ok()?)?;
        Some(Switched { process: self.label(), region: entry.name.clone(), outcome })
    }
}

/// Wakes the agent. Nobody may be sleeping there: that is no failure.
pub(crate) fn ring_doorbell(memory: &crate::region::Region) {
    let flags = rustix::thread::futex::Flags::empty();
    let _ = rustix::thread::futex::wake(&memory.commands().doorbell, flags, 1);
}
