//! Learns directives for later runs from finished ones.
//!
//! ```text
//!   priorities   high: true in a run   low: false in every run that asked           priorities.rs
//!   prunes       general: tells nothing here   historic: took no time               prunes.rs
//!   thresholds   the largest that would still have found all                        thresholds.rs
//!   dwell time   the shortest that answers as the full one                          dwell_time.rs
//!   combination  what several sets of directives say, all or any                    combination.rs
//!   mapping      the names that things of one run have in another                   mapping/
//! ```
//! Each directive says in its comment which runs it comes from. Source: Karavanic and Miller, *Improving online performance
//! diagnosis by the use of historical performance data*, section 3; the way thresholds are chosen is our own.

mod combination;
mod dwell_time;
mod earlier_run;
mod mapping;
mod priorities;
mod prunes;
mod required;
mod structure;
mod thresholds;
mod tried_dwell_times;

use std::collections::BTreeSet;

use whyperf_consultant::{
    Directive, DirectiveLine, Directives, Hypotheses, Level, NameMaps, PrunedHypotheses,
};
use whyperf_model::{Focus, Hierarchy, Resource};

use mapping::{by_role, map_to_program};

pub use combination::{Combination, combine};
pub use earlier_run::EarlierRun;
pub use mapping::{Ground, Mapped, MatchEvidence, map};
pub use required::Required;
pub use structure::CodeStructure;

/// Which directives are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// Which questions come first, which last.
    pub priorities: bool,
    /// Hierarchies that tell nothing in this kind of program.
    pub general_prunes: bool,
    /// Functions that take less than [`Wanted::small`] of the time.
    pub historic_prunes: bool,
    /// From which values on something counts.
    pub thresholds: bool,
    /// The dwell time of classic verdicts, as far as some were [tried](crate::Store::try_dwell_times).
    pub dwell_time: bool,
    /// A share of the time below which a function is not worth asking about.
    pub small: f64,
}

impl Wanted {
    /// A function below this share of the time is not worth a question.
    pub const SMALL: f64 = 0.01;
    /// What a search may be led by without asking its user: a threshold decides what counts, and one that is learned leaves out a part of what was found.
    pub const UNASKED: Self = Self { thresholds: false, ..Self::ALL };
    /// All kinds.
    pub const ALL: Self = Self {
        priorities: true,
        general_prunes: true,
        historic_prunes: true,
        thresholds: true,
        dwell_time: true,
        small: Self::SMALL,
    };
}

/// What these runs teach.
#[must_use]
pub fn extract(earlier: &[EarlierRun], wanted: Wanted, hypotheses: &Hypotheses) -> Directives {
    extract_with(earlier, wanted, &[], hypotheses)
}

/// The same, with thresholds that find what is required.
#[must_use]
pub fn extract_with(
    earlier: &[EarlierRun],
    wanted: Wanted,
    required: &[Required],
    hypotheses: &Hypotheses,
) -> Directives {
    let mut learned = Directives::default();
    if wanted.general_prunes {
        prunes::general(earlier, hypotheses, &mut learned);
    }
    if wanted.historic_prunes {
        prunes::historic(earlier, wanted.small, hypotheses, &mut learned);
    }
    if wanted.thresholds {
        thresholds::choose(earlier, required, hypotheses, &mut learned);
    }
    if wanted.dwell_time {
        dwell_time::choose(earlier, &mut learned);
    }
    if wanted.priorities {
        priorities::rank(earlier, hypotheses, &mut learned);
    }
    learned
}

/// All runs in the words of the first, as far as it is sure what others called differently; and what that was.
#[must_use]
pub fn aligned(earlier: Vec<EarlierRun>) -> (Vec<EarlierRun>, Vec<Mapped>) {
    let mut earlier = earlier.into_iter();
    let Some(first) = earlier.next() else { return (Vec::new(), Vec::new()) };
    let (mut all, mut used) = (Vec::new(), Vec::new());
    for earlier_run in earlier {
        let mapped = map(&earlier_run, &first);
        // Ranks have the same names in all runs, and numbers of processes mean nothing to the next.
        let mapped: Vec<Mapped> = { mapped.into_iter() }
            .filter(|one| one.is_sure() && one.from.hierarchy() != Hierarchy::Process)
            .collect();
        // Those of one pair of runs lead from names that are gone to names that are there, so they form no circle.
        let maps = NameMaps::of(&Mapped::directives(&mapped, Mapped::SURE)).unwrap_or_default();
        all.push(earlier_run.renamed(&maps));
        used.extend(mapped);
    }
    all.insert(0, first);
    (all, used)
}

