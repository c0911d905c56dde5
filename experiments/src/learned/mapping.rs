//! What things of one run are called in another: hosts by their ranks, code by name, place and behaviour.
//!
//! ```text
//!   run A  /Code/oned.c/{exchng1, sweep}        what is left over below a pair that
//!   run B  /Code/onednb.c/{exchng1nb, sweep}    belongs together is one assignment problem
//! ```
//! The cost of a pair is how unlike the names are, how differently the search judged them, and how much below them has no
//! counterpart. A pair that is more unlike than like is not proposed. Names that are the same belong together anyway; a function
//! of the same name in another file has moved there.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_consultant::{Directive, Directives};
use whyperf_model::{Hierarchy, Resource};

use super::assignment::{assign, assign_near};
use super::earlier_run::EarlierRun;
use super::similarity::{self, Knowledge, Traits};

/// A proposal: what `from` of the first run is called in the second.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapped {
    /// In the first run.
    pub from: Resource,
    /// In the second.
    pub to: Resource,
    /// How sure that is, from 0 to 1.
    pub confidence: f64,
}

impl Mapped {
    /// From this confidence on a person need not look.
    pub const SURE: f64 = 0.8;
    /// Below this the pair is more unlike than like.
    const LEAST: f64 = 0.4;

    /// Whether a person need not look.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.confidence >= Self::SURE
    }

    /// Proposals as directives, each with its confidence in the comment.
    #[must_use]
    pub fn directives(all: &[Self], least: f64) -> Directives {
        let mut directives = Directives::default();
        for one in all.iter().filter(|one| one.confidence >= least) {
            let sure = if one.is_sure() { "" } else { ", please check" };
            // Cut, not rounded: what is not quite sure must not look so.
            let comment =
                format!("confidence {:.2}{sure}", (one.confidence * 100.0).floor() / 100.0);
            let (from, to) = (one.from.clone(), one.to.clone());
            directives.push(Directive::Map { from, to }, Some(comment));
        }
        directives
    }
}

/// What differs between two runs and belongs together.
#[must_use]
pub fn map(first: &EarlierRun, second: &EarlierRun) -> Vec<Mapped> {
    compare(Side::of(first), Side::of(second), &Hierarchy::ALL)
}

/// What the code of a run is called in a program that has these functions, and was not run yet.
#[must_use]
pub(super) fn map_to_program(
    earlier_run: &EarlierRun,
    functions: &BTreeSet<Resource>,
) -> Vec<Mapped> {
    let mut second = Side { knowledge: Knowledge::Complete, ..Side::default() };
    functions.iter().for_each(|function| second.admit(function));
    compare(Side::of(earlier_run), second, &[Hierarchy::Code])
}

fn compare(first: Side, second: Side, hierarchies: &[Hierarchy]) -> Vec<Mapped> {
    let mut comparison = Comparison { first, second, gone: BTreeSet::new(), come: BTreeSet::new() };
    let mut found = comparison.moved();
    for one in &found {
        comparison.gone.insert(one.from.clone());
        comparison.come.insert(one.to.clone());
    }
    let roots = hierarchies.iter().rev().map(|hierarchy| Resource::root(*hierarchy));
    let mut pending: Vec<(Resource, Resource)> = roots.map(|root| (root.clone(), root)).collect();
    while let Some((one, other)) = pending.pop() {
        let (same, changed) = comparison.children(&one, &other);
        pending.extend(same);
        for mapped in changed {
            pending.push((mapped.from.clone(), mapped.to.clone()));
            found.push(mapped);
        }
    }
    found
}

/// One of the two runs.
#[derive(Debug, Default)]
struct Side {
    children: BTreeMap<Resource, BTreeSet<Resource>>,
    /// Of each resource the highest value that each hypothesis had there.
    judged: BTreeMap<Resource, BTreeMap<String, f64>>,
    /// The ranks on each machine.
    ranks: BTreeMap<Resource, BTreeSet<Resource>>,
    knowledge: Knowledge,
}

