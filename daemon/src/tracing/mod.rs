//! The trace of a run while it is measured: a thread drains the rings of all traced threads into one file, which is read when the run is over.
//!
//! ```text
//!   <pid>-<thread>.trace, one ring each ──► TraceCollector (a thread) ──► spool: chunks of whole entries ──► CollectedTrace
//! ```
//! It reads what other processes write: a ring is believed only as far as it is a ring, a file that shrinks reads as zeros, and
//! what makes no sense is counted. The spool holds no more than the limit; what comes after that is counted, and not kept.

mod collected;
mod collector;
mod stream;
mod traced_process;
mod turns;

pub use collected::{CollectedTrace, TracedEntries, TracedThread};
pub use collector::TraceCollector;
pub use traced_process::{TracedObject, TracedProcess, TracedRegion};
pub use turns::TurnFile;
