//! A signal for the whole group reaches the program first, and the report is still written.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;

use crate::command::{Folder, whyperf};

/// A watched script that has said `ready`, in a process group of its own.
struct Running {
    child: Child,
    pid: Pid,
    stdout: BufReader<ChildStdout>,
    folder: Folder,
}

/// What came of it.
struct Ended {
    status: Option<i32>,
    stdout: String,
    stderr: String,
    report: Value,
}

impl Running {
    fn start(name: &str, script: &str) -> Self {
        Self::start_with(name, "--default-signal=ALRM,HUP,INT,QUIT,TERM,USR1", script)
    }

    fn start_with(name: &str, signals: &str, script: &str) -> Self {
        let folder = Folder::new(name);
        // Whoever runs the tests in the background ignores some signals, and children inherit that.
        let plain = whyperf();
        let mut command = Command::new("env");
        for (name, value) in plain.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.arg(signals).arg(plain.get_program());
        command.args(["run", "--json", &folder.file("report.json"), "--", "sh", "-c", script]);
        command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command was built");
        let mut stdout = BufReader::new(child.stdout.take().expect("it was piped"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("the script speaks");
        assert_eq!(line, "ready\n");
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
        Self { child, pid, stdout, folder }
    }

    fn end(mut self) -> Ended {
        let mut stdout = String::new();
        self.stdout.read_to_string(&mut stdout).expect("the script speaks text");
        let mut stderr = String::new();
        let mut words = self.child.stderr.take().expect("it was piped");
        words.read_to_string(&mut stderr).expect("whyperf speaks text");
        let status = self.child.wait().expect("it ends").code();
        let report = std::fs::read_to_string(self.folder.file("report.json"))
            .unwrap_or_else(|error| panic!("no report: {error}\n{stderr}"));
        let report = serde_json::from_str(&report).expect("a report is JSON");
        Ended { status, stdout, stderr, report }
    }
}

/// Says what it gets, and ends when it gets a line from nobody.
fn script(signal: &str, then: &str) -> String {
    format!("trap '{then}' {signal}; echo ready; while :; do sleep 0.02; done")
}

#[test]
fn an_interruption_of_the_group_is_the_program_s_to_answer() {
    let running = Running::start("int", &script("INT", "echo caught; exit 7"));
    kill_process_group(running.pid, Signal::INT).expect("the group is there");
    let ended = running.end();
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(7), "caught\n"), "{}", ended.stderr);
    assert_eq!(ended.report["exit_status"], 7);
    assert!(ended.stderr.contains("exit status 7"), "{}", ended.stderr);
}

#[test]
fn a_program_that_does_not_answer_ends_as_it_would() {
    let running = Running::start("int-default", "echo ready; while :; do sleep 0.02; done");
    kill_process_group(running.pid, Signal::INT).expect("the group is there");
    let ended = running.end();
    assert_eq!(ended.status, Some(130), "{}", ended.stderr);
    assert_eq!(ended.report["exit_status"], 130);
}

#[test]
fn a_request_to_end_is_passed_on_and_the_report_written() {
    let running = Running::start("term", &script("TERM", "echo asked; exit 8"));
    kill_process(running.pid, Signal::TERM).expect("it runs");
    let ended = running.end();
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(8), "asked\n"), "{}", ended.stderr);
    assert_eq!(ended.report["exit_status"], 8);
}

#[test]
fn signals_for_users_are_passed_on() {
    let running = Running::start("usr1", &script("USR1", "echo one; exit 9"));
    kill_process(running.pid, Signal::USR1).expect("it runs");
    assert_eq!(running.end().status, Some(9));
}

#[test]
fn what_another_process_sends_to_whyperf_alone_is_passed_on() {
    let signals = [
        ("INT", Signal::INT),
        ("HUP", Signal::HUP),
        ("QUIT", Signal::QUIT),
        ("ALRM", Signal::ALARM),
    ];
    for (name, signal) in signals {
        let running =
            Running::start(&format!("alone-{name}"), &script(name, "echo caught; exit 11"));
        kill_process(running.pid, signal).expect("it runs");
        let ended = running.end();
        assert_eq!((ended.status, ended.stdout.as_str()), (Some(11), "caught\n"), "{name}");
        assert_eq!(ended.report["exit_status"], 11, "{name}");
    }
}

