//! The inputs that are kept of each fuzz target; a test of its crate feeds them to the same function.

use std::fs;
use std::path::Path;

/// Feeds each kept input of a target, in the order of their names.
pub(crate) fn each(target: &str, feed: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let entries = fs::read_dir(&folder).expect("each target has inputs that are kept");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    for file in files {
        println!("{}", file.display());
        feed(&fs::read(&file).expect("it can be read"));
    }
}