impl Side {
    fn of(earlier_run: &EarlierRun) -> Self {
        let mut side = Self::default();
        for resource in &earlier_run.resources {
            side.admit(resource);
        }
        for asked in earlier_run.questions.values() {
            let parts =
                Hierarchy::ALL.into_iter().flat_map(|hierarchy| asked.focus.part(hierarchy));
            for part in parts {
                // What stack samples led to may have been asked about and never met by an event.
                side.admit(part);
                let Some(value) = asked.value else { continue };
                let known = side.judged.entry(part.clone()).or_default();
                let most = known.entry(asked.hypothesis.clone()).or_insert(value);
                *most = most.max(value);
            }
        }
        for (process, machine) in
            earlier_run.placed.iter().filter(|(process, _)| earlier_run.is_rank(process))
        {
            side.ranks.entry(machine.clone()).or_default().insert(process.clone());
        }
        side
    }

    /// It is there, and all that it is below.
    fn admit(&mut self, resource: &Resource) {
        let mut child = resource.clone();
        while let Some(parent) = child.parent() {
            self.children.entry(parent.clone()).or_default().insert(child);
            child = parent;
        }
    }

    fn names(&self, parent: &Resource) -> BTreeMap<&str, &Resource> {
        let children = self.children.get(parent).into_iter().flatten();
        children.map(|child| (child.name(), child)).collect()
    }

    fn traits<'a>(&'a self, resource: &'a Resource) -> Traits<'a> {
        let below = self.names(resource).into_keys().collect();
        Traits::new(resource.name(), below, self.knowledge, self.judged.get(resource))
    }
}

struct Comparison {
    first: Side,
    second: Side,
    /// What was found elsewhere in the second run.
    gone: BTreeSet<Resource>,
    /// Where it was found.
    come: BTreeSet<Resource>,
}

impl Comparison {
    /// Functions that are nowhere in the files that belong together, and in one other.
    fn moved(&self) -> Vec<Mapped> {
        let code = Resource::root(Hierarchy::Code);
        let (mut files, renamed) = self.children(&code, &code);
        files.extend(renamed.into_iter().map(|one| (one.from, one.to)));
        let to: BTreeMap<&Resource, &Resource> =
            files.iter().map(|(one, other)| (one, other)).collect();
        let back: BTreeMap<&Resource, &Resource> =
            files.iter().map(|(one, other)| (other, one)).collect();
        let left = lonely(&self.first, &self.second, &to);
        let right = lonely(&self.second, &self.first, &back);
        let pairs = left.iter().filter_map(|(name, one)| Some((*one)?).zip(*right.get(name)?));
        pairs
            .map(|(one, other)| {
                let unlike = self.first.traits(one).moved(&self.second.traits(other));
                Mapped { from: one.clone(), to: other.clone(), confidence: 1.0 - unlike }
            })
            .filter(|mapped| mapped.confidence >= Mapped::LEAST)
            .collect()
    }

    /// What is below two resources that belong together: pairs of the same name, and pairs of different ones.
    fn children(
        &self,
        one: &Resource,
        other: &Resource,
    ) -> (Vec<(Resource, Resource)>, Vec<Mapped>) {
        let (left, right) = (self.first.names(one), self.second.names(other));
        let same = left
            .iter()
            .filter_map(|(name, one)| Some(((*one).clone(), (*right.get(name)?).clone())));
        let alone = |of: &BTreeMap<&str, &Resource>,
                     than: &BTreeMap<&str, &Resource>,
                     elsewhere: &BTreeSet<Resource>|
         -> Vec<Resource> {
            let left = of.iter().filter(|(name, _)| !than.contains_key(*name));
            let mut alone: Vec<Resource> = left
                .map(|(_, resource)| (*resource).clone())
                .filter(|resource| !elsewhere.contains(resource))
                .collect();
            alone.sort_by(|one, other| counted(one).cmp(&counted(other)));
            alone
        };
        let (rows, columns) = (alone(&left, &right, &self.gone), alone(&right, &left, &self.come));
        (same.collect(), self.paired(&rows, &columns))
    }

