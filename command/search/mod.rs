//! The inputs of every search: directives, hypotheses, verdicts and phases.

pub(crate) mod directive_file;
pub(crate) mod dwell_time;
pub(crate) mod evaluation;
pub(crate) mod inputs;
pub(crate) mod metrics;
pub(crate) mod near_names;
pub(crate) mod phases;
pub(crate) mod storage;
pub(crate) mod values;
