//! What earlier runs or a person say to a search: which questions first, which never, and when a value is too large.
//!
//! ```text
//! whyperf directives 1
//! map       /Code/oned.c  /Code/onednb.c                  # the others speak of the left name and mean the right one
//! map       /Machine/n{0-7}  /Machine/x{120-127}          # in pairs: n0 is called x120 now, n1 x121, and so on
//! prune     *  /Machine                                   # never ask by machine; `!X` is all hypotheses but X
//! priority  high  ExcessiveSyncWaitingTime  </Code/onednb.c/exchng1,/Machine,/Process,/SyncObject>
//! threshold ExcessiveSyncWaitingTime  0.12
//! hold      2 s                                           # classic verdicts conclude after this time; in s or ms
//! ```
//!
//! One a line, `#` begins a comment that belongs to its line. Reading complains about every mistake with its line and column;
//! nothing is used of what has any. Files are put together as [`Directives`]; [`DirectivesInForce`] is what a search makes of them.

mod definition;
mod in_force;
mod maps;
mod mistake;
mod parse;
mod range;

pub use definition::{Directive, DirectiveLine, Directives, Level, Whom};
pub use in_force::DirectivesInForce;
pub(crate) use in_force::Ruling;
pub use maps::NameMaps;
pub use mistake::{DirectiveError, Mistake};
