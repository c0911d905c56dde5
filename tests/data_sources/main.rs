//! One suite of promises that every data source keeps: the simulated one, the daemon over regions, and the replay of a
//! record.

mod conformance;
mod elsewhere;
mod live;
mod replay;
mod simulated;
