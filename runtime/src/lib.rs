//! What runs inside the measured process: events, clock, switches, threads.
//!
//! The event path ([`event`]) touches the calling thread's own memory only: no lock, no allocation,
//! no system call. Everything else is a cold path, allowed to be slow but not to be noticed: it
//! preserves `errno`, blocks signals while it holds the one lock, and counts what it must skip.
#![cfg(not(loom))]
#![cfg_attr(not(test), no_std)]

pub mod agent;
pub mod attach_request;
pub mod attachment;
pub mod birth;
mod calibration;
pub mod clock;
mod directory;
pub mod environ;
pub mod event;
mod fork;
pub mod guard;
mod heartbeat;
mod interrupted_call;
mod kernel;
mod last_thread_watchdog;
mod leaving;
mod lock;
pub mod losses;
mod mailbox;
mod map;
mod number;
pub mod object;
mod once_pointer;
pub mod own_memory;
pub mod patch;
pub mod process;
mod process_status;
mod range;
mod region;
pub mod sandbox;
mod sigbus_handler;
mod slow;
mod spin_lock;
pub mod startup_barrier;
mod strings;
mod switch;
mod thread;
pub mod thread_local;
mod tree;
mod view;

pub use object::ObjectId;
pub use once_pointer::OncePointer;
pub use region::Region;
