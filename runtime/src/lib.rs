//! What runs inside the measured process: events, clock, switches, threads.
#![cfg_attr(not(test), no_std)]

pub mod thread_local;
