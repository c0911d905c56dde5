//! Identifies a process by its number and start time, and tells whether it still lives: a number alone may be used again.

use std::path::Path;

use crate::stat::Stat;

/// A process as the system knows it: its number may be used again, its start time tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life {
    pid: u32,
    start: Option<u64>,
}

impl Life {
    /// The process of this number as it is now.
    pub fn of(pid: u32) -> Self {
        Self { pid, start: start_time(pid) }
    }

    /// Whether it has ended, or never was.
    pub fn is_over(self) -> bool {
        self.start.is_none() || start_time(self.pid) != self.start
    }

    /// Whether it has a thread of this number; threads are not asked for where processes are not
    /// to be seen.
    pub fn has_thread(self, tid: u32) -> bool {
        Path::new(&format!("/proc/{}/task/{tid}", self.pid)).exists()
    }

    /// The system's clock tick at which it started.
    pub const fn start(self) -> Option<u64> {
        self.start
    }
}

/// The start time of a process; `None` when it is gone or only waits to be collected.
fn start_time(pid: u32) -> Option<u64> {
    Stat::of(pid).filter(Stat::is_alive).map(|stat| stat.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_lives_until_it_is_collected() {
        assert!(!Life::of(std::process::id()).is_over());
        let mut child = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .expect("cat is on every machine");
        let life = Life::of(child.id());
        assert!(!life.is_over());
        drop(child.stdin.take());
        child.wait().expect("the child was just started");
        assert!(life.is_over());
    }
}
