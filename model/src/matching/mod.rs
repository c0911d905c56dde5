//! Turns the growth of callpath nodes into samples of pairs, by one rule for live and for stored nodes.
//!
//! ```text
//!   a node's region, place, object ──► its class           classes.rs   what a focus and a metric may ask of it
//!   its thread, process, machine   ──► its groups          matcher.rs   which processes
//!   growth of (groups, class)      ──► amounts of pairs    matcher.rs, active.rs
//!                                  ├─► an interval record  interval_record.rs   for the record of a run
//!                                  ├─► totals of the run   run_totals.rs        for pairs that were not measured all the time
//!                                  └─► causes of waits     wait_causes.rs       what others did meanwhile
//! ```
//! Nodes may be in the memory of a running process or in the record of a run that ended: the sum is the same, and this
//! module makes it.

mod active;
mod class_totals;
mod classes;
mod interval_record;
mod line;
mod matcher;
mod meetings;
mod partners;
mod processor_loss;
mod rank_waits;
mod resources;
mod run_totals;
mod thread_waits;
mod wait_cause;
mod wait_causes;
mod wait_pattern;
mod wrong_order;

pub use active::{Active, OneProcess, PairId, Totals};
pub use classes::{Class, ClassId, Classes, STREAMS, Traits};
pub use interval_record::{
    Grown, IntervalRecord, IntervalRecorder, Kind, Location, LocationId, LockWait, Worked,
};
pub use line::Line;
pub use matcher::Matcher;
pub use rank_waits::{CausedTime, RankDelay, RunPlace, WaitingRank};
pub use resources::{Changes, Part, ResourceId, Resources, ThreadPlace};
pub use run_totals::RunTotals;
pub use thread_waits::AwaitedThread;
pub use wait_cause::CausedBy;
pub use wait_causes::{CausedWait, WaitCauses};
pub use wait_pattern::WaitPattern;
