//! Conditions on runs: what is known of one, compared with what a user wrote.

use std::cmp::Ordering;

/// What of a run is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// Processes that were measured.
    Ranks,
    /// Threads that were measured.
    Threads,
    /// Machines.
    Hosts,
    /// Seconds that it took.
    Elapsed,
    /// When it began.
    Started,
    /// What it is in its experiment.
    Trial,
    /// What was varied.
    Experiment,
    /// What program it is.
    Application,
    /// What the user calls it: any of its tags.
    Tag,
    /// Its exit status.
    Status,
    /// A setting or a fact of its environment.
    Fact(String),
}

impl Field {
    /// The field of this name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        match name {
            "ranks" | "processes" => Self::Ranks,
            "threads" => Self::Threads,
            "hosts" => Self::Hosts,
            "elapsed" => Self::Elapsed,
            "started" => Self::Started,
            "trial" => Self::Trial,
            "experiment" => Self::Experiment,
            "application" | "app" => Self::Application,
            "tag" => Self::Tag,
            "status" => Self::Status,
            other => Self::Fact(other.to_owned()),
        }
    }
}

/// How it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparator {
    /// The same.
    Is,
    /// Not the same.
    Differs,
    /// Less.
    Below,
    /// Not more.
    AtMost,
    /// More.
    Above,
    /// Not less.
    AtLeast,
    /// The text is a part of it.
    Contains,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunCondition {
    /// What is looked at.
    pub field: Field,
    /// How.
    pub comparator: Comparator,
    /// What it is compared with.
    pub value: String,
}

impl RunCondition {
    /// Whether it holds of a run that has these values of the field. Of several it is enough that it holds of one, but for `!=`, which
    /// must hold of all. Two numbers are compared as numbers, all else as text.
    #[must_use]
    pub fn holds(&self, values: &[String]) -> bool {
        match self.comparator {
            Comparator::Differs => values.iter().all(|value| self.holds_of(value)),
            _ => values.iter().any(|value| self.holds_of(value)),
        }
    }

    fn holds_of(&self, value: &str) -> bool {
        let numbers = value.parse::<f64>().ok().zip(self.value.parse::<f64>().ok());
        let order = match numbers {
            Some((value, wanted)) => value.partial_cmp(&wanted),
            None => Some(value.cmp(&self.value)),
        };
        match self.comparator {
            Comparator::Is => order == Some(Ordering::Equal),
            Comparator::Differs => order != Some(Ordering::Equal),
            Comparator::Below => order == Some(Ordering::Less),
            Comparator::AtMost => order.is_some_and(Ordering::is_le),
            Comparator::Above => order == Some(Ordering::Greater),
            Comparator::AtLeast => order.is_some_and(Ordering::is_ge),
            Comparator::Contains => value.contains(&self.value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_as_numbers_and_text_as_text() {
        let holds = |comparator, wanted: &str, values: &[&str]| {
            let condition =
                RunCondition { field: Field::Ranks, comparator, value: wanted.to_owned() };
            condition.holds(&values.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert!(holds(Comparator::AtLeast, "8", &["16"]), "16 is not below 8");
        assert!(!holds(Comparator::Above, "8", &["8"]));
        assert!(holds(Comparator::Is, "8", &["8.0"]));
        assert!(holds(Comparator::AtLeast, "2026-11-01", &["2026-11-27T10:00:00Z"]));
        assert!(holds(Comparator::Contains, "cold", &["a cold start"]));
        assert!(holds(Comparator::Is, "b", &["a", "b"]));
        assert!(!holds(Comparator::Differs, "b", &["a", "b"]));
        assert!(holds(Comparator::Differs, "b", &[]), "no tag is no tag b");
        assert!(!holds(Comparator::Is, "b", &[]));
    }
}
