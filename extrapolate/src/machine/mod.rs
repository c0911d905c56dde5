//! The machine that a trace is simulated on, as plain figures: one file for each of its models.
//!
//! ```text
//!   processor.rs       how fast it computes, when it answers requests of others, how many there are
//!   network.rs         messages: LogGOPS, with figures by size, eager and rendezvous
//!   interconnect.rs    which links a message takes, and how messages share them
//!   remote_access.rs   reads and writes of the memory of another rank
//!   collective.rs      which algorithm each collective call uses
//!   barrier.rs         how ranks meet: linear with ExtraP's parameters, tree, dissemination, hardware
//!   noise.rs           what the operating system takes away
//!   parameter.rs       the figures that a sweep can vary
//! ```

mod barrier;
mod collective;
mod interconnect;
mod network;
mod noise;
mod parameter;
mod processor;
mod remote_access;

pub use barrier::{Barrier, LinearBarrier, MessageUse};
pub use collective::{Algorithm, AlgorithmChoice, Collectives};
pub use interconnect::Interconnect;
pub(crate) use interconnect::Passage;
pub use network::{LogGops, Network, SizeRange};
pub use noise::Noise;
pub use parameter::{Parameter, ParameterUnit};
pub use processor::{Processors, ServicePolicy};
pub use remote_access::RemoteAccessModel;

/// A machine, complete.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Machine {
    /// What it is called.
    pub name: String,
    /// Its processors.
    pub processors: Processors,
    /// Its messages.
    pub network: Network,
    /// Its links.
    pub interconnect: Interconnect,
    /// Its accesses to the memory of other ranks.
    pub remote_access: RemoteAccessModel,
    /// Its collective calls.
    pub collectives: Collectives,
    /// Its barriers.
    pub barrier: Barrier,
    /// What its operating system takes away.
    pub noise: Noise,
}

impl Machine {
    /// One that communicates in no time: what is left is computing, and waiting for those that compute longer.
    #[must_use]
    pub fn ideal() -> Self {
        Self { name: "ideal".to_owned(), ..Self::default() }
    }
}
