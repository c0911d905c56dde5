//! Programs that handle their own faults and traps, and cancel at any place, while their functions are measured and
//! their code changes all the time.

use std::process::Command;

use crate::built::program;
use crate::release::folder;
use crate::stage::{Deed, Stage};

/// Each measures functions in which the program is interrupted; its output and its status are its own.
macro_rules! measured {
    ($($name:ident: $path:literal, $length:literal, [$($function:literal),*];)*) => { $(
        #[test]
        fn $name() {
            let stage = Stage::new(stringify!($name));
            let path = program($path).display().to_string();
            let mut bare = Command::new(&path);
            let bare = stage.perform(bare.arg($length), |_| ());
            let mut measured = Command::new(folder().join("whyperf"));
            measured.args(["run", "--details", "--no-store", "--code-search", "module"]);
            $(measured.args(["--measure", "calls", concat!("</Code/", $function, ">")]);)*
            measured.args(["--", &path, $length]);
            let deed: Deed = stage.perform(&mut measured, |_| ());
            assert_eq!((bare.status.code(), &bare.stdout), (Some(0), &deed.stdout), "{}", deed.stderr);
            assert_eq!(deed.status, bare.status, "{}", deed.stderr);
            assert!(deed.stderr.contains(" calls  over "), "nothing was measured: {}", deed.stderr);
        }
    )* };
}

measured! {
    one_that_handles_traps_itself: "guests/own_trap", "2000",
        ["own_trap.c/walk", "own_trap.c/step1", "own_trap.c/step2", "own_trap.c/on_trap"];
    one_with_a_table_of_faults: "guests/fault_table", "500",
        ["fault_table/safe_fetch", "fault_table/safe_fetch_far"];
    one_that_throws_from_a_handler: "guests/thrown_fault", "500",
        ["thrown_fault.cpp/read_first", "thrown_fault.cpp/read_far"];
    one_that_cancels_at_any_place: "guests/async_cancel", "1000",
        ["async_cancel.cpp/step1", "async_cancel.cpp/step2", "async_cancel.cpp/push1"];
    one_whose_recursion_needs_its_stack: "guests/deep_recursion", "2000",
        ["deep_recursion.c/visit", "deep_recursion.c/even", "deep_recursion.c/odd"];
    one_that_looks_at_itself: "guests/visible", "2",
        ["visible.c/inner", "visible.c/outer"];
}

/// Below its alternate stack lies memory of its own, and code that changes would need room there.
#[test]
fn one_whose_handlers_have_a_small_stack() {
    let stage = Stage::new("one_whose_handlers_have_a_small_stack");
    let path = program("guests/small_signal_stack").display().to_string();
    let arguments = [path.as_str(), "60000"];
    let bare = stage.perform(Command::new(&path).arg(arguments[1]), |_| ());
    let mut measured = Command::new(folder().join("whyperf"));
    measured.args(["run", "--details", "--no-store", "--code-search", "module", "--"]);
    measured.args(arguments);
    let deed = stage.perform(&mut measured, |_| ());
    assert_eq!((bare.status.code(), &bare.stdout), (Some(0), &deed.stdout), "{}", deed.stderr);
    assert_eq!(deed.status, bare.status, "{}", deed.stderr);
    assert!(deed.stderr.contains("alternate signal stack of less than 8 KiB"), "{}", deed.stderr);
}

/// It carries the library, which listens, and is asked again and again whether it may be measured.
#[test]
fn one_that_executes_is_asked() {
    let stage = Stage::new("one_that_executes_is_asked");
    let path = program("guests/executes_often");
    let whyperf = folder().join("whyperf");
    let library = crate::release::library();
    let script = "\
        LD_PRELOAD=$3 $2 3000 & \
        while kill -0 $! 2>/dev/null; do $1 attach --no-store --duration 0.01 $! 2>/dev/null; done; \
        wait $!";
    let mut shell = Command::new("bash");
    shell.args(["-c", script, "bash"]).args([&whyperf, &path, &library]);
    let deed = stage.perform(&mut shell, |_| ());
    assert_eq!(deed.stdout, "executes_often: it went on to the end\n", "{}", deed.stderr);
    assert!(deed.status.success(), "{:?}", deed.status);
}
