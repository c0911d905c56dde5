//! The shipped library that benchmarks measure, and a run directory of their own.

use std::env;
use std::path::Path;

#[path = "../../tests/folder.rs"]
mod folder;
#[path = "../../tests/release.rs"]
mod release;

use folder::Folder;
pub(crate) use release::library;

/// A folder in memory.
pub(crate) fn in_memory(name: &str) -> Folder {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() { memory.to_owned() } else { env::temp_dir() };
    Folder::below(&parent, &format!("bench-{name}"))
}
