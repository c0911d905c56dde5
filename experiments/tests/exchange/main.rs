//! What other tools wrote comes into a store as a run and goes out again: equal in meaning, whatever its names hold.

mod cubes;
mod exported;
mod round_trip;
mod stored;
mod tools;
