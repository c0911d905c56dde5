//! Fuzz target: a file of directives.
#![no_main]

#[path = "../../consultant/tests/fuzzed/directives.rs"]
mod directives;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| directives::feed(bytes));
