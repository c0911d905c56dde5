//! Tells whether another program took the place of a measured process (`exec`): one state, with all its transitions.
//!
//! ```text
//!   None ──its region says so──► Expected ──for long enough, or no region is mapped──► Found
//!     ▲                             │
//!     └────it failed and goes on────┘
//! ```
//! A newer region of the same process id leads to Found from anywhere.

/// Passes for which a process may be about to become another program before it is believed.
const EXPECTED: u32 = 10;

/// Whether another program took the place of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Succession {
    /// Nothing says so.
    #[default]
    None,
    /// The process said that it is about to become another program, and that many passes saw it.
    Expected {
        /// Passes in a row.
        passes: u32,
    },
    /// Another program runs by its process id.
    Found,
}

impl Succession {
    /// Takes in whether the region says that the process becomes another program; answers whether it has. What costs more is asked
    /// only where the region says so.
    pub(crate) fn pass(&mut self, is_said: bool, has_no_region: impl FnOnce() -> bool) -> bool {
        *self = match *self {
            Self::Found => Self::Found,
            _ if !is_said => Self::None,
            Self::Expected { passes: EXPECTED.. } => Self::Found,
            _ if has_no_region() => Self::Found,
            Self::Expected { passes } => Self::Expected { passes: passes + 1 },
            Self::None => Self::Expected { passes: 1 },
        };
        *self == Self::Found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exec_that_failed_is_none() {
        let mut succession = Succession::default();
        assert!(!succession.pass(true, || false));
        assert!(!succession.pass(false, || true));
        assert_eq!(succession, Succession::None);
    }

    #[test]
    fn what_is_said_for_long_is_believed() {
        let mut succession = Succession::default();
        let passes = (0..).take_while(|_| !succession.pass(true, || false)).count();
        assert_eq!(passes as u32, EXPECTED);
        assert!(succession.pass(false, || false), "it stays so");
    }

    #[test]
    fn a_process_without_a_region_is_another_program_at_once() {
        assert!(Succession::default().pass(true, || true));
    }
}
