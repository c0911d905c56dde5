//! Learns thresholds: the largest that would still have found what was found.
//!
//! The search is replayed on stored values: a question is asked if a question that led to it is found, and found if its value
//! passes. Recall can only fall as the threshold rises, so the largest one that keeps it is found by going down through the gaps
//! between the values. It lies in the middle of its gap: a value that moves a little stays on its side.
//!
//! Findings that a user requires must be found as well, whatever part of the other findings they are: then the largest
//! threshold is chosen that finds both.
//!
//! A value is of the whole run. A finding of a part of the run may have a value on the other side of its threshold: it was
//! found with that threshold all the same.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_consultant::{Directive, Directives, Hypotheses, HypothesisId, Operator};

use super::earlier_run::{EarlierQuestion, EarlierRun, EarlierVerdict};
use super::required::Required;
use super::runs;

/// How much of what was found must be found again.
const RECALL: f64 = 0.95;
/// With fewer findings a threshold would follow from chance.
const LEAST: usize = 3;
/// By so much of the least value the threshold lies below it that must find it.
const MARGIN: f64 = 0.1;

/// A threshold for each hypothesis that found enough, or that has something to find.
pub(super) fn choose(
    earlier: &[EarlierRun],
    required: &[Required],
    hypotheses: &Hypotheses,
    learned: &mut Directives,
) {
    for id in hypotheses.ids() {
        let row = hypotheses.row(id);
        let found: usize =
            earlier.iter().map(|earlier_run| significant(earlier_run, &row.name).len()).sum();
        let wanted = |earlier_run: &EarlierRun| -> BTreeSet<u64> {
            required.iter().flat_map(|one| one.questions(earlier_run, &row.name)).collect()
        };
        let wanted: Vec<BTreeSet<u64>> = earlier.iter().map(wanted).collect();
        let number: usize = wanted.iter().map(BTreeSet::len).sum();
        if found < LEAST && number == 0 {
            continue;
        }
        let Some(value) = largest(earlier, &wanted, id, hypotheses) else { continue };
        // Two digits are as much as values repeat from run to run.
        let value = rounded(value, row.operator);
        let all: Vec<&EarlierRun> = earlier.iter().collect();
        let must = if number > 0 { ", and all that must be found" } else { "" };
        let comment =
            format!("finds {:.0} % of {found} in {}{must}", RECALL * 100.0, runs(&all, all.len()));
        let hypothesis = row.name.to_string();
        learned.push(Directive::Threshold { hypothesis, value }, Some(comment));
    }
}

/// The value of a question, at least the threshold that it was found with. With a sign by which the larger is the worse.
fn reached(asked: &EarlierQuestion, sign: f64) -> Option<f64> {
    let value = sign * asked.value?;
    let is_true = asked.answer == EarlierVerdict::True;
    Some(if is_true { value.max(sign * asked.threshold) } else { value })
}

/// What was found true of a hypothesis.
fn significant(earlier_run: &EarlierRun, hypothesis: &str) -> BTreeSet<u64> {
    let of = earlier_run.questions.iter().filter(|(_, asked)| asked.hypothesis == hypothesis);
    of.filter(|(_, asked)| asked.answer == EarlierVerdict::True)
        .map(|(number, _)| *number)
        .collect()
}

fn largest(
    earlier: &[EarlierRun],
    wanted: &[BTreeSet<u64>],
    id: HypothesisId,
    hypotheses: &Hypotheses,
) -> Option<f64> {
    let row = hypotheses.row(id);
    // Below a threshold is bad for some: then the search for the largest goes through negative numbers.
    let sign = if row.operator == Operator::Above { 1.0 } else { -1.0 };
    let of = |earlier_run: &'_ EarlierRun| -> Vec<f64> {
        let asked = earlier_run.questions.values().filter(|asked| asked.hypothesis == row.name);
        asked.filter_map(|asked| reached(asked, sign)).collect()
    };
    let mut values: Vec<f64> = earlier.iter().flat_map(of).collect();
    values.sort_by(|one, other| other.total_cmp(one));
    values.dedup();
    let gaps = values.windows(2).map(|pair| f64::midpoint(pair[0], pair[1]));
    // What must be found may have the least value of all: a threshold below it has no gap.
    let least = values.last().map(|least| least - MARGIN * least.abs());
    let chosen = gaps.chain(least).find(|threshold| {
        let (mut again, mut known, mut missed) = (0, 0, 0);
        for (earlier_run, wanted) in earlier.iter().zip(wanted) {
            let found = replay(earlier_run, &row.name, sign, *threshold);
            let before = significant(earlier_run, &row.name);
            again += before.intersection(&found).count();
            known += before.len();
            missed += wanted.difference(&found).count();
        }
        missed == 0 && again as f64 >= RECALL * known as f64
    });
    chosen.map(|threshold| sign * threshold)
}

