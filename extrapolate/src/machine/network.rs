//! Messages by LogGOPS: latency L, overhead o, gap g, gap a byte G, overhead a byte O, and the size S up to which sends are eager.
//!
//! A message of s bytes sent at t, without contention:
//!
//! ```text
//!   sender    busy  t .. t+o_s+(s-1)O          its port is taken for g+(s-1)G from t+o_s on
//!   head      at the receiver's port            t+o_s+L, which is taken for g+(s-1)G as well
//!   receiver  has it when the last byte is in   t+o_s+L+(s-1)·max(G,O), and is busy for o_r after that
//! ```
//!
//! Above S the sender first announces the message and the receiver answers when it has a receive for it: the data starts L after
//! both are there, and the send is over when the last byte has left. Sources: Alexandrov and others, *LogGP*; Hoefler and others, *LogGOPSim*.

use crate::identity::Bytes;
use crate::time::SimTime;

/// The messages of a machine, between nodes and inside one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// Between nodes.
    pub between: LogGops,
    /// Inside a node; `None` where it costs the same. Each processor has ports of its own there.
    pub inside: Option<LogGops>,
}

/// The figures of messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogGops {
    /// By size, smallest first. Messages longer than all take the last one; without any, messages cost nothing.
    pub ranges: Vec<SizeRange>,
    /// Up to which size a send does not wait for its receiver; `None`: it never does.
    pub eager: Option<Bytes>,
}

/// The figures of messages up to a size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SizeRange {
    /// Up to this many bytes; `None` for all.
    pub up_to: Option<Bytes>,
    /// L: from port to port.
    pub latency: SimTime,
    /// o at the sender.
    pub send_overhead: SimTime,
    /// o at the receiver.
    pub receive_overhead: SimTime,
    /// g: a port between the starts of two messages.
    pub gap: SimTime,
    /// G: a port a byte.
    pub gap_per_byte: SimTime,
    /// O: a processor a byte.
    pub overhead_per_byte: SimTime,
}

impl LogGops {
    /// One set of figures for all sizes.
    #[must_use]
    pub fn of(figures: SizeRange, eager: Option<Bytes>) -> Self {
        Self { ranges: vec![figures], eager }
    }

    /// The figures of a size.
    pub(crate) fn range(&self, bytes: Bytes) -> SizeRange {
        let fits = |range: &&SizeRange| range.up_to.is_none_or(|up_to| bytes <= up_to);
        let found = self.ranges.iter().find(fits).or_else(|| self.ranges.last());
        found.copied().unwrap_or_default()
    }

    /// Whether a send of this size waits for its receiver.
    pub(crate) fn is_rendezvous(&self, bytes: Bytes) -> bool {
        self.eager.is_some_and(|most| bytes > most)
    }
}
