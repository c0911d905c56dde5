//! Learns priorities: high for questions that were true before and that no later run contradicts, low for questions that
//! were never true.

use std::collections::BTreeMap;

use whyperf_consultant::{Directive, Directives, Hypotheses, Level};
use whyperf_model::{Focus, Hierarchy};

use super::earlier_run::{EarlierQuestion, EarlierRun, EarlierVerdict};
use super::runs;

/// High for what was true in a run and in the latest that asked, low for what was false in all that asked. The top-level hypotheses
/// are asked about the whole program first anyway, and processes that are alike give no reason to ask of each.
pub(super) fn rank(earlier: &[EarlierRun], hypotheses: &Hypotheses, learned: &mut Directives) {
    let mut history: BTreeMap<(&str, &Focus), Vec<(&EarlierRun, &EarlierQuestion)>> =
        BTreeMap::new();
    for earlier_run in earlier {
        let known = earlier_run.questions.values().filter(|asked| {
            { asked.focus.part(Hierarchy::Process).iter() }
                .all(|process| process.is_root() || earlier_run.is_rank(process))
                && matches!(asked.answer, EarlierVerdict::True | EarlierVerdict::False)
                && hypotheses.named(&asked.hypothesis).is_some_and(|id| {
                    asked.focus.depth() > 0 || hypotheses.row(id).parent.is_some()
                })
        });
        for asked in known {
            history
                .entry((&asked.hypothesis, &asked.focus))
                .or_default()
                .push((earlier_run, asked));
        }
    }
    for level in [Level::High, Level::Low] {
        for ((hypothesis, focus), answers) in &history {
            let (hypothesis, focus) = ((*hypothesis).to_owned(), (*focus).clone());
            let directive = Directive::Priority { level, hypothesis, focus };
            match (reason(level, answers), contradiction(level, answers)) {
                (Some(comment), _) => learned.push(directive, Some(comment)),
                (None, Some(reason)) => learned.drop_contradicted(&directive, &reason),
                (None, None) => {}
            }
        }
    }
}

/// Why a priority that some runs gave is not given any more: a later one answered otherwise.
fn contradiction(level: Level, answers: &[(&EarlierRun, &EarlierQuestion)]) -> Option<String> {
    let (was, is) = match level {
        Level::High => (EarlierVerdict::True, EarlierVerdict::False),
        Level::Low => (EarlierVerdict::False, EarlierVerdict::True),
    };
    let of = |answer: EarlierVerdict| -> Vec<&EarlierRun> {
        let those = answers.iter().filter(|(_, asked)| asked.answer == answer);
        those.map(|(earlier_run, _)| *earlier_run).collect()
    };
    let before = of(was);
    let first = before.iter().map(|earlier_run| earlier_run.started).min()?;
    let mut later = of(is);
    later.retain(|earlier_run| earlier_run.started > first);
    let newest = later.iter().max_by_key(|earlier_run| earlier_run.started)?;
    let word = |answer| if answer == EarlierVerdict::True { "true" } else { "false" };
    let before = runs(&before, answers.len());
    Some(format!("{} in {before}, {} in the later {}", word(was), word(is), newest.short()))
}

fn reason(level: Level, answers: &[(&EarlierRun, &EarlierQuestion)]) -> Option<String> {
    let is_true =
        |answer: &&(&EarlierRun, &EarlierQuestion)| answer.1.answer == EarlierVerdict::True;
    let found: Vec<&EarlierRun> =
        answers.iter().filter(is_true).map(|(earlier_run, _)| *earlier_run).collect();
    match level {
        Level::High if is_newest_true(answers) => {
            let values = answers.iter().filter(is_true).filter_map(|(_, asked)| asked.value);
            let most = values.fold(f64::NAN, f64::max);
            Some(format!("true in {}, {most:.3} at most", runs(&found, answers.len())))
        }
        Level::Low if found.is_empty() => {
            let all: Vec<&EarlierRun> =
                answers.iter().map(|(earlier_run, _)| *earlier_run).collect();
            Some(format!("false in {}", runs(&all, answers.len())))
        }
        _ => None,
    }
}

/// Whether a run that asked last, of those that asked, found it true.
fn is_newest_true(answers: &[(&EarlierRun, &EarlierQuestion)]) -> bool {
    let newest = answers.iter().map(|(earlier_run, _)| earlier_run.started).max();
    let mut last = answers.iter().filter(|(earlier_run, _)| Some(earlier_run.started) == newest);
    last.any(|(_, asked)| asked.answer == EarlierVerdict::True)
}

#[cfg(test)]
mod tests {
    use super::super::earlier_run::example::earlier_run;
    use super::*;

    #[test]
    fn once_true_is_high_and_always_false_is_low() {
        let (f, g) = ("</Code/a.c/f>", "</Code/a.c/g>");
        let first = earlier_run(
            "aa",
            &[
                ("CPUbound", "<>", 't', 0.9, &[]),
                ("CPUbound", f, 't', 0.7, &[0]),
                ("CPUbound", g, 'f', 0.1, &[0]),
            ],
        );
        let second = earlier_run(
            "bb",
            &[
                ("CPUbound", f, 'f', 0.1, &[]),
                ("CPUbound", g, 'f', 0.1, &[]),
                ("CPUbound", "</Code/a.c/h>", '?', 0.1, &[]),
                ("CPUbound", "</Code/a.c/i>", 'a', 0.9, &[]),
                ("TooManySmallIOOps", "<>", 't', 200.0, &[]),
            ],
        );
        let mut learned = Directives::default();
        rank(&[first, second], &Hypotheses::built_in(), &mut learned);
        let text = learned.to_string();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[0].starts_with("priority  high  CPUbound  </Code/a.c/f,"), "{text}");
        assert!(lines[0].ends_with("# true in 1 of 2 runs (aa000000), 0.700 at most"), "{text}");
        assert!(lines[1].starts_with("priority  high  TooManySmallIOOps  <"), "{text}");
        assert!(lines[2].starts_with("priority  low  CPUbound  </Code/a.c/g,"), "{text}");
    }

    #[test]
    fn what_a_later_run_contradicts_is_no_priority() {
        let f = "</Code/a.c/f>";
        let run = |name, answer, started| {
            let asked = [("CPUbound", f, answer, 0.5, &[] as &[u64])];
            let mut earlier_run = earlier_run(name, &asked);
            earlier_run.started = started;
            earlier_run
        };
        let learned = |earlier: &[EarlierRun]| {
            let mut learned = Directives::default();
            rank(earlier, &Hypotheses::built_in(), &mut learned);
            learned.to_string()
        };
        let was_true = learned(&[run("aa", 't', 7), run("bb", 'f', 9)]);
        let reason = "</Code/a.c/f,/Machine,/Process,/SyncObject>: true in 1 of 2 runs (aa000000), false in the later bb000000";
        assert!(was_true.contains(reason) && !was_true.contains("\npriority"), "{was_true}");
        let was_false = learned(&[run("aa", 'f', 7), run("bb", 't', 9)]);
        assert!(was_false.contains("# no longer: priority low CPUbound"), "{was_false}");
        assert!(was_false.contains("\npriority  high  CPUbound"), "{was_false}");
        let is_true = learned(&[run("aa", 't', 9), run("bb", 'f', 7)]);
        assert!(is_true.contains("priority  high  CPUbound  </Code/a.c/f,"), "{is_true}");
        // Nothing is known of it since.
        let unasked = learned(&[run("aa", 't', 7), run("bb", '?', 9)]);
        assert!(unasked.contains("priority  high"), "{unasked}");
    }
}
