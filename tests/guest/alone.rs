//! Calls that care how many threads there are: a program with one thread finds itself alone.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use crate::comparison::Trial;
use crate::stage::Stage;

/// Each a case of the program; here it only must be the same.
macro_rules! cases {
    ($($name:ident: $case:literal, |$deed:ident| $check:expr;)*) => { $(
        #[test]
        fn $name() {
            let $deed = Trial::of(concat!("alone-", $case), &[program(), $case]).is_unchanged();
            assert!($check, "{:?}", $deed);
        }
    )* };
}

cases! {
    namespaces_are_left: "namespaces", |deed| deed.status.code() == Some(5);
    namespaces_are_left_by_bare_calls: "raw-namespaces", |deed| deed.stdout.contains("written");
    users_change_for_all_threads: "users", |deed| deed.stdout.contains("Uid:\t9\t9\t9\t9");
    users_change_by_bare_calls: "raw-users", |deed| deed.stdout.contains("Uid:\t7\t8\t9\t8");
    children_that_share_memory_change_nothing_here: "children", |deed| deed.stdout.starts_with("1\n3\n");
    a_thousand_changes_leave_nothing_behind: "again", |deed| deed.stdout.contains("\n") && deed.stdout.starts_with("0 mappings");
    threads_change_at_once: "together", |deed| deed.stdout == "joined\n";
    the_last_thread_ends_by_a_raw_call: "raw-end", |deed| deed.status.code() == Some(7);
    the_last_thread_ends_by_a_bare_instruction: "bare-end", |deed| deed.status.code() == Some(7);
    the_first_thread_ends_alone: "thread-end", |deed| deed.status.code() == Some(0);
    another_thread_is_the_last: "other-end", |deed| deed.stdout == "the last one\n";
}

/// Path of the program, built once.
fn program() -> &'static str {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(|| {
        let project = Path::new(env!("CARGO_MANIFEST_DIR"));
        let program = Stage::new("alone").beside("program");
        let mut compiler = Command::new("cc");
        compiler.args(["-O2", "-w", "-pthread", "-o"]).arg(&program);
        compiler.arg("-I").arg(project.join("include"));
        let built = compiler.arg(project.join("tests/guest/calls/alone.c")).output();
        let built = built.expect("the compiler runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        program.display().to_string()
    })
}
