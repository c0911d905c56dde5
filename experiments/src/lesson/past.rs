//! A finished run as evidence: the questions of its search, what led to them, and what there was.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Focus, Hierarchy, Resource};

use crate::error::StoreError;
use crate::run::{RunId, Verdict};
use crate::store::Store;

/// What a run found out.
#[derive(Clone, Debug)]
pub struct Past {
    /// Which run.
    pub run: RunId,
    pub(super) questions: BTreeMap<u64, Asked>,
    pub(super) resources: Vec<Resource>,
}

/// A question and its answer.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) hypothesis: String,
    pub(super) focus: Focus,
    pub(super) answer: Answer,
    pub(super) value: Option<f64>,
    /// The questions that led to it; none for those that are asked whatever comes.
    pub(super) parents: Vec<u64>,
}

/// What came of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    True,
    False,
    /// Never measured, or without enough evidence.
    Open,
}

impl Past {
    pub(super) fn short(&self) -> &str {
        &self.run.as_str()[..8]
    }

    /// Whether its processes are called by their ranks. Process numbers mean nothing to another run.
    pub(super) fn has_ranks(&self) -> bool {
        let names = self.of(Hierarchy::Process).filter(|one| one.depth() == 1);
        let numbers: BTreeSet<&str> = names.map(Resource::name).collect();
        (0..numbers.len()).all(|rank| numbers.contains(rank.to_string().as_str()))
    }

    /// The resources of one hierarchy, the root left out.
    pub(super) fn of(&self, hierarchy: Hierarchy) -> impl Iterator<Item = &Resource> {
        self.resources.iter().filter(move |resource| resource.hierarchy() == hierarchy)
    }
}

impl Store {
    /// What a run found out.
    ///
    /// # Errors
    /// When the store cannot be read or the run is gone.
    pub fn past(&self, run: &RunId) -> Result<Past, StoreError> {
        let mut questions: BTreeMap<u64, Asked> = self
            .verdicts(run)?
            .into_iter()
            .filter_map(|verdict| Some((verdict.number, asked(verdict)?)))
            .collect();
        for edge in self.edges(run)? {
            if let Some(question) = questions.get_mut(&edge.child) {
                question.parents.push(edge.parent);
            }
        }
        let spans = self.resources(run)?.into_iter();
        let resources = spans.filter_map(|span| span.name.parse().ok()).collect();
        Ok(Past { run: run.clone(), questions, resources })
    }
}

/// None for what a later version may have written and this one cannot read.
fn asked(verdict: Verdict) -> Option<Asked> {
    let answer = match verdict.truth.as_str() {
        "true" => Answer::True,
        "false" if verdict.asked > 0 => Answer::False,
        _ => Answer::Open,
    };
    Some(Asked {
        hypothesis: verdict.hypothesis,
        focus: verdict.focus.parse().ok()?,
        answer,
        value: verdict.value.filter(|value| value.is_finite()),
        parents: Vec::new(),
    })
}

#[cfg(test)]
pub(super) mod example {
    //! Runs made of lines: `hypothesis focus answer value parent`.
    use super::*;

    pub(in super::super) fn past(run: &str, questions: &[(&str, &str, char, f64, &[u64])]) -> Past {
        let numbered = (0..).zip(questions);
        let questions = numbered.map(|(number, (hypothesis, focus, answer, value, parents))| {
            let asked = Asked {
                hypothesis: (*hypothesis).to_owned(),
                focus: focus.parse().expect("well formed"),
                answer: match answer {
                    't' => Answer::True,
                    'f' => Answer::False,
                    _ => Answer::Open,
                },
                value: Some(*value),
                parents: parents.to_vec(),
            };
            (number, asked)
        });
        Past {
            run: RunId(format!("{run:0<12}")),
            questions: questions.collect(),
            resources: vec![],
        }
    }

    pub(in super::super) fn with(past: Past, resources: &[&str]) -> Past {
        let resources = resources.iter().map(|name| name.parse().expect("well formed"));
        Past { resources: resources.collect(), ..past }
    }
}
