//! Fuzz target: the ring of traced events, with any index and entries.
#![no_main]

#[path = "../../layout/tests/fuzzed/event_ring.rs"]
mod event_ring;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| event_ring::feed(bytes));
