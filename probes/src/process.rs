//! Life of the process: load, fork, exec, exit, threads that end.
