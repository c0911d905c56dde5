//! Attaches to a process that runs already: makes it load the library, and changes nothing else. One that carries the
//! library is asked by a signal (attach_request).
//!
//! ```text
//!   facts ─► refusal, or maps + memory ─► threads: one is stopped at a safe point (walk, safe_point)
//!            hijacked_thread: it maps code and data, and calls pthread_create; stands in the restore_trampoline
//!            it goes on as it was │ the fresh thread: dlopen, whyperf_attach, and away (stub)
//! ```
//! From there on the process is like one that was started with the library.

use std::fs;
use std::thread;

use crate::maps::ProcessMaps;
use crate::owner::Owner;
use crate::refusal::{self, AttachRefusal};
use crate::region_file::RegionFile;
use crate::request::AttachRequest;
use crate::{attach_request, facts, loader};

/// Attaches to a process. It runs on all the time but for one of its threads, which is stopped for about
/// a millisecond; where the process carries the library already, none is.
///
/// # Errors
/// When that is not possible; then the process is as it was.
pub fn attach(pid: u32, request: &AttachRequest<'_>) -> Result<(), AttachRefusal> {
    for _ in 0..PROGRAMS {
        let before = program(pid);
        match attach_to_program(pid, request) {
            // What was found out belongs to two programs, so the reason is none.
            Err(_) if facts::is_there(pid) && program(pid) != before => {}
            other => return other,
        }
    }
    Err(AttachRefusal::Execs(pid))
}

/// So many programs in a row are tried, where each starts the next one meanwhile.
const PROGRAMS: u32 = 5;

/// What tells a program from the next one in the same process: the addresses that the kernel chose for it.
fn program(pid: u32) -> Vec<u8> {
    fs::read(format!("/proc/{pid}/auxv")).unwrap_or_default()
}

/// The same while the process runs one program.
fn attach_to_program(pid: u32, request: &AttachRequest<'_>) -> Result<(), AttachRefusal> {
    facts::check(pid)?;
    let request = AttachRequest { take_over: check_measured(pid)?, ..request.clone() };
    match attach_request::send(pid, &request, false) {
        Some(answer) if answer != refusal::IN_PART => return AttachRefusal::judge(pid, answer),
        _ => {}
    }
    let refused = match load(pid, &request) {
        Err(refused @ AttachRefusal::NotAllowed { .. }) => refused,
        other => return other,
    };
    // Then what it sees by itself has to do.
    let answer = attach_request::send(pid, &request, true);
    answer.map_or(Err(refused), |answer| AttachRefusal::judge(pid, answer))
}

/// By a thread of the process, which is hijacked.
fn load(pid: u32, request: &AttachRequest<'_>) -> Result<(), AttachRefusal> {
    if facts::has_thread_sanitizer(pid) {
        return Err(AttachRefusal::ThreadSanitizer(pid));
    }
    let loader = loader::Loader::new(pid, request)?;
    // Whatever a thread still traces at its end is let go by the system.
    thread::scope(|scope| {
        let done = scope.spawn(|| loader.load());
        done.join().unwrap_or(Err(AttachRefusal::NoAnswer(pid)))
    })
}

/// Whether it is being measured by a daemon that is gone; refused when that daemon is alive.
fn check_measured(pid: u32) -> Result<bool, AttachRefusal> {
    let maps = ProcessMaps::of(pid);
    let mut regions = maps.paths().filter(|path| RegionFile::at(path).is_some());
    let Some(region) = regions.next() else { return Ok(false) };
    match Owner::of(region.parent().unwrap_or(region)) {
        Some(owner) if owner.is_there() => Err(AttachRefusal::Measured { pid, by: owner.pid }),
        _ => Ok(true),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn the_next_program_of_a_process_is_another_one() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo first; read line; exec sh -c 'echo second; read line'"]);
        let mut shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("sh");
        let mut says = BufReader::new(shell.stdout.take().expect("a pipe")).lines();
        let mut hears = shell.stdin.take().expect("a pipe");
        let mut next = |line: &str| {
            assert_eq!(says.next().and_then(Result::ok).as_deref(), Some(line));
            program(shell.id())
        };
        let first = next("first");
        assert!(!first.is_empty());
        assert_eq!(first, program(shell.id()));
        hears.write_all(b"\n").expect("it reads");
        assert_ne!(first, next("second"));
        hears.write_all(b"\n").expect("it reads");
        assert!(shell.wait().expect("it is ours").success());
    }
}
