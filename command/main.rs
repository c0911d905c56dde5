//! The `whyperf` command.
fn main() {}
