//! What calls of the C library take of a coroutine's stack: little more than without the library, so that a page is enough.

use std::collections::BTreeMap;
use std::process::Command;

use crate::built::program;
use crate::release::folder;
use crate::stage::Stage;

/// Bytes that a wrapper may take of the stack, once the real function is known.
const MOST: usize = 512;

/// How many bytes each call took.
fn used(said: &str) -> BTreeMap<&str, usize> {
    let lines = said.lines().filter_map(|line| line.split_once(' '));
    lines.filter_map(|(call, bytes)| Some((call, bytes.parse().ok()?))).collect()
}

#[test]
fn wrappers_take_little_of_a_small_stack() {
    let stage = Stage::new("wrappers_take_little_of_a_small_stack");
    let path = program("guests/stack_use");
    let bare = stage.perform(&mut Command::new(&path), |_| ());
    assert_eq!(bare.stdout, "whole\n");
    for search in ["none", "module"] {
        let mut measured = Command::new(folder().join("whyperf"));
        measured.args(["run", "-q", "--no-store", "--code-search", search, "--"]).arg(&path);
        let deed = stage.perform(&mut measured, |_| ());
        assert_eq!((deed.status, &deed.stdout), (bare.status, &bare.stdout), "{}", deed.stderr);
        let (alone, with) = (used(&bare.stderr), used(&deed.stderr));
        assert_eq!(alone.len(), 6, "{}", bare.stderr);
        for (call, bytes) in alone {
            let more = with[call].saturating_sub(bytes);
            assert!(more <= MOST, "{call} takes {more} bytes more: {}", deed.stderr);
        }
    }
}
