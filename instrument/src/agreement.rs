//! Compares stack samples with events of one pair, where there are both: if they agree, stack samples stand for the time
//! before its functions were switched on, too.

use whyperf_model::Nanos;

/// What both told of a pair, in the intervals in which both did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Agreement {
    counted: Nanos,
    sampled: Nanos,
}

impl Agreement {
    /// An interval in which both told of it.
    pub(crate) fn add(&mut self, counted: Nanos, sampled: Nanos) {
        self.counted += counted;
        self.sampled += sampled;
    }

    /// Whether they tell the same, as far as chance lets them.
    pub(crate) fn is_close(self, period: Nanos) -> bool {
        let (counted, sampled) = (self.counted.as_secs_f64(), self.sampled.as_secs_f64());
        let chance = SIGMAS * (counted.max(sampled) * period.as_secs_f64()).sqrt();
        (counted - sampled).abs() <= PART * counted + chance
    }
}

/// The part of it by which they may differ, and standard errors beyond that.
const PART: f64 = 0.15;
const SIGMAS: f64 = 3.0;

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Nanos = Nanos::from_millis(6);

    #[test]
    fn what_samples_miss_is_seen() {
        let told = |counted: u64, sampled: u64| {
            let mut agreement = Agreement::default();
            agreement.add(Nanos::from_millis(counted), Nanos::from_millis(sampled));
            agreement.is_close(PERIOD)
        };
        assert!(told(2_000, 1_800) && told(2_000, 2_200) && told(0, 0));
        assert!(!told(2_000, 400), "it jumped on, and its frame was gone");
        assert!(told(12, 0), "two stack samples may be missed");
    }
}
