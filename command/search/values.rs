//! Values on the command line: shares and times, and thresholds as far as they can be read without the table of hypotheses.

use std::time::Duration;

/// The value from which on a hypothesis holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ThresholdChange {
    /// Of which hypothesis.
    pub(crate) hypothesis: String,
    /// From this value on, as it was written: what it means depends on the hypothesis.
    pub(crate) value: String,
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

/// A time: seconds with or without their unit, or with other ones, as `5m` and `1h 30m`.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.trim().trim_end_matches('s').trim_end();
    let in_words = || humantime::parse_duration(text.trim()).ok().map(|time| time.as_secs_f64());
    let value: f64 = { number.parse().ok().or_else(in_words) }
        .ok_or_else(|| "expected seconds such as 20 or 2.5, or a time such as 5m".to_owned())?;
    let time = Duration::try_from_secs_f64(value).ok().filter(|time| !time.is_zero());
    time.filter(|_| value < MOST_SECONDS)
        .ok_or_else(|| "the time must be above 0 seconds, and below ten years".to_owned())
}

/// A size in bytes, as in 500M or 4G.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let (number, factor) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1 << 10),
        Some((at, 'M')) => (&text[..at], 1 << 20),
        Some((at, 'G')) => (&text[..at], 1 << 30),
        _ => (text, 1),
    };
    let size = number.trim_end().parse::<u64>().ok().and_then(|size| size.checked_mul(factor));
    size.filter(|size| *size > 0).ok_or_else(|| "expected a size such as 500M or 4G".to_owned())
}

/// Which groups of regions are measured, as in `io=off` or `*=off,solver=on`.
pub(crate) fn groups(text: &str) -> Result<String, String> {
    let is_choice = |choice: &str| {
        let (name, word) = choice.rsplit_once('=').unwrap_or_default();
        !name.is_empty() && matches!(word, "on" | "off")
    };
    let choices: Vec<&str> = text.split(',').map(str::trim).collect();
    if let Some(wrong) = choices.iter().find(|choice| !is_choice(choice)) {
        return Err(format!("'{wrong}' is no choice: write io=off, or '*=off,solver=on'"));
    }
    let text = choices.join(",");
    if text.len() > LONGEST_GROUPS {
        return Err(format!("no more than {LONGEST_GROUPS} bytes may be said of groups"));
    }
    Ok(text)
}

/// As many as a measured process keeps.
const LONGEST_GROUPS: usize = 512;

/// A hypothesis with its threshold, as in `CPUbound=0.3`.
pub(crate) fn threshold(text: &str) -> Result<ThresholdChange, String> {
    let (hypothesis, value) = text
        .split_once('=')
        .ok_or_else(|| "expected HYPOTHESIS=VALUE, as in CPUbound=0.3".to_owned())?;
    let [hypothesis, value] = [hypothesis, value].map(|word| word.trim().to_owned());
    Ok(ThresholdChange { hypothesis, value })
}

const MOST_SECONDS: f64 = 3e8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_with_and_without_a_percent_sign() {
        assert_eq!(percent("5"), Ok(0.05));
        assert_eq!(percent("2.5%"), Ok(0.025));
        assert!(percent("0").is_err());
        assert!(percent("101").is_err());
    }

    #[test]
    fn times_are_seconds_or_have_units() {
        let read = |text: &str| seconds(text).map(|time| time.as_secs_f64());
        assert_eq!(read("2.5"), Ok(2.5));
        assert_eq!(read("20s"), Ok(20.0));
        assert_eq!(read("5m"), Ok(300.0));
        assert_eq!(read("1h 30min"), Ok(5400.0));
        assert!(read("0").is_err() && read("soon").is_err() && read("-1").is_err());
    }

    #[test]
    fn a_threshold_is_a_hypothesis_and_a_value() {
        let read = |text: &str| threshold(text).map(|threshold| threshold.value);
        assert_eq!(read("TooManySmallIOOps = 4096 B/ops").as_deref(), Ok("4096 B/ops"));
        assert!(read("CPUbound").is_err());
    }
}