    fn paired(&self, rows: &[Resource], columns: &[Resource]) -> Vec<Mapped> {
        let left: Vec<Traits<'_>> = rows.iter().map(|row| self.first.traits(row)).collect();
        let right: Vec<Traits<'_>> =
            columns.iter().map(|column| self.second.traits(column)).collect();
        let cost = |row: usize, column: usize| match rows[row].hierarchy() {
            Hierarchy::Machine => self
                .hosts(&rows[row], &columns[column])
                .unwrap_or_else(|| by_order((row, rows.len()), (column, columns.len()))),
            // Processes differ in name from run to run: their order is what stays.
            Hierarchy::Process => by_order((row, rows.len()), (column, columns.len())),
            _ => left[row].dissimilarity(&right[column]),
        };
        let by_similarity = rows
            .first()
            .is_some_and(|row| !matches!(row.hierarchy(), Hierarchy::Machine | Hierarchy::Process));
        let assigned = if rows.len().max(columns.len()) <= MOST_ASSIGNED {
            let costs: Vec<Vec<f64>> = (0..rows.len())
                .map(|row| (0..columns.len()).map(|column| cost(row, column)).collect())
                .collect();
            assign(&costs, columns.len())
        } else {
            let near = if by_similarity {
                similarity::near(&left, &right)
            } else {
                (0..rows.len().min(columns.len())).map(|at| (at, at)).collect()
            };
            let near = near.into_iter().map(|(row, column)| (cost(row, column), row, column));
            assign_near(near.collect(), rows.len(), columns.len())
        };
        let mapped = assigned.into_iter().enumerate().filter_map(|(row, column)| {
            let confidence = 1.0 - cost(row, column?);
            let (from, to) = (rows[row].clone(), columns[column?].clone());
            Some(Mapped { from, to, confidence })
        });
        mapped.filter(|mapped| mapped.confidence >= Mapped::LEAST).collect()
    }

    /// How few of their ranks two hosts have in common; none where it is not known who ran there.
    fn hosts(&self, one: &Resource, other: &Resource) -> Option<f64> {
        let (left, right) = (self.first.ranks.get(one)?, self.second.ranks.get(other)?);
        let common = left.intersection(right).count() as f64;
        Some(1.0 - 0.95 * common / left.union(right).count() as f64)
    }
}

/// With more than this on a side each is compared with its neighbours alone: the time grows with its cube.
const MOST_ASSIGNED: usize = 256;

/// By name, the functions of a run that are not in the file of the other that belongs to theirs; nothing for a name that is there
/// more than once.
fn lonely<'a>(
    of: &'a Side,
    than: &Side,
    files: &BTreeMap<&Resource, &Resource>,
) -> BTreeMap<&'a str, Option<&'a Resource>> {
    let mut lonely = BTreeMap::new();
    for file in of.children.get(&Resource::root(Hierarchy::Code)).into_iter().flatten() {
        let there = files.get(file).map(|other| than.names(other)).unwrap_or_default();
        let functions = of.children.get(file).into_iter().flatten();
        for function in functions.filter(|function| !there.contains_key(function.name())) {
            let known = lonely.entry(function.name()).or_insert(Some(function));
            if *known != Some(function) {
                *known = None;
            }
        }
    }
    lonely
}

/// A name in the order of people: `node9` before `node10`.
fn counted(resource: &Resource) -> (&str, u64, &str) {
    let name = resource.name();
    let text = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    (text, name[text.len()..].parse().unwrap_or_default(), name)
}

