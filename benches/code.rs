//! Measures reading the code of a large program: 200,000 functions, 100 MB of code, and its branches.

use std::fmt::Write;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use whyperf_code::{FunctionId, Object, Opening};

/// Length of a function's code but for its call.
const BODY: usize = 500;

fn main() {
    let functions =
        if std::env::args().any(|argument| argument == "--test") { 2_000 } else { 200_000 };
    let folder = std::env::temp_dir().join(format!("whyperf-bench-code-{}", std::process::id()));
    fs::create_dir(&folder).expect("the temporary directory is writable");
    make(&folder, functions);
    for program in ["whole", "stripped"] {
        measure(&folder, program, functions);
    }
    fs::remove_dir_all(&folder).expect("the folder is ours");
}

fn measure(folder: &Path, program: &str, functions: usize) {
    let path = folder.join(program);
    let length = fs::metadata(&path).expect("it was just made").len();
    println!("{program}: {functions} functions, {:.0} MB", length as f64 / 1e6);
    let cached = || Opening { cache: Some(folder.join("cache")), ..Opening::new(&path) };

    let (object, open) = timed(|| Object::open(&path).expect("it was just made"));
    let (found, list) = timed(|| object.functions().len());
    assert!(found >= functions, "{found} of {functions} functions were found");
    tell("open", open, None);
    tell("all functions", list, Some(found));
    tell("together, what a search waits for", open + list, None);

    let few = (0..1000.min(functions)).map(|at| FunctionId((at * (found / 1000).max(1)) as u32));
    let (calls, took) = timed(|| few.map(|id| object.callees(id).len()).sum::<usize>());
    assert!(calls > 0, "functions call each other");
    tell("calls of 1,000 functions, decoded alone", took, Some(1000.min(functions)));

    let text: u64 = object.executable().iter().map(|range| range.end - range.start).sum();
    let (branches, decode) = timed(|| object.branches().len());
    tell("all branches", decode, Some(branches));
    println!("{:>44}  {:.0} MB of code a second", "", text as f64 / 1e6 / decode.as_secs_f64());

    let first = cached().open().expect("it was just made");
    assert_eq!(first.branches().len(), branches);
    let second = cached().open().expect("it was just made");
    black_box(second.functions());
    let (again, kept) = timed(|| second.branches().len());
    assert_eq!(again, branches);
    tell("all branches, in a second run", kept, None);
    println!("{:>44}  {:.2} of the first", "", kept.as_secs_f64() / decode.as_secs_f64());
    println!("{:>44}  {} MB of memory at most so far", "", peak());
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let before = Instant::now();
    let result = black_box(work());
    (result, before.elapsed())
}

fn tell(what: &str, took: Duration, count: Option<usize>) {
    let each = count.map_or_else(String::new, |count| {
        format!("  {:6.0} ns each of {count}", took.as_nanos() as f64 / count as f64)
    });
    println!("{what:>44}: {:8.1} ms{each}", took.as_secs_f64() * 1000.0);
}

/// A program of functions that each call the next, in the way a linker leaves it.
fn make(folder: &Path, functions: usize) {
    fs::write(folder.join("body"), body()).expect("the folder is ours");
    let mut text = String::from(".text\n.globl _start\n_start: ret\n");
    for at in 0..functions {
        let next = (at + 1) % functions;
        writeln!(
            text,
            ".type function_with_a_name_{at},@function\nfunction_with_a_name_{at}:\n\
             .cfi_startproc\npush %rbx\n.cfi_def_cfa_offset 16\n.incbin \"body\"\n\
             call function_with_a_name_{next}\npop %rbx\n.cfi_def_cfa_offset 8\nret\n\
             .cfi_endproc\n.size function_with_a_name_{at},.-function_with_a_name_{at}"
        )
        .expect("writing to a string does not fail");
    }
    fs::write(folder.join("program.s"), text).expect("the folder is ours");
    run(folder, "as program.s -o program.o");
    run(folder, "ld -pie --no-dynamic-linker --build-id --eh-frame-hdr program.o -o whole");
    run(folder, "strip whole -o stripped");
    fs::remove_file(folder.join("program.s")).expect("it was just made");
}

/// Instructions as compilers mix them, with short branches among themselves.
fn body() -> Vec<u8> {
    let part: &[u8] = &[
        0x48, 0x89, 0xf8, // mov rax, rdi
        0x48, 0x83, 0xc0, 0x08, // add rax, 8
        0x48, 0x39, 0xf0, // cmp rax, rsi
        0x7c, 0x09, // jl: behind the addition
        0x8b, 0x05, 0x10, 0x00, 0x00, 0x00, // mov eax, [rip + 16]
        0x0f, 0xaf, 0xc7, // imul eax, edi
        0xf2, 0x0f, 0x58, 0xc1, // addsd xmm0, xmm1
    ];
    part.iter().copied().cycle().take(BODY / part.len() * part.len()).collect()
}

fn run(folder: &Path, line: &str) {
    let mut words = line.split(' ');
    let mut command = Command::new(words.next().expect("a command has a name"));
    let status = command.args(words).current_dir(folder).status();
    assert!(status.expect("binutils are installed").success(), "{line}");
}

/// Most memory that was in use, in megabytes.
fn peak() -> u64 {
    let status = fs::read_to_string(PathBuf::from("/proc/self/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1000
}
