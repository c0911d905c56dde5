//! Checks the promises of the shared object on the machine code that is shipped.

#[path = "../folder.rs"]
mod folder;
mod interface;
mod machine_code;
mod output;
#[path = "../../probes/src/io/peer.rs"]
mod peer;
#[path = "../release.rs"]
mod release;
mod symbols;
