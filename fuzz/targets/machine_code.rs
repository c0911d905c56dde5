//! Fuzz target: the machine code of a function, planned.
#![no_main]

#[path = "../../code/tests/fuzzed/machine_code.rs"]
mod machine_code;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| machine_code::feed(bytes));
