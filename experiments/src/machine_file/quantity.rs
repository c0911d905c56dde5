//! Numbers with their units: a number alone is in the unit of its key, and text says its own.

use std::fmt;

use serde::Deserialize;
use whyperf_extrapolate::{Bytes, SimTime};

/// A number, or a number with its unit.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Written {
    Number(f64),
    Text(String),
}

impl fmt::Display for Written {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(out, "{number}"),
            Self::Text(text) => write!(out, "'{}'", text.escape_debug()),
        }
    }
}

/// A unit with its name and its size in the unit of the key.
type Unit = (&'static str, f64);

impl Written {
    /// The number in the unit of its key.
    fn value(&self, units: &[Unit]) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => {
                let at = text.find(|c: char| c.is_alphabetic() && c != 'e')?;
                let (number, unit) = text.split_at(at);
                let (_, size) = units.iter().find(|(name, _)| *name == unit.trim())?;
                Some(number.trim().parse::<f64>().ok()? * size)
            }
        }
    }
}

/// Fails unless a number can be one: neither negative nor beyond all bounds.
fn checked(value: f64, what: &str, written: &Written) -> Result<f64, String> {
    match value {
        value if !value.is_finite() => Err(format!("{written} is no finite number")),
        value if value < 0.0 => Err(format!("{what} is not negative: {written}")),
        value => Ok(value),
    }
}

/// A time, in microseconds where it has no unit.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(try_from = "Written")]
pub(super) struct Time(pub(super) SimTime);

const TIMES: [Unit; 5] = [("ns", 1e-3), ("us", 1.0), ("µs", 1.0), ("ms", 1e3), ("s", 1e6)];

impl TryFrom<Written> for Time {
    type Error = String;
    fn try_from(written: Written) -> Result<Self, String> {
        let value = written.value(&TIMES).ok_or_else(|| {
            format!("{written} is no time: a number of microseconds, or one with ns, us, ms or s")
        })?;
        checked(value, "a time", &written).map(|micros| Self(SimTime::micros(micros)))
    }
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(try_from = "Written")]
pub(super) struct Size(pub(super) Bytes);

const SIZES: [Unit; 7] = [
    ("B", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
];

impl TryFrom<Written> for Size {
    type Error = String;
    fn try_from(written: Written) -> Result<Self, String> {
        let value = written.value(&SIZES).ok_or_else(|| {
            format!(
                "{written} is no size: a number of bytes, or one with kB, MB, GB, KiB, MiB or GiB"
            )
        })?;
        let bytes = checked(value, "a size", &written)?;
        if bytes.fract() != 0.0 || bytes > MOST_BYTES {
            return Err(format!("{written} is no whole number of bytes"));
        }
        Ok(Self(Bytes(bytes as u64)))
    }
}

/// Up to here each whole number of bytes is a number of its own.
const MOST_BYTES: f64 = 9_007_199_254_740_992.0;

/// A rate, kept as the time that a byte takes; in bytes a second where it has no unit.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(try_from = "Written")]
pub(super) struct Rate(pub(super) SimTime);

const RATES: [Unit; 7] = [
    ("B/s", 1.0),
    ("kB/s", 1e3),
    ("MB/s", 1e6),
    ("GB/s", 1e9),
    ("KiB/s", 1024.0),
    ("MiB/s", 1_048_576.0),
    ("GiB/s", 1_073_741_824.0),
];

impl TryFrom<Written> for Rate {
    type Error = String;
    fn try_from(written: Written) -> Result<Self, String> {
        let value = written.value(&RATES).ok_or_else(|| {
            format!("{written} is no rate: a number of bytes a second, or one with MB/s, GB/s, MiB/s or GiB/s")
        })?;
        match checked(value, "a rate", &written)? {
            0.0 => Err("a rate is above zero; leave it out where nothing limits it".to_owned()),
            rate => Ok(Self(SimTime::nanos(1e9 / rate))),
        }
    }
}

/// A ratio of speeds.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "f64")]
pub(super) struct Ratio(pub(super) f64);

impl TryFrom<f64> for Ratio {
    type Error = String;
    fn try_from(ratio: f64) -> Result<Self, String> {
        if ratio > 0.0 && ratio.is_finite() {
            Ok(Self(ratio))
        } else {
            Err(format!("a ratio of speeds is above zero: {ratio}"))
        }
    }
}
