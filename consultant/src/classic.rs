//! The classic verdict: it concludes when the running mean has kept to one side of the threshold for the dwell time.
//!
//! ```text
//!   mean   ▲      ______________
//!          │_____╱______________╲____ 105 % of the threshold: true above
//!          │____╱________________╲___  95 %                   false below
//!          │___╱                  ╲__
//!          └───────────────────────────► time
//!              |─ dwell ──| true
//! ```
//!
//! The mean is over all samples of a question, so the longer a value stayed the same, the longer it takes to notice a
//! change. The side stays the same within five percent of the threshold, for either comparison; it becomes the verdict when
//! the mean has kept to it for twenty seconds. The chance of an error is not bounded, so none is stated.
//!
//! Source: the Performance Consultant of Paradyn, with the hysteresis of comparisons by `<` on their right side.

use whyperf_model::{Interval, Nanos, Time};

use crate::hypothesis::Operator;
use crate::settings::Classic;
use crate::truth::Truth;

/// The side on which the mean is, and for how long it has kept to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ClassicVerdict {
    rules: Classic,
    is_true: Option<bool>,
    pub(crate) since: Time,
    dwelt: Nanos,
}

impl ClassicVerdict {
    /// None yet.
    pub(crate) const fn new(rules: Classic) -> Self {
        Self { rules, is_true: None, since: Time::ZERO, dwelt: Nanos::ZERO }
    }

    /// Looks at the mean after an interval; tells the verdict when the dwell time is over.
    pub(crate) fn observe(
        &mut self,
        mean: f64,
        interval: Interval,
        (operator, threshold): (Operator, f64),
    ) -> Option<Truth> {
        let is_true = operator.holds(mean, threshold * self.margin(operator));
        if self.is_true != Some(is_true) {
            *self =
                Self { is_true: Some(is_true), since: interval.start, dwelt: Nanos::ZERO, ..*self };
        }
        self.dwelt += interval.length();
        let (truth, dwell_time) = if is_true {
            (Truth::True, self.rules.dwell_true)
        } else {
            (Truth::False, self.rules.dwell_false)
        };
        (self.dwelt >= dwell_time).then_some(truth)
    }

    /// The dwell time begins anew; the side stays.
    pub(crate) fn restart(&mut self) {
        self.dwelt = Nanos::ZERO;
    }

    /// The mean changes sides at the threshold times this factor: beyond the threshold, as seen from the side on which it is.
    fn margin(&self, operator: Operator) -> f64 {
        let stays = self.is_true == Some(true);
        let lower = stays == (operator == Operator::Above);
        if lower { 1.0 - self.rules.hysteresis } else { 1.0 + self.rules.hysteresis }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The moments, in seconds, at which verdicts are ripe for the first time after a change.
    fn ripe(operator: Operator, means: impl IntoIterator<Item = f64>) -> Vec<(u64, Truth)> {
        let mut verdict = ClassicVerdict::new(Classic::default());
        let mut told = Vec::new();
        for (at, mean) in means.into_iter().enumerate() {
            let start = Time::from_secs(at as u64);
            let interval = Interval::new(start, Time::from_secs(at as u64 + 1));
            if let Some(truth) = verdict.observe(mean, interval, (operator, 100.0))
                && told.last().is_none_or(|(_, last)| *last != truth)
            {
                told.push((at as u64 + 1, truth));
            }
        }
        told
    }

    #[test]
    fn the_mean_keeps_to_one_side_for_twenty_seconds() {
        let means =
            std::iter::repeat_n(120.0, 19).chain([80.0]).chain(std::iter::repeat_n(120.0, 30));
        assert_eq!(ripe(Operator::Above, means), [(40, Truth::True)]);
    }

    #[test]
    fn within_the_margin_both_sides_stay_for_both_comparisons() {
        for (operator, enter, leave) in
            [(Operator::Above, 106.0, 94.0), (Operator::Below, 94.0, 106.0)]
        {
            let wavering = (0..60).map(|at| if at % 2 == 0 { 96.0 } else { 104.0 });
            let means = std::iter::repeat_n(enter, 20).chain(wavering.clone());
            assert_eq!(ripe(operator, means), [(20, Truth::True)]);
            let means = std::iter::repeat_n(leave, 20).chain(wavering);
            assert_eq!(ripe(operator, means), [(20, Truth::False)]);
        }
    }
}
