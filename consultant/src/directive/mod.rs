//! Directives: advice of earlier runs or of a person to a search, such as which questions come first, which are never
//! asked, and which threshold counts.
//!
//! ```text
//! whyperf directives 1
//! map       /Code/oned.c  /Code/onednb.c                  # where other directives use the left name, they mean the right one
//! map       /Machine/n{0-7}  /Machine/x{120-127}          # in pairs: n0 is now called x120, n1 x121, and so on
//! prune     *  /Machine                                   # never ask by machine; `!X` is all hypotheses but X
//! priority  high  ExcessiveSyncWaitingTime  </Code/onednb.c/exchng1,/Machine,/Process,/SyncObject>
//! threshold ExcessiveSyncWaitingTime  0.12
//! hold      2 s                                           # classic verdicts conclude after this time; in s or ms
//! ```
//!
//! Each line is one directive; `#` begins a comment that belongs to its line. The reader reports every mistake with its
//! line and column, and uses nothing of a file that has one. Files are put together as [`Directives`];
//! [`DirectivesInForce`] is what a search makes of them.

mod definition;
mod in_force;
mod maps;
mod mistake;
mod parse;
mod range;

pub use definition::{Directive, DirectiveLine, Directives, Level, PrunedHypotheses};
pub(crate) use in_force::Ruling;
pub use in_force::{DirectiveRefusal, DirectivesInForce};
pub use maps::NameMaps;
pub use mistake::{DirectiveError, Mistake};
