//! Makes traces of what was recorded of runs, and says what their bottlenecks are worth.

mod code_paths;
mod collective_call;
mod communicators;
mod counts;
mod location;
pub(crate) mod recorded_trace;
mod requests;
mod tables;
mod thread_facts;
pub(crate) mod trace_resources;
pub(crate) mod worth;