/// As a shell starts what runs in the background. A program that handles the signal all the same gets it, one that does not is not ended.
/// As a batch system tells all processes of a job to write a checkpoint.
#[test]
fn what_is_sent_to_a_whole_group_comes_once() {
    let handlers = "import signal, sys\n\
        signal.signal(signal.SIGUSR1, lambda *_: print('to all', flush=True))\n\
        signal.signal(signal.SIGALRM, lambda *_: print('to all, too', flush=True))\n\
        signal.signal(signal.SIGUSR2, lambda *_: print('to whyperf', flush=True))\n\
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(14))\n\
        print('ready', flush=True)\nwhile True: signal.pause()\n";
    let mut running = Running::start("once", &format!("exec python3 -c \"{handlers}\""));
    let mut reads = || {
        let mut line = String::new();
        running.stdout.read_line(&mut line).expect("the script speaks");
        line
    };
    // Two at once: the answer about one of them says what is to be known of the other.
    kill_process_group(running.pid, Signal::USR1).expect("it runs");
    kill_process_group(running.pid, Signal::ALARM).expect("it runs");
    let mut both = [reads(), reads()];
    both.sort_unstable();
    assert_eq!(both, ["to all\n", "to all, too\n"]);
    kill_process(running.pid, Signal::USR2).expect("it runs");
    assert_eq!(reads(), "to whyperf\n");
    kill_process(running.pid, Signal::TERM).expect("it runs");
    let ended = running.end();
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(14), ""), "{}", ended.stderr);
}

#[test]
fn what_was_ignored_at_the_start_reaches_a_program_that_handles_it() {
    let handler = "import signal, sys\n\
        signal.signal(signal.SIGINT, lambda *_: sys.exit(12))\n\
        print('ready', flush=True)\nwhile True: signal.pause()\n";
    let script = format!("exec python3 -c \"{handler}\"");
    let running = Running::start_with("ignored", "--ignore-signal=INT,QUIT", &script);
    kill_process(running.pid, Signal::INT).expect("it runs");
    assert_eq!(running.end().status, Some(12));
}

#[test]
fn what_was_ignored_at_the_start_is_ignored_by_a_program_that_does_not_handle_it() {
    let script = script("TERM", "exit 13");
    let running = Running::start_with("ignored-by-all", "--ignore-signal=INT", &script);
    kill_process(running.pid, Signal::INT).expect("it runs");
    kill_process(running.pid, Signal::INT).expect("it runs");
    kill_process(running.pid, Signal::TERM).expect("it runs");
    assert_eq!(running.end().status, Some(13));
}

#[test]
fn a_hang_up_does_not_lose_the_report() {
    let running = Running::start("hup", &script("HUP", "exit 10"));
    kill_process_group(running.pid, Signal::HUP).expect("the group is there");
    assert_eq!(running.end().report["exit_status"], 10);
}

#[test]
fn what_is_known_when_the_end_is_asked_for_survives_being_killed() {
    let mut running = Running::start("kept", &script("TERM", "echo asked"));
    kill_process(running.pid, Signal::TERM).expect("it runs");
    let mut line = String::new();
    running.stdout.read_line(&mut line).expect("the script speaks");
    assert_eq!(line, "asked\n");
    let path = running.folder.file("report.json");
    while !std::path::Path::new(&path).exists() {
        let ended = running.child.try_wait().expect("it is our child");
        assert_eq!(ended, None, "whyperf stays with a program that does not end");
        std::thread::yield_now();
    }
    kill_process_group(running.pid, Signal::KILL).expect("the group is there");
    let ended = running.end();
    assert_eq!((ended.status, &ended.report["exit_status"]), (None, &Value::from(143)));
    // Nobody was left to remove the run directory.
    assert_eq!(crate::command::say(&["clean"]).status, Some(0));
}
