//! In which state each function of each process is, what it costs, and how it gets its original bytes back.
//!
//! ```text
//!   pairs ──► wanted: resource ──► functions ──► plans        (worker: names, code, calls)
//!                                      │
//!                each round, each process: armory ──► arena, arm, switch, disarm
//! ```
//! What is wanted is one map; every process is brought to it, those that join late too.
//! Knows no hypotheses: a pair is a metric at a focus, whoever asks for it.

mod account;
mod activity;
mod agent;
mod allowance;
mod arena;
mod armory;
mod book;
mod desk;
mod instrumenter;
mod inventory;
mod ledger;
mod modules;
mod objects;
mod open_calls;
mod outlook;
mod patch;
mod references;
mod refusal;
mod regions;
mod sampling;
mod search;
mod stacks;
mod stage;
mod standing;
mod watched;
mod window;
mod worker;

pub use activity::{Activity, Entered, Span};
pub use agent::Agent;
pub use instrumenter::{Instrumenter, Service};
pub use ledger::{Basis, Seat, Sum};
pub use objects::{Known, Objects};
pub use patch::patch_of;
pub use refusal::sentence;
pub use regions::Begun;
pub use standing::Standing;
