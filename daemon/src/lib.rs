//! The daemon, one per machine: finds measured processes, reads their regions and answers pairs with samples.
//!
//! This crate knows regions, processes, symbols and the time of nodes; it knows no hypotheses (`live.rs` alone names the
//! consultant, and only its `DataSource`). It trusts nothing that it reads: every index is checked, every length bounded,
//! and a file that shrinks under its mapping costs one process's numbers, not the daemon.
//!
//! ```text
//!   run_directory ► discovery ► region (mapping) ► process ► thread: a pass over nodes
//!                                                    │           │ growth
//!                         symbols (worker thread) ◄──┘           ▼
//!                             │ locations of call sites   catalogue: node ► class
//!                             └──────────────────────────►       │
//!                    counters (of the kernel, the processor) ──► │
//!                                                         model's matcher: class ► pairs ► histograms
//! ```
//!
//! [`Daemon`] ties them together: call [`Daemon::sample`] every interval; time is an argument.

mod address_room;
mod bindings;
mod catalogue;
mod clock;
mod compensation;
mod control;
mod control_group;
mod cost;
mod counted;
mod counted_event;
mod counted_state;
mod counter_account;
mod daemon;
mod departure;
mod discovery;
mod efficiency;
mod ending;
mod error;
mod event_form;
mod families;
mod functions;
mod group_coverage;
mod growing_mapping;
mod grown_node;
mod interval_record;
mod kept;
mod kernel_time;
mod known_reasons;
mod leaving;
mod live;
mod memory_room;
mod messages;
#[cfg(test)]
#[path = "../../tests/needs.rs"]
mod needs;
mod object_name;
mod own_threads;
mod pausing;
mod peer_messages;
mod phases;
mod pipe_peers;
mod pipe_users;
mod placement;
mod process;
mod process_rest;
mod process_stage;
mod processors;
mod profile;
mod program_metadata;
mod progress;
mod rank_readiness;
mod ready_looks;
mod region;
mod run_amount;
mod run_directory;
mod running;
mod running_split;
mod sampling_pass;
mod servers;
mod shared_state;
mod slot_mappings;
mod source;
mod succession;
mod switched;
mod symbols;
mod tables;
mod thread;
mod thread_activity;
mod thread_causes;
mod thread_counters;
mod tracing;
mod unseen_wait;
mod untold_threads;
mod user_events;
mod wait_causes;
mod wait_objects;
mod watched_thread;
mod work;

pub use bindings::{RankBinding, running_ranks};
pub use clock::Moment;
pub use control::{SwitchedBy, SwitchedOff};
pub use cost::{ObservedCost, ProcessCost, RunLosses};
pub use counted::{CountedFunction, CountedProcess, CounterTotals};
pub use counted_event::checked as checked_counters;
pub use daemon::{Counts, Daemon, DaemonSettings};
pub use departure::Unrestored;
pub use discovery::UnmadeProcess;
pub use error::Error;
pub use functions::RefusedFunction;
pub use live::{Live, Pace};
pub use processors::{TakenShares, allowed_processors};
pub use profile::{ProfileRow, View};
pub use program_metadata::ProcessMetadata;
pub use progress::{Milestone, MilestoneKind, Progress};
pub use run_amount::Amount;
pub use run_directory::{DirectoryClaim, RunDirectory, Swept, leftovers, sweep};
pub use sampling_pass::{Complaint, ProcessNote, SamplingPass};
pub use switched::{SwitchOutcome, Switched};
pub use tracing::{
    CollectedTrace, TraceCollector, TracedEntries, TracedObject, TracedProcess, TracedRegion,
    TracedThread, TurnFile,
};
pub use whyperf_inject::CounterRefusal;
pub use whyperf_layout::{MessageAct, NO_ONE, Traced};
pub use whyperf_model::matching::PairId;