/// The nth of so many belongs to the nth of as many; where the numbers differ nothing is sure.
fn by_order((at, rows): (usize, usize), (place, columns): (usize, usize)) -> f64 {
    match (at == place, rows == columns, rows) {
        (true, true, 1) => 0.05,
        (true, true, _) => 0.3,
        (true, false, _) => 0.5,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::earlier_run::example::{earlier_run, placed, with};
    use super::*;

    fn mapped(first: EarlierRun, second: EarlierRun) -> Vec<(String, String)> {
        let all = map(&first, &second).into_iter();
        all.map(|one| (one.from.to_string(), one.to.to_string())).collect()
    }

    fn pair(from: &str, to: &str) -> (String, String) {
        (from.to_owned(), to.to_owned())
    }

    #[test]
    fn a_renamed_module_takes_its_functions_along() {
        let first = with(
            earlier_run("aa", &[]),
            &["/Code/oned.c/exchng1", "/Code/oned.c/sweep", "/Code/main.c/main"],
        );
        let second = with(
            earlier_run("bb", &[]),
            &["/Code/onednb.c/exchng1nb", "/Code/onednb.c/sweep", "/Code/main.c/main"],
        );
        assert_eq!(
            mapped(first, second),
            [
                pair("/Code/oned.c", "/Code/onednb.c"),
                pair("/Code/oned.c/exchng1", "/Code/onednb.c/exchng1nb"),
            ]
        );
    }

    #[test]
    fn code_of_a_program_that_was_not_run_yet_is_found_in_its_file() {
        let old = [
            "/Code/oned.c/exchng1",
            "/Code/oned.c/sweep",
            "/Code/main.c/main",
            "/Code/libm.so.6/exp",
            "/SyncObject/Message/3",
        ];
        let new = [
            "/Code/onednb.c/exchng1nb",
            "/Code/onednb.c/sweep",
            "/Code/onednb.c/begin",
            "/Code/onednb.c/end",
            "/Code/main.c/main",
            "/Code/main.c/usage",
        ];
        let functions = new.iter().map(|name| name.parse().expect("well formed")).collect();
        let found = map_to_program(&with(earlier_run("aa", &[]), &old), &functions);
        let said: Vec<String> =
            found.iter().map(|one| format!("{} {} {}", one.from, one.to, one.is_sure())).collect();
        assert_eq!(
            said,
            [
                "/Code/oned.c /Code/onednb.c false",
                "/Code/oned.c/exchng1 /Code/onednb.c/exchng1nb false",
            ]
        );
    }

    #[test]
    fn behaviour_decides_where_names_do_not() {
        let questions = |hot: &'static str, cold: &'static str| {
            [("CPUbound", hot, 't', 0.8, &[] as &[u64]), ("CPUbound", cold, 'f', 0.1, &[])]
        };
        let first = earlier_run("aa", &questions("</Code/a.c/work_1>", "</Code/a.c/work_2>"));
        let second = earlier_run("bb", &questions("</Code/a.c/work_b>", "</Code/a.c/work_a>"));
        let first = with(first, &["/Code/a.c/work_1", "/Code/a.c/work_2"]);
        let second = with(second, &["/Code/a.c/work_a", "/Code/a.c/work_b"]);
        assert_eq!(
            mapped(first, second),
            [
                pair("/Code/a.c/work_1", "/Code/a.c/work_b"),
                pair("/Code/a.c/work_2", "/Code/a.c/work_a"),
            ]
        );
    }

    #[test]
    fn hosts_go_by_their_order_and_what_is_unlike_stays_alone() {
        let first =
            with(earlier_run("aa", &[]), &["/Machine/node7", "/Machine/node8", "/Code/a.c/init"]);
        let second =
            with(earlier_run("bb", &[]), &["/Machine/x1", "/Machine/x2", "/Code/a.c/tqrzw"]);
        let found = map(&first, &second);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|one| one.from.hierarchy() == Hierarchy::Machine));
        assert!(found.iter().all(|one| one.confidence < Mapped::SURE));
        assert_eq!(Mapped::directives(&found, Mapped::SURE).entries.len(), 0);
    }

    #[test]
    fn hosts_are_counted_and_not_spelled() {
        let hosts = |from: u32| -> Vec<String> {
            (from..from + 4).map(|nth| format!("/Machine/n{nth}")).collect()
        };
        let named = |hosts: &[String]| -> EarlierRun {
            with(earlier_run("aa", &[]), &hosts.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let (first, second) = (hosts(8), hosts(123));
        let expected: Vec<(String, String)> = first.iter().cloned().zip(second.clone()).collect();
        assert_eq!(mapped(named(&first), named(&second)), expected);
    }

    #[test]
    fn hosts_of_the_same_ranks_belong_together() {
        let (names, others) = (["/Machine/a", "/Machine/b"], ["/Machine/x", "/Machine/y"]);
        let ranks = ["/Process/0", "/Process/1"];
        let run = |hosts: [&str; 2], there: [&str; 2]| {
            let earlier_run = with(earlier_run("aa", &[]), &[hosts, ranks].concat());
            placed(earlier_run, &[(ranks[0], there[0]), (ranks[1], there[1])])
        };
        let found = map(&run(names, names), &run(others, ["/Machine/y", "/Machine/x"]));
        let said: Vec<String> =
            found.iter().map(|one| format!("{} {} {}", one.from, one.to, one.is_sure())).collect();
        assert_eq!(said, ["/Machine/a /Machine/y true", "/Machine/b /Machine/x true"]);
    }

    #[test]
    fn a_function_that_is_in_another_file_now_has_moved_there() {
        let f = |place: &'static str| [("CPUbound", place, 't', 0.8, &[] as &[u64])];
        let first = earlier_run("aa", &f("</Code/a.c/work>"));
        let second = earlier_run("bb", &f("</Code/b.c/work>"));
        let first = with(first, &["/Code/a.c/main", "/Code/a.c/work", "/Code/a.c/init"]);
        let second = with(
            second,
            &["/Code/a.c/main", "/Code/a.c/work_not", "/Code/b.c/work", "/Code/a.c/init"],
        );
        assert_eq!(
            mapped(first.clone(), second.clone()),
            [pair("/Code/a.c/work", "/Code/b.c/work")]
        );
        assert!(map(&first, &second)[0].is_sure());
        let twice = with(second, &["/Code/a.c/main", "/Code/b.c/work", "/Code/c.c/work"]);
        let found = mapped(with(first, &["/Code/a.c/main", "/Code/a.c/work"]), twice);
        assert_eq!(found, [], "nobody knows which of the two");
    }

    #[test]
    fn a_few_names_are_found_among_thousands_of_functions() {
        let new = (0..8000).map(|at| format!("/Code/program/function_{at:04}_of_many"));
        let functions = new.map(|name| name.parse().expect("well formed")).collect();
        let old = ["/Code/program/function_17_of_many", "/Code/program/function_4711_for_many"];
        let found = map_to_program(&with(earlier_run("aa", &[]), &old), &functions);
        let to: Vec<String> = found.iter().map(|one| one.to.to_string()).collect();
        assert_eq!(to.len(), 2);
        assert!(to.contains(&"/Code/program/function_4711_of_many".to_owned()), "{to:?}");
    }

    #[test]
    fn nothing_is_proposed_twice_and_what_was_renamed_is_found_among_thousands() {
        let names = |change: &dyn Fn(usize) -> String| -> EarlierRun {
            let names: Vec<String> =
                (0..5000).map(|at| format!("/Code/a.c/{}", change(at))).collect();
            with(earlier_run("aa", &[]), &names.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let word = |at: usize| format!("{:x}", at.wrapping_mul(2_654_435_761) % 1_000_003);
        let found = map(
            &names(&|at| format!("compute_{}", word(at))),
            &names(&|at| format!("compute_{}_new", word(at))),
        );
        let to: BTreeSet<&Resource> = found.iter().map(|one| &one.to).collect();
        assert_eq!((found.len(), to.len()), (5000, 5000));
        let right = found.iter().filter(|one| format!("{}_new", one.from) == one.to.to_string());
        assert!(right.count() > 4900);
    }
}
