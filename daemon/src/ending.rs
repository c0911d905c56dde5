//! Tells whether a measured process has ended: each sampling pass asks, so that no time after the end is counted.

use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use whyperf_inject::Life;

use crate::kept::KeptDescriptor;

/// The end of a process, seen by a descriptor of it. Where there is none, the process is looked up by its number, which costs more
/// and takes one whose first thread ended before the others for ended.
#[derive(Debug)]
pub(crate) struct ProcessEnd {
    life: Life,
    descriptor: Option<KeptDescriptor<OwnedFd>>,
}

impl ProcessEnd {
    /// Of the process of this number as it is now.
    pub(crate) fn of(pid: u32) -> Self {
        let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let open = |pid| pidfd_open(pid, PidfdFlags::empty()).ok();
        let descriptor = number.and_then(open).and_then(KeptDescriptor::new);
        // Read after the descriptor was opened: if it lives, the descriptor is of the same process.
        Self { life: Life::of(pid), descriptor }
    }

    /// The process by its number.
    pub(crate) const fn life(&self) -> Life {
        self.life
    }

    /// Whether all its threads ended, or it never was. What costs more is only asked where an end `is_likely`.
    pub(crate) fn is_over(&self, is_likely: bool) -> bool {
        match &self.descriptor {
            Some(descriptor) => has_ended(descriptor.get()),
            None => is_likely && self.life.is_over(),
        }
    }
}

/// A descriptor of a process can be read from when the process has ended, collected or not.
fn has_ended(descriptor: &OwnedFd) -> bool {
    let mut asked = [PollFd::new(descriptor, PollFlags::IN)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut asked, Some(&at_once)).is_ok_and(|ready| ready > 0)
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    fn child() -> Child {
        let mut cat = Command::new("cat");
        cat.stdin(Stdio::piped()).spawn().expect("cat is on every machine")
    }

    #[test]
    fn a_process_that_waits_to_be_collected_has_ended() {
        let mut child = child();
        let ending = ProcessEnd::of(child.id());
        assert!(!ending.is_over(true));
        child.kill().expect("it is ours");
        // Awaited, but left to be collected.
        let pid = Pid::from_child(&child);
        let options =
            rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT;
        rustix::process::waitid(rustix::process::WaitId::Pid(pid), options).expect("it is ours");
        assert!(ending.is_over(false), "it is asked for in any case");
        child.wait().expect("it is ours");
        assert!(ending.is_over(false));
    }

    #[test]
    fn one_that_never_was_has_ended() {
        assert!(ProcessEnd::of(u32::MAX).is_over(true));
    }
}
