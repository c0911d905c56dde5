//! The conditions of `--fail-if`: a metric, where, and by how much it may change.
//!
//! ```text
//!   wall > +5%        sync_wait at </Code/a.c> > +2 s        msgs >= +1000        cpu < -10%
//! ```
//! What lies within the spread of the trials fails nothing, however large it is.

use std::str::FromStr;

use whyperf_experiments::{
    Comparison, Delta, DiscreteDistance, Operand, Trials, WallVerdict, alike_results,
};
use whyperf_model::{Focus, Metric, Unit};

use crate::experiments::amounts::amount;
use crate::experiments::rule_verdict::RuleVerdict;

/// What fails a comparison.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Condition {
    text: String,
    subject: Subject,
    is_above: bool,
    limit: Limit,
}

#[derive(Clone, Debug, PartialEq)]
enum Subject {
    /// How long the run takes.
    Wall,
    /// A metric at a focus.
    Metric(Metric, Focus),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Limit {
    /// A share of what the first operand has.
    Share(f64),
    /// So much, in the unit of the metric; of the time of the run, nanoseconds.
    Amount(f64),
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: &str| {
            format!(
                "{what}: a condition is a metric, where it is, and by how much it changes, as in 'wall > +5%' or \
                 'sync_wait at </Code/a.c> > +2 s'"
            )
        };
        // The focus has such a sign at its end, so the last one that a space stands before is meant.
        let at = text.rfind(" > ").or_else(|| text.rfind(" < "));
        let at = at.ok_or_else(|| wrong("there is no ' > ' or ' < ' in it"))?;
        let (left, right) = (text[..at].trim(), text[at + 2..].trim());
        let (metric, focus) = match left.split_once(" at ") {
            Some((metric, focus)) => (metric.trim(), Some(focus.trim())),
            None => (left, None),
        };
        let subject = match (metric, focus) {
            ("wall", None) => Subject::Wall,
            (metric, focus) => {
                let metric: Metric = metric.parse().map_err(|error| wrong(&format!("{error}")))?;
                let focus = focus.map_or_else(|| Ok(Focus::whole_program()), Focus::parse);
                Subject::Metric(metric, focus.map_err(|error| wrong(&format!("{error}")))?)
            }
        };
        let limit = parse_limit(right, &subject).ok_or_else(|| {
            wrong(&format!("'{right}' is no change, as +5%, -10%, +2 s or +1000"))
        })?;
        Ok(Self { text: text.to_owned(), subject, is_above: &text[at..at + 3] == " > ", limit })
    }
}

fn parse_limit(text: &str, subject: &Subject) -> Option<Limit> {
    let is_signed = text.starts_with(['+', '-']);
    let number = |digits: &str| {
        digits.trim().parse::<f64>().ok().filter(|number| is_signed && number.is_finite())
    };
    if let Some(percent) = text.strip_suffix('%') {
        return number(percent).map(|percent| Limit::Share(percent / 100.0));
    }
    let unit = match subject {
        Subject::Wall => Unit::Nanoseconds,
        Subject::Metric(metric, _) => metric.definition().unit,
    };
    if unit != Unit::Nanoseconds {
        return number(text).map(Limit::Amount);
    }
    // Longer endings first: ms ends in s, too.
    let scale = [("ms", 1e6), ("us", 1e3), ("ns", 1.0), ("s", 1e9)];
    let found = scale.into_iter().find_map(|(name, scale)| Some((text.strip_suffix(name)?, scale)));
    found.and_then(|(digits, scale)| number(digits).map(|number| Limit::Amount(number * scale)))
}

