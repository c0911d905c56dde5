//! Moments of the calendar as the store keeps them: nanoseconds since 1970.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The moment as a number; what lies before 1970 is 0.
pub(crate) fn nanos(moment: SystemTime) -> i64 {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// The number as a reader wants it: `2026-03-01T12:00:00Z`.
pub(crate) fn text(nanos: i64) -> String {
    let since = Duration::from_nanos(u64::try_from(nanos).unwrap_or(0));
    humantime::format_rfc3339_seconds(UNIX_EPOCH + since).to_string()
}

/// What [`nanos`] stored.
pub(crate) fn moment(nanos: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_nanos(u64::try_from(nanos).unwrap_or(0))
}

/// A count that the database holds in 63 bits.
pub(crate) fn count(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// What [`count`] stored.
pub(crate) fn counted(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_as_the_calendar_does() {
        assert_eq!(text(0), "1970-01-01T00:00:00Z");
        assert_eq!(text(1_772_366_400_000_000_000), "2026-03-01T12:00:00Z");
        assert_eq!(text(-5), "1970-01-01T00:00:00Z");
    }
}
