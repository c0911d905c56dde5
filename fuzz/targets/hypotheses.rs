//! Fuzz target: a TOML table of hypotheses.
#![no_main]

#[path = "../../consultant/tests/fuzzed/hypotheses.rs"]
mod hypotheses;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hypotheses::feed(bytes));
