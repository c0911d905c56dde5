//! The status of a pair in a process: how far the functions that it needs are.

/// How far the functions of a pair are in a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairStatus {
    /// They are measured, since before the interval that just ended.
    On,
    /// They are not yet.
    Pending,
    /// They are left alone.
    Refused,
}

impl PairStatus {
    /// Of two functions that one resource names: what is refused takes nothing from one that is on.
    pub(crate) const fn of_both(self, other: Self) -> Self {
        match (self, other) {
            (Self::Pending, _) | (_, Self::Pending) => Self::Pending,
            (Self::On, _) | (_, Self::On) => Self::On,
            (Self::Refused, Self::Refused) => Self::Refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PairStatus::{On, Pending, Refused};

    #[test]
    fn what_is_pending_comes_first_and_what_is_on_before_what_is_refused() {
        assert_eq!(
            [On.of_both(Refused), Refused.of_both(On), Refused.of_both(Refused)],
            [On, On, Refused]
        );
        assert_eq!([Pending.of_both(On), Refused.of_both(Pending)], [Pending; 2]);
    }
}
