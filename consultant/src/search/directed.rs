//! The directives in force during one search: which questions they forbid, which they still wait to ask, and which they forbade so far.

use std::collections::BTreeSet;

use whyperf_model::Focus;

use crate::directive::{Directive, DirectiveRefusal, DirectivesInForce, Level, Ruling};
use crate::hypothesis::{Hypotheses, HypothesisId};

/// A hypothesis at a focus.
pub(super) type QuestionKey = (HypothesisId, Focus);

/// The directives in force, and what became of them.
#[derive(Debug)]
pub(super) struct DirectedQuestions {
    in_force: DirectivesInForce,
    /// Questions to be asked at once that name what is not there yet.
    awaited: Vec<QuestionKey>,
    /// Questions that were not asked because a prune forbids them.
    pruned: BTreeSet<QuestionKey>,
}

impl DirectedQuestions {
    /// Each question of high priority is awaited.
    pub(super) fn new(in_force: DirectivesInForce) -> Self {
        let awaited = in_force.high().cloned().collect();
        Self { in_force, awaited, pruned: BTreeSet::new() }
    }

    /// The thresholds that directives set.
    pub(super) fn thresholds(&self) -> impl Iterator<Item = (HypothesisId, f64)> {
        self.in_force.thresholds()
    }

    /// What is said about a question that is about to be asked. One that is forbidden is noted.
    pub(super) fn rule(&mut self, hypothesis: HypothesisId, focus: &Focus) -> Ruling {
        let ruling = self.in_force.ruling(hypothesis, focus);
        // What a filter leaves out is not told as what directives forbid.
        if ruling == Ruling::Pruned && !self.in_force.leaves_out(focus) {
            self.pruned.insert((hypothesis, focus.clone()));
        }
        ruling
    }

    /// Follows a directive from now on. A question of high priority is awaited, and one that a prune forbids is not any more.
    pub(super) fn take(
        &mut self,
        directive: &Directive,
        hypotheses: &Hypotheses,
    ) -> Result<(), DirectiveRefusal> {
        self.in_force.take(directive, hypotheses)?;
        let in_force = &self.in_force;
        let is_asked = |(hypothesis, focus): &QuestionKey| {
            in_force.ruling(*hypothesis, focus) == Ruling::Asked(Level::High)
        };
        self.awaited.retain(is_asked);
        if let Directive::Priority { level: Level::High, hypothesis, focus } = directive
            && let Some(id) = hypotheses.named(hypothesis)
            && !self.awaited.contains(&(id, focus.clone()))
        {
            self.awaited.push((id, focus.clone()));
        }
        Ok(())
    }

    /// Takes out the awaited questions that can be asked by now.
    pub(super) fn take_arrived(
        &mut self,
        is_there: impl Fn(&QuestionKey) -> bool,
    ) -> Vec<QuestionKey> {
        let awaited = std::mem::take(&mut self.awaited);
        let (arrived, later) = awaited.into_iter().partition(is_there);
        self.awaited = later;
        arrived
    }

    /// How many directives had a say so far.
    pub(super) fn used(&self) -> usize {
        self.in_force.used() - self.awaited.len()
    }

    /// Questions that name what did not come yet.
    pub(super) fn awaited(&self) -> impl Iterator<Item = &QuestionKey> {
        self.awaited.iter()
    }

    /// Questions that were forbidden.
    pub(super) fn pruned(&self) -> impl Iterator<Item = &QuestionKey> {
        self.pruned.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directives;

    fn directed() -> (DirectedQuestions, HypothesisId) {
        let table = Hypotheses::built_in();
        let text = "whyperf directives 1\npriority high CPUbound </Code/a.c/f>\n\
                    priority high CPUbound </Process/7>\npriority low CPUbound </Code/b.c>\n\
                    prune CPUbound /Machine\nthreshold CPUbound 0.5\n";
        let directives = Directives::parse("d", text, &table).expect("well formed");
        let in_force = DirectivesInForce::new(&directives, &table).expect("no contradiction");
        (DirectedQuestions::new(in_force), table.named("CPUbound").expect("it is in the table"))
    }

    fn focus(text: &str) -> Focus {
        text.parse().expect("well formed")
    }

    #[test]
    fn a_prune_is_noted_once_and_a_priority_is_not() {
        let (mut directed, id) = directed();
        assert_eq!(directed.rule(id, &focus("</Machine/n0>")), Ruling::Pruned);
        assert_eq!(directed.rule(id, &focus("</Machine/n0>")), Ruling::Pruned);
        assert_eq!(directed.rule(id, &focus("</Code/b.c>")), Ruling::Asked(Level::Low));
        assert_eq!(directed.rule(id, &focus("<>")), Ruling::Silent);
        assert_eq!(directed.pruned().collect::<Vec<_>>(), [&(id, focus("</Machine/n0>"))]);
        assert_eq!(directed.thresholds().collect::<Vec<_>>(), [(id, 0.5)]);
    }

    #[test]
    fn what_is_awaited_has_no_say_until_it_is_there_and_is_taken_once() {
        let (mut directed, _) = directed();
        assert_eq!(directed.used(), 3);
        let is_code = |(_, asked): &QuestionKey| *asked == focus("</Code/a.c/f>");
        assert_eq!(directed.take_arrived(is_code).len(), 1);
        assert_eq!(directed.take_arrived(is_code), []);
        assert_eq!(directed.used(), 4);
        let left: Vec<_> = directed.awaited().map(|(_, focus)| focus.clone()).collect();
        assert_eq!(left, [focus("</Process/7>")]);
    }
}
