//! Checks the symbols that the shared object needs from others, and those that it exports.

use crate::output::{output, project};
use crate::release::library;
use std::{env, fs};

/// Strong references the library may have. All are in the C library itself, and none is one that a sanitizer replaces
/// and the agent calls.
const ALLOWED: &[&str] = &[
    "__errno_location",
    "clock_gettime",
    "dl_iterate_phdr",
    "dladdr",
    "dlerror",
    "dlopen",
    "dlsym",
    "getauxval",
    "dlvsym",
    "environ",
    "madvise",
    "mmap",
    "munmap",
    "pthread_key_create",
    "pthread_setspecific",
    "syscall",
];

/// Names that would mean an allocator or the machinery of panics and unwinding.
const FORBIDDEN: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "free",
    "__rust_alloc",
    "__rust_dealloc",
    "_Unwind_Resume",
    "_Unwind_RaiseException",
    "rust_begin_unwind",
];

fn names(options: &[&str]) -> Vec<String> {
    let path = library();
    let arguments: Vec<_> =
        options.iter().map(std::ffi::OsStr::new).chain([path.as_ref()]).collect();
    let listing = output("nm", &arguments);
    let mut names: Vec<String> = listing
        .lines()
        .filter(|line| !line.contains(" w "))
        .filter_map(|line| line.split_whitespace().last())
        .map(|name| name.split('@').next().unwrap_or(name).to_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn it_needs_little_and_no_allocator() {
    let undefined = names(&["-D", "--undefined-only"]);
    assert!(!undefined.is_empty());
    let strangers: Vec<_> =
        undefined.iter().filter(|name| !ALLOWED.contains(&name.as_str())).collect();
    assert!(strangers.is_empty(), "undefined symbols that are not allowed: {strangers:?}");
    let forbidden: Vec<_> =
        undefined.iter().filter(|name| FORBIDDEN.contains(&name.as_str())).collect();
    assert!(forbidden.is_empty(), "{forbidden:?}");
}

#[test]
fn it_contains_no_machinery_of_panics() {
    let all = names(&["--demangle", "--defined-only"]);
    let text = output("nm", &["--demangle".as_ref(), library().as_ref()]);
    assert!(all.len() > 100, "{} symbols: is it stripped?", all.len());
    let found: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("core::panicking") || line.contains("core::fmt"))
        .collect();
    assert!(found.is_empty(), "panics are reachable:\n{}", found.join("\n"));
}

#[test]
fn it_exports_what_is_listed() {
    let exported = names(&["-D", "--defined-only"]).join("\n") + "\n";
    let golden = project("tests/contract/exports.txt");
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &exported).expect("the list can be written");
    }
    let listed = fs::read_to_string(&golden).unwrap_or_default();
    let only_in = |one: &str, other: &str| -> Vec<String> {
        one.lines().filter(|name| !other.lines().any(|o| o == *name)).map(String::from).collect()
    };
    let (added, lost) = (only_in(&exported, &listed), only_in(&listed, &exported));
    assert!(
        added.is_empty() && lost.is_empty(),
        "exports differ from {}: new {added:?}, gone {lost:?}; UPDATE_GOLDEN=1 rewrites it",
        golden.display()
    );
}

#[test]
fn it_has_a_name_and_static_thread_storage_of_128_bytes() {
    let path = library();
    let dynamic = output("readelf", &["-dW".as_ref(), path.as_ref()]);
    assert!(dynamic.contains("Library soname: [libwhyperf.so]"), "{dynamic}");
    assert!(dynamic.contains("STATIC_TLS"), "{dynamic}");
    let segments = output("readelf", &["-lW".as_ref(), path.as_ref()]);
    let storage = segments.lines().find(|line| line.trim_start().starts_with("TLS"));
    assert!(storage.is_some_and(|line| line.contains("0x000080 ")), "{storage:?}");
}
