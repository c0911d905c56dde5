//! Fuzz target: both rings, with any indices and messages.
#![no_main]

#[path = "../../layout/tests/fuzzed/rings.rs"]
mod rings;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rings::feed(bytes));
