//! Values on the command line: shares, times and thresholds.

use std::time::Duration;

/// The value from which on a hypothesis holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Threshold {
    /// Of which hypothesis.
    pub(crate) hypothesis: String,
    /// From this value on.
    pub(crate) value: f64,
}

/// A share given in percent, with or without its sign.
pub(crate) fn percent(text: &str) -> Result<f64, String> {
    let value: f64 = text
        .trim_end_matches('%')
        .trim()
        .parse()
        .map_err(|_| "expected a percentage such as 5 or 2.5".to_owned())?;
    if value > 0.0 && value <= 100.0 {
        Ok(value / 100.0)
    } else {
        Err("a share of the time lies above 0 and is at most 100 percent".to_owned())
    }
}

/// A time in seconds, with or without its unit.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.trim().trim_end_matches('s').trim_end();
    let value: f64 = number.parse().map_err(|_| "expected seconds such as 20 or 2.5".to_owned())?;
    let time = Duration::try_from_secs_f64(value).ok().filter(|time| !time.is_zero());
    time.filter(|_| value < MOST_SECONDS)
        .ok_or_else(|| "the time must be above 0 seconds, and below ten years".to_owned())
}

/// A hypothesis with its threshold, as in `CPUbound=0.3`.
pub(crate) fn threshold(text: &str) -> Result<Threshold, String> {
    let (hypothesis, value) = text
        .split_once('=')
        .ok_or_else(|| "expected HYPOTHESIS=VALUE, as in CPUbound=0.3".to_owned())?;
    let value = match value.strip_suffix('%') {
        Some(share) => share.trim().parse::<f64>().map(|share| share / 100.0),
        None => value.trim().parse::<f64>(),
    };
    let value = value.map_err(|_| "the value is no number; try 0.2 or 20%".to_owned())?;
    if !value.is_finite() || value < 0.0 {
        return Err("the value must not be negative".to_owned());
    }
    let hypothesis = hypothesis.trim().to_owned();
    Ok(Threshold { hypothesis, value })
}

const MOST_SECONDS: f64 = 3e8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_thresholds_are_read_with_and_without_a_percent_sign() {
        assert_eq!(percent("5"), Ok(0.05));
        assert_eq!(percent("2.5%"), Ok(0.025));
        assert!(percent("0").is_err());
        assert!(percent("101").is_err());
        let read = |text: &str| threshold(text).map(|threshold| threshold.value);
        assert_eq!(read("CPUbound=0.3"), Ok(0.3));
        assert_eq!(read("CPUbound=30%"), Ok(0.3));
        assert!(read("CPUbound").is_err());
        assert!(read("CPUbound=-1").is_err());
    }
}
