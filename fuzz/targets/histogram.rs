//! Fuzz target: a stored histogram.
#![no_main]

#[path = "../../experiments/tests/fuzzed/histogram.rs"]
mod histogram;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| histogram::feed(bytes));
