//! Results and errno of each wrapped function, called rightly and wrongly.

use std::path::Path;
use std::process::Command;

use crate::comparison::Trial;
use crate::needs;
use crate::stage::Deed;

#[test]
fn files_answer_as_before() {
    let deed = unchanged("files", &["-D_FORTIFY_SOURCE=2"]);
    assert!(deed.stderr.contains("pclose(pipe): 1536, errno 77\n"), "{}", deed.stderr);
    assert!(deed.stderr.contains("what dlerror says: /no/such/library:"), "{}", deed.stderr);
}

#[test]
fn files_without_checks_answer_as_before() {
    let deed = unchanged("files", &["-U_FORTIFY_SOURCE", "-D_FILE_OFFSET_BITS=64"]);
    assert!(deed.stderr.contains("statx(0, NULL, 0, STATX_ALL, NULL): -1, errno 14\n"));
}

#[test]
fn locks_answer_as_before() {
    let deed = unchanged("locks", &["-lpthread"]);
    assert!(deed.stdout.contains("result == PTHREAD_CANCELED: 1"), "{}", deed.stdout);
}

#[test]
fn waits_answer_as_before() {
    let deed = unchanged("waits", &["-lpthread"]);
    assert!(deed.stdout.contains("description.si_status: 4, errno 77\n"), "{}", deed.stdout);
    unchanged("waits", &["-D_FORTIFY_SOURCE=2", "-lpthread"]);
}

/// We export functions of MPI, and so of libraries that the program does not have.
#[test]
fn what_no_library_of_the_program_has_is_not_there() {
    let deed = unchanged("libraries", &["-ldl"]);
    assert!(deed.stdout.contains("MPI_Init of all: not there, an error\n"), "{}", deed.stdout);
    assert!(deed.stdout.contains("read of all: there, no error\n"), "{}", deed.stdout);
}

#[test]
fn a_sandbox_allows_what_it_allowed_before() {
    let deed = run("sandbox", "cc", &[]);
    assert_eq!((deed.status.code(), deed.stdout.as_str()), (Some(4), "sandboxed\n"));
}

#[test]
fn another_c_library_starts_as_before() {
    if !needs::program("musl-gcc") {
        return;
    }
    let deed = run("hello", "musl-gcc", &[]);
    assert_eq!((deed.status.code(), deed.stdout.as_str()), (Some(6), "hello\n"));
}

fn unchanged(name: &str, options: &[&str]) -> Deed {
    let deed = run(name, "cc", options);
    assert!(deed.status.success(), "{deed:?}");
    deed
}

fn run(name: &str, compiler: &str, options: &[&str]) -> Deed {
    let trial = Trial::of(&format!("calls-{name}-{}", options.len()), &["./program"]);
    let program = trial.stage.beside("program");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/guest/calls/{name}.c"));
    let mut compiler = Command::new(compiler);
    compiler.args(["-O2", "-w", "-o"]).arg(&program).arg(source).args(options);
    let built = compiler.output().expect("the compiler runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    trial.calling(&program).is_unchanged()
}
