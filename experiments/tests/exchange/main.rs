//! What other tools wrote comes into a store as a run and goes out again: equal in meaning, whatever its names hold.

mod caliper_records;
mod cubes;
mod darshan;
mod exported;
mod hpctoolkit;
mod round_trip;
mod stored;
mod taudb;
mod tools;
