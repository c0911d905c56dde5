//! Lets this session go before all others, so that a study can be made on a machine that has some other work, too.
//!
//! A kernel that groups processes by their sessions divides processors among groups, so the niceness of a process counts inside of its group
//! alone: that of the group is set. A real-time priority would hold others back altogether, and with them what a launcher or the kernel waits for.

use std::fs;

/// That of the session, until this value is gone.
pub(super) struct Precedence {
    /// What it was.
    before: String,
}

impl Precedence {
    /// None where we may not, or where there are no groups.
    pub(super) fn take() -> Option<Self> {
        let said = fs::read_to_string(GROUP).ok()?;
        let before = said.split_whitespace().last()?.to_owned();
        fs::write(GROUP, "-20").ok()?;
        Some(Self { before })
    }
}

impl Drop for Precedence {
    fn drop(&mut self) {
        // It was ours to set a moment ago; the session may have ended since.
        let _ = fs::write(GROUP, &self.before);
    }
}

/// `/autogroup-17 nice 0`.
const GROUP: &str = "/proc/self/autogroup";
