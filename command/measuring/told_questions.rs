//! What was handed over of each question of a search, so that only changes follow.

use std::collections::BTreeMap;

use whyperf_consultant::{Past, Question, Searches};
use whyperf_experiments::{Edge, Phase, StoredVerdict};
use whyperf_viewer::RunChange;

/// The questions as they were handed over, by phase (0 is the whole run) and number.
#[derive(Debug, Default)]
pub(crate) struct ToldQuestions {
    told: BTreeMap<(u32, usize), Question>,
    /// Phases that are over and handed over.
    phases_over: usize,
}

/// Questions that changed, and what led to them.
#[derive(Debug, Default)]
pub(crate) struct ChangedQuestions {
    pub(crate) verdicts: Vec<StoredVerdict>,
    pub(crate) edges: Vec<Edge>,
    /// The numbers of all those that are measured now, ascending.
    pub(crate) measured: Vec<u64>,
}

impl ChangedQuestions {
    /// Adds them to what a page is told.
    pub(crate) fn hand_over(self, phase: u32, change: &mut RunChange) {
        change.questions.push((phase, self.verdicts, self.edges));
        change.measured.push((phase, self.measured));
    }
}

impl ToldQuestions {
    /// What changed of the search over the whole run since the last time, and of those over phases that were not handed over to their end.
    pub(crate) fn changes(
        &mut self,
        searches: &Searches,
    ) -> (ChangedQuestions, Vec<(Phase, ChangedQuestions)>) {
        let whole = self.changed(0, searches.global().questions());
        let first = self.phases_over;
        let of_phase = |(phase, questions): (Phase, Vec<Question>)| {
            let changed = self.changed(phase.number, questions.into_iter());
            (phase, changed)
        };
        let phases = phases(searches, first).map(of_phase).collect();
        self.phases_over = searches.past().len();
        self.told.retain(|(phase, _), _| *phase == 0 || *phase as usize > self.phases_over);
        (whole, phases)
    }

    fn changed(
        &mut self,
        phase: u32,
        questions: impl Iterator<Item = Question>,
    ) -> ChangedQuestions {
        let mut changed = ChangedQuestions::default();
        for question in questions {
            let key = (phase, question.number);
            changed.measured.extend(question.is_measured.then_some(question.number as u64));
            // That alone is no other answer.
            let question = Question { is_measured: false, ..question };
            if self.told.get(&key) != Some(&question) {
                changed.edges.extend(edges(&question));
                changed.verdicts.push(verdict(&question));
                self.told.insert(key, question);
            }
        }
        changed
    }
}

/// The phases without the first so many, as the store keeps them, and what was asked in them.
fn phases(
    searches: &Searches,
    first: usize,
) -> impl Iterator<Item = (Phase, Vec<Question>)> + use<> {
    let numbers = (1..).skip(first);
    numbers.zip(searches.after(first)).map(|(number, Past { name, interval, questions, .. })| {
        let (began, ended) = (interval.start, interval.end);
        (Phase { number, name, began, ended }, questions)
    })
}

/// All that was found in the phases.
pub(crate) fn searched(searches: &Searches) -> Vec<(Phase, Vec<StoredVerdict>, Vec<Edge>)> {
    let found = |(phase, questions): (Phase, Vec<Question>)| {
        let verdicts = questions.iter().map(verdict).collect();
        (phase, verdicts, questions.iter().flat_map(edges).collect())
    };
    phases(searches, 0).map(found).collect()
}

/// A question as the store keeps it.
pub(crate) fn verdict(question: &Question) -> StoredVerdict {
    StoredVerdict {
        number: question.number as u64,
        hypothesis: question.hypothesis.to_string(),
        focus: question.focus.to_string(),
        truth: question.truth.name().to_owned(),
        value: question.value,
        threshold: question.threshold,
        confidence: question.confidence,
        asked: question.asked.into(),
        found: question.found,
        cost: question.cost,
        origin: question.origin.to_string(),
        split: Some(question.split.name().to_owned()),
    }
}

/// What led to a question.
pub(crate) fn edges(question: &Question) -> impl Iterator<Item = Edge> + '_ {
    let child = question.number as u64;
    let led = question.parents.iter();
    led.map(move |(parent, axis)| Edge { parent: *parent as u64, child, axis: (*axis).to_owned() })
}
