//! The panic handler: when whyperf itself fails, it says so, waits for the end of the program, and returns the exit status of the program.
//!
//! A panic ends a process at once. The program would lose its parent, and its caller the exit status.

use std::fs;
use std::io::{self, Write as _};
use std::panic::{self, PanicHookInfo};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process, waitid};

use crate::measuring::keys;
use crate::measuring::launch::{FAILURE, Launch};
use crate::output::terminal;

/// The thread that supervises the program: it starts the program and waits for its end.
static SUPERVISOR: OnceLock<ThreadId> = OnceLock::new();
/// The program.
static CHILD: OnceLock<Option<Pid>> = OnceLock::new();
/// What whyperf will return, once that is known.
static STATUS: OnceLock<i32> = OnceLock::new();
/// The run directory, which would be left behind.
static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
/// Set when the supervising thread has failed: its events are no longer handled.
static UNSUPERVISED: OnceLock<()> = OnceLock::new();

/// What this process becomes when it fails before the program was started.
static PROGRAM: Mutex<Option<Launch>> = Mutex::new(None);

/// From now on a panic of any thread costs measurements only, of this program.
pub(crate) fn prepare_for(program: Launch) {
    *PROGRAM.lock().unwrap_or_else(PoisonError::into_inner) = Some(program);
    prepare();
}

