//! Reads `/proc/<pid>/stat`, of a process or of one of its threads.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The fields of it that are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// A letter: `R` runs, `Z` only waits to be collected, `X` is gone.
    state: char,
    /// The process that it is a child of.
    pub parent: u32,
    /// Bits that the kernel keeps of it (`PF_…` in its source).
    flags: u32,
    /// Clock ticks for which it ran, of a process in all its threads: in its own code, and in the kernel.
    pub user: u64,
    /// The same in the kernel.
    pub kernel: u64,
    /// The system's clock tick at which it started.
    pub start: u64,
    /// Page faults for which nothing had to be read.
    pub minor_faults: u64,
    /// Page faults for which a device had to be read.
    pub major_faults: u64,
    /// How it ended, as `waitpid` has it: 0 while it lives, and to those who may not trace it.
    status: i32,
}

impl Stat {
    /// Of a process; `None` when there is none of this number.
    #[must_use]
    pub fn of(pid: u32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Of a thread of a process.
    #[must_use]
    pub fn of_thread(pid: u32, tid: u32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/task/{tid}/stat")).ok()?)
    }

    /// Whether it is more than what is left of it until its parent collects it.
    #[must_use]
    pub const fn is_alive(&self) -> bool {
        !matches!(self.state, 'Z' | 'X' | 'x')
    }

    /// How a process ended that waits for its parent, as far as whoever reads this may trace it: others are told that it ended well.
    pub(crate) fn exit_status(&self) -> Option<ExitStatus> {
        (self.state == 'Z').then(|| ExitStatus::from_raw(self.status))
    }

    /// Whether it runs, or waits for a processor.
    #[must_use]
    pub const fn is_runnable(&self) -> bool {
        matches!(self.state, 'R')
    }

    /// Whether it is a thread of the kernel, with no program of its own.
    #[must_use]
    pub const fn is_of_the_kernel(&self) -> bool {
        const PF_KTHREAD: u32 = 0x0020_0000;
        self.flags & PF_KTHREAD != 0
    }

    fn parse(text: &str) -> Option<Self> {
        // The name in parentheses may hold anything, also parentheses: the last one ends it.
        let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
        let state = fields.next()?.chars().next()?;
        let parent = fields.next()?.parse().ok()?;
        let flags = fields.nth(4)?.parse().ok()?;
        let [minor_faults, major_faults] =
            [fields.next()?, fields.nth(1)?].map(|faults| faults.parse().ok());
        let [user, kernel] = [fields.nth(1)?, fields.next()?].map(|ticks| ticks.parse().ok());
        let start = fields.nth(6)?.parse().ok()?;
        // Old kernels have fewer fields.
        let status = fields.nth(29).and_then(|status| status.parse().ok()).unwrap_or(0);
        let (user, kernel) = (user?, kernel?);
        let (minor_faults, major_faults) = (minor_faults?, major_faults?);
        Some(Self { state, parent, flags, user, kernel, start, minor_faults, major_faults, status })
    }

    /// When it started, as time since the machine did.
    #[must_use]
    pub fn since_boot(&self) -> Duration {
        let per_second = rustix::param::clock_ticks_per_second().max(1);
        Duration::from_millis(self.start.saturating_mul(1000) / per_second)
    }

    /// For how long it ran, in all its threads.
    #[must_use]
    pub fn ran(&self) -> Duration {
        let per_second = rustix::param::clock_ticks_per_second().max(1);
        Duration::from_millis(
            self.user.saturating_add(self.kernel).saturating_mul(1000) / per_second,
        )
    }
}

/// For how long the machine runs, to the tick in which [`Stat::since_boot`] counts.
#[must_use]
pub fn since_boot() -> Duration {
    let now = clock_gettime(ClockId::Boottime);
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    let ticks = part(now.tv_sec) * per_second + part(now.tv_nsec) * per_second / 1_000_000_000;
    Duration::from_millis(ticks.saturating_mul(1000) / per_second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_what_separates_fields() {
        let line = "17 (a) Z 3 (b) S 4 17 17 0 -1 4194304 12 0 3 0 5 6 0 0 20 0 1 0 4711 8 9";
        let stat = Stat::parse(line).expect("it has all fields");
        let (user, kernel, minor_faults, major_faults) = (5, 6, 12, 3);
        let (state, parent, flags, start) = ('S', 4, 4_194_304, 4711);
        let status = 0;
        let expected =
            Stat { state, parent, flags, user, kernel, start, minor_faults, major_faults, status };
        assert_eq!(stat, expected);
        assert_eq!(stat.ran(), Duration::from_millis(110));
        assert!(stat.is_alive() && !stat.is_of_the_kernel());
        let line = "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 7 0 0 20 0 1 0 1 0 0";
        assert!(Stat::parse(line).is_some_and(|stat| stat.is_of_the_kernel()));
        assert_eq!(Stat::parse("17 (a) S 4"), None);
    }
}
