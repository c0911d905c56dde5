//! The file `/proc/<pid>/status` of a process or a thread, by line.

use std::fs::{self, File};
use std::io::Read as _;

/// Its text.
#[derive(Debug)]
pub struct ProcessStatus(String);

impl ProcessStatus {
    /// Of a process or a thread by its number, or of `self`; `None` when it is gone.
    #[must_use]
    pub fn of(pid: &str) -> Option<Self> {
        fs::read_to_string(format!("/proc/{pid}/status")).ok().map(Self)
    }

    /// Of a thread of a process.
    #[must_use]
    pub fn of_thread(pid: u32, tid: u32) -> Option<Self> {
        let mut text = String::with_capacity(USUAL);
        let file = File::open(format!("/proc/{pid}/task/{tid}/status")).ok()?;
        // Not by the size of the file, which is none: that would be ten system calls, of threads that are looked at in many passes.
        file.take(u64::MAX).read_to_string(&mut text).ok()?;
        Some(Self(text))
    }

    /// How often a thread lost its processor against its will.
    #[must_use]
    pub fn preemptions(&self) -> Option<u64> {
        self.line("nonvoluntary_ctxt_switches")?.parse().ok()
    }

    /// How often a thread began to wait for something.
    #[must_use]
    pub fn blocks(&self) -> Option<u64> {
        self.line("voluntary_ctxt_switches")?.parse().ok()
    }

    /// How often a thread gave up or lost its processor.
    #[must_use]
    pub fn context_switches(&self) -> Option<u64> {
        Some(self.blocks()? + self.preemptions()?)
    }

    /// What the text of such a file says.
    #[cfg(test)]
    pub(crate) fn parse(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The signals of the set of this name, one bit each, the first signal lowest: `SigIgn` those that are ignored.
    pub(crate) fn signals(&self, set: &str) -> Option<u64> {
        u64::from_str_radix(self.line(set)?, 16).ok()
    }

    /// Whether a signal is in the set of this name.
    #[must_use]
    pub fn has(&self, set: &str, signal: i32) -> bool {
        self.signals(set).is_some_and(|bits| bits >> (signal - 1) & 1 != 0)
    }

    /// Whether it runs, or wants to.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.line("State").is_some_and(|state| state.starts_with('R'))
    }

    pub(crate) fn line(&self, name: &str) -> Option<&str> {
        let marked =
            |line: &'_ str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'));
        let line = self.0.lines().find(|line| marked(line))?;
        Some(line[name.len() + 1..].trim())
    }

    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        self.line(name)?.split_ascii_whitespace().next()?.parse().ok()
    }

    /// The number by which it calls itself, where that is one of another PID namespace than this process's.
    pub(crate) fn inner_number(&self) -> Option<u32> {
        let numbers = self.line("NSpid")?.split_ascii_whitespace().skip(1);
        numbers.last()?.parse().ok()
    }

    /// The user to whom it counts.
    #[must_use]
    pub fn real_user(&self) -> Option<u32> {
        self.number("Uid")
    }

    /// How many threads a process has.
    #[must_use]
    pub fn threads(&self) -> Option<u32> {
        self.number("Threads")
    }

    /// The user it acts as.
    pub(crate) fn user(&self) -> Option<u32> {
        self.line("Uid")?.split_ascii_whitespace().nth(1)?.parse().ok()
    }
}

/// More bytes than it has on most machines.
const USUAL: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_signals_are_read_by_name() {
        let status = ProcessStatus::parse("Name:\tx\nSigQ:\t1/9\nSigIgn:\t0000000000000003\n");
        assert_eq!(status.signals("SigIgn"), Some(3));
        assert_eq!(status.signals("Sig"), None, "the beginning of a name is no name");
        let switches = "voluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t2\n";
        assert_eq!(ProcessStatus::parse(switches).context_switches(), Some(7));
        assert!(status.has("SigIgn", 2) && !status.has("SigIgn", 3));
    }
}
