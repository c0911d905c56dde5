//! The event functions, instruction by instruction.

use crate::output::output;
use crate::release::library;

/// The functions that are the event path, as they are shipped.
const EVENTS: [&str; 2] = ["whyperf_region_begin", "whyperf_region_end"];
/// What a slot calls when an instrumented function is entered and left. It may keep registers.
const FUNCTIONS: [&str; 4] = [
    "whyperf_runtime::patch::visit::whyperf_function_enter",
    "whyperf_runtime::patch::visit::whyperf_function_deep",
    "whyperf_runtime::patch::visit::whyperf_function_pass",
    "whyperf_runtime::patch::visit::whyperf_function_exit",
];

/// Instructions of a function: mnemonic and operands.
fn instructions(function: &str) -> Vec<String> {
    let selected = format!("--disassemble={function}");
    let options = ["-C", "-Mintel", "--no-show-raw-insn"].map(str::as_ref);
    let path = library();
    let all = [&options[..], &[selected.as_ref(), path.as_ref()]].concat();
    let text = output("objdump", &all);
    let listed: Vec<String> = text
        .lines()
        .filter_map(|line| line.trim_start().split_once(":\t"))
        .map(|(_, instruction)| instruction.trim().to_owned())
        .collect();
    assert!(listed.len() > 20, "{function} has {} instructions:\n{text}", listed.len());
    listed
}

/// Instructions that break a promise.
fn faults(instructions: &[String]) -> Vec<&String> {
    let is_fault = |text: &&String| {
        let mnemonic = text.split_whitespace().next().unwrap_or("");
        mnemonic.starts_with("call")
            || mnemonic.starts_with("push")
            || ["lock", "xchg", "mfence", "syscall", "int", "cpuid", "div"].contains(&mnemonic)
            || ["xmm", "ymm", "zmm"].iter().any(|register| text.contains(register))
            || text.contains("panic")
    };
    instructions.iter().filter(is_fault).collect()
}

#[test]
fn an_event_makes_no_call_takes_no_lock_and_touches_no_vector_register() {
    for function in EVENTS.iter().chain(&FUNCTIONS) {
        let mut all = instructions(function);
        if FUNCTIONS.contains(function) {
            all.retain(|text| !text.starts_with("push"));
        }
        assert!(faults(&all).is_empty(), "{function}: {:?}", faults(&all));
        let clocks = all.iter().filter(|text| text.starts_with("rdtsc")).count();
        assert_eq!(clocks, 1, "{function} reads the clock {clocks} times");
        // One visit ends and another begins, or one begins and ends.
        let is_double = ["_pass", "_deep"].iter().any(|name| function.ends_with(name));
        let events = if is_double { 2 } else { 1 };
        assert!(all.len() < 80 * events, "{function} has {} instructions", all.len());
    }
}

/// The stack that one function may take: threads and handlers may have but a few pages of it.
const FRAME: u64 = 2 << 10 | 128;
/// Functions that MPI programs alone call: a batch of requests, and the text of a version. The room for all vector
/// registers, before the cold path of an instrumented function. The agent, which has a stack of its own, and what
/// changes code: two batches of 192 functions, each with the state in which it was.
const LARGE: [&str; 7] = [
    "whyperf::mpi::functions::",
    "whyperf::mpi::dialect::detect",
    "whyperf_keeping_vectors",
    "whyperf_runtime::agent::run",
    "whyperf_runtime::agent::carry_out_all",
    "whyperf_runtime::patch::arm::disarm",
    "whyperf::process::forked",
];

/// Functions that take more stack than they may, and how much.
fn large_frames(listing: &str) -> Vec<(&str, u64)> {
    let mut function = "";
    let mut found = Vec::new();
    for line in listing.lines() {
        if let Some((_, name)) = line.strip_suffix(">:").and_then(|line| line.split_once(" <")) {
            function = name;
        } else if let Some((before, size)) = line.split_once("rsp,0x")
            && before.split_whitespace().last() == Some("sub")
            && let Ok(size) = u64::from_str_radix(size.trim(), 16)
            && size > FRAME
        {
            found.push((function, size));
        }
    }
    found
}

#[test]
fn no_function_takes_much_stack() {
    let options = ["-d", "-C", "-Mintel", "--no-show-raw-insn"].map(str::as_ref);
    let path = library();
    let listing = output("objdump", &[&options[..], &[path.as_ref()]].concat());
    let (known, strangers): (Vec<_>, Vec<_>) = large_frames(&listing)
        .into_iter()
        .partition(|(name, _)| LARGE.iter().any(|large| name.starts_with(large)));
    assert!(!known.is_empty(), "not even {LARGE:?} were found");
    assert!(strangers.is_empty(), "{strangers:?}");
}

#[test]
fn what_breaks_a_promise_is_noticed() {
    let bad = [
        "call   1234 <f>",
        "lock inc DWORD PTR [rdi]",
        "movaps XMMWORD PTR [rsp],xmm0",
        "jmp    99 <core::panicking::panic>",
        "push   rbx",
    ];
    let bad = bad.map(String::from);
    assert_eq!(faults(&bad).len(), bad.len());
    assert!(
        faults(&["mov rax,rbx".to_owned(), "jmp 12 <whyperf_runtime::slow::begin>".to_owned()])
            .is_empty()
    );
}
