//! Fuzz target: a stored record.
#![no_main]

#[path = "../../experiments/tests/fuzzed/record.rs"]
mod record;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| record::feed(bytes));
