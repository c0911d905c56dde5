//! What runs inside the measured process: events, clock, switches, threads.
//!
//! The event path ([`event`]) touches the calling thread's own memory only: no lock, no allocation,
//! no system call. Everything else is a cold path, allowed to be slow but not to be noticed: it
//! preserves `errno`, blocks signals while it holds the one lock, and counts what it must skip.
#![cfg(not(loom))]
#![cfg_attr(not(test), no_std)]

pub mod agent;
pub mod attachment;
pub mod birth;
mod calibration;
pub mod clock;
mod company;
mod damage;
mod directory;
pub mod environ;
pub mod event;
mod fork;
pub mod guard;
mod heartbeat;
pub mod hold;
mod interrupted;
mod kernel;
mod known;
mod latch;
mod leaving;
mod letter;
mod lock;
pub mod losses;
mod map;
mod number;
pub mod object;
pub mod own_memory;
pub mod patch;
pub mod process;
mod range;
mod region;
pub mod sandbox;
mod slow;
mod standing;
mod strings;
pub mod summons;
mod switch;
mod thread;
pub mod thread_local;
mod tree;
mod view;

pub use known::Known;
pub use object::ObjectId;
pub use region::Region;
