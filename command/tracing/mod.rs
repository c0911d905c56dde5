//! Makes traces of what was recorded of runs, and says what their bottlenecks are worth.

pub(crate) mod awaited;
pub(crate) mod code_paths;
mod collective_call;
mod communicators;
mod counts;
mod cure;
mod cured_run;
mod location;
pub(crate) mod meetings;
pub(crate) mod recorded_trace;
mod requests;
pub(crate) mod resource_facts;
mod tables;
mod thread_facts;
pub(crate) mod trace_resources;
pub(crate) mod worth;
