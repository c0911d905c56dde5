//! What a thread does that did not run for a while: asked of the system, for a few threads in each pass.

use whyperf_inject::{ProcessStatus, ThreadWait, WaitReason};

/// What a thread does that did not run for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It runs, or waits for a processor.
    Runnable,
    /// The same, and it lost its processor against its will since it was looked at last.
    Preempted,
    /// It waits for something else.
    Blocked,
    /// It is not there any more.
    Gone,
}

/// What was seen of a thread when it was last looked at.
#[derive(Debug)]
pub(crate) struct LastLook {
    standing: Standing,
    /// For what it waited when it was last seen to wait.
    reason: WaitReason,
    /// How often it had lost its processor against its will.
    preemptions: u64,
}

impl Default for LastLook {
    fn default() -> Self {
        Self { standing: Standing::Runnable, reason: WaitReason::Other, preemptions: 0 }
    }
}

/// Threads that are looked at in a pass: a look takes some microseconds.
pub(crate) const LOOKS: u32 = 16;

impl LastLook {
    /// What the thread does: as it is now, or as it was where too many were looked at in this pass.
    pub(crate) fn take(&mut self, pid: u32, tid: u32, looks_left: &mut u32) -> Standing {
        if let Some(left) = looks_left.checked_sub(1) {
            *looks_left = left;
            self.standing = match ThreadWait::of(pid, tid) {
                None => Standing::Gone,
                Some(ThreadWait::Runnable) => self.runnable(pid, tid),
                Some(ThreadWait::Blocked(reason)) => {
                    self.reason = reason;
                    Standing::Blocked
                }
            };
        }
        self.standing
    }

    fn runnable(&mut self, pid: u32, tid: u32) -> Standing {
        let status = ProcessStatus::of_thread(pid, tid);
        let now = status.and_then(|status| status.preemptions()).unwrap_or(self.preemptions);
        let before = std::mem::replace(&mut self.preemptions, now);
        if now > before { Standing::Preempted } else { Standing::Runnable }
    }

    /// For what it waited when it was last seen to wait.
    pub(crate) const fn reason(&self) -> WaitReason {
        self.reason
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_thread_that_runs_is_runnable_also_when_nobody_looks() {
        let (say, told) = std::sync::mpsc::channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            let tid = rustix::thread::gettid().as_raw_nonzero().get().unsigned_abs();
            say.send(tid).expect("somebody listens");
            while !end.load(Ordering::Relaxed) {}
        });
        let (id, tid) = (std::process::id(), told.recv().expect("it says its number"));
        let (mut look, mut left) = (LastLook::default(), 2);
        // It may still be on its way from the message.
        while look.take(id, tid, &mut 1) != Standing::Runnable {}
        assert_eq!(look.take(id, tid, &mut left), Standing::Runnable);
        assert_eq!((look.take(id, u32::MAX, &mut 0), left), (Standing::Runnable, 1));
        is_over.store(true, Ordering::Relaxed);
        thread.join().expect("it does not panic");
        assert_eq!(look.take(id, tid, &mut left), Standing::Gone);
    }
}
