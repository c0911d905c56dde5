//! In which state each function of each process is, what it costs, and how it gets its original bytes back.
//!
//! ```text
//!   pairs ──► wanted: resource ──► functions ──► plans        (worker: names, code, calls)
//!                                      │
//!       each sampling pass, each process: patch table ──► arena, arm, switch, disarm
//! ```
//! What is wanted is one map; every process is brought to it, those that join late too.
//! Knows no hypotheses: a pair is a metric at a focus, whether a search or a user asks for it.

mod activity;
mod agent;
mod arena;
mod asked_functions;
mod contribution;
mod instrumenter;
mod inventory;
mod messages;
mod modules;
mod named_pairs;
mod objects;
mod open_calls;
mod patch;
mod patch_table;
mod pc_samples;
mod references;
mod refusal;
mod regions;
mod sampling;
mod search;
mod stacks;
mod stage;
mod status;
mod visit_budget;
mod watched;
mod window;
mod worker;
mod worker_channel;

pub use activity::{Activity, Entered, Span};
pub use agent::Agent;
pub use instrumenter::{Instrumenter, Service};
pub use named_pairs::{Basis, PairTotal, ProcessInterval};
pub use objects::{Objects, OpenedObject};
pub use patch::patch_of;
pub use refusal::sentence;
pub use regions::Begun;
pub use status::PairStatus;
