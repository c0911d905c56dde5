//! The unit of a hypothesis's values, in which they are printed and thresholds are read: a share of a whole, a plain ratio,
//! or an amount per amount of another unit.
//!
//! This is the one place in which a threshold is read, on the command line, in a directive and in a table. A share above the whole is
//! refused, because nobody can mean it: `30` where `30%` was meant would never be passed, and the search would find nothing.

use std::fmt;

use whyperf_model::{CategorySet, Metric, Quantity, Unit};

use crate::text_position::quoted;

/// What a value of a hypothesis is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueUnit {
    /// A part of a whole: it lies between zero and one.
    #[default]
    Share,
    /// A ratio of two amounts of one unit, neither of which is a part of the other: any positive number.
    Ratio,
    /// An amount per amount of another unit: any positive number. What is divided by time is a rate, per second.
    Per(Unit, Unit),
}

/// Why a text is no threshold.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ThresholdFault {
    /// Not a number in this unit.
    Unreadable(String, ValueUnit),
    /// A share that no value can reach, as it was written and what that is.
    AboveWhole(String, f64),
    /// A value in this unit that is negative or endless, or that no value can pass.
    OutOfReach(String, ValueUnit),
}

impl ValueUnit {
    /// What one metric divided by another is.
    #[must_use]
    pub fn of(numerator: Metric, denominator: Metric) -> Self {
        let (above, below) = (numerator.definition(), denominator.definition());
        if above.unit != below.unit {
            return Self::Per(above.unit, below.unit);
        }
        // What is derived is a part of the waiting that it was derived from.
        let counted = match above.quantity {
            Quantity::Derived => above.categories.derived_from(),
            _ => above.categories,
        };
        let is_inside = counted.without(below.categories) == CategorySet::NONE;
        if is_inside && is_part(above.quantity, below.quantity) { Self::Share } else { Self::Ratio }
    }

    /// By what a ratio of amounts is multiplied: amounts of time are nanoseconds, and rates are per second.
    #[must_use]
    pub const fn factor(self) -> f64 {
        match self {
            Self::Per(_, Unit::Nanoseconds) => NANOSECONDS,
            _ => 1.0,
        }
    }

    /// Reads a threshold: a number or percentage, or a number with its unit. A number alone is in [this unit](Self::symbol).
    ///
    /// # Errors
    /// When it is none, or a share above the whole.
    pub fn read(self, text: &str) -> Result<f64, ThresholdFault> {
        let text = text.trim();
        let units = self.spellings();
        let with_unit = units.iter().find_map(|(unit, factor)| {
            let number = text.strip_suffix(unit.as_str())?.trim_end().parse::<f64>().ok()?;
            // By division where it can be: 29 % are 0.29, and not 0.29 and a little.
            Some(if *factor < 1.0 { number / factor.recip() } else { number * factor })
        });
        let value = with_unit.or_else(|| text.parse().ok());
        let value = value.ok_or_else(|| ThresholdFault::Unreadable(text.to_owned(), self))?;
        if !value.is_finite() || value < 0.0 {
            return Err(ThresholdFault::OutOfReach(text.to_owned(), self));
        }
        if self == Self::Share && value > 1.0 {
            return Err(ThresholdFault::AboveWhole(text.to_owned(), value));
        }
        Ok(value)
    }

    /// Reads a threshold that has values on both sides.
    ///
    /// # Errors
    /// The same, and when no value can pass it.
    pub fn read_passable(self, text: &str) -> Result<f64, ThresholdFault> {
        let value = self.read(text)?;
        let out_of_reach = || ThresholdFault::OutOfReach(text.trim().to_owned(), self);
        Some(value).filter(|value| self.can_be_passed(*value)).ok_or_else(out_of_reach)
    }

    /// Whether values can lie on both sides of a threshold.
    #[must_use]
    pub fn can_be_passed(self, threshold: f64) -> bool {
        let most = if self == Self::Share { 1.0 } else { f64::INFINITY };
        threshold > 0.0 && threshold < most
    }

    /// How it is written after a number: `%`, or a unit per another.
    #[must_use]
    pub fn symbol(self) -> String {
        match self {
            Self::Share | Self::Ratio => "%".to_owned(),
            Self::Per(above, below) => {
                let below = if below == Unit::Nanoseconds { "s" } else { below.symbol() };
                format!("{}/{below}", above.symbol())
            }
        }
    }

