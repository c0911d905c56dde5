//! What things of one run are called in another: hosts by the order of their ranks, code by name, place and behaviour.
//!
//! ```text
//!   run A  /Code/oned.c/{exchng1, sweep}        what is left over below a pair that
//!   run B  /Code/onednb.c/{exchng1nb, sweep}    belongs together is one assignment problem
//! ```
//! The cost of a pair is how unlike the names are, how differently the search judged them, and how much below them has no
//! counterpart. A pair that is more unlike than like is not proposed. Names that are the same belong together anyway.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_consultant::{Directive, Directives};
use whyperf_model::{Hierarchy, Resource};

use super::assignment::assign;
use super::past::Past;

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

    /// Proposals as directives, each with its confidence in the comment.
    #[must_use]
    pub fn directives(all: &[Self], least: f64) -> Directives {
        let mut directives = Directives::default();
        for Self { from, to, confidence } in all.iter().filter(|one| one.confidence >= least) {
            let sure = if *confidence >= Self::SURE { "" } else { ", please check" };
            let comment = format!("confidence {confidence:.2}{sure}");
            directives.push(Directive::Map { from: from.clone(), to: to.clone() }, Some(comment));
        }
        directives
    }
}

/// What differs between two runs and belongs together.
#[must_use]
pub fn map(first: &Past, second: &Past) -> Vec<Mapped> {
    let comparison = Comparison { first: Side::of(first), second: Side::of(second) };
    let roots = Hierarchy::ALL.map(Resource::root);
    let mut pending: Vec<(Resource, Resource)> =
        roots.iter().rev().map(|root| (root.clone(), root.clone())).collect();
    let mut found = Vec::new();
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
}

impl Side {
    fn of(past: &Past) -> Self {
        let mut side = Self::default();
        for resource in &past.resources {
            let mut child = resource.clone();
            while let Some(parent) = child.parent() {
                side.children.entry(parent.clone()).or_default().insert(child);
                child = parent;
            }
        }
        for asked in past.questions.values() {
            let parts =
                Hierarchy::ALL.into_iter().flat_map(|hierarchy| asked.focus.part(hierarchy));
            for (part, value) in parts.filter_map(|part| Some((part, asked.value?))) {
                let known = side.judged.entry(part.clone()).or_default();
                let most = known.entry(asked.hypothesis.clone()).or_insert(value);
                *most = most.max(value);
            }
        }
        side
    }

    fn names(&self, parent: &Resource) -> BTreeMap<&str, &Resource> {
        let children = self.children.get(parent).into_iter().flatten();
        children.map(|child| (child.name(), child)).collect()
    }
}

struct Comparison {
    first: Side,
    second: Side,
}

