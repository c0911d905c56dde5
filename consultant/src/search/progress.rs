//! Moves a search on: follows what changes as time passes, and starts waiting questions as soon as there is room.

use super::testing::Testing;
use crate::truth::Truth;

impl Testing {
    /// Time went on: what waited for it happens.
    pub(super) fn pass_time(&mut self) {
        self.make_room();
        let now = self.growth.output.now();
        let graph = &mut self.growth.questions.graph;
        let mut changing = graph.watched();
        changing.extend(graph.due(now));
        changing.sort_unstable();
        for id in changing {
            match self.growth.questions.node(id).truth {
                Truth::True => self.growth.deepen(id),
                Truth::False => self.growth.reconsider(id),
                Truth::Unknown => self.lose_patience(id),
            }
        }
    }

    /// Starts what waits, as far as cost and number allow. Old questions take at most half of the room.
    pub(super) fn fill(&mut self) {
        while self.growth.may_start() && self.evidence.has_place() {
            let Some(id) = self.growth.next(self.evidence.eligible()) else { return };
            self.start(id);
        }
    }
}
