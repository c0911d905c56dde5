//! The total of a pair that a user named, and the reasons why it is not exact.

use whyperf_model::Nanos;

/// What a pair came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairTotal {
    /// What was counted, and what is estimated for times that were not covered.
    pub total: f64,
    /// For how long some process was measured for it.
    pub covered: Nanos,
    /// The share that windows covered of the time in which functions were too hot.
    pub hot_coverage: Option<f64>,
    /// By how much an estimate by windows may be off, with 95 of 100; `None` where it is none, or where that is not known.
    pub error: Option<f64>,
    /// What it rests on where it is an estimate.
    pub basis: Basis,
    /// Of a time in which functions were too hot nothing is known.
    pub has_gap: bool,
    /// How long a process ran at most before its functions were in place.
    pub late: Nanos,
    /// Processes that ended before.
    pub lost: usize,
    /// Part of its time is in nested calls of functions that called it, and is counted to their outer calls.
    pub has_nested: bool,
}

impl PairTotal {
    /// What keeps it from being exact, in words; empty when nothing does.
    #[must_use]
    pub fn limits(self) -> String {
        let mut all = Vec::new();
        if let Some(share) = self.hot_coverage {
            let share = 100.0 * share;
            let how = self.how();
            all.push(format!(
                "too hot: covered {share:.2} % of the time, the total is an estimate{how}"
            ));
        }
        if self.has_gap {
            all.push(
                "lower bound: it was called too often, and too little of it was seen of a process to say how often"
                    .to_owned(),
            );
        }
        if self.late > LATE {
            let late = self.late.as_secs_f64();
            all.push(self.lacking(&format!("not in place before {late:.2} s of a process")));
        }
        if self.has_nested {
            all.push(
                "lower bound: it calls again what called it, and time is counted to the outer call"
                    .to_owned(),
            );
        }
        if self.lost > 0 {
            let (lost, who) = (self.lost, if self.lost == 1 { "process" } else { "processes" });
            all.push(self.lacking(&format!("{lost} {who} ended before it was in place")));
        }
        all.join("; ")
    }

    /// What is lacking makes a count a lower bound; an estimate may be too high all the same.
    fn lacking(&self, what: &str) -> String {
        if self.hot_coverage.is_some() {
            format!("{what}, and nothing of that is in the total")
        } else {
            format!("lower bound: {what}")
        }
    }

    /// How what was not covered was estimated, and how well that can be.
    fn how(self) -> String {
        match self.basis {
            Basis::Samples(time) => {
                let time = time.as_secs_f64();
                format!(", by where its threads were found in {time:.2} s of running")
            }
            Basis::Windows => String::new(),
            Basis::ShortCalls => ", and calls this short take longer while they are counted: there were up to twice as many"
                .to_owned(),
            Basis::Times => ", and as threads may not be sampled here, of calls of a few nanoseconds a rough one".to_owned(),
        }
    }
}

/// What an estimate rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Basis {
    /// What windows showed, as it was.
    #[default]
    Windows,
    /// Calls of so few nanoseconds that counting them makes them longer.
    ShortCalls,
    /// Times of calls in windows, though samples would tell more.
    Times,
    /// Where threads were found in so much running time.
    Samples(Nanos),
}

/// Nothing is called as early as that.
const LATE: Nanos = Nanos(1_000_000);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_that_lacks_something_is_no_lower_bound() {
        let counted = PairTotal { late: Nanos::from_millis(230), ..PairTotal::default() };
        assert_eq!(counted.limits(), "lower bound: not in place before 0.23 s of a process");
        let estimated = PairTotal { hot_coverage: Some(0.01), lost: 1, ..PairTotal::default() };
        let told = estimated.limits();
        assert!(!told.contains("lower bound"), "{told}");
        assert!(
            told.ends_with(
                "1 process ended before it was in place, and nothing of that is in the total"
            ),
            "{told}"
        );
    }
}
