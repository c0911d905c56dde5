//! The agent of a process, seen from outside: the commands to it, its replies, and the state of each region that it
//! reports.

use std::sync::atomic::AtomicU64;

use whyperf_layout::{Command, CommandPage, PatchRecord, RegionRecord, ReplyPage, Sequence};

/// The parts of a process's region file that are shared with its agent.
#[derive(Clone, Copy, Debug)]
pub struct Agent<'process> {
    /// Where commands are put in.
    pub commands: &'process CommandPage,
    /// Where replies are taken out.
    pub replies: &'process ReplyPage,
    /// Where functions to be patched are described.
    pub staging: &'process [PatchRecord],
    /// What became of each of them: its region in the upper half, an outcome in the lower.
    pub results: &'process [AtomicU64],
    /// The regions in use.
    pub regions: &'process [RegionRecord],
}

impl Agent<'_> {
    /// Puts a command into the ring; `None` when there is no room for it.
    #[must_use]
    pub fn send(&self, command: Command) -> Option<Sequence> {
        self.commands.send(self.replies, command.encode())
    }

    /// Rings the agent's doorbell. An agent that does not sleep there is no failure.
    pub fn wake(&self) {
        let flags = rustix::thread::futex::Flags::empty();
        let _ = rustix::thread::futex::wake(&self.commands.doorbell, flags, 1);
    }
}

/// What the parts of a process's instrumentation need to know in a sampling pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AgentTurn<'process> {
    pub(crate) agent: Agent<'process>,
    pub(crate) pass: u64,
}

impl AgentTurn<'_> {
    pub(crate) fn send(&self, command: Command) -> bool {
        self.agent.send(command).is_some()
    }
}
