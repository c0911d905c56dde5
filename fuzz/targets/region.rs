//! Fuzz target: a region file that its process overwrites.
#![no_main]

#[path = "../../daemon/tests/fuzzed/region.rs"]
mod region;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| region::feed(bytes));