/// What is known of a run before it begins.
#[derive(Clone, Copy, Debug)]
pub struct NextRun<'a> {
    /// The functions of the program's file; none where it could not be read.
    pub functions: &'a BTreeSet<Resource>,
    /// How they hang together, as far as that was read.
    pub structure: &'a CodeStructure,
    /// How many ranks there will be.
    pub ranks: Option<usize>,
}

/// What was learned, also in the names of a program that has these functions and was not run yet; `latest` is the run in whose names it was
/// learned. A map changes the order of questions alone: what was not asked under its old name is asked last under the new one. The old names stay: code of
/// a library is not in the program's file, and a name that is gone is asked about by nobody.
#[must_use]
pub fn renamed_for_program(
    learned: &Directives,
    latest: &EarlierRun,
    next: &NextRun<'_>,
) -> (Directives, Vec<Mapped>) {
    let mut mapped = map_to_program(latest, next.functions, next.structure);
    mapped.extend(next.ranks.into_iter().flat_map(|ranks| by_role(latest.ranks(), ranks)));
    let maps = |least| NameMaps::of(&Mapped::directives(&mapped, least)).unwrap_or_default();
    let (sure, likely) = (maps(Mapped::SURE), maps(0.0));
    let mut renamed = Directives { dropped: learned.dropped.clone(), ..Directives::default() };
    let mut said: BTreeSet<String> = { learned.entries.iter() }
        .flat_map(|entry| {
            [Some(entry.directive.subject()), last(&entry.directive).map(|one| one.subject())]
        })
        .flatten()
        .collect();
    for DirectiveLine { directive, comment, .. } in &learned.entries {
        renamed.push(directive.clone(), comment.clone());
        let is_prune = matches!(directive, Directive::Prune { .. });
        let new = if is_prune { sure.directive(directive) } else { likely.directive(directive) };
        let new = if is_prune { last(&new) } else { Some(new) };
        // Two names may have become one; what was said of it first counts.
        if let Some(new) = new.filter(|new| said.insert(new.subject())) {
            renamed.push(new, comment.clone());
        }
    }
    (renamed, mapped)
}

/// What a prune says as an order of questions: a name that is taken for another costs time then, and no finding.
fn last(prune: &Directive) -> Option<Directive> {
    let Directive::Prune { whom: PrunedHypotheses::Only(hypothesis), resource } = prune else {
        return None;
    };
    let focus = Focus::whole_program().with(resource.hierarchy(), resource.clone());
    let is_part = !resource.is_root();
    is_part.then(|| Directive::Priority {
        level: Level::Low,
        hypothesis: hypothesis.clone(),
        focus,
    })
}

/// The runs, for a comment: `2 of 3 runs (06b89901, 9a01cd22)`.
fn runs(which: &[&EarlierRun], of: usize) -> String {
    let names: Vec<&str> = which.iter().take(3).map(|earlier_run| earlier_run.short()).collect();
    let more = if which.len() > names.len() { ", ..." } else { "" };
    format!("{} of {of} runs ({}{more})", which.len(), names.join(", "))
}

#[cfg(test)]
mod tests {
    use whyperf_consultant::DirectivesInForce;

    use super::earlier_run::example::{earlier_run, with};
    use super::*;

    /// A run in which a function took so much; it was not among the findings if that is little.
    fn run(name: &str, function: &str, value: f64) -> EarlierRun {
        let answer = if value > 0.2 { 't' } else { 'f' };
        let focus = format!("</Code/a.c/{function}>");
        let asked = [("CPUbound", focus.as_str(), answer, value, &[] as &[u64])];
        with(earlier_run(name, &asked), &["/Code/a.c/main", &format!("/Code/a.c/{function}")])
    }

