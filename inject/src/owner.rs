//! The owner of a run directory: the process that a file in the directory names.

use std::fs;
use std::path::Path;

use crate::life::Life;

/// The process that a run directory belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Its number.
    pub pid: u32,
    /// When it started: its number may be used again.
    start: u64,
}

impl Owner {
    /// The file in a run directory that names its owner.
    pub const FILE: &'static str = "owner";

    /// Of a run directory; `None` when it has none that can be read.
    #[must_use]
    pub fn of(directory: &Path) -> Option<Self> {
        let text = fs::read_to_string(directory.join(Self::FILE)).ok()?;
        let mut words = text.split_ascii_whitespace();
        let pid = words.next()?.parse().ok()?;
        let start = words.next()?.parse().ok()?;
        Some(Self { pid, start })
    }

    /// This process.
    #[must_use]
    pub fn this_process() -> Self {
        let pid = std::process::id();
        Self { pid, start: Life::of(pid).start().unwrap_or(0) }
    }

    /// What the file says.
    #[must_use]
    pub fn text(self) -> String {
        format!("{} {}\n", self.pid, self.start)
    }

    /// Whether it still runs.
    #[must_use]
    pub fn is_there(self) -> bool {
        Life::of(self.pid).start() == Some(self.start)
    }
}
