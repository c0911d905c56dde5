//! `runs`, `show`, `diagnose` and `directives`: what stored runs say.

pub(crate) mod diagnose;
pub(crate) mod directives;
pub(crate) mod reading;
pub(crate) mod runs;
pub(crate) mod show;