    /// A value and its unit, as reports write them.
    #[must_use]
    pub fn parts(self, value: f64) -> (String, String) {
        let number = match self {
            Self::Share | Self::Ratio => format!("{:.1}", 100.0 * value),
            Self::Per(..) if value > 0.0 && value < 1.0 => format!("{value:.4}"),
            Self::Per(..) if value < 1000.0 => format!("{value:.1}"),
            Self::Per(..) => format!("{value:.0}"),
        };
        (number, self.symbol())
    }

    /// Every way to write the unit, with what a number before it is multiplied by.
    fn spellings(self) -> Vec<(String, f64)> {
        let Self::Per(above, below) = self else { return vec![("%".to_owned(), 0.01)] };
        let own = |unit: Unit| vec![(unit.symbol(), 1.0)];
        let is_time = |unit| unit == Unit::Nanoseconds;
        let aboves = if is_time(above) { TIMES.to_vec() } else { own(above) };
        let belows = if is_time(below) { PER_TIME.to_vec() } else { own(below) };
        let of = |(above, factor): (&'static str, f64)| {
            let per = belows.iter();
            per.map(move |(below, other)| (format!("{above}/{below}"), factor * other)).collect()
        };
        aboves.into_iter().flat_map::<Vec<_>, _>(of).collect()
    }

    /// What may be written instead of a text that is none.
    fn examples(self) -> Vec<String> {
        match self {
            Self::Share | Self::Ratio => vec!["30%".to_owned(), "0.3".to_owned()],
            Self::Per(..) => vec![format!("512 {}", self.symbol())],
        }
    }
}

impl ThresholdFault {
    /// What is wrong, with what to write instead as it is written there.
    #[must_use]
    pub fn told(&self, written: impl Fn(&str) -> String) -> String {
        let or = |values: Vec<String>| {
            let values: Vec<String> = values.iter().map(|value| written(value)).collect();
            values.join(" or ")
        };
        match self {
            Self::Unreadable(text, unit) => {
                let wanted = match unit {
                    ValueUnit::Share | ValueUnit::Ratio => "number and no percentage".to_owned(),
                    ValueUnit::Per(..) => format!("number in {}", unit.symbol()),
                };
                format!("{} is no {wanted}; write {}", quoted(text), or(unit.examples()))
            }
            Self::AboveWhole(text, value) => {
                let percent = short(100.0 * value);
                // A number without its sign was most likely meant as a percentage.
                let meant = if *value <= 100.0 && !text.ends_with('%') {
                    vec![format!("{}%", short(*value)), short(value / 100.0)]
                } else {
                    ValueUnit::Share.examples()
                };
                format!(
                    "{percent} % is more than the whole, which no value is; write {}",
                    or(meant)
                )
            }
            Self::OutOfReach(text, unit) => {
                let text = quoted(text);
                let most = if *unit == ValueUnit::Share { " and below 100 %" } else { "" };
                format!(
                    "{text} is a value that nothing passes: it must be above 0{most}; write {}",
                    or(unit.examples())
                )
            }
        }
    }
}

impl fmt::Display for ThresholdFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.told(str::to_owned))
    }
}

/// Whether amounts of the one quantity are counted in the other, too, where the same regions count.
fn is_part(part: Quantity, whole: Quantity) -> bool {
    let is_counted = match whole {
        Quantity::Time => matches!(part, Quantity::RunningTime | Quantity::Derived),
        Quantity::Bytes => matches!(part, Quantity::BytesIn | Quantity::BytesOut),
        _ => false,
    };
    part == whole || is_counted
}

/// A number without the digits that a multiplication leaves behind.
fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