/// Takes the program, which is started once.
fn take_program() -> Option<Launch> {
    PROGRAM.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// From now on a panic of any thread costs measurements only.
fn prepare() {
    panic::set_hook(Box::new(|failure| {
        // Before the message: a signal that comes now must still reach the program.
        if SUPERVISOR.get() == Some(&thread::current().id()) {
            let _ = UNSUPERVISED.set(());
        }
        say(failure);
        stand_in()
    }));
}

/// This directory is to be removed at the end.
pub(crate) fn remove_at_end(directory: &Path) {
    let _ = DIRECTORY.set(directory.to_owned());
}

/// The calling thread starts the program now, and supervises it.
pub(crate) fn supervise_from_here() {
    if take_program().is_none() {
        // Another thread has failed, and becomes the program in this moment.
        loop {
            thread::park();
        }
    }
    let _ = SUPERVISOR.set(thread::current().id());
}

/// The program was started.
pub(crate) fn child_is(pid: u32) {
    let _ = CHILD.set(i32::try_from(pid).ok().and_then(Pid::from_raw));
}

/// Whatever happens from now on, this is returned.
pub(crate) fn status_is(status: i32) {
    let _ = STATUS.set(status);
}

/// Gives a signal to the program if the supervising thread has failed; answers whether it has.
pub(crate) fn pass_on(signal: i32) -> bool {
    if UNSUPERVISED.get().is_none() {
        return false;
    }
    let child = CHILD.get().copied().flatten();
    if let (Some(child), Some(named), None) = (child, Signal::from_named_raw(signal), STATUS.get())
    {
        let _ = kill_process(child, named);
    }
    true
}

/// One line, and no second failure where standard error is closed.
fn say(failure: &PanicHookInfo<'_>) {
    let what = failure.payload_as_str().unwrap_or("for a reason that has no words");
    let place = failure.location().map(ToString::to_string).unwrap_or_default();
    let rest = match SUPERVISOR.get() {
        None => "the program runs without",
        Some(_) => "the program goes on, and its exit status is kept",
    };
    let line = format!(
        "whyperf: this is a defect of whyperf, please report it: {what} ({place}); {rest}\n"
    );
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Does what the supervising thread would have done, except for the report: it starts the program or waits for its end.
fn stand_in() -> ! {
    if let Some(program) = take_program() {
        clean_up();
        let error = program.become_it();
        terminal::complain(&program.failure(&error));
        process::exit(FAILED);
    }
    if *SUPERVISOR.wait() == thread::current().id() {
        let child = CHILD.get().copied().flatten();
        end(child.map_or(FAILED, |child| end_of(child, || None)));
    }
    let child = *CHILD.wait();
    let status = child.map(|child| end_of(child, || Some(*STATUS.wait())));
    // The supervising thread still works: it writes the report, and then ends the process.
    thread::sleep(TIME_FOR_REPORT);
    end(status.unwrap_or(FAILED))
}

/// Ends whyperf, which is asked to for the second time and does not: its own work hangs. The program gets the signal, and is waited for.
pub(crate) fn end_at_once(signal: i32) -> ! {
    let child = CHILD.get().copied().flatten();
    if let (Some(child), Some(named), None) = (child, Signal::from_named_raw(signal), STATUS.get())
    {
        let _ = kill_process(child, named);
    }
    end(child.map_or(128 + signal, |child| end_of(child, || None)))
}

/// Leaves terminal and run directory as they were.
fn end(status: i32) -> ! {
    clean_up();
    process::exit(status)
}

fn clean_up() {
    keys::put_back();
    if let Some(directory) = DIRECTORY.get() {
        let _ = fs::remove_dir_all(directory);
        let home = directory.parent().unwrap_or(directory);
        // Only when it is empty, which is what the system checks.
        let _ = fs::remove_dir(home);
    }
}

/// Waits until the program has ended, and tells its status as a shell does; `collected` knows it where that is done.
fn end_of(child: Pid, collected: impl FnOnce() -> Option<i32>) -> i32 {
    if let Some(status) = STATUS.get() {
        return *status;
    }
    // It stays uncollected, so that its number cannot be given to another process.
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    loop {
        match waitid(WaitId::Pid(child), options) {
            Ok(Some(ended)) => return status_of(&ended).unwrap_or(FAILED),
            Ok(None) | Err(Errno::INTR) => {}
            Err(_) => return collected().unwrap_or(FAILED),
        }
    }
}

fn status_of(ended: &WaitIdStatus) -> Option<i32> {
    ended.exit_status().or_else(|| ended.terminating_signal().map(|signal| 128 + signal))
}

/// What is returned when nothing is known of the program.
const FAILED: i32 = FAILURE as i32;
/// Longer than processes are waited for that outlive the program.
const TIME_FOR_REPORT: Duration = Duration::from_secs(15);

#[cfg(test)]
mod tests {
    use std::env;
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Child, ChildStderr, Command, ExitCode, Stdio};

    use clap::Parser as _;

    use super::*;
    use crate::arguments::{CommandLine, Verb};
    use crate::measuring::event_queue::Events;
    use crate::measuring::run;

    /// Set in the process that is to fail.
    const VICTIM: &str = "WHYPERF_TEST_VICTIM";

    /// Runs one of these tests as the process that fails; its program ends when standard input does.
    fn victim(test: &str, value: &Path) -> (Child, BufReader<ChildStderr>) {
        let mut command = Command::new(env::current_exe().expect("a test has a file"));
        let (_, module) = module_path!().split_once("::").expect("a module of this crate");
        command.args(["--exact", &format!("{module}::{test}"), "--nocapture"]);
        command
            .env(VICTIM, value)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("a test can be run");
        let mut words = BufReader::new(child.stderr.take().expect("it was piped"));
        let mut line = String::new();
        while !line.contains("please report it") {
            line.clear();
            assert!(words.read_line(&mut line).expect("it speaks text") > 0, "it says nothing");
        }
        assert!(line.contains("on purpose (command/measuring/panic_handler.rs:"), "{line}");
        assert!(line.contains("; the program "), "{line}");
        assert_eq!(child.try_wait().expect("it is ours"), None, "it waits for its program");
        (child, words)
    }

    fn fail_as_supervisor(script: &str, directory: &Path) -> ! {
        prepare_for(launch(script));
        remove_at_end(directory);
        supervise_from_here();
        let _events = Events::listen().expect("signals can be heard");
        child_is(launch(script).spawn().map(|child| child.id()).expect("a shell can be started"));
        panic!("on purpose");
    }

    fn launch(script: &str) -> Launch {
        Launch::prepare(&["sh", "-c", script].map(Into::into)).expect("every system has a shell")
    }

    fn directory(name: &str) -> PathBuf {
        let directory = env::temp_dir().join(format!("whyperf-rescue-{}-{name}", process::id()));
        fs::create_dir(&directory).expect("the temporary folder can be written");
        fs::write(directory.join("1-1.region"), "").expect("the folder is ours");
        directory
    }

    #[test]
    fn a_failure_keeps_the_exit_status_and_leaves_nothing_behind() {
        if let Some(directory) = env::var_os(VICTIM) {
            fail_as_supervisor("read word; exit 7", Path::new(&directory));
        }
        let directory = directory("status");
        let test = "a_failure_keeps_the_exit_status_and_leaves_nothing_behind";
        let (mut child, _words) = victim(test, &directory);
        drop(child.stdin.take());
        assert_eq!(child.wait().expect("it is ours").code(), Some(7));
        assert!(!directory.exists());
    }

    #[test]
    fn a_failure_before_the_start_does_not_keep_the_program_from_running() {
        if let Some(directory) = env::var_os(VICTIM) {
            prepare_for(launch("read word; exit 9"));
            remove_at_end(Path::new(&directory));
            thread::spawn(|| panic!("on purpose"));
            loop {
                thread::park();
            }
        }
        let directory = directory("before");
        let test = "a_failure_before_the_start_does_not_keep_the_program_from_running";
        let (mut child, _words) = victim(test, &directory);
        drop(child.stdin.take());
        assert_eq!(child.wait().expect("it is ours").code(), Some(9));
        assert!(!directory.exists());
    }

    #[test]
    fn after_a_failure_signals_still_reach_the_program() {
        if let Some(directory) = env::var_os(VICTIM) {
            let script = "trap 'kill -KILL $$' TERM; : >\"$WHYPERF_TEST_VICTIM/ready\"; while :; do sleep 0.02; done";
            fail_as_supervisor(script, Path::new(&directory));
        }
        let directory = directory("signal");
        let (mut child, _words) =
            victim("after_a_failure_signals_still_reach_the_program", &directory);
        while !directory.join("ready").exists() {
            assert_eq!(child.try_wait().expect("it is ours"), None, "it waits for its program");
            thread::yield_now();
        }
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(pid, Signal::TERM).expect("it runs");
        assert_eq!(child.wait().expect("it is ours").code(), Some(137));
    }

    #[test]
    fn a_failure_of_another_thread_does_not_even_cost_the_report() {
        if env::var_os(VICTIM).is_some() {
            let words = ["whyperf", "run", "--", "sh", "-c", "read word; exit 8"];
            let Verb::Run(request) = CommandLine::parse_from(words).verb else {
                unreachable!("the verb was `run`");
            };
            thread::spawn(|| {
                CHILD.wait();
                panic!("on purpose");
            });
            let code = run::run(&request).expect("a shell can be run");
            process::exit(if code == ExitCode::from(8) { 8 } else { 1 });
        }
        let test = "a_failure_of_another_thread_does_not_even_cost_the_report";
        let (mut child, mut words) = victim(test, Path::new("/"));
        drop(child.stdin.take());
        let mut report = String::new();
        words.read_to_string(&mut report).expect("it speaks text");
        assert_eq!(child.wait().expect("it is ours").code(), Some(8), "{report}");
        assert!(report.contains("exit status 8"), "{report}");
    }
}
