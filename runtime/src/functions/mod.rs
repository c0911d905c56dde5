//! What is known of instrumented functions: their sites, their open calls, what they cost, and when they are on.
//!
//! ```text
//!   index, pool ──► site ◄── counts, announced        windows ──► budget ──► site
//! ```
//! Nothing here changes code of the program: that is `patch`, which is above the events.

pub(crate) mod announced;
pub(crate) mod budget;
pub(crate) mod call_list;
pub(crate) mod counts;
mod index;
pub(crate) mod pool;
pub(crate) mod site;
pub(crate) mod windows;