impl Condition {
    /// As it was written.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What a comparison says to it.
    pub(super) fn verdict(
        &self,
        comparison: &Comparison,
        a: &mut Operand,
        b: &mut Operand,
    ) -> RuleVerdict {
        let (known, is_chance) = match &self.subject {
            Subject::Wall => {
                let wall = comparison.wall.as_ref();
                let is_chance = wall.is_some_and(|wall| wall.verdict == WallVerdict::NoDifference);
                (wall.map(|wall| [wall.a_s, wall.b_s].map(|time| Some(time * 1e9))), is_chance)
            }
            Subject::Metric(metric, focus) => {
                let [in_a, in_b] = alike_results(*metric, focus, (a, b));
                (Some([in_a.mean(), in_b.mean()]), !differs(&in_a, &in_b))
            }
        };
        match known {
            Some([Some(_), Some(_)]) if comparison.is_of_trials() && is_chance => {
                RuleVerdict::Passed
            }
            Some([Some(of_a), Some(of_b)]) => self.applied(of_a, of_b),
            Some([of_a, of_b]) => {
                let who = match (of_a, of_b) {
                    (None, None) => "of any of them".to_owned(),
                    (None, _) => format!("of {}", a.name()),
                    _ => format!("of {}", b.name()),
                };
                RuleVerdict::NotKnown(format!(
                    "'{}' could not be checked: that is not known {who}",
                    self.text
                ))
            }
            None => RuleVerdict::NotKnown(format!(
                "'{}' could not be checked: numbers that somebody stated say nothing of it",
                self.text
            )),
        }
    }

    /// Whether what it speaks of fails the comparison, in nanoseconds or the unit of its metric.
    fn applied(&self, of_a: f64, of_b: f64) -> RuleVerdict {
        let (change, limit) = match self.limit {
            Limit::Amount(limit) => (of_b - of_a, limit),
            Limit::Share(limit) if of_a != 0.0 => (of_b / of_a - 1.0, limit),
            // Anything is more than any share of nothing.
            Limit::Share(limit) => (if of_b > 0.0 { f64::INFINITY } else { 0.0 }, limit),
        };
        let fails = if self.is_above { change > limit } else { change < limit };
        let unit = match &self.subject {
            Subject::Wall => "ns",
            Subject::Metric(metric, _) => metric.definition().unit.symbol(),
        };
        let (of_a, of_b) = (amount(of_a, unit), amount(of_b, unit));
        if !fails {
            return RuleVerdict::Passed;
        }
        RuleVerdict::Failed(format!("'{}' holds: {of_a} before, {of_b} now", self.text))
    }
}

/// Whether trials tell two results apart at all.
fn differs(a: &Trials, b: &Trials) -> bool {
    let delta = Delta::Statistical { confidence: 0.99, least: 0.0 };
    delta.distance(a, b) == DiscreteDistance::Differs
}

#[cfg(test)]
mod tests {
    use super::*;
    use whyperf_experiments::{ComparisonSettings, StatedResults, compare};

    #[test]
    fn what_was_measured_fails_nothing_beside_what_samples_tell() {
        let of = |values: &str| {
            let text = format!("whyperf results 1\ncpu <> 9 s, 9 s\ncpu </Code/a.c/f> {values}");
            Operand::stated("stated".to_owned(), StatedResults::parse(&text).expect("well formed"))
        };
        let condition: Condition = "cpu at </Code/a.c/f> > +5%".parse().expect("well formed");
        let verdict_of = |a: &str, b: &str| {
            let (mut a, mut b) = (of(a), of(b));
            let comparison = compare(&mut a, &mut b, &ComparisonSettings::default());
            condition.verdict(&comparison, &mut a, &mut b)
        };
        let verdict = verdict_of("10/100, 10/100", "3 s, 3 s");
        assert!(matches!(verdict, RuleVerdict::NotKnown(_)), "{verdict:?}");
        assert!(verdict_of("1 s, 1 s", "3 s, 3 s").is_failed());
        assert_eq!(verdict_of("3 s, 3 s", "1 s, 1 s"), RuleVerdict::Passed);
    }

    #[test]
    fn conditions_are_read() {
        let read = |text: &str| text.parse::<Condition>().map(|one| (one.is_above, one.limit));
        assert_eq!(read("wall > +5%"), Ok((true, Limit::Share(0.05))));
        assert_eq!(read("wall > +250 ms"), Ok((true, Limit::Amount(2.5e8))));
        assert_eq!(read("sync_wait at </Code/a.c> > +2 s"), Ok((true, Limit::Amount(2e9))));
        assert_eq!(read("cpu < -10%"), Ok((false, Limit::Share(-0.1))));
        assert_eq!(read("msgs > +1000"), Ok((true, Limit::Amount(1000.0))));
        for wrong in
            ["", "wall", "wall > 5%", "wall > +5", "wail > +5%", "msgs > +2 s", "wall at <x> > +5%"]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
