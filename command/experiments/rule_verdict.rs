//! What a comparison says to a rule that may fail it.

/// What a comparison says to a rule.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RuleVerdict {
    /// It does not fail the comparison.
    Passed,
    /// Why it does.
    Failed(String),
    /// It could not be checked, and why.
    NotKnown(String),
}

impl RuleVerdict {
    /// What is told of it; none where it passed.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Passed => None,
            Self::Failed(text) | Self::NotKnown(text) => Some(text),
        }
    }

    pub(crate) const fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}
