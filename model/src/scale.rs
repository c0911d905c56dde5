//! The length of a tick of a process's clock, in nanoseconds.

/// How many nanoseconds a tick is, in fixed point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// In units of 2^-32 nanoseconds.
    nanos_per_tick: u64,
}

impl Scale {
    /// Ticks that are nanoseconds.
    pub const NANOSECONDS: Self = Self { nanos_per_tick: 1 << 32 };
    /// Ticks of half a nanosecond: the guess before anything is measured.
    pub const HALF_NANOSECONDS: Self = Self { nanos_per_tick: 1 << 31 };

    /// What a stretch of time says that was measured in both; `None` when it is no stretch.
    #[must_use]
    pub fn of(nanos: u64, ticks: u64) -> Option<Self> {
        let nanos_per_tick = (u128::from(nanos) << 32).checked_div(u128::from(ticks))?;
        Some(Self { nanos_per_tick: u64::try_from(nanos_per_tick).ok()? })
    }

    /// A number of ticks as nanoseconds.
    #[must_use]
    pub fn nanos(self, ticks: u64) -> u64 {
        u64::try_from((u128::from(ticks) * u128::from(self.nanos_per_tick)) >> 32)
            .unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;

    #[test]
    fn ticks_become_nanoseconds_at_the_measured_rate() {
        let scale = Scale::of(1_000, 4_000).expect("a stretch of time");
        assert_eq!(scale.nanos(8), 2);
        assert_eq!(Scale::HALF_NANOSECONDS.nanos(8), 4);
        assert_eq!(Scale::NANOSECONDS.nanos(u64::MAX), u64::MAX);
        assert_eq!(Scale::of(1, 0), None);
    }
}
