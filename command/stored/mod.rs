//! The verbs about stored runs: `runs`, `show`, `diagnose` and `directives`.

pub(crate) mod diagnose;
pub(crate) mod directives;
mod messages;
mod reading;
pub(crate) mod runs;
pub(crate) mod show;
