//! Fuzz target: an attach request into which others write.
#![no_main]

#[path = "../../layout/tests/fuzzed/mailbox.rs"]
mod mailbox;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mailbox::feed(bytes));
