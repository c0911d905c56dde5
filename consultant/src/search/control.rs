//! The controls that a person has while a search runs: set a threshold, pause, and go on.

use whyperf_model::Time;

use super::{Search, SearchState};
use crate::hypothesis::HypothesisId;
use crate::step::Happening;

impl Search {
    /// Compares with another threshold from now on. What is true stays so until the evidence turns; what was false, and would be true by
    /// all that was seen of it, is asked again.
    pub fn set_threshold(&mut self, now: Time, hypothesis: HypothesisId, threshold: f64) {
        let unit = self.hypotheses().row(hypothesis).unit();
        if self.activity == SearchState::Over || !unit.can_be_passed(threshold) {
            return;
        }
        self.advance(now);
        self.testing.growth.move_threshold(hypothesis, threshold);
        self.fill();
    }

    /// Stops judging and asking; what is measured is measured on, and not looked at.
    pub fn pause(&mut self, now: Time) {
        if self.activity != SearchState::Searching {
            return;
        }
        self.advance(now);
        self.activity = SearchState::Paused;
        self.testing.growth.tell(Happening::Paused);
    }

    /// Goes on where it was.
    pub fn unpause(&mut self, now: Time) {
        if self.activity != SearchState::Paused {
            return;
        }
        self.activity = SearchState::Searching;
        self.advance(now);
        self.testing.growth.tell(Happening::Unpaused);
        self.fill();
    }
}
