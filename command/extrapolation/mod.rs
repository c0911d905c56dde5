//! The verbs about machines that are not there: `machine`.

pub(crate) mod machines;
mod measure;
mod measurement;
