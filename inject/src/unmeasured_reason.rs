//! The reasons why a process of a run is not measured, found from what the system tells about it.
//!
//! ```text
//!   started by a measured program ──► the loader reads LD_PRELOAD ──► the library opens its file in the run directory
//!                                       │ none, or another kind        │ another user's, or left alone on purpose
//!                                       ▼                              ▼
//!                                     nothing of what the process does is in any number
//! ```

use std::fs;
use std::path::Path;

use whyperf_layout::RegionFailure;

use crate::facts;
use crate::maps::ProcessMaps;
use crate::request::LIBRARY;
use crate::status::ProcessStatus;

/// A reason, for the user to read, with what helps.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum UnmeasuredReason {
    /// It may not write where the run is measured.
    #[error("it runs as user {0}, who may not write into this run: run whyperf as that user")]
    OtherUser(u32),
    /// No loader of the kind that is needed takes part.
    #[error("it is {kind}: {advice}")]
    CannotLoad {
        /// What kind of program that is.
        kind: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// Whoever started it did not pass on what measuring needs.
    #[error("its environment has no LD_PRELOAD: pass that and WHYPERF_* on")]
    NotPassedOn,
    /// The loader preloads nothing into it.
    #[error("the loader preloads nothing into it: does it have more rights than its user?")]
    NotPreloaded,
    /// The library is in it and does not measure it.
    #[error(
        "it carries the library, and did nothing yet that this sees, as a forked child that only computes; or it is a shell or a launcher"
    )]
    LeftAlone,
    /// It could not make its file in the run directory.
    #[error("{}", without(*.0))]
    NoRegion(RegionFailure),
    /// The system says nothing of it.
    #[error("nothing may be read of it")]
    Unreadable,
}

impl UnmeasuredReason {
    /// Of a process that is there and that left no file in the run directory; `None` when it is gone by now.
    #[must_use]
    pub fn of(pid: u32) -> Option<Self> {
        let status = ProcessStatus::of(&pid.to_string())?;
        let user = rustix::process::geteuid().as_raw();
        if let Some(owner) = status.user().filter(|owner| *owner != user) {
            return Some(Self::OtherUser(owner));
        }
        let maps = ProcessMaps::of(pid);
        if maps.with_code().next().is_none() {
            return Some(Self::Unreadable);
        }
        if maps.named(|name| name == LIBRARY).is_some() {
            return Some(Self::LeftAlone);
        }
        let program = format!("/proc/{pid}/exe");
        if let Some((kind, advice)) = facts::obstacle(Path::new(&program), &maps) {
            return Some(Self::CannotLoad { kind, advice });
        }
        let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
        let is_passed_on = environment
            .split(|byte| *byte == 0)
            .filter_map(|entry| entry.strip_prefix(b"LD_PRELOAD="))
            .any(|list| list.windows(LIBRARY.len()).any(|part| part == LIBRARY.as_bytes()));
        Some(if is_passed_on { Self::NotPreloaded } else { Self::NotPassedOn })
    }

    /// Whether it is so on purpose: such a process mostly only waits for others.
    #[must_use]
    pub const fn is_meant(&self) -> bool {
        matches!(self, Self::LeftAlone)
    }
}

const fn without(failure: RegionFailure) -> &'static str {
    match failure {
        RegionFailure::File => {
            "it could make no file in the run directory: had it a descriptor left (ulimit -n)?"
        }
        RegionFailure::Size => "its files may not be as large as measuring needs (ulimit -f)",
        RegionFailure::AddressSpace => {
            "it has not the address space that measuring needs, 1 GiB (ulimit -v)"
        }
        RegionFailure::Memory => {
            "the file system of the run directory is full: make room there, or name another place by WHYPERF_SHM_DIR"
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    fn sleeping(command: &mut Command) -> Child {
        command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it is installed")
    }

    fn ended(mut child: Child) {
        drop(child.stdin.take());
        child.wait().expect("it is ours");
    }

    #[test]
    fn a_program_that_was_started_without_us_was_not_told_of_us() {
        let child = sleeping(Command::new("cat").env_remove("LD_PRELOAD"));
        // Until it has its own memory it is a copy of us.
        while ProcessMaps::of(child.id()).named(|name| name == "cat").is_none() {}
        while ProcessMaps::of(child.id()).named(|name| name.starts_with("libc.so")).is_none() {}
        assert_eq!(UnmeasuredReason::of(child.id()), Some(UnmeasuredReason::NotPassedOn));
        ended(child);
    }

    #[test]
    fn nothing_is_said_of_a_process_that_is_gone() {
        let child = sleeping(&mut Command::new("cat"));
        let pid = child.id();
        ended(child);
        assert_eq!(UnmeasuredReason::of(pid), None);
    }
}
