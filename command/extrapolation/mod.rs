//! The verbs about other machines than this one: `extrapolate`, `what-if`, `trace` and `machine`.

pub(crate) mod extrapolate;
mod extrapolated;
mod guess;
mod journal;
mod keeping;
pub(crate) mod machines;
mod measure;
mod measurement;
mod ranking;
mod results;
mod sweep;
pub(crate) mod trace_store;
pub(crate) mod traces;
mod variants;
pub(crate) mod what_if;
