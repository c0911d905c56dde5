//! The injected runtime, inside the measured process: events, clock, switches, threads.
//!
//! The event path ([`event`]) touches the calling thread's own memory only: no lock, no allocation,
//! no system call. Everything else is a cold path, allowed to be slow but not to be noticed: it
//! preserves `errno`, blocks signals while it holds the one lock, and counts what it must skip.
//!
//! Each line uses only the lines above it, and of its own line what stands to the left:
//!
//! ```text
//!   leaves      range, number, directory, once_pointer, spin_lock, zero_ended_path, process_status, thread_local, view
//!   kernel      kernel, clock, own_memory, listening_page, interrupted_call, environ, switch, lock, attach_request, machine_facts
//!   process     measurement, replies, heartbeat, last_thread_watchdog
//!   region      sigbus_handler, map, strings, region, ring, turns
//!   functions   functions: the table of instrumented functions
//!   creation    agent_thread, creation, object, losses
//!   thread      node_index, returns, thread, limit, tree, event_costs, child_cache, tracing, closing, peers, registration
//!   event       slow, user_event, event, guard, call_cost, birth, startup_barrier
//!   patch       patch: code that changes, and visits of instrumented functions; calibration
//!   life        process, attachment, leaving, sandbox, fork, agent, load
//! ```
//! Four calls go up. A thread that registers measures the cost of an event, and carries out commands of the daemon; one that ends
//! is told to those who change code; the agent's thread calls its body. `load` hands these functions down, once, before anything is
//! measured.
#![cfg(not(loom))]
#![cfg_attr(not(test), no_std)]

mod agent;
pub mod agent_thread;
pub mod attach_request;
pub mod attachment;
pub mod birth;
mod calibration;
pub mod call_cost;
mod child_cache;
pub mod clock;
mod closing;
mod creation;
mod directory;
pub mod environ;
pub mod event;
mod event_costs;
pub mod fork;
mod functions;
pub mod guard;
mod heartbeat;
mod interrupted_call;
mod kernel;
mod last_thread_watchdog;
mod leaving;
mod limit;
mod listening_page;
pub mod load;
mod lock;
pub mod losses;
mod machine_facts;
mod map;
pub mod measurement;
mod node_index;
mod number;
pub mod object;
mod once_pointer;
pub mod own_memory;
pub mod patch;
pub mod peers;
pub mod process;
mod process_status;
mod range;
mod region;
mod registration;
mod replies;
mod returns;
mod ring;
pub mod sandbox;
mod sigbus_handler;
mod slow;
mod spin_lock;
pub mod startup_barrier;
mod strings;
mod switch;
mod thread;
pub mod thread_local;
pub mod tracing;
mod tree;
mod turns;
mod user_event;
mod view;
mod zero_ended_path;

pub use object::ObjectId;
pub use once_pointer::OncePointer;
pub use region::Region;
