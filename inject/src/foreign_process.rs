//! A process that is no child of ours: waits for its end, and says how it ended, where the kernel tells.
//!
//! ```text
//!   it ends ──► a zombie: /proc/PID/stat says how, to who may trace it ──► its parent collects it ──► the kernel's file of the process
//!                                                                                                     says how, from Linux 6.15 on
//! ```

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::pidfd_info;
use crate::stat::Stat;

/// A process, and the kernel's file of it, which stays that process's when its number is used again.
#[derive(Debug)]
pub struct ForeignProcess {
    pid: u32,
    file: OwnedFd,
}

impl ForeignProcess {
    /// Opens the file of a process.
    ///
    /// # Errors
    /// `ESRCH` when it is gone; another error in kernels before 5.3 and in sandboxes.
    pub fn open(pid: u32) -> io::Result<Self> {
        let raw = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(Errno::SRCH)?;
        Ok(Self { pid, file: pidfd_open(raw, PidfdFlags::empty())? })
    }

    /// Waits until it has ended; it may still wait for its parent then.
    pub fn wait(&self) {
        while poll(&mut [PollFd::new(&self.file, PollFlags::IN)], None) == Err(Errno::INTR) {}
    }

    /// How it ended; `None` while it lives, and where nobody tells.
    #[must_use]
    pub fn exit_status(&self) -> Option<ExitStatus> {
        if let Some(status) = Stat::of(self.pid).and_then(|stat| stat.exit_status())
            && self.is_readable()
        {
            return Some(status);
        }
        // Its parent collects it in this moment.
        let collected = PollFd::new(&self.file, PollFlags::empty());
        let _ = poll(&mut [collected], Some(&COLLECTING));
        pidfd_info::exit_status(&self.file).map(ExitStatus::from_raw)
    }

    /// Whether the kernel tells us how it ended: to others it says 0. Of a zombie there is no program, which only who may trace it hears.
    fn is_readable(&self) -> bool {
        let program = fs::read_link(format!("/proc/{}/exe", self.pid));
        program.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }
}

/// Longer than it takes to collect a process.
const COLLECTING: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    /// A shell that ends in this way once its standard input does.
    fn shell(script: &str) -> (Child, ForeignProcess) {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("read word; {script}")]).stdin(Stdio::piped());
        let child = command.spawn().expect("every system has a shell");
        let process = ForeignProcess::open(child.id()).expect("it runs");
        (child, process)
    }

    #[test]
    fn a_process_that_waits_for_its_parent_tells_how_it_ended() {
        let (mut child, process) = shell("exit 3");
        assert_eq!(process.exit_status(), None, "it lives");
        drop(child.stdin.take());
        process.wait();
        assert_eq!(process.exit_status().and_then(|status| status.code()), Some(3));
        child.wait().expect("it is ours");
    }

    #[test]
    fn one_that_was_collected_tells_it_where_the_kernel_does_and_is_not_known_elsewhere() {
        let (mut child, process) = shell("kill -TERM $$");
        drop(child.stdin.take());
        child.wait().expect("it is ours");
        let status = process.exit_status().map(|status| status.signal());
        let expected = pidfd_info::is_told().then_some(Some(15));
        assert_eq!(status, expected);
    }
}
