//! The verbs about other machines than this one: `machine` and `trace`.

pub(crate) mod machines;
mod measure;
mod measurement;
pub(crate) mod traces;
