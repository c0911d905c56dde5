//! The chores of the project: `cargo xtask demo`, `cargo xtask test`.
fn main() {}
