//! The two kinds of verdict that the study compares.

/// How evidence becomes a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// A mean that was held, in Paradyn's order.
    Classic,
    /// As soon as the evidence suffices, in the order of what tells most.
    Sequential,
}

impl Verdict {
    pub(super) const ALL: [Self; 2] = [Self::Classic, Self::Sequential];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Sequential => "sequential",
        }
    }

    /// The order of questions that goes with it.
    pub(super) const fn order(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Sequential => "information",
        }
    }

    /// Seconds that a search without directives is given to come to its end.
    pub(super) fn patience(self, hold: f64) -> f64 {
        match self {
            // Ten questions one after the other are more than any chain has, and some are asked twice.
            Self::Classic => 12.0 * hold + 2.0,
            Self::Sequential => 10.0,
        }
    }
}
