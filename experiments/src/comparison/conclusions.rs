//! What the searches of two operands concluded: which bottlenecks are new, gone, grown, shrunk or moved.
//!
//! One that lies at its threshold is found in one run and missed in the next: so it is new only where its value differs as well, or was not
//! asked before, and where the other search found out that it is none.

use std::collections::BTreeSet;

use serde::Serialize;
use whyperf_consultant::Hypotheses;
use whyperf_model::{Focus, Hierarchy};

use super::operand::Operand;
use super::search_answers::{SearchAnswers, Standing};
use crate::program_event::{Delta, DiscreteDistance};

/// A bottleneck in one operand or in both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedConclusion {
    /// Which kind.
    pub hypothesis: String,
    /// Where.
    pub focus: String,
    /// Its value in the first, as the mean of the trials that asked; none where none asked.
    pub a: Option<f64>,
    /// In the second.
    pub b: Option<f64>,
}

/// A bottleneck that was at one place and is at another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MovedConclusion {
    /// Which kind.
    pub hypothesis: String,
    /// Where it was.
    pub from: String,
    /// Where it is.
    pub to: String,
    /// Its value there and here.
    pub values: [Option<f64>; 2],
}

/// All that changed in what was concluded.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Conclusions {
    /// In the second alone.
    pub new: Vec<ComparedConclusion>,
    /// In the first alone.
    pub gone: Vec<ComparedConclusion>,
    /// In both, and larger in the second.
    pub grown: Vec<ComparedConclusion>,
    /// In both, and smaller in the second.
    pub shrunk: Vec<ComparedConclusion>,
    /// Gone from one place, and new at one beside it.
    pub moved: Vec<MovedConclusion>,
}

/// What changed from the first operand to the second.
pub(super) fn compared(a: &Operand, b: &Operand, delta: &Delta) -> Conclusions {
    of_answers(&SearchAnswers::of(a), &SearchAnswers::of(b), delta)
}

/// The operand of which no search tells, where the other has one.
pub(super) fn without_search<'o>(a: &'o Operand, b: &'o Operand) -> Option<&'o str> {
    match [a, b].map(|operand| SearchAnswers::of(operand).is_empty()) {
        [true, false] => Some(a.name()),
        [false, true] => Some(b.name()),
        _ => None,
    }
}

fn of_answers(of_a: &SearchAnswers, of_b: &SearchAnswers, delta: &Delta) -> Conclusions {
    let mut conclusions = Conclusions::default();
    let hypotheses = Hypotheses::built_in();
    let all: BTreeSet<_> = of_a.questions().chain(of_b.questions()).collect();
    for question in all {
        let [in_a, in_b] = [of_a, of_b].map(|of| of.values(question));
        let distance = delta.distance(&in_a, &in_b);
        let (hypothesis, focus) = question.clone();
        let one = ComparedConclusion { hypothesis, focus, a: in_a.mean(), b: in_b.mean() };
        let standings = [of_a, of_b].map(|of| of.standing(question, &hypotheses));
        match standings {
            [Standing::NoBottleneck, Standing::Bottleneck]
                if distance != DiscreteDistance::Alike =>
            {
                conclusions.new.push(one);
            }
            [Standing::Bottleneck, Standing::NoBottleneck]
                if distance != DiscreteDistance::Alike =>
            {
                conclusions.gone.push(one);
            }
            [Standing::Bottleneck, Standing::Bottleneck]
                if distance == DiscreteDistance::Differs =>
            {
                let list =
                    if one.b > one.a { &mut conclusions.grown } else { &mut conclusions.shrunk };
                list.push(one);
            }
            _ => {}
        }
    }
    find_moved(&mut conclusions);
    let value = |one: &ComparedConclusion| one.b.or(one.a).unwrap_or_default();
    let Conclusions { new, gone, grown, shrunk, .. } = &mut conclusions;
    for list in [new, gone, grown, shrunk] {
        list.sort_by(|one, other| value(other).total_cmp(&value(one)));
    }
    conclusions
}

