//! Why a process that was to be measured has no region: part of the name of the mark that it leaves in the run directory.
//!
//! ```text
//!   <pid>-<number>.unmade ──► path of the program      a symbolic link, which needs neither a descriptor nor a block
//! ```

/// What could not be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum RegionFailure {
    /// A file of its own: the process may have no descriptor left.
    File = 1,
    /// A file of the size that is needed.
    Size = 2,
    /// Address space to map it to.
    AddressSpace = 3,
    /// Memory for its first pages.
    Memory = 4,
}

impl RegionFailure {
    const ALL: [Self; 4] = [Self::File, Self::Size, Self::AddressSpace, Self::Memory];

    /// The number in the name.
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// Of this number; `None` where no failure has it.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|failure| failure.number() == number)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back() {
        for failure in RegionFailure::ALL {
            assert_eq!(RegionFailure::from_number(failure.number()), Some(failure));
        }
        assert_eq!(RegionFailure::from_number(0), None);
    }
}