    #[test]
    fn what_older_runs_called_differently_does_not_contradict_the_latest() {
        let (earlier, maps) =
            aligned(vec![run("bb", "relax_v2", 0.21), run("aa", "relax_v1", 0.19)]);
        assert_eq!(maps.len(), 1);
        let hypotheses = Hypotheses::built_in();
        let learned = extract(&earlier, Wanted::UNASKED, &hypotheses);
        let text = learned.to_string();
        assert!(text.contains("priority  high  CPUbound  </Code/a.c/relax_v2,"), "{text}");
        assert!(text.contains("true in 1 of 2 runs") && !text.contains("relax_v1"), "{text}");
        DirectivesInForce::new(&learned, &hypotheses).expect("it agrees with itself");
    }

    #[test]
    fn what_is_likely_changes_the_order_and_what_is_sure_says_what_is_not_asked() {
        let latest = with(
            run("aa", "relax", 0.5),
            &["/Code/oned.c/relax", "/Code/oned.c/init", "/Code/twice.c/main"],
        );
        let hypotheses = Hypotheses::built_in();
        let text = "whyperf directives 1\npriority high CPUbound </Code/oned.c/relax>\n\
                    prune CPUbound /Code/oned.c/init\nprune CPUbound /Code/twice.c/main\n";
        let learned = Directives::parse("file", text, &hypotheses).expect("well formed");
        let renamed = |functions: &[&str]| {
            let functions = functions.iter().map(|name| name.parse().expect("well formed"));
            let (functions, structure) = (functions.collect(), CodeStructure::default());
            let next = NextRun { functions: &functions, structure: &structure, ranks: None };
            let (all, maps) = renamed_for_program(&learned, &latest, &next);
            (all.to_string(), maps.len())
        };
        let (text, maps) =
            renamed(&["/Code/oned.cc/relax", "/Code/oned.cc/init", "/Code/twice.c/main"]);
        assert!(text.contains("</Code/oned.cc/relax,") && maps == 1, "{text}");
        assert!(
            text.contains("/Code/oned.cc/init") && text.contains("/Code/twice.c/main"),
            "{text}"
        );
        let (text, maps) =
            renamed(&["/Code/oned.c/relax2", "/Code/oned.c/init1", "/Code/twice.c/main"]);
        assert!(text.contains("</Code/oned.c/relax2,") && maps == 2, "{text}");
        assert!(!text.contains("/Code/oned.c/init1"), "it is only likely: {text}");
        assert!(text.contains("</Code/oned.c/relax,"), "it may be in a library: {text}");
        assert_eq!(renamed(&[]).1, 0);
    }

    #[test]
    fn a_map_never_takes_a_question_away() {
        let latest = with(
            run("aa", "relax", 0.5),
            &["/Code/oned.c/relax", "/Code/oned.c/init", "/Code/twice.c/main"],
        );
        let hypotheses = Hypotheses::built_in();
        let text = "whyperf directives 1\nprune CPUbound /Code/oned.c/init\nprune * /Machine\n";
        let learned = Directives::parse("file", text, &hypotheses).expect("well formed");
        // The module is surely another one now.
        let functions = ["/Code/oned.cc/relax", "/Code/oned.cc/init", "/Code/twice.c/main"];
        let functions = functions.iter().map(|name| name.parse().expect("well formed")).collect();
        let structure = CodeStructure::default();
        let next = NextRun { functions: &functions, structure: &structure, ranks: Some(8) };
        let (renamed, maps) = renamed_for_program(&learned, &latest, &next);
        assert!(maps[0].is_sure(), "{maps:?}");
        let text = renamed.to_string();
        assert!(text.contains("prune     CPUbound  /Code/oned.c/init"), "{text}");
        assert!(text.contains("priority  low  CPUbound  </Code/oned.cc/init,"), "{text}");
        assert!(!text.contains("prune     CPUbound  /Code/oned.cc"), "{text}");
        DirectivesInForce::new(&renamed, &hypotheses).expect("they agree");
    }

    #[test]
    fn processes_that_are_called_by_number_are_not_taken_for_each_other() {
        let first = with(earlier_run("bb", &[]), &["/Process/4711"]);
        let second = with(earlier_run("aa", &[]), &["/Process/815"]);
        assert_eq!(aligned(vec![first, second]).1, []);
    }
}
