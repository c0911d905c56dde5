//! `unsafe` appears only in the files named here, each with its reason.

use crate::checkout::{Source, checkout};
use crate::refuse;

/// A path, or a folder with its trailing slash, and why it cannot do without.
const ALLOWED: &[(&str, &str)] = &[
    ("layout/src/", "views of shared memory by offset"),
    ("layout/tests/fuzzed/event_ring.rs", "a ring that is too large for the stack"),
    ("runtime/src/", "thread-local words, mapping of the region, C interface"),
    ("runtime/tests/process/", "forks, traps, limits, and the map of a region"),
    ("runtime/tests/attach_request.rs", "sends itself a signal with a value"),
    ("probes/src/", "wrappers of C functions"),
    ("inject/src/mapping.rs", "maps the region of a measured process"),
    ("tests/torture/region.rs", "maps the region of a tortured process"),
    ("benches/event.rs", "calls the shared object through its C interface"),
    ("inject/src/perf_period.rs", "changes the period of an event of the kernel's"),
    ("inject/src/pidfd_info.rs", "asks the kernel how a process ended"),
    ("inject/src/processor_clock.rs", "reads the clock of another process"),
    ("inject/src/tracee.rs", "traces a thread of another process"),
    ("inject/src/attach_request.rs", "sends a signal with a value"),
    ("experiments/tests/import_memory/allocator.rs", "counts the bytes that live"),
    ("daemon/src/clock.rs", "reads the counter that ticks come from"),
];

fn complaints(files: &[Source]) -> Vec<String> {
    let rust = files.iter().filter(|file| file.path.ends_with(".rs") && !is_allowed(&file.path));
    let uses = rust.flat_map(|file| {
        let lines = file.text.lines().enumerate().filter(|(_, line)| is_use(line));
        lines.map(|(number, _)| format!("{}:{}", file.path, number + 1))
    });
    uses.collect()
}

fn is_allowed(path: &str) -> bool {
    ALLOWED
        .iter()
        .any(|(allowed, _)| path == *allowed || allowed.ends_with('/') && path.starts_with(allowed))
}

/// A block, a function, an implementation or an attribute; not the word in a sentence.
fn is_use(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or("");
    let forms =
        ["unsafe {", "unsafe fn", "unsafe extern", "unsafe impl", "unsafe trait", "unsafe("];
    forms.iter().any(|form| code.contains(form) && !code.contains(&format!("\"{form}")))
}

#[test]
fn unsafe_stays_in_its_files() {
    refuse(&complaints(&checkout()));
}

#[test]
fn unsafe_elsewhere_is_seen_and_the_word_in_text_is_not() {
    let text =
        "// unsafe {\nlet a = \"unsafe\";\nunsafe { b() }\nunsafe extern \"C\" { fn c(); }\n";
    let files = [Source::new("model/src/a.rs", text), Source::new("layout/src/a.rs", text)];
    assert_eq!(complaints(&files), ["model/src/a.rs:3", "model/src/a.rs:4"]);
}
