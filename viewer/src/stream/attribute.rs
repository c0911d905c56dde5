//! An attribute of a stream: its name, its type, and how its values are read.

use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

/// An attribute of the records of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamAttribute {
    /// How it is called.
    pub name: String,
    /// What its values are; none as long as no record has one.
    pub kind: Option<AttributeKind>,
    /// The unit of its values, for people.
    pub unit: String,
}

/// What the values of an attribute are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttributeKind {
    /// Numbers.
    Number,
    /// Words, each of which is a class.
    Text,
    /// Moments, in seconds since the beginning of the run.
    Time,
}

/// What the moments of a stream are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StreamClock {
    /// Seconds since the beginning of the run.
    Run,
    /// Seconds since 1970.
    Unix,
    /// Milliseconds since 1970.
    UnixMs,
    /// Dates as `2026-11-27 10:00:00.5`, in UTC.
    Date,
}

/// Attributes that are moments, where nobody says what they are.
const MOMENTS: [&str; 14] = [
    "time",
    "time_s",
    "t",
    "timestamp",
    "seconds",
    "elapsed",
    "elapsed_s",
    "begin",
    "begin_s",
    "start",
    "start_s",
    "end",
    "end_s",
    "stop",
];

/// Later numbers are seconds, or milliseconds, since 1970: no run is that long.
const LONGEST_RUN: [f64; 2] = [1e9, 1e12];

impl StreamAttribute {
    /// One that a header names. What it is, its first value tells, unless its name does.
    pub(super) fn named(name: &str) -> Self {
        let lower = name.to_ascii_lowercase();
        let kind = MOMENTS.contains(&&*lower).then_some(AttributeKind::Time);
        Self { name: name.to_owned(), kind, unit: String::new() }
    }
}

impl StreamClock {
    /// The clock that a first value is of.
    pub(super) fn of(text: &str) -> Option<Self> {
        let [seconds, millis] = LONGEST_RUN;
        match number(text) {
            Some(value) if value >= millis => Some(Self::UnixMs),
            Some(value) if value >= seconds => Some(Self::Unix),
            Some(_) => Some(Self::Run),
            None => date(text).map(|_| Self::Date),
        }
    }

    /// A moment in seconds since the beginning of a run that began so many seconds after 1970.
    pub(super) fn read(self, text: &str, began: f64) -> Option<f64> {
        match self {
            Self::Run => number(text),
            Self::Unix => number(text).map(|value| value - began),
            Self::UnixMs => number(text).map(|value| value / 1e3 - began),
            Self::Date => date(text).map(|value| value - began),
        }
    }
}

/// A number that is one.
pub(super) fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Seconds since 1970.
pub(super) fn date(text: &str) -> Option<f64> {
    let time = humantime::parse_rfc3339_weak(text).ok()?;
    time.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_by_the_clock_that_they_are_of() {
        let began = 1_700_000_000.0;
        let read = |text: &str| StreamClock::of(text).and_then(|clock| clock.read(text, began));
        assert_eq!(read("12.5"), Some(12.5));
        assert_eq!(read("1700000002.5"), Some(2.5));
        assert_eq!(read("1700000002500"), Some(2.5));
        assert_eq!(read("2023-11-14 22:13:21"), Some(1.0));
        assert_eq!(read("2023-11-14T22:13:21.5Z"), Some(1.5));
        assert_eq!(read("soon"), None);
        assert_eq!(StreamClock::Run.read("nan", began), None, "that is no moment");
    }
}
