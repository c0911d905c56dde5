//! Learns prunes, the questions that need not be asked: of hierarchies that tell nothing here, and of functions that never
//! took any time.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_consultant::{
    Directive, Directives, Hypotheses, Operator, PrunedHypotheses, ValueUnit,
};
use whyperf_model::{CategorySet, Hierarchy, Resource};

use super::earlier_run::{EarlierQuestion, EarlierRun, EarlierVerdict, is_first};
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
        learned.push(Directive::Prune { whom: PrunedHypotheses::All, resource }, Some(comment));
    }
    for id in hypotheses.ids().filter(|id| hypotheses.row(*id).parent.is_none()) {
        let row = hypotheses.row(id);
        let speaks = !row.numerator.definition().categories.is_disjoint(CategorySet::SYNC);
        if row.refines(Hierarchy::SyncObject) && !speaks {
            let comment = "it does not speak of synchronization".to_owned();
            let whom = PrunedHypotheses::Only(row.name.to_string());
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

/// Functions that every question about them alone answered with less than this share of the time, in every run. One that a run found true after all, or to
/// take more, is asked about: what a run said of another name counts against a prune, and not for it.
pub(super) fn historic(
    earlier: &[EarlierRun],
    small: f64,
    hypotheses: &Hypotheses,
    learned: &mut Directives,
) {
    let mut known: BTreeMap<(String, Resource), KnownValues<'_>> = BTreeMap::new();
    for earlier_run in earlier {
        for asked in
            earlier_run.questions.values().filter(|asked| asked.answer != EarlierVerdict::Open)
        {
            let [code] = asked.focus.part(Hierarchy::Code) else { continue };
            let shares = hypotheses.named(&asked.hypothesis).is_some_and(|id| {
                let row = hypotheses.row(id);
                row.operator == Operator::Above && row.unit() == ValueUnit::Share
            });
            if !shares || code.depth() != 2 {
                continue;
            }
            let values = known.entry((asked.hypothesis.clone(), code.clone())).or_default();
            values.take(earlier_run, asked, small);
        }
    }
    for ((hypothesis, resource), values) in known {
        if values.small.is_empty() {
            continue;
        }
        let seen = runs(&values.small, earlier.len());
        let directive = Directive::Prune { whom: PrunedHypotheses::Only(hypothesis), resource };
        let least = format!("{:.2} % at most in {seen}", 100.0 * values.most_of_small);
        match values.against {
            None => learned.push(directive, Some(least)),
            Some((run, share, EarlierVerdict::True | EarlierVerdict::Alike)) => learned
                .drop_contradicted(
                    &directive,
                    &format!("{least}, true with {:.0} % in {}", 100.0 * share, run.short()),
                ),
            Some((run, share, _)) => learned.drop_contradicted(
                &directive,
                &format!("{least}, {:.1} % in {}", 100.0 * share, run.short()),
            ),
        }
    }
}

/// What runs say of one function.
#[derive(Default)]
struct KnownValues<'a> {
    /// The runs that found it, under its own name, to take next to nothing.
    small: Vec<&'a EarlierRun>,
    most_of_small: f64,
    /// One that found it to take more, with the share and its answer; what was true counts most.
    against: Option<(&'a EarlierRun, f64, EarlierVerdict)>,
}

impl<'a> KnownValues<'a> {
    fn take(&mut self, earlier_run: &'a EarlierRun, asked: &EarlierQuestion, small: f64) {
        let [code] = asked.focus.part(Hierarchy::Code) else { return };
        let value = asked.value.unwrap_or_default();
        // One false function may have called a true one: what was true stays asked about.
        let was_true = matches!(asked.answer, EarlierVerdict::True | EarlierVerdict::Alike);
        if was_true || value >= small {
            let weight = |(_, share, answer): &(&EarlierRun, f64, EarlierVerdict)| {
                (matches!(answer, EarlierVerdict::True | EarlierVerdict::Alike), *share)
            };
            let one = (earlier_run, value, asked.answer);
            if self.against.as_ref().is_none_or(|known| weight(known) < weight(&one)) {
                self.against = Some(one);
            }
        } else if asked.value.is_some()
            && asked.focus.depth() == code.depth()
            && earlier_run.is_own_name(code)
        {
            self.most_of_small = self.most_of_small.max(value);
            if !self.small.iter().any(|one| one.run == earlier_run.run) {
                self.small.push(earlier_run);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use whyperf_consultant::NameMaps;

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
        let reason = "# no longer: prune CPUbound /Code/a.c/g: 0.10 % at most in 1 of 2 runs (aa000000), true with 50 % in bb000000";
        assert!(text.contains(reason), "{text}");
        assert!(!text.contains("\nprune     CPUbound  /Code/a.c/g"), "{text}");
        Directives::parse("learned", &text, &Hypotheses::built_in()).expect("reasons are comments");
    }

    #[test]
    fn what_another_name_took_counts_against_a_prune_and_not_for_it() {
        let run = |value| {
            let old = earlier_run("aa", &[("CPUbound", "</Code/a.c/old>", 'f', value, &[])]);
            let map = "whyperf directives 1\nmap /Code/a.c/old /Code/a.c/new\n";
            let map = Directives::parse("map", map, &Hypotheses::built_in()).expect("well formed");
            old.renamed(&NameMaps::of(&map).expect("no circle"))
        };
        let own = earlier_run("bb", &[("CPUbound", "</Code/a.c/new>", 'f', 0.003, &[])]);
        let learned = |runs: &[EarlierRun]| {
            let mut learned = Directives::default();
            historic(runs, 0.01, &Hypotheses::built_in(), &mut learned);
            learned.entries.len()
        };
        assert_eq!(learned(&[own.clone(), run(0.002)]), 1);
        assert_eq!(learned(&[own, run(0.02)]), 0);
        assert_eq!(learned(&[run(0.002)]), 0, "it may have been another function");
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
