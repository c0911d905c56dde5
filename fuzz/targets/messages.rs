//! Fuzz target: the stored messages of a run.
#![no_main]

#[path = "../../experiments/tests/fuzzed/messages.rs"]
mod messages;
#[path = "../../experiments/tests/fuzzed/stage.rs"]
mod stage;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| messages::feed(bytes));
