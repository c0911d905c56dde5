//! The priority of a question: what its answer is expected to tell, divided by what it costs to get. Questions are ordered
//! by it, whatever idea each came from.
//!
//! ```text
//!   bits = h(p) + 2 p            the answer itself, and two more questions of one bit each that follow a yes
//!   cost = price + limit / n     what has to be switched on, and one of n places under the limit
//! ```
//!
//! `p` is the chance of a yes before anything is measured. The chance of a part is bounded by the value of the whole: of
//! `n` parts that share a value of `v`, at most `v / T` can be above the threshold `T` (Markov), so each of them is above
//! it with a chance of at most `v / (n T)`.

use super::questions::Questions;
use crate::hypothesis::Operator;
use crate::node::NodeId;
use crate::queue::{Idea, Rank};
use crate::settings::Settings;
use crate::step::Origin;

/// How likely a yes is of what nothing is known about.
const OPEN: f64 = 0.5;
/// Of what was true in an earlier run.
const EXPECTED: f64 = 0.8;
/// Of what was false in all earlier runs.
const UNLIKELY: f64 = 0.02;
/// How many further questions a yes is worth.
const OPENED: f64 = 2.0;

/// The place in the queue of a question with this predicted cost and this chance of a yes.
#[expect(clippy::cast_precision_loss, reason = "a few hundred places")]
pub(super) fn rank(predicted_cost: f64, likelihood: f64, settings: &Settings) -> Rank {
    let place = settings.cost_limit / settings.active_limit.max(1) as f64;
    Rank::of(predicted_cost + place.max(f64::MIN_POSITIVE), bits(likelihood))
}

/// How likely it is that a question will be found true.
pub(super) fn likelihood(questions: &Questions, id: NodeId, idea: Idea) -> f64 {
    let node = questions.node(id);
    match idea {
        Idea::Low => UNLIKELY,
        Idea::Again => questions.settings.error_false / f64::from(node.asked.max(1)),
        Idea::Why if node.origin == Origin::Priority => EXPECTED,
        Idea::Where if !node.judge.would_hold() => share(questions, id),
        Idea::Why | Idea::Where => OPEN,
    }
}

/// How likely a part of something is above the threshold, by the value of that and the number of its parts.
#[expect(clippy::cast_precision_loss, reason = "a few parts")]
fn share(questions: &Questions, id: NodeId) -> f64 {
    let row = questions.row(id);
    if row.operator != Operator::Above {
        return OPEN;
    }
    let wholes = questions.node(id).parents.iter().map(|parent| questions.node(*parent));
    let shares = wholes.filter_map(|whole| {
        let parts = whole.children.len().max(1) as f64;
        Some(whole.judge.value()? / parts / row.threshold)
    });
    shares.reduce(f64::max).map_or(OPEN, |share| share.clamp(UNLIKELY, OPEN))
}

/// What an answer is expected to tell when a yes has this chance.
fn bits(chance: f64) -> f64 {
    let chance = chance.clamp(1e-6, 1.0 - 1e-6);
    let surprise = |chance: f64| -chance * chance.log2();
    surprise(chance) + surprise(1.0 - chance) + OPENED * chance
}

#[cfg(test)]
mod tests {
    use whyperf_model::Focus;

    use super::*;
    use crate::hypothesis::Hypotheses;

    #[test]
    fn what_is_likelier_tells_more_as_far_as_directives_expect_it() {
        let chances = [0.001, UNLIKELY, 0.1, 0.3, OPEN, EXPECTED].map(bits);
        assert!(chances.is_sorted(), "{chances:?}");
        assert!((bits(0.5) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_question_that_costs_less_or_tells_more_goes_first() {
        let settings = Settings::default();
        assert!(rank(0.0, OPEN, &settings) < rank(0.01, OPEN, &settings));
        assert!(rank(0.01, OPEN, &settings) < rank(0.01, UNLIKELY, &settings));
    }

    #[test]
    fn what_is_expected_of_a_question_depends_on_where_the_idea_came_from() {
        let mut questions = Questions::new(Hypotheses::built_in(), Settings::default());
        let hypothesis = questions.hypotheses.named("CPUbound").expect("it is in the table");
        let (id, _) = questions.ensure(hypothesis, Focus::whole_program());
        let chance = |questions: &Questions, idea| likelihood(questions, id, idea);
        assert!((chance(&questions, Idea::Low) - UNLIKELY).abs() < 1e-12);
        assert!((chance(&questions, Idea::Why) - OPEN).abs() < 1e-12);
        assert!((chance(&questions, Idea::Where) - OPEN).abs() < 1e-12, "it has no parent");
        questions.node_mut(id).origin = Origin::Priority;
        assert!((chance(&questions, Idea::Why) - EXPECTED).abs() < 1e-12);
        questions.node_mut(id).asked = 4;
        let again = questions.settings.error_false / 4.0;
        assert!((chance(&questions, Idea::Again) - again).abs() < 1e-12);
    }
}
