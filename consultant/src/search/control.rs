//! What a person may change while a search goes on: a threshold, and whether it goes on at all.

use whyperf_model::Time;

use super::Search;
use crate::hypothesis::HypothesisId;
use crate::queue::Idea;
use crate::step::Happening;
use crate::truth::Truth;

impl Search {
    /// Compares with another threshold from now on. What is true stays so until the evidence turns; what was false, and would be true by
    /// all that was seen of it, is asked again.
    pub fn set_threshold(&mut self, now: Time, hypothesis: HypothesisId, threshold: f64) {
        let operator = self.hypotheses.row(hypothesis).operator;
        if self.is_over || !operator.can_be_passed(threshold) {
            return;
        }
        self.advance(now);
        self.hypotheses.set_threshold(hypothesis, threshold);
        let mut again = 0;
        for id in self.graph.ids() {
            if self.graph.node(id).hypothesis != hypothesis {
                continue;
            }
            self.graph.node_mut(id).judge.move_threshold(threshold);
            let node = self.graph.node(id);
            let is_idle = node.truth == Truth::False && !node.is_measured() && node.is_held();
            if is_idle && node.judge.would_hold() {
                self.enqueue(id, Idea::Where);
                again += 1;
            }
        }
        let hypothesis = self.hypotheses.row(hypothesis).name.clone();
        self.tell(Happening::ThresholdMoved { hypothesis, threshold, again });
        self.fill();
    }

    /// Stops judging and asking; what is measured is measured on, and not looked at.
    pub fn pause(&mut self, now: Time) {
        if self.is_over || self.is_paused {
            return;
        }
        self.advance(now);
        self.is_paused = true;
        self.tell(Happening::Paused);
    }

    /// Goes on where it was.
    pub fn unpause(&mut self, now: Time) {
        if !self.is_paused {
            return;
        }
        self.is_paused = false;
        self.advance(now);
        self.tell(Happening::Unpaused);
        self.fill();
    }
}
