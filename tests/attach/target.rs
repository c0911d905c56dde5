//! A program under test: built from `targets/`, started, and later asked to end.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// A running program that has said that it is ready.
#[derive(Debug)]
pub(crate) struct Target {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// Builds a program of `targets/` with a compiler and its options, under a name of its own: once, since it cannot be written while it runs.
pub(crate) fn build(source: &str, name: &str, compiler: &str, options: &[&str]) -> PathBuf {
    static BUILT: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("attach");
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    let program = folder.join(name);
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if built.contains(name) {
        return program;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attach/targets").join(source);
    let mut command = Command::new(compiler);
    // What a compiler leaves besides, as the module files of Fortran, goes there, too.
    command.current_dir(&folder);
    command.args(["-O2", "-Wall", "-Wextra", "-Werror"]).args(options).arg("-o").arg(&program);
    let output = command.arg(source).arg("-pthread").output().expect("the compiler is installed");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    built.insert(name.to_owned());
    program
}

impl Target {
    /// Starts a command and waits until it has printed its first line, `ready`.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut target = Self::begin(command);
        let mut line = String::new();
        target.output.read_line(&mut line).expect("it speaks text");
        assert_eq!(line, "ready\n");
        target
    }

    /// Starts a command that does not say when it is ready.
    pub(crate) fn begin(command: &mut Command) -> Self {
        command.env_remove("LD_PRELOAD").env_remove("WHYPERF_DIR");
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("it was piped"));
        Self { child, input, output }
    }

    /// Its number.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends its input and waits for its end; answers its status and what it printed since.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let mut text = String::new();
        self.output.read_to_string(&mut text).expect("it speaks text");
        (self.child.wait().expect("it is ours").code(), text)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // After a failed test only; one that has ended is not there any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
