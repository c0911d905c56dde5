//! The event functions, instruction by instruction.

use crate::shipped::{library, output};

/// The functions that are the event path, as they are shipped.
const EVENTS: [&str; 2] = ["whyperf_region_begin", "whyperf_region_end"];

/// Instructions of a function: mnemonic and operands.
fn instructions(function: &str) -> Vec<String> {
    let selected = format!("--disassemble={function}");
    let options = ["-Mintel", "--no-show-raw-insn"].map(str::as_ref);
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
    for function in EVENTS {
        let all = instructions(function);
        assert!(faults(&all).is_empty(), "{function}: {:?}", faults(&all));
        let clocks = all.iter().filter(|text| text.starts_with("rdtsc")).count();
        assert_eq!(clocks, 1, "{function} reads the clock {clocks} times");
        assert!(all.len() < 80, "{function} has {} instructions", all.len());
    }
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
