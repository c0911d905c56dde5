//! The search for the reasons of slowness: pure logic.
#![forbid(unsafe_code)]
