//! How unlike two things of two runs are: by name, by what is below them, and by what the search found there.

use std::collections::{BTreeMap, BTreeSet};

/// What is known of a thing.
pub(super) struct Traits<'a> {
    name: &'a str,
    letters: Vec<char>,
    below: BTreeSet<&'a str>,
    knowledge: Knowledge,
    judged: Option<&'a BTreeMap<String, f64>>,
}

/// How much is known of what is below a thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Knowledge {
    /// What a search met.
    #[default]
    Met,
    /// All of it, met or not.
    Complete,
}

/// Without anything but a name nothing is sure.
const BY_NAME_ALONE: f64 = 0.25;
/// By so much of their difference names differ that are alike enough.
const TIE: f64 = 0.01;
/// Values below this are small, by how much whatsoever.
const SMALL: f64 = 0.1;
/// With how many neighbours to each side a thing is compared where there are too many for all.
const REACH: usize = 8;

impl<'a> Traits<'a> {
    pub(super) fn new(
        name: &'a str,
        below: BTreeSet<&'a str>,
        knowledge: Knowledge,
        judged: Option<&'a BTreeMap<String, f64>>,
    ) -> Self {
        Self { name, letters: name.chars().collect(), below, knowledge, judged }
    }

    /// From 0, the same, to 1: by name, by what is below, and by behaviour, as far as they are known.
    pub(super) fn dissimilarity(&self, other: &Self) -> f64 {
        let mut parts = vec![(0.5, distance(&self.letters, &other.letters))];
        // What was not met of the one says nothing against all of the other.
        let all = match other.knowledge {
            Knowledge::Met => self.below.union(&other.below).count(),
            Knowledge::Complete => self.below.len(),
        };
        let common = self.below.intersection(&other.below).count();
        if all > 0 {
            parts.push((0.3, 1.0 - common as f64 / all as f64));
        }
        let behaviour = self.behaviour(other);
        parts.extend(behaviour.map(|unlike| (0.3, unlike)));
        let unlike = mean(&parts);
        if behaviour.is_some() || common > 0 {
            return unlike;
        }
        // The more alike of two names stays the nearer one.
        unlike.max(BY_NAME_ALONE + unlike * TIE)
    }

    /// The same of two that have the same name in different places.
    pub(super) fn moved(&self, other: &Self) -> f64 {
        let mut parts = vec![(0.5, 0.0), (0.15, 1.0)];
        parts.extend(self.behaviour(other).map(|unlike| (0.3, unlike)));
        mean(&parts)
    }

    /// How differently the search judged them; none where it judged one of them alone.
    fn behaviour(&self, other: &Self) -> Option<f64> {
        let (left, right) = (self.judged?, other.judged?);
        let shared =
            left.iter().filter_map(|(hypothesis, value)| Some((*value, *right.get(hypothesis)?)));
        let unlike: Vec<f64> = shared
            .map(|(value, other)| (value - other).abs() / value.abs().max(other.abs()).max(SMALL))
            .collect();
        (!unlike.is_empty()).then(|| unlike.iter().sum::<f64>() / unlike.len() as f64)
    }

    fn most(&self) -> f64 {
        self.judged.into_iter().flat_map(BTreeMap::values).fold(0.0, |most, one| one.max(most))
    }
}

/// Pairs of both sides that stand near each other in some order: of their names, from either end, or of their values.
pub(super) fn near(left: &[Traits<'_>], right: &[Traits<'_>]) -> BTreeSet<(usize, usize)> {
    let backwards =
        |traits: &Traits<'_>| -> String { traits.letters.iter().rev().collect::<String>() };
    let mut pairs = BTreeSet::new();
    neighbours(left, right, |traits| traits.name.to_owned(), &mut pairs);
    neighbours(left, right, backwards, &mut pairs);
    // Shares of the time, as digits that sort like numbers.
    neighbours(left, right, |traits| format!("{:030.9}", traits.most()), &mut pairs);
    pairs
}

fn neighbours(
    left: &[Traits<'_>],
    right: &[Traits<'_>],
    key: impl Fn(&Traits<'_>) -> String,
    pairs: &mut BTreeSet<(usize, usize)>,
) {
    let mut order: Vec<(String, usize)> = right.iter().map(&key).zip(0..).collect();
    order.sort();
    for (row, traits) in left.iter().enumerate() {
        let wanted = key(traits);
        let at = order.partition_point(|(known, _)| *known < wanted);
        let around = at.saturating_sub(REACH)..(at + REACH).min(order.len());
        pairs.extend(order[around].iter().map(|(_, column)| (row, *column)));
    }
}

fn mean(parts: &[(f64, f64)]) -> f64 {
    let weight: f64 = parts.iter().map(|(weight, _)| weight).sum();
    let sum: f64 = parts.iter().map(|(weight, unlike)| weight * unlike).sum();
    sum / weight
}

/// How many letters must change, as a part of the longer name.
fn distance(one: &[char], other: &[char]) -> f64 {
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
    use super::super::mapping::Mapped;
    use super::*;

    fn between(one: &str, other: &str) -> f64 {
        let [one, other]: [Vec<char>; 2] = [one, other].map(|name| name.chars().collect());
        distance(&one, &other)
    }

    #[test]
    fn names_differ_by_the_letters_that_change() {
        assert_eq!(between("same", "same"), 0.0);
        assert_eq!(between("", "abc"), 1.0);
        assert!((between("exchng1", "exchng1nb") - 2.0 / 9.0).abs() < 1e-9);
    }

    #[test]
    fn a_name_alone_makes_nothing_sure() {
        let named = |name| Traits::new(name, BTreeSet::new(), Knowledge::Met, None);
        let unlike = |one, other| named(one).dissimilarity(&named(other));
        let (near, far) = (unlike("work_a", "work_b"), unlike("work_a", "wark_b"));
        assert!(BY_NAME_ALONE < near && near < far && 1.0 - near < Mapped::SURE, "{near} {far}");
    }

    #[test]
    fn small_values_are_alike() {
        let judged = |value: f64| BTreeMap::from([("CPUbound".to_owned(), value)]);
        let (one, other) = (judged(0.01), judged(0.02));
        let [one, other] = [&one, &other]
            .map(|judged| Traits::new("f", BTreeSet::new(), Knowledge::Met, Some(judged)));
        assert!(one.dissimilarity(&other) < 0.1);
    }
}
