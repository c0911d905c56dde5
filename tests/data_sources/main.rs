//! One suite of promises, kept by every data source: the simulated one, the daemon over regions, and the replay of a record.

mod conformance;
mod elsewhere;
mod live;
mod replay;
mod simulated;
