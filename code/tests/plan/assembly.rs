//! Stub file.