const NANOSECONDS: f64 = 1e9;
/// Amounts of time are nanoseconds.
const TIMES: [(&str, f64); 4] = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", NANOSECONDS)];
/// Rates are per second.
const PER_TIME: [(&str, f64); 2] = [("s", 1.0), ("ns", NANOSECONDS)];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hypothesis::{Hypotheses, Operator};

    const BYTES: ValueUnit = ValueUnit::Per(Unit::Bytes, Unit::Operations);
    const RATE: ValueUnit = ValueUnit::Per(Unit::Operations, Unit::Nanoseconds);
    const LENGTH: ValueUnit = ValueUnit::Per(Unit::Nanoseconds, Unit::Operations);

    #[test]
    fn what_is_shipped_above_its_threshold_is_a_share() {
        let table = Hypotheses::built_in();
        for row in table.ids().map(|id| table.row(id)) {
            let is_share = row.unit() == ValueUnit::Share;
            assert_eq!(is_share, row.operator == Operator::Above, "{}", row.name);
            assert!(row.unit().can_be_passed(row.threshold), "{}", row.name);
        }
    }

    #[test]
    fn only_a_part_of_a_whole_is_a_share() {
        assert_eq!(ValueUnit::of(Metric::MsgBytesSent, Metric::MsgBytes), ValueUnit::Ratio);
        assert_eq!(ValueUnit::of(Metric::MsgBytes, Metric::MsgBytes), ValueUnit::Share);
        assert_eq!(ValueUnit::of(Metric::Cpu, Metric::IoWait), ValueUnit::Ratio);
        assert_eq!(ValueUnit::of(Metric::Wall, Metric::Cpu), ValueUnit::Ratio);
        assert_eq!(ValueUnit::of(Metric::WaitByProcessors, Metric::SyncWait), ValueUnit::Share);
        assert_eq!(ValueUnit::of(Metric::WaitByProcessors, Metric::IoWait), ValueUnit::Ratio);
        assert_eq!(ValueUnit::of(Metric::WaitByIo, Metric::SyncWait), ValueUnit::Share);
        assert_eq!(ValueUnit::of(Metric::IoOps, Metric::Wall), RATE);
    }

    #[test]
    fn numbers_are_read_alone_and_with_each_unit() {
        assert_eq!(ValueUnit::Share.read("30 %"), Ok(0.3));
        assert_eq!(ValueUnit::Share.read("29%"), Ok(0.29));
        assert_eq!(ValueUnit::Share.read("0.3"), Ok(0.3));
        assert_eq!(ValueUnit::Ratio.read("250%"), Ok(2.5));
        assert_eq!(BYTES.read("4096 B/ops"), Ok(4096.0));
        assert_eq!(BYTES.read("4096"), Ok(4096.0));
        assert_eq!(RATE.read("100 ops/s"), Ok(100.0));
        assert_eq!(RATE.read("2 ops/ns"), Ok(2e9));
        assert_eq!(LENGTH.read("2 ms/ops"), Ok(2e6));
        assert_eq!(LENGTH.read("2ns/ops"), Ok(2.0));
    }

    #[test]
    fn what_cannot_be_meant_is_told_with_what_to_write() {
        let told = |unit: ValueUnit, text| unit.read(text).map_err(|fault| fault.to_string());
        let refused = |unit, text, words: &str| {
            assert_eq!(told(unit, text), Err(words.to_owned()));
        };
        refused(
            ValueUnit::Share,
            "30",
            "3000 % is more than the whole, which no value is; write 30% or 0.3",
        );
        refused(
            ValueUnit::Share,
            "150%",
            "150 % is more than the whole, which no value is; write 30% or 0.3",
        );
        refused(
            ValueUnit::Share,
            "512",
            "51200 % is more than the whole, which no value is; write 30% or 0.3",
        );
        refused(
            ValueUnit::Share,
            "much",
            "'much' is no number and no percentage; write 30% or 0.3",
        );
        refused(BYTES, "30%", "'30%' is no number in B/ops; write 512 B/ops");
        refused(
            RATE,
            "inf",
            "'inf' is a value that nothing passes: it must be above 0; write 512 ops/s",
        );
        let fault = ValueUnit::Share.read("30").expect_err("no share is");
        let words = fault.told(|value| format!("CPUbound={value}"));
        assert!(words.ends_with("write CPUbound=30% or CPUbound=0.3"), "{words}");
    }

    #[test]
    fn the_ends_of_a_share_are_read_and_cannot_be_passed() {
        for (unit, text) in [(ValueUnit::Share, "0"), (ValueUnit::Share, "1"), (BYTES, "0")] {
            assert!(unit.read(text).is_ok() && unit.read_passable(text).is_err(), "{text}");
        }
    }

    #[test]
    fn values_are_written_with_the_unit_that_is_read() {
        let written = |unit: ValueUnit, value| unit.parts(value);
        assert_eq!(written(ValueUnit::Share, 0.451), ("45.1".into(), "%".into()));
        assert_eq!(written(BYTES, 4096.0), ("4096".into(), "B/ops".into()));
        assert_eq!(written(RATE, 120.26), ("120.3".into(), "ops/s".into()));
        assert_eq!(written(RATE, 0.0123), ("0.0123".into(), "ops/s".into()));
    }
}
