//! From what nodes grew by to samples of pairs: the one rule, for whoever has nodes.
//!
//! ```text
//!   a node's region, place, object ──► its class           classes.rs   what a focus and a metric may ask of it
//!   its thread, process, machine   ──► its groups          matcher.rs   who
//!   growth of (groups, class)      ──► amounts of pairs    matcher.rs, active.rs
//!                                  └─► a tally             tally.rs     for whoever keeps it
//! ```
//! Nodes may be in the memory of a running process or in the record of a run that ended: the sum is the same, and made here.

mod active;
mod classes;
mod line;
mod matcher;
mod resources;
mod tally;

pub use active::{Active, OneProcess, PairId, Totals};
pub use classes::{Class, ClassId, Classes, Traits};
pub use line::Line;
pub use matcher::Matcher;
pub use resources::{Changes, Part, ResourceId, Resources};
pub use tally::{Clerk, Grown, Kind, Seat, SeatId, Tally, Worked};
