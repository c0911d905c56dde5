//! POSIX and stdio I/O.
