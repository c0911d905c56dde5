//! An e-process: a sequential test of "the mean is not above the bar" that may be looked at after every observation.
//!
//! Before each observation `x` in `[0, 1]` a fraction of a capital, the *stake*, is bet on *above the bar*; the capital
//! starts with 1, and is then multiplied by `1 + stake · (x − bar)`. Its value is the *e-value*. If the mean given the past
//! never exceeds the bar, no strategy gains on average, and the chance that the e-value **ever** reaches `1/error` is at
//! most `error` (Ville's inequality). So the test may stop the moment it does: early when the value is far from the bar,
//! never when it lies on it.
//!
//! ```text
//!   e-value  ▲                   ╱ 1/error: concluded
//!          1 ┤╲   ___     _____╱
//!            │ ╲_╱   ╲___╱
//!            └──────────────────────────► observations
//! ```
//!
//! * The best stake depends on the value, so a mixture of a few is played side by side: their mean is an e-process too.
//! * **It forgets.** The capital is not played at once: observation `n` releases `1/((n+1)(n+2))` of it, and all releases
//!   sum up to the whole. Capital that was lost on a different past (start-up, another phase) is lost, and capital that is
//!   released afterwards wins all the same; a change at observation `n` is found about `ln n` units of evidence later than
//!   if nothing had been before. So a win refutes "the mean was never above the bar *for a while*"; statements about a whole
//!   run are judged on the whole run.
//! * Observations need not be independent, nor of one distribution: only the mean given the past matters. A
//!   program that alternates between the extremes on a scale much longer than a sample does exceed the bar for a while.
//!
//! Source: Waudby-Smith and Ramdas (2023); the release of capital is the mixture over starting times of the Shiryaev–Roberts
//! procedure, with a finite prior.

/// Capital gained by betting that a mean lies above a bar.
#[derive(Clone, Debug)]
pub(crate) struct EProcess {
    bar: f64,
    needed: f64,
    bets: [f64; STAKES.len()],
    observed: f64,
}

/// Fractions of the capital that a worst observation would take, and the part of all capital that plays them. The boldest concludes what is clear or
/// steady, as most is; what wavers more takes longer in any case.
const STAKES: [(f64, f64); 3] = [(0.99, 0.6), (0.5, 0.25), (0.15, 0.15)];
/// Bars nearer to the ends than this could be bet on without limit.
const MARGIN: f64 = 0.001;
/// Beyond this nothing more is to be won; without an end, numbers would cease to be numbers.
const CEILING: f64 = 1e15;

impl EProcess {
    /// A test of "not above `bar`", which is refuted when the e-value reaches `1/error`.
    pub(crate) fn new(bar: f64, error: f64) -> Self {
        let bar = bar.clamp(MARGIN, 1.0 - MARGIN);
        Self { bar, needed: 1.0 / error, bets: [0.0; STAKES.len()], observed: 0.0 }
    }

    /// Plays one observation.
    pub(crate) fn observe(&mut self, value: f64) {
        let value = value.clamp(0.0, 1.0);
        let released = 1.0 / ((self.observed + 1.0) * (self.observed + 2.0));
        for (bet, (stake, part)) in self.bets.iter_mut().zip(STAKES) {
            let put = *bet + released * part;
            *bet = (put * (1.0 + stake / self.bar * (value - self.bar))).min(CEILING);
        }
        self.observed += 1.0;
    }

    /// Whether the bar is refuted.
    pub(crate) fn is_refuted(&self) -> bool {
        self.e_value() >= self.needed
    }

    /// What the capital has become by now.
    pub(crate) fn e_value(&self) -> f64 {
        self.bets.iter().sum::<f64>() + 1.0 / (self.observed + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Observations until a bar of 0.2 at an error of 0.01 is refuted.
    fn observations_until_refuted(mut next: impl FnMut(usize) -> f64) -> Option<usize> {
        let mut e_process = EProcess::new(0.2, 0.01);
        (1..=4000).find(|nth| {
            e_process.observe(next(*nth));
            e_process.is_refuted()
        })
    }

    /// A plain linear congruential sequence: the tests need numbers without order, not secrets.
    fn uniform(state: &mut u64) -> f64 {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 53) as f64
    }

    #[test]
    fn clear_cases_are_won_within_few_observations() {
        assert!(observations_until_refuted(|_| 0.9).is_some_and(|nth| nth <= 6));
        assert!(observations_until_refuted(|_| 0.45).is_some_and(|nth| nth <= 12));
        assert!(observations_until_refuted(|_| 0.3).is_some_and(|nth| nth <= 20));
    }

    #[test]
    fn what_lies_on_the_bar_or_below_is_not_won() {
        assert_eq!(observations_until_refuted(|_| 0.2), None);
        assert_eq!(observations_until_refuted(|_| 0.1), None);
    }

    #[test]
    fn a_change_is_found_whatever_was_before() {
        for quiet in [20, 200, 2000] {
            let won = observations_until_refuted(|nth| if nth <= quiet { 0.0 } else { 0.6 });
            assert!(won.is_some_and(|nth| nth <= quiet + 20), "after {quiet}: {won:?}");
        }
    }

    #[test]
    fn false_alarms_stay_below_the_stated_error() {
        let mut state = 7;
        let mut alarms = 0;
        for _ in 0..2000 {
            let mut e_process = EProcess::new(0.2, 0.05);
            alarms += usize::from((0..400).any(|_| {
                // All or nothing with a mean on the bar: the widest spread there is.
                e_process.observe(if uniform(&mut state) < 0.2 { 1.0 } else { 0.0 });
                e_process.is_refuted()
            }));
        }
        assert!(alarms <= 100, "{alarms} false alarms in 2000 tests at an error of 0.05");
        assert!(alarms > 5, "{alarms} false alarms: the test wastes what it may spend");
    }

    proptest! {
        #[test]
        fn the_e_value_stays_a_number(values in proptest::collection::vec(-1.0..2.0_f64, 0..300), bar in -0.5..1.5_f64) {
            let mut e_process = EProcess::new(bar, 0.01);
            for value in values {
                e_process.observe(value);
                prop_assert!(e_process.e_value().is_finite() && e_process.e_value() > 0.0);
            }
        }
    }
}
