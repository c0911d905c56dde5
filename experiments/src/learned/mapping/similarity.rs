//! The similarity of names, values and sets: from 0, nothing in common, to 1, the same.

use std::collections::{BTreeMap, BTreeSet};

/// Values below this are small, by how much whatsoever.
const SMALL: f64 = 0.1;

/// How many letters of two names need not change, as a part of the longer one.
pub(super) fn of_names(one: &[char], other: &[char]) -> f64 {
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
    1.0 - row[other.len()] as f64 / longest as f64
}

/// How like the search judged them; none where it judged one of them alone.
pub(super) fn of_values(
    left: &BTreeMap<String, f64>,
    right: &BTreeMap<String, f64>,
) -> Option<f64> {
    let shared =
        left.iter().filter_map(|(hypothesis, value)| Some((*value, *right.get(hypothesis)?)));
    let unlike: Vec<f64> = shared
        .map(|(value, other)| (value - other).abs() / value.abs().max(other.abs()).max(SMALL))
        .collect();
    (!unlike.is_empty()).then(|| 1.0 - unlike.iter().sum::<f64>() / unlike.len() as f64)
}

/// How much two sets have in common; none where one is empty. `only_first`: what the second has more says nothing.
pub(super) fn of_sets<T: Ord>(
    left: &BTreeSet<T>,
    right: &BTreeSet<T>,
    only_first: bool,
) -> Option<f64> {
    let all = if only_first { left.len() } else { left.union(right).count() };
    let is_known = !left.is_empty() && !right.is_empty();
    is_known.then(|| left.intersection(right).count() as f64 / all as f64)
}

/// The same of wrapped calls: half by name, and half by what they are for. A send and a receive may have become one call.
pub(super) fn of_calls(
    left: &BTreeSet<String>,
    right: &BTreeSet<String>,
    only_first: bool,
) -> Option<f64> {
    let families =
        |calls: &BTreeSet<String>| calls.iter().map(|call| family(call).to_owned()).collect();
    let [one, other]: [BTreeSet<String>; 2] = [families(left), families(right)];
    Some(f64::midpoint(of_sets(left, right, only_first)?, of_sets(&one, &other, only_first)?))
}

/// What a call is for; of those that are not of MPI its own name.
fn family(call: &str) -> &str {
    let Some(name) = call.strip_prefix("mpi_") else { return call };
    let known = FAMILIES.iter().find(|(part, _)| name.contains(part));
    known.map_or(call, |(_, family)| family)
}

/// Parts of the names of MPI's calls, the first that fits counts.
const FAMILIES: [(&str, &str); 18] = [
    ("file_", "files"),
    ("win_", "windows"),
    ("barrier", "collectives"),
    ("bcast", "collectives"),
    ("reduce", "collectives"),
    ("gather", "collectives"),
    ("scatter", "collectives"),
    ("alltoall", "collectives"),
    ("scan", "collectives"),
    ("send", "messages"),
    ("recv", "messages"),
    ("wait", "messages"),
    ("test", "messages"),
    ("probe", "messages"),
    ("start", "messages"),
    ("put", "windows"),
    ("get", "windows"),
    ("accumulate", "windows"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn between(one: &str, other: &str) -> f64 {
        let [one, other]: [Vec<char>; 2] = [one, other].map(|name| name.chars().collect());
        of_names(&one, &other)
    }

    fn calls(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn names_differ_by_the_letters_that_change() {
        assert_eq!(between("same", "same"), 1.0);
        assert_eq!(between("", "abc"), 0.0);
        assert!((between("exchng1", "exchng1nb") - 7.0 / 9.0).abs() < 1e-9);
    }

    #[test]
    fn small_values_are_alike() {
        let judged = |value: f64| BTreeMap::from([("CPUbound".to_owned(), value)]);
        assert!(of_values(&judged(0.01), &judged(0.02)).is_some_and(|alike| alike >= 0.9));
        assert_eq!(of_values(&judged(0.01), &BTreeMap::new()), None);
    }

    #[test]
    fn calls_of_one_kind_are_half_alike() {
        let (pair, one) = (calls(&["mpi_send", "mpi_recv"]), calls(&["mpi_sendrecv"]));
        assert_eq!(of_calls(&pair, &one, false), Some(0.5));
        assert_eq!(of_calls(&pair, &pair, false), Some(1.0));
        assert_eq!(of_calls(&pair, &calls(&["mpi_barrier"]), false), Some(0.0));
        assert_eq!(of_calls(&pair, &calls(&["mpi_send", "mpi_recv", "exit"]), true), Some(1.0));
        assert_eq!(of_calls(&pair, &calls(&[]), false), None);
    }
}
