//! The four versions of the Poisson solver.

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Version {
    A,
    B,
    C,
    D,
}

impl Version {
    pub(super) const ALL: [Self; 4] = [Self::A, Self::B, Self::C, Self::D];

    /// The paper's letter.
    pub(super) const fn letter(self) -> char {
        match self {
            Self::A => 'A',
            Self::B => 'B',
            Self::C => 'C',
            Self::D => 'D',
        }
    }

    /// The program, which is the same for the last two.
    pub(super) const fn program(self) -> &'static str {
        match self {
            Self::A => "oned",
            Self::B => "onednb",
            Self::C | Self::D => "twod",
        }
    }

    /// On how many ranks it runs.
    pub(super) const fn ranks(self) -> u32 {
        match self {
            Self::A | Self::B | Self::C => 4,
            Self::D => 8,
        }
    }
}
