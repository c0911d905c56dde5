//! Under `whyperf run` a program prints, reads, returns and sees what it does without.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use crate::command::{say, whyperf};

/// What a script prints and returns, by itself and under the command.
fn twice(script: &str, input: &[u8]) -> (Output, Output) {
    let mut bare = Command::new("sh");
    bare.env("LC_ALL", "C.UTF-8");
    let mut watched = whyperf();
    watched.args(["run", "--quiet", "--", "sh"]);
    (fed(bare.args(["-c", script]), input), fed(watched.args(["-c", script]), input))
}

fn fed(command: &mut Command, input: &[u8]) -> Output {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command was built");
    let mut stdin = child.stdin.take().expect("it was piped");
    stdin.write_all(input).expect("the child reads all");
    drop(stdin);
    child.wait_with_output().expect("the child ends")
}

fn is_unchanged(script: &str, input: &[u8]) {
    let (bare, watched) = twice(script, input);
    assert_eq!(watched.status.code(), bare.status.code(), "{script}: {watched:?}");
    assert_eq!(watched.stdout, bare.stdout, "{script}: {watched:?}");
    assert_eq!(watched.stderr, bare.stderr, "{script}: {watched:?}");
}

#[test]
fn bytes_pass_untouched() {
    is_unchanged(r"printf 'a\000b\377\n'; cat; printf 'no newline'", b"\0\x01\xff\xfe\n\n");
    is_unchanged("echo out; echo error >&2; exit 3", b"");
}

#[test]
fn pipelines_and_interpreters_work() {
    is_unchanged("seq 1 1000 | sort -rn | head -3 | tr '\\n' ' '", b"");
    is_unchanged("python3 -c 'import sys; print(sys.stdin.read()[::-1]); sys.exit(9)'", b"abc");
}

#[test]
fn the_surroundings_are_the_same() {
    is_unchanged("umask; ulimit -a; pwd; ls /proc/self/fd | wc -l", b"");
    is_unchanged("grep '^SigBlk' /proc/self/status", b"");
    // The shell reads of itself, by itself: it blocks signals while it starts another program. A
    // measured process handles SIGBUS where it did not before: `docs/layout.md`.
    let own = "while read -r line; do case $line in SigBlk*|SigCgt*) echo $line;; esac; done";
    is_unchanged(&format!("{own} < /proc/$$/status"), b"");
}

#[test]
fn exit_statuses_are_those_of_a_shell() {
    let status = |script: &str| say(&["run", "-q", "--", "sh", "-c", script]).status;
    assert_eq!(status("exit 0"), Some(0));
    assert_eq!(status("exit 77"), Some(77));
    assert_eq!(status("kill -SEGV $$"), Some(139));
    assert_eq!(status("kill -ABRT $$"), Some(134));
    assert_eq!(status("kill -KILL $$"), Some(137));
}

#[test]
fn quiet_is_quiet_and_otherwise_the_report_is_on_standard_error() {
    let quiet = say(&["run", "--quiet", "--", "sh", "-c", "exit 0"]);
    assert_eq!(quiet.stderr, "");
    let loud = say(&["run", "--", "sh", "-c", "exit 0"]);
    assert!(loud.stdout.is_empty(), "{loud:?}");
    assert!(loud.stderr.contains("exit status 0"), "{loud:?}");
    assert!(!loud.stderr.contains('\x1b'), "colour without a terminal: {loud:?}");
}

#[test]
fn colour_comes_when_it_is_asked_for() {
    let loud = say(&["run", "--color", "always", "--", "true"]);
    assert!(loud.stderr.contains('\x1b'), "{loud:?}");
    let none = say(&["run", "--color", "always", "--no-color", "--", "true"]);
    assert!(!none.stderr.contains('\x1b'), "{none:?}");
}

#[test]
fn the_report_is_ascii_where_the_locale_knows_nothing_else() {
    let said = whyperf().args(["run", "--", "true"]).env("LC_ALL", "C").output();
    let said = said.expect("the command was built");
    assert!(said.stderr.is_ascii(), "{}", String::from_utf8_lossy(&said.stderr));
}

#[test]
fn a_program_that_closes_everything_is_still_reported() {
    let script = "exec 0<&- 1>&- 2>&-; exit 6";
    let said = say(&["run", "--", "sh", "-c", script]);
    assert_eq!(said.status, Some(6));
    assert!(said.stderr.contains("exit status 6"), "{said:?}");
}

#[test]
fn what_a_program_leaves_running_is_not_waited_for() {
    // The helper holds no descriptor of ours, so only whyperf itself could wait for it.
    let script = "sleep 60 >/dev/null 2>&1 </dev/null & echo $!";
    let said = say(&["run", "-q", "--", "sh", "-c", script]);
    assert_eq!(said.status, Some(0), "{said:?}");
    let pid: i32 = String::from_utf8_lossy(&said.stdout).trim().parse().expect("a number");
    let pid = rustix::process::Pid::from_raw(pid).expect("no process is number 0");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it still runs");
}

#[test]
fn a_static_program_is_named_as_what_it_is() {
    let folder = crate::command::Folder::new("static");
    let (source, program) = (folder.file("empty.c"), folder.file("empty"));
    std::fs::write(&source, "int main(void) { return 8; }\n").expect("the folder is ours");
    let built = Command::new("cc").args(["-static", "-o", &program, &source]).status();
    assert!(built.is_ok_and(|status| status.success()), "cc -static works where MPI is built");
    let said = say(&["run", "--", &program]);
    assert_eq!(said.status, Some(8), "{said:?}");
    assert!(said.stderr.contains("statically linked"), "{said:?}");
    let behind = say(&["run", "--", "timeout", "9", &program]);
    assert!(behind.stderr.contains("statically linked"), "{behind:?}");
}
