//! Fuzz target: a stored histogram.
#![no_main]

#[path = "../../experiments/tests/fuzzed/histogram.rs"]
mod histogram;
#[path = "../../experiments/tests/fuzzed/stage.rs"]
mod stage;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| histogram::feed(bytes));
