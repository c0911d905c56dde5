//! Instruments the functions of measured processes: keeps the state of each function and its cost, and gives the function
//! its original bytes back.
//!
//! ```text
//!   pairs ──► wanted: resource ──► functions ──► plans        (worker: names, code, calls)
//!                                      │
//!       each sampling pass, each process: patch table ──► arena, arm, switch, disarm
//! ```
//! One map says which functions are wanted; every process is brought to that state, also one that joins late. The crate
//! knows no hypotheses: a pair is a metric at a focus, whether a search or a user asks for it.

mod activity;
mod agent;
mod agreement;
mod announcements;
mod arena;
mod asked_functions;
mod brought_amount;
mod contribution;
mod filtered_function;
mod found_functions;
mod function_key;
mod gap_error;
mod hot_code;
mod instrumenter;
mod interval;
mod listed_code;
mod messages;
mod meter;
mod named_pairs;
mod objects;
mod open_calls;
mod outside_cost;
mod pair_functions;
mod pair_needs;
mod pair_total;
mod patch;
mod patch_site;
mod patch_table;
mod pc_samples;
mod process_interval;
mod processes;
mod program_code;
mod refusal;
mod regions;
mod sample_price;
mod sampled_process;
mod sampled_share;
mod sampled_time;
mod stage;
mod status;
mod switch_meter;
mod visit_budget;
mod wait_places;
mod window;
mod worker;
mod worker_channel;

pub use activity::{Activity, ActivitySpan, Entered};
pub use agent::Agent;
pub use announcements::FunctionNews;
pub use hot_code::{HotCode, HotProfile};
pub use instrumenter::{Instrumenter, Service};
pub use messages::CounterSample;
pub use objects::{Objects, OpenedObject};
pub use outside_cost::OutsideCost;
pub use pair_needs::{PairOrigin, may_be_sampled};
pub use pair_total::{Basis, PairTotal};
pub use patch::patch_of;
pub use process_interval::ProcessInterval;
pub use processes::StackSamplePlace;
pub use program_code::{Called, ProgramCode};
pub use refusal::sentence;
pub use regions::Begun;
pub use sampled_share::SampledShare;
pub use status::PairStatus;
pub use worker_channel::WORKER;