/// A new one beside a gone one of the same kind is the same one at another place.
fn find_moved(conclusions: &mut Conclusions) {
    let mut new = std::mem::take(&mut conclusions.new);
    conclusions.gone.retain(|gone| {
        let is_it = |one: &ComparedConclusion| {
            one.hypothesis == gone.hypothesis && are_beside(&one.focus, &gone.focus)
        };
        let Some(position) = new.iter().position(is_it) else { return true };
        let to = new.remove(position);
        conclusions.moved.push(MovedConclusion {
            hypothesis: to.hypothesis,
            from: gone.focus.clone(),
            to: to.focus,
            values: [gone.a, to.b],
        });
        false
    });
    conclusions.new = new;
}

/// Whether two foci differ in one hierarchy alone, by siblings.
fn are_beside(one: &str, other: &str) -> bool {
    let (Ok(one), Ok(other)) = (one.parse::<Focus>(), other.parse::<Focus>()) else { return false };
    let differing = Hierarchy::ALL.into_iter().filter(|each| one.part(*each) != other.part(*each));
    let differing: Vec<Hierarchy> = differing.collect();
    let [only] = differing.as_slice() else { return false };
    match (one.part(*only), other.part(*only)) {
        ([one], [other]) => one.parent().is_some() && one.parent() == other.parent(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::StoredVerdict;

    fn answers(rows: &[(&str, &str, bool, f64)]) -> SearchAnswers {
        let row = |(hypothesis, focus, found, value): &(&str, &str, bool, f64)| {
            let focus: Focus = focus.parse().expect("well formed");
            let truth = if *found { "true" } else { "false" };
            StoredVerdict {
                number: 0,
                hypothesis: (*hypothesis).to_owned(),
                focus: focus.to_string(),
                truth: truth.to_owned(),
                value: Some(*value),
                threshold: 0.3,
                confidence: 0.9,
                asked: 1,
                found: None,
                cost: 0.0,
                origin: "search".to_owned(),
                split: None,
            }
        };
        let rows: Vec<StoredVerdict> = rows.iter().map(row).collect();
        SearchAnswers::of_verdicts(rows.iter())
    }

    const DELTA: Delta = Delta::Relative(0.1);

    #[test]
    fn bottlenecks_come_go_grow_and_move() {
        let a = answers(&[
            ("Sync", "</Code/a.c/f>", true, 0.4),
            ("Sync", "</Code/a.c/g>", false, 0.0),
            ("Sync", "</SyncObject/Barrier>", false, 0.1),
            ("Cpu", "<>", true, 0.5),
            ("Io", "</Process/0>", true, 0.3),
            ("Io", "</File/x>", true, 0.3),
        ]);
        let b = answers(&[
            ("Sync", "</Code/a.c/f>", false, 0.1),
            ("Sync", "</Code/a.c/g>", true, 0.45),
            ("Cpu", "<>", true, 0.7),
            ("Sync", "</SyncObject/Barrier>", true, 0.2),
            ("Io", "</Process/0>", false, 0.01),
            ("Io", "</File>", false, 0.01),
        ]);
        let found = of_answers(&a, &b, &DELTA);
        assert_eq!(found.moved.len(), 1, "{found:?}");
        assert_eq!(found.moved[0].values, [Some(0.4), Some(0.45)]);
        let foci = |list: &[ComparedConclusion]| {
            list.iter().map(|one| one.hypothesis.clone()).collect::<Vec<_>>()
        };
        assert_eq!(foci(&found.new), ["Sync"]);
        assert_eq!(foci(&found.gone), ["Io", "Io"]);
        assert_eq!(foci(&found.grown), ["Cpu"]);
        let back = of_answers(&b, &a, &DELTA);
        assert_eq!((foci(&back.shrunk), back.grown.len()), (foci(&found.grown), 0));
    }

    #[test]
    fn what_lies_at_its_threshold_is_not_new() {
        let a = answers(&[("Cpu", "<>", false, 0.299)]);
        let b = answers(&[("Cpu", "<>", true, 0.301)]);
        assert_eq!(of_answers(&a, &b, &DELTA), Conclusions::default());
        assert_eq!(of_answers(&b, &b, &DELTA), Conclusions::default());
    }
}
