//! The controls that a person has while a search runs: set a threshold, say what comes first or is left out, pause, and go on.

use whyperf_model::Time;

use super::{Search, SearchState};
use crate::directive::{Directive, DirectiveRefusal};
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

    /// Follows a priority or a prune from now on. What a prune forbids is measured no longer, and keeps what was found.
    ///
    /// # Errors
    /// When it is another directive, or asks what a prune forbids; then nothing changes.
    pub fn direct(&mut self, now: Time, directive: &Directive) -> Result<(), DirectiveRefusal> {
        if self.activity == SearchState::Over {
            return Ok(());
        }
        self.advance(now);
        self.testing.direct(directive)?;
        self.fill();
        Ok(())
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