impl Comparison {
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
                     than: &BTreeMap<&str, &Resource>|
         -> Vec<Resource> {
            let left = of.iter().filter(|(name, _)| !than.contains_key(*name));
            let mut alone: Vec<Resource> = left.map(|(_, resource)| (*resource).clone()).collect();
            alone.sort_by(|one, other| counted(one).cmp(&counted(other)));
            alone
        };
        (same.collect(), self.paired(&alone(&left, &right), &alone(&right, &left)))
    }

    fn paired(&self, rows: &[Resource], columns: &[Resource]) -> Vec<Mapped> {
        let cost = |(at, row): (usize, &Resource)| -> Vec<f64> {
            let numbered = columns.iter().enumerate();
            numbered
                .map(|(place, column)| match row.hierarchy() {
                    // Hosts and processes differ in name from run to run: their order is what stays.
                    Hierarchy::Machine | Hierarchy::Process => {
                        by_order((at, rows.len()), (place, columns.len()))
                    }
                    _ => self.unlikeness(row, column),
                })
                .collect()
        };
        let costs: Vec<Vec<f64>> = rows.iter().enumerate().map(cost).collect();
        let assigned = assign(&costs, columns.len()).into_iter().enumerate();
        let mapped = assigned.filter_map(|(row, column)| {
            let confidence = 1.0 - costs[row][column?];
            let (from, to) = (rows[row].clone(), columns[column?].clone());
            Some(Mapped { from, to, confidence })
        });
        mapped.filter(|mapped| mapped.confidence >= Mapped::LEAST).collect()
    }

    /// From 0, the same, to 1: by name, by what is below, and by behaviour, as far as they are known.
    fn unlikeness(&self, one: &Resource, other: &Resource) -> f64 {
        let mut parts = vec![(0.5, distance(one.name(), other.name()))];
        let (left, right) = (self.first.names(one), self.second.names(other));
        let all = left.keys().chain(right.keys()).collect::<BTreeSet<_>>().len();
        if all > 0 {
            let common = left.keys().filter(|name| right.contains_key(*name)).count();
            parts.push((0.3, 1.0 - common as f64 / all as f64));
        }
        parts.extend(self.behaviour(one, other).map(|unlike| (0.3, unlike)));
        let weight: f64 = parts.iter().map(|(weight, _)| weight).sum();
        let sum: f64 = parts.iter().map(|(weight, unlike)| weight * unlike).sum();
        sum / weight
    }

    /// How differently the search judged them; none where it judged one of them alone.
    fn behaviour(&self, one: &Resource, other: &Resource) -> Option<f64> {
        let (left, right) = (self.first.judged.get(one)?, self.second.judged.get(other)?);
        let shared =
            left.iter().filter_map(|(hypothesis, value)| Some((*value, *right.get(hypothesis)?)));
        let unlike: Vec<f64> = shared
            .map(|(value, other)| (value - other).abs() / value.abs().max(other.abs()).max(1e-9))
            .collect();
        (!unlike.is_empty()).then(|| unlike.iter().sum::<f64>() / unlike.len() as f64)
    }
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

/// How many letters must change, as a part of the longer name.
fn distance(one: &str, other: &str) -> f64 {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for place in 0..other.len() {
            let replaced = diagonal + usize::from(*letter != other[place]);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(diagonal + 1).min(row[place] + 1);
        }
    }
    let longest = one.len().max(other.len()).max(1);
    row[other.len()] as f64 / longest as f64
}

#[cfg(test)]
mod tests {
    use super::super::past::example::{past, with};
    use super::*;

    fn mapped(first: Past, second: Past) -> Vec<(String, String)> {
        let all = map(&first, &second).into_iter();
        all.map(|one| (one.from.to_string(), one.to.to_string())).collect()
    }

    fn pair(from: &str, to: &str) -> (String, String) {
        (from.to_owned(), to.to_owned())
    }

    #[test]
    fn a_renamed_module_takes_its_functions_along() {
        let first = with(
            past("aa", &[]),
            &["/Code/oned.c/exchng1", "/Code/oned.c/sweep", "/Code/main.c/main"],
        );
        let second = with(
            past("bb", &[]),
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
    fn behaviour_decides_where_names_do_not() {
        let questions = |hot: &'static str, cold: &'static str| {
            [("CPUbound", hot, 't', 0.8, &[] as &[u64]), ("CPUbound", cold, 'f', 0.1, &[])]
        };
        let first = past("aa", &questions("</Code/a.c/work_1>", "</Code/a.c/work_2>"));
        let second = past("bb", &questions("</Code/a.c/work_b>", "</Code/a.c/work_a>"));
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
        let first = with(past("aa", &[]), &["/Machine/node7", "/Machine/node8", "/Code/a.c/init"]);
        let second = with(past("bb", &[]), &["/Machine/x1", "/Machine/x2", "/Code/a.c/tqrzw"]);
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
        let named = |hosts: &[String]| -> Past {
            with(past("aa", &[]), &hosts.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let (first, second) = (hosts(8), hosts(123));
        let expected: Vec<(String, String)> = first.iter().cloned().zip(second.clone()).collect();
        assert_eq!(mapped(named(&first), named(&second)), expected);
    }

    #[test]
    fn names_differ_by_the_letters_that_change() {
        assert_eq!(distance("same", "same"), 0.0);
        assert_eq!(distance("", "abc"), 1.0);
        assert!((distance("exchng1", "exchng1nb") - 2.0 / 9.0).abs() < 1e-9);
    }
}
