//! Fuzz target: an ELF file with its DWARF.
#![no_main]

#[path = "../../code/tests/fuzzed/object.rs"]
mod object;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| object::feed(bytes));
