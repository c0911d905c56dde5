//! The processor time of another process: what all its threads ran, by one call.

use std::mem::MaybeUninit;

/// The clock that counts what the threads of a process run, those that ended among them.
#[derive(Clone, Copy, Debug)]
pub struct ProcessorClock(libc::clockid_t);

impl ProcessorClock {
    /// Of a process; `None` where no process can have this number.
    #[must_use]
    pub fn of(pid: u32) -> Option<Self> {
        // `CPUCLOCK_SCHED` of all threads: the kernel takes the number of a process in the upper bits, inverted.
        i32::try_from(pid).ok().filter(|pid| *pid > 0).map(|pid| Self((!pid << 3) | 2))
    }

    /// Nanoseconds: the sum of what [`crate::Schedstat`] has of each thread as `ran`, as current as that. `None` when the process is gone.
    #[must_use]
    pub fn read(self) -> Option<u64> {
        let mut time = MaybeUninit::uninit();
        // SAFETY: the kernel writes one time to where there is room for one.
        let is_read = unsafe { libc::clock_gettime(self.0, time.as_mut_ptr()) } == 0;
        // SAFETY: it was written, as the call says.
        let time: libc::timespec = is_read.then(|| unsafe { time.assume_init() })?;
        let [seconds, nanos] = [time.tv_sec, time.tv_nsec].map(|part| u64::try_from(part).ok());
        seconds?.checked_mul(1_000_000_000)?.checked_add(nanos?)
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;
    use crate::Schedstat;

    #[test]
    fn it_is_what_the_threads_ran_and_stands_still_while_they_rest() {
        let mut child = Command::new("cat");
        let child = child.stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
        let mut child = child.expect("every system has `cat`");
        let clock = ProcessorClock::of(child.id()).expect("it is a number of a process");
        let ran = || Schedstat::of(child.id(), child.id()).map(|counted| counted.ran);
        // It may still be on its way to where it waits.
        let mut before = None;
        while before.is_none() || before != clock.read() || before != ran() {
            before = clock.read();
            std::thread::yield_now();
        }
        drop(child.stdin.take());
        assert!(child.wait().expect("it is ours").success());
        assert_eq!(clock.read(), None, "it is gone");
    }
}
