//! Keys of a terminal: what they do to the search, what they leave of the terminal, and that the program has none of them.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::command::{Folder, whyperf};

/// A shell on a terminal of its own, which says how the terminal is before and after it ran `whyperf`.
pub(crate) struct Typist {
    child: Child,
    keyboard: ChildStdin,
    screen: ChildStdout,
    seen: String,
    folder: Folder,
}

/// How the shell begins and ends; between them is what it runs.
const BEFORE: &str = "stty -a > before; ";
const AFTER: &str = "; echo \"status $?\"; stty -a > after";

impl Typist {
    pub(crate) fn new(name: &str, run: &str) -> Self {
        let folder = Folder::new(name);
        let plain = whyperf();
        // A suite that runs in the background ignores Ctrl-C, and so would all that it starts.
        let mut command = Command::new("env");
        command.args(["--default-signal=INT,QUIT", "script"]);
        surround(&mut command, &plain);
        let program = plain.get_program().to_string_lossy().into_owned();
        let words = format!("{BEFORE}{}{AFTER}", run.replace("whyperf", &program));
        command.args(["-qec", &words, "/dev/null"]).current_dir(&folder.0);
        command.env("TERM", "dumb").env("SHELL", "/bin/bash");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("`script` is part of every system");
        let keyboard = child.stdin.take().expect("it was piped");
        let screen = child.stdout.take().expect("it was piped");
        Self { child, keyboard, screen, seen: String::new(), folder }
    }

    pub(crate) fn press(&mut self, key: &str) {
        self.keyboard.write_all(key.as_bytes()).expect("the terminal is there");
    }

    /// Reads on until something is on the screen that was not there before.
    pub(crate) fn sees(&mut self, text: &str) {
        let mut read = String::new();
        while !read.contains(text) {
            let mut byte = [0];
            let count = self.screen.read(&mut byte).expect("the terminal is there");
            assert!(count > 0, "{text:?} is not to be seen: {}{read}", self.seen);
            read.push(char::from(byte[0]));
        }
        self.seen += &read;
    }

    pub(crate) fn let_it_end(&self) {
        std::fs::write(self.folder.file("done"), "").expect("writable");
    }

    /// What a file of its folder holds by now.
    pub(crate) fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.file(name)).expect("it was written")
    }

    /// What was on the screen, and that the terminal is as it was.
    pub(crate) fn end(mut self) -> String {
        self.sees("status ");
        let mut rest = Vec::new();
        self.screen.read_to_end(&mut rest).expect("the terminal is there");
        self.seen += &String::from_utf8_lossy(&rest);
        self.child.wait().expect("it is ours");
        let told = |name| std::fs::read_to_string(self.folder.file(name)).expect("it was written");
        assert_eq!(told("after"), told("before"), "{}", self.seen);
        assert!(told("after").contains(" icanon ") && told("after").contains(" echo "));
        self.seen
    }
}

/// Gives a command the variables that another one was given.
fn surround(command: &mut Command, like: &Command) {
    for (name, value) in like.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// Ends when it is told to, by a file.
pub(crate) const WAITS: &str = "until [ -e done ]; do sleep 0.02; done";

#[test]
fn space_pauses_and_p_begins_a_phase() {
    let run = format!("whyperf run --keys -- dash -c '{WAITS}; exit 5'");
    let mut typist = Typist::new("keys", &run);
    typist.press(" ");
    typist.sees("the search pauses");
    typist.press("x ");
    typist.sees("the search goes on");
    typist.press("pp");
    typist.sees("phase #1 begins");
    typist.sees("phase #2 begins");
    typist.let_it_end();
    let seen = typist.end();
    assert!(seen.contains("status 5"), "{seen}");
    assert!(!seen.contains("xp"), "keys are not shown: {seen}");
}

#[test]
fn a_program_that_reads_gets_nothing_of_the_keys() {
    let run = format!("whyperf run --keys -- dash -c 'read word; echo \"read: <$word>\"; {WAITS}'");
    let mut typist = Typist::new("keys-read", &run);
    typist.sees("read: <>");
    typist.press(" ");
    typist.sees("the search pauses");
    typist.let_it_end();
    assert!(typist.end().contains("status 0"));
}

#[test]
fn the_terminal_is_put_back_on_every_way_out() {
    let told = |act: &str| format!("({WAITS}; {act}) & while :; do sleep 0.02; done");
    let ways = [
        ("keys-interrupt", "while :; do sleep 0.02; done".to_owned(), "status 130"),
        ("keys-kill", told("kill -TERM $PPID"), "status 143"),
        ("keys-crash", told("kill -SEGV $$"), "status 139"),
    ];
    for (name, program, status) in ways {
        let mut typist = Typist::new(name, &format!("whyperf run --keys -- dash -c '{program}'"));
        typist.press(" ");
        typist.sees("the search pauses");
        typist.let_it_end();
        if name == "keys-interrupt" {
            typist.press("\x03");
        }
        let seen = typist.end();
        assert!(seen.contains(status), "{name}: {seen}");
    }
}

#[test]
fn a_process_without_a_terminal_says_so() {
    let folder = Folder::new("keys-none");
    let mut command = Command::new("setsid");
    let plain = whyperf();
    surround(&mut command, &plain);
    command.arg("--wait").arg(plain.get_program()).args(["run", "--keys", "--", "true"]);
    let said = command.current_dir(&folder.0).output().expect("every system has setsid");
    let words = String::from_utf8_lossy(&said.stderr);
    assert_eq!(said.status.code(), Some(0), "{words}");
    assert!(words.contains("keys are not heard"), "{words}");
}
