//! Accesses to the memory of another rank: a request to its owner, and an answer with the data, as in ExtraP.
//!
//! ```text
//!   reader   o_s ─── request ──►  wait ......................................  o_r
//!   owner                        as its policy has it: o_r, service, o_s ── data ──►
//! ```
//!
//! Both messages are messages of the network, with its overheads, ports and links. Ranks of one processor share memory.

use crate::identity::Bytes;
use crate::time::SimTime;

/// What an access takes besides its two messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemoteAccessModel {
    /// How long a request is, and the answer to a write.
    pub request: Bytes,
    /// What the answer has beside the data, and a write beside its data.
    pub header: Bytes,
    /// What the runtime system of the owner takes to find the data.
    pub service: SimTime,
}
