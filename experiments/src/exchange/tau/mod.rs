//! TAU's profile files: a folder with one `profile.<node>.<context>.<thread>` for each thread, or one such folder for each metric.
//!
//! ```text
//!   3 templated_functions_MULTI_TIME
//!   # Name Calls Subrs Excl Incl ProfileCalls # <metadata>…</metadata>
//!   "main" 1 2 100 300 0 GROUP="TAU_USER"
//!   "main => MPI_Recv()" 2 0 200 200 0 GROUP="TAU_CALLPATH|MPI"
//!   "MPI_Recv()" 2 0 200 200 0 GROUP="MPI"
//!   0 aggregates
//!   1 userevents
//!   # eventname numevents max min mean sumsqr
//!   "Message size received" 2 800 80 440 646400
//! ```
//! Written after TAU's own writers and readers (`Profiler.cpp`, `TauDataSource.java`): runs of blanks in names are one, negative
//! values are zero, the same name twice is one with the sum, and an empty metric name is `Time`.

mod file;
mod folder;
mod metadata;
mod reader;
mod written;

pub use folder::TauFolder;
pub(crate) use reader::TauReader;
pub use reader::tau_files;
