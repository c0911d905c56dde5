//! Asks a file of any bytes everything that an object answers.

use std::hint::black_box;
use std::io;
use std::path::Path;
use std::sync::Arc;

use whyperf_code::plan::{Islands, plan};
use whyperf_code::{FunctionId, Object, Opening};

/// Functions that are asked one by one: a table of a large file would only be more of the same.
const ASKED: u32 = 64;

/// A file holds these bytes.
pub(crate) fn feed(bytes: &[u8]) {
    // Files with debug information that these bytes name are not of interest.
    let opening = Opening {
        read: |_| Err(io::ErrorKind::NotFound.into()),
        ..Opening::new(Path::new("/nowhere/fuzzed"))
    };
    let Ok(object) = Object::of(opening, Arc::new(bytes.to_vec())) else { return };
    let functions = object.functions();
    assert!(functions.is_sorted_by(|one, next| one.entry < next.entry));
    let count = u32::try_from(functions.len()).unwrap_or(u32::MAX).min(ASKED);
    let mut islands = Islands::new();
    for id in (0..count).map(FunctionId) {
        let function = &functions[id.index()];
        assert!(function.entry <= function.end);
        black_box((object.names(id), object.calls(id), object.frame(function.entry)));
        black_box((object.place(function.entry), object.inlined(function.entry)));
        black_box((object.caller(function.end), object.function_at(function.end)));
        black_box(plan(&object, id, &mut islands).is_ok());
    }
    black_box(object.branches().into(0..u64::MAX).count());
    black_box((object.variable(0x4010), object.place(u64::MAX), object.caller(0)));
    black_box((object.build_id(), object.debug_path(), object.refused().len()));
}
