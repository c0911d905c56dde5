//! The bytes of the shared region and both ends of each protocol in it.
#![cfg_attr(not(any(test, loom)), no_std)]
