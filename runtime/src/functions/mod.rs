//! The instrumented functions: their sites, their open calls, their costs, and when they are on.
//!
//! ```text
//!   index, pool ──► site ◄── counts, announced        windows ──► budget ──► site
//! ```
//! Nothing here changes code of the program: `patch` does that, which is above the events.

pub(crate) mod announced;
pub(crate) mod budget;
pub(crate) mod call_list;
pub(crate) mod counts;
mod index;
pub(crate) mod pool;
pub(crate) mod site;
pub(crate) mod windows;
