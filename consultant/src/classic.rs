//! The verdict of old: a guess by the running mean that was held for long enough.
//!
//! ```text
//!   mean   ▲      ______________
//!          │_____╱______________╲____ 105 % of the threshold: guessed true above
//!          │____╱________________╲___  95 %                   guessed false below
//!          │___╱                  ╲__
//!          └───────────────────────────► time
//!              |── held ──| true
//! ```
//!
//! The mean is over all that was ever seen of a question, so a change takes the longer to be noticed the longer nothing happened. A guess is
//! kept within five percent of the threshold, on either side and for either comparison; it becomes the verdict when nothing contradicted it for twenty seconds. No chance
//! of an error is bounded, and none is stated.
//!
//! Source: the Performance Consultant of Paradyn, with the hysteresis of comparisons by `<` on their right side.

use whyperf_model::{Interval, Nanos, Time};

use crate::hypothesis::Operator;
use crate::settings::Classic;
use crate::truth::Truth;

/// A guess, and for how long it was held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Guess {
    rules: Classic,
    is_true: Option<bool>,
    pub(crate) since: Time,
    held: Nanos,
}

impl Guess {
    /// None yet.
    pub(crate) const fn new(rules: Classic) -> Self {
        Self { rules, is_true: None, since: Time::ZERO, held: Nanos::ZERO }
    }

    /// Looks at the mean after an interval; tells the guess when it was held for long enough.
    pub(crate) fn observe(
        &mut self,
        mean: f64,
        interval: Interval,
        (operator, threshold): (Operator, f64),
    ) -> Option<Truth> {
        let is_true = operator.holds(mean, threshold * self.margin(operator));
        if self.is_true != Some(is_true) {
            *self =
                Self { is_true: Some(is_true), since: interval.start, held: Nanos::ZERO, ..*self };
        }
        self.held += interval.length();
        let (truth, hold) = if is_true {
            (Truth::True, self.rules.hold_true)
        } else {
            (Truth::False, self.rules.hold_false)
        };
        (self.held >= hold).then_some(truth)
    }

    /// Holding begins anew; the guess stays.
    pub(crate) fn restart(&mut self) {
        self.held = Nanos::ZERO;
    }

    /// A guess is left on the other side of the threshold than it is come to.
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
        let mut guess = Guess::new(Classic::default());
        let mut told = Vec::new();
        for (at, mean) in means.into_iter().enumerate() {
            let start = Time::from_secs(at as u64);
            let interval = Interval::new(start, Time::from_secs(at as u64 + 1));
            if let Some(truth) = guess.observe(mean, interval, (operator, 100.0))
                && told.last().is_none_or(|(_, last)| *last != truth)
            {
                told.push((at as u64 + 1, truth));
            }
        }
        told
    }

    #[test]
    fn a_guess_is_held_for_twenty_seconds() {
        let means =
            std::iter::repeat_n(120.0, 19).chain([80.0]).chain(std::iter::repeat_n(120.0, 30));
        assert_eq!(ripe(Operator::Above, means), [(40, Truth::True)]);
    }

    #[test]
    fn within_the_margin_both_guesses_stay_for_both_comparisons() {
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
