//! What need not be asked: hierarchies that tell nothing here, and functions that never took any time.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_consultant::{Directive, Directives, Hypotheses, Operator, ValueUnit, Whom};
use whyperf_model::{CategorySet, Hierarchy, Resource};

use super::earlier_run::{Answer, EarlierRun, is_first};
use super::runs;

/// Machines, where each has one process or there is one alone: the processes say it all. Objects of synchronization, for
/// hypotheses that do not speak of it.
pub(super) fn general(earlier: &[EarlierRun], hypotheses: &Hypotheses, learned: &mut Directives) {
    let known: Vec<&EarlierRun> =
        earlier.iter().filter(|earlier_run| firsts(earlier_run, Hierarchy::Machine) > 0).collect();
    if !known.is_empty() && known.iter().all(|earlier_run| are_redundant(earlier_run)) {
        let comment =
            format!("one machine, or one process each, in {}", runs(&known, earlier.len()));
        let resource = Resource::root(Hierarchy::Machine);
        learned.push(Directive::Prune { whom: Whom::All, resource }, Some(comment));
    }
    for id in hypotheses.ids().filter(|id| hypotheses.row(*id).parent.is_none()) {
        let row = hypotheses.row(id);
        let speaks = !row.numerator.definition().categories.is_disjoint(CategorySet::SYNC);
        if row.refines(Hierarchy::SyncObject) && !speaks {
            let comment = "it does not speak of synchronization".to_owned();
            let whom = Whom::Only(row.name.to_string());
            let resource = Resource::root(Hierarchy::SyncObject);
            learned.push(Directive::Prune { whom, resource }, Some(comment));
        }
    }
}

fn firsts(earlier_run: &EarlierRun, hierarchy: Hierarchy) -> usize {
    earlier_run.resources.iter().filter(|one| is_first(one, hierarchy)).count()
}

/// Whether there is one machine, or each has one process. As many of both are not enough: one may have two, another none.
fn are_redundant(earlier_run: &EarlierRun) -> bool {
    let machines = firsts(earlier_run, Hierarchy::Machine);
    let used: BTreeSet<&Resource> = earlier_run.placed.values().collect();
    let each_has_one =
        [used.len(), earlier_run.placed.len(), firsts(earlier_run, Hierarchy::Process)];
    machines == 1 || each_has_one.iter().all(|count| *count == machines)
}

/// Functions that every question about them alone answered with less than this share of the time, in every run.
pub(super) fn historic(
    earlier: &[EarlierRun],
    small: f64,
    hypotheses: &Hypotheses,
    learned: &mut Directives,
) {
    let mut most: BTreeMap<(String, Resource), (f64, Vec<&EarlierRun>)> = BTreeMap::new();
    for earlier_run in earlier {
        for asked in earlier_run.questions.values().filter(|asked| asked.answer != Answer::Open) {
            let shares = hypotheses.named(&asked.hypothesis).is_some_and(|id| {
                let row = hypotheses.row(id);
                row.operator == Operator::Above && row.unit() == ValueUnit::Share
            });
            let [code] = asked.focus.part(Hierarchy::Code) else { continue };
            let Some(value) = asked.value.filter(|_| shares && code.depth() == 2) else { continue };
            let is_alone = asked.focus.depth() == code.depth();
            if is_alone || value >= small {
                let key = (asked.hypothesis.clone(), code.clone());
                let (known, seen) = most.entry(key).or_insert((value, Vec::new()));
                *known = known.max(value);
                if !seen.iter().any(|one| one.run == earlier_run.run) {
                    seen.push(earlier_run);
                }
            }
        }
    }
    for ((hypothesis, resource), (value, seen)) in most {
        // One false function may have called a true one: what was true stays asked about.
        let was_true =
            earlier.iter().flat_map(|earlier_run| earlier_run.questions.values()).any(|asked| {
                matches!(asked.answer, Answer::True | Answer::Alike)
                    && asked.hypothesis == hypothesis
                    && asked.focus.part(Hierarchy::Code).contains(&resource)
            });
        if value < small && !was_true {
            let comment =
                format!("{:.2} % at most in {}", 100.0 * value, runs(&seen, earlier.len()));
            learned
                .push(Directive::Prune { whom: Whom::Only(hypothesis), resource }, Some(comment));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::earlier_run::example::{earlier_run, placed, with};
    use super::*;

    #[test]
    fn what_takes_no_time_anywhere_is_not_asked_again() {
        let (f, g) = ("</Code/a.c/f>", "</Code/a.c/g>");
        let runs = [
            earlier_run(
                "aa",
                &[("CPUbound", f, 'f', 0.002, &[]), ("CPUbound", g, 'f', 0.001, &[])],
            ),
            earlier_run("bb", &[("CPUbound", f, 'f', 0.004, &[]), ("CPUbound", g, 't', 0.5, &[])]),
        ];
        let mut learned = Directives::default();
        historic(&runs, 0.01, &Hypotheses::built_in(), &mut learned);
        let text = learned.to_string();
        assert!(
            text.contains("prune     CPUbound  /Code/a.c/f  # 0.40 % at most in 2 of 2"),
            "{text}"
        );
        assert!(!text.contains("/Code/a.c/g"), "{text}");
    }

    #[test]
    fn machines_that_say_what_processes_say_are_pruned() {
        let pruned = |resources: &[&str], pairs: &[(&str, &str)]| {
            let mut learned = Directives::default();
            let earlier_run = placed(with(earlier_run("aa", &[]), resources), pairs);
            general(&[earlier_run], &Hypotheses::built_in(), &mut learned);
            learned.to_string().contains("/Machine")
        };
        let two = ["/Machine/a", "/Machine/b", "/Process/0", "/Process/1"];
        assert!(pruned(&two, &[("/Process/0", "/Machine/a"), ("/Process/1", "/Machine/b")]));
        assert!(!pruned(&two, &[("/Process/0", "/Machine/a"), ("/Process/1", "/Machine/a")]));
        assert!(!pruned(&two, &[]), "nobody knows who ran where");
        assert!(pruned(&["/Machine/a", "/Process/0", "/Process/1"], &[]));
        assert!(!pruned(&["/Process/0"], &[]));
    }
}
