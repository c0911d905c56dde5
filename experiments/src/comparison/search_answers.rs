//! What the searches of an operand's trials say of a question: that it is a bottleneck, that it is none, or nothing.
//!
//! More than half of the trials that asked must agree. A question that was asked and not answered, for the run was too short, is none where its
//! value does not reach the threshold. One that was not asked is none where a more general one is: of what holds it, or of the kind above it.

use std::collections::BTreeMap;

use whyperf_consultant::Hypotheses;
use whyperf_model::Focus;

use super::operand::Operand;
use crate::program_event::Trials;
use crate::run::StoredVerdict;

/// What is known of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is a bottleneck.
    Bottleneck,
    /// It is none.
    NoBottleneck,
    /// That was not found out.
    Open,
}

/// By hypothesis and focus.
pub(super) type Question = (String, String);

/// All that was asked.
#[derive(Debug, Default)]
pub(super) struct SearchAnswers {
    answered: BTreeMap<Question, Answered>,
}

/// What trials say of a question.
#[derive(Clone, Debug, Default)]
struct Answered {
    asked: usize,
    found: usize,
    refuted: usize,
    threshold: f64,
    values: Vec<f64>,
}

impl SearchAnswers {
    pub(super) fn of(operand: &Operand) -> Self {
        Self::of_verdicts(operand.verdicts().flatten())
    }

    pub(super) fn of_verdicts<'v>(verdicts: impl Iterator<Item = &'v StoredVerdict>) -> Self {
        let mut answered: BTreeMap<Question, Answered> = BTreeMap::new();
        for verdict in verdicts.filter(|verdict| verdict.asked > 0) {
            let question = (verdict.hypothesis.clone(), verdict.focus.clone());
            let of = answered.entry(question).or_default();
            of.asked += 1;
            of.found += usize::from(verdict.truth == "true" && !verdict.is_alike());
            of.refuted += usize::from(verdict.truth == "false" || verdict.is_alike());
            of.threshold = verdict.threshold;
            of.values.extend(verdict.value);
        }
        Self { answered }
    }

    pub(super) fn questions(&self) -> impl Iterator<Item = &Question> {
        self.answered.keys()
    }

    /// Whether nothing was asked.
    pub(super) fn is_empty(&self) -> bool {
        self.answered.is_empty()
    }

    /// The values of the trials that asked.
    pub(super) fn values(&self, question: &Question) -> Trials {
        let values = self.answered.get(question).map(|of| of.values.iter().copied());
        Trials::new(values.into_iter().flatten())
    }

    pub(super) fn standing(&self, question: &Question, hypotheses: &Hypotheses) -> Standing {
        if let Some(answered) = self.answered.get(question) {
            return answered.standing(&question.0, hypotheses);
        }
        let is_none = |(other, answered): (&Question, &Answered)| {
            is_more_general(other, question, hypotheses)
                && answered.standing(&other.0, hypotheses) == Standing::NoBottleneck
        };
        if self.answered.iter().any(is_none) { Standing::NoBottleneck } else { Standing::Open }
    }
}

impl Answered {
    fn standing(&self, hypothesis: &str, hypotheses: &Hypotheses) -> Standing {
        if self.found * 2 > self.asked {
            return Standing::Bottleneck;
        }
        let operator = hypotheses.named(hypothesis).map(|id| hypotheses.row(id).operator);
        let mean = Trials::new(self.values.iter().copied()).mean();
        let is_beyond = operator.zip(mean).map(|(by, mean)| by.holds(mean, self.threshold));
        if self.refuted * 2 > self.asked || is_beyond == Some(false) {
            Standing::NoBottleneck
        } else {
            Standing::Open
        }
    }
}

/// Whether a question is only asked where another is true: that of all that holds its focus, of the same kind or of one above it.
fn is_more_general(other: &Question, question: &Question, hypotheses: &Hypotheses) -> bool {
    let (Ok(wide), Ok(narrow)) = (other.1.parse::<Focus>(), question.1.parse::<Focus>()) else {
        return false;
    };
    let mut kind = hypotheses.named(&question.0);
    let mut is_above = other.0 == question.0;
    while let Some(id) = kind.filter(|_| !is_above) {
        kind = hypotheses.row(id).parent;
        is_above = kind.is_some_and(|above| hypotheses.row(above).name == other.0);
    }
    is_above && wide.contains(&narrow)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(hypothesis: &str, focus: &str, truth: &str, value: f64) -> StoredVerdict {
        StoredVerdict {
            number: 0,
            hypothesis: hypothesis.to_owned(),
            focus: focus.parse::<Focus>().expect("well formed").to_string(),
            truth: truth.to_owned(),
            value: Some(value),
            threshold: 0.2,
            confidence: 0.9,
            asked: 1,
            found: None,
            cost: 0.0,
            origin: "search".to_owned(),
            split: None,
        }
    }

    const SYNC: &str = "ExcessiveSyncWaitingTime";

    fn standing(verdicts: &[StoredVerdict], hypothesis: &str, focus: &str) -> Standing {
        let focus = focus.parse::<Focus>().expect("well formed").to_string();
        let answers = SearchAnswers::of_verdicts(verdicts.iter());
        answers.standing(&(hypothesis.to_owned(), focus), &Hypotheses::built_in())
    }

    #[test]
    fn what_was_not_found_out_is_open_unless_its_value_is_small() {
        let at = |truth, value| [verdict(SYNC, "</Process/0>", truth, value)];
        let of = |truth, value| standing(&at(truth, value), SYNC, "</Process/0>");
        assert_eq!(of("unknown", 0.7), Standing::Open);
        assert_eq!(of("unknown", 0.1), Standing::NoBottleneck);
        assert_eq!(of("false", 0.7), Standing::NoBottleneck);
        assert_eq!(of("true", 0.7), Standing::Bottleneck);
    }

    #[test]
    fn what_was_not_asked_is_none_where_something_more_general_is() {
        let place = "</Code/a.c,/Process/0>";
        let none = |hypothesis, focus| [verdict(hypothesis, focus, "false", 0.0)];
        assert_eq!(standing(&none(SYNC, "</Code/a.c>"), SYNC, place), Standing::NoBottleneck);
        assert_eq!(standing(&none(SYNC, "</Code/b.c>"), SYNC, place), Standing::Open);
        assert_eq!(standing(&none("CPUbound", "<>"), SYNC, place), Standing::Open);
        let finer = "ExcessivePointToPointWaitingTime";
        assert_eq!(standing(&none(SYNC, "<>"), finer, place), Standing::NoBottleneck);
        assert_eq!(standing(&[], SYNC, place), Standing::Open);
    }
}
