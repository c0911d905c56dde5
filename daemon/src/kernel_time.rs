//! What a thread ran in the kernel, by the system's own count: in calls that move data it is what they ran.

use whyperf_inject::Stat;
use whyperf_model::Nanos;

/// Counts what a thread runs in the kernel from one reading to the next.
#[derive(Debug, Default)]
pub(crate) struct KernelTime {
    /// Clock ticks, as last read.
    before: u64,
}

impl KernelTime {
    /// Since it was read last; nothing where the thread is gone. The clock ticks coarsely: what one reading lacks the next one has.
    pub(crate) fn read(&mut self, pid: u32, tid: u32) -> Nanos {
        Stat::of_thread(pid, tid).map_or(Nanos::ZERO, |stat| self.take(stat.kernel))
    }

    /// At so many ticks.
    pub(crate) fn take(&mut self, now: u64) -> Nanos {
        let before = std::mem::replace(&mut self.before, now);
        Nanos(now.saturating_sub(before).saturating_mul(TICK))
    }
}

/// Nanoseconds of a clock tick in what the kernel shows, on all machines.
pub(crate) const TICK: u64 = 10_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_passed_since_it_was_read() {
        let mut time = KernelTime::default();
        let read = [3, 3, 12, 5].map(|ticks| time.take(ticks));
        assert_eq!(read, [30, 0, 90, 0].map(Nanos::from_millis));
    }
}