/// The questions that a search with this threshold would have found true.
fn replay(earlier_run: &EarlierRun, hypothesis: &str, sign: f64, threshold: f64) -> BTreeSet<u64> {
    let of: BTreeMap<u64, &EarlierQuestion> = earlier_run
        .questions
        .iter()
        .filter(|(_, asked)| asked.hypothesis == hypothesis)
        .map(|(number, asked)| (*number, asked))
        .collect();
    let passes =
        |asked: &EarlierQuestion| reached(asked, sign).is_some_and(|value| value > threshold);
    let mut found = BTreeSet::new();
    // Each pass goes one refinement deeper; the graph has no cycle, so this ends.
    loop {
        let news: Vec<u64> = of
            .iter()
            .filter(|(number, asked)| !found.contains(*number) && passes(asked))
            .filter(|(_, asked)| {
                let led = asked.parents.iter().filter(|parent| of.contains_key(parent));
                let mut led = led.peekable();
                led.peek().is_none() || led.any(|parent| found.contains(parent))
            })
            .map(|(number, _)| *number)
            .collect();
        if news.is_empty() {
            return found;
        }
        found.extend(news);
    }
}

/// Two significant digits, towards the side on which more is found.
fn rounded(value: f64, operator: Operator) -> f64 {
    let digits = 10f64.powf(value.abs().log10().floor() - 1.0);
    if !digits.is_normal() {
        return value;
    }
    let scaled = value / digits;
    let scaled = if operator == Operator::Above { scaled.floor() } else { scaled.ceil() };
    // Back through text, so that no digits of the division remain.
    format!("{:.*}", decimals(digits), scaled * digits).parse().unwrap_or(value)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the logarithm of a digit's place"
)]
fn decimals(digits: f64) -> usize {
    (-digits.log10().round()).max(0.0) as usize
}

#[cfg(test)]
mod tests {
    use super::super::earlier_run::example::earlier_run;
    use super::*;

    #[test]
    fn the_largest_that_still_finds_all_is_chosen() {
        let run = earlier_run(
            "aa",
            &[
                ("CPUbound", "<>", 't', 0.9, &[]),
                ("CPUbound", "</Code/a.c>", 't', 0.8, &[0]),
                ("CPUbound", "</Code/a.c/f>", 't', 0.5, &[1]),
                ("CPUbound", "</Code/a.c/g>", 'f', 0.1, &[1]),
            ],
        );
        let table = Hypotheses::built_in();
        let id = table.named("CPUbound").expect("it is built in");
        let value = largest(std::slice::from_ref(&run), &[BTreeSet::new()], id, &table)
            .expect("there are gaps");
        assert!((value - 0.3).abs() < 1e-9, "{value}");
        let mut learned = Directives::default();
        choose(&[run], &[], &table, &mut learned);
        assert!(
            learned.to_string().contains("threshold CPUbound  0.3  # finds 95 % of 3"),
            "{learned}"
        );
    }

    #[test]
    fn what_must_be_found_lowers_the_threshold_as_far_as_the_way_to_it_takes() {
        let run = earlier_run(
            "aa",
            &[
                ("CPUbound", "<>", 't', 0.9, &[]),
                ("CPUbound", "</Code/a.c>", 't', 0.8, &[0]),
                ("CPUbound", "</Code/a.c/f>", 't', 0.5, &[1]),
                ("CPUbound", "</Code/a.c/g>", 'f', 0.1, &[1]),
                ("CPUbound", "</Code/a.c/h>", 'f', 0.02, &[1]),
            ],
        );
        let table = Hypotheses::built_in();
        let chosen = |required: &[&str]| {
            let mut learned = Directives::default();
            let required: Vec<Required> =
                required.iter().map(|text| Required::parse(text, &table).expect("known")).collect();
            choose(std::slice::from_ref(&run), &required, &table, &mut learned);
            learned.to_string()
        };
        assert!(chosen(&[]).contains("threshold CPUbound  0.3  #"));
        let text = chosen(&["CPUbound </Code/a.c/g>"]);
        assert!(text.contains("threshold CPUbound  0.06  # finds 95 % of 3"), "{text}");
        assert!(text.contains("and all that must be found"), "{text}");
        let text = chosen(&["CPUbound </Code/a.c/h>"]);
        assert!(text.contains("threshold CPUbound  0.018"), "the least value of all: {text}");
        assert!(
            chosen(&["</Code/a.c/f>"]).contains("threshold CPUbound  0.3  #"),
            "it was found anyway"
        );
    }

    #[test]
    fn a_finding_below_a_false_one_is_not_reached() {
        let run = earlier_run(
            "aa",
            &[("CPUbound", "<>", 't', 0.4, &[]), ("CPUbound", "</Process/1>", 't', 0.9, &[0])],
        );
        assert_eq!(replay(&run, "CPUbound", 1.0, 0.5).len(), 0);
        assert_eq!(replay(&run, "CPUbound", 1.0, 0.3).len(), 2);
    }

    #[test]
    fn what_was_true_in_a_part_of_the_run_was_found_with_its_threshold() {
        let mut run = earlier_run("aa", &[("CPUbound", "<>", 't', 0.05, &[])]);
        assert_eq!(replay(&run, "CPUbound", 1.0, 0.25).len(), 0);
        run.questions.values_mut().for_each(|asked| asked.threshold = 0.3);
        assert_eq!(replay(&run, "CPUbound", 1.0, 0.25).len(), 1);
        assert_eq!(replay(&run, "CPUbound", 1.0, 0.35).len(), 0);
    }

    #[test]
    fn digits_are_cut_towards_more_findings() {
        assert_eq!(rounded(0.3279, Operator::Above), 0.32);
        assert_eq!(rounded(1234.0, Operator::Below), 1300.0);
        assert_eq!(rounded(0.0, Operator::Above), 0.0);
    }
}
